//! The made payer's directory: every filter alone and in pairs, in every county and around points,
//! beside the right answers.

use std::collections::BTreeSet;

use coverdex_core::Point;
use coverdex_core::build::providers::{name_key, name_words, names_index};
use coverdex_core::{CountyFips, NetworkKey, Npi};
use coverdex_core::{Dataset, ErrorKind};
use coverdex_core::{Inactive, Near, NetworkStatus, PracticeLocation, ProviderKind, ProviderSearch, ProvidersFound};
use coverdex_sandbox::directory::places::Place;
use coverdex_sandbox::directory::specialties::SPECIALTIES;
use coverdex_sandbox::truth::{DirectoryTruth, Filter, NetworkStatus as Expected};
use coverdex_sandbox::{MadePayer, Quirk, Quirks, Shape};
use coverdex_tests::Made;

use crate::say;

/// A row, however it is numbered: whose, at which address and ZIP.
type Row = (u64, String, String);

struct Payer {
    payer: MadePayer,
    made: Made,
}

impl Payer {
    fn of(seed: u64) -> Self {
        Self::with(seed, Shape::tiny().quirks)
    }

    fn with(seed: u64, quirks: Quirks) -> Self {
        let shape = Shape { seed, practitioners: 400, packages: 40, listed: 20, quirks, ..Shape::tiny() };
        let payer = MadePayer::new(shape);
        let made = Made::payer(&payer);
        Self { payer, made }
    }

    fn dataset(&self) -> &Dataset {
        &self.made.dataset
    }

    fn truth(&self) -> DirectoryTruth<'_> {
        DirectoryTruth::new(self.payer.directory())
    }

    fn key(&self, number: u32) -> NetworkKey {
        let network = &self.payer.networks()[number as usize];
        NetworkKey::new(&self.payer.network_system(network), &network.id).unwrap()
    }

    fn place(&self, number: u64) -> Place {
        self.payer.directory().place(number).unwrap()
    }

    fn row(&self, truth: &DirectoryTruth<'_>, pair: usize) -> Option<Row> {
        let pair = &truth.pairs[pair];
        let place = self.place(pair.place);
        let npi = truth.providers[pair.provider].npi_key()?;
        let line = if place.shows_address { name_key(&place.line) } else { String::new() };
        let zip = if place.shows_zip { place.zip_text() } else { String::new() };
        Some((npi, line, zip))
    }

    fn rows(&self, truth: &DirectoryTruth<'_>, pairs: &[usize]) -> BTreeSet<Row> {
        pairs.iter().filter_map(|pair| self.row(truth, *pair)).collect()
    }

    /// A search like the filter; `None` where the directory does not have what it names.
    fn search(&self, near: Near, filter: &Filter, name: Option<&str>) -> Option<ProvidersFound> {
        let search = ProviderSearch {
            near,
            networks: filter.networks.as_ref().map(|numbers| numbers.iter().map(|n| self.key(*n)).collect()),
            specialty: filter.specialty.map(|number| SPECIALTIES[number as usize].name.to_owned()),
            kind: filter.individual.map(|is| if is { ProviderKind::Individual } else { ProviderKind::Organization }),
            gender: filter.gender.map(str::to_owned),
            language: filter.language.map(str::to_owned),
            accepting: filter.accepting,
            city: filter.city.map(str::to_owned),
            name: name.map(str::to_owned),
            limit: 10_000,
            ..ProviderSearch::default()
        };
        match self.dataset().search_providers(&search) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => panic!("{search:?}: {error}"),
        }
    }
}

fn row_of(found: &PracticeLocation) -> Option<Row> {
    let place = found.location.as_ref()?;
    let line = place.address.as_deref().map(name_key).unwrap_or_default();
    let zip = place.zip.map(|zip| zip.to_string()).unwrap_or_default();
    Some((found.npi?.to_string().parse().unwrap(), line, zip))
}

fn whole_county(fips: u32) -> Near {
    // A radius that reaches nothing: what is in the county is found all the same.
    let center = Point::from_degrees(0.0, 0.0).unwrap();
    Near::County { county: CountyFips::new(fips).unwrap(), center, radius_km: 0.0 }
}

