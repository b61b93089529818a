//! Final numbers: providers by name, places by area, rows by place and provider, and every set by
//! its content, so that the same resources give the same bytes.

use std::cmp::Ordering;
use std::hash::Hash;

use coverdex_core::build::providers::layout::NOT_STATED;

use crate::build::intern::Interner;

use super::collect::NONE;
use super::places::{PlaceRow, Places};
use super::providers::{ProviderRow, Providers};
use super::roles::Sayings;
use super::rows::{Contact, RoleRow, Rows};

/// Something numbered as it was met, and its final order.
#[derive(Debug)]
pub(super) struct Order {
    /// What was met, in the final order.
    pub(super) met: Vec<u32>,
    /// The final number of what was met; [`NONE`]: it is not used.
    pub(super) at: Vec<u32>,
}

impl Order {
    fn of(count: usize, used: impl Fn(u32) -> bool, compare: impl Fn(u32, u32) -> Ordering) -> Self {
        let mut met: Vec<u32> = (0..).take(count).filter(|number| used(*number)).collect();
        met.sort_by(|a, b| compare(*a, *b));
        let mut at = vec![NONE; count];
        for (place, number) in (0..).zip(&met) {
            if let Some(to) = at.get_mut(*number as usize) {
                *to = place;
            }
        }
        Self { met, at }
    }

    /// Everything that a numbering holds, by content.
    pub(super) fn by_content<T: Ord + Hash + Eq>(all: &Interner<T>) -> Self {
        Self::of(all.len(), |_| true, |a, b| all.value(a).cmp(&all.value(b)))
    }

    /// The used ones of a numbering, by content.
    fn used<T: Ord + Hash + Eq>(all: &Interner<T>, of: impl Iterator<Item = u32>) -> Self {
        let mut used = vec![false; all.len()];
        for number in of {
            if let Some(used) = used.get_mut(number as usize) {
                *used = true;
            }
        }
        let is_used = |number: u32| used.get(number as usize) == Some(&true);
        Self::of(all.len(), is_used, |a, b| all.value(a).cmp(&all.value(b)))
    }

    pub(super) fn number(&self, met: u32) -> u32 {
        self.at.get(met as usize).copied().unwrap_or(NONE)
    }
}

/// A directory with its final numbers.
pub(super) struct Numbered<'a> {
    pub(super) providers: Vec<&'a ProviderRow>,
    /// The places of rows; `None` stands for the place that is not stated.
    pub(super) places: Vec<Option<&'a PlaceRow>>,
    pub(super) rows: Vec<NumberedRow>,
    pub(super) roles: Vec<RoleRow>,
    pub(super) contacts: Interner<Contact>,
    /// Further places of the same address, as they were met: (row, place).
    pub(super) further: Vec<(u32, u32)>,
    pub(super) specialty_sets: Order,
    pub(super) network_sets: Order,
    pub(super) states: Order,
}

/// A row with its final numbers; its roles begin at `roles`.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedRow {
    pub(super) provider: u32,
    pub(super) place: u32,
    pub(super) roles: u32,
}

