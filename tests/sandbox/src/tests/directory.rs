use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::NetworkKey;
use serde_json::Value;

use crate::directory::people::Provider;
use crate::directory::places::{Place, PositionShown};
use crate::directory::roles::At;
use crate::directory::specialties::SPECIALTIES;
use crate::truth::{DirectoryTruth, Filter, Fit, NetworkStatus};
use crate::{MadePayer, ResourceType, Shape, geography};

fn payer(seed: u64) -> MadePayer {
    MadePayer::new(Shape { seed, packages: 20, listed: 10, plans: 2, ..Shape::tiny() })
}

fn all(payer: &MadePayer, kind: ResourceType) -> BTreeMap<String, Value> {
    (0..payer.count(kind))
        .map(|n| serde_json::from_str::<Value>(&payer.resource(kind, n)).unwrap())
        .map(|value| (format!("{}/{}", kind.name(), value["id"].as_str().unwrap()), value))
        .collect()
}

fn npis(resource: &Value) -> BTreeSet<u64> {
    let identifiers = resource["identifier"].as_array().cloned().unwrap_or_default();
    let npi = |i: &&Value| {
        i["system"].as_str().is_some_and(|s| s.ends_with("us-npi")) || i["type"]["coding"][0]["code"] == "NPI"
    };
    // Valid or not by an independent sum: doubled digits from the right of the nine, plus 24.
    let valid = |n: &u64| {
        let digits: Vec<u64> = n.to_string().bytes().map(|b| u64::from(b - b'0')).collect();
        if digits.len() != 10 || digits[0] != 1 {
            return false;
        }
        let doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
        let sum: u64 =
            (0..9).map(|i| if i % 2 == 0 { doubled[usize::try_from(digits[i]).unwrap()] } else { digits[i] }).sum();
        (24 + sum + digits[9]).is_multiple_of(10)
    };
    identifiers.iter().filter(npi).filter_map(|i| i["value"].as_str()?.parse().ok()).filter(valid).collect()
}

/// The networks that a role's JSON names in any of the ways.
fn networks_of(role: &Value, payer: &MadePayer, organizations: &BTreeMap<String, Value>) -> BTreeSet<u32> {
    let keys: Vec<NetworkKey> =
        payer.networks().iter().map(|n| NetworkKey::new(&payer.network_system(n), &n.id).unwrap()).collect();
    let number = |system: &Value, id: &Value| {
        let key = NetworkKey::new(system.as_str()?, id.as_str()?).ok()?;
        keys.iter().position(|k| *k == key).map(|n| u32::try_from(n).unwrap())
    };
    let mut found = BTreeSet::new();
    for tag in role["meta"]["tag"].as_array().into_iter().flatten() {
        found.extend(number(&tag["system"], &tag["code"]));
    }
    for extension in role["extension"].as_array().into_iter().flatten() {
        if !extension["url"].as_str().unwrap().ends_with("network-reference") {
            continue;
        }
        let to = &extension["valueReference"];
        found.extend(number(&to["identifier"]["system"], &to["identifier"]["value"]));
        if let Some(organization) = to["reference"].as_str().and_then(|r| organizations.get(r))
            && organization["type"][0]["coding"][0]["code"] == "ntwk"
        {
            let identifier = &organization["identifier"][0];
            found.extend(number(&identifier["system"], &identifier["value"]));
        }
    }
    found
}

