//! What is missing, what varies, what is counted beside an answer.

use coverdex_core::CoverageStatus;
use coverdex_tests::Made;
use coverdex_tests::fhir::{Entry, entry, formulary, list, medication, plan};
use serde_json::{Value, json};

const PLAN: &str = "H1234-001-000-2026";

/// A formulary of `there` entries whose List names `missing` more.
fn short_of(there: u64, missing: u64) -> Vec<Value> {
    let mut resources = vec![plan("ip", PLAN, Some("MA-PD"), "Choice")];
    let mut ids = Vec::new();
    for n in 0..there {
        let id = format!("e{n}");
        resources.push(entry(&id).ndc(&format!("{:011}", 11_111_000_000 + n)).tier("1", "Generic").plan(PLAN).json());
        ids.push(id);
    }
    ids.extend((0..missing).map(|n| format!("missing{n}")));
    // Two Lists that share entries: each entry counts once.
    let half = ids.len() / 2;
    resources.push(list("l1", PLAN, &ids[..=half]));
    resources.push(list("l2", PLAN, &ids[half..]));
    resources
}

#[test]
fn gaps_up_to_one_in_a_hundred_change_nothing() {
    for (there, missing, complete) in
        [(200, 0, true), (199, 1, true), (198, 2, true), (197, 3, false), (97, 3, false), (99, 1, true), (98, 1, false)]
    {
        let made = Made::of(&short_of(there, missing));
        let absent = made.coverage(PLAN, "99999999999");
        let got = (absent.complete, u64::from(absent.gaps), u64::from(absent.expected));
        assert_eq!(got, (complete, missing, there + missing), "{missing} missing of {}", there + missing);
        let want = if complete { "not_listed" } else { "unknown incomplete" };
        assert_eq!(made.says(PLAN, "99999999999"), want);
        assert_eq!(made.says(PLAN, "11111000000"), "covered", "what is there is answered all the same");
        assert_eq!(made.coverage(PLAN, "11111000000").complete, complete);
    }
}

#[test]
fn gaps_are_counted_for_each_plan() {
    let other = "H1234-002-000-2026";
    let mut resources = short_of(50, 5);
    resources.extend(formulary(other, &[entry("x").ndc("22222000011").tier("1", "Generic")]));
    let made = Made::of(&resources);
    assert_eq!(made.says(PLAN, "99999999999"), "unknown incomplete");
    assert_eq!(made.says(other, "99999999999"), "not_listed");
    assert_eq!(made.coverage(other, "99999999999").gaps, 0);
}

#[test]
fn entries_that_cannot_be_read_are_gaps() {
    let unreadable = entry("u").tier("1", "Generic").coding(json!({ "system": "x", "code": "undefined" })).plan(PLAN);
    let mut resources = short_of(100, 0);
    resources.push(unreadable.json());
    resources.push(list("l3", PLAN, &["u"]));
    let made = Made::of(&resources);
    assert_eq!((made.coverage(PLAN, "99999999999").gaps, made.plan(PLAN).quarantined), (1, 1));
    assert_eq!(made.says(PLAN, "99999999999"), "not_listed");
    // An entry of a List whose words lead nowhere must have been something; one that is empty is nothing.
    let mut nothing = list::<&str>("l4", PLAN, &[]);
    nothing["entry"] = json!([{ "item": { "display": "not available" } }, null, {}]);
    resources.push(nothing);
    let made = Made::of(&resources);
    assert_eq!(made.coverage(PLAN, "99999999999").gaps, 2);
    assert_eq!(made.says(PLAN, "99999999999"), "unknown incomplete");
}

/// Two plans with two Lists each, the Lists as lines of their own, in an order that payers write.
fn two_plans(change: impl Fn(&str, String) -> String) -> Made {
    let other = "H1234-002-000-2026";
    let mut text = String::new();
    for (at, plan_id) in [PLAN, other].into_iter().enumerate() {
        text += &format!("{}\n", plan(&format!("ip{at}"), plan_id, Some("MA-PD"), "Choice"));
        for half in 0..2 {
            let id = format!("l{at}{half}");
            let ids = [0, 1].map(|n| format!("e{at}{half}{n}"));
            for (n, id) in ids.iter().enumerate() {
                let ndc = format!("{:011}", 11_111_000_000 + at * 100 + half * 10 + n);
                text += &format!("{}\n", entry(id).ndc(&ndc).tier("1", "Generic").plan(plan_id).json());
            }
            let list = list(&id, plan_id, &ids);
            let line = format!(
                "{{\"resourceType\":\"List\",\"id\":\"{id}\",\"meta\":{},\"status\":\"current\",\"identifier\":{},\"entry\":{}}}",
                list["meta"], list["identifier"], list["entry"]
            );
            text += &change(&id, line);
            text.push('\n');
        }
    }
    Made::of_text(&text)
}

