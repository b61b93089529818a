//! Small random payers as JSON: a few drugs, a few plans, and whatever payers do to them.

use std::collections::BTreeMap;

use coverdex_tests::fhir::RXNORM;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Plans that resources name.
pub(super) const PLANS: [&str; 4] =
    ["H1000-001-000-2026", "H1000-002-000-2026", "S2000-001-000-2027", "H1000-001-001-2026"];

/// Products with their packages' last two digits, and the text that names them.
pub(super) const PRODUCTS: [(&str, &[&str], &str); 6] = [
    ("11111-0001", &["01", "30", "90"], "Alphadol 10 mg tablet"),
    ("11111-0002", &["01", "30"], "Alphadol 20 mg tablet"),
    ("02222-0003", &["05", "10"], "Betacor 5 mg capsule"),
    ("33333-0004", &["01"], "Gammalin 1 mg tablet, extended release"),
    ("44444-0005", &["01", "02"], "alphadol 10 MG tablet, film coated"),
    ("55555-0006", &["01"], "Betacor 5 mg tablet"),
];

/// RxNorm codes, the products that they are put on, and the text that names them.
pub(super) const RXCUIS: [(u32, &[usize], &str); 6] = [
    (101, &[0, 4], "alphadol 10 MG Oral Tablet"),
    (102, &[1], "alphadol 20 MG Oral Tablet"),
    (103, &[2, 5], "betacor 5 MG"),
    (104, &[0, 1, 4], "alphadol Oral Tablet"),
    (105, &[3], "gammalin 1 MG Extended Release Oral Tablet"),
    (106, &[], "deltavir 50 MG Oral Tablet"),
];

/// Ids of entries that Lists may name; some of them are never sent.
const ENTRY_IDS: u32 = 40;

const GUIDE: &str = "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition";
const GLOSSARY: &str = "https://payer.test/documentation/glossary";

/// A payer's resources, in no order.
pub(crate) fn payer() -> impl Strategy<Value = Vec<Value>> {
    let entries = vec(entry(), 0..50);
    let medications = vec(medication(), 0..6);
    let lists = vec(list(), 0..7);
    let offers = vec(insurance_plan(), 0..5);
    let padding = vec((0..PLANS.len(), 95_u32..210), 0..3);
    (entries, medications, lists, offers, padding).prop_map(|(entries, medications, lists, offers, padding)| {
        let mut resources: Vec<Value> = entries.into_iter().flatten().collect();
        resources.extend(medications);
        resources.extend(lists);
        resources.extend(offers);
        resources.extend(padding.into_iter().enumerate().flat_map(|(n, (plan, count))| padded(n, plan, count)));
        dated(resources)
    })
}

/// Each resource gets a date of its own, so that of several versions one is the newest, but for some
/// entries; the same line twice stays the same line.
fn dated(resources: Vec<Value>) -> Vec<Value> {
    let mut dates: BTreeMap<String, usize> = BTreeMap::new();
    resources
        .into_iter()
        .map(|mut resource| {
            let next = dates.len();
            let own = *dates.entry(resource.to_string()).or_insert(next);
            let date = if resource["resourceType"] == "MedicationKnowledge" { own / 8 * 8 } else { own };
            resource["meta"]["lastUpdated"] = json!(format!("2026-01-01T{:02}:{:02}:00Z", date / 60, date % 60));
            resource
        })
        .collect()
}

/// A List of so many entries that one or two missing ones are less than one in a hundred.
fn padded(nth: usize, plan: usize, count: u32) -> Vec<Value> {
    let ids: Vec<String> = (0..count).map(|n| format!("pad{nth}-{n}")).collect();
    let mut resources: Vec<Value> = ids
        .iter()
        .enumerate()
        .map(|(n, id)| {
            json!({
                "resourceType": "MedicationKnowledge", "id": id, "meta": {},
                "code": { "coding": [{ "system": format!("{GLOSSARY}/ndc11"), "code": format!("{:011}", 99_000_000_000 + n) }] },
                "extension": [
                    { "url": format!("{GUIDE}/usdf-PlanID-extension"), "valueString": PLANS[plan] },
                    { "url": format!("{GUIDE}/usdf-DrugTierID-extension"),
                      "valueCodeableConcept": { "coding": [{ "code": "1", "display": "Preferred Generic" }] } },
                ],
            })
        })
        .collect();
    resources.push(coverdex_tests::fhir::list(&format!("padding{nth}"), PLANS[plan], &ids));
    resources
}

