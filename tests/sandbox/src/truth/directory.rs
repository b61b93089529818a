//! The directory's right answers, from the model.
//!
//! Rules: a provider is known by its valid NPIs; a filter must hold within one role; a role, a
//! provider or a place that is inactive gives no result and is told as the reason; not stated is not
//! inactive. A role whose provider's resource is missing gives nothing, a missing Location loses
//! that place alone. What careful readers may answer either way is *possible*, apart from what is
//! certain: specialties in other words for the same, counties of ZIPs that several share.

use std::collections::{BTreeMap, BTreeSet};

use crate::directory::Directory;
use crate::directory::people::{Provider, ProviderFacts};
use crate::directory::places::Place;
use crate::directory::roles::{Accepting, At, Role};
use crate::directory::specialties::{SPECIALTIES, Spelling};
use crate::geography::{self, distance_km};

/// Whether a provider is in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NetworkStatus {
    /// By an active role.
    InNetwork,
    /// Only by something that is marked inactive.
    Inactive {
        /// A role.
        role: bool,
        /// The provider.
        provider: bool,
        /// Every place of a role.
        place: bool,
    },
    /// Roles in other networks.
    OtherNetworksOnly,
    /// In the directory, without a role.
    NoRole,
    /// Nobody shows this NPI.
    NotInDirectory,
    /// Not in the network, of whose active roles more than one in a hundred name a provider that is
    /// not there: it may be this one.
    Unknown,
}

impl NetworkStatus {
    /// `in_network`, `inactive`, `other_networks_only`, `no_role`, `not_in_directory` or `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InNetwork => "in_network",
            Self::Inactive { .. } => "inactive",
            Self::OtherNetworksOnly => "other_networks_only",
            Self::NoRole => "no_role",
            Self::NotInDirectory => "not_in_directory",
            Self::Unknown => "unknown",
        }
    }
}

/// What a search asks for; all of it must hold within one role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// In one of these networks.
    pub networks: Option<Vec<u32>>,
    /// Of this specialty, a number in [`SPECIALTIES`](crate::directory::specialties::SPECIALTIES).
    pub specialty: Option<u32>,
    /// Individuals (true) or organizations (false).
    pub individual: Option<bool>,
    /// `female` or `male`.
    pub gender: Option<&'static str>,
    /// A language by name.
    pub language: Option<&'static str>,
    /// Taking new patients (in one of the networks, where the role says for which).
    pub accepting: bool,
    /// The place's city.
    pub city: Option<&'static str>,
}

/// How surely something fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fit {
    /// It must not be in the answer.
    No,
    /// It may be.
    Possible,
    /// It must be.
    Certain,
}

/// A provider at a place.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Whose: a place in [`DirectoryTruth::providers`].
    pub provider: usize,
    /// Number of the Location.
    pub place: u64,
    /// What holds there: places in [`DirectoryTruth::roles`].
    pub roles: Vec<usize>,
}

/// What a search must, and what it may, give: places in [`DirectoryTruth::pairs`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Must be there.
    pub certain: Vec<usize>,
    /// May be there.
    pub possible: Vec<usize>,
}

/// The directory's right answers, held in memory: for small and middling shapes, about 400 bytes
/// for each pair.
#[derive(Debug)]
pub struct DirectoryTruth<'a> {
    directory: &'a Directory,
    /// Every provider.
    pub providers: Vec<ProviderFacts>,
    /// Every role whose provider is there.
    pub roles: Vec<Role>,
    /// Every pair of provider and place, active or not.
    pub pairs: Vec<Pair>,
    /// Where each provider's roles start in `roles`.
    first_role: Vec<usize>,
    /// Networks of which too many roles name nobody that is there.
    unknown: BTreeSet<u32>,
}

impl<'a> DirectoryTruth<'a> {
    /// Walks the directory once.
    #[must_use]
    pub fn new(directory: &'a Directory) -> Self {
        let (mut roles, mut pairs, mut first_role) = (Vec::new(), Vec::new(), Vec::new());
        let providers: Vec<ProviderFacts> = directory.providers().collect();
        // Active roles by network: all, and those whose provider is missing.
        let mut named: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (at, facts) in providers.iter().enumerate() {
            first_role.push(roles.len());
            let mut by_place: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for role in directory.roles_of(facts) {
                let is_active = role.provider_is_missing || facts.active != Some(false);
                for network in role.networks.iter().filter(|_| is_active && role.active != Some(false)) {
                    let (all, missing) = named.entry(*network).or_default();
                    *all += 1;
                    *missing += u64::from(role.provider_is_missing);
                }
                if role.provider_is_missing {
                    continue;
                }
                for place in &role.places {
                    if let At::Place(place) = place {
                        by_place.entry(*place).or_default().push(roles.len());
                    }
                }
                roles.push(role);
            }
            pairs.extend(by_place.into_iter().map(|(place, roles)| Pair { provider: at, place, roles }));
        }
        first_role.push(roles.len());
        let unknown = named.into_iter().filter(|(_, (all, missing))| missing * 100 > *all).map(|(network, _)| network);
        Self { directory, providers, roles, pairs, first_role, unknown: unknown.collect() }
    }

