use super::*;

#[track_caller]
fn assert_read(code: &str, display: Option<&str>, status: TierStatus, level: Option<TierLevel>) {
    let tier = Tier::read(code, display);
    assert_eq!((tier.status, tier.level), (status, level), "{code:?} {display:?}");
}

#[test]
fn codes_without_words() {
    use TierStatus::{Covered, NotCovered, NotUnderstood};
    for (codes, status) in [
        (
            &[
                "0",
                " 0 ",
                "00",
                "NF",
                "nf",
                "N.F.",
                "N/F",
                "NC",
                "non-formulary",
                "NON_FORMULARY",
                "NonFormulary",
                "nonformulary",
                "not-covered",
                "NotCovered",
                "NOTCOVERED",
                "EXCLUDED",
                "excl",
                "off-formulary",
                "T0",
                "Tier 0",
                "Tier-NF",
                "no-coverage",
            ][..],
            NotCovered,
        ),
        (
            &[
                "1",
                "2",
                "7",
                "01",
                "12",
                "T4",
                "t4",
                "Tier 3",
                "tier-5",
                "TIER_2",
                "Tier3",
                "Level 2",
                "Tier IV",
                "tier ii",
                "Tier Nine",
                "Tier No. 3",
                "1a",
                "Tier 1B",
            ],
            Covered,
        ),
        (
            &[
                "preferred-generic",
                "PREFERRED-GENERIC",
                "generic",
                "non-preferred-generic",
                "nonpreferred-generic",
                "brand",
                "preferred-brand",
                "non-preferred-brand",
                "nonpreferred-brand",
                "NONPREFERRED-BRAND",
                "specialty",
                "zero-cost-share-preventative",
                "ZERO-COST-SHARE-PREVENTIVE",
                "medical-service",
                "MEDICAL-SERVICE-DRUGS",
                "preferred",
                "non-preferred",
                "PreferredBrand",
            ],
            Covered,
        ),
        (
            &[
                "Z", "X9", "SP", "A", "99", "999", "21", "-1", "1.5", "", "  ", "...", "N/A", "unknown", "null", "NCD",
                "NFL", "IV", "Tier X", "HC1", "N/C",
            ],
            NotUnderstood,
        ),
    ] {
        for code in codes {
            assert_eq!(Tier::read(code, None).status, status, "{code:?}");
        }
    }
}

/// Said with a number and with a code that tells nothing: the words alone decide.
#[test]
fn words_that_say_not_covered() {
    for words in [
        "Not Covered",
        "NOT COVERED",
        "not-covered",
        "Drug not covered",
        "Not a covered drug",
        "Drug is not covered",
        "Isn't covered",
        "Not currently covered",
        "Not covered by this plan",
        "Not covered by your plan",
        "Not covered under this plan",
        "Not covered under the pharmacy benefit",
        "Drugs that we do not cover",
        "The plan doesn’t cover these drugs",
        "Non-Covered",
        "Noncovered drugs",
        "Uncovered",
        "Never covered",
        "Not covered (NC)",
        "Non-formulary / not covered",
        "No Coverage",
        "no coverage.",
        "No drug coverage",
        "Without coverage",
        "Tier 0: not covered",
        "Tier 5 - Not Covered",
        "Not covered: weight loss drugs",
        "Non-Formulary",
        "Non-Formulary Drug",
        "non formulary",
        "nonformulary",
        "NONFORMULARY DRUGS",
        "Non‑Formulary",
        "Non-Formulary Brand",
        "Non-Formulary Generic",
        "Non-formulary specialty drug",
        "non-form",
        "Not formulary",
        "Off-Formulary",
        "Off formulary drug",
        "Off the formulary",
        "Out of formulary",
        "Removed from formulary",
        "Not on formulary",
        "Not on the formulary",
        "Not on our formulary",
        "Not on the plan's formulary",
        "Not in formulary",
        "Not a formulary drug",
        "Not listed",
        "Not listed on formulary",
        "Unlisted",
        "Not on the drug list",
        "Not on our list of drugs",
        "Not included on formulary",
        "Excluded",
        "EXCLUDED DRUG",
        "excluded drugs",
        "Drug is excluded",
        "Drug is excluded from coverage",
        "Excluded from the formulary",
        "Excluded from formulary coverage",
        "Formulary Exclusion",
        "Formulary: excluded",
        "Plan exclusion",
        "Benefit Exclusion",
        "Coverage excluded",
        "Excluded - lifestyle drug",
        "NF",
        "NC",
        "N/F",
        "NF drug",
        "Tier NF",
        "NF - Non-Formulary",
        "Excluded from coverage by the plan",
        "Preferred brand: not covered",
        "Status: non-formulary",
        "Formulary status: Not Covered",
        "NotCovered",
        "Not  covered\t",
    ] {
        for code in ["7", "Z", "0", "NF", "99"] {
            assert_read(code, Some(words), TierStatus::NotCovered, Some(TierLevel::NonFormulary));
        }
    }
}

