//! Drugs asked for in words: what answers, what never answers, what is left open.

use coverdex_core::{Drug, Resolution};
use coverdex_tests::Made;
use coverdex_tests::fhir::{entry, formulary};

const PLAN: &str = "H1234-001-000-2026";

/// A formulary of these texts, each with a product and package of its own.
fn made(texts: &[&str]) -> Made {
    let entries: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| entry("e").ndc(&format!("{:09}01", 111_110_001 + n)).text(text).tier("1", "Generic"))
        .collect();
    Made::of(&formulary(PLAN, &entries))
}

/// What a text means: the texts that answer, or the resolution and its candidates.
fn meant(texts: &[&str], question: &str) -> Vec<String> {
    let made = made(texts);
    let drug = made.drug(question);
    match drug.resolution() {
        Resolution::Found => made
            .packages(PLAN, question)
            .into_iter()
            .map(|package| {
                let number = usize::try_from(package.ndc11.unwrap().number() / 100).unwrap() - 111_110_001;
                texts[number].to_owned()
            })
            .collect(),
        Resolution::NotFound => vec!["not found".to_owned()],
        Resolution::Ambiguous => candidates("ambiguous", &drug),
        _ => vec!["never seen".to_owned()],
    }
}

fn candidates(how: &str, drug: &Drug) -> Vec<String> {
    std::iter::once(how.to_owned()).chain(drug.candidates().iter().map(|c| c.name.clone())).collect()
}

#[test]
fn salts_that_do_not_compete_are_one_drug() {
    let statins = ["Atorvastatin Calcium 20 mg tablet, film coated", "Atorvastatin 20 mg tablet"];
    for question in [
        "atorvastatin 20 mg",
        "Atorvastatin Calcium 20 mg",
        "ATORVASTATIN 20MG TABLET",
        "atorvastatin 20 MG Oral Tablet",
        "atorvastatin tablet 20 mg",
        "20 mg atorvastatin",
        "atorvastatin",
    ] {
        assert_eq!(meant(&statins, question), statins, "{question}");
    }
}

#[test]
fn salts_that_compete_are_several_drugs() {
    let texts = [
        "Testosterone Cypionate 100 mg/mL injection, solution",
        "Testosterone Enanthate 100 mg/mL injection, solution",
    ];
    assert_eq!(
        meant(&texts, "testosterone 100 mg/mL"),
        [
            "ambiguous",
            "Testosterone Cypionate 100 mg/mL injection, solution",
            "Testosterone Enanthate 100 mg/mL injection, solution",
        ]
    );
    assert_eq!(meant(&texts, "testosterone cypionate 100 mg/mL"), texts[..1]);
    assert_eq!(meant(&texts, "testosterone enanthate"), texts[1..]);
}

#[test]
fn a_text_without_a_release_word_means_the_plain_form() {
    let texts = [
        "Metformin Hydrochloride 500 mg tablet",
        "Metformin 500 mg tablet, film coated",
        "Metformin Hydrochloride 500 mg tablet, extended release",
        "Metformin ER 500 mg tablet",
    ];
    for question in ["metformin 500 mg", "metformin hcl 500 mg tablet"] {
        assert_eq!(meant(&texts, question), texts[..2], "{question}");
    }
    for question in ["metformin er 500 mg", "metformin 500 mg extended release tablet", "metformin 500 mg e/r"] {
        assert_eq!(meant(&texts, question), texts[2..], "{question}");
    }
    // A suffix that no name carries: the extended release may be it.
    assert_eq!(meant(&texts, "metformin xr 500 mg"), ["ambiguous", texts[3]]);
}

#[test]
fn a_text_without_a_release_word_is_open_where_there_is_no_plain_form() {
    let one = ["Bupropion 150 mg tablet, extended release"];
    assert_eq!(meant(&one, "bupropion 150 mg"), ["ambiguous", one[0]]);
    assert_eq!(meant(&one, "bupropion xl 150 mg"), ["ambiguous", one[0]]);
    assert_eq!(meant(&one, "bupropion er 150 mg"), one);
    let two = ["Omeprazole 20 mg capsule, delayed release", "Omeprazole 20 mg tablet, orally disintegrating"];
    assert_eq!(meant(&two, "omeprazole 20 mg"), ["ambiguous", two[0], two[1]]);
    assert_eq!(meant(&two, "omeprazole dr 20 mg"), two[..1]);
    assert_eq!(meant(&two, "omeprazole odt 20 mg"), two[1..]);
}

