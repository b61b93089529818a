mod directory;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::*;
use crate::truth::{OUTCOMES, Reason, Status};

fn tiny() -> MadePayer {
    MadePayer::new(Shape::tiny())
}

fn everything(payer: &MadePayer) -> impl Iterator<Item = (ResourceType, u64)> + '_ {
    ResourceType::ALL.into_iter().flat_map(|kind| (0..payer.count(kind)).map(move |number| (kind, number)))
}

#[test]
fn a_resource_is_a_function_of_its_number() {
    let (a, b) = (tiny(), tiny());
    let mut numbers: Vec<_> = everything(&a).collect();
    let forward: Vec<String> = numbers.iter().map(|(kind, n)| a.resource(*kind, *n)).collect();
    numbers.reverse();
    let mut backward: Vec<String> = numbers.iter().map(|(kind, n)| b.resource(*kind, *n)).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    let other = MadePayer::new(Shape { seed: 2, ..Shape::tiny() });
    assert_ne!(other.resource(ResourceType::Medication, 3), a.resource(ResourceType::Medication, 3));
}

#[test]
fn every_resource_is_json_with_its_type_and_id() {
    let payer = tiny();
    for (kind, number) in everything(&payer) {
        let text = payer.resource(kind, number);
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(value["resourceType"], kind.name());
        let id = value["id"].as_str().unwrap();
        assert_eq!(payer.find(id), Some((kind, number)));
        assert!(!text.contains('\n'));
    }
    for kind in ResourceType::ALL {
        let count = payer.count(kind);
        assert_eq!(count > 0, !kind.is_optional(), "{kind:?}");
        assert_eq!(payer.resource(kind, count), "", "{kind:?} beyond the last");
        assert_eq!(payer.find(&payer.id(kind, count)), None);
    }
}

#[test]
fn tiny_shows_every_quirk_and_none_shows_none() {
    let quirks = |payer: &MadePayer| {
        everything(payer)
            .fold(QuirkSet::default(), |seen, (kind, n)| seen.union(payer.write(kind, n, &mut String::new())))
    };
    let seen = quirks(&tiny());
    assert!(!seen.contains(Quirk::AffiliatedFacility), "only where it is asked for");
    let seen = seen.union(quirks(&MadePayer::new(Shape::affiliated())));
    // What shows by being absent, and has a test of its own below.
    let silent = [Quirk::MedicationMissing, Quirk::PlanWithoutInsurancePlan, Quirk::RxnormOnlyEntry];
    let missing: Vec<&str> =
        Quirk::ALL.iter().filter(|q| !seen.contains(**q) && !silent.contains(q)).map(|q| q.name()).collect();
    assert!(missing.is_empty(), "not in tiny: {missing:?}");
    let clean = MadePayer::new(Shape { quirks: Quirks::none(), ..Shape::tiny() });
    // Some counties have no ZIP of their own: that is geography, not a quirk.
    let left: Vec<&str> = quirks(&clean).iter().filter(|q| *q != Quirk::ZipShared).map(Quirk::name).collect();
    assert_eq!(left, Vec::<&str>::new());
}

#[test]
fn affiliations_add_to_a_payer_and_change_nothing_else() {
    let (without, with) = (tiny(), MadePayer::new(Shape::affiliated()));
    for (kind, number) in everything(&without) {
        assert_eq!(with.resource(kind, number), without.resource(kind, number));
    }
    let facilities = with.count(ResourceType::Organization) - without.count(ResourceType::Organization);
    assert_eq!(facilities, 15);
    let mut leaving_places_to_services = 0;
    for number in 0..facilities {
        let read = |kind| serde_json::from_str::<Value>(&with.resource(kind, number)).unwrap();
        let (affiliation, service) =
            (read(ResourceType::OrganizationAffiliation), read(ResourceType::HealthcareService));
        let facility = affiliation["participatingOrganization"]["reference"].as_str().unwrap();
        assert_eq!(service["providedBy"]["reference"], facility);
        let (kind, at) = with.find(facility.strip_prefix("Organization/").unwrap()).unwrap();
        assert!(kind == ResourceType::Organization && at >= without.count(kind), "it has no role");
        let id = with.id(ResourceType::HealthcareService, number);
        assert_eq!(affiliation["healthcareService"][0]["reference"], format!("HealthcareService/{id}"));
        for network in affiliation["network"].as_array().unwrap() {
            let id = network["reference"].as_str().unwrap().strip_prefix("Organization/").unwrap();
            let (kind, number) = with.find(id).unwrap();
            assert!(kind == ResourceType::Organization && number < with.networks().len() as u64);
        }
        leaving_places_to_services += u32::from(affiliation["location"].is_null() && service["location"].is_array());
    }
    assert!(leaving_places_to_services > 0);
}

