//! The model: every practice location of the truth is looked at, one by one.

use coverdex_core::build::geo::{Point, haversine_km};
use coverdex_core::{Accepting, Inactive, Near, NetworkStatus, PracticeLocation, ProviderSearch};
use coverdex_core::{NetworkKind, Npi, State};

use crate::geography::{CountyEntry, Gazetteer};

use super::world::{RoleTruth, SPECIALTIES, TOWNS, UNREADABLE_ROLES, World};

/// A result in few words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    npi: Option<Npi>,
    name: String,
    /// Number in front of the address, which tells the site.
    site: Option<String>,
    km: Option<f64>,
    in_county: Option<bool>,
}

impl Line {
    pub(super) fn of(found: &PracticeLocation) -> Self {
        let address = found.location.as_ref().and_then(|location| location.address.clone());
        Self {
            npi: found.npi,
            name: found.name.clone(),
            site: address.map(|address| address.split(' ').next().unwrap().to_owned()),
            km: found.distance_km,
            in_county: found.in_county,
        }
    }
}

pub(super) struct Found {
    pub(super) total: u64,
    pub(super) lines: Vec<Line>,
    pub(super) not_stated: u64,
}

pub(super) fn assert_equal(got: &[Line], want: &[Line], what: &str) {
    let close = |a: &Line, b: &Line| {
        let km = match (a.km, b.km) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-6,
            (a, b) => a == b,
        };
        km && (a.npi, &a.name, &a.site, a.in_county) == (b.npi, &b.name, &b.site, b.in_county)
    };
    let (got, want) = (&ties_sorted(got), &ties_sorted(want));
    let equal = got.len() == want.len() && got.iter().zip(want).all(|(a, b)| close(a, b));
    assert!(equal, "{what}\ngot  {got:#?}\nwant {want:#?}");
}

/// The order of one provider's places at one distance, and of namesakes without an NPI, is no one's
/// promise but that it stays: here they are sorted by the site.
fn ties_sorted(lines: &[Line]) -> Vec<Line> {
    let tie = |a: &Line, b: &Line| {
        let km = a.km.zip(b.km).map_or(a.km == b.km, |(a, b)| (a - b).abs() < 1e-6);
        km && (a.npi, &a.name, a.in_county) == (b.npi, &b.name, b.in_county)
    };
    let mut sorted = lines.to_vec();
    for ties in sorted.chunk_by_mut(tie) {
        ties.sort_by(|a, b| a.site.cmp(&b.site));
    }
    sorted
}

fn active(flag: Option<bool>) -> bool {
    flag != Some(false)
}

