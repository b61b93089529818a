//! Searches against each other: what is found by its own name, what typing on must keep.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use coverdex_core::Ndc11;
use coverdex_core::build::fold;
use coverdex_core::{DrugLine, DrugSearch, Resolution};
use coverdex_sandbox::{MadePayer, Package, Quirks, Shape, drugs};
use coverdex_tests::Made;

/// A made payer of several thousand packages, built once for all of these.
fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| {
        Made::payer(&MadePayer::new(Shape {
            packages: 3_000,
            listed: 1_000,
            plans: 4,
            quirks: Quirks::usual(),
            ..Shape::tiny()
        }))
    })
}

fn search(text: &str, limit: usize) -> Vec<DrugLine> {
    made()
        .dataset
        .search_drugs(&DrugSearch { text: text.to_owned(), limit, plan: None, codes: true, ..DrugSearch::default() })
        .unwrap()
        .lines
}

type Identity = (String, Option<String>, Option<String>, Vec<String>);

fn identity(line: &DrugLine) -> Identity {
    (line.name.clone(), line.strength.clone(), line.form.clone(), line.product_ndcs.clone())
}

fn found(text: &str) -> BTreeSet<Identity> {
    search(text, usize::MAX).iter().map(identity).collect()
}

/// Every line of the catalogue: each begins with a letter or a digit.
fn lines() -> Vec<DrugLine> {
    let mut seen = BTreeSet::new();
    let beginnings = ('a'..='z').chain('0'..='9').map(String::from);
    beginnings.flat_map(|beginning| search(&beginning, usize::MAX)).filter(|line| seen.insert(identity(line))).collect()
}

#[test]
fn every_line_is_found_by_its_own_name_and_strength() {
    let lines = lines();
    assert!(lines.len() > 300, "{}", lines.len());
    for line in lines.iter().filter(|line| !line.name.is_empty()) {
        let strength = line.strength.as_deref().unwrap_or_default();
        let form = line.form.as_deref().unwrap_or_default();
        for text in [
            format!("{} {strength}", line.name),
            format!("{} {strength} {form}", line.name),
            format!("{strength} {}", line.name),
            format!("{} {strength}", line.name).to_uppercase(),
        ] {
            assert!(found(&text).contains(&identity(line)), "{text:?} does not find {line:?}");
        }
        // Asked for by its whole name, it is among the first; a number in it may be a strength.
        if fold::tokens(&line.name).iter().any(|token| token.is_number) {
            continue;
        }
        // Spellings of one drug share a line: a name is said of all lines with its first word.
        let own = fold::key(&line.name);
        let first = own.split(' ').next().unwrap_or_default();
        let same_name = lines.iter().filter(|other| fold::key(&other.name).contains(first)).count();
        let first: Vec<Identity> = search(&line.name, same_name).iter().map(identity).collect();
        assert!(first.contains(&identity(line)), "{:?} is not among the first {same_name}", line.name);
    }
}

#[test]
fn a_shown_name_typed_back_is_never_not_found() {
    let dataset = &made().dataset;
    let mut answered = 0;
    for line in lines() {
        let parts = [Some(line.name.as_str()), line.strength.as_deref(), line.form.as_deref()];
        let shown = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        let drug = dataset.drug(&shown).unwrap();
        let offered = drug.candidates().iter().any(|candidate| {
            candidate.product_ndcs.iter().any(|product| line.product_ndcs.contains(product)) || candidate.name == shown
        });
        match drug.resolution() {
            Resolution::Found => answered += 1,
            Resolution::Ambiguous => assert!(offered, "{shown:?}: {:?}", drug.candidates()),
            other => panic!("{shown:?}: {other:?}"),
        }
    }
    assert!(answered > 200, "{answered}");
}