/// What a denial is about is not always coverage.
#[test]
fn words_that_deny_something_else() {
    for words in [
        "Excluded from deductible",
        "Excluded from the deductible",
        "Preferred - excluded from deductible",
        "No deductible",
        "Preferred - not subject to deductible",
        "Generic, deductible does not apply",
        "Deductible excluded",
        "Exempt from deductible",
        "Excluded from out-of-pocket maximum",
        "Preferred Brand (excluded from MOOP)",
        "Not covered in the gap",
        "Not covered during the coverage gap",
        "No coverage gap",
        "No gap coverage",
        "No coverage in the gap",
        "No coverage limits",
        "Without coverage limits",
        "No prior authorization required",
        "Prior authorization not required",
        "Not subject to step therapy",
        "No quantity limit",
        "Not available by mail order",
        "Mail order not available",
        "Generic - no mail order",
        "Specialty - not covered at retail",
        "Not covered by mail order",
        "Preferred, no exclusions",
        "Not excluded",
        "No copay",
        "No cost",
        "NCD preferred",
        "Brand (no generic available)",
        "Non-Preferred Drug",
        "Not preferred",
        "Non-insulin drugs",
        "Off-patent brand",
        "Formulary",
        "On formulary",
        "Covered",
        "Covered drugs",
        "Preferred",
        "Preferred Drugs",
        "Insulins",
        "Ask the plan",
        "Enhanced",
        "Tier 7",
        "Tier VII",
        "Tier Seven",
        "No annual deductible",
        "Not subject to the Part D deductible",
        "Excluded from medical deductible",
        "Does not count toward out-of-pocket maximum",
        "Deductible not applicable",
        "No additional cost",
        "Cost sharing not applied",
        "No refill limit",
    ] {
        assert_eq!(Tier::read("7", Some(words)).status, TierStatus::Covered, "{words:?}");
        let unexplained = Tier::read("Z", Some(words));
        assert_ne!(unexplained.status, TierStatus::NotCovered, "{words:?}");
    }
}

/// What may be a denial of coverage is never taken for a covered tier because it has a number.
#[test]
fn words_that_are_unclear() {
    for words in [
        "Not available",
        "Not eligible",
        "Non-eligible",
        "Not reimbursed",
        "Excluded from Part D",
        "Not covered by Medicare Part D",
        "Not covered under Medicare",
        "Excluded from the network",
        "Non-formulary, covered with exception",
        "Not covered unless approved",
        "Excluded except for diabetes",
        "Not covered without prior authorization",
        "Excluded Drugs (enhanced coverage)",
        "Covered or excluded",
        "Generic covered, brand not covered",
        "Generic (brand excluded)",
        "Some drugs excluded",
        "Denied",
        "Ineligible",
        "Discount only",
        "Member pays 100%",
        "Member pays full cost",
        "Not on the preferred drug list",
        "Excluded (brand only)",
        "NF Brand",
        "NC Medicaid",
        "Not yet decided",
        "Never",
    ] {
        for code in ["7", "Z", "0", "NF", "preferred-brand"] {
            assert_read(code, Some(words), TierStatus::NotUnderstood, None);
        }
    }
}

