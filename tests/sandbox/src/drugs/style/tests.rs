use super::*;
use crate::drugs::Package;

/// Name, nonproprietary name, substances, strengths, form, route, brand.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str, bool);

const LOSARTAN: Row = (
    "Losartan Potassium and Hydrochlorothiazide",
    "Losartan Potassium and Hydrochlorothiazide",
    "HYDROCHLOROTHIAZIDE; LOSARTAN POTASSIUM",
    "12.5 mg; 50 mg",
    "tablet, film coated",
    "oral",
    false,
);
const TOPROL: Row = (
    "Toprol XL",
    "metoprolol succinate",
    "METOPROLOL SUCCINATE",
    "50 mg",
    "tablet, film coated, extended release",
    "oral",
    true,
);
const METFORMIN: Row = (
    "Metformin Hydrochloride",
    "Metformin Hydrochloride",
    "METFORMIN HYDROCHLORIDE",
    "500 mg",
    "tablet, extended release",
    "oral",
    false,
);
const BUPROPION: Row = (
    "Bupropion Hydrochloride (SR)",
    "bupropion hydrochloride",
    "BUPROPION HYDROCHLORIDE",
    "150 mg",
    "tablet, film coated, extended release",
    "oral",
    false,
);
const AMOXICILLIN: Row =
    ("Amoxicillin", "Amoxicillin", "AMOXICILLIN", "250 mg/5mL", "powder, for suspension", "oral", false);
const ALBUTEROL: Row =
    ("ProAir HFA", "Albuterol Sulfate", "ALBUTEROL SULFATE", "90 mcg", "aerosol, metered", "respiratory", false);
const TRULICITY: Row =
    ("Trulicity", "dulaglutide", "DULAGLUTIDE", ".75 mg/.5mL", "injection, solution", "subcutaneous", true);
const LEVOTHYROXINE: Row =
    ("Levothyroxine Sodium", "Levothyroxine Sodium", "LEVOTHYROXINE SODIUM", "0.05 mg", "tablet", "oral", false);
const CLOBETASOL: Row = (
    "Clobetasol Propionate",
    "Clobetasol Propionate",
    "CLOBETASOL PROPIONATE",
    "0.5 mg/g",
    "ointment",
    "topical",
    false,
);
const LANTUS: Row =
    ("Lantus", "insulin glargine", "INSULIN GLARGINE", "100 unit/mL", "injection, solution", "subcutaneous", true);

fn label(row: Row) -> Label<'static> {
    let (name, generic, substances, strengths, form, route, brand) = row;
    Label { name, generic, substances, strengths, form, route, brand }
}

/// All texts that a style has for a row, whatever it leaves open.
fn texts(style: Style, row: Row) -> BTreeSet<String> {
    let (label, writer) = (label(row), Writer::default());
    let facts = label.facts();
    (0..200).map(|key| writer.write_in(style, &label, facts.as_ref(), key).text).collect()
}

#[test]
fn every_style_has_its_words() {
    for (style, row, wanted) in [
        (Style::Label, LOSARTAN, "Losartan Potassium and Hydrochlorothiazide 50-12.5 mg tablet, film coated"),
        (Style::File, LOSARTAN, "losartan 50 mg-hydrochlorothiazide 12.5 mg tablet,film coated"),
        (Style::File, LOSARTAN, "losartan potassium 50 mg-hydrochlorothiazide 12.5 mg tablet,film coated"),
        (Style::Capitals, LOSARTAN, "LOSARTAN POT/HCTZ TAB 50-12.5"),
        (Style::Capitals, LOSARTAN, "LOSARTAN/HCTZ 50-12.5MG TAB"),
        (Style::RxNorm, LOSARTAN, "hydrochlorothiazide 12.5 MG / losartan potassium 50 MG Oral Tablet"),
        (Style::Joined, LOSARTAN, "Losartan Potassium and Hydrochlorothiazide 50-12.5 mg tablet, film coated"),
        (Style::File, TOPROL, "Toprol XL 50 mg tablet,film coated,extended release 24 hr"),
        (Style::Capitals, TOPROL, "TOPROL XL TAB 50MG"),
        (Style::RxNorm, TOPROL, "24 HR metoprolol succinate 50 MG Extended Release Oral Tablet [Toprol XL]"),
        (Style::File, METFORMIN, "metformin HCl ER 500 mg tablet,extended release"),
        (Style::Capitals, METFORMIN, "METFORMIN HCL TAB 500MG ER"),
        (Style::Capitals, METFORMIN, "METFORMIN HCL 500MG TAB ER"),
        (Style::Capitals, BUPROPION, "BUPROPION HCL TAB 150MG SR"),
        (Style::RxNorm, BUPROPION, "12 HR bupropion hydrochloride 150 MG Extended Release Oral Tablet"),
        (Style::File, AMOXICILLIN, "amoxicillin 250 mg/5 mL oral suspension"),
        (Style::RxNorm, AMOXICILLIN, "amoxicillin 50 MG/ML Oral Suspension"),
        (Style::File, ALBUTEROL, "albuterol sulfate HFA 90 mcg/actuation aerosol inhaler"),
        (Style::RxNorm, TRULICITY, "0.5 ML dulaglutide 1.5 MG/ML Injectable Solution [Trulicity]"),
        (Style::File, LEVOTHYROXINE, "levothyroxine 50 mcg tablet"),
        (Style::File, LEVOTHYROXINE, "levothyroxine sodium 0.05 mg tablet"),
        (Style::Small, LEVOTHYROXINE, "levothyroxine sodium 50 mcg tablet"),
        (Style::File, CLOBETASOL, "clobetasol propionate 0.05 % topical ointment"),
        (Style::RxNorm, CLOBETASOL, "clobetasol propionate 0.0005 MG/MG Topical Ointment"),
        (Style::Small, LANTUS, "lantus 100 [USP'U]/mL injection, solution"),
    ] {
        let texts = texts(style, row);
        assert!(texts.contains(wanted), "{style:?}: no {wanted:?} among {texts:#?}");
    }
}

