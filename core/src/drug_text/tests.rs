//! Texts of payers and people, read and held against each other.

use std::collections::BTreeSet;

use super::{DrugText, Fit, Named, Question, merge};

fn parts(text: &str) -> [String; 4] {
    let text = DrugText::parse(text);
    [text.name, text.strength.unwrap_or_default(), text.form.unwrap_or_default(), text.brand.unwrap_or_default()]
}

fn identity(text: &str) -> String {
    DrugText::parse(text).alone().encode()
}

#[test]
fn texts_are_taken_apart_as_written() {
    for (text, want) in [
        ("Strattera 18 mg capsule", ["Strattera", "18 mg", "capsule", ""]),
        ("Amyvid 51 mCi/mL injection,solution", ["Amyvid", "51 mCi/mL", "injection,solution", ""]),
        ("Hailey 1.5/30 1.5-0.03 mg tablet", ["Hailey 1.5/30", "1.5-0.03 mg", "tablet", ""]),
        (
            "Trichophyton 20000 [PNU]/mL injection,solution",
            ["Trichophyton", "20000 [PNU]/mL", "injection,solution", ""],
        ),
        ("Claritin-D 24 Hour 240-10 mg tablet", ["Claritin-D 24 Hour", "240-10 mg", "tablet", ""]),
        ("atorvastatin 20 MG Oral Tablet [Lipitor]", ["Lipitor", "20 MG", "Oral Tablet", "Lipitor"]),
        (
            "losartan 50 mg-hydrochlorothiazide 12.5 mg tablet",
            ["losartan-hydrochlorothiazide", "50-12.5 mg", "tablet", ""],
        ),
        ("atorvastatin 20mg", ["atorvastatin", "20mg", "", ""]),
        ("Hydrocortisone 2.5% cream", ["Hydrocortisone", "2.5%", "cream", ""]),
        ("Vitamin B 12", ["Vitamin B 12", "", "", ""]),
        ("JANUVIA", ["JANUVIA", "", "", ""]),
        ("AMLODIPINE BESYLATE 5 mg 5 mg tablet", ["AMLODIPINE BESYLATE", "5 mg", "tablet", ""]),
        ("", ["", "", "", ""]),
    ] {
        assert_eq!(parts(text), want.map(str::to_owned), "{text}");
    }
}

#[test]
fn one_drug_has_one_identity_in_every_style() {
    for same in [
        [
            "Losartan Potassium and Hydrochlorothiazide 50-12.5 mg tablet, film coated",
            "losartan potassium 50 mg-hydrochlorothiazide 12.5 mg tablet",
            "hydrochlorothiazide 12.5 MG / losartan potassium 50 MG Oral Tablet",
            "LOSARTAN POT/HCTZ 50-12.5 MG TAB",
        ],
        [
            "metoprolol succinate ER 50 mg tablet,extended release 24 hr",
            "24 HR metoprolol succinate 50 MG Extended Release Oral Tablet",
            "METOPROLOL SUC TAB 50MG ER 24H",
            "Metoprolol Succinate 0.05 g tablet, film coated, extended release 24 hr",
        ],
        [
            "amoxicillin 250 mg/5 mL oral suspension",
            "Amoxicillin 50 mg/mL suspension",
            "AMOXICILLIN SUSP 250MG/5ML",
            "amoxicillin trihydrate 250 MG / 5 ML Oral Suspension",
        ],
        [
            "Trulicity 0.75 mg/0.5 mL subcutaneous pen injector",
            "0.5 ML dulaglutide 1.5 MG/ML Pen Injector [Trulicity]",
            "TRULICITY 0.75 MG/0.5 ML PEN INJECTOR",
            "Trulicity 1.5 mg/mL (0.5 mL) pen injector",
        ],
        [
            "amoxicillin 400 mg-potassium clavulanate 57 mg/5 mL oral suspension",
            "Amoxicillin and Clavulanate Potassium 400-57 mg/5mL suspension",
            "amoxicillin 80 MG/ML / clavulanate potassium 11.4 MG/ML Oral Suspension",
            "AMOXICILLIN/CLAVULANATE POT 400-57 MG/5ML SUSP",
        ],
        [
            "albuterol sulfate HFA 90 mcg/actuation aerosol inhaler",
            "albuterol sulfate 0.09 MG/ACTUAT Metered Dose Inhaler HFA",
            "ALBUTEROL SULFATE HFA 90 MCG/ACT MDI",
            "Albuterol Sulfate HFA 0.09 mg/actuation aerosol, metered",
        ],
    ] {
        let identities: Vec<String> = same.iter().map(|text| identity(text)).collect();
        assert!(identities.iter().all(|other| *other == identities[0]), "{same:?}\n{identities:#?}");
    }
}