    /// The roles of a provider.
    #[must_use]
    pub fn roles_of(&self, provider: usize) -> &[Role] {
        let Some(from) = self.first_role.get(provider).copied() else { return &[] };
        let to = self.first_role.get(provider + 1).copied().unwrap_or(self.roles.len());
        self.roles.get(from..to).unwrap_or_default()
    }

    /// Whether some role of whoever has this NPI may be behind closed doors: then it is listed apart.
    #[must_use]
    pub fn may_be_closed(&self, npi: u64) -> bool {
        let closed = |number: u32| SPECIALTIES.get(number as usize).is_some_and(|kind| kind.closed_door);
        self.providers.iter().position(|facts| facts.npi_key() == Some(npi)).is_some_and(|at| {
            self.providers.get(at).is_some_and(|facts| closed(facts.specialty))
                || self.roles_of(at).iter().any(|role| role.specialties.iter().any(|of| closed(of.specialty)))
        })
    }

    /// Whether whoever has this NPI is in a network.
    #[must_use]
    pub fn network_status(&self, npi: u64, network: u32) -> NetworkStatus {
        match self.stated_status(npi, network) {
            NetworkStatus::InNetwork => NetworkStatus::InNetwork,
            _ if self.unknown.contains(&network) => NetworkStatus::Unknown,
            stated => stated,
        }
    }

    /// As stated by whoever is there.
    fn stated_status(&self, npi: u64, network: u32) -> NetworkStatus {
        let Some(provider) = self.directory.provider_of_npi(npi) else {
            return NetworkStatus::NotInDirectory;
        };
        let at = match provider {
            Provider::Individual(n) => n,
            Provider::Facility(n) => self.directory.individuals() + n,
        };
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let Some(facts) = self.providers.get(at) else { return NetworkStatus::NotInDirectory };
        let roles = self.roles_of(at);
        if roles.is_empty() {
            return NetworkStatus::NoRole;
        }
        let mut there = false;
        let provider = facts.active == Some(false);
        let (mut by_role, mut by_place) = (false, false);
        for role in roles.iter().filter(|role| role.networks.contains(&network)) {
            there = true;
            let role_inactive = role.active == Some(false);
            let places_inactive = !role.places.is_empty() && role.places.iter().all(|at| self.is_inactive(*at));
            if !provider && !role_inactive && !places_inactive {
                return NetworkStatus::InNetwork;
            }
            by_role |= role_inactive;
            by_place |= places_inactive;
        }
        if there {
            NetworkStatus::Inactive { role: by_role, provider, place: by_place }
        } else {
            NetworkStatus::OtherNetworksOnly
        }
    }

    fn is_inactive(&self, at: At) -> bool {
        match at {
            At::Place(number) => self.directory.place(number).is_some_and(|place| place.active == Some(false)),
            At::Nowhere => false,
        }
    }

    /// How surely a pair fits a filter; pairs that are inactive never do.
    #[must_use]
    pub fn fits(&self, pair: &Pair, place: &Place, filter: &Filter) -> Fit {
        let Some(facts) = self.providers.get(pair.provider) else { return Fit::No };
        if place.active == Some(false) || !provider_fits(facts, filter) {
            return Fit::No;
        }
        if filter.city.is_some_and(|city| !place.shows_address || place.city != city) {
            return Fit::No;
        }
        any_role_fits(pair.roles.iter().filter_map(|role| self.roles.get(*role)), filter)
    }

    /// What a search in a county gives: all pairs there, without those that are near.
    #[must_use]
    pub fn in_county(&self, fips: u32, filter: &Filter) -> Found {
        self.found(filter, |place| match place.county() {
            Some(county) if county == fips => Fit::Certain,
            None if place.possible_counties().contains(&fips) => Fit::Possible,
            None if place.is_city_alone() && geography::state(fips / 1_000) == Some(place.state) => Fit::Possible,
            _ => Fit::No,
        })
    }

