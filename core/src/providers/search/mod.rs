//! Finding practice locations: near a county, a ZIP's point or any point, in a state, anywhere.

mod blocks;
mod filter;
mod hits;
mod place;
mod placed;
mod ranking;
mod walk;

use std::collections::BTreeMap;

use crate::cancel::Cancel;
use crate::geo::Point;
use crate::ids::{CountyFips, NetworkKey, NetworkKind, State};
use crate::{Error, Result};

use crate::data::directory::distance::{DistanceFrom, haversine_of};
use crate::data::directory::layout::{NOT_STATED, NOWHERE};
use crate::data::directory::{ClosedRole, Directory};

#[cfg(feature = "tables")]
pub(crate) use filter::together;
pub(super) use filter::{Filter, agreed};
pub(super) use hits::{Hit, Hits};
pub use place::SearchPlace;
#[cfg(feature = "build")]
pub use place::USUAL_REACH_KM;
pub(super) use placed::Placed;

use ranking::{Ranking, Span, Zone};
use walk::Walked;

/// Where practice locations are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Near {
    /// All in a county first, then those outside it within a radius of its reference point; both by
    /// distance from that point.
    County {
        /// The county.
        county: CountyFips,
        /// Its reference point.
        center: Point,
        /// The radius in kilometers; it never cuts what is in the county.
        radius_km: f64,
    },
    /// Within a radius of a point, by distance. What has no point of its own is not near any; where its
    /// county is touched it is counted.
    Point {
        /// The point, or a ZIP's.
        center: Point,
        /// The radius in kilometers; infinite for the nearest anywhere.
        radius_km: f64,
    },
    /// In a state, by name.
    State(State),
    /// Anywhere, by name.
    #[default]
    Anywhere,
}

/// A person or an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProviderKind {
    /// A person (NPI type 1).
    Individual,
    /// An organization (NPI type 2).
    Organization,
}

impl ProviderKind {
    /// `individual` or `organization`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Individual => "individual",
            Self::Organization => "organization",
        }
    }
}

impl std::str::FromStr for ProviderKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Individual, Self::Organization];
        let wanted = text.trim().to_ascii_lowercase();
        all.into_iter().find(|kind| kind.as_str() == wanted).ok_or_else(|| {
            Error::invalid(format!("kind {:?}", wanted.chars().take(40).collect::<String>()), "no such kind")
                .with_candidates(all.map(|kind| kind.as_str().to_owned()))
        })
    }
}

/// A search for practice locations. Specialty, networks and accepting status must hold within one
/// active role.
#[derive(Clone, Debug, Default)]
pub struct ProviderSearch {
    /// Where.
    pub near: Near,
    /// In one of these networks (a plan's, or one that was named); `None`: whatever the network.
    pub networks: Option<Vec<NetworkKey>>,
    /// In a network of this kind.
    pub network_kind: Option<NetworkKind>,
    /// A specialty in any of its spellings, a NUCC taxonomy code, or plain words (`heart doctor`).
    pub specialty: Option<String>,
    /// Words of the provider's name, the last of which may not be typed to its end.
    pub name: Option<String>,
    /// A person or an organization.
    pub kind: Option<ProviderKind>,
    /// A gender, or its first letter.
    pub gender: Option<String>,
    /// A language: its name in English or in itself, or its code.
    pub language: Option<String>,
    /// Only those who say that they take new patients.
    pub accepting: bool,
    /// A city in any spelling; its state may stand behind a comma.
    pub city: Option<String>,
    /// Results at most.
    pub limit: usize,
    /// Results to pass over first.
    pub offset: usize,
    /// Whether to look for what else may be meant: similar specialties are counted, and names that are
    /// spelled nearly so looked for where nobody is found. Leave it out while a text is being typed.
    pub count_similar: bool,
}

/// Rows that fit, before they are read.
pub(super) struct Found<'d> {
    pub(super) filter: Filter<'d>,
    pub(super) hits: Hits,
    /// Whether hits are ranked by distance.
    pub(super) by_distance: bool,
    /// Pharmacies of closed doors, where pharmacies are looked for.
    pub(super) closed_door: Hits,
    /// Rows that fit and whose place is not stated, or is not known nearer than by a state that is asked
    /// about, or by a county that a radius around a point touches.
    pub(super) not_stated: u64,
    /// Rows that may fit, but for what the payer contradicts or a network that leads nowhere.
    pub(super) in_doubt: u64,
}

