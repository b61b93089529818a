//! Which networks are compared, and how what was found of them is told.

use std::collections::{BTreeMap, BTreeSet};

use super::identities::Identities;
use super::members::{Doubt, Found, Gaps, NO_COUNTY, Record, Scope, Walk};
use super::plans::{ChosenPlans, PlansSeen};
use super::{
    CountyMembers, DiffQuestion, DiffSide, DirectoryChanges, InDataset as _, MemberChange, MemberChanges, Pair,
};
use crate::data::directory::Directory;
use crate::data::directory::layout::flag;
use crate::data::{Network, Plan};
use crate::dataset::Dataset;
use crate::format::packed::Damaged;
use crate::geo;
use crate::ids::{CountyFips, NetworkKey, PlanId};
use crate::plans::CountyFound;
use crate::providers::NetworkGap;
use crate::{ErrorKind, Result};

/// What is compared, beside its networks' numbers.
struct Asked {
    plans: Vec<PlanId>,
    networks: [Vec<Network>; 2],
}

pub(super) fn changes(
    pair: Pair<'_>,
    question: &DiffQuestion,
    chosen: &ChosenPlans,
    place: &[CountyFound],
    sides: &mut [DiffSide; 2],
    notes: &mut Vec<String>,
) -> Result<Option<DirectoryChanges>> {
    let has = [pair.old, pair.new].map(Dataset::has_directory);
    let missing = match has {
        [true, true] => None,
        [false, true] => Some("the older dataset has"),
        [true, false] => Some("the newer dataset has"),
        [false, false] => Some("the datasets have"),
    };
    if let Some(which) = missing {
        notes.push(format!("{which} no provider directory: nobody can tell who came to networks or left them"));
        return Ok(None);
    }
    let directories = [directory(pair.old)?, directory(pair.new)?];
    let mut changes = DirectoryChanges::default();
    let (asked, scopes) = if chosen.named {
        of_plans(pair, directories, chosen)?
    } else {
        of_networks(pair, directories, question, chosen, &mut changes)?
    };
    for (number, side) in sides.iter_mut().enumerate() {
        let mut seen = BTreeSet::new();
        for (asked, directory) in
            asked.iter().filter_map(|asked| Some((asked.networks.get(number)?, directories.get(number)?)))
        {
            for network in asked.iter().filter(|network| seen.insert(network.key.clone())) {
                let gap = directory.networks.find(&network.key).and_then(|number| directory.networks.gap(number));
                side.network_gaps.extend(gap.map(|reason| NetworkGap { network: network.clone(), reason }));
            }
        }
    }
    if scopes.is_empty() {
        return Ok(Some(changes));
    }
    let counties: BTreeSet<u32> = place.iter().map(|found| found.county.fips.number()).collect();
    let [old, new] = directories;
    let identities = Identities::of(pair, old, new)?;
    let found = Walk::new(pair, directories, &scopes, &counties, question.limit)?.run(&identities)?;
    drop(identities);
    let mut teller = Teller { pair, directories, counties: BTreeMap::new() };
    for ((asked, scope), found) in asked.into_iter().zip(&scopes).zip(found) {
        changes.networks.push(teller.tell(asked, scope, found)?);
    }
    directory(pair.old)?;
    directory(pair.new)?;
    Ok(Some(changes))
}

fn directory(dataset: &Dataset) -> Result<&Directory> {
    dataset.inner.directory.get().in_dataset(dataset)
}

