//! The resources that say who a provider is, where it practices and in which networks.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use coverdex_core::{Cancel, Error, ErrorKind, NetworkKey, Npi, PlanId, Result, SourceResource};

use super::{Newest, Version, flag, read};
use crate::model::{Content, Fact, NetworkName, Period, Received, ResourceKind, Role, SourceId};

/// Providers by their NPIs, and the plan or the networks that they are asked of.
#[derive(Clone, Debug, Default)]
pub struct ProviderSought {
    /// The NPIs of one provider, aliases too.
    pub npis: Vec<Npi>,
    /// Plans whose own resources are wanted too: they name the networks.
    pub plans: Vec<PlanId>,
}

/// What is looked for in a pass over the resources, and what was found.
#[derive(Default)]
struct Found {
    resources: Newest<String>,
    /// Identities of the provider's own resources.
    own: HashSet<SourceId>,
    /// What its roles refer to: places, services, networks, and the person or organization.
    referred: HashSet<SourceId>,
}

/// The resources that say something of a provider: its own, its roles and affiliations, the services, places and
/// networks that these name, and the plans that were asked about. `from` is a staging folder, or the folder or file
/// that a dataset was built from; it is read three times, since what a role refers to may come before or after it.
///
/// # Errors
/// As reading `from`; [`ErrorKind::Interrupted`] once `cancel` is cancelled.
pub fn sources_of_provider(from: &Path, sought: &ProviderSought, cancel: &Cancel) -> Result<Vec<SourceResource>> {
    use ResourceKind::{Affiliation, Individual, Organization, Place, Plan, Role, Service};
    let found = Mutex::new(Found::default());
    let pass = |kinds: &[ResourceKind], take: &(dyn Fn(&Received, &mut Found) + Sync)| {
        read(from, kinds, |received| {
            if cancel.is_cancelled() {
                return Err(Error::new(ErrorKind::Interrupted, "call", "cancelled"));
            }
            take(&received, &mut found.lock().unwrap_or_else(PoisonError::into_inner));
            Ok(())
        })
    };
    pass(&[Individual, Organization, Plan], &|received, found| sought.take_own(received, found))?;
    pass(&[Role, Affiliation, Service], &|received, found| {
        sought.take_role(received, found);
    })?;
    pass(&[Service, Place, Organization, Individual], &take_referred)?;
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut resources: Vec<SourceResource> =
        found.resources.all().map(|(_, version, says)| version.resource(says)).collect();
    resources.sort();
    resources.dedup();
    Ok(resources)
}

impl ProviderSought {
    fn states(&self, npis: &[String]) -> bool {
        npis.iter().filter_map(|text| text.parse::<Npi>().ok()).any(|npi| self.npis.contains(&npi))
    }

    /// The provider's own resources, and the plans.
    fn take_own(&self, received: &Received, found: &mut Found) {
        let Content::Fact(fact) = &received.content else { return };
        let says = match fact {
            Fact::Individual(person) if self.states(&person.npis) => {
                let name = person.names.first().map_or("without a name", |name| name.text.as_str());
                let state = state_words(person.active, person.period);
                format!("the provider {name:?}, NPI {}; {state}", person.npis.join(", "))
            }
            Fact::Organization(facts) if self.states(&facts.npis) => {
                let name = facts.name.as_deref().unwrap_or("without a name");
                let state = state_words(facts.active, facts.period);
                format!("the organization {name:?}, NPI {}; {state}", facts.npis.join(", "))
            }
            Fact::Plans(plans) => {
                let Some(plan) = plans.iter().find(|facts| self.plans.contains(&facts.plan)) else { return };
                format!("the plan {}: {}", plan.plan, network_words(&plan.networks, plan.network_references.len()))
            }
            _ => return,
        };
        if !matches!(fact, Fact::Plans(_)) {
            found.own.insert(received.source);
        }
        // What stands inside a role and was stated by NPI alone has no id: the role says it.
        if received.id.is_some() {
            found.resources.add(received.source, Version::of(received), says);
        }
    }