/// Mostly the first, at times one of the others.
fn mostly<T: Clone + std::fmt::Debug + 'static>(first: T, others: Vec<T>) -> impl Strategy<Value = T> + Clone {
    prop_oneof![6 => Just(first), 1 => prop::sample::select(others)]
}

fn plan_spelled() -> impl Strategy<Value = (usize, Value)> + Clone {
    (0..PLANS.len(), 0_u8..8).prop_map(|(plan, how)| {
        let id = PLANS[plan];
        let spelled = match how {
            0 => id.to_lowercase(),
            1 => id.replace('-', " "),
            2 => format!(" {id} "),
            _ => id.to_owned(),
        };
        (plan, json!(spelled))
    })
}

/// One code or several, in the ways in which payers write them: codings and, at times, a text.
fn code() -> impl Strategy<Value = Value> + Clone {
    let package = (0..PRODUCTS.len(), any::<prop::sample::Index>(), 0_u8..6, any::<bool>());
    let several = (package.clone(), package.clone());
    let rx = vec(0..RXCUIS.len(), 0..3);
    prop_oneof![
        12 => (package, rx, any::<bool>(), 0_u8..12).prop_map(|((product, at, how, with_product), rx, with_text, odd)| {
            let packages = PRODUCTS[product].1;
            let mut codings = vec![package_coding(product, packages[at.index(packages.len())], how)];
            if with_product {
                codings.push(product_coding(product));
            }
            // Codes that fit the product, so that a code spans strengths only where it is a group.
            codings.extend(rx.into_iter().filter(|n| RXCUIS[*n].1.contains(&product)).map(rxnorm_coding));
            finish(codings, with_text.then(|| PRODUCTS[product].2), odd)
        }),
        1 => several.prop_map(|((a, at_a, how_a, _), (b, at_b, how_b, _))| {
            let (of_a, of_b) = (PRODUCTS[a].1, PRODUCTS[b].1);
            let codings = vec![
                package_coding(a, of_a[at_a.index(of_a.len())], how_a),
                package_coding(b, of_b[at_b.index(of_b.len())], how_b),
            ];
            finish(codings, None, 9)
        }),
        1 => (0..PRODUCTS.len(), any::<bool>()).prop_map(|(product, with_text)| {
            finish(vec![product_coding(product)], with_text.then(|| PRODUCTS[product].2), 9)
        }),
        2 => (vec(0..RXCUIS.len(), 1..3), any::<bool>()).prop_map(|(codes, with_text)| {
            let text = (codes.len() == 1 && with_text).then(|| RXCUIS[codes[0]].2);
            finish(codes.into_iter().map(rxnorm_coding).collect(), text, 9)
        }),
        1 => prop::sample::select(vec![
            json!(null),
            json!(17),
            json!({ "coding": [] }),
            json!({ "coding": [{ "system": format!("{GLOSSARY}/ndc11"), "code": "undefined" }] }),
            json!({ "coding": [{ "system": RXNORM, "code": "n/a" }], "text": "Something 5 mg tablet" }),
            json!({ "coding": [{ "code": "123456" }, { "system": format!("{GLOSSARY}/formularyDrugKey"), "code": "9" }] }),
        ]),
    ]
}

fn package_coding(product: usize, package: &str, how: u8) -> Value {
    let (product, ..) = PRODUCTS[product];
    let (labeler, code) = product.split_once('-').unwrap();
    let eleven = format!("{labeler}{code}{package}");
    match how {
        0 => json!({ "system": "http://hl7.org/fhir/sid/ndc", "code": eleven }),
        1 => json!({ "system": "http://hl7.org/fhir/sid/ndc", "code": format!("{labeler}-{code}-{package}") }),
        2 => json!({ "code": eleven }),
        3 => json!({ "system": format!("{GLOSSARY}/NDC11"), "code": eleven.parse::<u64>().unwrap() }),
        _ => json!({ "system": format!("{GLOSSARY}/ndc11"), "code": eleven }),
    }
}

fn product_coding(product: usize) -> Value {
    json!({ "system": format!("{GLOSSARY}/product_ndc"), "code": PRODUCTS[product].0 })
}

