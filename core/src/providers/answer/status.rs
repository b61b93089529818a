//! Whether a provider is in a network, and why not.

use std::cell::OnceCell;

use crate::Result;
use crate::dataset::Dataset;
use crate::format::packed::Damaged;
use crate::ids::{NetworkKey, NetworkKind};
use crate::plans::{Network, Plan};

use crate::cancel::Cancel;
use crate::data::directory::Directory;
use crate::data::directory::layout::flag;
use crate::data::directory::networks::Wanted;

use super::{Inactive, InactiveDate, PracticeLocation, ProviderQuery};

/// A provider's standing in a network, or in one of a plan's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NetworkStatus {
    /// An active role says so.
    InNetwork,
    /// Only what is marked inactive says so.
    Inactive,
    /// The directory lists it in other networks.
    OtherNetworksOnly,
    /// The directory lists it nowhere. Directories are incomplete: that is no proof of being out of
    /// network.
    NotInDirectory,
    /// The plan has networks, none of that kind.
    NoSuchNetwork,
    /// The network's part of the directory is incomplete or empty, or the payer does not say which networks the plan
    /// has.
    Unknown,
}

impl NetworkStatus {
    /// `in_network`, `inactive`, `other_networks_only`, `not_in_directory`, `no_such_network` or
    /// `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InNetwork => "in_network",
            Self::Inactive => "inactive",
            Self::OtherNetworksOnly => "other_networks_only",
            Self::NotInDirectory => "not_in_directory",
            Self::NoSuchNetwork => "no_such_network",
            Self::Unknown => "unknown",
        }
    }
}

/// The answer to whether a provider is in a network.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NetworkAnswer {
    /// Its standing.
    pub status: NetworkStatus,
    /// Why, where the status alone does not say it, for people.
    pub reason: Option<String>,
    /// The networks asked for that it is in; for `inactive`, that it would be in.
    pub networks: Vec<Network>,
    /// What is marked inactive, for `inactive`.
    pub inactive: Vec<Inactive>,
    /// Since or until when, where the payer states it.
    pub inactive_dates: Vec<InactiveDate>,
    /// Where it is in network (or inactive), with all roles there.
    pub locations: Vec<PracticeLocation>,
    /// Every role that says so names several places: that it holds at each is the payer's silence.
    pub shared_role: bool,
    /// Inactive in these networks, and active in others.
    pub(crate) is_elsewhere: bool,
}

impl NetworkAnswer {
    fn new(status: NetworkStatus, reason: Option<String>) -> Self {
        Self {
            status,
            reason,
            networks: Vec::new(),
            inactive: Vec::new(),
            inactive_dates: Vec::new(),
            locations: Vec::new(),
            shared_role: false,
            is_elsewhere: false,
        }
    }
}

/// A provider that was resolved, or nobody, whose standing is asked of several plans.
#[derive(Debug, Default)]
pub(crate) struct Whose {
    provider: Option<u32>,
    /// The kinds of the networks that it is listed in.
    kinds: OnceCell<Vec<NetworkKind>>,
}

/// What is read of a standing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// All of it.
    Places,
    /// All but the places that make it so.
    Status,
}

impl From<Option<u32>> for Whose {
    fn from(provider: Option<u32>) -> Self {
        Self { provider, kinds: OnceCell::new() }
    }
}

impl Whose {
    fn kinds(&self, directory: &Directory, cancel: &Cancel) -> Result<&[NetworkKind]> {
        if let Some(known) = self.kinds.get() {
            return Ok(known);
        }
        let mut networks = Vec::new();
        if let Some(provider) = self.provider {
            for row in directory.error_if_damaged(directory.rows_of(provider))? {
                cancel.check()?;
                let row = directory.error_if_damaged(row)?;
                networks.extend(directory.practice_location(row, None)?.networks);
            }
        }
        Ok(self.kinds.get_or_init(|| kinds(networks.iter())))
    }
}

/// Roles that name a wanted network, in one state of activity.
#[derive(Default)]
struct Naming {
    rows: Vec<u32>,
    networks: Vec<usize>,
    flags: u32,
    dates: Vec<InactiveDate>,
    all_shared: bool,
    /// Versions that contradict each other name one of them.
    contrary: bool,
    /// A role names a network that cannot be read.
    lost_network: bool,
}

/// What a provider's roles say of the wanted networks.
#[derive(Default)]
struct Said {
    active: Naming,
    inactive: Naming,
    /// A role names other networks.
    others: bool,
    /// An active one does.
    active_others: bool,
}