fn words(text: &str) -> Vec<String> {
    let plain: String = text
        .to_lowercase()
        .chars()
        .filter(|c| *c != '\'')
        .map(|c| match c {
            'ë' => 'e',
            'ú' => 'u',
            'ñ' => 'n',
            c => c,
        })
        .collect();
    plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn wanted_networks(world: &World, search: &ProviderSearch) -> Option<Vec<usize>> {
    if search.networks.is_none() && search.network_kind.is_none() {
        return None;
    }
    let of_kind = |at: &usize| search.network_kind.is_none_or(|kind| kind == world.networks[*at].key.kind());
    let named =
        |at: &usize| search.networks.as_ref().is_none_or(|keys| keys.iter().any(|key| *key == world.networks[*at].key));
    Some((0..world.networks.len()).filter(named).filter(of_kind).collect())
}

/// Whether one of the roles, each with the flag of its place, has all that is asked of one role.
fn any_role_fits<'a>(
    world: &World,
    search: &ProviderSearch,
    roles: impl Iterator<Item = (&'a RoleTruth, Option<bool>)>,
) -> bool {
    let wanted = wanted_networks(world, search);
    let mut fitting = roles
        .filter(|(role, place_flag)| role_fits(world, search, role, wanted.as_deref(), active(*place_flag)))
        .map(|(role, _)| takes_new_patients(role, wanted.as_deref()))
        .peekable();
    if !search.accepting {
        fitting.peek().is_some()
    } else if wanted.is_some() {
        // Of the asked networks one must say yes and nothing else.
        fitting.flatten().any(|says_yes| says_yes)
    } else {
        // Nobody knows the patient's network: some statement must say yes, and all do.
        let said: Vec<bool> = fitting.flatten().collect();
        !said.is_empty() && !said.contains(&false)
    }
}

/// Whether a role, at a place with this flag, has the specialty and one of the networks.
fn role_fits(
    world: &World,
    search: &ProviderSearch,
    role: &RoleTruth,
    wanted: Option<&[usize]>,
    place_active: bool,
) -> bool {
    let person = &world.persons[role.person];
    if role.dangling || !active(role.active) || !active(person.resources[role.person_resource]) || !place_active {
        return false;
    }
    let meant = |text: &String| SPECIALTIES.iter().position(|spellings| spellings.contains(&text.as_str())).unwrap();
    let specialty = search.specialty.as_ref().map(meant);
    wanted.is_none_or(|wanted| role.networks.iter().any(|network| wanted.contains(network)))
        && specialty.is_none_or(|meant| role.specialties.iter().any(|(of, _)| *of == meant))
}

/// Whether each statement of a role on new patients is yes and nothing else: one for each of its wanted
/// networks of which it says something, by itself or by what it says of all.
fn takes_new_patients(role: &RoleTruth, wanted: Option<&[usize]>) -> Vec<bool> {
    let said = |network: Option<usize>| {
        let said: Vec<Accepting> =
            role.accepting.iter().filter(|(of, _)| *of == network).map(|(_, what)| *what).collect();
        (!said.is_empty()).then(|| said.iter().all(|what| *what == Accepting::Yes))
    };
    if role.networks.is_empty() {
        return said(None).into_iter().collect();
    }
    let here = role.networks.iter().filter(|network| wanted.is_none_or(|wanted| wanted.contains(network)));
    here.filter_map(|network| said(Some(*network)).or_else(|| said(None))).collect()
}

fn person_fits(world: &World, search: &ProviderSearch, at: usize, whole_words: bool) -> bool {
    let person = &world.persons[at];
    let name = words(&person.name);
    let typed = search.name.as_deref().map(words).unwrap_or_default();
    let by_name = match typed.split_last() {
        None => true,
        Some((last, earlier)) => {
            let begins = |word: &String| name.iter().any(|own| own.starts_with(word.as_str()));
            begins(last) && earlier.iter().all(|word| if whole_words { name.contains(word) } else { begins(word) })
        }
    };
    by_name
        && search.kind.is_none_or(|kind| kind == person.kind)
        && search.gender.as_ref().is_none_or(|gender| person.gender == Some(gender.to_lowercase().as_str()))
        && search.language.is_none_or_spanish(person.language)
}

trait Spanish {
    fn is_none_or_spanish(&self, language: Option<&str>) -> bool;
}

impl Spanish for Option<String> {
    fn is_none_or_spanish(&self, language: Option<&str>) -> bool {
        self.is_none() || language == Some("Spanish")
    }
}

pub(super) fn search(world: &World, search: &ProviderSearch) -> Found {
    // Earlier words are whole ones if anybody in the directory has all of them.
    let whole_words = (0..world.persons.len()).any(|at| {
        let by_name = ProviderSearch { name: search.name.clone(), ..ProviderSearch::default() };
        in_directory(world, at) && person_fits(world, &by_name, at, true)
    });
    let mut found: Vec<(bool, f64, String, Line)> = Vec::new();
    let mut not_stated = 0;
    for person in 0..world.persons.len() {
        if !person_fits(world, search, person, whole_words) {
            continue;
        }
        let of_person = || world.roles.iter().filter(|role| role.person == person);
        let without_site = of_person().filter(|role| role.sites.is_empty()).map(|role| (role, None));
        not_stated += u64::from(any_role_fits(world, search, without_site));
        for site in 0..world.sites.len() {
            let here = of_person().flat_map(|role| {
                let sites = role.sites.iter().filter(|(at, _)| *at == site);
                sites.map(move |(_, of)| (role, world.sites[site].resources[*of].1))
            });
            let fits = any_role_fits(world, search, here);
            let (town, state, _, _, _, _) = TOWNS[world.sites[site].town];
            let in_city = |city: &String| !world.sites[site].lost && words(city) == words(town);
            if !fits || !search.city.as_ref().is_none_or(in_city) {
                continue;
            }
            let (county, point) = world.place(site);
            let km_from = |center: Point| point.map(|point| haversine_km(center, point));
            let (outside, km, in_county) = match search.near {
                Near::County { center, radius_km, .. } | Near::Point { center, radius_km }
                    if world.sites[site].lost =>
                {
                    let asked_otherwise = search.city.is_some();
                    not_stated += u64::from(!asked_otherwise && touches(center, radius_km, state));
                    continue;
                }
                Near::Point { center, radius_km } if world.sites[site].county_only => {
                    let entry = Gazetteer::get().county(county.unwrap()).unwrap();
                    not_stated += u64::from(touches_county(center, radius_km, entry));
                    continue;
                }
                Near::County { county: wanted, center, radius_km } => {
                    let here = county == Some(wanted);
                    let km = km_from(center);
                    if !here && km.is_none_or(|km| km > radius_km) {
                        continue;
                    }
                    (!here, km, Some(here))
                }
                Near::Point { center, radius_km } => match km_from(center) {
                    Some(km) if km <= radius_km => (true, Some(km), None),
                    _ => continue,
                },
                Near::State(wanted) if wanted.usps() != state => continue,
                Near::State(_) | Near::Anywhere => (false, None, None),
            };
            let truth = &world.persons[person];
            let line = Line {
                npi: truth.npis.iter().min().copied(),
                name: truth.name.clone(),
                site: Some(world.sites[site].line.split(' ').next().unwrap().to_owned()),
                km,
                in_county,
            };
            let measured = matches!(search.near, Near::County { .. } | Near::Point { .. });
            let rank = if measured { km.unwrap_or(f64::INFINITY) } else { 0.0 };
            found.push((outside, rank, words(&truth.name).join(" "), line));
        }
    }
    let total = found.len() as u64;
    let npi = |line: &Line| line.npi.map_or(u64::MAX, Npi::number);
    found.sort_by(|(outside_a, rank_a, name_a, a), (outside_b, rank_b, name_b, b)| {
        (outside_a.cmp(outside_b))
            .then(rank_a.total_cmp(rank_b))
            .then_with(|| (name_a, &a.name, npi(a)).cmp(&(name_b, &b.name, npi(b))))
    });
    let lines = found.into_iter().map(|(_, _, _, line)| line).collect();
    Found { total, lines, not_stated }
}

/// Whether a circle touches a county of the state.
fn touches(center: Point, radius_km: f64, state: &str) -> bool {
    let mut counties = Gazetteer::get().counties_of(State::from_name(state).unwrap());
    counties.any(|county| touches_county(center, radius_km, county))
}

fn touches_county(center: Point, radius_km: f64, county: &CountyEntry) -> bool {
    haversine_km(center, county.point) <= radius_km + f64::from(county.radius_m) / 1_000.0 + 0.001
}

/// Whether the directory has this provider: a role names it, or it has an NPI.
fn in_directory(world: &World, person: usize) -> bool {
    !world.persons[person].npis.is_empty() || world.roles.iter().any(|role| role.person == person && !role.dangling)
}

/// A person's standing in a network.
pub(super) fn status(world: &World, person: usize, network: usize) -> (NetworkStatus, Vec<Inactive>) {
    let roles = || world.roles.iter().filter(|role| role.person == person && !role.dangling);
    let named = |dangling: bool| {
        let roles = world.roles.iter().filter(|role| {
            let resource = world.persons[role.person].resources[role.person_resource];
            role.dangling == dangling
                && role.networks.contains(&network)
                && active(role.active)
                && (dangling || active(resource))
        });
        roles.count()
    };
    let (there, lost) = (named(false), named(true));
    let mut inactive = Vec::new();
    for role in roles().filter(|role| role.networks.contains(&network)) {
        let places: Vec<Option<bool>> = match role.sites.as_slice() {
            [] => vec![None],
            sites => sites.iter().map(|(site, of)| world.sites[*site].resources[*of].1).collect(),
        };
        for place in places {
            let mut levels = Vec::new();
            if !active(role.active) {
                levels.push(Inactive::Role);
            }
            if !active(world.persons[person].resources[role.person_resource]) {
                levels.push(Inactive::Provider);
            }
            if !active(place) {
                levels.push(Inactive::Place);
            }
            if levels.is_empty() {
                return (NetworkStatus::InNetwork, Vec::new());
            }
            inactive.extend(levels);
        }
    }
    let unread = UNREADABLE_ROLES * 100 > world.roles.len() + UNREADABLE_ROLES;
    if unread || there == 0 || lost * 100 > there + lost {
        return (NetworkStatus::Unknown, Vec::new());
    }
    inactive.sort();
    inactive.dedup();
    if !inactive.is_empty() {
        (NetworkStatus::Inactive, inactive)
    } else if roles().any(|role| !role.networks.is_empty()) {
        (NetworkStatus::OtherNetworksOnly, Vec::new())
    } else {
        (NetworkStatus::NotInDirectory, Vec::new())
    }
}

/// A kind of network is none of the model's business beyond its system.
#[test]
fn systems_tell_kinds() {
    let world = World::random(1);
    let kinds: Vec<NetworkKind> = world.networks.iter().map(|network| network.key.kind()).collect();
    assert_eq!(kinds, [NetworkKind::Medical, NetworkKind::Vision, NetworkKind::Pharmacy, NetworkKind::Medical]);
}