impl<'a> Numbered<'a> {
    pub(super) fn of(providers: &'a Providers, places: &'a Places, rows: Rows, sayings: &Sayings<'_>) -> Self {
        let provider_order = Order::of(
            providers.rows.len(),
            |_| true,
            |a, b| {
                let key = |number: u32| {
                    providers.rows.get(number as usize).map(|row| (&row.name_key, &row.name, row.npi, row.source))
                };
                key(a).cmp(&key(b))
            },
        );
        let mut named = vec![false; places.rows.len()];
        for row in &rows.rows {
            if let Some(named) = named.get_mut(row.place as usize) {
                *named = true;
            }
        }
        let place_order = Order::of(
            places.rows.len(),
            |number| named.get(number as usize) == Some(&true),
            |a, b| {
                let key = |number: u32| {
                    places
                        .rows
                        .get(number as usize)
                        .map(|row| (row.area, along_curve(row.point), row.key, row.name_key))
                };
                key(a).cmp(&key(b))
            },
        );
        let not_stated = u32::try_from(place_order.met.len()).unwrap_or(NONE);
        let mut shown: Vec<Option<&PlaceRow>> =
            place_order.met.iter().map(|number| places.rows.get(*number as usize)).collect();
        if rows.rows.iter().any(|row| row.place == NONE) {
            shown.push(None);
        }
        let specialty_sets = Order::used(&sayings.specialty_sets, rows.roles.iter().map(|role| role.specialties));
        let network_sets = Order::used(&sayings.network_sets, rows.roles.iter().map(|role| role.networks));
        let states = Order::used(&sayings.states, rows.roles.iter().map(|role| role.state));
        let mut order: Vec<(u32, u32, u32)> = rows
            .rows
            .iter()
            .zip(0..)
            .map(|(row, at)| {
                let place = if row.place == NONE { not_stated } else { place_order.number(row.place) };
                (place, provider_order.number(row.provider), at)
            })
            .collect();
        order.sort_unstable();
        let mut numbered_rows = Vec::with_capacity(order.len());
        let mut roles = Vec::with_capacity(rows.roles.len());
        let mut row_at = vec![NONE; if rows.further.is_empty() { 0 } else { order.len() }];
        for ((place, provider, at), number) in order.into_iter().zip(0..) {
            let first = |index: usize| rows.rows.get(index).map_or(rows.roles.len(), |row| row.roles as usize);
            let own = rows.roles.get(first(at as usize)..first(at as usize + 1)).unwrap_or_default();
            let from = u32::try_from(roles.len()).unwrap_or(NONE);
            roles.extend(own.iter().map(|role| RoleRow {
                specialties: specialty_sets.number(role.specialties),
                networks: network_sets.number(role.networks),
                state: states.number(role.state),
                ..*role
            }));
            if let Some(to) = row_at.get_mut(at as usize) {
                *to = number;
            }
            numbered_rows.push(NumberedRow { provider, place, roles: from });
        }
        let new_row = |met: u32| row_at.get(met as usize).copied().unwrap_or(NONE);
        let mut further: Vec<(u32, u32)> = rows.further.iter().map(|(row, place)| (new_row(*row), *place)).collect();
        further.sort_unstable();
        Self {
            providers: provider_order.met.iter().filter_map(|number| providers.rows.get(*number as usize)).collect(),
            places: shown,
            rows: numbered_rows,
            roles,
            contacts: rows.contacts,
            further,
            specialty_sets,
            network_sets,
            states,
        }
    }

    /// The code of a place's area.
    pub(super) fn area(&self, place: usize) -> u32 {
        self.places.get(place).copied().flatten().map_or(NOT_STATED, |row| row.area)
    }

    /// The roles of a row.
    pub(super) fn roles_of(&self, row: usize) -> std::ops::Range<usize> {
        let at = |index: usize| self.rows.get(index).map_or(self.roles.len(), |row| row.roles as usize);
        at(row)..at(row + 1)
    }

    /// The roles of a row, to be sorted by what they say.
    pub(super) fn roles_of_mut(&mut self, row: usize) -> (&mut [RoleRow], &Interner<Contact>) {
        let range = self.roles_of(row);
        (self.roles.get_mut(range).unwrap_or_default(), &self.contacts)
    }
}

/// Where a point is along a curve that keeps near points together; behind all where there is none.
fn along_curve(point: Option<(i32, i32)>) -> u64 {
    let Some((lat, lon)) = point else { return u64::MAX };
    let spread = |number: i32, shift: i32| {
        let number = u64::from(number.saturating_add(shift).max(0).cast_unsigned());
        (0..26).fold(0, |spread, bit| spread | (number >> bit & 1) << (2 * bit))
    };
    spread(lon, 18_000_000) | spread(lat, 9_000_000) << 1
}