impl Naming {
    fn add(&mut self, row: u32, flags: u32, networks: impl Iterator<Item = usize>) {
        let shared = flags & flag::SHARED != 0;
        self.all_shared = if self.rows.is_empty() { shared } else { self.all_shared && shared };
        self.rows.push(row);
        self.networks.extend(networks);
        self.flags |= flags;
    }

    fn answer(
        mut self,
        directory: &Directory,
        status: NetworkStatus,
        shown: Shown,
        cancel: &Cancel,
    ) -> Result<NetworkAnswer> {
        self.networks.sort_unstable();
        self.networks.dedup();
        self.rows.dedup();
        self.dates.sort_unstable();
        self.dates.dedup();
        Ok(NetworkAnswer {
            networks: self.networks.into_iter().filter_map(|n| directory.networks.network(n).cloned()).collect(),
            inactive: if status == NetworkStatus::Inactive { Inactive::of(self.flags) } else { Vec::new() },
            inactive_dates: self.dates,
            locations: match shown {
                Shown::Places => {
                    let read = |row| {
                        cancel.check()?;
                        directory.practice_location(row, None)
                    };
                    self.rows.into_iter().map(read).collect::<Result<_>>()?
                }
                Shown::Status => Vec::new(),
            },
            shared_role: self.all_shared,
            ..NetworkAnswer::new(status, None)
        })
    }
}

impl Directory {
    /// A provider's standing in one of these networks (a plan's, or one that was named), of one kind
    /// if that is said.
    ///
    /// # Errors
    /// `NotFound` with candidates for a network that neither a plan nor the directory names; `Ambiguous`
    /// with candidates if several providers state the NPI.
    pub fn network_status(
        &self,
        query: impl Into<ProviderQuery>,
        networks: &[NetworkKey],
        kind: Option<NetworkKind>,
        cancel: &Cancel,
    ) -> Result<NetworkAnswer> {
        self.standing(&self.provider_of(&query.into())?.into(), networks, kind, Shown::Places, cancel)
    }

    /// As [`Self::network_status`], of a provider that was resolved.
    pub(crate) fn standing(
        &self,
        whose: &Whose,
        networks: &[NetworkKey],
        kind: Option<NetworkKind>,
        shown: Shown,
        cancel: &Cancel,
    ) -> Result<NetworkAnswer> {
        let numbers = networks.iter().map(|key| self.networks.named(key)).collect::<Result<Vec<_>>>()?;
        let may_be = |own: NetworkKind| kind.is_none_or(|kind| own == kind || own == NetworkKind::Unknown);
        let of_kind = |number: &usize| self.networks.network(*number).is_some_and(|network| may_be(network.kind));
        let numbers: Vec<usize> = numbers.into_iter().filter(of_kind).collect();
        if numbers.is_empty() {
            let reason = kind.map(|kind| format!("no {} network", kind.as_str()));
            return Ok(NetworkAnswer::new(NetworkStatus::NoSuchNetwork, reason));
        }
        let wanted = self.networks.wanted(Some(networks), kind)?;
        let provider = whose.provider;
        let mut said = Said::default();
        if let Some(provider) = provider {
            for row in self.error_if_damaged(self.rows_of(provider))? {
                cancel.check()?;
                let row = self.error_if_damaged(row)?;
                for role in self.error_if_damaged(self.roles_of(row))? {
                    self.error_if_damaged(self.note_role(row, role, &wanted, &mut said))?;
                }
            }
        }
        let Said { active, inactive, others, active_others } = said;
        let unknown = |reason: &str| Ok(NetworkAnswer::new(NetworkStatus::Unknown, Some(reason.to_owned())));
        if !active.rows.is_empty() {
            return active.answer(self, NetworkStatus::InNetwork, shown, cancel);
        }
        if active.contrary {
            return unknown("the payer says both: versions of one role, of one date, contradict each other");
        }
        if let Some(gap) = numbers.iter().find_map(|number| self.networks.incomplete(*number)) {
            return unknown(gap);
        }
        if active.lost_network {
            return unknown("a role of the provider names a network that cannot be read, or that leads nowhere");
        }
        if !inactive.rows.is_empty() {
            let answer = inactive.answer(self, NetworkStatus::Inactive, shown, cancel)?;
            return Ok(NetworkAnswer { is_elsewhere: active_others, ..answer });
        }
        if inactive.contrary {
            return unknown("the payer says both: versions of one inactive role, of one date, contradict each other");
        }
        if inactive.lost_network {
            return unknown(
                "an inactive role of the provider names a network that cannot be read, or that leads nowhere",
            );
        }
        if let Some(gap) = numbers.iter().find_map(|number| self.networks.gap(*number)) {
            return unknown(&gap);
        }
        Ok(if others {
            NetworkAnswer::new(NetworkStatus::OtherNetworksOnly, None)
        } else {
            let no_role = "the directory names the provider, in no network".to_owned();
            NetworkAnswer::new(NetworkStatus::NotInDirectory, provider.map(|_| no_role))
        })
    }

