//! Finding practice locations: near a county, a ZIP's point or any point, in a state, anywhere.

use std::cmp::Ordering;
use std::ops::Range;

use crate::dataset::{Interrupt, Watch};
use crate::geo::Point;
use crate::ids::{CountyFips, NetworkKey, NetworkKind, State};
use crate::{Error, ErrorKind, Result};

use super::answer::PracticeLocation;
use super::directory::Directory;
use super::distance::{DistanceFrom, haversine_of, kilometers};
use super::filter::Filter;
use super::layout::{NOT_STATED, precision};
use super::walk;

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
    /// Within a radius of a point, by distance. What has no point of its own is not near any.
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
    /// A specialty in any of its own spellings, or a NUCC taxonomy code.
    pub specialty: Option<String>,
    /// Words of the provider's name, the last of which may not be typed to its end.
    pub name: Option<String>,
    /// A person or an organization.
    pub kind: Option<ProviderKind>,
    /// A gender as the directory states it, or its first letter.
    pub gender: Option<String>,
    /// A language as the directory states it.
    pub language: Option<String>,
    /// Only those who say that they take new patients.
    pub accepting: bool,
    /// A city in any spelling.
    pub city: Option<String>,
    /// Results at most.
    pub limit: usize,
    /// Results to pass over first.
    pub offset: usize,
}

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
    /// Narrower and similar specialties that the directory has: what else may have been meant.
    pub similar_specialties: Vec<String>,
}

/// A result before it is read.
#[derive(Clone, Copy, Debug)]
struct Hit {
    outside: bool,
    rank: f64,
    provider: u32,
    row: u32,
}

impl Hit {
    fn compare(&self, other: &Self) -> Ordering {
        (self.outside.cmp(&other.outside))
            .then(self.rank.total_cmp(&other.rank))
            .then(self.provider.cmp(&other.provider))
            .then(self.row.cmp(&other.row))
    }
}

/// The first so many hits, and how many there are.
#[derive(Debug)]
struct Hits {
    keep: usize,
    total: u64,
    best: Vec<Hit>,
    /// The last that can still be kept.
    bound: Option<Hit>,
}

impl Hits {
    fn new(keep: usize) -> Self {
        Self { keep, total: 0, best: Vec::new(), bound: None }
    }

    #[inline]
    fn offer(&mut self, hit: Hit) {
        self.total += 1;
        if self.bound.is_some_and(|bound| hit.compare(&bound) != Ordering::Less) {
            return;
        }
        self.best.push(hit);
        if self.best.len() >= self.keep.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let last = self.keep.saturating_sub(1);
        if self.keep < self.best.len() {
            self.best.select_nth_unstable_by(last, Hit::compare);
            self.best.truncate(self.keep.max(1));
            self.bound = self.best.get(last).copied();
        }
    }

    fn sorted(mut self) -> Vec<Hit> {
        self.best.sort_unstable_by(Hit::compare);
        self.best.truncate(self.keep);
        self.best
    }
}

/// Adjacent areas that are searched together.
#[derive(Clone, Debug)]
struct Span {
    places: Range<u32>,
    /// Not in the county that was asked for: the radius decides.
    outside: bool,
}

/// How places are ranked.
#[derive(Clone, Copy, Debug)]
enum Ranking {
    /// By distance; what lies outside and farther than the limit is out.
    Distance { from: DistanceFrom, limit: f64 },
    /// All alike: names decide.
    Name,
}

impl Directory {
    /// Practice locations that fit, in their order.
    ///
    /// # Errors
    /// `NotFound` with candidates for a specialty, network, city, gender or language that the
    /// directory does not have, `InvalidInput` for a radius that is none.
    pub fn search(&self, search: &ProviderSearch, interrupt: &Interrupt) -> Result<ProvidersFound> {
        let watch = &interrupt.watch();
        let filter = Filter::new(self, search)?;
        let (spans, ranking) = self.spans(search.near)?;
        let mut hits = Hits::new(search.offset.saturating_add(search.limit));
        let admitted_rows = |places: &Range<u32>| Some(self.row_start(places.start)?..self.row_start(places.end)?);
        let row_spans = spans
            .iter()
            .map(|span| self.whole(admitted_rows(&span.places)).map(|rows| (rows, span.outside)))
            .collect::<Result<Vec<_>>>()?;
        walk::rows(
            self,
            &filter,
            &row_spans,
            watch,
            |place, outside| if filter.place_fits(place)? { self.rank(ranking, place, outside) } else { Some(None) },
            |row, provider, rank, outside| hits.offer(Hit { outside, rank, provider, row }),
        )?;
        let total = hits.total;
        let by_county = matches!(search.near, Near::County { .. });
        let mut results = Vec::new();
        for hit in hits.sorted().into_iter().skip(search.offset) {
            let distance =
                (matches!(ranking, Ranking::Distance { .. }) && hit.rank.is_finite()).then(|| kilometers(hit.rank));
            let mut found = self.practice_location(hit.row, Some(&filter))?;
            found.distance_km = distance;
            found.in_county = by_county.then_some(!hit.outside);
            results.push(found);
        }
        let (closed_door, closed_door_total) = self.closed_door(search, &filter, &row_spans)?;
        let similar = search.specialty.as_deref().map(|text| self.specialties.similar(&super::specialty_key(text)));
        Ok(ProvidersFound {
            total,
            results,
            closed_door,
            closed_door_total,
            place_not_stated: self.place_not_stated(&filter, watch)?,
            similar_specialties: similar.unwrap_or_default(),
        })
    }