fn specialty(name: &str) -> Option<u32> {
    let at = SPECIALTIES.iter().position(|kind| kind.name == name).unwrap_or_else(|| panic!("{name}"));
    u32::try_from(at).ok()
}

/// Each filter alone, then in pairs of different kinds.
fn filters(cities: [&'static str; 2]) -> Vec<Filter> {
    let none = Filter::default();
    let mut kinds: Vec<Vec<Filter>> = vec![
        ["Family Medicine", "Cardiology", "Pharmacy", "Dentist", "Optometry"]
            .iter()
            .filter(|name| SPECIALTIES.iter().any(|kind| kind.name == **name))
            .map(|name| Filter { specialty: specialty(name), ..none.clone() })
            .collect(),
        [true, false].map(|is| Filter { individual: Some(is), ..none.clone() }).to_vec(),
        ["female", "male"].map(|gender| Filter { gender: Some(gender), ..none.clone() }).to_vec(),
        ["Spanish", "Russian"].map(|language| Filter { language: Some(language), ..none.clone() }).to_vec(),
        vec![Filter { accepting: true, ..none.clone() }],
        cities.map(|city| Filter { city: Some(city), ..none.clone() }).to_vec(),
    ];
    assert!(kinds[0].len() >= 3, "{kinds:?}");
    let mut all: Vec<Filter> = vec![none];
    while let Some(first) = kinds.pop() {
        for one in &first {
            all.push(one.clone());
            all.extend(kinds.iter().flatten().map(|other| both(one, other)));
        }
    }
    all
}

fn both(a: &Filter, b: &Filter) -> Filter {
    Filter {
        networks: None,
        specialty: a.specialty.or(b.specialty),
        individual: a.individual.or(b.individual),
        gender: a.gender.or(b.gender),
        language: a.language.or(b.language),
        accepting: a.accepting || b.accepting,
        city: a.city.or(b.city),
    }
}

/// Compares and gives how many rows had to be there.
fn compare(payer: &Payer, truth: &DirectoryTruth<'_>, fips: u32, filter: &Filter, what: &str) -> usize {
    let expected = truth.in_county(fips, filter);
    let certain = payer.rows(truth, &expected.certain);
    let possible = payer.rows(truth, &expected.possible);
    let found = payer.search(whole_county(fips), filter, None);
    let results = found.as_ref().map(|found| found.results.as_slice()).unwrap_or_default();
    let shown: BTreeSet<Row> = results.iter().filter_map(row_of).collect();
    if let Some(found) = &found {
        assert_eq!(found.total, found.results.len() as u64, "{what}");
        assert!(results.iter().all(|result| result.in_county == Some(true)), "{what}");
    }
    let missing: Vec<&Row> = certain.difference(&shown).filter(|(npi, ..)| !truth.may_be_closed(*npi)).collect();
    assert!(missing.is_empty(), "{what}: missing {missing:?}");
    let wrong: Vec<&Row> = shown.iter().filter(|row| !certain.contains(*row) && !possible.contains(*row)).collect();
    assert!(wrong.is_empty(), "{what}: wrong {wrong:?}");
    certain.len()
}

#[test]
fn filters_alone_and_in_pairs_in_every_county_and_network() {
    let payer = Payer::of(1);
    let truth = payer.truth();
    let directory = payer.payer.directory();
    let mut had_to_be = [0_usize; 2];
    for (fips, _, _, places) in directory.counties() {
        let cities = [places.start, places.end - 1].map(|number| payer.place(number).city);
        for filter in filters(cities) {
            let numbers = (0..directory.networks()).map(|number| Some(vec![number]));
            for networks in numbers.chain([None, Some(vec![2, 4, 5])]) {
                let is_pair = usize::from(filter != Filter::default());
                let filter = Filter { networks: networks.or(filter.networks.clone()), ..filter.clone() };
                // Without a network a role that names none fits too; the made payer's truth does not say so.
                if filter.networks.is_some() {
                    had_to_be[is_pair] += compare(&payer, &truth, fips, &filter, &format!("{fips} {filter:?}"));
                }
            }
        }
    }
    assert!(had_to_be[0] > 500 && had_to_be[1] > 5_000, "{had_to_be:?}");
}

#[test]
fn network_and_specialty_of_different_roles_are_no_match() {
    let payer = Payer::of(2);
    let truth = payer.truth();
    let across = truth.only_across_roles(60);
    assert!(across.len() > 10, "{}", across.len());
    for (pair, network, specialty) in across {
        let Some(row) = payer.row(&truth, pair) else { continue };
        let filter = Filter { networks: Some(vec![network]), specialty: Some(specialty), ..Filter::default() };
        // The same provider may have both in one role at a place that folds with this one.
        let elsewhere = (0..truth.pairs.len()).any(|other| {
            payer.row(&truth, other).as_ref() == Some(&row)
                && truth.fits(&truth.pairs[other], &payer.place(truth.pairs[other].place), &filter)
                    != coverdex_sandbox::truth::Fit::No
        });
        let found = payer.search(Near::Anywhere, &filter, None);
        let there = found.is_some_and(|found| found.results.iter().any(|result| row_of(result).as_ref() == Some(&row)));
        assert_eq!(there, elsewhere, "{row:?} {filter:?}");
    }
}

#[test]
fn nearest_first_around_points_at_state_lines_and_far_out() {
    let payer = Payer::of(3);
    let truth = payer.truth();
    let directory = payer.payer.directory();
    let mut met = 0;
    let counties: Vec<u32> = directory.counties().map(|(fips, ..)| fips).collect();
    for fips in counties {
        let center = payer.dataset().county(&format!("{fips:05}")).unwrap().point;
        let at = |degrees: f64| format!("{:.0}", degrees * 1e5).parse::<i32>().unwrap();
        for (km, filter) in [
            (60.0, Filter { networks: Some(vec![0]), ..Filter::default() }),
            (25.0, Filter { networks: Some(vec![2, 4, 5, 6]), ..Filter::default() }),
            (900.0, Filter { networks: Some(vec![4]), individual: Some(true), ..Filter::default() }),
        ] {
            let (near, possible) = truth.within_km((at(center.lat()), at(center.lon())), km, &filter);
            let possible = payer.rows(&truth, &possible);
            let found = payer.search(Near::Point { center, radius_km: km }, &filter, None).unwrap();
            assert!(found.results.is_sorted_by_key(|result| result.distance_km.unwrap()), "{fips} {km}");
            let shown: Vec<(Row, f64)> =
                found.results.iter().filter_map(|r| Some((row_of(r)?, r.distance_km.unwrap()))).collect();
            for (pair, expected) in &near {
                let Some(row) = payer.row(&truth, *pair) else { continue };
                if truth.may_be_closed(row.0) || (km - expected).abs() < 0.05 {
                    continue;
                }
                // Places of one address fold into one row, which lies at one of their points.
                let same: Vec<f64> = shown.iter().filter(|(own, _)| *own == row).map(|(_, km)| *km).collect();
                assert!(!same.is_empty(), "{fips} {km} km: missing {row:?} at {expected}");
                met += usize::from(same.iter().any(|km| (km - expected).abs() < 0.05));
            }
            let sure = payer.rows(&truth, &near.iter().map(|(pair, _)| *pair).collect::<Vec<_>>());
            for (row, distance) in &shown {
                let at_the_line = (km - distance).abs() < 0.05;
                assert!(sure.contains(row) || possible.contains(row) || at_the_line, "{fips} {km}: wrong {row:?}");
            }
        }
    }
    assert!(met > 300, "{met}");
}

#[test]
fn names_while_typing_inside_every_filter() {
    let payer = Payer::of(1);
    let mut met = 0;
    for (fips, ..) in payer.payer.directory().counties() {
        let filter = Filter { networks: Some(vec![2, 4, 5, 6]), ..Filter::default() };
        let everyone = payer.search(whole_county(fips), &filter, None).unwrap().results;
        for provider in everyone.iter().take(12) {
            // Other spellings are found too, and a person's credentials are none of the name.
            // A provider is found by its other names too.
            let words = |of: &PracticeLocation| {
                let known = of.npi.and_then(|npi| payer.dataset().provider(npi).unwrap());
                let others = known.map(|provider| provider.other_names).unwrap_or_default();
                let all = others.iter().chain([&of.name]);
                all.flat_map(|name| names_index(name, of.kind == ProviderKind::Organization)).collect::<Vec<_>>()
            };
            let Some(last) = name_words(&provider.name).into_iter().rfind(|word| words(provider).contains(word)) else {
                continue;
            };
            for length in 1..=last.chars().count() {
                let typed: String = last.chars().take(length).collect();
                let found = payer.search(whole_county(fips), &filter, Some(&typed)).unwrap().results;
                let expected: Vec<&PracticeLocation> =
                    everyone.iter().filter(|other| words(other).iter().any(|word| word.starts_with(&typed))).collect();
                // A whole word before a longer one is the only thing that a typed name may narrow.
                assert!(found.iter().all(|one| expected.contains(&one)), "{fips} {typed}");
                assert!(found.contains(provider), "{fips} {typed}: {}", provider.name);
                assert_eq!(found.len(), expected.len(), "{fips} {typed}");
                met += found.len();
            }
        }
    }
    assert!(met > 500, "{met}");
}

/// A family name, then a given one, typed letter by letter.
#[test]
fn a_name_is_among_the_first_ten_by_the_sixth_letter() {
    let shape = Shape { seed: 5, practitioners: 4_000, packages: 40, listed: 20, ..Shape::tiny() };
    let payer = MadePayer::new(shape);
    let made = Made::payer(&payer);
    let payer = Payer { payer, made };
    let (mut asked, mut shown, mut largest) = (0, 0, 0);
    for (fips, ..) in payer.payer.directory().counties() {
        let near = whole_county(fips);
        let everyone = payer.search(near, &Filter::default(), None).unwrap().results;
        largest = largest.max(everyone.len());
        let people = everyone.iter().filter(|row| row.kind == ProviderKind::Individual && row.npi.is_some());
        for person in people.step_by(7) {
            let mut words = name_words(&person.name);
            let indexed = names_index(&person.name, false);
            words.retain(|word| word.len() > 1 && indexed.contains(word));
            let Some(family) = words.pop() else { continue };
            let mut left = 6;
            let mut typed = String::new();
            for word in std::iter::once(&family).chain(words.first()) {
                let some: String = word.chars().take(left).collect();
                left -= some.chars().count();
                typed = format!("{typed} {some}").trim().to_owned();
            }
            let found = payer.search(near, &Filter::default(), Some(&typed)).unwrap().results;
            asked += 1;
            shown += usize::from(found.iter().take(10).any(|row| row.npi == person.npi));
        }
    }
    say(&format!("names by the sixth letter: {shown} of {asked} among the first ten, up to {largest} rows a county"));
    assert!(asked > 200 && shown * 100 >= asked * 95, "{shown} of {asked}");
}

#[test]
fn a_name_of_nothing_is_no_name() {
    let payer = Payer::of(2);
    let search = |name: &str| {
        let search = ProviderSearch { name: Some(name.to_owned()), limit: 1, ..ProviderSearch::default() };
        payer.dataset().search_providers(&search)
    };
    for name in ["*", ".", "'", " - "] {
        assert_eq!(search(name).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
    }
    // A box in which nothing was typed yet.
    assert!(search(" ").unwrap().total > 100);
}

#[test]
fn pages_join_and_totals_are_right() {
    let payer = Payer::of(2);
    let filter = Filter { networks: Some(vec![2, 4]), ..Filter::default() };
    let center = payer.dataset().county("24510").unwrap().point;
    let county = CountyFips::new(24510).unwrap();
    for near in
        [Near::County { county, center, radius_km: 80.0 }, Near::Anywhere, Near::Point { center, radius_km: 200.0 }]
    {
        let whole = payer.search(near, &filter, None).unwrap();
        assert!(whole.total > 20 && whole.total == whole.results.len() as u64, "{}", whole.total);
        for size in [1, 7, 20] {
            let mut joined = Vec::new();
            for offset in (0..whole.results.len()).step_by(size) {
                let networks = filter.networks.as_ref().map(|numbers| numbers.iter().map(|n| payer.key(*n)).collect());
                let search = ProviderSearch { near, networks, limit: size, offset, ..ProviderSearch::default() };
                let page = payer.dataset().search_providers(&search).unwrap();
                assert_eq!(page.total, whole.total);
                joined.extend(page.results);
            }
            assert_eq!(joined, whole.results);
        }
    }
}

#[test]
fn those_whose_place_is_not_stated_are_counted() {
    let mut met = 0;
    for seed in [1, 2, 3] {
        let payer = Payer::of(seed);
        let truth = payer.truth();
        for number in 0..payer.payer.directory().networks() {
            for individual in [None, Some(true), Some(false)] {
                let filter = Filter { networks: Some(vec![number]), individual, ..Filter::default() };
                let expected = truth.place_not_stated(&filter);
                let open = |pairs: &[usize]| {
                    pairs
                        .iter()
                        .filter(|at| {
                            let facts = &truth.providers[**at];
                            facts.npi_key().is_none_or(|npi| !truth.may_be_closed(npi))
                        })
                        .count() as u64
                };
                let (least, most) =
                    (open(&expected.certain), (expected.certain.len() + expected.possible.len()) as u64);
                let found = payer.search(Near::Anywhere, &filter, None).unwrap();
                assert!(
                    (least..=most).contains(&found.place_not_stated),
                    "network {number} {individual:?}: {} not in {least}..={most}",
                    found.place_not_stated
                );
                met += least;
            }
        }
    }
    assert!(met > 20, "{met}");
}

#[test]
fn every_provider_in_every_network_has_its_status() {
    let mut met: BTreeSet<&str> = BTreeSet::new();
    // Where many roles are of nobody, they may be of anybody.
    let lost = Quirks::dense().with(Quirk::PersonDangling, 15_000);
    for payer in [Payer::of(1), Payer::with(2, lost)] {
        statuses_are_right(&payer, &mut met);
    }
    assert_eq!(met.len(), 6, "{met:?}");
}

fn statuses_are_right(payer: &Payer, met: &mut BTreeSet<&str>) {
    let truth = payer.truth();
    let strangers = payer.payer.directory().strangers(5);
    let own: Vec<u64> =
        truth.providers.iter().flat_map(coverdex_sandbox::directory::people::ProviderFacts::npis).collect();
    for npi in own.into_iter().chain(strangers) {
        for number in 0..payer.payer.directory().networks() {
            let answer = payer.dataset().network_status(Npi::new(npi).unwrap(), &[payer.key(number)], None).unwrap();
            let expected = truth.network_status(npi, number);
            let want = match expected {
                Expected::InNetwork => NetworkStatus::InNetwork,
                Expected::Inactive { .. } => NetworkStatus::Inactive,
                Expected::OtherNetworksOnly => NetworkStatus::OtherNetworksOnly,
                Expected::NoRole | Expected::NotInDirectory => NetworkStatus::NotInDirectory,
                Expected::Unknown => NetworkStatus::Unknown,
            };
            assert_eq!(answer.status, want, "{npi} in network {number}: {expected:?} {answer:?}");
            let has_reason = matches!(expected, Expected::NoRole | Expected::Unknown);
            assert_eq!(answer.reason.is_some(), has_reason, "{npi}: {answer:?}");
            if let Expected::Inactive { role, provider, place } = expected {
                let may = [(role, Inactive::Role), (provider, Inactive::Provider), (place, Inactive::Place)];
                assert!(may.iter().any(|(is, what)| *is && answer.inactive.contains(what)), "{expected:?} {answer:?}");
            }
            met.insert(expected.as_str());
        }
    }
}