fn rxnorm_coding(nth: usize) -> Value {
    let code = RXCUIS[nth].0;
    if nth == 2 {
        json!({ "system": RXNORM, "code": code })
    } else {
        json!({ "system": RXNORM, "code": code.to_string() })
    }
}

fn finish(mut codings: Vec<Value>, text: Option<&str>, odd: u8) -> Value {
    match odd {
        0 => codings.reverse(),
        1 => codings.push(json!({ "system": format!("{GLOSSARY}/ndc11"), "code": "" })),
        2 => codings.push(json!(null)),
        _ => {}
    }
    let coding = if codings.len() == 1 && odd == 3 { codings.remove(0) } else { json!(codings) };
    match text {
        Some(text) => json!({ "coding": coding, "text": text }),
        None if odd == 4 => json!({ "coding": coding, "text": null }),
        None => json!({ "coding": coding }),
    }
}

fn flag(name: &'static str) -> impl Strategy<Value = Vec<Value>> + Clone {
    let values = vec![
        json!(true),
        json!(null),
        json!("true"),
        json!("FALSE"),
        json!(1),
        json!(0),
        json!("maybe"),
        json!(""),
        json!([true]),
        json!(2.5),
    ];
    let one = mostly(json!(false), values)
        .prop_map(move |value| json!({ "url": format!("{GUIDE}/usdf-{name}-extension"), "valueBoolean": value }));
    prop_oneof![1 => Just(Vec::new()), 12 => one.clone().prop_map(|one| vec![one]), 1 => vec(one, 2)]
}

fn tiers() -> impl Strategy<Value = Vec<Value>> + Clone {
    const TIERS: [(&str, &str); 9] = [
        ("0", "Non-Formulary Drug"),
        ("1", "Preferred Generic"),
        ("2", "Generic"),
        ("3", "Tier 3"),
        ("SP", "Specialty Select"),
        ("NF", "Excluded Drug"),
        ("7", "Off-Formulary"),
        ("Z", "Ask the plan"),
        ("NC", "Preferred Brand"),
    ];
    // Without their words these would mean something else.
    const NEED_WORDS: [&str; 3] = ["SP", "7", "NC"];
    let coding = (0..TIERS.len(), 0_u8..8).prop_map(|(tier, how)| {
        let (code, display) = TIERS[tier];
        match how {
            0 if !NEED_WORDS.contains(&code) => json!({ "code": code }),
            1 if code.len() == 1 && code != "Z" => json!({ "code": code.parse::<u8>().unwrap(), "display": display }),
            2 => json!({ "system": format!("{GLOSSARY}/DrugTierID"), "code": code, "display": display }),
            _ => json!({ "code": code, "display": display }),
        }
    });
    let extension = |concept: Value| json!({ "url": format!("{GUIDE}/usdf-DrugTierID-extension"), "valueCodeableConcept": concept });
    prop_oneof![
        1 => Just(Vec::new()),
        1 => Just(vec![extension(json!({ "coding": [{ "display": null }] }))]),
        1 => vec(coding.clone(), 2).prop_map(move |codings| vec![extension(json!({ "coding": codings }))]),
        1 => coding.clone().prop_map(move |coding| vec![extension(json!({ "coding": coding }))]),
        12 => coding.prop_map(move |coding| vec![extension(json!({ "coding": [coding] }))]),
    ]
}

fn plan_ids() -> impl Strategy<Value = Vec<Value>> + Clone {
    let one = plan_spelled()
        .prop_map(|(_, id)| json!({ "url": format!("{GUIDE}/usdf-PlanID-extension"), "valueString": id }));
    prop_oneof![
        2 => Just(Vec::new()),
        12 => one.clone().prop_map(|one| vec![one]),
        1 => vec(one, 2),
        1 => Just(vec![json!({ "url": format!("{GUIDE}/usdf-PlanID-extension"), "valueString": "PlanID" })]),
    ]
}

