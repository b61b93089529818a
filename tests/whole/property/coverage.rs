//! Coverage of random payers: every plan × package, product and RxNorm code, as the naive reader says.

use std::collections::BTreeSet;

use coverdex_core::{Dataset, Plan, Statement};
use coverdex_core::{Ndc11, PlanId, ProductNdc, Rxcui};
use coverdex_tests::Made;
use coverdex_tests::dataset::said;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use super::naive::{Answer, Payer, Says, Shown};
use super::payers::{PRODUCTS, RXCUIS, payer};

const CASES: u32 = 96;

fn says_of(statement: &Statement) -> Says {
    let tier = statement.tier.as_ref().map(|tier| tier.code.clone());
    (tier, [statement.prior_authorization, statement.step_therapy, statement.quantity_limit])
}

/// The dataset's answer in the naive reader's words.
fn ask(dataset: &Dataset, plan: &Plan, text: &str) -> Answer {
    let drug = dataset.drug(text).unwrap();
    let answer = dataset.coverage(plan, &drug).unwrap();
    let packages = dataset.package_coverage(plan, &drug).unwrap();
    let in_order = |pair: &[coverdex_core::PackageCoverage]| {
        (pair[0].ndc11.is_none(), pair[0].ndc11) <= (pair[1].ndc11.is_none(), pair[1].ndc11)
    };
    assert!(packages.windows(2).all(in_order), "packages in the order of their codes, entries without one last");
    let flags =
        |varies: &coverdex_core::Varies| [varies.prior_authorization, varies.step_therapy, varies.quantity_limit];
    Answer {
        status: said(answer.status, answer.reason),
        listed: answer.listed,
        not_on_this_list: answer.not_on_this_list,
        seen_anywhere: answer.seen_anywhere,
        gaps: answer.gaps,
        expected: answer.expected,
        complete: answer.complete,
        says: says_of(&answer.statement),
        varies: answer.varies.map(|varies| {
            assert_eq!(varies.of, answer.listed);
            let tiers: Vec<String> = varies.tiers.iter().map(|tier| tier.code.clone()).collect();
            let distinct: BTreeSet<String> = tiers.iter().cloned().collect();
            assert_eq!(distinct.len(), tiers.len(), "a tier stands twice: {:?}", varies.tiers);
            (distinct, flags(&varies), varies.conflicts, varies.without_tier, varies.tier_not_understood)
        }),
        packages: sorted(
            packages
                .iter()
                .map(|package| {
                    let conflict = package.conflict.iter().map(says_of).collect();
                    let status = said(package.status, package.reason);
                    let rxcuis = package.rxcui.iter().copied().collect();
                    (package.ndc11, status, says_of(&package.statement), conflict, rxcuis)
                })
                .collect(),
        ),
    }
}

fn sorted(mut packages: Vec<Shown>) -> Vec<Shown> {
    packages.sort();
    packages
}

/// Compares everything that can be asked of a payer.
fn compare(resources: &[Value]) -> Result<(), TestCaseError> {
    let naive = Payer::read(resources);
    let made = Made::of(resources);
    let plans = made.dataset.all_plans().unwrap();
    let known: Vec<PlanId> = plans.iter().map(|plan| plan.id.clone()).collect();
    prop_assert_eq!(known, naive.plans.keys().cloned().collect::<Vec<PlanId>>());
    for plan in plans {
        for (product, packages, _) in PRODUCTS {
            let code: ProductNdc = product.parse().unwrap();
            let want = naive.of_product(&plan.id, code);
            prop_assert_eq!(ask(&made.dataset, &plan, product), want, "{} {}", plan.id, product);
            for package in packages.iter().chain(&["77"]) {
                let text = format!("{}{package}", product.replace('-', ""));
                let ndc: Ndc11 = text.parse().unwrap();
                let want = naive.of_package(&plan.id, ndc);
                prop_assert_eq!(ask(&made.dataset, &plan, &text), want, "{} {}", plan.id, text);
            }
        }
        let codes = RXCUIS.iter().map(|(code, ..)| Rxcui::new(*code).unwrap()).chain(Rxcui::new(999));
        for code in codes.chain(naive.codes()) {
            let want = naive.of_code(&plan.id, code);
            prop_assert_eq!(ask(&made.dataset, &plan, &code.to_string()), want, "{} RxNorm {}", plan.id, code);
        }
    }
    Ok(())
}

#[test]
fn coverage_is_what_a_naive_reader_says() {
    let config = Config { max_shrink_iters: 400, ..super::config(CASES) };
    let mut runner = TestRunner::new(config);
    let sent = payer().prop_filter("something to read", |resources| !resources.is_empty());
    let result = runner.run(&sent, |resources| compare(&resources));
    if let Err(proptest::test_runner::TestError::Fail(reason, resources)) = &result {
        let padding = |resource: &&Value| resource["id"].as_str().is_some_and(|id| id.starts_with("pad"));
        let padded = resources.iter().filter(padding).count();
        let lines: Vec<String> = resources.iter().filter(|resource| !padding(resource)).map(Value::to_string).collect();
        panic!("{reason}\nof (with {padded} lines of padding):\n{}", lines.join("\n"));
    }
    result.unwrap();
}

/// What is generated meets what it is meant to meet: a property that is never put to the test proves
/// nothing.
#[test]
fn random_payers_meet_every_status() {
    let mut runner = TestRunner::deterministic();
    let mut met = BTreeSet::new();
    for _ in 0..150 {
        let resources = payer().new_tree(&mut runner).unwrap().current();
        let naive = Payer::read(&resources);
        for plan in naive.plans.keys() {
            for (product, packages, _) in PRODUCTS {
                met.insert(naive.of_product(plan, product.parse().unwrap()).status);
                for package in packages {
                    let ndc = format!("{}{package}", product.replace('-', ""));
                    met.insert(naive.of_package(plan, ndc.parse().unwrap()).status);
                }
            }
            met.extend(naive.codes().into_iter().map(|code| naive.of_code(plan, code).status));
        }
    }
    let want = [
        "ambiguous",
        "conflict",
        "covered",
        "mixed",
        "not_covered",
        "not_listed",
        "not_listed entry_inactive",
        "not_listed unreferenced",
        "unknown incomplete",
        "unknown no_drug_benefit",
        "unknown no_formulary_published",
        "unknown no_list",
        "unknown tier_not_stated",
        "unknown tier_not_understood",
    ];
    assert_eq!(met, want.into_iter().map(str::to_owned).collect::<BTreeSet<_>>());
}
