//! What a person names a search by: a place, a network, a plan.

use crate::dataset::Dataset;
use crate::fold;
use crate::geo::{self, KM_PER_MILE, Point};
use crate::ids::{CountyFips, NetworkKey, NetworkKind, Npi, State, Zip5};
use crate::plans::{CountyFound, Network, Offered, Plan};
use crate::{Error, ErrorKind, Result};

use super::networks::Networks;
use super::search::Near;
use super::status::{NetworkAnswer, NetworkStatus};

/// How far a search goes where no radius is said: 25 miles from a point or a ZIP, and from a county
/// as much beyond its farthest border point, so that the clinic across the line is there.
pub const USUAL_REACH_KM: f64 = 25.0 * KM_PER_MILE;

/// Candidates that an error names at most.
const MOST_CANDIDATES: usize = 12;

/// A place as a person names it, and the counties that it means.
#[derive(Clone, Debug, Default)]
pub struct SearchPlace {
    /// Where a search looks.
    pub near: Near,
    /// The county; or those of the ZIP with their shares, the largest first; else none.
    pub counties: Vec<CountyFound>,
    /// Former counties of the ZIP, which a plan's area may be stated by.
    former: Vec<CountyFips>,
}

/// A network that was meant, and how the text was read.
#[derive(Clone, Debug)]
pub struct ResolvedNetwork {
    /// The network.
    pub network: Network,
    /// What was not said and how it was read, for people.
    pub note: Option<String>,
}

/// A network whose part of the directory is incomplete or empty, and why.
#[derive(Clone, Debug)]
pub struct NetworkGap {
    /// The network.
    pub network: Network,
    /// Why, for people.
    pub reason: String,
}

impl SearchPlace {
    /// Within a radius of a point; without one [`USUAL_REACH_KM`].
    #[must_use]
    pub fn point(center: Point, radius_km: Option<f64>) -> Self {
        Self { near: Near::Point { center, radius_km: radius_km.unwrap_or(USUAL_REACH_KM) }, ..Self::default() }
    }

    /// In a state.
    #[must_use]
    pub fn state(state: State) -> Self {
        Self { near: Near::State(state), ..Self::default() }
    }

    /// The same place with another radius, in kilometers; one without a radius stays as it is.
    #[must_use]
    pub fn within(mut self, km: f64) -> Self {
        if let Near::County { radius_km, .. } | Near::Point { radius_km, .. } = &mut self.near {
            *radius_km = km;
        }
        self
    }

    /// The radius in kilometers, where there is one.
    #[must_use]
    pub fn radius_km(&self) -> Option<f64> {
        match self.near {
            Near::County { radius_km, .. } | Near::Point { radius_km, .. } => Some(radius_km),
            Near::State(_) | Near::Anywhere => None,
        }
    }
}

impl Dataset {
    /// All in a county, then what is within a radius of its reference point; without one, as far as
    /// its farthest border point and [`USUAL_REACH_KM`] beyond.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates.
    pub fn near_county(&self, text: &str, radius_km: Option<f64>) -> Result<SearchPlace> {
        let county = self.county(text)?;
        let usual = || f64::from(county.radius_m) / 1000.0 + USUAL_REACH_KM;
        let radius_km = radius_km.unwrap_or_else(usual);
        let near = Near::County { county: county.fips, center: county.point, radius_km };
        Ok(SearchPlace { near, counties: vec![CountyFound { county, share: None }], former: Vec::new() })
    }

