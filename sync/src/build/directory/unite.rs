//! Versions of one resource of which none is the newest, as one: what can stand side by side is put
//! together, and of what cannot, nothing is stated.
//!
//! Whether they contradict each other in what decides an answer is for those who join roles with them.

use crate::model::{Individual, OrganizationFacts, Place};

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
fn agreed<T: PartialEq>(stated: impl Iterator<Item = Option<T>>) -> Option<T> {
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
        first.hours = hours;
        for other in others {
            first.name = first.name.take().or(other.name);
            if !states_something(&first.address) {
                first.address = other.address;
            }
            first.position = first.position.or(other.position);
            first.part_of = first.part_of.or(other.part_of);
            first.organization = first.organization.or(other.organization);
            extend_sorted(&mut first.accepting, other.accepting);
            extend(&mut first.phones, other.phones);
        }
        // Without an address a position is all that tells the place.
        if position.is_some() || states_something(&first.address) {
            first.position = position;
        }
        first
    }
}