    /// Roles, affiliations and services of the provider.
    fn take_role(&self, received: &Received, found: &mut Found) {
        let Content::Fact(fact) = &received.content else { return };
        let is_own = |source: &SourceId| at_any_server(received, *source).any(|source| found.own.contains(&source));
        let (says, referred) = match fact {
            Fact::Role(role) => {
                let of_npi = role.npi.is_some_and(|npi| self.npis.contains(&npi));
                let of_person = role.individual.as_ref().is_some_and(is_own);
                // A person's role at an organization is the person's, also where the organization was asked for.
                let of_organization = role.individual.is_none() && role.organization.as_ref().is_some_and(is_own);
                if !(of_npi || of_person || of_organization) {
                    return;
                }
                let networks = role.network_references.iter().map(|(network, _)| *network);
                let referred = role.places.iter().copied().chain(role.services.iter().copied()).chain(networks);
                (role_words(role), referred.collect::<Vec<SourceId>>())
            }
            Fact::Service(service) if service.organization.as_ref().is_some_and(is_own) => {
                let networks = network_words(&service.networks, service.network_references.len());
                let state = state_words(service.active, Period::default());
                let referred = service.places.iter().copied();
                let networks_referred = service.network_references.iter().map(|(network, _)| *network);
                let says = format!("a service of the organization; {state}; {networks}");
                (says, referred.chain(networks_referred).collect())
            }
            _ => return,
        };
        found.referred.extend(referred.into_iter().flat_map(|source| at_any_server(received, source)));
        found.resources.add(received.source, Version::of(received), says);
    }
}

/// What the roles refer to.
fn take_referred(received: &Received, found: &mut Found) {
    if !found.referred.contains(&received.source) || received.id.is_none() {
        return;
    }
    let Content::Fact(fact) = &received.content else { return };
    let says = match fact {
        Fact::Place(place) => {
            let address = &place.address;
            let city = [&address.city, &address.state, &address.zip].into_iter().flatten().map(String::as_str);
            let lines = address.lines.iter().map(String::as_str).chain(city).collect::<Vec<_>>().join(", ");
            let name = place.name.as_deref().unwrap_or("without a name");
            format!("the place {name:?}, {lines}; {}", state_words(place.active, Period::default()))
        }
        Fact::Organization(facts) => {
            let name = facts.name.as_deref().unwrap_or("without a name");
            let keys: Vec<String> = facts.network_keys.iter().map(NetworkKey::to_string).collect();
            let keys = if keys.is_empty() { "no identifier".to_owned() } else { keys.join(", ") };
            format!("the network {name:?} ({keys}); {}", state_words(facts.active, facts.period))
        }
        Fact::Service(service) => {
            let networks = network_words(&service.networks, service.network_references.len());
            format!("a service that the role names; {}; {networks}", state_words(service.active, Period::default()))
        }
        _ => return,
    };
    found.resources.add(received.source, Version::of(received), says);
}

/// A reference's identity, and what it is at each server that the resource names.
fn at_any_server(received: &Received, source: SourceId) -> impl Iterator<Item = SourceId> + '_ {
    let servers = received.servers.iter().flat_map(|servers| &servers.referred);
    std::iter::once(source).chain(servers.map(move |server| source.at(server.hash())))
}

fn role_words(role: &Role) -> String {
    let specialties: Vec<&str> = role.specialties.iter().filter_map(|specialty| specialty.text.as_deref()).collect();
    let specialties = if specialties.is_empty() { "specialty not stated".to_owned() } else { specialties.join(", ") };
    let places = match role.places.len() {
        0 => "no place stated".to_owned(),
        1 => "one place".to_owned(),
        places => format!("{places} places"),
    };
    let networks = network_words(&role.networks, role.network_references.len());
    format!("a role: {specialties}; {}; {networks}; {places}", state_words(role.active, role.period))
}

fn state_words(active: Option<bool>, period: Period) -> String {
    let mut words = format!("active: {}", flag(active));
    let day = |day: i32| {
        jiff::civil::date(1970, 1, 1)
            .checked_add(jiff::Span::new().days(day))
            .map_or_else(|_| day.to_string(), |day| day.to_string())
    };
    if let Some(start) = period.start {
        words.push_str(&format!(", from {}", day(start)));
    }
    if let Some(end) = period.end {
        words.push_str(&format!(", until {}", day(end)));
    }
    words
}

fn network_words(networks: &[NetworkName], references: usize) -> String {
    let mut names: Vec<String> = networks
        .iter()
        .map(|network| match &network.label {
            Some(label) => format!("{} {label:?}", network.key),
            None => network.key.to_string(),
        })
        .collect();
    if references > 0 {
        names.push(format!("{references} by reference"));
    }
    if names.is_empty() { "no network stated".to_owned() } else { format!("networks {}", names.join(", ")) }
}
