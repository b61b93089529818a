//! What has the same ingredients inside a plan, which plans of a place cover a drug, and why an answer is what it is.

use coverdex_core::{
    Comparison, CoverageReason, CoverageStatus, DrugDifference, DrugOptions, ErrorKind, OptionsQuestion, PageToken,
    Place,
};
use coverdex_tests::Made;
use coverdex_tests::fhir::{Entry, entry, formulary, list, medication, plan};
use serde_json::{Value, json};

const PLAN: &str = "H1234-567-000-2026";

/// A plan of many kinds of one ingredient, and of drugs that only look like them.
fn payer() -> Made {
    let drug = |ndc: &str, text: &str| entry(ndc).ndc(ndc).text(text);
    let free = |entry: Entry| entry.flags(&json!(false), &json!(false), &json!(false));
    let mut resources = formulary(
        PLAN,
        &[
            free(drug("00001000101", "atorvastatin 20 MG Oral Tablet [Lipitor]")).tier("4", "Non-Preferred Drug"),
            free(drug("00002000101", "Atorvastatin Calcium 20 mg tablet")).tier("1", "Preferred Generic"),
            drug("00002000201", "Atorvastatin Calcium 40 mg tablet").tier("1", "Preferred Generic").flags(
                &json!(true),
                &json!(false),
                &json!(false),
            ),
            free(drug("00002000301", "Atorvastatin Calcium 80 mg tablet")).tier("0", "Non-Formulary"),
            free(drug("00002000401", "Atorvastatin Calcium 10 mg tablet")).tier("Z", "Ask the plan"),
            free(drug("00003000101", "amlodipine 5 mg-atorvastatin 20 mg tablet")).tier("1", "Preferred Generic"),
            free(drug("00004000101", "metoprolol tartrate 50 mg tablet")).tier("1", "Preferred Generic"),
            free(drug("00004000201", "metoprolol succinate ER 50 mg tablet, extended release 24 hr"))
                .tier("2", "Generic"),
            free(drug("00005000101", "potassium chloride 10 mEq tablet, extended release"))
                .tier("1", "Preferred Generic"),
            free(drug("00005000201", "potassium citrate 10 mEq tablet, extended release"))
                .tier("1", "Preferred Generic"),
            free(drug("00006000101", "Eliquis 5 mg tablet")).tier("3", "Preferred Brand"),
            free(drug("00006000201", "Eliquis 2.5 mg tablet")).tier("3", "Preferred Brand"),
        ],
    );
    resources.push(medication("M1").ndc("00002000501").text("Atorvastatin Calcium 20 mg capsule").json());
    resources.push(medication("M2").ndc("00002000102").text("Atorvastatin Calcium 20 mg tablet").json());
    Made::of(&resources)
}

fn options(made: &Made, drug: &str) -> DrugOptions {
    let mut found = made.dataset.same_ingredient(&OptionsQuestion::new(PLAN, drug)).unwrap();
    assert_eq!(found.len(), 1, "{drug}");
    found.remove(0)
}

/// Strength and name of each option with how it stands.
fn told(answer: &DrugOptions) -> Vec<(String, Comparison)> {
    let named = |option: &coverdex_core::DrugOption| {
        let line = &option.line;
        format!("{} {}", line.name, line.strength.as_deref().unwrap_or_default()).trim().to_owned()
    };
    answer.options.iter().map(|option| (named(option), option.comparison)).collect()
}

#[test]
fn a_brand_has_its_generics_better_first_and_nothing_else() {
    let made = payer();
    let answer = options(&made, "lipitor 20 mg");
    assert_eq!(answer.coverage.status, CoverageStatus::Covered);
    let wanted = [
        ("Atorvastatin Calcium 20 mg", Comparison::Better),
        ("Atorvastatin Calcium 40 mg", Comparison::Better),
        ("Atorvastatin Calcium 10 mg", Comparison::NotComparable),
        ("Atorvastatin Calcium 80 mg", Comparison::Worse),
    ];
    let wanted: Vec<(String, Comparison)> = wanted.map(|(name, standing)| (name.to_owned(), standing)).to_vec();
    assert_eq!(told(&answer), wanted);
    assert_eq!((answer.total, answer.better, answer.not_listed, &answer.next), (4, 2, 1, &None));
    let [first, second, third, fourth] = &answer.options[..] else { panic!("{answer:?}") };
    assert_eq!(first.why, "a lower tier, 1 Preferred Generic; what was asked for is in 4 Non-Preferred Drug");
    assert!(second.why.ends_with("; with prior authorization, which what was asked for has not"), "{}", second.why);
    assert!(third.why.starts_with("of this nobody can tell: unknown: listed in tier"), "{}", third.why);
    assert_eq!(fourth.why, "listed as not covered; what was asked for is covered");
    assert_eq!(first.differs, [DrugDifference::Name, DrugDifference::Salt]);
    assert_eq!(second.differs, [DrugDifference::Name, DrugDifference::Strength, DrugDifference::Salt]);
    assert_eq!(
        (first.ingredients[0].name.as_str(), first.ingredients[0].salts.as_slice()),
        ("atorvastatin", &["calcium".to_owned()][..])
    );
    assert!(answer.notes.iter().all(|note| !note.contains("same name")), "{:?}", answer.notes);
    // The plan does not list the capsule.
    let mut question = OptionsQuestion::new(PLAN, "lipitor 20 mg");
    question.not_listed = true;
    let all = made.dataset.same_ingredient(&question).unwrap().remove(0);
    assert_eq!((all.total, all.not_listed), (5, 1));
    let last = all.options.last().unwrap();
    assert_eq!(last.line.coverage.as_ref().unwrap().status, CoverageStatus::NotListed);
    assert!(last.differs.contains(&DrugDifference::Form), "{last:?}");
}