#[test]
fn what_a_list_that_cannot_be_read_would_name_is_unknown() {
    let other = "H1234-002-000-2026";
    let (of_the_first, of_the_second, of_the_other, nowhere) =
        ("11111000000", "11111000010", "11111000100", "99999999999");
    let says =
        |made: &Made, plan: &str| [of_the_first, of_the_second, of_the_other, nowhere].map(|ndc| made.says(plan, ndc));

    let whole = two_plans(|_, line| line);
    assert_eq!(says(&whole, PLAN), ["covered", "covered", "not_listed", "not_listed"]);

    // Cut off behind its identifier: what its plan does not list is open, the other plan is as before.
    let cut = |until: &'static str| {
        two_plans(move |id, line| if id == "l01" { line.split(until).next().unwrap().into() } else { line })
    };
    let known = cut(",\"entry\"");
    assert_eq!(says(&known, PLAN), ["covered", "unknown incomplete", "unknown incomplete", "unknown incomplete"]);
    assert_eq!(says(&known, other), ["not_listed", "not_listed", "covered", "not_listed"]);
    assert!(!known.coverage(PLAN, of_the_first).complete && known.coverage(other, of_the_other).complete);

    // Cut off before: it may have been any plan's.
    let unknown = cut(",\"identifier\"");
    assert_eq!(says(&unknown, PLAN), says(&known, PLAN));
    assert_eq!(says(&unknown, other), ["unknown incomplete", "unknown incomplete", "covered", "unknown incomplete"]);

    // A property that stands twice with different values: nobody knows which holds.
    let twice =
        two_plans(
            |id, line| {
                if id == "l01" { line.replacen("\"status\"", "\"status\":\"retired\",\"status\"", 1) } else { line }
            },
        );
    assert_eq!((says(&twice, PLAN), says(&twice, other)), (says(&known, PLAN), says(&known, other)));

    // Beside a whole one of the same date the cut one means nothing.
    let copy =
        two_plans(
            |id, line| if id == "l01" { format!("{}\n{line}", line.split(",\"entry\"").next().unwrap()) } else { line },
        );
    assert_eq!(says(&copy, PLAN), says(&whole, PLAN));
    assert!(copy.coverage(PLAN, of_the_first).complete);
}

#[test]
fn a_list_that_names_no_plan_and_entries_of_several_leaves_them_open() {
    let other = "H1234-002-000-2026";
    let third = "H1234-003-000-2026";
    let mut resources = short_of(50, 0);
    resources.extend(formulary(other, &[entry("x").ndc("22222000011").tier("1", "Generic")]));
    resources.extend(formulary(third, &[entry("y").ndc("33333000011").tier("1", "Generic")]));
    resources.push(entry("a").ndc("44444000011").tier("1", "Generic").plan(PLAN).json());
    resources.push(entry("b").ndc("55555000011").tier("1", "Generic").plan(other).json());
    resources.push(list("nameless", "HIOS-PLAN-ID", &["a", "b"]));
    let made = Made::of(&resources);
    for (plan, ndc, want) in [
        (PLAN, "44444000011", "unknown incomplete"),
        (PLAN, "99999999999", "unknown incomplete"),
        (PLAN, "11111000000", "covered"),
        (other, "55555000011", "unknown incomplete"),
        (third, "44444000011", "not_listed"),
        (third, "33333000011", "covered"),
    ] {
        assert_eq!(made.says(plan, ndc), want, "{plan} {ndc}");
    }
}

fn package(ndc: &str) -> Entry {
    entry("p").ndc(ndc).text("Atorvastatin 20 mg tablet").rxcui(617_310)
}

fn flags(entry: &Entry, step_therapy: bool) -> Entry {
    entry.clone().flags(&json!(false), &json!(step_therapy), &json!(false))
}