/// The networks that both directories have, each by itself, or the one that was named.
fn of_networks(
    pair: Pair<'_>,
    [old, new]: [&Directory; 2],
    question: &DiffQuestion,
    chosen: &ChosenPlans,
    changes: &mut DirectoryChanges,
) -> Result<(Vec<Asked>, Vec<Scope>)> {
    let named = question.network.as_deref().map(|text| named_network(pair, text)).transpose()?;
    let is_asked = |network: &&Network| named.as_ref().is_none_or(|key| *key == network.key);
    let mut plans_of: BTreeMap<NetworkKey, BTreeSet<PlanId>> = BTreeMap::new();
    for plan in chosen.of_old().chain(chosen.of_new()) {
        for network in &plan.networks {
            plans_of.entry(network.key.clone()).or_default().insert(plan.id.clone());
        }
    }
    let mut both: BTreeMap<NetworkKey, [usize; 2]> = BTreeMap::new();
    let (mut came, mut left) = (Vec::new(), Vec::new());
    for network in old.networks.all().filter(is_asked) {
        pair.check()?;
        match (old.networks.find(&network.key), new.networks.find(&network.key)) {
            (Some(own), Some(other)) => {
                both.insert(network.key.clone(), [own, other]);
            }
            _ => left.push(network.clone()),
        }
    }
    came.extend(new.networks.all().filter(is_asked).filter(|own| old.networks.find(&own.key).is_none()).cloned());
    for (mut alone, into, other) in [(left, &mut changes.left, pair.new), (came, &mut changes.came, pair.old)] {
        if alone.is_empty() {
            continue;
        }
        alone.sort_by(|a, b| a.key.cmp(&b.key));
        if PlansSeen::of(other).in_dataset(other)?.unseen_network().is_some() {
            changes.not_known.append(&mut alone);
        } else {
            into.append(&mut alone);
        }
    }
    let (mut asked, mut scopes) = (Vec::new(), Vec::new());
    for (key, numbers) in both {
        let [of_old, of_new] = numbers;
        let gap = |directory: &Directory, number: usize| Gaps {
            incomplete: directory.networks.incomplete(number).map(str::to_owned),
            plan: None,
            empty: directory.networks.gap(number),
        };
        let networks = [old.networks.network(of_old), new.networks.network(of_new)];
        asked.push(Asked {
            plans: plans_of.get(&key).into_iter().flatten().cloned().collect(),
            networks: networks.map(|network| network.into_iter().cloned().collect()),
        });
        scopes.push(Scope { networks: [vec![of_old], vec![of_new]], gaps: [gap(old, of_old), gap(new, of_new)] });
    }
    Ok((asked, scopes))
}

/// The network that a text means in either dataset.
fn named_network(pair: Pair<'_>, text: &str) -> Result<NetworkKey> {
    match pair.new.resolve_network(text) {
        Err(error) if error.kind() == ErrorKind::NotFound => match pair.old.resolve_network(text) {
            Err(of_old) if of_old.kind() == ErrorKind::NotFound => Err(pair.neither_has(&error)),
            found => Ok(found.in_dataset(pair.old)?.network.key),
        },
        found => Ok(found.in_dataset(pair.new)?.network.key),
    }
}

