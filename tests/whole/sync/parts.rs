//! A sync of a part, through to the answers: of what was chosen they are those of the whole, of
//! everything else they may be `unknown` and nothing different.

use coverdex_core::Npi;
use coverdex_core::{CoverageStatus, Dataset, ErrorKind, Plan, PlanFilter};
use coverdex_core::{NetworkStatus, ProviderSearch};
use coverdex_sync::fetch::{self, RolePass, Selection};

use super::honest::packages;
use super::{Rig, assert_complete};

/// How many answers equal the whole's, and how many are unknown instead.
#[derive(Debug, Default)]
struct Compared {
    equal: u32,
    unknown: u32,
}

impl Compared {
    #[track_caller]
    fn note<S: PartialEq + std::fmt::Debug>(&mut self, found: &S, truly: &S, unknown: &S, what: &str) {
        if found == truly {
            self.equal += 1;
        } else {
            assert_eq!(found, unknown, "{what}: in truth {truly:?}");
            self.unknown += 1;
        }
    }
}

fn drugs(part: &Dataset, whole: &Dataset, plan: &Plan, what: &str) -> Compared {
    let mut compared = Compared::default();
    let Some(here) = part.all_plans().unwrap().into_iter().find(|here| here.id == plan.id) else { return compared };
    for text in packages(whole) {
        let found = part.coverage(&here, &part.drug(&text).unwrap()).unwrap().status;
        let truly = whole.coverage(plan, &whole.drug(&text).unwrap()).unwrap().status;
        compared.note(&found, &truly, &CoverageStatus::Unknown, &format!("{what}: {} {text}", plan.id));
    }
    compared
}

fn standings(part: &Dataset, whole: &Dataset, plan: &Plan, what: &str) -> Compared {
    let mut compared = Compared::default();
    let Some(here) = part.all_plans().unwrap().into_iter().find(|here| here.id == plan.id) else { return compared };
    let all = whole.search_providers(&ProviderSearch { limit: 60, ..ProviderSearch::default() }).unwrap();
    let npis: Vec<Npi> = all.results.iter().filter_map(|result| result.npi).collect();
    for npi in npis {
        let found = part.plan_network_status(npi, &here, None).unwrap().status;
        let truly = whole.plan_network_status(npi, plan, None).unwrap().status;
        compared.note(&found, &truly, &NetworkStatus::Unknown, &format!("{what}: {npi} in {}", plan.id));
    }
    compared
}

#[test]
fn a_part_answers_as_the_whole_or_does_not_know() {
    let rig = Rig::new();
    let place = rig.place("whole");
    assert_complete(&rig.sync(&place), "whole");
    let whole = Dataset::open(&place.store).unwrap();
    let plans = whole.plans(&PlanFilter::default()).unwrap();
    let has_drugs = |plan: &&Plan| drugs(&whole, &whole, plan, "whole").equal > 0 && plan.expected > 0;
    let chosen = plans.iter().find(has_drugs).expect("a plan with a drug list");
    let of = |part: Selection| Selection { plans: vec![chosen.id.to_string()], ..part };
    let everything = Selection::default;
    for (what, selection) in [
        ("formularies", Selection { directory: false, ..everything() }),
        ("the directory", Selection { formulary: false, ..everything() }),
        ("active roles", Selection { active_only: true, ..everything() }),
        ("a plan", of(everything())),
        ("a plan's formulary", of(Selection { directory: false, ..everything() })),
        ("a plan's directory", of(Selection { formulary: false, ..everything() })),
        ("a plan with all roles", of(Selection { roles: RolePass::Unfiltered, ..everything() })),
    ] {
        let place = rig.place(what);
        let options = fetch::Options { selection: selection.clone(), ..place.options() };
        assert_complete(&rig.try_sync(&place, &options).unwrap(), what);
        let part = Dataset::open(&place.store).unwrap();
        for plan in &plans {
            let is_chosen = selection.plans.is_empty() || plan.id == chosen.id;
            let compared = drugs(&part, &whole, plan, what);
            if selection.formulary && is_chosen {
                assert!(compared.equal > 0 && compared.unknown == 0, "{what}: {} {compared:?}", plan.id);
            }
            if !part.has_directory() {
                assert!(!selection.directory, "{what}");
                continue;
            }
            let compared = standings(&part, &whole, plan, what);
            let all_roles = !selection.active_only && selection.roles == RolePass::Unfiltered;
            if selection.directory && (all_roles || selection == everything()) {
                assert_eq!(compared.unknown, 0, "{what}: {}", plan.id);
            }
        }
    }
}

#[test]
fn a_plan_that_the_payer_does_not_have_is_refused() {
    let rig = Rig::new();
    let place = rig.place("no such plan");
    let of = |plans: &[&str], part: Selection| fetch::Options {
        selection: Selection { plans: plans.iter().map(|plan| (*plan).to_owned()).collect(), ..part },
        ..place.options()
    };
    for part in [Selection::default(), Selection { directory: false, ..Selection::default() }] {
        let error = rig.try_sync(&place, &of(&["S9101-999-000-2026"], part)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.to_string().contains("S9101-999-000-2026"), "{error}");
        assert!(error.candidates().iter().any(|plan| plan.starts_with("S9101-")), "{:?}", error.candidates());
        assert!(Dataset::open(&place.store).is_err(), "nothing is built");
    }
    // One of two is none the less a mistake.
    let there = &["S9101-015-000-2026"][..];
    assert_complete(&rig.try_sync(&place, &of(there, Selection::default())).unwrap(), "it is there");
    let before = place.stored();
    let error = rig.try_sync(&place, &of(&["S9101-015-000-2026", "H0000-001"], Selection::default())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    super::assert_same(&place.stored(), &before, "nothing is lost");
}