#[test]
fn truth_agrees_with_a_naive_reading_of_the_directory() {
    let mut met = BTreeSet::new();
    for seed in [1, 5] {
        let payer = payer(seed);
        let truth = DirectoryTruth::new(payer.directory());
        let practitioners = all(&payer, ResourceType::Practitioner);
        let organizations = all(&payer, ResourceType::Organization);
        let locations = all(&payer, ResourceType::Location);
        let roles = all(&payer, ResourceType::PractitionerRole);
        // NPI → network → the best that any role says: 2 in network, 1 inactive.
        let mut best: BTreeMap<u64, BTreeMap<u32, u8>> = BTreeMap::new();
        let mut pairs: BTreeSet<(u64, String)> = BTreeSet::new();
        // Network → active roles, and those that lead to nobody.
        let mut named: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
        for npi in practitioners.values().chain(organizations.values()).flat_map(npis) {
            best.insert(npi, BTreeMap::new());
        }
        for role in roles.values() {
            let person = role["practitioner"]["reference"].as_str();
            let reference = person.or(role["organization"]["reference"].as_str()).unwrap();
            let provider = practitioners.get(reference).or_else(|| organizations.get(reference));
            if role["active"] != false && provider.is_none_or(|provider| provider["active"] != false) {
                for network in networks_of(role, &payer, &organizations) {
                    let [all, lost] = named.entry(network).or_default();
                    *all += 1;
                    *lost += usize::from(provider.is_none());
                }
            }
            let Some(provider) = provider else { continue };
            let places: Vec<&str> = role["location"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|l| l["reference"].as_str().unwrap())
                .map(|r| r.get(r.find("Location/").unwrap()..).unwrap())
                .collect();
            let closed = |l: &&str| {
                locations.get(*l).is_some_and(|l| matches!(l["status"].as_str(), Some("inactive" | "suspended")))
            };
            let inactive = role["active"] == false
                || provider["active"] == false
                || (!places.is_empty() && places.iter().all(closed));
            for npi in npis(provider) {
                for network in networks_of(role, &payer, &organizations) {
                    let entry = best.entry(npi).or_default().entry(network).or_insert(0);
                    *entry = (*entry).max(if inactive { 1 } else { 2 });
                }
                best.entry(npi).or_default().entry(u32::MAX).or_insert(0);
                pairs.extend(places.iter().filter(|l| locations.contains_key(**l)).map(|l| (npi, (*l).to_owned())));
            }
        }
        let mut statuses = BTreeMap::new();
        for (npi, networks) in &best {
            for network in 0..payer.directory().networks() {
                let status = truth.network_status(*npi, network);
                let wanted = match networks.get(&network) {
                    Some(2) => "in_network",
                    _ if named.get(&network).is_some_and(|[all, lost]| lost * 100 > *all) => "unknown",
                    Some(_) => "inactive",
                    None if networks.is_empty() => "no_role",
                    None => "other_networks_only",
                };
                assert_eq!(status.as_str(), wanted, "{npi} {network}");
                *statuses.entry(wanted).or_insert(0) += 1;
            }
        }
        assert!(["in_network", "inactive", "other_networks_only"].iter().all(|of| statuses.contains_key(of)));
        met.extend(statuses.into_keys());
        let modeled: BTreeSet<(u64, String)> = truth
            .pairs
            .iter()
            .flat_map(|pair| {
                let location = format!("Location/{}", payer.id(ResourceType::Location, pair.place));
                truth.providers[pair.provider].npis().into_iter().map(move |npi| (npi, location.clone()))
            })
            .collect();
        assert_eq!(modeled, pairs);
        for examples in truth.status_examples(2).values() {
            assert!(!examples.is_empty());
        }
        let stranger = payer.directory().strangers(1)[0];
        assert_eq!(truth.network_status(stranger, 0), NetworkStatus::NotInDirectory);
        assert!(!best.contains_key(&stranger));
    }
    assert_eq!(met.len(), 5, "{met:?}");
}

#[test]
fn reasons_of_inactivity_are_told_apart() {
    let payer = MadePayer::new(Shape { practitioners: 2_000, packages: 20, listed: 10, plans: 1, ..Shape::tiny() });
    let truth = DirectoryTruth::new(payer.directory());
    let mut seen = BTreeSet::new();
    for npi in truth.providers.iter().flat_map(crate::directory::people::ProviderFacts::npis) {
        for network in 0..payer.directory().networks() {
            seen.insert(truth.network_status(npi, network));
        }
    }
    let only = |role, provider, place| NetworkStatus::Inactive { role, provider, place };
    for wanted in [only(true, false, false), only(false, true, false), only(false, false, true)] {
        assert!(seen.contains(&wanted), "{wanted:?}");
    }
}