    /// What lies within a distance of a point (1e-5 degree), nearest first; pairs at one distance by
    /// name and NPI. Those whose distance may be told otherwise are possible, in no order.
    #[must_use]
    pub fn within_km(&self, point: (i32, i32), km: f64, filter: &Filter) -> (Vec<(usize, f64)>, Vec<usize>) {
        let found = self.found(filter, |place| match place.point().0 {
            Some(at) if place.distance_is_certain() && distance_km(point, at) <= km => Fit::Certain,
            Some(_) if place.distance_is_certain() => Fit::No,
            Some(_) => Fit::Possible,
            None => Fit::No,
        });
        let mut certain: Vec<(usize, f64)> = found
            .certain
            .into_iter()
            .filter_map(|pair| {
                let at = self.directory.place(self.pairs.get(pair)?.place)?.point().0?;
                Some((pair, distance_km(point, at)))
            })
            .collect();
        certain.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| self.order(a.0).cmp(&self.order(b.0))));
        (certain, found.possible)
    }

    /// By name, then NPI: how ties are ordered.
    fn order(&self, pair: usize) -> (String, Option<u64>) {
        let facts = self.pairs.get(pair).and_then(|pair| self.providers.get(pair.provider));
        facts.map(|f| (f.folded_name(), f.npi_key())).unwrap_or_default()
    }

    fn found(&self, filter: &Filter, place_fits: impl Fn(&Place) -> Fit) -> Found {
        let mut found = Found::default();
        for (at, pair) in self.pairs.iter().enumerate() {
            let Some(place) = self.directory.place(pair.place) else { continue };
            let here = place_fits(&place);
            if here == Fit::No {
                continue;
            }
            match self.fits(pair, &place, filter).min(here) {
                Fit::Certain => found.certain.push(at),
                Fit::Possible => found.possible.push(at),
                Fit::No => {}
            }
        }
        found
    }

    /// Active providers with a role that fits and leads to no place (it states none, or only ones
    /// that are missing) or to one of which nothing is told, by place in `providers`; certain and
    /// possible ones.
    #[must_use]
    pub fn place_not_stated(&self, filter: &Filter) -> Found {
        let mut found = Found::default();
        for (at, _) in self.providers.iter().enumerate().filter(|(_, f)| provider_fits(f, filter)) {
            let roles = self.roles_of(at);
            let without = roles.iter().filter(|role| self.leads_to_no_place(role));
            match any_role_fits(without, filter) {
                Fit::Certain => found.certain.push(at),
                Fit::Possible => found.possible.push(at),
                Fit::No => {}
            }
        }
        found
    }

    /// Whether a role states no place that is there, or one of which nothing is told and that is not
    /// inactive.
    fn leads_to_no_place(&self, role: &Role) -> bool {
        let untold = |at: &At| match at {
            At::Place(number) => {
                self.directory.place(*number).is_some_and(|place| place.is_untold() && place.active != Some(false))
            }
            _ => false,
        };
        role.places.iter().all(|at| *at == At::Nowhere) || role.places.iter().any(untold)
    }

    /// Pairs where a network and a specialty each hold by an active role, but never by the same one:
    /// pair, network, specialty. A search for both must not give the pair.
    #[must_use]
    pub fn only_across_roles(&self, limit: usize) -> Vec<(usize, u32, u32)> {
        let mut found = Vec::new();
        for (at, pair) in self.pairs.iter().enumerate().filter(|(_, pair)| pair.roles.len() > 1) {
            let active = self.directory.place(pair.place).is_some_and(|p| p.active != Some(false))
                && self.providers.get(pair.provider).is_some_and(|p| p.active != Some(false));
            let roles: Vec<&Role> = pair.roles.iter().filter_map(|r| self.roles.get(*r)).collect();
            let roles: Vec<&&Role> = roles.iter().filter(|r| active && r.active != Some(false)).collect();
            for network in roles.iter().flat_map(|r| &r.networks) {
                for stated in roles.iter().flat_map(|r| &r.specialties) {
                    let sure = matches!(stated.spelling, Spelling::Usual | Spelling::Variant);
                    let together = roles.iter().any(|r| {
                        r.networks.contains(network) && r.specialties.iter().any(|s| s.specialty == stated.specialty)
                    });
                    let example = (at, *network, stated.specialty);
                    if sure && !together && !found.contains(&example) {
                        found.push(example);
                        if found.len() >= limit {
                            return found;
                        }
                    }
                }
            }
        }
        found
    }

    /// NPI and network for each status, up to `limit` of each.
    #[must_use]
    pub fn status_examples(&self, limit: usize) -> BTreeMap<&'static str, Vec<(u64, u32)>> {
        let mut examples: BTreeMap<&'static str, Vec<(u64, u32)>> = BTreeMap::new();
        let networks = self.directory.networks();
        for npi in self.providers.iter().flat_map(ProviderFacts::npis) {
            for network in 0..networks {
                let here = examples.entry(self.network_status(npi, network).as_str()).or_default();
                if here.len() < limit {
                    here.push((npi, network));
                }
            }
        }
        // Valid NPIs that nobody shows.
        let strangers = self.directory.strangers(limit).into_iter().map(|npi| (npi, 0)).collect();
        examples.insert(NetworkStatus::NotInDirectory.as_str(), strangers);
        examples
    }

    // CHECK OF AFFILIATIONS: whoever asks a dataset of a payer with affiliations compares with this.
    /// Facilities whose networks an OrganizationAffiliation states and no role: what each says, as a
    /// role, with the NPI where the facility shows one. Searches and statuses of this truth count
    /// them like the roles of others; `places` in [`Pair`] are theirs too.
    #[must_use]
    pub fn affiliated(&self) -> Vec<(Option<u64>, &Role)> {
        let facilities = self.directory.facilities();
        let is_affiliated = |of: &ProviderFacts| matches!(of.provider, Provider::Facility(n) if n >= facilities);
        let these = self.providers.iter().enumerate().filter(|(_, facts)| is_affiliated(facts));
        these.flat_map(|(at, facts)| self.roles_of(at).iter().map(move |role| (facts.npi_key(), role))).collect()
    }

    /// Roles that count in a network (its provider is there; active or not), and those of them that
    /// a search by tag finds.
    #[must_use]
    pub fn roles_in_network(&self, network: u32) -> (usize, usize) {
        use crate::directory::roles::NetworkForm;
        let these = || self.roles.iter().filter(move |role| role.networks.contains(&network));
        let tagged = these().filter(|role| matches!(role.form, NetworkForm::Tag | NetworkForm::Both)).count();
        (these().count(), tagged)
    }
}

