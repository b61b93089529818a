//! What roles say, each distinct saying once: specialty sets, network sets, states.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use coverdex_core::NetworkKind;
use coverdex_core::build::providers::layout::{accepting, flag};
use coverdex_core::build::providers::{CLOSED_CODES, name_words, says_closed};

use crate::build::intern::Interner;
use crate::doors::type_says_closed;
use crate::model::{Accepting, AcceptingPatients, Day, Specialty};

use super::collect::{NONE, RoleRest, RoleUse, Said};
use super::networks::Networks;
use super::phones::CodedPhones;
use super::specialties::{SpecialtyRow, row};

/// Flags, days, and statements about new patients: (0 for all networks, else a network's number and 1;
/// code).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct State {
    pub(super) flags: u32,
    /// The day from which or until which the role is inactive.
    pub(super) role_day: Option<Day>,
    /// The same of its provider.
    pub(super) provider_day: Option<Day>,
    pub(super) accepting: Vec<(u32, u32)>,
}

/// What provider and place add to the state of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct More {
    pub(super) flags: u32,
    pub(super) role_day: Option<Day>,
    pub(super) provider_day: Option<Day>,
    /// Number of what the place says of new patients, which counts where the role is silent: on all, or on
    /// a network; [`NONE`]: nothing.
    pub(super) accepting: u32,
}

impl Default for More {
    fn default() -> Self {
        Self { flags: 0, role_day: None, provider_day: None, accepting: NONE }
    }
}

/// What the specialties of a role say of its door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    /// They say that people walk in (retail, community), or it is no pharmacy.
    Open,
    Closed,
    /// Nothing, or a pharmacy of no stated kind: the name may tell.
    NotSaid,
}

/// A role's saying, in numbers that [`Sayings`] holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saying {
    pub(super) specialties: u32,
    pub(super) networks: u32,
    pub(super) state: u32,
    /// A pharmacy that only a name, or its organization's type, can tell to be closed.
    pub(super) ask_name: bool,
    /// Nothing tells a door: if the organization's type says a pharmacy of closed doors, it is one.
    pub(super) ask_type: bool,
}

/// Distinct sayings, numbered as they were met.
pub(super) struct Sayings<'a> {
    said: &'a Said,
    networks: &'a Networks,
    pub(super) specialties: Vec<SpecialtyRow>,
    pub(super) specialty_sets: Interner<Vec<u32>>,
    pub(super) network_sets: Interner<Vec<u16>>,
    pub(super) states: Interner<State>,
    of_specialties: Vec<(u32, Door, bool)>,
    /// State, and whether a directory type says closed doors.
    of_rest: Vec<(u32, bool)>,
    sets_met: HashMap<(u32, u32), u32>,
    /// What places say of new patients.
    statements: Interner<Vec<(u32, u32)>>,
    states_met: HashMap<(u32, More), u32>,
}

impl<'a> Sayings<'a> {
    pub(super) fn of(said: &'a Said, networks: &'a Networks) -> Self {
        let rows: BTreeSet<SpecialtyRow> = said.specialties.values().flatten().filter_map(row).collect();
        let specialties: Vec<SpecialtyRow> = rows.into_iter().collect();
        let numbers: BTreeMap<&SpecialtyRow, u32> = specialties.iter().zip(0..).collect();
        let mut specialty_sets = Interner::default();
        let of_specialties = said
            .specialties
            .values()
            .map(|stated| {
                let mut set: Vec<u32> =
                    stated.iter().filter_map(row).filter_map(|row| numbers.get(&row).copied()).collect();
                set.sort_unstable();
                set.dedup();
                let is_pharmacy = stated.iter().any(is_pharmacy);
                (specialty_sets.number(set), door(stated), is_pharmacy)
            })
            .collect();
        let mut states: Interner<State> = Interner::default();
        let of_rest = said
            .rests
            .values()
            .map(|rest| {
                let closed = rest.directory_types.iter().any(|kind| type_says_closed(kind));
                (states.number(state(rest, networks)), closed)
            })
            .collect();
        Self {
            said,
            networks,
            specialty_sets,
            network_sets: Interner::default(),
            states,
            of_specialties,
            of_rest,
            sets_met: HashMap::new(),
            statements: Interner::default(),
            states_met: HashMap::new(),
            specialties,
        }
    }