#[test]
fn a_generic_has_the_brand_and_no_combination() {
    let made = payer();
    let answer = options(&made, "atorvastatin 20 mg tablet");
    let brand = answer.options.iter().find(|option| option.line.brand.is_some()).unwrap();
    assert_eq!(brand.comparison, Comparison::Worse);
    assert_eq!(brand.line.ingredient.as_deref(), Some("atorvastatin"));
    assert!(told(&answer).iter().all(|(name, _)| !name.contains("amlodipine")), "{answer:?}");
    let combination = options(&made, "atorvastatin 20 mg-amlodipine 5 mg tablet");
    assert_eq!((combination.coverage.status, combination.total), (CoverageStatus::Covered, 0));
    assert_eq!(combination.ingredients.len(), 2);
}

#[test]
fn salts_are_shown_and_those_of_metals_are_ingredients() {
    let made = payer();
    let answer = options(&made, "metoprolol tartrate 50 mg");
    let [succinate] = &answer.options[..] else { panic!("{answer:?}") };
    assert_eq!(succinate.differs, [DrugDifference::Salt, DrugDifference::Release]);
    assert_eq!(succinate.ingredients[0].salts, ["succinate"]);
    assert_eq!(succinate.release.as_deref(), Some("extended release, 24 hours"));
    assert_eq!(succinate.comparison, Comparison::Worse);
    assert_eq!(options(&made, "potassium chloride 10 meq tablet extended release").total, 0);
}

#[test]
fn a_brand_without_its_ingredient_has_its_own_name_alone_and_says_so() {
    let made = payer();
    let answer = options(&made, "eliquis 5 mg");
    assert_eq!(told(&answer), [("Eliquis 2.5 mg".to_owned(), Comparison::Same)]);
    assert!(
        answer.notes.iter().any(|note| note.contains("only drugs of the same name were found")),
        "{:?}",
        answer.notes
    );
}

#[test]
fn a_package_has_the_other_packages_of_its_drug() {
    let made = payer();
    let answer = options(&made, "00002000102");
    assert_eq!(answer.coverage.status, CoverageStatus::NotListed);
    let first = &answer.options[0];
    assert_eq!((first.differs.len(), first.comparison), (0, Comparison::Better));
    assert_eq!(first.why, "covered; what was asked for is not listed");
}