    /// Within a radius of a ZIP's point; without one [`USUAL_REACH_KM`].
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) for a ZIP that is no area, such as one of post-office boxes.
    pub fn near_zip(&self, zip: Zip5, radius_km: Option<f64>) -> Result<SearchPlace> {
        let counties = self.counties(&zip.to_string())?.into_iter().filter(|found| found.share.is_some());
        let counties: Vec<CountyFound> = counties.collect();
        let point = self.inner.database.with_any(|connection| geo::zip_point(connection, zip))?;
        let center = point.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("ZIP {zip}"), "no point is known for it to measure from")
                .with_hint("name a ZIP nearby, or the county")
                .with_candidates(counties.iter().map(|found| found.county.label()))
        })?;
        let former = self.inner.database.with_any(|connection| geo::zip_former_counties(connection, zip))?;
        let former = former.into_iter().map(|(fips, _)| fips).collect();
        Ok(SearchPlace { counties, former, ..SearchPlace::point(center, radius_km) })
    }

    /// Whether a plan is sold at a place: in any of its counties; `None` for a place that is not
    /// named by counties.
    ///
    /// # Errors
    /// [`DatasetDamaged`](ErrorKind::DatasetDamaged) if it cannot be read.
    pub fn offered_at(&self, plan: &Plan, place: &SearchPlace) -> Result<Option<Offered>> {
        if place.counties.is_empty() {
            return Ok(None);
        }
        let today = place.counties.iter().map(|found| found.county.fips);
        let counties: Vec<CountyFips> = today.chain(place.former.iter().copied()).collect();
        self.offered(plan, &counties).map(Some)
    }

    /// The network that a person means: `SYSTEM|ID`, or an id alone that only one network has. A
    /// label is no key: it leads to candidates.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates.
    pub fn resolve_network(&self, text: &str) -> Result<ResolvedNetwork> {
        self.inner.directory.get()?.networks.meant(text)
    }

    /// Which of these networks (of all where none are named), of one kind if that is said, were not
    /// received completely. A network that was named and has nobody counts too.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) with candidates for a network that nobody names, and for a
    /// dataset without a directory.
    pub fn network_gaps(&self, networks: Option<&[NetworkKey]>, kind: Option<NetworkKind>) -> Result<Vec<NetworkGap>> {
        let all = &self.inner.directory.get()?.networks;
        let numbers: Vec<usize> = match networks {
            Some(keys) => keys.iter().map(|key| all.named(key)).collect::<Result<_>>()?,
            None => (0..all.all().count()).collect(),
        };
        let gap = |number: usize| {
            let network = all.network(number)?;
            let asked = kind.is_none_or(|kind| network.kind == kind || network.kind == NetworkKind::Unknown);
            let reason = if networks.is_some() { all.gap(number) } else { all.incomplete(number).map(str::to_owned) };
            reason.filter(|_| asked).map(|reason| NetworkGap { network: network.clone(), reason })
        };
        Ok(numbers.into_iter().filter_map(gap).collect())
    }

    /// A provider's standing in a plan's networks, of one kind if that is said. A provider whom the
    /// directory lists only in networks of kinds that the plan has none of is in
    /// [`NoSuchNetwork`](NetworkStatus::NoSuchNetwork): a stand-alone drug plan has pharmacies only.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) for a dataset without a directory.
    pub fn plan_network_status(&self, npi: Npi, plan: &Plan, kind: Option<NetworkKind>) -> Result<NetworkAnswer> {
        let keys: Vec<NetworkKey> = plan.networks.iter().map(|network| network.key.clone()).collect();
        let mut answer = self.network_status(npi, &keys, kind)?;
        let of_plan = kinds(plan.networks.iter());
        if answer.status == NetworkStatus::NoSuchNetwork && of_plan.is_empty() {
            answer.reason = Some("the plan states no network".to_owned());
        } else if answer.status == NetworkStatus::OtherNetworksOnly && kind.is_none() {
            let provider = self.provider(npi)?;
            let locations = provider.iter().flat_map(|provider| &provider.locations);
            let own = kinds(locations.flat_map(|location| &location.networks));
            let strangers = !own.contains(&NetworkKind::Unknown) && !of_plan.contains(&NetworkKind::Unknown);
            if strangers && !own.iter().any(|kind| of_plan.contains(kind)) {
                answer.status = NetworkStatus::NoSuchNetwork;
                let [has, is] = [&of_plan, &own].map(|kinds| listed(kinds));
                answer.reason = Some(format!("the plan has {has} networks only, the provider is in {is} ones"));
            }
        }
        Ok(answer)
    }
}

impl Networks {
    /// The network that a person means.
    fn meant(&self, text: &str) -> Result<ResolvedNetwork> {
        let trimmed = text.trim();
        let resolved = |number: usize, note: Option<String>| {
            let network = self.network(number).cloned();
            network.map(|network| ResolvedNetwork { network, note })
        };
        let not_there = || Error::new(ErrorKind::NotFound, format!("network {trimmed}"), "not in the directory");
        if trimmed.contains('|') {
            let number = self.named(&trimmed.parse()?)?;
            return resolved(number, None).ok_or_else(not_there);
        }
        let shown = |network: &Network| match &network.label {
            Some(label) => format!("{} {label}", network.key),
            None => network.key.to_string(),
        };
        let refused = |kind: ErrorKind, why: String, candidates: &mut dyn Iterator<Item = &Network>| {
            let subject: String = trimmed.chars().take(60).collect();
            Error::new(kind, format!("network {subject:?}"), why)
                .with_hint("a network is written SYSTEM|ID")
                .with_candidates(candidates.take(MOST_CANDIDATES).map(shown))
        };
        let of_id: Vec<&Network> = self.all().filter(|network| network.key.id() == trimmed).collect();
        match of_id.as_slice() {
            [only] => {
                let note = format!("network {trimmed} read as {}", only.key);
                self.find(&only.key).and_then(|number| resolved(number, Some(note))).ok_or_else(not_there)
            }
            [] => {
                let wanted = fold::key(trimmed);
                let label = |network: &&Network| network.label.as_deref().map(fold::key).unwrap_or_default();
                let fits = |network: &&Network| !wanted.is_empty() && label(network).contains(&wanted);
                if self.all().any(|network| fits(&network)) {
                    let why = "no network has this id; a label is no key".to_owned();
                    Err(refused(ErrorKind::NotFound, why, &mut self.all().filter(fits)))
                } else {
                    Err(refused(ErrorKind::NotFound, "no network has this id".to_owned(), &mut self.all()))
                }
            }
            several => {
                let why = format!("{} networks have this id, each in a system of its own", several.len());
                Err(refused(ErrorKind::Ambiguous, why, &mut several.iter().copied()))
            }
        }
    }
}

/// The kinds of networks, each once.
fn kinds<'n>(networks: impl Iterator<Item = &'n Network>) -> Vec<NetworkKind> {
    let mut kinds: Vec<NetworkKind> = Vec::new();
    for network in networks {
        if !kinds.contains(&network.kind) {
            kinds.push(network.kind);
        }
    }
    kinds.sort_by_key(|kind| kind.as_str());
    kinds
}

/// `pharmacy and vision`.
fn listed(kinds: &[NetworkKind]) -> String {
    kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(" and ")
}
