//! What changed between random payers, as asking both of everything says.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::{
    CoverageReason, CoverageStatus, Dataset, DiffQuestion, DrugChangeKind, Ndc11, NetworkKey, NetworkStatus, Npi, Plan,
    RoleDoubt, Statement,
};
use coverdex_sandbox::directory::people::ProviderFacts;
use coverdex_sandbox::truth::DirectoryTruth;
use coverdex_sandbox::{MadePayer, Quirks, ResourceType, Shape};
use coverdex_tests::Made;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::payers::{PRODUCTS, payer};

const CASES: u32 = 32;

/// What a plan says of one package.
type Says = (CoverageStatus, Option<CoverageReason>, Statement, Vec<Statement>);

/// What is said, and how many entries say it.
fn ask(dataset: &Dataset, plan: &Plan, ndc: &str) -> (Says, u32) {
    let drug = dataset.drug(ndc).unwrap();
    let answer = dataset.coverage(plan, &drug).unwrap();
    let packages = dataset.package_coverage(plan, &drug).unwrap();
    // Of a package and an entry that speaks for it, the one that the list has.
    let stated = packages.iter().find(|of| of.statement != Statement::default() || !of.conflict.is_empty());
    let stated = stated.or(packages.first());
    let conflict = stated.map(|package| package.conflict.clone()).unwrap_or_default();
    let statement = stated.map(|package| package.statement.clone()).unwrap_or_default();
    let statement = if answer.listed > 0 { statement } else { Statement::default() };
    ((answer.status, answer.reason, statement, conflict), answer.listed)
}

/// Whether any resource has this package by its own code.
fn has_package(resources: &[Value], ndc: &str) -> bool {
    let hyphenated = format!("{}-{}-{}", &ndc[..5], &ndc[5..9], &ndc[9..]);
    resources.iter().map(Value::to_string).any(|text| text.contains(ndc) || text.contains(&hyphenated))
}

/// What asking both says: what became of a package, and what was said before and now.
fn naive(old: (Says, u32), new: (Says, u32)) -> Option<(DrugChangeKind, Says, Says)> {
    let ((before, was_listed), (now, is_listed)) = (old, new);
    let (was_listed, is_listed) = (was_listed > 0, is_listed > 0);
    let is_open = |says: &Says| says.0 == CoverageStatus::Unknown;
    let kind = match (was_listed, is_listed) {
        (false, false) => return None,
        (true, true) if before == now => return None,
        (true, true) => DrugChangeKind::Changed,
        (true, false) if is_open(&now) => DrugChangeKind::NotKnown,
        (false, true) if is_open(&before) => DrugChangeKind::NotKnown,
        (true, false) => DrugChangeKind::Left,
        (false, true) => DrugChangeKind::Came,
    };
    Some((kind, before, now))
}

fn compare(before: &[Value], after: &[Value]) -> Result<(), TestCaseError> {
    let (old, new) = (Made::of(before), Made::of(after));
    let diff = old.dataset.diff(&new.dataset, &DiffQuestion::default()).unwrap();
    let mut codes: BTreeSet<String> = (0..210).map(|n| format!("{:011}", 99_000_000_000_u64 + n)).collect();
    for (product, packages, _) in PRODUCTS {
        codes.extend(packages.iter().map(|package| format!("{}{package}", product.replace('-', ""))));
    }
    let plans = new.dataset.all_plans().unwrap();
    let mut compared = 0;
    for plan in old.dataset.all_plans().unwrap() {
        let Some(now) = plans.iter().find(|other| other.id == plan.id) else { continue };
        compared += 1;
        let of_plan = diff.drugs.iter().flatten().filter(|lists| lists.plans.contains(&plan.id));
        let of_plan: Vec<_> = of_plan.collect();
        prop_assert_eq!(of_plan.len(), 1, "{}: told once", plan.id);
        let mut told: BTreeMap<Ndc11, (DrugChangeKind, Says, Says)> = BTreeMap::new();
        let mut packages = 0;
        for change in &of_plan[0].changes {
            packages += u32::try_from(change.packages.len()).unwrap();
            let says = |of: &coverdex_core::PackageStatement| {
                (of.status, of.reason, of.statement.clone(), of.conflict.clone())
            };
            for ndc in change.packages.iter().filter_map(|package| package.ndc11) {
                let before = told.insert(ndc, (change.kind, says(&change.old), says(&change.new)));
                prop_assert!(before.is_none(), "{ndc} is told twice");
            }
        }
        prop_assert_eq!(packages, of_plan[0].counts.all());
        for code in &codes {
            // What an entry with the product's code alone speaks for in both is told as that entry.
            let is_told = told.contains_key(&code.parse().unwrap());
            if !is_told && !has_package(before, code) && !has_package(after, code) {
                continue;
            }
            let (said, says) = (ask(&old.dataset, &plan, code), ask(&new.dataset, now, code));
            // Entries that speak for one package beside it, and may say different things, are told themselves.
            if said.1 > 1 || says.1 > 1 {
                told.remove(&code.parse().unwrap());
                continue;
            }
            let want = naive(said, says);
            prop_assert_eq!(told.remove(&code.parse().unwrap()), want, "{} {}", plan.id, code);
        }
        prop_assert!(told.is_empty(), "{}: {told:?}", plan.id);
    }
    prop_assert_eq!(compared, diff.plans.unwrap().in_both);
    Ok(())
}

