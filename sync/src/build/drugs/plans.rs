//! Plans: what InsurancePlans, Lists and entries say of each, in one row.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::DrugBenefit;
use coverdex_core::build::{fold, lacks_too_many};
use coverdex_core::{Audience, NetworkKey, PlanId};

use super::collect::Said;
use super::join::{Joined, Named, PlanLists};
use crate::build::directory::Elsewhere;
use crate::model::{NetworkName, PlanFacts, ServiceArea, SourceId, TierDefinition};
use crate::source::{ByKey, FormularyGap};

/// One plan.
#[derive(Debug)]
pub(super) struct PlanRow {
    pub(super) id: PlanId,
    /// Its number among what was said, if Lists or entries name it.
    pub(super) said: Option<u32>,
    pub(super) name: Option<String>,
    pub(super) types: Vec<String>,
    pub(super) audience: Audience,
    pub(super) offered: bool,
    pub(super) drugs: DrugBenefit,
    pub(super) lists: PlanLists,
    pub(super) networks: BTreeSet<NetworkKey>,
    /// Networks that cannot be read: by references that lead nowhere, or named by some versions alone.
    pub(super) lost_networks: u32,
    pub(super) areas: BTreeSet<ServiceArea>,
    pub(super) links: BTreeSet<(String, String)>,
    pub(super) tiers: Vec<TierDefinition>,
}

/// A network: the spelling of its system, and a label.
#[derive(Debug, Default)]
pub(super) struct NetworkRow {
    pub(super) label: Option<String>,
}

/// All plans by id, all networks by key.
pub(super) struct Plans {
    pub(super) plans: Vec<PlanRow>,
    pub(super) networks: BTreeMap<NetworkKey, NetworkRow>,
}

/// Puts together what is known of every plan. `gaps` says of which plans a part may be missing,
/// `has_rows` whether a plan has a formulary.
pub(super) fn plans(
    said: &Said,
    joined: &Joined,
    gaps: &ByKey<PlanId, FormularyGap>,
    has_rows: impl Fn(u32) -> bool,
    elsewhere: Elsewhere<'_>,
) -> Plans {
    let numbered: BTreeMap<&PlanId, u32> = said.plans.values().zip(0_u32..).collect();
    let mut ids: BTreeSet<&PlanId> = joined.offers.keys().collect();
    ids.extend(numbered.iter().filter(|(_, n)| has_rows(**n) || joined.lists.contains_key(n)).map(|(id, _)| *id));
    let mut networks: BTreeMap<NetworkKey, NetworkRow> = BTreeMap::new();
    let plans = ids.into_iter().map(|id| {
        let offers = joined.offers.get(id).map(Vec::as_slice).unwrap_or_default();
        let said = numbered.get(id).copied();
        let lists = said.and_then(|number| joined.lists.get(&number)).cloned().unwrap_or_default();
        let contested = joined.contested.get(id).map(Vec::as_slice).unwrap_or_default();
        let (of_plan, lost_networks) = networks_of(offers, contested, elsewhere);
        for named in &of_plan {
            note_network(&mut networks, &named.key, named.label.as_deref());
        }
        let keys = of_plan.into_iter().map(|named| named.key).collect();
        let gap = joined.gap(id, said, gaps);
        let row = plan(id, said, offers, lists, (said.is_some_and(&has_rows), gap));
        PlanRow { networks: keys, lost_networks, ..row }
    });
    let plans = plans.collect();
    fill_labels(&mut networks, elsewhere);
    Plans { plans, networks }
}

/// Labels of networks that plans name by reference or identifier alone: what the directory calls them.
fn fill_labels(networks: &mut BTreeMap<NetworkKey, NetworkRow>, elsewhere: Elsewhere<'_>) {
    for (key, network) in networks.iter_mut().filter(|(_, network)| network.label.is_none()) {
        network.label = elsewhere.label(key).map(str::to_owned);
    }
}

