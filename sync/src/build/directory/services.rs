//! HealthcareServices: what a role leaves open is what its services say, and a service that no role
//! names, or that states networks, is a role of its organization. Its networks are that organization's
//! alone, and no one's who works there.

use coverdex_core::Result;

use crate::build::report::Report;
use crate::model::{NetworkName, Phone, ResourceKind, ServiceFacts, Standing};

use super::collect::{NONE, RoleRest, Said};
use super::networks::Networks;
use super::phones::CodedPhones;
use super::resources::Came;
use super::role_versions::RoleUse;

/// Whether a service says in which networks it is provided.
fn states_networks(facts: &ServiceFacts, networks: &Networks) -> bool {
    let names: Vec<&NetworkName> = facts.networks.iter().collect();
    let references = &facts.network_references;
    facts.unreadable_network || networks.any_lost(references) || !networks.among(&names, references).is_empty()
}

impl Said {
    /// Fills roles from their services, and adds those that services are by themselves.
    pub(super) fn fill_from_services(
        &mut self,
        roles: &mut Vec<RoleUse>,
        networks: &Networks,
        report: &mut Report,
    ) -> Result<()> {
        if self.services.len() == 0 {
            return Ok(());
        }
        let mut named = vec![false; self.services.len()];
        for role in roles.iter_mut() {
            let mut numbers = self.service_lists.value(role.services).cloned().unwrap_or_default();
            // What the first says counts: the first by identity, not by arrival.
            numbers.sort_unstable_by_key(|number| self.services.source(*number));
            let mut facts = Vec::new();
            for number in numbers {
                let number = self.services.resolved(number);
                if let Some(named) = named.get_mut(number as usize) {
                    *named = true;
                }
                if let Some(Came::Fact(service)) = self.services.read::<ServiceFacts>(number)? {
                    facts.extend((service.active != Some(false)).then_some(service));
                }
            }
            self.fill(role, &facts);
            // Whether the networks of a service are those of who works there is not said.
            if role.individual != NONE && facts.iter().any(|facts| states_networks(facts, networks)) {
                let references = self.references.value(role.references).map_or(&[][..], Vec::as_slice);
                let own = networks.among(&self.networks_of(role.networks), references);
                role.unreadable_network |= own.is_empty() && !networks.any_lost(references);
            }
        }
        for (number, named) in (0..).zip(named) {
            let kind = ResourceKind::Service;
            match self.services.read::<ServiceFacts>(number)? {
                None => {}
                Some(Came::Quarantined(reason)) => report.quarantined(kind, &reason),
                Some(Came::OfNoUse(reason)) => report.of_no_use(kind, &reason),
                Some(Came::Fact(facts)) if facts.active == Some(false) && !states_networks(&facts, networks) => {
                    report.of_no_use(kind, "marked inactive");
                }
                Some(Came::Fact(facts))
                    if named && !(states_networks(&facts, networks) && facts.organization.is_some()) =>
                {
                    report.used(kind);
                }
                Some(Came::Fact(facts)) if facts.organization.is_none() => {
                    report.of_no_use(kind, "no role names it, and it names no organization");
                }
                Some(Came::Fact(facts)) => {
                    let mut role = self.without_anything();
                    role.networks = self.number_networks(&facts.networks);
                    role.references = self.references.number(facts.network_references.clone());
                    role.unreadable_network = facts.unreadable_network;
                    role.rest = self.rests.number(RoleRest { active: facts.active, ..RoleRest::default() });
                    role.contrary = self.services.is_contrary(number);
                    self.fill(&mut role, &[facts]);
                    roles.push(role);
                }
            }
        }
        Ok(())
    }

    /// A role of a service that states nothing yet.
    fn without_anything(&mut self) -> RoleUse {
        RoleUse {
            kind: Some(ResourceKind::Service),
            individual: NONE,
            organization: NONE,
            networks: self.networks.number(Vec::new()),
            references: self.references.number(Vec::new()),
            specialties: NONE,
            rest: self.rests.number(RoleRest::default()),
            places: NONE,
            services: NONE,
            hours: NONE,
            phones: CodedPhones::default(),
            standing: Standing::Current,
            unreadable_network: false,
            contrary: false,
        }
    }

    fn fill(&mut self, role: &mut RoleUse, services: &[ServiceFacts]) {
        if services.is_empty() {
            return;
        }
        if role.organization == NONE
            && let Some(source) = services.iter().find_map(|service| service.organization)
        {
            role.organization = self.organizations.number(self.resolve(source));
        }
        if role.places == NONE {
            let places: Vec<_> = services.iter().flat_map(|service| service.places.clone()).collect();
            let places = places.into_iter().map(|source| self.resolve(source)).collect::<Vec<_>>();
            role.places = self.number_places(&places);
        }
        if self.specialties.value(role.specialties).is_none_or(Vec::is_empty) {
            let mut specialties: Vec<_> = services.iter().flat_map(|service| service.specialties.clone()).collect();
            specialties.sort();
            specialties.dedup();
            role.specialties = self.specialties.number(specialties);
        }
        if role.phones == CodedPhones::default() {
            let phones: Vec<Phone> = services.iter().flat_map(|service| service.phones.clone()).collect();
            role.phones = self.code_each_once(phones);
        }
        if role.hours == NONE
            && let Some(hours) = services.iter().find_map(|service| service.hours.clone())
        {
            role.hours = self.hours.number(hours);
        }
        let mut rest = self.rests.value(role.rest).cloned().unwrap_or_default();
        if rest.accepting.is_empty() {
            rest.accepting = services.iter().flat_map(|service| service.accepting.clone()).collect();
            rest.accepting.sort();
            rest.accepting.dedup();
        }
        if rest.directory_types.is_empty() {
            rest.directory_types = services.iter().flat_map(|service| service.types.clone()).collect();
            rest.directory_types.sort();
            rest.directory_types.dedup();
        }
        role.rest = self.rests.number(rest);
    }
}