#[test]
fn names_of_quirks_are_distinct() {
    let names: BTreeSet<&str> = Quirk::ALL.iter().map(|q| q.name()).collect();
    assert_eq!(names.len(), Quirk::ALL.len());
}

#[test]
fn what_shows_by_being_absent() {
    let payer = tiny();
    assert!(payer.count(ResourceType::Medication) < u64::from(payer.shape().packages));
    let hidden = payer.plans().iter().find(|p| p.kind == Kind::NoInsurancePlan).unwrap();
    let named = (0..payer.count(ResourceType::InsurancePlan))
        .any(|n| payer.resource(ResourceType::InsurancePlan, n).contains(&hidden.id.to_string()));
    assert!(!named);
    assert!(!payer.lists_of_plan(hidden.number).is_empty());
}

/// What the resources themselves say, read naively: plan → its references, entries by id.
struct Read {
    references: BTreeMap<String, Vec<String>>,
    entries: BTreeMap<String, Value>,
}

fn read(payer: &MadePayer) -> Read {
    let mut references: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for n in 0..payer.count(ResourceType::List) {
        let list: Value = serde_json::from_str(&payer.resource(ResourceType::List, n)).unwrap();
        let identifier = if list["identifier"].is_array() { &list["identifier"][0] } else { &list["identifier"] };
        let entries = list["entry"].as_array().unwrap();
        let named: Vec<String> = entries
            .iter()
            .enumerate()
            .map(|(nth, e)| match e["item"]["reference"].as_str() {
                Some(r) => r.split("MedicationKnowledge/").nth(1).unwrap().split('/').next().unwrap().to_owned(),
                None => format!("{} names nothing at {nth}", list["id"]),
            })
            .collect();
        assert!(named.len() <= payer.shape().list_size as usize);
        references.entry(identifier["value"].as_str().unwrap().to_owned()).or_default().extend(named);
    }
    let entries = (0..payer.count(ResourceType::MedicationKnowledge))
        .map(|n| serde_json::from_str::<Value>(&payer.resource(ResourceType::MedicationKnowledge, n)).unwrap())
        .map(|entry| (entry["id"].as_str().unwrap().to_owned(), entry))
        .collect();
    Read { references, entries }
}

fn plan_id_of(entry: &Value) -> Option<String> {
    let extension = entry["extension"].as_array()?.iter().find(|e| e["url"].as_str().unwrap().contains("PlanID"))?;
    Some(extension["valueString"].as_str()?.to_uppercase().replace(' ', "-"))
}

/// The package that an entry's ndc11 or HL7 coding names.
fn package_of(entry: &Value, truth: &Truth<'_>) -> Option<u32> {
    let coding = &entry["code"]["coding"];
    let one = std::slice::from_ref(coding);
    let codings = coding.as_array().map_or(one, Vec::as_slice);
    codings
        .iter()
        .filter(|c| c["system"].as_str().is_some_and(|s| s.ends_with("/ndc11") || s.ends_with("/sid/ndc")))
        .filter_map(|c| c["code"].as_str()?.parse().ok())
        .find_map(|ndc| truth.package_of_ndc(ndc))
}