/// The networks of a plan, by key and by reference, and how many cannot be read: by references that
/// lead nowhere, or because not all versions of an InsurancePlan, of which none is the newest, name them.
fn networks_of(offers: &[PlanFacts], contested: &[Vec<Named>], elsewhere: Elsewhere<'_>) -> (Vec<NetworkName>, u32) {
    let mut names: Vec<NetworkName> = offers.iter().flat_map(|offer| offer.networks.iter().cloned()).collect();
    let mut lost: BTreeSet<SourceId> = BTreeSet::new();
    let mut follow = |references: BTreeSet<&(SourceId, Option<String>)>, names: &mut Vec<NetworkName>| {
        for (source, label) in references {
            match elsewhere.networks(*source) {
                Some(keys) => {
                    names.extend(keys.into_iter().map(|key| NetworkName { key, label: label.clone() }));
                }
                None => drop(lost.insert(*source)),
            }
        }
    };
    follow(offers.iter().flat_map(|offer| &offer.network_references).collect(), &mut names);
    let mut doubtful: BTreeSet<NetworkKey> = BTreeSet::new();
    for versions in contested {
        let mut named: Vec<NetworkName> = Vec::new();
        let keys: Vec<BTreeSet<NetworkKey>> = versions
            .iter()
            .map(|version| {
                let mut of_version = version.networks.clone();
                follow(version.references.iter().collect(), &mut of_version);
                let keys = of_version.iter().map(|name| name.key.clone()).collect();
                named.extend(of_version);
                keys
            })
            .collect();
        let (by_all, by_some): (Vec<NetworkName>, Vec<NetworkName>) =
            named.into_iter().partition(|name| keys.iter().all(|keys| keys.contains(&name.key)));
        names.extend(by_all);
        doubtful.extend(by_some.into_iter().map(|name| name.key));
    }
    doubtful.retain(|key| names.iter().all(|name| name.key != *key));
    (names, u32::try_from(lost.len() + doubtful.len()).unwrap_or(u32::MAX))
}

/// Of several spellings of one system the first in the alphabet is kept, of several labels too.
fn note_network(networks: &mut BTreeMap<NetworkKey, NetworkRow>, key: &NetworkKey, label: Option<&str>) {
    let (kept, mut row) = networks.remove_entry(key).unwrap_or_else(|| (key.clone(), NetworkRow::default()));
    let spelling = if key.system() < kept.system() { key.clone() } else { kept };
    let label = label.map(str::trim).filter(|label| !label.is_empty());
    row.label = [row.label.as_deref(), label].into_iter().flatten().min().map(str::to_owned);
    networks.insert(spelling, row);
}

fn plan(
    id: &PlanId,
    said: Option<u32>,
    offers: &[PlanFacts],
    lists: PlanLists,
    (has_rows, gap): (bool, Option<FormularyGap>),
) -> PlanRow {
    // Offers are oldest first: the newest that says something is believed.
    let name = offers.iter().rev().find_map(|offer| offer.name.clone());
    let title = || lists.contents.iter().rev().find_map(|list| list.title.clone());
    let name = name.or_else(title);
    let types: Vec<String> =
        offers.iter().flat_map(|offer| offer.types.iter().cloned()).collect::<BTreeSet<_>>().into_iter().collect();
    let links = lists.contents.iter().flat_map(|list| list.links.iter().cloned()).collect();
    let mut tiers: Vec<TierDefinition> = Vec::new();
    for tier in lists.contents.iter().flat_map(|list| &list.tiers) {
        if !tiers.contains(tier) {
            tiers.push(tier.clone());
        }
    }
    tiers.sort_by(|a, b| (&a.tier, a.mail_order, &a.cost_sharing).cmp(&(&b.tier, b.mail_order, &b.cost_sharing)));
    let drugs = drug_benefit(&lists, has_rows, types_without_drugs(&types), gap);
    PlanRow {
        id: id.clone(),
        said,
        audience: audience(id, &types, name.as_deref(), !offers.is_empty()),
        name,
        types,
        offered: !offers.is_empty(),
        drugs,
        lists,
        networks: BTreeSet::new(),
        lost_networks: 0,
        areas: offers.iter().flat_map(|offer| offer.areas.iter().cloned()).collect(),
        links,
        tiers,
    }
}

/// What is known of a plan's formulary.
fn drug_benefit(lists: &PlanLists, has_rows: bool, without_drugs: bool, gap: Option<FormularyGap>) -> DrugBenefit {
    let has_lists = lists.lists > 0 && lists.expected > 0;
    // A List that cannot be read came too: there may be a benefit.
    let something_came = has_lists || has_rows || lists.lost > 0;
    match gap {
        _ if without_drugs && !something_came => DrugBenefit::NoDrugBenefit,
        Some(FormularyGap::NotSynced) if !something_came => DrugBenefit::NotSynced,
        Some(FormularyGap::NotSynced | FormularyGap::ListsIncomplete | FormularyGap::Incomplete) => {
            DrugBenefit::Incomplete
        }
        None if has_lists && lacks_too_many(lists.gaps.into(), lists.expected.into()) => DrugBenefit::Incomplete,
        None if has_lists => DrugBenefit::Complete,
        None if has_rows => DrugBenefit::NoList,
        None => DrugBenefit::NoFormularyPublished,
    }
}

