//! Where rows lie for a search: the same zones and limits, asked of single rows.

use super::Near;
use super::ranking::{Rank, Zone};
use crate::Result;
use crate::data::directory::Directory;
use crate::data::directory::distance::kilometers;
use crate::data::directory::layout::NOT_STATED;

/// Where a row lies for a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Placed {
    /// Where the search looks.
    Near {
        /// Kilometers from where it begins; `None` where nothing is measured, or the place has no point.
        km: Option<f64>,
        /// Whether it is outside the county that was asked for.
        is_outside: bool,
    },
    /// Perhaps: its place is not known nearer.
    MayBeNear,
    /// Elsewhere.
    Out,
}

impl Directory {
    /// Where rows lie, whatever else is asked of them.
    pub(crate) fn placed(&self, near: Near, rows: &[u32]) -> Result<Vec<Placed>> {
        let (mut spans, ranking) = self.spans(near)?;
        spans.extend(self.regions.find(NOT_STATED).map(|area| self.span(area, Zone::NotStated)));
        let of_row = |row: &u32| {
            let Some(span) = spans.iter().find(|span| span.rows.contains(row)) else { return Ok(Placed::Out) };
            if span.zone == Zone::NotStated {
                return Ok(Placed::MayBeNear);
            }
            if near.center().is_none() {
                return Ok(Placed::Near { km: None, is_outside: false });
            }
            let rank = self.rows.place.run_of(*row).and_then(|place| ranking.rank(&self.places, place, span.zone));
            Ok(match self.error_if_damaged(rank)? {
                Rank::Near(rank) => {
                    let km = rank.is_finite().then(|| kilometers(rank));
                    Placed::Near { km, is_outside: span.zone.is_around() }
                }
                Rank::MayBeNear => Placed::MayBeNear,
                Rank::Out => Placed::Out,
            })
        };
        rows.iter().map(of_row).collect()
    }
}