    fn note_role(&self, row: u32, role: u32, wanted: &Wanted, said: &mut Said) -> Result<(), Damaged> {
        let flags = self.flags(role)?;
        if flags & flag::NO_ROLE != 0 {
            return Ok(());
        }
        let members: Vec<usize> = self.networks.members(self.roles.networks.get(role)?)?.collect();
        let named: Vec<usize> = members.iter().copied().filter(|number| wanted.has(*number, flags)).collect();
        let is_active = flags & flag::INACTIVE == 0;
        let naming = if is_active { &mut said.active } else { &mut said.inactive };
        naming.lost_network |= flags & flag::LOST_NETWORK != 0;
        if named.is_empty() {
            said.others |= !members.is_empty();
            said.active_others |= is_active && !members.is_empty();
        } else if flags & flag::CONTRARY != 0 {
            naming.contrary = true;
        } else {
            if !is_active {
                naming.dates.extend(InactiveDate::of(flags, self.inactive_days(self.roles.state.get(role)?)?));
            }
            naming.add(row, flags, named.into_iter());
        }
        Ok(())
    }
}

impl Dataset {
    /// A provider's standing in a plan's networks, of one kind if that is said. A provider whom the
    /// directory lists only in networks of kinds that the plan has none of is in
    /// [`NoSuchNetwork`](NetworkStatus::NoSuchNetwork): a stand-alone drug plan has pharmacies only.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, NetworkStatus, Npi};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let npi: Npi = "2410000113".parse()?;
    /// let plan = &dataset.resolve_plan("H9231-001-000-2026")?[0].plan;
    /// assert_eq!(dataset.plan_network_status(npi, plan, None)?.status, NetworkStatus::InNetwork);
    /// let pharmacies_only = &dataset.resolve_plan("S9402-001")?[0].plan;
    /// assert_eq!(dataset.plan_network_status(npi, pharmacies_only, None)?.status, NetworkStatus::NoSuchNetwork);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) for a dataset without a directory,
    /// [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates if several providers state the NPI.
    pub fn plan_network_status(
        &self,
        query: impl Into<ProviderQuery>,
        plan: &Plan,
        kind: Option<NetworkKind>,
    ) -> Result<NetworkAnswer> {
        let directory = self.inner.directory.get()?;
        self.standing_in_plan(&directory.provider_of(&query.into())?.into(), plan, kind, Shown::Places)
    }

    /// As [`Self::plan_network_status`], of a provider that was resolved.
    pub(crate) fn standing_in_plan(
        &self,
        whose: &Whose,
        plan: &Plan,
        kind: Option<NetworkKind>,
        shown: Shown,
    ) -> Result<NetworkAnswer> {
        let directory = self.inner.directory.get()?;
        let keys: Vec<NetworkKey> = plan.networks.iter().map(|network| network.key.clone()).collect();
        let mut answer = directory.standing(whose, &keys, kind, shown, &self.cancel)?;
        let of_plan = kinds(plan.networks.iter());
        // One of the other networks may be a network of the plan.
        let may_be_lost = match answer.status {
            NetworkStatus::OtherNetworksOnly | NetworkStatus::NoSuchNetwork => true,
            NetworkStatus::Inactive => answer.is_elsewhere,
            _ => false,
        };
        if plan.lost_networks > 0 && may_be_lost {
            answer = NetworkAnswer::new(NetworkStatus::Unknown, Some(lost_networks(plan.lost_networks)));
        } else if answer.status == NetworkStatus::NoSuchNetwork && of_plan.is_empty() {
            answer.status = NetworkStatus::Unknown;
            answer.reason = Some("the payer states no network for this plan".to_owned());
        } else if answer.status == NetworkStatus::OtherNetworksOnly && kind.is_none() {
            let own = whose.kinds(directory, &self.cancel)?;
            let strangers = !own.contains(&NetworkKind::Unknown) && !of_plan.contains(&NetworkKind::Unknown);
            if strangers && !own.iter().any(|kind| of_plan.contains(kind)) {
                answer.status = NetworkStatus::NoSuchNetwork;
                let [has, is] = [&of_plan, own].map(listed);
                answer.reason = Some(format!("the plan has {has} networks only, the provider is in {is} ones"));
            }
        }
        Ok(answer)
    }
}

/// Why nothing can be said of a plan's networks.
fn lost_networks(count: u32) -> String {
    let networks = if count == 1 { "a network".to_owned() } else { format!("{count} networks") };
    format!("the plan names {networks} that cannot be read, or that the directory does not have")
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
