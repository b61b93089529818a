//! The resources that say whether a plan lists a drug, and what the drug is.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use coverdex_core::{Cancel, Error, ErrorKind, Ndc11, PlanId, ProductNdc, Result, Rxcui, SourceResource};

use super::{Newest, Version, flag, read};
use crate::model::{Content, DrugFacts, EntryState, Fact, FormularyEntry, PlanFacts, Received, ResourceKind, SourceId};

/// A drug by its codes, and the plan that it is asked of.
#[derive(Clone, Debug, Default)]
pub struct DrugSought {
    /// Packages.
    pub packages: Vec<Ndc11>,
    /// Products: entries that have a product code and no package code speak for all packages of the product.
    pub products: Vec<ProductNdc>,
    /// RxNorm codes: they count for entries that have no other code.
    pub rxcuis: Vec<Rxcui>,
    /// The plan; without one the entries of every plan are found.
    pub plan: Option<PlanId>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    lists: Newest<PlanList>,
    entries: Newest<EntrySays>,
    /// Versions that are not of the drug any more take the place of those that were.
    drugs: Newest<Option<String>>,
    plans: Newest<String>,
}

/// A List of the plan.
#[derive(PartialEq)]
struct PlanList {
    entries: HashSet<SourceId>,
    current: bool,
    lost: Option<String>,
}

/// A formulary entry; `None` where it is of another drug.
type EntrySays = Option<(Option<PlanId>, String)>;

/// The resources that say something of a drug under a plan: its Lists that name entries of the drug (all of its
/// Lists where none does), the entries, the Medications that describe the drug, and the plan's own resource.
/// `from` is a staging folder, or the folder or file that a dataset was built from.
///
/// # Errors
/// As reading `from`; [`ErrorKind::Interrupted`] once `cancel` is cancelled.
pub fn sources_of_drug(from: &Path, sought: &DrugSought, cancel: &Cancel) -> Result<Vec<SourceResource>> {
    use ResourceKind::{Drug, DrugList, FormularyEntry, Plan};
    let found = Mutex::new(Found::default());
    read(from, &[DrugList, FormularyEntry, Drug, Plan], |received| {
        if cancel.is_cancelled() {
            return Err(Error::new(ErrorKind::Interrupted, "call", "cancelled"));
        }
        sought.take(&received, &found);
        Ok(())
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner).resources(sought))
}

impl DrugSought {
    fn take(&self, received: &Received, found: &Mutex<Found>) {
        let Content::Fact(fact) = &received.content else { return };
        let locked = || found.lock().unwrap_or_else(PoisonError::into_inner);
        let (source, version) = (received.source, Version::of(received));
        match fact {
            Fact::DrugList(list) if self.plan.as_ref().is_some_and(|plan| list.plans.contains(plan)) => {
                let entries = list.entries.iter().copied().collect();
                let says = PlanList { entries, current: list.current, lost: list.lost.clone() };
                locked().lists.add(source, version, says);
            }
            Fact::FormularyEntry(entry) => {
                let says = self.is_of(&entry.drug).then(|| (entry.plan.clone(), entry_words(entry)));
                let mut found = locked();
                if says.is_some() || found.entries.0.contains_key(&source) {
                    found.entries.add(source, version, says);
                }
            }
            Fact::Drug(drug) => {
                let says = self.is_of(drug).then(|| drug_words(drug));
                let mut found = locked();
                if says.is_some() || found.drugs.0.contains_key(&source) {
                    found.drugs.add(source, version, says);
                }
            }
            Fact::Plans(plans) => {
                if let Some(plan) = plans.iter().find(|facts| Some(&facts.plan) == self.plan.as_ref()) {
                    locked().plans.add(source, version, plan_words(plan));
                }
            }
            _ => {}
        }
    }

    /// Whether a resource is of the drug: by its packages, without any by its products, without any by RxNorm.
    fn is_of(&self, drug: &DrugFacts) -> bool {
        if !drug.packages.is_empty() {
            return drug.packages.iter().any(|(ndc, _)| self.packages.contains(ndc));
        }
        if !drug.products.is_empty() {
            let of_package = |product: &ProductNdc| self.packages.iter().any(|ndc| ndc.product() == *product);
            return drug.products.iter().any(|(product, _)| self.products.contains(product) || of_package(product));
        }
        drug.rxcuis.iter().any(|code| self.rxcuis.contains(code))
    }
}

