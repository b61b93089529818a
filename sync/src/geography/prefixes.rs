//! Which states the first three digits of a ZIP are of.

use coverdex_core::{State, Zip5};

use super::ZipArea;

/// The first three digits of the freely associated states, which no table of areas has and which Guam and
/// the Northern Marianas share (US Postal Service).
const FREELY_ASSOCIATED: (u32, [&str; 3]) = (969, ["FM", "MH", "PW"]);

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
        let military = (0..1_000).filter_map(|prefix| Some((prefix, Zip5::new(prefix * 100 + 99)?.military_state()?)));
        let (prefix, names) = FREELY_ASSOCIATED;
        let others = names.into_iter().filter_map(State::from_name).map(|state| (prefix, state));
        for (prefix, state) in of_areas.chain(military).chain(others) {
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