#[test]
fn facts_of_plans_are_what_the_resources_hold() {
    for shape in [Shape::tiny(), Shape { seed: 9, list_size: 37, ..Shape::tiny() }] {
        let payer = MadePayer::new(shape);
        let truth = Truth::new(&payer);
        let read = read(&payer);
        for plan in payer.plans() {
            let facts = truth.plan_facts(plan.number);
            let id = plan.id.to_string();
            let named = read.references.get(&id).cloned().unwrap_or_default();
            let distinct: BTreeSet<&String> = named.iter().collect();
            assert_eq!(facts.references, named.len() as u64, "{id}");
            assert_eq!(facts.distinct_references, distinct.len() as u64, "{id}");
            let gaps = distinct
                .iter()
                .filter(|r| {
                    read.entries.get(r.as_str()).is_none_or(|e| {
                        !e["code"]["coding"].is_object() && package_of(e, &truth).is_none() && !has_rxnorm(e)
                    })
                })
                .count() as u64;
            assert_eq!(facts.gaps, if plan.kind.has_lists() { gaps } else { 0 }, "{id}");
            let with_id = read.entries.values().filter(|e| plan_id_of(e).as_ref() == Some(&id)).count() as u64;
            if plan.kind == Kind::RowsOnly {
                assert!(with_id > facts.rows, "foreign rows carry the id of the plan without Lists");
            }
        }
    }
}

fn has_rxnorm(entry: &Value) -> bool {
    let coding = &entry["code"]["coding"];
    let one = std::slice::from_ref(coding);
    coding.as_array().map_or(one, Vec::as_slice).iter().any(|c| {
        c["system"].as_str().is_some_and(|s| s.ends_with("rxnorm"))
            && c["code"].to_string().trim_matches('"').parse::<u32>().is_ok()
    })
}

/// Answers read off the resources by the rules' words, with no part of the model: the two must agree.
#[test]
fn truth_agrees_with_a_naive_reading_of_the_resources() {
    let payer = tiny();
    let truth = Truth::new(&payer);
    let read = read(&payer);
    let referenced: BTreeSet<&String> = read.references.values().flatten().collect();
    let mut outcomes = BTreeMap::new();
    for plan in payer.plans() {
        let id = plan.id.to_string();
        let own: BTreeSet<&String> = read.references.get(&id).into_iter().flatten().collect();
        let mut rows: BTreeMap<u32, Vec<(&Value, bool)>> = BTreeMap::new();
        for (name, entry) in &read.entries {
            let listed = own.contains(name);
            let by_id = !referenced.contains(name) && plan_id_of(entry).as_ref() == Some(&id);
            if (listed || by_id)
                && let Some(package) = package_of(entry, &truth)
            {
                rows.entry(package).or_default().push((entry, listed));
            }
        }
        let readable = |r: &str| read.entries.get(r).is_some_and(|e| package_of(e, &truth).is_some() || has_rxnorm(e));
        let gaps = own.iter().filter(|r| !readable(r)).count();
        for package in 0..payer.shape().packages {
            let expected = truth.coverage(plan.number, package);
            let got = naive(&id, plan, rows.get(&package), own.len(), gaps);
            assert_eq!((expected.status, expected.reason), (got.0, got.1), "{id} {package}");
            let stated: BTreeSet<String> = expected
                .stated
                .iter()
                .map(|s| {
                    format!("{:?}", (s.tier.map(Tier::code), s.prior_authorization, s.step_therapy, s.quantity_limit))
                })
                .collect();
            assert_eq!(stated, got.2, "{id} {package}");
            *outcomes.entry((got.0, got.1)).or_insert(0) += 1;
        }
    }
    for outcome in OUTCOMES {
        assert!(outcomes.contains_key(&outcome), "no {outcome:?} among {outcomes:?}");
        assert!(!truth.examples(outcome.0, outcome.1).is_empty());
    }
}

type Reading = (Status, Option<Reason>, BTreeSet<String>);