#[test]
fn words_decide_where_they_tell_else_the_code() {
    use TierStatus::{Covered, NotCovered, NotUnderstood};
    for (code, words, status) in [
        ("0", "$0 Preventive Drugs", Covered),
        ("0", "$0 copay", Covered),
        ("0", "Zero cost share", Covered),
        ("0", "Preferred Generic", Covered),
        ("0", "Tier 0", NotCovered),
        ("0", "Ask the plan", NotCovered),
        ("0", "Insulins", NotCovered),
        ("0", "", NotCovered),
        ("0", "Tier 1", NotUnderstood),
        ("Z", "Tier 0", NotCovered),
        ("3", "Tier 0", NotUnderstood),
        ("NF", "Preferred Brand", NotUnderstood),
        ("NF", "Covered", NotUnderstood),
        ("NF", "Tier 3", NotUnderstood),
        ("NC", "Generic", NotUnderstood),
        ("non-formulary", "Preferred Brand", NotUnderstood),
        ("NF", "Ask the plan", NotCovered),
        ("preferred-brand", "Not covered", NotUnderstood),
        ("4", "Not covered", NotCovered),
        ("brand", "Ask the plan", Covered),
        ("1", "...", Covered),
        ("Z", "Preferred Generic", Covered),
        ("Z", "Ask the plan", NotUnderstood),
        ("X9", "Tier Nine", Covered),
        ("99", "Tier 3", Covered),
        ("99", "Ask the plan", NotUnderstood),
        ("SP", "Specialty Select", Covered),
        ("NO-RX", "Preferred Brand", NotUnderstood),
    ] {
        assert_eq!(Tier::read(code, Some(words)).status, status, "{code:?} {words:?}");
    }
}

#[test]
fn levels_follow_the_words() {
    for (code, display, want) in [
        ("0", Some("Non-Formulary Drug"), Some(TierLevel::NonFormulary)),
        ("0", None, Some(TierLevel::NonFormulary)),
        ("0", Some("$0 Preventive Drugs"), Some(TierLevel::SelectCare)),
        ("1", Some("Preferred Generic"), Some(TierLevel::PreferredGeneric)),
        ("2", Some("Generic"), Some(TierLevel::Generic)),
        ("3", Some("PREFERRED BRAND"), Some(TierLevel::PreferredBrand)),
        ("3", Some("Brand"), Some(TierLevel::Brand)),
        ("4", Some("Non-Preferred Drug"), Some(TierLevel::NonPreferred)),
        ("4", Some("Nonpreferred Brand"), Some(TierLevel::NonPreferred)),
        ("4", Some("Not preferred"), Some(TierLevel::NonPreferred)),
        ("5", Some("Specialty Tier"), Some(TierLevel::Specialty)),
        ("SP", Some("Specialty Select"), Some(TierLevel::Specialty)),
        ("6", Some("Select Care Drugs"), Some(TierLevel::SelectCare)),
        ("preferred-generic", None, Some(TierLevel::PreferredGeneric)),
        ("preferred-generic", Some("Tier 1"), Some(TierLevel::PreferredGeneric)),
        ("NON-PREFERRED-BRAND", None, Some(TierLevel::NonPreferred)),
        ("medical-service", None, Some(TierLevel::MedicalService)),
        ("3", None, None),
        ("3", Some("Brand and generic"), None),
        ("X9", Some("Tier Nine"), None),
        ("NF", Some("Preferred Brand"), None),
    ] {
        assert_eq!(Tier::read(code, display).level, want, "{code} {display:?}");
    }
}

#[test]
fn names_are_read_back() {
    for level in TierLevel::ALL {
        assert_eq!(TierLevel::from_name(level.as_str()), Some(level));
    }
    for status in TierStatus::ALL {
        assert_eq!(TierStatus::from_name(status.as_str()), Some(status));
    }
}
