//! Finding practice locations: near a county, a ZIP's point or any point, in a state, anywhere.

use crate::dataset::{Interrupt, Watch};
use crate::geo::Point;
use crate::ids::{CountyFips, NetworkKey, NetworkKind, State};
use crate::{Error, ErrorKind, Result};

use super::answer::PracticeLocation;
use super::directory::Directory;
use super::distance::{DistanceFrom, haversine_of, kilometers};
use super::filter::Filter;
use super::layout::{NOT_STATED, precision};
use super::walk::{self, RowSpan};

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
    /// Narrower, wider and similar specialties that the directory has: what else may have been meant,
    /// and is not among the results.
    pub similar_specialties: Vec<String>,
}

/// A result before it is read, as one number that orders as results do: whether it lies outside,
/// rank, provider, row. A rank is never negative, so its bits order as it does and leave the sign's
/// free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hit(u128);

impl Hit {
    /// The first that there may be of a rank.
    #[inline]
    fn first_of(outside: bool, rank: f64) -> Self {
        Self(u128::from(rank.abs().to_bits() | u64::from(outside) << 63) << 64)
    }

    #[inline]
    fn of(self, provider: u32, row: u32) -> Self {
        Self(self.0 | u128::from(provider) << 32 | u128::from(row))
    }

    const fn outside(self) -> bool {
        self.0 >> 127 == 1
    }

    #[allow(clippy::cast_possible_truncation, reason = "the upper half")]
    const fn rank(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64).abs()
    }

    #[allow(clippy::cast_possible_truncation, reason = "the lowest quarter")]
    const fn row(self) -> u32 {
        self.0 as u32
    }
}

/// The first so many hits, and how many there are.
#[derive(Debug)]
struct Hits {
    keep: usize,
    total: u64,
    best: Vec<Hit>,
    /// The last that can still be kept.
    bound: Hit,
}

impl Hits {
    fn new(keep: usize) -> Self {
        Self { keep, total: 0, best: Vec::new(), bound: Hit(u128::MAX) }
    }

    /// Counts a row, and keeps it if it is among the first: only then its provider is looked up.
    #[inline]
    fn offer(&mut self, rank: Hit, row: u32, provider: impl FnOnce() -> Option<u32>) -> Option<()> {
        self.total += 1;
        if self.keep == 0 || rank >= self.bound {
            return Some(());
        }
        let hit = rank.of(provider()?, row);
        if hit < self.bound {
            self.keep(hit);
        }
        Some(())
    }

    fn keep(&mut self, hit: Hit) {
        self.best.push(hit);
        if self.best.len() >= self.keep.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.keep < self.best.len() {
            let (_, bound, _) = self.best.select_nth_unstable(self.keep.saturating_sub(1));
            self.bound = *bound;
            self.best.truncate(self.keep);
        }
    }