#[test]
fn drugs_changed_as_asking_both_says() {
    let config = Config { max_shrink_iters: 200, ..super::config(CASES) };
    let sent = || payer().prop_filter("something to read", |resources| !resources.is_empty());
    TestRunner::new(config).run(&(sent(), sent()), |(before, after)| compare(&before, &after)).unwrap();
}

/// All resources of a payer, a line each, with some of its roles left out, inactive or in other networks.
fn text(payer: &MadePayer, change: impl Fn(u64, &mut Value) -> bool) -> String {
    let mut lines = String::new();
    for kind in ResourceType::DIRECTORY {
        for number in 0..payer.count(kind) {
            let mut line = String::new();
            payer.write(kind, number, &mut line);
            if kind == ResourceType::PractitionerRole {
                let mut role: Value = serde_json::from_str(&line).unwrap();
                if !change(number, &mut role) {
                    continue;
                }
                line = role.to_string();
            }
            lines.push_str(line.trim_end());
            lines.push('\n');
        }
    }
    lines
}

/// Where a provider is in a network by asking for it alone: counties, whether in one that is not known, and in which
/// counties it is inactive.
fn counties(dataset: &Dataset, npi: Npi, key: &NetworkKey) -> (BTreeSet<u32>, bool, BTreeSet<u32>) {
    let (mut active, mut unplaced, mut inactive) = (BTreeSet::new(), false, BTreeSet::new());
    let Some(provider) = dataset.provider(npi).unwrap() else { return (active, unplaced, inactive) };
    for place in &provider.locations {
        let county =
            place.location.as_ref().and_then(|location| location.county).map(coverdex_core::CountyFips::number);
        for role in &place.roles {
            if !role.networks.iter().any(|network| network.key == *key) || role.doubts.contains(&RoleDoubt::Contrary) {
                continue;
            }
            match (county, role.inactive.is_empty()) {
                (Some(county), true) => drop(active.insert(county)),
                (Some(county), false) => drop(inactive.insert(county)),
                (None, true) => unplaced = true,
                (None, false) => {}
            }
        }
    }
    (active, unplaced, inactive)
}

