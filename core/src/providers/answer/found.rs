//! What a search answers.

use crate::Result;
use crate::cancel::Cancel;
use crate::data::directory::Directory;
use crate::data::directory::distance::kilometers;
use crate::providers::search::{Filter, Found, Near, ProviderSearch};

use super::PracticeLocation;

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProvidersFound {
    /// Practice locations that fit, beyond the results too.
    pub total: u64,
    /// Those from `offset` on: in the county first, then by distance, name and NPI; without a point
    /// to measure from by name and NPI.
    pub results: Vec<PracticeLocation>,
    /// Where pharmacies are looked for, or a name: those of closed doors (mail, long-term care, infusion) in
    /// the same networks, those here first, at most `limit`; without distance.
    pub closed_door: Vec<PracticeLocation>,
    /// How many of closed doors there are.
    pub closed_door_total: u64,
    /// Providers that fit and whose place is not stated, anywhere.
    pub place_not_stated: u64,
    /// Practice locations that may fit: the payer says two things of the role, or names a network that leads
    /// nowhere. They are not among the others.
    pub in_doubt: u64,
    /// The specialties that the text was read as, where it is no spelling of theirs: a plain word's, a
    /// synonym's, a NUCC code's.
    pub read_as: Vec<String>,
    /// Narrower, wider and similar specialties that the directory has: what else may have been meant,
    /// and is not among the results.
    pub similar_specialties: Vec<SimilarSpecialty>,
    /// Where nobody has the name that was typed: names of those who would fit and are spelled nearly so, if the
    /// search [asks](ProviderSearch::count_similar) for them.
    pub similar_names: Vec<String>,
}

/// A specialty that may have been meant and was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimilarSpecialty {
    /// Its name.
    pub name: String,
    /// How many practice locations the same search finds with it; `None`: the search does not ask for
    /// these [counts](ProviderSearch::count_similar).
    pub total: Option<u64>,
}

/// Names that are offered at most.
const MOST_NAMES: usize = 12;

impl Directory {
    /// Practice locations that fit, in their order.
    ///
    /// # Errors
    /// `NotFound` with candidates for a specialty, network, city, gender or language that the
    /// directory does not have, `InvalidInput` for a radius that is none.
    pub fn search(&self, search: &ProviderSearch, cancel: &Cancel) -> Result<ProvidersFound> {
        let Found { mut filter, hits, by_distance, closed_door, not_stated, in_doubt } = self.find(search, cancel)?;
        let by_county = matches!(search.near, Near::County { .. });
        let total = hits.total;
        let shown = hits.behind(search.offset);
        let mut results = Vec::with_capacity(shown.len());
        for hit in shown {
            cancel.check()?;
            let mut found = self.practice_location(hit.row(), Some(&filter))?;
            found.distance_km = (by_distance && hit.rank().is_finite()).then(|| kilometers(hit.rank()));
            found.in_county = by_county.then_some(!hit.outside());
            results.push(found);
        }
        let closed_door_total = closed_door.total;
        let closed = closed_door.behind(0).into_iter().map(|hit| self.practice_location(hit.row(), Some(&filter)));
        let closed_door = closed.collect::<Result<_>>()?;
        let read_as = filter.specialty.as_ref().map(|meant| self.specialties.read_as(meant)).unwrap_or_default();
        let nobody = total == 0 && not_stated == 0 && in_doubt == 0 && closed_door_total == 0;
        let similar_names = if nobody && search.limit > 0 && search.count_similar {
            self.similar_names(search, &mut filter, cancel)?
        } else {
            Vec::new()
        };
        let beside = filter.specialty.as_ref().map(|meant| self.specialties.beside(meant)).unwrap_or_default();
        let mut similar_specialties = Vec::new();
        for key in beside {
            let Some(name) = self.specialties.key_name(key) else { return Err(self.damaged()) };
            let count = || self.count_with(key, search, &mut filter, cancel);
            let total = search.count_similar.then(count).transpose()?;
            similar_specialties.push(SimilarSpecialty { name, total });
        }
        Ok(ProvidersFound {
            total,
            results,
            closed_door,
            closed_door_total,
            place_not_stated: not_stated,
            in_doubt,
            read_as,
            similar_specialties,
            similar_names,
        })
    }

    /// Names of those who fit all that is asked but the name, which is spelled nearly so.
    fn similar_names(&self, search: &ProviderSearch, filter: &mut Filter<'_>, cancel: &Cancel) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        let Some(text) = search.name.as_deref().filter(|text| !text.trim().is_empty()) else { return Ok(names) };
        for edits in [1, 2] {
            let Some(near) = self.names.near(text, edits, cancel)? else { continue };
            filter.name = Some(near);
            let hits = self.hits_of(search, filter, MOST_NAMES * 4, cancel)?;
            for hit in hits.behind(0) {
                let name = self.rows.provider.get(hit.row()).and_then(|provider| self.name(provider));
                let name = self.error_if_damaged(name)?;
                if !names.contains(&name) && names.len() < MOST_NAMES {
                    names.push(name);
                }
            }
            if !names.is_empty() {
                break;
            }
        }
        Ok(names)
    }

    /// How many rows the search finds with a specialty in place of the one that was meant.
    fn count_with(&self, key: u32, search: &ProviderSearch, filter: &mut Filter<'_>, cancel: &Cancel) -> Result<u64> {
        filter.specialty = Some(self.specialties.meant_by_key(key));
        Ok(self.hits_of(search, filter, 0, cancel)?.total)
    }
}