#[test]
fn a_person_with_two_records_is_one() {
    let payer = payer(1);
    let directory = payer.directory();
    let mut seconds = 0;
    for number in 0..directory.individuals() {
        if let Some(second) = directory.second_record(number) {
            assert_eq!(directory.practitioner(second), (number, true));
            let read = |n| serde_json::from_str::<Value>(&payer.resource(ResourceType::Practitioner, n)).unwrap();
            assert_eq!(npis(&read(number)), npis(&read(second)));
            assert_eq!(npis(&read(number)).len(), 1);
            seconds += 1;
        }
    }
    assert_eq!(seconds, directory.practitioner_records() - directory.individuals());
    assert!(seconds > 2);
}

/// What the Location's JSON says, mended by the documented rules alone.
fn zip_of(location: &Value) -> Option<u32> {
    let text = match &location["address"]["postalCode"] {
        Value::String(text) => text.clone(),
        Value::Number(n) => n.to_string(),
        _ => return None,
    };
    let head = text.split('-').next().unwrap();
    let five = head.get(..5).unwrap_or(head);
    five.parse().ok()
}

#[test]
fn places_lead_to_their_counties() {
    let payer = MadePayer::new(Shape { locations: 4_000, counties: 300, ..Shape::tiny() });
    let directory = payer.directory();
    let tables = geography::tables();
    let mut positions = BTreeSet::new();
    let (mut certain, mut possible) = (0, 0);
    for number in 0..directory.locations() {
        let place = directory.place(number).unwrap();
        let location: Value = serde_json::from_str(&payer.resource(ResourceType::Location, number)).unwrap();
        positions.insert(place.position);
        assert_eq!(zip_of(&location), place.shows_zip.then_some(place.zip), "{location}");
        let number_of = |v: &Value| v.as_f64().or_else(|| v.as_str()?.parse().ok());
        let (lat, lon) = (number_of(&location["position"]["latitude"]), number_of(&location["position"]["longitude"]));
        let degrees = |e5: i32| f64::from(e5) / 1e5;
        if place.position == PositionShown::Right {
            assert_eq!((lat, lon), (Some(degrees(place.true_point.0)), Some(degrees(place.true_point.1))));
        }
        let area = &tables.zips[tables.zips.binary_search_by_key(&place.zip, |z| z.zip).unwrap()];
        assert!(geography::distance_km(area.point, place.true_point) < 0.4);
        match place.county() {
            Some(county) => {
                certain += 1;
                let by_zip = place.shows_zip && area.counties == [county];
                let by_point = place.position == PositionShown::Right && area.counties == [county];
                let by_district = place.district.is_some() && area.counties.contains(&county);
                assert!(by_zip || by_point || by_district, "{place:?}");
            }
            None => {
                possible += u32::from(!place.possible_counties().is_empty());
            }
        }
    }
    assert_eq!(positions.len(), 6, "{positions:?}");
    assert!(certain > 3_000 && possible > 50, "{certain} {possible}");
}

#[test]
fn large_counties_hold_most() {
    let payer = MadePayer::new(Shape { packages: 20, listed: 10, plans: 1, ..Shape::bench() });
    let directory = payer.directory();
    let largest = directory.counties().max_by_key(|(.., range)| range.end - range.start).unwrap();
    assert_eq!(largest.0, 6037);
    let share = (largest.3.end - largest.3.start) * 1_000 / directory.locations();
    assert!((15..50).contains(&share), "Los Angeles has {share} of 1000");
    assert!(directory.counties().count() > 3_200);
    let sample: Vec<_> = (0..20_000).map(|n| directory.role(n * 70).unwrap()).collect();
    let tenths = |sum: usize| sum * 10 / sample.len();
    let networks = tenths(sample.iter().filter(|r| r.networks.iter().any(|n| *n > 3)).map(|r| r.networks.len()).sum());
    assert!((60..80).contains(&networks), "{networks} tenths of a network in a role");
    let mut pairs = 0;
    for number in (0..directory.individuals()).step_by(97) {
        let facts = directory.provider(Provider::Individual(number));
        let places: BTreeSet<At> = directory.roles_of(&facts).iter().flat_map(|r| r.places.clone()).collect();
        pairs += places.len();
    }
    let pairs = pairs * 97;
    assert!((2_500_000..3_500_000).contains(&pairs), "{pairs}");
}