/// The networks of each plan that was named and that both have, once for plans with the same networks.
fn of_plans(pair: Pair<'_>, [old, new]: [&Directory; 2], chosen: &ChosenPlans) -> Result<(Vec<Asked>, Vec<Scope>)> {
    let (mut asked, mut scopes): (Vec<Asked>, Vec<Scope>) = (Vec::new(), Vec::new());
    let mut known: BTreeMap<([Vec<usize>; 2], [u32; 2]), usize> = BTreeMap::new();
    for (of_old, of_new) in chosen.in_both() {
        pair.check()?;
        let numbers = |directory: &Directory, plan: &Plan| -> Vec<usize> {
            let mut numbers: Vec<usize> =
                plan.networks.iter().filter_map(|network| directory.networks.find(&network.key)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let networks = [numbers(old, of_old), numbers(new, of_new)];
        let key = (networks.clone(), [of_old.lost_networks, of_new.lost_networks]);
        if let Some(own) = known.get(&key).and_then(|at| asked.get_mut(*at)) {
            own.plans.push(of_new.id.clone());
            continue;
        }
        known.insert(key, asked.len());
        let gaps = [(old, of_old), (new, of_new)].map(|(directory, plan)| gaps_of(directory, plan));
        asked.push(Asked {
            plans: vec![of_new.id.clone()],
            networks: [of_old.networks.clone(), of_new.networks.clone()],
        });
        scopes.push(Scope { networks, gaps });
    }
    Ok((asked, scopes))
}

/// Why nobody can tell who is not in a plan's networks.
fn gaps_of(directory: &Directory, plan: &Plan) -> Gaps {
    let numbers: Vec<usize> =
        plan.networks.iter().filter_map(|network| directory.networks.find(&network.key)).collect();
    let incomplete = numbers.iter().find_map(|number| directory.networks.incomplete(*number)).map(str::to_owned);
    let of_plan = if plan.lost_networks > 0 {
        Some("the plan names networks that cannot be read, or that the directory does not have".to_owned())
    } else {
        numbers.is_empty().then(|| "the payer states no network for this plan".to_owned())
    };
    let empty = numbers.iter().find_map(|number| directory.networks.gap(*number));
    Gaps { incomplete, plan: of_plan, empty }
}

/// Tells what was found.
struct Teller<'d> {
    pair: Pair<'d>,
    directories: [&'d Directory; 2],
    /// Names of counties.
    counties: BTreeMap<u32, String>,
}

impl Teller<'_> {
    fn tell(&mut self, asked: Asked, scope: &Scope, found: Found) -> Result<MemberChanges> {
        let [old_gap, new_gap] = scope
            .gaps
            .each_ref()
            .map(|gaps| [&gaps.incomplete, &gaps.plan, &gaps.empty].into_iter().flatten().next().cloned());
        let mut counties = Vec::new();
        for (code, counts) in found.counties.into_iter().filter(|(_, counts)| counts.all() > 0) {
            self.pair.check()?;
            let Some(county) = CountyFips::new(code) else { continue };
            counties.push(CountyMembers { county, name: self.county_name(county)?, counts });
        }
        let records = found.records.into_sorted_vec();
        let more = found.all.saturating_sub(u32::try_from(records.len()).unwrap_or(u32::MAX));
        let mut changes = Vec::with_capacity(records.len());
        for record in records {
            self.pair.check()?;
            changes.push(self.change(record, scope)?);
        }
        let [old_networks, new_networks] = asked.networks;
        let mut plans = asked.plans;
        plans.sort_unstable();
        let counts = found.counts;
        Ok(MemberChanges { plans, old_networks, new_networks, old_gap, new_gap, counts, counties, changes, more })
    }

    fn county_name(&mut self, county: CountyFips) -> Result<String> {
        if let Some(name) = self.counties.get(&county.number()) {
            return Ok(name.clone());
        }
        let database = &self.pair.new.inner.database;
        let named = database.with_any(|connection| geo::county(connection, county)).in_dataset(self.pair.new);
        let name = match named {
            Ok(county) => county.label(),
            // The older dataset may be of a year with other counties.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let database = &self.pair.old.inner.database;
                let named = database.with_any(|connection| geo::county(connection, county));
                named.in_dataset(self.pair.old)?.label()
            }
            Err(error) => return Err(error),
        };
        self.counties.insert(county.number(), name.clone());
        Ok(name)
    }

    fn change(&mut self, record: Record, scope: &Scope) -> Result<MemberChange> {
        let side = usize::from(record.side);
        let [old, new] = self.directories;
        let directory = if side == 0 { old } else { new };
        let facts = directory.error_if_damaged(directory.provider_facts(record.provider))?;
        let county = if record.area == NO_COUNTY { None } else { CountyFips::new(record.area) };
        let networks = scope.networks.get(side).map_or(&[][..], Vec::as_slice);
        let specialties = self.specialties(directory, record, networks)?;
        // Who is in network on one side: the other one leaves it open.
        let gaps = scope.gaps.get(1 - side.min(1));
        let reason = record.doubt.map(|doubt| match doubt {
            Doubt::Contrary => {
                "the payer says both: versions of one role, of one date, contradict each other".to_owned()
            }
            Doubt::LostNetwork => {
                "a role of the provider names a network that cannot be read, or that leads nowhere".to_owned()
            }
            Doubt::PlaceNotKnown => "it is in network at a place of which the county is not known".to_owned(),
            Doubt::Incomplete => gaps.and_then(|gaps| gaps.incomplete.clone()).unwrap_or_default(),
            Doubt::Plan => gaps.and_then(|gaps| gaps.plan.clone()).unwrap_or_default(),
            Doubt::Empty => gaps.and_then(|gaps| gaps.empty.clone()).unwrap_or_default(),
        });
        Ok(MemberChange {
            npi: facts.npi,
            stated_npi: facts.stated_npi,
            name: facts.name,
            kind: facts.kind,
            specialties,
            county_name: county.map(|county| self.county_name(county)).transpose()?,
            county,
            kind_of_change: record.kind,
            reason,
            elsewhere: record.elsewhere,
        })
    }

    /// What a provider does in an area, in its active roles that name one of the networks.
    fn specialties(&self, directory: &Directory, record: Record, networks: &[usize]) -> Result<Vec<String>> {
        let mut all = BTreeSet::new();
        for row in directory.error_if_damaged(directory.rows_of(record.provider))? {
            self.pair.check()?;
            let mut read = || -> Result<(), Damaged> {
                let row = row?;
                let area = directory.regions.code_of_row(row).ok_or(Damaged)?;
                if record.area != NO_COUNTY && area != record.area {
                    return Ok(());
                }
                for role in directory.roles_of(row)? {
                    if directory.flags(role)? & (flag::INACTIVE | flag::NO_ROLE | flag::CONTRARY) != 0 {
                        continue;
                    }
                    let mut of_role = directory.networks.members(directory.roles.networks.get(role)?)?;
                    if !of_role.any(|number| networks.contains(&number)) {
                        continue;
                    }
                    for specialty in directory.specialties.members(directory.roles.specialties.get(role)?)? {
                        all.insert(directory.specialties.shown(specialty)?.to_owned());
                    }
                }
                Ok(())
            };
            directory.error_if_damaged(read())?;
        }
        Ok(all.into_iter().collect())
    }
}