    fn spans(&self, near: Near) -> Result<(Vec<Span>, Ranking)> {
        let valid = |km: f64| {
            if km >= 0.0 { Ok(km) } else { Err(Error::invalid(format!("radius {km}"), "a radius is no less than 0")) }
        };
        let of = |areas: Vec<usize>| {
            let mut spans: Vec<Span> = Vec::new();
            for places in areas.into_iter().map(|area| self.regions.places(area)) {
                match spans.last_mut() {
                    Some(last) if last.places.end == places.start => last.places.end = places.end,
                    _ => spans.push(Span { places, outside: true }),
                }
            }
            spans
        };
        Ok(match near {
            Near::County { county, center, radius_km } => {
                let home = self.regions.find(county.number());
                let mut areas = self.regions.touching(center, valid(radius_km)?);
                areas.retain(|area| Some(*area) != home);
                let mut spans = of(areas);
                spans.extend(home.map(|area| Span { places: self.regions.places(area), outside: false }));
                spans.sort_by_key(|span| span.places.start);
                (spans, Ranking::Distance { from: DistanceFrom::new(center), limit: haversine_of(radius_km) })
            }
            Near::Point { center, radius_km } => {
                let spans = of(self.regions.touching(center, valid(radius_km)?));
                (spans, Ranking::Distance { from: DistanceFrom::new(center), limit: haversine_of(radius_km) })
            }
            Near::State(state) => (vec![Span { places: self.regions.state(state), outside: false }], Ranking::Name),
            Near::Anywhere => (vec![Span { places: self.regions.all(), outside: false }], Ranking::Name),
        })
    }

    /// How a place ranks; the inner `None`: it is not near, the outer: the bytes are altered.
    #[inline]
    #[allow(clippy::option_option, reason = "two reasons, and neither is worth a type")]
    fn rank(&self, ranking: Ranking, place: u32, outside: bool) -> Option<Option<f64>> {
        let Ranking::Distance { from, limit } = ranking else { return Some(Some(0.0)) };
        let places = &self.places;
        if places.precision.get(place)? >= precision::COUNTY {
            return Some((!outside).then_some(f64::INFINITY));
        }
        let haversine = from.haversine(places.lat.signed(place)?, places.lon.signed(place)?);
        Some((!outside || haversine <= limit).then_some(haversine))
    }

    /// The first row of a place; of the one behind the last, how many rows there are.
    pub(super) fn row_start(&self, place: u32) -> Option<u32> {
        if place as usize == self.places.lat.len() { Some(self.rows.count) } else { self.rows.place.start(place) }
    }

    /// Providers that fit and whose place is not stated.
    fn place_not_stated(&self, filter: &Filter<'_>, watch: &Watch<'_>) -> Result<u64> {
        let Some(area) = self.regions.find(NOT_STATED) else { return Ok(0) };
        let places = self.regions.places(area);
        let rows = self.whole(self.row_start(places.start))?..self.whole(self.row_start(places.end))?;
        let mut count = 0;
        walk::rows(self, filter, &[(rows, false)], watch, |_, _| Some(Some(0.0)), |_, _, _, _| count += 1)?;
        Ok(count)
    }

    /// Pharmacies of closed doors, where pharmacies are looked for.
    fn closed_door(
        &self,
        search: &ProviderSearch,
        filter: &Filter<'_>,
        spans: &[(Range<u32>, bool)],
    ) -> Result<(Vec<PracticeLocation>, u64)> {
        if !Self::looks_for_pharmacies(search) {
            return Ok((Vec::new(), 0));
        }
        let mut found = Vec::new();
        for row in self.rows.closed_door.iter() {
            let provider = self.whole(self.rows.provider.get(row))?;
            let roles = self.whole(self.roles_of(row))?;
            let mut fits = false;
            for role in roles {
                fits |= self.whole(filter.closed_role_fits(role))?;
            }
            if fits && filter.name_fits(provider) && self.whole(filter.provider_fits(provider))? {
                let here = spans.iter().any(|(rows, _)| rows.contains(&row));
                found.push((!here, provider, row));
            }
        }
        found.sort_unstable();
        let total = found.len() as u64;
        let shown = found.into_iter().take(search.limit);
        let locations = shown.map(|(_, _, row)| self.practice_location(row, Some(filter))).collect::<Result<_>>()?;
        Ok((locations, total))
    }

    fn looks_for_pharmacies(search: &ProviderSearch) -> bool {
        let by_word = search.specialty.as_deref().map(|text| super::specialty_key(text).contains("pharmacy"));
        let all_pharmacies = || {
            let named = search.networks.as_deref().unwrap_or_default();
            !named.is_empty() && named.iter().all(|key| key.kind() == NetworkKind::Pharmacy)
        };
        by_word.unwrap_or_else(|| search.network_kind == Some(NetworkKind::Pharmacy) || all_pharmacies())
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

/// The error for a dataset without a directory.
pub(super) fn no_directory() -> Error {
    Error::new(ErrorKind::NotFound, "provider directory", "this dataset has none")
        .with_hint("build it from a source that has PractitionerRole resources")
}