fn naive(id: &str, plan: &Plan, rows: Option<&Vec<(&Value, bool)>>, references: usize, gaps: usize) -> Reading {
    let has_lists = references > 0;
    let none = BTreeSet::new();
    let rows = rows.map(Vec::as_slice).unwrap_or_default();
    let counted: Vec<&Value> = rows.iter().filter(|(_, listed)| *listed || !has_lists).map(|(e, _)| *e).collect();
    let active: Vec<&&Value> = counted.iter().filter(|e| e["status"].as_str().is_none_or(|s| s == "active")).collect();
    if active.is_empty() {
        // Where entries are missing, the one that counts may be among them.
        if has_lists && gaps * 100 > references {
            return (Status::Unknown, Some(Reason::Incomplete), none);
        }
        if !counted.is_empty() {
            return (Status::NotListed, Some(Reason::EntryInactive), none);
        }
        if !rows.is_empty() {
            return (Status::NotListed, Some(Reason::Unreferenced), none);
        }
        return match (has_lists, plan.kind.has_rows(), plan.kind.type_code()) {
            (true, ..) => (Status::NotListed, None, none),
            (false, true, _) => (Status::Unknown, Some(Reason::NoList), none),
            (false, false, "MA") => (Status::Unknown, Some(Reason::NoDrugBenefit), none),
            _ => (Status::Unknown, Some(Reason::NoFormularyPublished), none),
        };
    }
    let mut stated = BTreeSet::new();
    for entry in active {
        let extension = |name: &str| {
            entry["extension"]
                .as_array()
                .unwrap()
                .iter()
                .find(|e| e["url"].as_str().unwrap().contains(name))
                .cloned()
                .unwrap_or_default()
        };
        let flag = |name| match &extension(name)["valueBoolean"] {
            Value::Bool(b) => Some(*b),
            Value::String(s) => Some(s == "true"),
            _ => None,
        };
        let coding = extension("DrugTier")["valueCodeableConcept"]["coding"].clone();
        let codings = match coding {
            Value::Array(all) => all,
            Value::Null => vec![],
            one => vec![one],
        };
        let flags = (flag("PriorAuthorization"), flag("StepTherapy"), flag("QuantityLimit"));
        let mut tiers: Vec<Option<String>> =
            codings.iter().map(|c| Some(c["code"].to_string().trim_matches('"').to_owned())).collect();
        if tiers.is_empty() {
            tiers.push(None);
        }
        for tier in tiers {
            stated.insert(format!("{:?}", (tier.as_deref(), flags.0, flags.1, flags.2)));
        }
    }
    let one = stated.iter().next().unwrap().clone();
    match stated.len() {
        1 if one.starts_with("(None") => (Status::Unknown, Some(Reason::TierNotStated), stated),
        1 if one.starts_with("(Some(\"0\")") => (Status::NotCovered, None, stated),
        1 if one.starts_with("(Some(\"X9\")") => (Status::Unknown, Some(Reason::TierNotUnderstood), stated),
        1 => (Status::Covered, None, stated),
        n => {
            assert_eq!(n, 2, "{id}");
            (Status::Conflict, None, stated)
        }
    }
}

#[test]
fn codes_are_shown_where_truth_says_so() {
    let payer = tiny();
    let truth = Truth::new(&payer);
    let mut shown: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for kind in [ResourceType::MedicationKnowledge, ResourceType::Medication] {
        for n in 0..payer.count(kind) {
            let value: Value = serde_json::from_str(&payer.resource(kind, n)).unwrap();
            let Some(package) = package_of(&value, &truth) else { continue };
            seen.insert(package);
            for coding in value["code"]["coding"].as_array().into_iter().flatten() {
                if coding["system"].as_str().is_some_and(|s| s.ends_with("rxnorm")) {
                    let code = coding["code"].to_string().trim_matches('"').parse().unwrap();
                    shown.entry(package).or_default().insert(code);
                }
            }
        }
    }
    for package in 0..payer.shape().packages {
        assert_eq!(truth.seen_anywhere(package), seen.contains(&package));
        let codes: BTreeSet<u32> = truth.rxcuis_of_package(package).iter().map(|c| c.number()).collect();
        assert_eq!(codes, shown.get(&package).cloned().unwrap_or_default(), "package {package}");
        for code in truth.rxcuis_of_package(package) {
            assert!(truth.packages_of_rxcui(code).contains(&package));
        }
        let product = payer.package(package).unwrap().product();
        assert_eq!(truth.packages_of_product(product).contains(&package), seen.contains(&package));
    }
    assert!((0..payer.shape().packages).any(|p| !truth.seen_anywhere(p)), "every package is seen somewhere");
}

