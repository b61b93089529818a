//! Options against the directory that the made payer's drugs are from: the substances of every option are those of
//! what was asked for, and what has the same name is never missing.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::build::fold;
use coverdex_core::{Comparison, CoverageStatus, DrugLine, DrugSearch, Ndc11, OptionsQuestion, ProductNdc};
use coverdex_sandbox::{MadePayer, Quirks, Shape};
use coverdex_tests::Made;

/// Words that begin names of several substances: these are compared as a whole.
const METALS: [&str; 12] = [
    "potassium",
    "sodium",
    "calcium",
    "magnesium",
    "zinc",
    "iron",
    "ferrous",
    "ferric",
    "aluminum",
    "ammonium",
    "lithium",
    "insulin",
];

/// Whether a name may be that of an ingredient: none of its words says what the product is for.
fn names_ingredients(name: &str) -> bool {
    let key = fold::key(name);
    let uses = ["relief", "reducer", "pain", "cold", "allergy", "aid", "cough", "sleep", "itch", "antacid", "sinus"];
    !key.split(' ').any(|word| uses.contains(&word))
}

/// The substances of a product, each by its first word: what follows is mostly a salt.
fn substances(text: &str) -> BTreeSet<String> {
    let parts = text.split([';', ',']).map(str::trim).filter(|part| !part.is_empty());
    let name = |part: &str| {
        let key = fold::key(part);
        let first = key.split(' ').next().unwrap_or_default().to_owned();
        if METALS.contains(&first.as_str()) { key } else { first }
    };
    parts.map(name).collect()
}

#[test]
fn options_have_the_same_substances_and_what_has_the_same_name_is_there() {
    let payer =
        MadePayer::new(Shape { packages: 1_200, listed: 400, plans: 2, quirks: Quirks::usual(), ..Shape::tiny() });
    let made = Made::formulary(&payer);
    let mut known: BTreeMap<ProductNdc, BTreeSet<String>> = BTreeMap::new();
    for package in (0..).map_while(|index| payer.package(index)) {
        let label = &package.label;
        known.entry(package.ndc11.product()).or_default().extend(substances(label.substances));
    }
    let search = |text: String| DrugSearch { text, limit: usize::MAX, codes: true, ..DrugSearch::default() };
    let mut lines: Vec<DrugLine> = Vec::new();
    let mut seen = BTreeSet::new();
    for beginning in 'a'..='z' {
        for line in made.dataset.search_drugs(&search(beginning.to_string())).unwrap().lines {
            if seen.insert(line.ndc11.clone()) {
                lines.push(line);
            }
        }
    }
    let plan = payer.plans().iter().map(|plan| plan.id.to_string()).next().unwrap();
    let substances_of = |line: &DrugLine| -> BTreeSet<BTreeSet<String>> {
        let products = line.ndc11.iter().map(|ndc: &Ndc11| ndc.product());
        products.filter_map(|product| known.get(&product).cloned()).collect()
    };
    let (mut compared, mut standings) = (0, BTreeSet::new());
    for line in lines.iter().filter(|line| !line.ndc11.is_empty()) {
        let own = substances_of(line);
        let mut question = OptionsQuestion::new(plan.clone(), line.ndc11[0].to_string());
        question.not_listed = true;
        question.limit = 10_000;
        let answer = made.dataset.same_ingredient(&question).unwrap().remove(0);
        if answer.coverage.status == CoverageStatus::Ambiguous {
            continue;
        }
        for option in &answer.options {
            let others = substances_of(&option.line);
            // One package of a line may be labeled in other words; one of its labels must agree.
            assert!(
                own.is_empty() || others.is_empty() || own.intersection(&others).next().is_some(),
                "{line:?}\noffers {:?}\n{own:?} {others:?}",
                option.line
            );
            compared += 1;
            standings.insert(option.comparison.as_str());
            if option.comparison == Comparison::Better {
                assert!(option.line.coverage.as_ref().unwrap().is_covered(), "{option:?}");
            }
        }
        let rank = |status: CoverageStatus| match status {
            CoverageStatus::Covered => 0,
            CoverageStatus::Mixed => 1,
            CoverageStatus::NotCovered => 3,
            CoverageStatus::NotListed => 4,
            _ => 2,
        };
        let statuses: Vec<i32> =
            answer.options.iter().map(|option| rank(option.line.coverage.as_ref().unwrap().status)).collect();
        assert!(statuses.is_sorted(), "{line:?}: {statuses:?}");
        let found: BTreeSet<&[Ndc11]> = answer.options.iter().map(|option| option.line.ndc11.as_slice()).collect();
        let key = fold::key(&line.name);
        for other in
            lines.iter().filter(|other| !key.is_empty() && fold::key(&other.name) == key && other.ndc11 != line.ndc11)
        {
            let plain = |line: &DrugLine| line.ingredient.is_none() && names_ingredients(&line.name);
            let same = substances_of(other) == own && plain(line) && plain(other) && own.len() == 1;
            let singles = own.iter().all(|substances| substances.len() == 1);
            let same = same && singles;
            assert!(!same || found.contains(other.ndc11.as_slice()), "{line:?}\nlacks {other:?}");
        }
    }
    assert!(compared > 200, "{compared} options");
    assert!(standings.is_superset(&BTreeSet::from(["better", "same", "worse"])), "{standings:?}");
}