    /// Those behind the first `offset`, sorted.
    fn behind(mut self, offset: usize) -> Vec<Hit> {
        self.cut();
        if offset >= self.best.len() {
            return Vec::new();
        }
        self.best.select_nth_unstable(offset);
        let mut shown = self.best.split_off(offset);
        shown.sort_unstable();
        shown
    }
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
        walk::rows(
            self,
            &filter,
            &spans,
            watch,
            |place, outside| if filter.place_fits(place)? { self.rank(ranking, place, outside) } else { Some(None) },
            |row, rank, outside| hits.offer(Hit::first_of(outside, rank), row, || self.rows.provider.get(row)),
        )?;
        let total = hits.total;
        let by_county = matches!(search.near, Near::County { .. });
        let mut results = Vec::new();
        for hit in hits.behind(search.offset) {
            let distance =
                (matches!(ranking, Ranking::Distance { .. }) && hit.rank().is_finite()).then(|| kilometers(hit.rank()));
            let mut found = self.practice_location(hit.row(), Some(&filter))?;
            found.distance_km = distance;
            found.in_county = by_county.then_some(!hit.outside());
            results.push(found);
        }
        let (closed_door, closed_door_total) = self.closed_door(search, &filter, &spans)?;
        Ok(ProvidersFound {
            total,
            results,
            closed_door,
            closed_door_total,
            place_not_stated: self.place_not_stated(&filter, watch)?,
            similar_specialties: filter.specialty.map(|meant| self.specialties.beside(&meant)).unwrap_or_default(),
        })
    }

    /// Rows to look at, ascending, each with whether they lie outside the county that was asked for,
    /// and how they are ranked.
    fn spans(&self, near: Near) -> Result<(Vec<RowSpan>, Ranking)> {
        let touching = |center: Point, km: f64| {
            if km >= 0.0 {
                Ok(self.regions.touching(center, km))
            } else {
                Err(Error::invalid(format!("radius {km}"), "a radius is no less than 0"))
            }
        };
        let joined = |areas: Vec<usize>, home: Option<usize>| {
            let mut spans: Vec<RowSpan> = Vec::new();
            for area in areas {
                let (rows, outside) = (self.regions.rows(area), Some(area) != home);
                match spans.last_mut() {
                    Some((last, flag)) if last.end == rows.start && *flag == outside => last.end = rows.end,
                    _ => spans.push((rows, outside)),
                }
            }
            spans
        };
        let ranking = |center, km| Ranking::Distance { from: DistanceFrom::new(center), limit: haversine_of(km) };
        Ok(match near {
            Near::County { county, center, radius_km } => {
                let home = self.regions.find(county.number());
                let mut areas = touching(center, radius_km)?;
                if let Some(home) = home
                    && let Err(at) = areas.binary_search(&home)
                {
                    areas.insert(at, home);
                }
                (joined(areas, home), ranking(center, radius_km))
            }
            Near::Point { center, radius_km } => {
                (joined(touching(center, radius_km)?, None), ranking(center, radius_km))
            }
            Near::State(state) => (vec![(self.regions.state(state), false)], Ranking::Name),
            Near::Anywhere => (vec![(self.regions.all(), false)], Ranking::Name),
        })
    }

    /// How a place ranks; the inner `None`: it is not near, the outer: the bytes are altered.
    #[inline]
    #[allow(clippy::option_option, reason = "two reasons, and neither is worth a type")]
    fn rank(&self, ranking: Ranking, place: u32, outside: bool) -> Option<Option<f64>> {
        let Ranking::Distance { from, limit } = ranking else { return Some(Some(0.0)) };
        let places = &self.places;
        let (lat, lon) = (places.lat.signed(place)?, places.lon.signed(place)?);
        // What has no point is at (0, 0): only there the precision must be read.
        if (lat, lon) == (0, 0) && places.precision.get(place)? >= precision::COUNTY {
            return Some((!outside).then_some(f64::INFINITY));
        }
        let haversine = from.haversine(lat, lon);
        Some((!outside || haversine <= limit).then_some(haversine))
    }

    /// Providers that fit and whose place is not stated.
    fn place_not_stated(&self, filter: &Filter<'_>, watch: &Watch<'_>) -> Result<u64> {
        let Some(area) = self.regions.find(NOT_STATED) else { return Ok(0) };
        let mut count = 0;
        walk::rows(
            self,
            filter,
            &[(self.regions.rows(area), false)],
            watch,
            |_, _| Some(Some(0.0)),
            |_, _, _| {
                count += 1;
                Some(())
            },
        )?;
        Ok(count)
    }

    /// Pharmacies of closed doors, where pharmacies are looked for.
    fn closed_door(
        &self,
        search: &ProviderSearch,
        filter: &Filter<'_>,
        spans: &[RowSpan],
    ) -> Result<(Vec<PracticeLocation>, u64)> {
        if !looks_for_pharmacies(search, filter) {
            return Ok((Vec::new(), 0));
        }
        let roles = self.closed_roles()?;
        let named = match &filter.name {
            Some(name) => {
                let mut each: Vec<_> = roles.iter().map(|role| role.row..role.row.saturating_add(1)).collect();
                each.dedup();
                Some(self.names.rows(name, &each, usize::MAX)?)
            }
            None => None,
        };
        let mut hits = Hits::new(search.limit);
        for of_row in roles.chunk_by(|a, b| a.row == b.row) {
            let Some(row) = of_row.first().map(|role| role.row) else { continue };
            if named.as_ref().is_some_and(|rows| rows.binary_search(&row).is_err()) {
                continue;
            }
            let mut fits = false;
            for role in of_row {
                fits |= self.whole(filter.closed_fits(role))?;
            }
            if fits && self.whole(filter.provider_fits(row))? {
                let span = spans.partition_point(|(rows, _)| rows.end <= row);
                let here = spans.get(span).is_some_and(|(rows, _)| rows.contains(&row));
                self.whole(hits.offer(Hit::first_of(!here, 0.0), row, || self.rows.provider.get(row)))?;
            }
        }
        let total = hits.total;
        let shown = hits.behind(0).into_iter().map(|hit| self.practice_location(hit.row(), Some(filter)));
        Ok((shown.collect::<Result<_>>()?, total))
    }
}

fn looks_for_pharmacies(search: &ProviderSearch, filter: &Filter<'_>) -> bool {
    let all_pharmacies = || {
        let named = search.networks.as_deref().unwrap_or_default();
        !named.is_empty() && named.iter().all(|key| key.kind() == NetworkKind::Pharmacy)
    };
    match &filter.specialty {
        Some(specialty) => specialty.is_pharmacy,
        None => search.network_kind == Some(NetworkKind::Pharmacy) || all_pharmacies(),
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