#[test]
fn providers_changed_as_asking_both_says() {
    let shape = Shape { practitioners: 300, packages: 20, listed: 10, quirks: Quirks::none(), ..Shape::tiny() };
    let payer = MadePayer::new(shape);
    let old = Made::of_text(&text(&payer, |_, _| true));
    let new = Made::of_text(&text(&payer, |number, role| {
        match number % 17 {
            0 | 5 => return false,
            3 => role["active"] = json!(false),
            _ => {}
        }
        // A role of several places is at the first of them alone.
        if number % 7 == 2
            && let Some(places) = role["location"].as_array_mut()
        {
            places.truncate(1);
        }
        true
    }));
    let truth = DirectoryTruth::new(payer.directory());
    let npis: BTreeSet<u64> = truth.providers.iter().flat_map(ProviderFacts::npis).collect();
    for (old, new) in [(&old, &new), (&new, &old), (&old, &old)] {
        let diff = old.dataset.diff(&new.dataset, &DiffQuestion::default()).unwrap();
        let changes = diff.providers.unwrap();
        assert!(changes.came.is_empty() && changes.left.is_empty());
        let mut all = 0;
        for members in &changes.networks {
            let key = &members.new_networks[0].key;
            let mut want: BTreeMap<&str, u32> = BTreeMap::new();
            let mut places: BTreeSet<(u64, u32, &str)> = BTreeSet::new();
            for number in &npis {
                let npi = Npi::new(*number).unwrap();
                let status =
                    |made: &Made| made.dataset.network_status(npi, std::slice::from_ref(key), None).unwrap().status;
                let (before, now) = (status(old), status(new));
                *want.entry("before").or_default() += u32::from(before == NetworkStatus::InNetwork);
                *want.entry("after").or_default() += u32::from(now == NetworkStatus::InNetwork);
                let kind = |to: NetworkStatus, inactive: &'static str, away: &'static str| match to {
                    NetworkStatus::Inactive => inactive,
                    NetworkStatus::Unknown => "not_known",
                    _ => away,
                };
                match (before, now) {
                    (NetworkStatus::InNetwork, NetworkStatus::InNetwork) => {}
                    (NetworkStatus::InNetwork, now) => *want.entry(kind(now, "inactive", "left")).or_default() += 1,
                    (before, NetworkStatus::InNetwork) => *want.entry(kind(before, "active", "came")).or_default() += 1,
                    _ => {}
                }
                let (was, was_unplaced, was_inactive) = counties(&old.dataset, npi, key);
                let (is, is_unplaced, is_inactive) = counties(&new.dataset, npi, key);
                assert!(!was_unplaced && !is_unplaced, "every place of this payer has a county");
                let kind = |gap: &Option<String>, inactive: bool, of: [&'static str; 2]| match (gap, inactive) {
                    (Some(_), _) => "not_known",
                    (None, true) => of[0],
                    (None, false) => of[1],
                };
                for county in was.difference(&is) {
                    let kind = kind(&members.new_gap, is_inactive.contains(county), ["inactive", "left"]);
                    places.insert((*number, *county, kind));
                }
                for county in is.difference(&was) {
                    let kind = kind(&members.old_gap, was_inactive.contains(county), ["active", "came"]);
                    places.insert((*number, *county, kind));
                }
            }
            let counts = members.counts;
            for (name, count) in [
                ("before", counts.before),
                ("after", counts.after),
                ("left", counts.left),
                ("inactive", counts.inactive),
                ("came", counts.came),
                ("active", counts.active),
                ("not_known", counts.not_known),
            ] {
                assert_eq!(count, want.get(name).copied().unwrap_or_default(), "{key} {name}");
            }
            let told: BTreeSet<(u64, u32, &str)> = members
                .changes
                .iter()
                .map(|change| {
                    (change.npi.unwrap().number(), change.county.unwrap().number(), change.kind_of_change.as_str())
                })
                .collect();
            assert_eq!(told, places, "{key}");
            assert_eq!(members.changes.len(), told.len(), "{key}: told twice");
            let by_county: u32 = members.counties.iter().map(|county| county.counts.all()).sum();
            assert_eq!(by_county as usize, told.len(), "{key}");
            all += told.len();
            // A limit takes the first of the same.
            let limited = DiffQuestion { network: Some(key.to_string()), limit: Some(4), ..DiffQuestion::default() };
            let limited = old.dataset.diff(&new.dataset, &limited).unwrap().providers.unwrap();
            let limited = &limited.networks[0];
            assert_eq!(limited.changes, members.changes[..members.changes.len().min(4)]);
            assert_eq!(limited.more as usize, members.changes.len() - limited.changes.len());
        }
        assert_eq!(all > 30, !std::ptr::eq(old, new), "{all}");
    }
}

/// With everything that payers get wrong: nobody is said to have left who is found by asking.
#[test]
fn nobody_has_left_who_is_still_there() {
    let shape = Shape { practitioners: 300, packages: 20, listed: 10, quirks: Quirks::dense(), ..Shape::tiny() };
    let payer = MadePayer::new(shape);
    let old = Made::of_text(&text(&payer, |_, _| true));
    let new = Made::of_text(&text(&payer, |number, _| number % 11 != 0));
    let same = old.dataset.diff(&old.dataset, &DiffQuestion::default()).unwrap();
    assert!(same.is_empty(), "{same:#?}");
    let changes = old.dataset.diff(&new.dataset, &DiffQuestion::default()).unwrap().providers.unwrap();
    let mut left = 0;
    for members in &changes.networks {
        let key = &members.new_networks[0].key;
        for change in members.changes.iter().filter(|change| change.kind_of_change.as_str() == "left") {
            let Some(npi) = change.npi.filter(|_| !change.elsewhere) else { continue };
            // Several may state one NPI.
            let Ok(answer) = new.dataset.network_status(npi, std::slice::from_ref(key), None) else { continue };
            assert!(
                !matches!(answer.status, NetworkStatus::InNetwork | NetworkStatus::Unknown),
                "{change:?}: {answer:?}"
            );
            left += 1;
        }
    }
    assert!(left > 10, "{left}");
}