impl Found {
    fn resources(&self, sought: &DrugSought) -> Vec<SourceResource> {
        let of_drug: HashSet<SourceId> =
            self.entries.all().filter(|(_, _, says)| says.is_some()).map(|(source, _, _)| source).collect();
        let named = |entry: SourceId| {
            self.lists.all().any(|(_, _, list)| list.current && list.lost.is_none() && list.entries.contains(&entry))
        };
        let has_lists = !self.lists.0.is_empty();
        let mut resources: Vec<SourceResource> = Vec::new();
        for (source, version, says) in self.entries.all() {
            let Some((plan, words)) = says else { continue };
            let is_named = named(source);
            let is_of_plan = sought.plan.is_none() || is_named || plan.as_ref() == sought.plan.as_ref();
            if !is_of_plan {
                continue;
            }
            let belongs = match (is_named, plan) {
                (true, _) => "named by a List of the plan".to_owned(),
                (false, Some(plan)) if has_lists => format!("names plan {plan}, and no List of it names this entry"),
                (false, Some(plan)) => format!("names plan {plan}"),
                (false, None) => "names no plan".to_owned(),
            };
            resources.push(version.resource(format!("{words}; {belongs}")));
        }
        let lists: Vec<(usize, &Version, &PlanList)> = self
            .lists
            .all()
            .map(|(_, version, list)| (list.entries.intersection(&of_drug).count(), version, list))
            .collect();
        let any_names = lists.iter().any(|(count, _, _)| *count > 0);
        for (count, version, list) in
            lists.into_iter().filter(|(count, _, list)| *count > 0 || !any_names || list.lost.is_some())
        {
            let all = list.entries.len();
            let mut says = match (count, &list.lost) {
                (_, Some(why)) => format!("a List of the plan that cannot be read: {why}"),
                (0, None) => format!("a List of the plan: names {all} entries, none of them of this drug"),
                (count, None) => format!("a List of the plan: names {all} entries, {count} of them of this drug"),
            };
            if !list.current {
                says.push_str("; retired or entered in error");
            }
            resources.push(version.resource(says));
        }
        let drugs = self.drugs.all().filter_map(|(_, version, says)| Some(version.resource(says.as_ref()?)));
        resources.extend(drugs);
        resources.extend(self.plans.all().map(|(_, version, says)| version.resource(says)));
        resources.sort();
        resources
    }
}

fn entry_words(entry: &FormularyEntry) -> String {
    let tiers: Vec<String> = entry
        .tiers
        .iter()
        .map(|tier| match &tier.display {
            Some(display) if *display != tier.code => format!("tier {} {display}", tier.code),
            _ => format!("tier {}", tier.code),
        })
        .collect();
    let tiers = if tiers.is_empty() { "tier not stated".to_owned() } else { tiers.join(" and ") };
    let state = match entry.state {
        EntryState::Active => "",
        EntryState::Inactive => "; inactive or entered in error",
    };
    format!(
        "{}: {tiers}; prior authorization {}, step therapy {}, quantity limit {}{state}",
        drug_words(&entry.drug),
        flag(entry.prior_authorization),
        flag(entry.step_therapy),
        flag(entry.quantity_limit),
    )
}

/// The codes of a drug and the best of its texts.
fn drug_words(drug: &DrugFacts) -> String {
    let mut codes: Vec<String> = drug.packages.iter().map(|(ndc, _)| format!("NDC {ndc}")).collect();
    if codes.is_empty() {
        codes.extend(drug.products.iter().map(|(product, layout)| format!("product {}", product.hyphenated(*layout))));
    }
    if codes.is_empty() {
        codes.extend(drug.rxcuis.iter().map(|code| format!("RxNorm {code}")));
    }
    let codes = codes.join(", ");
    match drug.texts.first() {
        Some((_, text)) => format!("{codes} {text:?}"),
        None => codes,
    }
}

fn plan_words(plan: &PlanFacts) -> String {
    let mut says = format!("the plan {}", plan.plan);
    if let Some(name) = &plan.name {
        says.push_str(&format!(" {name:?}"));
    }
    if plan.types.is_empty() { says } else { format!("{says}, {}", plan.types.join(", ")) }
}
