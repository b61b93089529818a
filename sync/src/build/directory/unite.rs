//! Versions of one resource of which none is the newest, as one: what can stand side by side is put
//! together, and of what cannot, nothing is stated.
//!
//! Whether they contradict each other in what decides an answer is for those who join roles with them.

use coverdex_core::State;
use coverdex_core::build::address::{self, Beside};
use coverdex_core::build::fold;
use coverdex_core::build::geo::names;

use crate::model::{Address, Individual, OrganizationFacts, Place};

use super::places::states_something;

/// Facts whose versions can be put together.
pub(super) trait Unite: Sized {
    /// All versions as one. They come in an order of their content; what they say only once, such as a
    /// status, is that of the first.
    fn united(first: Self, others: Vec<Self>) -> Self;
}

/// Adds those that are not there yet.
fn extend<T: PartialEq>(all: &mut Vec<T>, others: Vec<T>) {
    for other in others {
        if !all.contains(&other) {
            all.push(other);
        }
    }
}

fn extend_sorted<T: Ord>(all: &mut Vec<T>, others: Vec<T>) {
    all.extend(others);
    all.sort();
    all.dedup();
}

/// What all that state anything state alike.
pub(super) fn agreed<T: PartialEq>(stated: impl Iterator<Item = Option<T>>) -> Option<T> {
    let mut stated = stated.flatten();
    let first = stated.next()?;
    stated.all(|other| other == first).then_some(first)
}

impl Unite for Individual {
    fn united(mut first: Self, others: Vec<Self>) -> Self {
        let genders = std::iter::once(&first).chain(&others).map(|facts| facts.gender.clone());
        first.gender = agreed(genders);
        for other in others {
            extend_sorted(&mut first.npis, other.npis);
            extend(&mut first.names, other.names);
            extend_sorted(&mut first.languages, other.languages);
            extend(&mut first.phones, other.phones);
        }
        first
    }
}

impl Unite for OrganizationFacts {
    fn united(mut first: Self, others: Vec<Self>) -> Self {
        for other in others {
            extend_sorted(&mut first.npis, other.npis);
            match (&first.name, other.name) {
                (None, name) => first.name = name,
                (Some(known), Some(name)) if *known != name => extend_sorted(&mut first.aliases, vec![name]),
                _ => {}
            }
            extend_sorted(&mut first.aliases, other.aliases);
            extend_sorted(&mut first.types, other.types);
            // Only what all of them name is surely the key of a network.
            first.network_keys.retain(|key| other.network_keys.contains(key));
            extend(&mut first.addresses, other.addresses);
            extend(&mut first.phones, other.phones);
        }
        first
    }
}

impl Unite for Place {
    fn united(mut first: Self, others: Vec<Self>) -> Self {
        let all = || std::iter::once(&first).chain(&others);
        let hours = agreed(all().map(|place| place.hours.clone()));
        let position = agreed(all().map(|place| place.position));
        let address = address(all().map(|place| &place.address).filter(|address| states_something(address)));
        // Of versions that are elsewhere one without a position does not share that of another.
        let parts = |of: &Address| [of.city.is_some(), of.state.is_some(), of.zip.is_some()];
        let elsewhere =
            all().any(|place| parts(&place.address).iter().zip(parts(&address)).any(|(is, all)| *is && !all));
        let position = position.filter(|_| !elsewhere || all().all(|place| place.position.is_some()));
        (first.hours, first.position, first.address) = (hours, position, address);
        for other in others {
            first.name = first.name.take().or(other.name);
            first.part_of = first.part_of.or(other.part_of);
            first.organization = first.organization.or(other.organization);
            extend_sorted(&mut first.accepting, other.accepting);
            extend(&mut first.phones, other.phones);
        }
        first
    }
}

/// The parts of addresses that all of them state alike, as the first writes them.
fn address<'a>(mut all: impl Iterator<Item = &'a Address> + Clone) -> Address {
    let text = |part: fn(&Address) -> &Option<String>, key: fn(&str) -> String| {
        let mut stated = all.clone().filter_map(|address| part(address).as_deref());
        let first = stated.next()?;
        stated.all(|other| key(other) == key(first)).then(|| first.to_owned())
    };
    let state = |text: &str| State::from_name(text).map_or_else(|| fold::key(text), |state| state.usps().to_owned());
    let zip = |text: &str| text.chars().filter(char::is_ascii_digit).take(5).collect();
    let city = text(|address| &address.city, names::key);
    let (state, zip) = (text(|address| &address.state, state), text(|address| &address.zip, zip));
    let district = text(|address| &address.district, fold::key);
    let abroad = all.clone().all(|address| address.abroad);
    let Some(first) = all.next() else { return Address::default() };
    let line = |address: &Address| address::key(&address.lines, &Beside::default());
    let lines = if all.all(|other| line(other) == line(first)) { first.lines.clone() } else { Vec::new() };
    Address { lines, city, state, zip, district, period: first.period, abroad }
}