#[test]
fn different_drugs_have_different_identities() {
    for (a, b) in [
        ("bupropion XL 150 mg tablet", "bupropion SR 150 mg tablet"),
        ("bupropion XL 150 mg tablet,extended release 24 hr", "bupropion 150 mg tablet,extended release 24 hr"),
        ("metoprolol tartrate 50 mg tablet", "metoprolol succinate 50 mg tablet"),
        ("amlodipine 5 mg tablet", "amlodipine 5 mg-atorvastatin 20 mg tablet"),
        ("benzapril-amlodol 5-10 mg tablet", "benzapril-amlodol 10-5 mg tablet"),
        ("diazepam 5 mg tablet", "diazepam 5 mg/mL solution"),
        ("enoxaparin 40 mg/0.4 mL syringe", "enoxaparin 60 mg/0.6 mL syringe"),
        ("clobetasol 0.5 mg/g gel", "clobetasol 0.5 mg/mL gel"),
        ("buprenorphine-naloxone 8-2 mg film", "buprenorphine-naloxone 8-2 mg tablet"),
        ("guaifenesin 100 mg/5 mL liquid", "guaifenesin 100 mg/5 mL syrup"),
        ("Integra 125 mg capsule", "Integra Plus 125 mg capsule"),
        ("Vitamin A and D 1 % ointment", "Vitamin D 1 % ointment"),
        ("ondansetron 4 mg tablet", "ondansetron 4 mg tablet,disintegrating"),
        ("Lipitor 20 mg tablet", "atorvastatin 20 mg tablet"),
        ("estradiol 0.1 mg vaginal cream", "estradiol 0.1 mg cream"),
    ] {
        assert_ne!(identity(a), identity(b), "{a} / {b}");
    }
}

/// Which of the texts have one identity once they are a catalogue.
fn merged(texts: &[&str]) -> Vec<usize> {
    let read: Vec<DrugText> = texts.iter().map(|text| DrugText::parse(text)).collect();
    let merged = merge(&read.iter().collect::<Vec<_>>());
    merged.iter().map(|own| merged.iter().position(|other| other == own).unwrap()).collect()
}