#[test]
fn nothing_is_made_up() {
    for style in Style::SHARES.map(|(style, _)| style) {
        for text in texts(style, METFORMIN) {
            assert!(!text.contains("24") && !text.contains("XR"), "{text}");
        }
        for text in texts(style, LEVOTHYROXINE) {
            assert!(!text.to_uppercase().contains(" ER"), "{text}");
        }
    }
    // Where two salts are there, none is left out.
    let writer = Writer::of(["METOPROLOL SUCCINATE", "METOPROLOL TARTRATE"].into_iter());
    let (label, facts) = (label(TOPROL), label(TOPROL).facts());
    let generic = Label { name: "metoprolol succinate XL", brand: false, ..label };
    for style in [Style::File, Style::Capitals, Style::RxNorm, Style::Joined] {
        for key in 0..100 {
            let written = writer.write_in(style, &generic, generic.facts().as_ref(), key);
            assert_eq!(written.names_salt, [true], "{}", written.text);
            assert!(written.text.to_lowercase().contains("succ"), "{}", written.text);
        }
    }
    assert_eq!(writer.write_in(Style::File, &label, facts.as_ref(), 1).names_salt, [false], "a brand says no salt");
}

/// Every text of the table says the number of each strength, and the suffix, and that it is extended.
#[test]
fn texts_say_what_the_row_says() {
    let (mut styles, mut extended, mut unreadable) = (BTreeMap::new(), 0, 0);
    for index in (0..crate::drugs::table_len()).step_by(7) {
        let package = Package::of(index).unwrap();
        let Some(facts) = package.facts() else {
            unreadable += 1;
            continue;
        };
        let text = package.text(1);
        let lower = text.to_lowercase();
        assert!(!text.contains("  ") && text == text.trim(), "{text:?}");
        *styles.entry(Style::drawn(Draw::of(1 ^ 0x7374_796c, package.product().number().into()))).or_insert(0) += 1;
        if let Release::Extended(hours) = facts.release {
            extended += 1;
            let said = ["er", "xr", "xl", "sr", "cr", "la", "cd", "sa"].into_iter().any(|word| has_word(&lower, word));
            let said = said
                || ["extended", "controlled", "sustained", "prolonged", "timed"]
                    .iter()
                    .any(|word| lower.contains(word))
                || hours.is_some_and(|hours| lower.contains(&hours.to_string()));
            assert!(said, "{text} of {package:?}");
        }
        if let Some(suffix) = facts.suffix {
            let word = suffix.as_str().to_lowercase();
            let hours = suffix.hours().map(|hours| format!("{hours} hr"));
            assert!(
                has_word(&lower, &word) || hours.is_some_and(|hours| lower.contains(&hours)),
                "{text} of {package:?}"
            );
        }
        for (ingredient, named) in facts.ingredients.iter().zip(&package.written(1).names_salt) {
            let word = ingredient.salt.as_deref().and_then(|salt| salt.split(' ').next()).unwrap_or_default();
            let shows = lower.contains(&word.to_lowercase()) || lower.contains(&short(word).to_lowercase());
            assert!(!named || (shows && !word.is_empty()), "{text} of {package:?}");
        }
    }
    assert_eq!(styles.len(), Style::SHARES.len(), "{styles:?}");
    assert!(extended > 100 && unreadable < 100, "{extended} {unreadable}");
    let of: u32 = styles.values().sum();
    assert!(styles[&Style::File] * 2 > of * 9 / 10 && styles[&Style::File] * 2 < of * 11 / 10, "{styles:?}");
}

#[test]
fn packages_of_one_drug_are_written_in_several_styles() {
    let lisinopril = (0..crate::drugs::table_len()).filter_map(Package::of).filter(|package| {
        package.label.substances == "LISINOPRIL" && package.label.strengths == "10 mg" && package.label.form == "tablet"
    });
    let texts: BTreeSet<String> = lisinopril.map(|package| package.text(1)).collect();
    for wanted in
        ["Lisinopril 10 mg tablet", "lisinopril 10 mg tablet", "LISINOPRIL TAB 10MG", "lisinopril 10 MG Oral Tablet"]
    {
        assert!(texts.contains(wanted), "no {wanted:?} among {texts:?}");
    }
}