/// Types that say there is no drug benefit: an MA plan is one without Part D, MA-PD has it. Words that
/// say nothing of drugs may stand beside the code (`MA`, `Medicare Individual`).
fn types_without_drugs(types: &[String]) -> bool {
    const WITHOUT: [&str; 9] = [
        "ma",
        "ma only",
        "medigap",
        "medicare supplement",
        "dental",
        "vision",
        "dental vision",
        "medsupp",
        "supplement",
    ];
    const WITH: [&str; 6] = ["ma pd", "mapd", "pdp", "medicaid", "mmp", "dsnp"];
    let says = |known: &[&str]| types.iter().any(|code| known.contains(&fold::key(code).as_str()));
    says(&WITHOUT) && !says(&WITH)
}

/// Whom a plan is sold to: a hint from its number, types and name.
fn audience(id: &PlanId, types: &[String], name: Option<&str>, offered: bool) -> Audience {
    let words = types.iter().map(String::as_str).chain(name).map(fold::key).collect::<Vec<_>>().join(" ");
    let has = |word: &str| words.split(' ').any(|w| w == word);
    let group_number = matches!(id, PlanId::Medicare(plan) if plan.pbp >= 800);
    if group_number || has("group") || has("employer") {
        Audience::EmployerGroup
    } else if ["snp", "dsnp", "csnp", "isnp"].into_iter().any(has) || words.contains("special needs") {
        Audience::SpecialNeeds
    } else if has("medicaid") {
        Audience::Medicaid
    } else if offered && matches!(id, PlanId::Medicare(_)) {
        Audience::Individual
    } else {
        Audience::NotStated
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn audiences_are_told_by_number_type_and_name() {
        for (id, types, name, want) in [
            ("H1234-801-000-2026", vec!["MA-PD"], "Plus (PPO)", Audience::EmployerGroup),
            ("H1234-021-000-2026", vec!["MA-PD"], "Plus (PPO)", Audience::Individual),
            ("H1234-021-000-2026", vec!["D-SNP"], "Dual", Audience::SpecialNeeds),
            ("H1234-021-000-2026", vec![], "Dual Select (HMO D-SNP)", Audience::SpecialNeeds),
            ("KY-MCD", vec!["Medicaid"], "Healthy", Audience::Medicaid),
            ("X1", vec![], "Something", Audience::NotStated),
        ] {
            let types: Vec<String> = types.into_iter().map(str::to_owned).collect();
            assert_eq!(audience(&PlanId::parse(id).unwrap(), &types, Some(name), true), want, "{id} {name}");
        }
    }

    #[test]
    fn what_was_not_seen_makes_absence_unknown() {
        let lists = |expected: u32, gaps: u32| PlanLists { lists: 1, expected, gaps, ..PlanLists::default() };
        let (none, not_synced, incomplete) = (None, Some(FormularyGap::NotSynced), Some(FormularyGap::Incomplete));
        let nothing = PlanLists::default();
        for (lists, has_rows, without_drugs, gap, want) in [
            (lists(200, 2), true, false, none, DrugBenefit::Complete),
            (lists(200, 3), true, false, none, DrugBenefit::Incomplete),
            (lists(200, 0), true, false, incomplete, DrugBenefit::Incomplete),
            (lists(200, 0), true, false, not_synced, DrugBenefit::Incomplete),
            (nothing.clone(), true, false, none, DrugBenefit::NoList),
            (nothing.clone(), false, false, none, DrugBenefit::NoFormularyPublished),
            (nothing.clone(), false, false, not_synced, DrugBenefit::NotSynced),
            (nothing.clone(), false, false, incomplete, DrugBenefit::Incomplete),
            (nothing.clone(), false, true, incomplete, DrugBenefit::NoDrugBenefit),
            (nothing, false, true, not_synced, DrugBenefit::NoDrugBenefit),
        ] {
            assert_eq!(drug_benefit(&lists, has_rows, without_drugs, gap), want, "{lists:?} {gap:?}");
        }
    }

    #[test]
    fn networks_that_not_all_versions_name_cannot_be_read() {
        let heard = crate::build::directory::Heard::of(crate::build::directory::Collector::new(Path::new(""))).unwrap();
        let network = |id: &str| NetworkName { key: NetworkKey::new("s", id).unwrap(), label: None };
        let named =
            |ids: &[&str]| Named { networks: ids.iter().map(|id| network(id)).collect(), references: Vec::new() };
        let of = |offers: &[PlanFacts], contested: &[Vec<Named>]| {
            let (names, lost) = networks_of(offers, contested, heard.elsewhere());
            let keys: BTreeSet<String> = names.iter().map(|name| name.key.id().to_owned()).collect();
            (keys.into_iter().collect::<Vec<_>>(), lost)
        };
        let versions = vec![named(&["A", "B"]), named(&["B", "C"]), named(&["B"])];
        assert_eq!(of(&[], std::slice::from_ref(&versions)), (vec!["B".to_owned()], 2));
        let other = PlanFacts {
            plan: PlanId::parse("X1").unwrap(),
            name: None,
            types: Vec::new(),
            networks: vec![network("A")],
            network_references: Vec::new(),
            areas: Vec::new(),
            area_references: Vec::new(),
            current: true,
        };
        assert_eq!(of(&[other], &[versions]), (vec!["A".to_owned(), "B".to_owned()], 1), "another resource names it");
    }

    #[test]
    fn a_network_without_a_label_in_plans_has_the_name_of_its_organization() {
        use crate::model::{Content, Fact, OrganizationFacts, Received, ResourceKind, Stamp};
        let key = |id: &str| NetworkKey::new("s", id).unwrap();
        let collector = crate::build::directory::Collector::new(Path::new(""));
        let organization = |name: &str, kind: Option<&str>, ids: &[&str]| OrganizationFacts {
            name: Some(name.to_owned()),
            types: kind.into_iter().map(str::to_owned).collect(),
            network_keys: ids.iter().map(|id| key(id)).collect(),
            ..OrganizationFacts::default()
        };
        let organizations = [
            organization("Gold Network", Some("ntwk"), &["A", "B"]),
            organization("Bare Network", None, &["D"]),
            organization("Clinic", Some("fac"), &["C"]),
        ];
        let plan = PlanFacts {
            plan: PlanId::parse("X1").unwrap(),
            name: None,
            types: Vec::new(),
            networks: ["A", "B", "C", "D"].map(|id| NetworkName { key: key(id), label: None }).to_vec(),
            network_references: Vec::new(),
            areas: Vec::new(),
            area_references: Vec::new(),
            current: true,
        };
        let organizations =
            organizations.into_iter().map(|facts| (ResourceKind::Organization, Fact::Organization(facts)));
        let plans = std::iter::once((ResourceKind::Plan, Fact::Plans(vec![plan])));
        for ((kind, fact), id) in organizations.chain(plans).zip(1..) {
            let (updated, content) = (Stamp::default(), Content::Fact(fact));
            let received =
                Received { kind, source: SourceId(id), id: None, updated, version: None, servers: None, content };
            collector.take(&[received]).unwrap();
        }
        let heard = crate::build::directory::Heard::of(collector).unwrap();
        let mut networks = BTreeMap::new();
        for (id, label) in [("A", None), ("B", Some("Silver")), ("C", None), ("D", None)] {
            note_network(&mut networks, &key(id), label);
        }
        fill_labels(&mut networks, heard.elsewhere());
        let labels: Vec<Option<&str>> = networks.values().map(|network| network.label.as_deref()).collect();
        assert_eq!(labels, [Some("Gold Network"), Some("Silver"), None, Some("Bare Network")]);
    }

    #[test]
    fn types_that_have_no_drugs() {
        let types = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
        assert!(types_without_drugs(&types(&["MA"])));
        assert!(types_without_drugs(&types(&["MA", "Medicare Individual"])));
        assert!(!types_without_drugs(&types(&["Medicare Individual"])));
        assert!(!types_without_drugs(&types(&["MA-PD"])));
        assert!(!types_without_drugs(&types(&["MA", "MA-PD"])));
        assert!(!types_without_drugs(&[]));
    }
}