#[test]
fn every_line_is_found_by_its_codes() {
    for line in lines() {
        for product in &line.product_ndcs {
            assert!(found(product).contains(&identity(&line)), "{product}");
        }
        for ndc in &line.ndc11 {
            assert!(found(&ndc.to_string()).contains(&identity(&line)), "{ndc}");
        }
        for code in &line.rxcui {
            assert!(found(&code.to_string()).contains(&identity(&line)), "{code}");
        }
    }
}

#[test]
fn what_is_typed_so_far_finds_what_will_be_typed() {
    let mut words: BTreeSet<String> = BTreeSet::new();
    for line in lines() {
        words.extend(fold::tokens(&line.name).into_iter().filter(|token| !token.is_number).map(|token| token.text));
    }
    assert!(words.len() > 100);
    for word in words {
        let whole = found(&format!("{word} "));
        assert!(!whole.is_empty(), "{word}");
        let ends: Vec<usize> = word.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        for end in ends {
            let beginning = found(&word[..end]);
            assert!(beginning.is_superset(&whole), "{:?} finds less than {word:?}", &word[..end]);
        }
    }
}

#[test]
fn a_limit_cuts_the_same_list() {
    for text in ["met", "lisinopril", "a", "tablet", "10 mg", "gabapentin 300", "0378", "zzzz"] {
        let all: Vec<Identity> = search(text, usize::MAX).iter().map(identity).collect();
        for limit in [0, 1, 2, 10, 1_000] {
            let some: Vec<Identity> = search(text, limit).iter().map(identity).collect();
            assert_eq!(some, all[..limit.min(all.len())], "{text} {limit}");
        }
        let distinct: BTreeSet<&Identity> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{text}: a line stands twice");
    }
}

/// Whether every product of a line holds an ingredient: by its fields, whatever its name.
fn holds(line: &DrugLine, ingredient: &str) -> bool {
    let base = ingredient.to_uppercase();
    let facts = |ndc: &Ndc11| drugs::find(*ndc).and_then(Package::of).and_then(|package| package.facts());
    line.ndc11.iter().all(|ndc| facts(ndc).unwrap().ingredients.iter().any(|i| i.base == base))
}

#[test]
fn one_edit_in_a_word_is_forgiven() {
    for (typed, meant) in [
        ("lisinoprl", "lisinopril"),
        ("lisinoprill", "lisinopril"),
        ("lisinoprel", "lisinopril"),
        ("lisinorpil", "lisinopril"),
        ("gabapnetin 300", "gabapentin"),
        ("metfromin", "metformin"),
        ("atorvastatn", "atorvastatin"),
    ] {
        let lines = search(typed, 10);
        assert!(!lines.is_empty() && lines.iter().all(|line| holds(line, meant)), "{typed}: {lines:?}");
    }
}

#[test]
fn with_a_plan_its_drugs_come_first_and_are_answered() {
    let dataset = &made().dataset;
    let plan = dataset.all_plans().unwrap().into_iter().find(|plan| plan.drugs.as_str() == "complete").unwrap();
    for text in ["met", "lisinopril", "gab", "a"] {
        let typed = DrugSearch {
            text: text.to_owned(),
            limit: usize::MAX,
            plan: Some(plan.clone()),
            codes: true,
            ..DrugSearch::default()
        };
        let with_plan = dataset.search_drugs(&typed).unwrap().lines;
        let ids: BTreeSet<Identity> = with_plan.iter().map(identity).collect();
        assert_eq!(ids, found(text), "a plan hides nothing");
        for line in &with_plan {
            let answer = line.coverage.as_ref().unwrap();
            let listed = line.ndc11.iter().filter(|ndc| {
                let drug = dataset.drug(&ndc.to_string()).unwrap();
                dataset.coverage(&plan, &drug).unwrap().listed > 0
            });
            let (by_code, listed) = (listed.count(), answer.listed as usize);
            let without_code = line.packages as usize - line.ndc11.len();
            assert!((by_code..=by_code + without_code).contains(&listed), "{by_code} of {line:?}");
        }
    }
}