#[test]
fn another_strength_never_answers() {
    for (texts, question) in [
        (["Lisinopril 20 mg tablet"], "lisinopril 10 mg"),
        (["Lisinopril 20 mg tablet"], "lisinopril 2 mg"),
        (["Warfarin 10 mg tablet"], "warfarin 1 mg"),
        (["Morphine 20 mg/10 mL solution"], "morphine 10 mg"),
        (["Morphine 10 mg/5 mL solution"], "morphine 5 mg"),
        (["Amoxicillin 250 mg/5 mL suspension"], "amoxicillin 5 mg"),
        (["Fentanyl 100 mcg/hr patch"], "fentanyl 100 mg"),
        (["Levothyroxine 0.1 mg tablet"], "levothyroxine 1 mg"),
        (["Percocet 5-325 mg tablet"], "percocet 325 mg"),
    ] {
        assert_eq!(meant(&texts, question), ["not found"], "{question} of {texts:?}");
    }
    let several = ["Lisinopril 10 mg tablet", "Lisinopril 20 mg tablet", "Lisinopril 2.5 mg tablet"];
    assert_eq!(meant(&several, "lisinopril 10 mg"), several[..1]);
    assert_eq!(meant(&several, "lisinopril 20"), several[1..2]);
    assert_eq!(meant(&several, "lisinopril 2.50mg"), several[2..]);
    assert_eq!(meant(&several, "lisinopril"), ["ambiguous", several[2], several[0], several[1]]);
}

#[test]
fn strengths_are_read_in_every_spelling() {
    for (text, questions) in [
        ("Lisinopril 2.5 mg tablet", vec!["lisinopril 2.50 mg", "lisinopril 2.5mg", "Lisinopril 2.5"]),
        (
            "Levothyroxine 50 mcg tablet",
            vec!["levothyroxine 50 µg", "levothyroxine 50 micrograms", "levothyroxine 50ug"],
        ),
        ("Insulin Glargine 100 unt/mL injection", vec!["insulin glargine 100 units/mL", "insulin glargine 100"]),
        ("Percocet 5-325 mg tablet", vec!["percocet 5-325 mg", "percocet 5-325", "percocet 5/325"]),
        ("Heparin 1,000 unt/mL injection", vec!["heparin 1000 units/ml", "heparin 1,000 u/mL"]),
    ] {
        for question in questions {
            assert_eq!(meant(&[text], question), [text], "{question}");
        }
    }
}

#[test]
fn brands_and_generics_never_answer_for_each_other() {
    let brand = "Lipitor 20 mg tablet, film coated";
    let generic = "Atorvastatin Calcium 20 mg tablet";
    let rxnorm_brand = "atorvastatin 20 MG Oral Tablet [Lipitor]";
    assert_eq!(meant(&[brand, generic], "atorvastatin 20 mg"), [generic]);
    assert_eq!(meant(&[brand, generic], "lipitor 20 mg"), [brand]);
    assert_eq!(meant(&[generic], "lipitor 20 mg"), ["not found"]);
    assert_eq!(meant(&[brand], "atorvastatin 20 mg"), ["not found"]);
    // Also where the payer says what the brand's ingredient is.
    assert_eq!(meant(&[rxnorm_brand, generic], "atorvastatin 20 mg"), [generic]);
    assert_eq!(meant(&[rxnorm_brand], "atorvastatin 20 mg"), ["not found"]);
    assert_eq!(meant(&[rxnorm_brand, generic], "lipitor 20 mg"), [rxnorm_brand]);
    assert_eq!(meant(&[rxnorm_brand, generic], rxnorm_brand), [rxnorm_brand]);
}