/// An entry, at times in several versions, of which the newest counts, at times the same line twice.
fn entry() -> impl Strategy<Value = Vec<Value>> {
    let status = mostly(
        json!("active"),
        vec![json!(null), json!("inactive"), json!("entered-in-error"), json!("Inactive"), json!("sleeping")],
    );
    let flags = (flag("PriorAuthorization"), flag("StepTherapyLimit"), flag("QuantityLimit"));
    let version = (code(), tiers(), flags, plan_ids(), status, any::<bool>());
    let versions = prop_oneof![8 => vec(version.clone(), 1), 1 => vec(version, 2)];
    (prop::option::weighted(0.97, 0..ENTRY_IDS), versions, 0_u8..12).prop_map(|(id, versions, odd)| {
        let mut resources = Vec::new();
        for (n, (code, tiers, (pa, st, ql), plans, status, reversed)) in versions.into_iter().enumerate() {
            let mut extensions: Vec<Value> = [tiers, pa, st, ql, plans].into_iter().flatten().collect();
            if reversed {
                extensions.reverse();
            }
            let mut resource = Map::new();
            resource.insert("resourceType".to_owned(), json!("MedicationKnowledge"));
            if let Some(id) = id {
                resource.insert("id".to_owned(), json!(format!("e{id}")));
            }
            resource.insert("meta".to_owned(), json!({ "versionId": n.to_string() }));
            resource.insert("code".to_owned(), code);
            resource.insert("extension".to_owned(), json!(extensions));
            if !status.is_null() {
                resource.insert("status".to_owned(), status);
            }
            resources.push(Value::Object(resource));
        }
        if odd == 0 {
            resources.extend(resources.clone());
        }
        resources
    })
}

fn medication() -> impl Strategy<Value = Value> {
    (0_u32..8, code(), mostly("active", vec!["entered-in-error", "inactive"])).prop_map(|(id, code, status)| {
        json!({ "resourceType": "Medication", "id": format!("m{id}"), "meta": {}, "code": code, "status": status })
    })
}

fn list() -> impl Strategy<Value = Value> {
    let target = (0..ENTRY_IDS + 1, 0_u8..24).prop_map(|(id, how)| match how {
        0 => json!({ "item": { "reference": format!("https://payer.test/api/MedicationKnowledge/e{id}") } }),
        1 => json!({ "item": { "reference": format!("MedicationKnowledge/e{id}/_history/3") } }),
        2 => json!({ "item": { "reference": format!("e{id}") } }),
        3 => json!({ "item": { "display": "not available" } }),
        4 => json!({ "item": { "reference": format!("Medication/e{id}") } }),
        5 => json!({ "deleted": true, "item": { "reference": format!("MedicationKnowledge/e{id}") } }),
        6 => json!(null),
        _ => json!({ "item": { "reference": format!("MedicationKnowledge/e{id}") } }),
    });
    let identifier = prop_oneof![
        10 => plan_spelled().prop_map(|(_, id)| json!([{ "system": format!("{GLOSSARY}/PlanId"), "value": id }])),
        1 => plan_spelled().prop_map(|(_, id)| json!({ "value": id })),
        1 => Just(json!([{ "value": "HIOS-PLAN-ID" }])),
        1 => Just(json!(null)),
    ];
    (0_u32..9, identifier, vec(target, 0..30), mostly("current", vec!["retired", "entered-in-error"])).prop_map(
        |(id, identifier, entries, status)| {
            json!({
                "resourceType": "List",
                "id": format!("l{id}"),
                "meta": { "profile": [format!("{GUIDE}/usdf-CoveragePlan")] },
                "identifier": identifier,
                "status": status,
                "entry": entries,
            })
        },
    )
}

fn insurance_plan() -> impl Strategy<Value = Value> {
    let kinds = vec![json!({ "coding": [{ "code": "MA" }] }), json!({ "text": "MA" }), json!(null)];
    let kind = prop_oneof![1 => Just(json!({ "coding": [{ "code": "MA-PD" }] })), 1 => prop::sample::select(kinds)];
    let inner =
        (plan_spelled(), kind).prop_map(|((_, id), kind)| json!({ "identifier": [{ "value": id }], "type": kind }));
    (0_u32..9, vec(inner, 1..3), mostly("active", vec!["retired"]), any::<bool>()).prop_map(
        |(id, plans, status, with_market)| {
            let mut resource = json!({
                "resourceType": "InsurancePlan", "id": format!("p{id}"), "meta": {}, "status": status,
                "name": format!("Plan {id}"), "plan": plans,
            });
            if with_market {
                resource["type"] = json!([{ "text": "Medicare Individual" }]);
            }
            resource
        },
    )
}
