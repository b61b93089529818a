//! What a search answers.

use crate::Result;
use crate::dataset::Interrupt;
use crate::providers::directory::Directory;
use crate::providers::directory::distance::kilometers;
use crate::providers::search::{Found, Near, ProviderSearch};

use super::PracticeLocation;

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvidersFound {
    /// Practice locations that fit, beyond the results too.
    pub total: u64,
    /// Those from `offset` on: in the county first, then by distance, name and NPI; without a point
    /// to measure from by name and NPI.
    pub results: Vec<PracticeLocation>,
    /// Where pharmacies are looked for: those of closed doors (mail, long-term care, infusion) in
    /// the same networks, those here first, at most `limit`; without distance.
    pub closed_door: Vec<PracticeLocation>,
    /// How many of closed doors there are.
    pub closed_door_total: u64,
    /// Providers that fit and whose place is not stated, anywhere.
    pub place_not_stated: u64,
    /// Narrower, wider and similar specialties that the directory has: what else may have been meant,
    /// and is not among the results.
    pub similar_specialties: Vec<String>,
}

impl Directory {
    /// Practice locations that fit, in their order.
    ///
    /// # Errors
    /// `NotFound` with candidates for a specialty, network, city, gender or language that the
    /// directory does not have, `InvalidInput` for a radius that is none.
    pub fn search(&self, search: &ProviderSearch, interrupt: &Interrupt) -> Result<ProvidersFound> {
        let Found { filter, hits, by_distance, closed_door, not_stated } = self.find(search, interrupt)?;
        let by_county = matches!(search.near, Near::County { .. });
        let total = hits.total;
        let shown = hits.behind(search.offset);
        let mut results = Vec::with_capacity(shown.len());
        for hit in shown {
            let mut found = self.practice_location(hit.row(), Some(&filter))?;
            found.distance_km = (by_distance && hit.rank().is_finite()).then(|| kilometers(hit.rank()));
            found.in_county = by_county.then_some(!hit.outside());
            results.push(found);
        }
        let closed_door_total = closed_door.total;
        let closed = closed_door.behind(0).into_iter().map(|hit| self.practice_location(hit.row(), Some(&filter)));
        Ok(ProvidersFound {
            total,
            results,
            closed_door: closed.collect::<Result<_>>()?,
            closed_door_total,
            place_not_stated: not_stated,
            similar_specialties: filter.specialty.map(|meant| self.specialties.beside(&meant)).unwrap_or_default(),
        })
    }
}