#[test]
fn a_drug_that_is_not_there_offers_what_is() {
    let made = made(&["Lisinopril 20 mg tablet", "Lipitor 20 mg tablet", "Esomeprazole 20 mg capsule"]);
    for (question, offered) in [
        ("lisinoprl 20 mg", "Lisinopril 20 mg tablet"),
        ("lipitro 20 mg", "Lipitor 20 mg tablet"),
        ("esomeprazol", "Esomeprazole 20 mg capsule"),
    ] {
        let drug = made.drug(question);
        assert_eq!(drug.resolution(), Resolution::NotFound, "{question}");
        assert_eq!(drug.candidates()[0].name, offered, "{question}");
        assert_eq!(drug.candidates()[0].product_ndcs.len(), 1);
        assert_eq!(made.says(PLAN, question), "not_found");
        assert!(made.packages(PLAN, question).is_empty());
    }
    for question in ["omeprazole 20 mg", "xyzzy", "tablet", "20 mg", "mg", "-", "lisinopril 20 mg cream", "?!"] {
        assert_eq!(made.says(PLAN, question), "not_found", "{question}");
    }
}

#[test]
fn combinations_never_answer_for_a_part() {
    let texts = [
        "Amlodipine Besylate 5 mg tablet",
        "Amlodipine Besylate and Benazepril Hydrochloride 5-10 mg capsule",
        "amlodipine 5 MG / valsartan 160 MG Oral Tablet",
        "Lisinopril and Hydrochlorothiazide 20-12.5 mg tablet",
    ];
    assert_eq!(meant(&texts, "amlodipine 5 mg"), texts[..1]);
    assert_eq!(meant(&texts, "amlodipine and benazepril 5-10 mg"), texts[1..2]);
    assert_eq!(meant(&texts, "amlodipine/benazepril 5-10"), texts[1..2]);
    assert_eq!(meant(&texts, "amlodipine valsartan 5 mg 160 mg"), texts[2..3]);
    assert_eq!(meant(&texts, "lisinopril 20 mg"), ["not found"]);
    assert_eq!(meant(&texts, "benazepril 10 mg"), ["not found"]);
}

#[test]
fn forms_that_differ_are_left_open() {
    let texts = ["Lidocaine 5% ointment", "Lidocaine 5% patch"];
    assert_eq!(meant(&texts, "lidocaine 5%"), ["ambiguous", texts[0], texts[1]]);
    assert_eq!(meant(&texts, "lidocaine 5 % patch"), texts[1..]);
    let coated = ["Ibuprofen 600 mg tablet", "Ibuprofen 600 mg tablet, film coated", "Ibuprofen 600 mg tablet, coated"];
    assert_eq!(meant(&coated, "ibuprofen 600 mg"), coated);
    let chewable = ["Montelukast 10 mg tablet", "Montelukast 10 mg tablet, chewable"];
    assert_eq!(meant(&chewable, "montelukast 10 mg"), chewable[..1]);
    assert_eq!(meant(&chewable, "montelukast chewable 10 mg"), chewable[1..]);
}

#[test]
fn an_ambiguous_text_is_a_status_and_not_an_error() {
    let made = made(&["Lisinopril 10 mg tablet", "Lisinopril 20 mg tablet"]);
    assert_eq!(made.says(PLAN, "lisinopril"), "ambiguous");
    assert!(made.coverage(PLAN, "lisinopril").seen_anywhere);
    assert!(made.packages(PLAN, "lisinopril").is_empty());
}

#[test]
fn names_that_are_borrowed_are_names() {
    let plan = "H1234-002-000-2026";
    let mut resources = formulary(
        PLAN,
        &[entry("a").ndc("11111000101").text("Lisinopril 10 mg tablet").rxcui(314_076).tier("1", "Generic")],
    );
    resources.extend(formulary(
        plan,
        &[
            entry("b").ndc("11111000101").tier("2", "Generic"),
            entry("c").ndc("11111000102").tier("2", "Generic"),
            entry("d").ndc("22222000101").rxcui(314_076).tier("2", "Generic"),
            entry("e").ndc("33333000101").tier("2", "Generic"),
        ],
    ));
    let made = Made::of(&resources);
    let named: Vec<String> =
        made.packages(plan, "lisinopril 10 mg").iter().map(|p| p.ndc11.unwrap().to_string()).collect();
    assert_eq!(named, ["11111000101", "11111000102", "22222000101"], "by NDC, by product, by RxNorm code");
    assert_eq!(made.says(plan, "33333000101"), "covered", "a package that nothing names is answered by its code");
    assert_eq!(made.packages(plan, "33333000101")[0].name, "");
}