impl Directory {
    /// Rows that fit.
    pub(super) fn find(&self, search: &ProviderSearch, cancel: &Cancel) -> Result<Found<'_>> {
        let filter = Filter::new(self, search, cancel)?;
        let (mut spans, ranking) = self.spans(search.near)?;
        // The area of places that are not stated is the last.
        spans.extend(self.regions.find(NOT_STATED).map(|area| self.span(area, Zone::NotStated)));
        let keep = search.offset.saturating_add(search.limit);
        let Walked { hits, not_stated, in_doubt } = walk::walk(self, &filter, ranking, &spans, keep, cancel)?;
        let closed_door = self.closed_door(search, &filter, &spans, cancel)?;
        let by_distance = matches!(ranking, Ranking::Distance { .. });
        Ok(Found { filter, hits, by_distance, closed_door, not_stated, in_doubt })
    }

    /// The first so many rows that fit a filter, and how many there are, where a search looks.
    pub(super) fn hits_of(
        &self,
        search: &ProviderSearch,
        filter: &Filter<'_>,
        keep: usize,
        cancel: &Cancel,
    ) -> Result<Hits> {
        let (spans, ranking) = self.spans(search.near)?;
        Ok(walk::walk(self, filter, ranking, &spans, keep, cancel)?.hits)
    }

    /// Rows to look at, ascending, and how they are ranked.
    fn spans(&self, near: Near) -> Result<(Vec<Span>, Ranking)> {
        let touching = |center: Point, km: f64| {
            if km >= 0.0 {
                Ok(self.regions.touching(center, km))
            } else {
                Err(Error::invalid(format!("radius {km}"), "a radius is no less than 0"))
            }
        };
        let around = |home: Option<CountyFips>, center, km| -> Result<Vec<Span>> {
            let near = touching(center, km)?.into_iter().map(|area| (area, Zone::Around));
            let mut areas: BTreeMap<usize, Zone> = near.collect();
            // Places in no known county of a state that is touched, or in no known state, may be near; so
            // may those of which only a county is known, but beside a county that is asked for they are not.
            for area in self.regions.unplaced_touching(center, km) {
                if !self.regions.is_county(area) {
                    areas.insert(area, Zone::NotStated);
                } else if home.is_none() {
                    areas.insert(area, Zone::AroundOrUnknown);
                }
            }
            areas.extend(self.regions.find(NOWHERE).map(|area| (area, Zone::NotStated)));
            areas.extend(home.and_then(|home| self.regions.find(home.number())).map(|area| (area, Zone::Here)));
            Ok(self.joined(areas))
        };
        let ranking = |center, km| Ranking::Distance { from: DistanceFrom::new(center), limit: haversine_of(km) };
        Ok(match near {
            Near::County { county, center, radius_km } => {
                (around(Some(county), center, radius_km)?, ranking(center, radius_km))
            }
            Near::Point { center, radius_km } => (around(None, center, radius_km)?, ranking(center, radius_km)),
            Near::State(state) => {
                let mut spans = vec![Span { rows: self.regions.state(state), zone: Zone::Here }];
                spans.extend(self.regions.find(NOWHERE).map(|area| self.span(area, Zone::NotStated)));
                (spans, Ranking::Name)
            }
            Near::Anywhere => (vec![Span { rows: self.regions.all(), zone: Zone::Here }], Ranking::Name),
        })
    }

    fn span(&self, area: usize, zone: Zone) -> Span {
        Span { rows: self.regions.rows(area), zone }
    }

    /// The rows of ascending areas, those of one zone that follow one another together.
    fn joined(&self, areas: impl IntoIterator<Item = (usize, Zone)>) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for (area, zone) in areas {
            let span = self.span(area, zone);
            match spans.last_mut() {
                Some(last) if last.rows.end == span.rows.start && last.zone == span.zone => {
                    last.rows.end = span.rows.end;
                }
                _ => spans.push(span),
            }
        }
        spans
    }

    /// Pharmacies of closed doors, where pharmacies are looked for: those here first.
    fn closed_door(
        &self,
        search: &ProviderSearch,
        filter: &Filter<'_>,
        spans: &[Span],
        cancel: &Cancel,
    ) -> Result<Hits> {
        let mut hits = Hits::new(search.limit);
        if !looks_for_pharmacies(search, filter) {
            return Ok(hits);
        }
        let roles = self.closed_roles()?;
        let mut offer = |of_row: &[ClosedRole]| {
            let Some(row) = of_row.first().map(|role| role.row) else { return Ok(()) };
            let mut fits = false;
            for role in of_row {
                fits |= filter.closed_fits(role)?;
            }
            if fits && filter.provider_fits(row)? {
                let span = spans.partition_point(|span| span.rows.end <= row);
                let here = spans.get(span).is_some_and(|span| span.zone != Zone::NotStated && span.rows.contains(&row));
                hits.offer(Hit::first_of(!here, 0.0), row, || self.rows.provider.get(row))?;
            }
            Ok(())
        };
        if let Some(name) = &filter.name {
            for row in self.names.closed_rows(name, cancel)? {
                let behind = roles.get(roles.partition_point(|role| role.row < row)..).unwrap_or_default();
                let count = behind.iter().take_while(|role| role.row == row).count();
                self.error_if_damaged(offer(behind.get(..count).unwrap_or_default()))?;
            }
        } else {
            for of_row in roles.chunk_by(|a, b| a.row == b.row) {
                self.error_if_damaged(offer(of_row))?;
            }
        }
        Ok(hits)
    }
}

pub(super) fn looks_for_pharmacies(search: &ProviderSearch, filter: &Filter<'_>) -> bool {
    match &filter.specialty {
        Some(specialty) => specialty.is_pharmacy || specialty.closed.is_some(),
        // Whoever looks for anyone may mean one of them.
        None => search.kind != Some(ProviderKind::Individual),
    }
}

impl Near {
    /// The point that distances are measured from.
    #[must_use]
    pub fn center(&self) -> Option<Point> {
        match self {
            Self::County { center, .. } | Self::Point { center, .. } => Some(*center),
            Self::State(_) | Self::Anywhere => None,
        }
    }
}