#[test]
fn filters_hold_within_one_role() {
    let payer = MadePayer::new(Shape { practitioners: 1_500, packages: 20, listed: 10, plans: 1, ..Shape::tiny() });
    let truth = DirectoryTruth::new(payer.directory());
    let across = truth.only_across_roles(20);
    assert_eq!(across.len(), 20);
    for (pair, network, specialty) in across {
        let pair = &truth.pairs[pair];
        let place = payer.directory().place(pair.place).unwrap();
        let fits = |filter: &Filter| truth.fits(pair, &place, filter);
        let network = Some(vec![network]);
        assert_eq!(fits(&Filter { networks: network.clone(), ..Filter::default() }), Fit::Certain);
        assert_eq!(fits(&Filter { specialty: Some(specialty), ..Filter::default() }), Fit::Certain);
        assert_eq!(fits(&Filter { networks: network, specialty: Some(specialty), ..Filter::default() }), Fit::No);
    }
}

#[test]
fn searches_by_county_and_distance() {
    let payer = MadePayer::new(Shape { packages: 20, listed: 10, plans: 1, ..Shape::demo() });
    let truth = DirectoryTruth::new(payer.directory());
    let specialty = SPECIALTIES.iter().position(|s| s.name == "Cardiology").and_then(|n| u32::try_from(n).ok());
    let filter = Filter { networks: Some(vec![2, 4, 5, 6]), specialty, ..Filter::default() };
    let found = truth.in_county(21_067, &filter);
    assert!(!found.certain.is_empty());
    let point = (3_804_000, -8_446_000);
    let (near, _) = truth.within_km(point, 60.0, &filter);
    assert!(near.len() >= 3 && near.is_sorted_by(|a, b| a.1 <= b.1));
    let place = |pair: usize| -> Place { payer.directory().place(truth.pairs[pair].place).unwrap() };
    for pair in &found.certain {
        assert_eq!(place(*pair).county(), Some(21_067));
        assert!(!found.possible.contains(pair));
    }
    for (pair, km) in &near {
        assert!(*km <= 60.0 && place(*pair).distance_is_certain());
    }
    let everyone = truth.in_county(21_067, &Filter::default());
    assert!(everyone.certain.len() > 10 * found.certain.len());
    assert!(!truth.place_not_stated(&Filter::default()).certain.is_empty());
    for (filter, least) in [
        (Filter { gender: Some("female"), ..Filter::default() }, 20),
        (Filter { language: Some("Spanish"), ..Filter::default() }, 3),
        (Filter { accepting: true, ..Filter::default() }, 10),
        (Filter { individual: Some(false), ..Filter::default() }, 10),
    ] {
        let part = truth.in_county(21_067, &filter).certain;
        assert!(part.len() >= least && part.len() < everyone.certain.len(), "{filter:?}: {}", part.len());
    }
}

#[test]
fn affiliations_count_like_roles() {
    let payer = MadePayer::new(Shape { packages: 20, listed: 10, plans: 2, ..Shape::affiliated() });
    let truth = DirectoryTruth::new(payer.directory());
    let affiliated = truth.affiliated();
    assert_eq!(affiliated.len() as u64, payer.count(ResourceType::OrganizationAffiliation));
    let mut in_network = 0;
    for (number, (npi, role)) in (0..).zip(&affiliated) {
        let resource: Value =
            serde_json::from_str(&payer.resource(ResourceType::OrganizationAffiliation, number)).unwrap();
        let networks: Vec<_> =
            resource["network"].as_array().unwrap().iter().map(|of| of["reference"].clone()).collect();
        let stated: Vec<_> = role
            .networks
            .iter()
            .map(|network| format!("Organization/{}", payer.id(ResourceType::Organization, u64::from(*network))))
            .collect();
        assert_eq!(networks, stated);
        for place in role.places.iter().filter(|_| npi.is_some()) {
            let At::Place(place) = place else { continue };
            let pair = truth
                .pairs
                .iter()
                .find(|pair| pair.place == *place && truth.providers[pair.provider].npi_key() == *npi);
            assert!(pair.is_some(), "it is at its place");
        }
        for network in npi.iter().flat_map(|_| &role.networks) {
            let status = truth.network_status(npi.unwrap(), *network);
            assert_ne!(status, NetworkStatus::NoRole);
            in_network += u32::from(status == NetworkStatus::InNetwork);
        }
    }
    assert!(in_network > 5, "{in_network}");
}