    /// What a role says; the state has no flags yet that depend on provider and place.
    pub(super) fn saying(&mut self, role: &RoleUse) -> Saying {
        let networks = if let Some(set) = self.sets_met.get(&(role.networks, role.references)) {
            *set
        } else {
            let names = self.said.networks_of(role.networks);
            let references = self.said.references.value(role.references).map_or(&[][..], Vec::as_slice);
            let set = self.network_sets.number(self.networks.among(&names, references));
            self.sets_met.insert((role.networks, role.references), set);
            set
        };
        let references = self.said.references.value(role.references).map_or(&[][..], Vec::as_slice);
        let lost = if self.networks.any_lost(references) { flag::LOST_NETWORK } else { 0 };
        let empty = (NONE, Door::NotSaid, false);
        let (specialties, door, by_specialty) =
            self.of_specialties.get(role.specialties as usize).copied().unwrap_or(empty);
        let (state, closed_by_type) = self.of_rest.get(role.rest as usize).copied().unwrap_or((NONE, false));
        let by_type = self.flags(state) & flag::PHARMACY != 0;
        let is_pharmacy = by_specialty || by_type || self.all_pharmacies(networks);
        let closed = is_pharmacy && (door == Door::Closed || (closed_by_type && door == Door::NotSaid));
        Saying {
            specialties,
            networks,
            state: self
                .with(state, More { flags: if closed { flag::CLOSED_DOOR } else { 0 } | lost, ..More::default() }),
            ask_name: is_pharmacy && door == Door::NotSaid,
            ask_type: door == Door::NotSaid,
        }
    }

    /// A state with what provider and place add to it.
    pub(super) fn with(&mut self, state: u32, more: More) -> u32 {
        let own = self.states.value(state).cloned().unwrap_or_default();
        // What the role says of all leaves nothing to the place.
        let says_all = own.accepting.iter().any(|(of, _)| *of == 0);
        let statements = if says_all { NONE } else { more.accepting };
        let more = More { accepting: statements, ..more };
        if own.flags & more.flags == more.flags && (More { flags: 0, ..more }) == More::default() {
            return state;
        }
        if let Some(known) = self.states_met.get(&(state, more)) {
            return *known;
        }
        let mut accepting = own.accepting.clone();
        let of_place = self.statements.value(more.accepting).into_iter().flatten();
        accepting.extend(of_place.filter(|(of, _)| own.accepting.iter().all(|(own, _)| own != of)));
        accepting.sort_unstable();
        let wider = State {
            flags: own.flags | more.flags,
            role_day: own.role_day.or(more.role_day),
            provider_day: own.provider_day.or(more.provider_day),
            accepting,
        };
        let number = self.states.number(wider);
        self.states_met.insert((state, more), number);
        number
    }

    /// The number of what a place says of new patients; [`NONE`]: nothing.
    pub(super) fn statements(&mut self, stated: &[AcceptingPatients]) -> u32 {
        let coded = statements(stated, self.networks);
        if coded.is_empty() { NONE } else { self.statements.number(coded) }
    }

    pub(super) fn flags(&self, state: u32) -> u32 {
        self.states.value(state).map_or(0, |state| state.flags)
    }

    /// A network set with the members of both.
    pub(super) fn united(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let of = |set: u32| self.network_sets.value(set).map_or(&[][..], Vec::as_slice);
        let mut all: Vec<u16> = of(a).iter().chain(of(b)).copied().collect();
        all.sort_unstable();
        all.dedup();
        self.network_sets.number(all)
    }

    /// The phones that a role states for itself and that are in use on a day.
    pub(super) fn phones(&self, coded: CodedPhones, today: Day) -> Vec<String> {
        self.said.phones.shown(coded, today)
    }

    /// The hours that roles state for themselves.
    pub(super) fn hours(&self) -> &'a Interner<String> {
        &self.said.hours
    }

    fn all_pharmacies(&self, set: u32) -> bool {
        let kind = |number: &u16| self.networks.rows.get(usize::from(*number)).map(|row| row.key.kind());
        let members = self.network_sets.value(set).map_or(&[][..], Vec::as_slice);
        !members.is_empty() && members.iter().all(|number| kind(number) == Some(NetworkKind::Pharmacy))
    }
}