#[test]
fn plans_are_of_all_kinds() {
    let payer = MadePayer::new(Shape { plans: 500, packages: 300, listed: 200, ..Shape::tiny() });
    let ids: BTreeSet<String> = payer.plans().iter().map(|p| p.id.to_string()).collect();
    assert_eq!(ids.len(), 500, "ids are distinct");
    for kind in Kind::ALL {
        assert!(payer.plans().iter().any(|p| p.kind == kind), "{kind:?}");
    }
    let of = |kind| payer.plans().iter().find(|p| p.kind == kind).unwrap().id.to_string();
    let without_year = |id: String| id.rsplit_once('-').unwrap().0.to_owned();
    assert_eq!(without_year(of(Kind::Ordinary)), without_year(of(Kind::NextYear)));
    assert!(of(Kind::NextYear).ends_with("2027"));
    let without_segment = |id: String| without_year(without_year(id));
    assert_eq!(without_segment(of(Kind::FirstSegment)), without_segment(of(Kind::SecondSegment)));
    assert!(of(Kind::Group).contains("-8"));
}

#[test]
fn folders_hold_the_same_resources_however_they_are_written() {
    let payer = tiny();
    let base = std::env::temp_dir().join(format!("made-payer-{}", std::process::id()));
    let variants = [
        FolderOptions::default(),
        FolderOptions { threads: 1, ..FolderOptions::default() },
        FolderOptions { compression: Compression::Zstd, shuffle: Some(3), ..FolderOptions::default() },
        FolderOptions {
            arrangement: Arrangement::Mixed(3),
            compression: Compression::None,
            ..FolderOptions::default()
        },
        FolderOptions { arrangement: Arrangement::ByType(4), other_files: true, ..FolderOptions::default() },
        FolderOptions { arrangement: Arrangement::Bundles(70), ..FolderOptions::default() },
        FolderOptions {
            arrangement: Arrangement::Single,
            types: vec![ResourceType::InsurancePlan],
            ..FolderOptions::default()
        },
    ];
    let mut folders = Vec::new();
    for (nth, options) in variants.iter().enumerate() {
        let folder = base.join(nth.to_string());
        let written = payer.write_folder(&folder, options).unwrap();
        let bytes = bytes_of(&folder);
        assert_eq!(payer.write_folder(&folder, options).unwrap(), written);
        assert_eq!(bytes_of(&folder), bytes, "writing {options:?} again changes bytes");
        let wanted: u64 = options.types.iter().map(|k| payer.count(*k)).sum();
        assert_eq!(written.resources, wanted);
        folders.push(bytes);
    }
    assert_eq!(folders[0], folders[1], "threads change bytes");
    let resources = |files: &BTreeMap<String, Vec<u8>>| -> BTreeSet<String> {
        files
            .iter()
            .filter(|(n, _)| n.contains("ndjson"))
            .flat_map(|(_, b)| unpacked(b).lines().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    let first = resources(&folders[0]);
    assert_eq!(first.len() as u64, everything(&payer).count() as u64);
    assert_eq!(first, resources(&folders[2]));
    assert_eq!(first, resources(&folders[3]));
    let mut with_others = resources(&folders[4]);
    with_others.retain(|line| !line.contains("\"Coverage\""));
    assert_eq!(first, with_others);
    let bundled: u64 = folders[5]
        .values()
        .map(|b| serde_json::from_str::<Value>(&unpacked(b)).unwrap()["entry"].as_array().unwrap().len() as u64)
        .sum();
    assert_eq!(bundled, first.len() as u64);
    let broken = base.join("broken");
    payer.write_folder(&broken, &FolderOptions { broken_lines: 2, ..FolderOptions::default() }).unwrap();
    let lines = resources(&bytes_of(&broken));
    assert_eq!(lines.iter().filter(|l| serde_json::from_str::<Value>(l).is_err()).count(), 2);
    std::fs::remove_dir_all(base).unwrap();
}

fn bytes_of(folder: &std::path::Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(bytes_of(&path));
        } else {
            files.insert(path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap());
        }
    }
    files
}

fn unpacked(bytes: &[u8]) -> String {
    use std::io::Read as _;
    let mut text = String::new();
    match bytes {
        [0x1f, 0x8b, ..] => {
            flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).unwrap();
        }
        [0x28, 0xb5, ..] => text = String::from_utf8(zstd::decode_all(bytes).unwrap()).unwrap(),
        plain => text = String::from_utf8(plain.to_vec()).unwrap(),
    }
    text
}