#[test]
fn pages_follow_each_other_and_belong_to_their_question() {
    let made = payer();
    let whole = options(&made, "lipitor 20 mg");
    let mut question = OptionsQuestion::new(PLAN, "lipitor 20 mg");
    question.limit = 3;
    let first = made.dataset.same_ingredient(&question).unwrap().remove(0);
    question.page = first.next.clone();
    let second = made.dataset.same_ingredient(&question).unwrap().remove(0);
    assert_eq!((first.options.len(), second.options.len(), &second.next), (3, 1, &None));
    assert_eq!([first.options, second.options].concat(), whole.options);
    let other = OptionsQuestion { drug: "eliquis 5 mg".to_owned(), ..question.clone() };
    assert_eq!(made.dataset.same_ingredient(&other).unwrap_err().kind(), ErrorKind::InvalidInput);
    let wrong = OptionsQuestion { page: Some(PageToken::new("x.1")), ..question };
    assert_eq!(made.dataset.same_ingredient(&wrong).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_drug_that_is_several_or_none_has_candidates() {
    let made = payer();
    let several = options(&made, "metoprolol");
    assert_eq!((several.coverage.status, several.total), (CoverageStatus::Ambiguous, 0));
    assert!(several.drug.candidates.len() > 1, "{several:?}");
    assert_eq!(options(&made, "no such drug").coverage.status, CoverageStatus::NotFound);
    let error = made.dataset.same_ingredient(&OptionsQuestion::new("H9999-999", "lipitor")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_cancelled_question_ends() {
    let made = payer();
    let cancel = coverdex_core::Cancel::new();
    let dataset = made.dataset.cancelled_by(&cancel);
    cancel.cancel();
    let error = dataset.same_ingredient(&OptionsQuestion::new(PLAN, "lipitor 20 mg")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

/// Which condition decided, and what it says.
fn decided(made: &Made, drug: &str) -> (String, String) {
    let explained = made.dataset.explain_coverage(PLAN, drug, None).unwrap().remove(0);
    let mut decided = explained.conditions.into_iter().filter(|condition| condition.decided);
    let one = decided.next().unwrap();
    assert!(decided.next().is_none(), "{drug}");
    (one.name, one.says)
}

#[test]
fn explanations_name_what_decided() {
    let made = payer();
    let said = |drug: &str| {
        let (name, says) = decided(&made, drug);
        format!("{name}: {says}")
    };
    assert_eq!(said("lipitor 20 mg"), "tier: yes");
    assert_eq!(said("atorvastatin 80 mg"), "tier: no: it is listed in a tier that is not covered");
    assert_eq!(said("atorvastatin 10 mg"), "tier: it does not say");
    assert_eq!(said("metoprolol"), "drug: several drugs fit: say which is meant");
    assert_eq!(said("no such drug"), "drug: no drug fits");
    assert_eq!(said("00002000102"), "packages: none of 1");
    let explained = made.dataset.explain_coverage(PLAN, "lipitor 20 mg", None).unwrap().remove(0);
    let tier = explained.conditions.iter().find(|condition| condition.name == "tier").unwrap();
    assert_eq!(tier.details, ["tier 4 Non-Preferred Drug: covered, its words say so; level non preferred"]);
    let drug = explained.conditions.iter().find(|condition| condition.name == "drug").unwrap();
    assert!(
        drug.details
            .iter()
            .any(|detail| detail.starts_with("not meant: Atorvastatin Calcium 20 mg tablet (another name")),
        "{drug:?}"
    );
    assert_eq!(explained.codes.ndc11.len(), 1);
    assert_eq!(explained.sources, None);
}

#[test]
fn inactive_and_unreferenced_entries_decide() {
    let resources = [
        plan("P", PLAN, Some("MA-PD"), "Gold"),
        entry("E1")
            .ndc("00001000101")
            .text("lisinopril 10 mg tablet")
            .tier("1", "Generic")
            .status("entered-in-error")
            .json(),
        entry("E2").ndc("00001000201").text("lisinopril 20 mg tablet").tier("1", "Generic").plan(PLAN).json(),
        entry("E3").ndc("00001000301").text("lisinopril 30 mg tablet").tier("1", "Generic").json(),
        list("L", PLAN, &["E1", "E3"]),
    ];
    let made = Made::of(&resources);
    assert_eq!(decided(&made, "lisinopril 10 mg").0, "entries");
    assert_eq!(decided(&made, "lisinopril 20 mg").0, "entries");
    assert_eq!(decided(&made, "lisinopril 30 mg"), ("tier".to_owned(), "yes".to_owned()));
    let none = Made::of(&[plan("P", PLAN, Some("MA"), "Gold"), resources[1].clone()]);
    assert_eq!(decided(&none, "lisinopril 10 mg").0, "drug_list");
}

#[test]
fn plans_that_cover_a_drug_come_best_first() {
    let (one, two, three, four) =
        ("H1234-001-000-2026", "H1234-002-000-2026", "H1234-003-000-2026", "H1234-004-000-2026");
    let drug = |id: &str| entry(id).ndc("00001000101").text("lisinopril 10 mg tablet");
    let flags = |pa: bool| [json!(pa), json!(false), json!(false)];
    let of = |entry: Entry, [pa, st, ql]: [Value; 3]| entry.flags(&pa, &st, &ql);
    let mut resources = formulary(one, &[of(drug("a"), flags(true)).tier("1", "Preferred Generic")]);
    resources.extend(formulary(two, &[of(drug("b"), flags(false)).tier("3", "Preferred Brand")]));
    resources.extend(formulary(three, &[of(drug("c"), flags(false)).tier("1", "Preferred Generic")]));
    resources.extend(formulary(four, &[drug("d").tier("0", "Non-Formulary")]));
    for resource in resources.iter_mut().filter(|resource| resource["resourceType"] == "InsurancePlan") {
        resource["contained"] = json!([{
            "resourceType": "Location",
            "id": "area",
            "identifier": [
                { "system": "http://hl7.org/fhir/us/core/ValueSet/us-core-usps-state", "value": "MD" },
                { "system": "https://payer.test/documentation/glossary/County", "value": "Baltimore city" },
            ],
        }]);
        resource["coverageArea"] = json!([{ "reference": "#area" }]);
    }
    let made = Made::of(&resources);
    let place = Place::County("24510".to_owned());
    let answer = made.dataset.plans_covering("lisinopril 10 mg", &place, None, None).unwrap();
    let plans: Vec<String> = answer.plans.iter().map(|covering| covering.plan.id.to_string()).collect();
    let others: Vec<(CoverageStatus, Option<CoverageReason>, usize)> =
        answer.others.iter().map(|count| (count.status, count.reason, count.plans.len())).collect();
    assert_eq!(plans, [three, two, one]);
    assert_eq!(others, [(CoverageStatus::NotCovered, None, 1)]);
    assert_eq!(answer.year, Some(2026));
    let error =
        made.dataset.plans_covering("lisinopril", &Place::Point("39.2,-76.6".to_owned()), None, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}
