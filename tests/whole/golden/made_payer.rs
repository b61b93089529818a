//! The made payer, which knows the right answers: every plan, every package, every way of asking.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::ids::Rxcui;
use coverdex_core::{CoverageStatus, Dataset, PackageCoverage, Plan, Resolution, Statement};
use coverdex_sandbox::truth::{Expected, OUTCOMES, PlanFacts, Status};
use coverdex_sandbox::{Kind, MadePayer, Shape, Stated, Truth};
use coverdex_tests::Made;
use coverdex_tests::dataset::said;

/// A made payer with its dataset.
struct Payer {
    payer: MadePayer,
    made: Made,
}

impl Payer {
    fn of(shape: Shape) -> Self {
        let payer = MadePayer::new(shape);
        let made = Made::payer(&payer);
        Self { payer, made }
    }

    fn dataset(&self) -> &Dataset {
        &self.made.dataset
    }

    fn plan(&self, number: u32) -> Plan {
        self.made.plan(&self.payer.plans()[number as usize].id.to_string())
    }

    fn plans(&self) -> Vec<(u32, Plan)> {
        self.payer.plans().iter().map(|plan| (plan.number, self.plan(plan.number))).collect()
    }
}

/// Tier code and flags of a statement, for comparing: words of tiers may be absent in a resource.
type Said = (Option<String>, Option<bool>, Option<bool>, Option<bool>);

fn of_statement(says: &Statement) -> Said {
    let tier = says.tier.as_ref().map(|tier| tier.code.clone());
    (tier, says.prior_authorization, says.step_therapy, says.quantity_limit)
}

fn of_stated(says: &Stated) -> Said {
    let tier = says.tier.map(|tier| tier.code().to_owned());
    (tier, says.prior_authorization, says.step_therapy, says.quantity_limit)
}

/// What is wrong with an answer for one package, if anything.
fn wrong(answer: &PackageCoverage, expected: &Expected) -> Option<String> {
    let got = said(answer.status, answer.reason);
    let want = match expected.reason {
        Some(reason) => format!("{} {}", expected.status.as_str(), reason.as_str()),
        None => expected.status.as_str().to_owned(),
    };
    if got != want {
        return Some(format!("{got}, wanted {want}: {answer:?}"));
    }
    let mut want: Vec<Said> = expected.stated.iter().map(of_stated).collect();
    want.sort();
    let mut got: Vec<Said> = if answer.status == CoverageStatus::Conflict {
        answer.conflict.iter().map(of_statement).collect()
    } else if expected.stated.is_empty() {
        let silent = answer.statement == Statement::default() && answer.conflict.is_empty();
        return (!silent).then(|| format!("states something: {answer:?}"));
    } else {
        vec![of_statement(&answer.statement)]
    };
    got.sort();
    (got != want).then(|| format!("states {got:?}, wanted {want:?}"))
}

/// Every plan × package by its code; gives how often each status and reason was met.
fn every_package(payer: &Payer) -> BTreeMap<String, u64> {
    let truth = Truth::new(&payer.payer);
    let mut met = BTreeMap::new();
    let mut mistakes = Vec::new();
    for (number, plan) in payer.plans() {
        for index in 0..payer.payer.shape().packages {
            let package = payer.payer.package(index).unwrap();
            let expected = truth.coverage(number, index);
            let drug = payer.dataset().drug(&package.ndc11.to_string()).unwrap();
            let answers = payer.dataset().package_coverage(&plan, &drug).unwrap();
            let summary = payer.dataset().coverage(&plan, &drug).unwrap();
            let [answer] = answers.as_slice() else { panic!("{}: {answers:?}", package.ndc11) };
            *met.entry(said(answer.status, answer.reason)).or_default() += 1;
            assert_eq!(answer.ndc11, Some(package.ndc11));
            assert_eq!(summary.seen_anywhere, truth.seen_anywhere(index), "{}", package.ndc11);
            assert_eq!(answer.rxcui, truth.rxcuis_of_package(index), "{}", package.ndc11);
            if (summary.status, summary.reason, &summary.statement) != (answer.status, answer.reason, &answer.statement)
            {
                mistakes.push(format!("{} {}: summary {summary:?} beside {answer:?}", plan.id, package.ndc11));
            }
            if let Some(what) = wrong(answer, &expected) {
                mistakes.push(format!("{} {}: {what}", plan.id, package.ndc11));
            }
        }
    }
    let first: Vec<&String> = mistakes.iter().take(10).collect();
    assert!(mistakes.is_empty(), "{} mistakes: {first:#?}", mistakes.len());
    met
}

#[test]
fn every_package_in_every_plan() {
    let payer = Payer::of(Shape::tiny());
    let met = every_package(&payer);
    for (status, reason) in OUTCOMES {
        let name =
            reason.map_or(status.as_str().to_owned(), |reason| format!("{} {}", status.as_str(), reason.as_str()));
        assert!(met.contains_key(&name), "{name} was never asked: {met:?}");
    }
}