fn is_pharmacy(specialty: &Specialty) -> bool {
    let by_text = specialty.text.as_deref().is_some_and(|text| text.to_lowercase().contains("pharm"));
    by_text || specialty.taxonomy.as_deref().is_some_and(|code| code.starts_with("3336"))
}

/// NUCC codes of a pharmacy of no stated kind, and of retail ones.
const ANY_PHARMACY: &str = "333600000X";
const RETAIL_CODES: [&str; 2] = ["3336C0002X", "3336C0003X"];

/// Whether words say that people walk in.
fn says_open(text: &str) -> bool {
    let words = name_words(text);
    ["retail", "community", "walk"].iter().any(|wanted| words.iter().any(|word| word == wanted))
}

fn door(specialties: &[Specialty]) -> Door {
    let any = |says: fn(&str) -> bool, codes: &[&str]| {
        specialties.iter().any(|specialty| {
            specialty.text.as_deref().is_some_and(says)
                || specialty.taxonomy.as_deref().is_some_and(|code| codes.contains(&code))
        })
    };
    if any(says_open, &RETAIL_CODES) {
        Door::Open
    } else if any(says_closed, &CLOSED_CODES) {
        Door::Closed
    } else if specialties.iter().all(is_pharmacy_of_no_kind) {
        Door::NotSaid
    } else {
        Door::Open
    }
}

/// Whether a specialty says pharmacy and nothing of its kind.
fn is_pharmacy_of_no_kind(specialty: &Specialty) -> bool {
    let by_code = specialty.taxonomy.as_deref().is_none_or(|code| code == ANY_PHARMACY);
    let by_text = specialty.text.as_deref().is_none_or(|text| {
        let words = name_words(text);
        words.len() == 1 && words.iter().all(|word| word.starts_with("pharmac"))
    });
    by_code && by_text
}

fn state(rest: &RoleRest, networks: &Networks) -> State {
    let mut flags = 0;
    if rest.active == Some(false) {
        flags |= flag::ROLE_INACTIVE;
    }
    for kind in &rest.directory_types {
        let kind = kind.to_lowercase();
        for (word, bit) in
            [("pharm", flag::PHARMACY), ("vision", flag::VISION), ("medical", flag::MEDICAL), ("dental", flag::MEDICAL)]
        {
            if kind.contains(word) {
                flags |= bit;
            }
        }
    }
    State { flags, accepting: statements(&rest.accepting, networks), ..State::default() }
}

/// Statements about new patients: (0 for all networks, else a network's number and 1; code).
fn statements(stated: &[AcceptingPatients], networks: &Networks) -> Vec<(u32, u32)> {
    let mut statements: Vec<(u32, u32)> = Vec::new();
    for AcceptingPatients { status, from_network } in stated {
        let code = match status {
            Accepting::Yes => accepting::YES,
            Accepting::No => accepting::NO,
            Accepting::ExistingOnly => accepting::EXISTING_ONLY,
            Accepting::ExistingAndFamily => accepting::EXISTING_AND_FAMILY,
        };
        match from_network {
            None => statements.push((0, code)),
            Some(claim) => statements.extend(networks.claimed(claim).iter().map(|n| (u32::from(*n) + 1, code))),
        }
    }
    statements.sort_unstable();
    statements.dedup();
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doors(texts: &[&str]) -> Door {
        let stated: Vec<Specialty> =
            texts.iter().map(|text| Specialty { text: Some((*text).to_owned()), taxonomy: None }).collect();
        door(&stated)
    }

    #[test]
    fn doors_are_told_by_specialties() {
        assert_eq!(doors(&["Mail Order Pharmacy"]), Door::Closed);
        assert_eq!(doors(&["Home Infusion"]), Door::Closed);
        assert_eq!(doors(&["Long Term Care Pharmacy"]), Door::Closed);
        assert_eq!(doors(&["Pharmacy"]), Door::NotSaid, "the name may tell");
        assert_eq!(doors(&["Mail Order Pharmacy", "Pharmacy"]), Door::Closed);
        assert_eq!(doors(&["Pharmacy", "Durable Medical Equipment"]), Door::Open);
        assert_eq!(doors(&["Mail Order Pharmacy", "Retail Pharmacy"]), Door::Open);
        assert_eq!(doors(&[]), Door::NotSaid);
        let coded = [Specialty { text: None, taxonomy: Some("3336M0002X".to_owned()) }];
        assert_eq!(door(&coded), Door::Closed);
    }
}