#[test]
fn what_varies_among_the_listed_packages_is_counted() {
    let generic = |ndc: &str, step| flags(&package(ndc).tier("2", "Generic"), step);
    let preferred = |ndc: &str, step| flags(&package(ndc).tier("1", "Preferred Generic"), step);
    let mut resources = formulary(
        PLAN,
        &[
            generic("00093505698", true),
            preferred("00093505610", false),
            generic("00378395277", true),
            generic("00378395293", false),
        ],
    );
    for ndc in ["00071015523", "00071015540", "59762015501"] {
        resources.push(medication(ndc).ndc(ndc).rxcui(617_310).text("Atorvastatin 20 mg tablet").json());
    }
    let made = Made::of(&resources);
    for text in ["617310", "atorvastatin 20 mg", "Atorvastatin 20 MG tablet"] {
        let answer = made.coverage(PLAN, text);
        assert_eq!((answer.status, answer.listed, answer.not_on_this_list), (CoverageStatus::Covered, 4, 3), "{text}");
        let varies = answer.varies.unwrap();
        let tiers: Vec<&str> = varies.tiers.iter().map(|tier| tier.code.as_str()).collect();
        assert_eq!(tiers, ["1", "2"], "lowest level first");
        assert_eq!((varies.of, varies.prior_authorization, varies.step_therapy, varies.quantity_limit), (4, 0, 2, 0));
        assert_eq!(answer.statement.tier, None, "a tier that varies is not stated as one");
        assert_eq!(answer.statement.step_therapy, None);
        assert_eq!(answer.statement.prior_authorization, Some(false), "what all say is said");
        assert_eq!(made.packages(PLAN, text).len(), 4, "only those that the plan lists");
    }
    let product = made.coverage(PLAN, "00378-3952");
    assert_eq!((product.listed, product.not_on_this_list), (2, 0));
    assert_eq!(product.varies.unwrap().tiers.len(), 1);
    // One package varies from nothing.
    assert_eq!(made.coverage(PLAN, "00093505698").varies, None);
    // Equal packages do not vary.
    let equal = Made::of(&formulary(PLAN, &[generic("00378395277", true), generic("00378395293", true)]));
    assert_eq!(equal.coverage(PLAN, "00378-3952").varies, None);
    assert_eq!(equal.coverage(PLAN, "00378-3952").statement.step_therapy, Some(true));
}

#[test]
fn mixed_is_covered_beside_not_covered() {
    let made = Made::of(&formulary(
        PLAN,
        &[package("00378395277").tier("2", "Generic"), package("00378395293").tier("0", "Non-Formulary Drug")],
    ));
    let answer = made.coverage(PLAN, "617310");
    assert_eq!((answer.status, answer.reason, answer.listed), (CoverageStatus::Mixed, None, 2));
    assert_eq!(answer.varies.unwrap().of, 2);
    let statuses: Vec<&str> = made.packages(PLAN, "617310").iter().map(|p| p.status.as_str()).collect();
    assert_eq!(statuses, ["covered", "not_covered"]);
    // Listed beside not listed is no mixture.
    let mut resources = formulary(PLAN, &[package("00378395277").tier("0", "Non-Formulary Drug")]);
    resources.push(medication("m").ndc("00378395293").rxcui(617_310).text("Atorvastatin 20 mg tablet").json());
    let made = Made::of(&resources);
    assert_eq!(made.says(PLAN, "617310"), "not_covered");
    assert_eq!(made.coverage(PLAN, "617310").not_on_this_list, 1);
}

#[test]
fn a_drug_of_which_nothing_is_listed_is_not_listed() {
    let mut resources = formulary(PLAN, &[entry("x").ndc("22222000011").tier("1", "Generic")]);
    for ndc in ["00378395277", "00378395293"] {
        resources.push(medication(ndc).ndc(ndc).rxcui(617_310).text("Atorvastatin 20 mg tablet").json());
    }
    let made = Made::of(&resources);
    for text in ["617310", "00378-3952", "atorvastatin 20 mg tablet"] {
        assert_eq!(made.says(PLAN, text), "not_listed", "{text}");
        let answer = made.coverage(PLAN, text);
        assert_eq!((answer.listed, answer.not_on_this_list, answer.seen_anywhere), (0, 2, true), "{text}");
        assert!(made.packages(PLAN, text).is_empty(), "{text}");
    }
}

#[test]
fn how_a_drug_varies_does_not_depend_on_which_package_comes_first() {
    let two_tiers = |ndc: &str| package(ndc).tiers(&[("2", Some("Generic")), ("4", Some("Non-Preferred Drug"))]);
    let one_tier = |ndc: &str| package(ndc).tier("1", "Preferred Generic");
    let (first, last) = ("00378395277", "00378395293");
    let a = Made::of(&formulary(PLAN, &[two_tiers(first), one_tier(last)])).coverage(PLAN, "617310");
    let b = Made::of(&formulary(PLAN, &[one_tier(first), two_tiers(last)])).coverage(PLAN, "617310");
    assert_eq!(a, b);
    let varies = a.varies.unwrap();
    let tiers: Vec<&str> = varies.tiers.iter().map(|tier| tier.code.as_str()).collect();
    assert_eq!((tiers, varies.conflicts, varies.of), (vec!["1", "2", "4"], 1, 2));
}
