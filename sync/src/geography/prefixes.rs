//! Which states the first three digits of a ZIP are of.

use coverdex_core::ids::{State, Zip5};

use super::ZipArea;

/// First three digits that no table of areas has: military mail, and the freely associated states,
/// which share theirs with Guam (US Postal Service).
const OTHERS: [(std::ops::RangeInclusive<u32>, &[&str]); 4] =
    [(90..=99, &["AE"]), (340..=340, &["AA"]), (962..=966, &["AP"]), (969..=969, &["FM", "GU", "MH", "MP", "PW"])];

/// The states of every beginning of a ZIP, by its number.
#[derive(Debug)]
pub(super) struct Prefixes(Vec<Vec<State>>);

impl Prefixes {
    /// From the areas that begin so.
    pub(super) fn of(areas: &[ZipArea]) -> Self {
        let mut states: Vec<Vec<State>> = vec![Vec::new(); 1_000];
        let of_areas = areas.iter().flat_map(|area| {
            let counties = area.counties.iter().filter_map(|(county, _)| county.state());
            counties.map(|state| (area.zip.number() / 100, state))
        });
        let others = OTHERS.into_iter().flat_map(|(prefixes, states)| {
            let states = states.iter().filter_map(|usps| State::from_name(usps));
            prefixes.flat_map(move |prefix| states.clone().map(move |state| (prefix, state)))
        });
        for (prefix, state) in of_areas.chain(others) {
            if let Some(states) = states.get_mut(prefix as usize) {
                states.push(state);
            }
        }
        for states in &mut states {
            states.sort_unstable();
            states.dedup();
        }
        Self(states)
    }

    /// By letters; empty where nothing is known.
    pub(super) fn states(&self, zip: Zip5) -> &[State] {
        self.0.get((zip.number() / 100) as usize).map_or(&[], Vec::as_slice)
    }
}