fn provider_fits(facts: &ProviderFacts, filter: &Filter) -> bool {
    facts.active != Some(false)
        && filter.individual.is_none_or(|wanted| wanted == facts.person.is_some())
        && filter.gender.is_none_or(|gender| facts.gender == Some(gender))
        && filter.language.is_none_or(|language| facts.languages.contains(&language))
}

/// How surely one of the roles of a provider at a place fits.
fn any_role_fits<'a>(roles: impl Iterator<Item = &'a Role> + Clone, filter: &Filter) -> Fit {
    let best = roles.clone().map(|role| role_fits(role, filter)).max().unwrap_or(Fit::No);
    if !filter.accepting || filter.networks.is_some() {
        return best;
    }
    // Nobody knows the patient's network: one role that refuses is enough.
    let whoever = Filter { accepting: false, ..filter.clone() };
    let refusing = roles.filter(|role| role.accepting.is_some_and(|(says, _)| says != Accepting::Yes));
    match refusing.map(|role| role_fits(role, &whoever)).max().unwrap_or(Fit::No) {
        Fit::No => best,
        Fit::Possible => best.min(Fit::Possible),
        Fit::Certain => Fit::No,
    }
}

fn role_fits(role: &Role, filter: &Filter) -> Fit {
    let in_networks = |n: &u32| filter.networks.as_ref().is_none_or(|wanted| wanted.contains(n));
    if role.active == Some(false) || !role.networks.iter().any(in_networks) {
        return Fit::No;
    }
    if filter.accepting {
        match role.accepting {
            Some((Accepting::Yes, None)) => {}
            Some((Accepting::Yes, Some(network))) if in_networks(&network) => {}
            _ => return Fit::No,
        }
    }
    let Some(wanted) = filter.specialty else { return Fit::Certain };
    let stated = role.specialties.iter().filter(|s| s.specialty == wanted);
    stated
        .map(|s| match s.spelling {
            Spelling::Usual | Spelling::Variant => Fit::Certain,
            Spelling::Synonym => Fit::Possible,
            Spelling::Near => Fit::No,
        })
        .max()
        .unwrap_or(Fit::No)
}