#[test]
fn what_a_text_leaves_open_is_taken_where_only_one_value_is_known() {
    for (texts, want) in [
        // A salt, if there is one; a base that is a drug of its own keeps to itself.
        (vec!["Losartan 50 mg tablet", "losartan potassium 50 mg tablet"], vec![0, 0]),
        (vec!["naproxen 500 mg tablet", "naproxen sodium 500 mg tablet"], vec![0, 1]),
        (
            vec!["metoprolol 50 mg tablet", "metoprolol tartrate 50 mg tablet", "metoprolol succinate ER 50 mg tablet"],
            vec![0, 1, 2],
        ),
        (vec!["testosterone cypionate 100 mg/mL injection", "testosterone 100 mg/mL injection"], vec![0, 1]),
        // Hydrates.
        (vec!["azithromycin 250 mg tablet", "azithromycin dihydrate 250 mg tablet"], vec![0, 0]),
        (vec!["doxycycline hyclate 100 mg tablet", "doxycycline monohydrate 100 mg tablet"], vec![0, 1]),
        // Hours that are not said stay so.
        (vec!["metformin ER 500 mg tablet", "24 HR metformin 500 MG Extended Release Oral Tablet"], vec![0, 1]),
        (vec!["metformin ER 500 mg tablet", "METFORMIN HCL TAB 500MG ER"], vec![0, 0]),
        // What stands in parentheses tells products apart.
        (vec!["cyclosporine 25 mg capsule", "cyclosporine (modified) 25 mg capsule"], vec![0, 1]),
        (vec!["Ozempic 0.25 mg (2 mg/3 mL) pen", "Ozempic 0.25 mg (2 mg/1.5 mL) pen"], vec![0, 1]),
        (vec!["metformin ER 500 mg tablet,extended release (osmotic)", "metformin ER 500 mg tablet"], vec![0, 1]),
        (
            vec![
                "bupropion ER 150 mg tablet",
                "24 HR bupropion 150 MG Extended Release Oral Tablet",
                "bupropion SR 150 mg tablet",
            ],
            vec![0, 1, 2],
        ),
        // A percentage, a unit, a container.
        (vec!["clobetasol 0.05 % ointment", "clobetasol 0.5 mg/g ointment"], vec![0, 0]),
        (vec!["clobetasol 0.05 % gel", "clobetasol 0.5 mg/g gel", "clobetasol 0.5 mg/mL gel"], vec![0, 1, 2]),
        (vec!["lidocaine 2 % solution", "lidocaine 20 mg/mL solution"], vec![0, 0]),
        (vec!["LOSARTAN TAB 50", "losartan 50 mg tablet"], vec![0, 0]),
        (vec!["Lantus 100 unit/mL pen", "Lantus 100 unit/mL (3 mL) pen"], vec![0, 0]),
        // Names without a joint.
        (vec!["buprenorphine naloxone 8-2 mg film", "buprenorphine-naloxone 8-2 mg film"], vec![0, 0]),
        // A brand's strengths.
        (vec!["Percocet 5-325 mg tablet", "acetaminophen 325 MG / oxycodone 5 MG Oral Tablet [Percocet]"], vec![0, 0]),
        (vec!["Foobrand 5-10 mg tablet", "Foobrand 10-5 mg tablet"], vec![0, 1]),
    ] {
        assert_eq!(merged(&texts), want, "{texts:?}");
    }
}

fn fit(asked: &str, stated: &str) -> Fit {
    let text = DrugText::parse(stated);
    let aside: BTreeSet<String> = text.aside.clone();
    Question::read(asked).fit(Named { identity: &text.identity, aside: &aside })
}

#[test]
fn questions_fit_the_drug_that_they_name() {
    for (asked, stated) in [
        ("losartan 50 mg", "Losartan Potassium 50 mg tablet"),
        ("hydrochlorothiazide losartan 12.5-50", "losartan 50 mg-hydrochlorothiazide 12.5 mg tablet"),
        ("losartan hctz 50/12.5 mg tab", "losartan 50 mg-hydrochlorothiazide 12.5 mg tablet"),
        ("kcl er 20 meq", "potassium chloride ER 20 mEq tablet,extended release"),
        ("metformin 1 g", "metformin 1000 mg tablet"),
        ("levothyroxine 50", "levothyroxine 0.05 mg tablet"),
        ("lantus u-100", "Lantus Solostar U-100 Insulin 100 unit/mL (3 mL) subcutaneous pen"),
        ("lantus solostar", "Lantus Solostar U-100 Insulin 100 unit/mL (3 mL) subcutaneous pen"),
        ("lisinopril 10 mg 1 tab po daily", "lisinopril 10 mg tablet"),
        ("take 2 lisinopril 10 mg tablets by mouth every 24 hours", "lisinopril 10 mg tablet"),
        ("clobetasol ointment, 0.05%", "clobetasol propionate 0.05 % ointment"),
        ("ec aspirin 81 mg", "aspirin 81 mg tablet,delayed release"),
        ("percocet 325-5", "Percocet 5-325 mg tablet"),
        ("advair diskus 250-50", "Advair Diskus 250 mcg-50 mcg/dose powder for inhalation"),
        ("amoxicillin 250mg/5ml susp", "amoxicillin 250 mg/5 mL oral suspension"),
        ("clonazepam odt 0.5 mg", "clonazepam 500 mcg tablet, orally disintegrating"),
        ("asa ec 81 mg", "Aspirin enteric coated low dose 81 mg tablet, coated"),
        ("hailey 1.5/30", "Hailey 1.5/30 1.5-0.03 mg tablet"),
        ("potassium chloride er 20 meq tab", "potassium chloride 20 mEq tablet, extended release"),
        ("gabapentin 800 mg tablet,film coated", "Gabapentin 800 mg tablet, film coated"),
        ("metFORMIN (GLUCOPHAGE) 1,000 MG tablet", "metformin 1000 mg tablet"),
        ("Exondys 51 inj 50 mg/mL", "Exondys 51 50 mg/mL injection"),
        ("gallus gallus feather 50 mg/mL", "gallus gallus feather 50 mg/mL solution"),
        ("mometasone furoate monohydrate 50 mcg spray", "Mometasone Furoate Monohydrate 50 mcg spray, metered"),
        ("LIDOCAINE GEL 0.04G/G", "lidocaine 0.04 g/g topical gel"),
        ("nitrofurantoin 75 mg-nitrofurantoin 25 mg capsule", "NITROFURANTOIN/NITROFURANTOIN CAP 75-25 MG"),
    ] {
        assert_eq!(fit(asked, stated), Fit::Same, "{asked} of {stated}");
    }
}

#[test]
fn what_may_be_meant_is_offered() {
    for (asked, stated) in [
        ("diazepam 5 mg", "diazepam 5 mg/mL solution"),
        ("bupropion xl 150 mg", "bupropion 150 mg tablet,extended release"),
        ("losartan potassium 50 mg", "losartan 50 mg tablet"),
        ("januvia 100 mg tablet", "Januvia 100 mg"),
        ("farxiga 10 mg", "Farxiga"),
        ("exforge 5", "Exforge 5-160 mg tablet"),
        ("heparin 5000 units", "heparin 5000 unit/mL solution"),
        ("diphenhydramine 20 mg/mL gel", "diphenhydramine 2 % gel"),
        ("sodium bicarbonate 1 g powder", "sodium bicarbonate 1 g powder, for solution"),
        ("albuterol 2.5 mg/3 ml neb", "albuterol 2.5 mg/3 mL solution"),
        ("buprenorphine 8 mg sl tab", "buprenorphine 8 mg tablet"),
        ("bacitracin 500 unit/g solution", "bacitracin 500 unit/g injection, solution"),
    ] {
        assert_eq!(fit(asked, stated), Fit::MayBe, "{asked} of {stated}");
    }
}

#[test]
fn another_drug_never_fits() {
    for (asked, stated) in [
        ("wellbutrin xl 150 mg", "Wellbutrin SR 150 mg tablet,extended release 12 hr"),
        ("bupropion xl 150 mg", "bupropion 150 mg tablet,extended release 12 hr"),
        ("bupropion er 150 mg", "bupropion 150 mg tablet"),
        ("amlodipine 5 mg", "amlodipine 5 mg-atorvastatin 20 mg tablet"),
        ("metoprolol tartrate 50 mg", "metoprolol succinate 50 mg tablet"),
        ("lisinopril 10 mg", "lisinopril 20 mg tablet"),
        ("losartan hctz 12.5-50", "losartan 50 mg-hydrochlorothiazide 12.5 mg tablet"),
        ("vitamin d", "Vitamin A and D 1 % ointment"),
        ("integra", "Integra Plus 125 mg capsule"),
        ("buprenorphine naloxone 8-2 tablet", "buprenorphine-naloxone 8-2 mg film"),
        ("atorvastatin 20 mg", "Lipitor 20 mg tablet"),
        ("azithromycin 250 mg", "{6 (azithromycin 250 MG Oral Tablet) } Pack [Z-PAK]"),
        ("gabapentin 800 mg/800mg", "gabapentin 800 mg tablet"),
        ("chromium cr 1 mci", "chromium cr-51 1 mCi solution"),
        ("humalog 200 units/ml", "insulin lispro 100 UNT/ML Injectable Solution [Humalog]"),
    ] {
        assert_eq!(fit(asked, stated), Fit::No, "{asked} of {stated}");
    }
}

#[test]
fn identities_survive_the_dataset() {
    for text in [
        "losartan 50 mg-hydrochlorothiazide 12.5 mg tablet",
        "24 HR metoprolol succinate 50 MG Extended Release Oral Tablet [Toprol XL]",
        "enoxaparin 40 mg/0.7 mL syringe",
        "{6 (azithromycin 250 MG Oral Tablet) } Pack [Z-PAK]",
        "Hailey 1.5/30 1.5-0.03 mg tablet",
        "JANUVIA",
        "",
    ] {
        let identity = DrugText::parse(text).identity;
        assert_eq!(super::Identity::decode(&identity.encode()), Some(identity), "{text}");
    }
}
