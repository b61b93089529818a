//! A naive reader: the rules' words over JSON, with no part of source, build or core but the
//! identifiers. Slow, simple, and with an opinion of its own.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::build::NdcQuery;

use coverdex_core::{Ndc11, PlanId, ProductNdc, Rxcui};
use serde_json::{Value, json};

/// What an entry is about: a package; a product where it names no package; codes where it names neither.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Package(Ndc11),
    Product(ProductNdc),
    Codes(BTreeSet<Rxcui>),
}

/// Tier code and the three flags.
pub(super) type Says = (Option<String>, [Option<bool>; 3]);

/// What a plan says of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    Listed(Says),
    Conflict(BTreeSet<Says>),
    Inactive,
    Unreferenced,
}

/// What is known of a plan's formulary.
#[derive(Clone, Debug, Default)]
pub(super) struct Formulary {
    pub(super) terms: BTreeMap<Key, Term>,
    /// `complete`, or the reason why absence means nothing.
    pub(super) state: &'static str,
    pub(super) expected: u32,
    pub(super) gaps: u32,
    /// A List that may be of this plan is of nobody knows which.
    lost: bool,
}

/// What a key is called.
#[derive(Clone, Debug, Default)]
struct Known {
    rxcuis: BTreeSet<Rxcui>,
    strength: Option<String>,
    form: Option<String>,
}

/// A payer as the naive reader sees it.
#[derive(Debug, Default)]
pub(super) struct Payer {
    pub(super) plans: BTreeMap<PlanId, Formulary>,
    known: BTreeMap<Key, Known>,
}

/// An answer for a drug in a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: String,
    pub(super) listed: u32,
    pub(super) not_on_this_list: u32,
    pub(super) seen_anywhere: bool,
    pub(super) gaps: u32,
    pub(super) expected: u32,
    pub(super) complete: bool,
    pub(super) says: Says,
    /// Tier codes, then packages with each flag, in conflict, without tier, in a tier that is not understood.
    pub(super) varies: Option<(BTreeSet<String>, [u32; 3], u32, u32, u32)>,
    /// Shown packages, sorted.
    pub(super) packages: Vec<Shown>,
}

/// A package that is shown: status, statement, contradictions, RxNorm codes.
pub(super) type Shown = (Option<Ndc11>, String, Says, BTreeSet<Says>, BTreeSet<Rxcui>);

/// A MedicationKnowledge or Medication, read.
#[derive(Debug)]
struct Drug {
    keys: Vec<Key>,
    rxcuis: BTreeSet<Rxcui>,
    text: Option<String>,
}

fn list_of(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(all) => all.iter().collect(),
        Value::Null => Vec::new(),
        one => vec![one],
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The newest versions of each resource of a type, several where they are of one date and none has the
/// higher number; those without an id are told apart by content.
fn newest_versions<'a>(resources: &'a [Value], kind: &str) -> BTreeMap<String, Vec<&'a Value>> {
    let mut kept: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for resource in resources.iter().filter(|resource| resource["resourceType"] == kind) {
        let id = resource["id"].as_str().map_or_else(|| format!("without id: {resource}"), str::to_owned);
        let date = |resource: &Value| resource["meta"]["lastUpdated"].to_string();
        let versions = kept.entry(id).or_default();
        if versions.first().is_some_and(|other| date(other) < date(resource)) {
            versions.clear();
        }
        if versions.first().is_none_or(|other| date(other) == date(resource)) {
            versions.push(resource);
        }
    }
    for versions in kept.values_mut() {
        let number = |resource: &Value| resource["meta"]["versionId"].as_str().and_then(|id| id.parse::<u64>().ok());
        let highest = versions.iter().copied().filter_map(number).max();
        versions.retain(|resource| number(resource).is_none_or(|number| Some(number) == highest));
    }
    kept
}

/// The newest version of each resource of a type where each version has a date of its own.
fn newest<'a>(resources: &'a [Value], kind: &str) -> BTreeMap<String, &'a Value> {
    newest_versions(resources, kind).into_iter().map(|(id, versions)| (id, versions[0])).collect()
}

fn plan_id(value: &Value) -> Option<PlanId> {
    let text = text_of(value)?;
    let says_nothing = ["PlanID", "HIOS-PLAN-ID"].contains(&text.as_str());
    if says_nothing { None } else { PlanId::parse(&text).ok() }
}

/// Codes and text of a drug; `None` if it names none.
fn drug(resource: &Value) -> Option<Drug> {
    let (mut packages, mut products, mut rxcuis) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for coding in list_of(&resource["code"]["coding"]) {
        let system = coding["system"].as_str().unwrap_or_default().to_lowercase();
        let Some(code) = text_of(&coding["code"]) else { continue };
        if system.ends_with("/ndc11") && coding["code"].is_number() {
            packages.extend(coding["code"].as_u64().and_then(Ndc11::new));
        } else if system.ends_with("/ndc11") || system.ends_with("/ndc") || (system.is_empty() && code.len() == 11) {
            if let Ok(NdcQuery::Package(package)) = code.parse::<NdcQuery>() {
                packages.insert(package);
            }
        } else if system.ends_with("/product_ndc") {
            products.extend(code.parse::<ProductNdc>().ok());
        } else if system.ends_with("/rxnorm") {
            rxcuis.extend(code.parse::<Rxcui>().ok());
        }
    }
    let keys: Vec<Key> = if !packages.is_empty() {
        packages.into_iter().map(Key::Package).collect()
    } else if !products.is_empty() {
        products.into_iter().map(Key::Product).collect()
    } else if rxcuis.is_empty() {
        return None;
    } else {
        vec![Key::Codes(rxcuis.clone())]
    };
    Some(Drug { keys, rxcuis, text: text_of(&resource["code"]["text"]) })
}

/// Values of the extensions of a name.
fn extensions<'a>(resource: &'a Value, name: &str, property: &'a str) -> Vec<&'a Value> {
    let wanted = format!("usdf-{name}-extension");
    let all = list_of(&resource["extension"]).into_iter();
    all.filter(|e| e["url"].as_str().is_some_and(|url| url.ends_with(&wanted))).map(|e| &e[property]).collect()
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        Value::Number(number) if number.as_u64() == Some(1) => Some(true),
        Value::Number(number) if number.as_u64() == Some(0) => Some(false),
        Value::Array(one) if one.len() == 1 => flag(&one[0]),
        _ => None,
    }
}

/// What an entry states: one statement for each tier, one without a tier if there is none.
fn statements(entry: &Value) -> BTreeSet<Says> {
    let flags = ["PriorAuthorization", "StepTherapyLimit", "QuantityLimit"].map(|name| {
        let stated: BTreeSet<bool> = extensions(entry, name, "valueBoolean").into_iter().filter_map(flag).collect();
        if stated.len() == 1 { stated.first().copied() } else { None }
    });
    let mut tiers: BTreeSet<Option<String>> = extensions(entry, "DrugTierID", "valueCodeableConcept")
        .into_iter()
        .flat_map(|concept| list_of(&concept["coding"]))
        .filter_map(|coding| text_of(&coding["code"]))
        .map(Some)
        .collect();
    if tiers.is_empty() {
        tiers.insert(None);
    }
    tiers.into_iter().map(|tier| (tier, flags)).collect()
}

fn is_inactive(entry: &Value) -> bool {
    let status = entry["status"].as_str().unwrap_or("active").to_lowercase();
    status == "inactive" || status == "entered-in-error"
}

/// The plan that an entry names, if it names one.
fn plan_of_entry(entry: &Value) -> Option<PlanId> {
    let named: BTreeSet<PlanId> = extensions(entry, "PlanID", "valueString").into_iter().filter_map(plan_id).collect();
    if named.len() == 1 { named.into_iter().next() } else { None }
}

/// The id of the entry that a List's entry names.
fn target(entry: &Value) -> Option<&str> {
    let reference = entry["item"]["reference"].as_str()?;
    let reference = reference.split("/_history").next().unwrap_or_default();
    match reference.rsplit_once('/') {
        Some((before, id)) => before.ends_with("MedicationKnowledge").then_some(id),
        None => Some(reference),
    }
}

impl Payer {
    pub(super) fn read(resources: &[Value]) -> Self {
        let mut payer = Self::default();
        let entries = newest_versions(resources, "MedicationKnowledge");
        let medications = newest(resources, "Medication");
        // Of versions of one date each that can be read holds.
        let mut readable: BTreeMap<&str, Vec<(&Value, Drug)>> = BTreeMap::new();
        for (id, versions) in &entries {
            for version in versions {
                if let Some(drug) = drug(version) {
                    readable.entry(id).or_default().push((version, drug));
                }
            }
        }
        let stated = medications.values().filter(|m| m["status"] != "entered-in-error").filter_map(|m| drug(m));
        let mut facts: Vec<Drug> = stated.collect();
        facts.extend(entries.values().flatten().filter_map(|entry| drug(entry)));
        payer.learn(&facts);

        // Lists say whose an entry is.
        let mut named: BTreeMap<PlanId, BTreeSet<&str>> = BTreeMap::new();
        let mut anywhere = false;
        for list in newest(resources, "List").into_values().filter(|list| list["status"] == "current") {
            // An entry in which nothing stands names nothing.
            let is_empty = |value: &Value| matches!(value, Value::Null) || *value == json!({}) || *value == json!("");
            let names = |entry: &&Value| {
                let members = entry.as_object().map(|members| members.values().all(is_empty));
                !is_empty(entry) && !members.unwrap_or(false) && entry["deleted"] != true
            };
            let there: Vec<&Value> = list_of(&list["entry"]).into_iter().filter(names).collect();
            let targets: BTreeSet<&str> = there.iter().filter_map(|entry| target(entry)).collect();
            let unreadable = there.iter().filter(|entry| target(entry).is_none()).count();
            let mut plans: BTreeSet<PlanId> =
                list_of(&list["identifier"]).into_iter().filter_map(|i| plan_id(&i["value"])).collect();
            if plans.is_empty() {
                let versions = targets.iter().filter_map(|id| readable.get(id)).flatten();
                let by_entries: BTreeSet<PlanId> = versions.filter_map(|(entry, _)| plan_of_entry(entry)).collect();
                if by_entries.len() == 1 {
                    plans = by_entries;
                } else if targets.is_empty() {
                    continue;
                } else {
                    // Nobody knows which plan's it is: what its entries' plans list, or any plan, is not complete.
                    anywhere |= by_entries.is_empty();
                    for plan in by_entries {
                        payer.plans.entry(plan).or_default().lost = true;
                    }
                }
            }
            for plan in plans {
                named.entry(plan.clone()).or_default().extend(&targets);
                let formulary = payer.plans.entry(plan).or_default();
                let unreadable = u32::try_from(unreadable).unwrap();
                formulary.expected += unreadable;
                formulary.gaps += unreadable;
            }
        }
        let in_some_list: BTreeSet<&str> = named.values().flatten().copied().collect();
        let mut rows: BTreeMap<PlanId, Vec<(&Value, &Drug, bool)>> = BTreeMap::new();
        for (plan, targets) in &named {
            let formulary = payer.plans.get_mut(plan).unwrap();
            formulary.expected += u32::try_from(targets.len()).unwrap();
            for id in targets {
                match readable.get(id) {
                    Some(versions) => {
                        let versions = versions.iter().map(|(entry, drug)| (*entry, drug, true));
                        rows.entry(plan.clone()).or_default().extend(versions);
                    }
                    None => formulary.gaps += 1,
                }
            }
        }
        for (_, versions) in readable.iter().filter(|(id, _)| !in_some_list.contains(*id)) {
            for (entry, drug) in versions {
                if let Some(plan) = plan_of_entry(entry) {
                    rows.entry(plan).or_default().push((entry, drug, false));
                }
            }
        }
        for (plan, rows) in rows {
            let formulary = payer.plans.entry(plan).or_default();
            let mut by_key: BTreeMap<&Key, Vec<(&Value, bool)>> = BTreeMap::new();
            for (entry, drug, by_list) in rows {
                for key in &drug.keys {
                    by_key.entry(key).or_default().push((entry, by_list));
                }
            }
            let has_lists = formulary.expected > 0;
            formulary.terms =
                by_key.into_iter().map(|(key, entries)| (key.clone(), judge(&entries, has_lists))).collect();
        }
        payer.offers(resources, anywhere);
        payer
    }

    /// Which plans are offered, and what the absence of a drug means in each.
    fn offers(&mut self, resources: &[Value], anywhere: bool) {
        let mut types: BTreeMap<PlanId, BTreeSet<String>> = BTreeMap::new();
        for resource in newest(resources, "InsurancePlan").into_values().filter(|r| r["status"] == "active") {
            for plan in list_of(&resource["plan"]) {
                let Some(id) = list_of(&plan["identifier"]).into_iter().find_map(|i| plan_id(&i["value"])) else {
                    continue;
                };
                self.plans.entry(id.clone()).or_default();
                let kind = &plan["type"];
                let code = text_of(&kind["coding"][0]["code"]).or_else(|| text_of(&kind["text"]));
                types.entry(id).or_default().extend(code);
            }
        }
        for (id, formulary) in &mut self.plans {
            let kinds = types.get(id).cloned().unwrap_or_default();
            formulary.state = if formulary.expected > 0 {
                if formulary.lost || anywhere || formulary.gaps * 100 > formulary.expected {
                    "incomplete"
                } else {
                    "complete"
                }
            } else if formulary.lost {
                "incomplete"
            } else if !formulary.terms.is_empty() {
                "no_list"
            } else if kinds.contains("MA") && !kinds.contains("MA-PD") {
                "no_drug_benefit"
            } else {
                "no_formulary_published"
            };
        }
    }

    /// Codes, strengths and forms of all keys: their own, then their product's, then their code's.
    fn learn(&mut self, facts: &[Drug]) {
        for drug in facts {
            for key in &drug.keys {
                let known = self.known.entry(key.clone()).or_default();
                known.rxcuis.extend(&drug.rxcuis);
                if let Some((strength, form)) = drug.text.as_deref().map(parts) {
                    known.strength = known.strength.clone().or(strength);
                    known.form = known.form.clone().or(form);
                }
            }
        }
        let product = |key: &Key| match key {
            Key::Package(ndc) => Some(ndc.product()),
            Key::Product(product) => Some(*product),
            Key::Codes(_) => None,
        };
        let lent: BTreeMap<Key, (String, String)> = self
            .known
            .keys()
            .filter_map(|key| {
                let of = product(key)?;
                let mut all = self.known.iter().filter(|(other, _)| product(other) == Some(of));
                all.find_map(|(_, known)| known.formulation()).map(|formulation| (key.clone(), formulation))
            })
            .collect();
        self.lend(lent);
        let mut offers: BTreeMap<Key, BTreeSet<(String, String)>> = BTreeMap::new();
        for code in self.codes() {
            let formulations = self.formulations(code);
            if let (1, Some(one)) = (formulations.len(), formulations.first()) {
                for (key, known) in &self.known {
                    if known.rxcuis.contains(&code) && known.strength.is_none() {
                        offers.entry(key.clone()).or_default().insert(one.clone());
                    }
                }
            }
        }
        let agreed = offers.into_iter().filter(|(_, offered)| offered.len() == 1);
        self.lend(agreed.filter_map(|(key, offered)| Some((key, offered.into_iter().next()?))).collect());
    }

    fn lend(&mut self, lent: BTreeMap<Key, (String, String)>) {
        for (key, (strength, form)) in lent {
            let known = self.known.get_mut(&key).unwrap();
            if known.strength.is_none() {
                (known.strength, known.form) = (Some(strength), Some(form));
            }
        }
    }

    /// All RxNorm codes.
    pub(super) fn codes(&self) -> BTreeSet<Rxcui> {
        self.known.values().flat_map(|known| known.rxcuis.clone()).collect()
    }

    fn formulations(&self, code: Rxcui) -> BTreeSet<(String, String)> {
        let having = self.known.values().filter(|known| known.rxcuis.contains(&code));
        having.filter_map(Known::formulation).collect()
    }

    /// The answer for a package.
    pub(super) fn of_package(&self, plan: &PlanId, ndc: Ndc11) -> Answer {
        let is_it = |key: &&Key| **key == Key::Package(ndc) || **key == Key::Product(ndc.product());
        let keys: Vec<&Key> = self.known.keys().filter(is_it).collect();
        let mut answer = self.answer(plan, &keys, Some(ndc));
        if answer.packages.is_empty() {
            answer.packages.push((Some(ndc), self.absence(plan), Says::default(), BTreeSet::new(), BTreeSet::new()));
        }
        answer
    }

    /// The answer for a product; one whose packages differ in strength is ambiguous.
    pub(super) fn of_product(&self, plan: &PlanId, product: ProductNdc) -> Answer {
        let is_it = |key: &&Key| match key {
            Key::Package(ndc) => ndc.product() == product,
            Key::Product(other) => *other == product,
            Key::Codes(_) => false,
        };
        let keys: Vec<&Key> = self.known.keys().filter(is_it).collect();
        let mut answer = self.answer(plan, &keys, None);
        if self.strengths(&keys) > 1 {
            answer.status = "ambiguous".to_owned();
        }
        answer
    }

    /// How many strengths these have.
    fn strengths(&self, keys: &[&Key]) -> usize {
        keys.iter().filter_map(|key| self.known[key].strength.as_ref()).collect::<BTreeSet<_>>().len()
    }

    /// The answer for an RxNorm code; one that spans strengths is ambiguous.
    pub(super) fn of_code(&self, plan: &PlanId, code: Rxcui) -> Answer {
        let keys: Vec<&Key> =
            self.known.iter().filter(|(_, known)| known.rxcuis.contains(&code)).map(|(key, _)| key).collect();
        let mut answer = self.answer(plan, &keys, None);
        if self.strengths(&keys) > 1 || self.formulations(code).len() > 1 {
            answer.status = "ambiguous".to_owned();
        }
        answer
    }

    fn absence(&self, plan: &PlanId) -> String {
        match self.plans[plan].state {
            "complete" => "not_listed".to_owned(),
            reason => format!("unknown {reason}"),
        }
    }

    fn answer(&self, plan: &PlanId, keys: &[&Key], asked: Option<Ndc11>) -> Answer {
        let formulary = &self.plans[plan];
        let mut answer = Answer {
            seen_anywhere: !keys.is_empty(),
            gaps: formulary.gaps,
            expected: formulary.expected,
            complete: formulary.state == "complete",
            ..Answer::default()
        };
        let mut terms: Vec<&Term> = Vec::new();
        let mut statuses: Vec<String> = Vec::new();
        for key in keys {
            let term = formulary.terms.get(key);
            // Where entries are missing, the one that counts may be among them.
            let is_sure = |status: &String| formulary.state != "incomplete" || !status.starts_with("not_listed");
            let status = term.map(status_of).filter(is_sure).unwrap_or_else(|| self.absence(plan));
            let (says, conflict) = match term {
                Some(term @ Term::Listed(_)) => (says_of(term), BTreeSet::new()),
                Some(term @ Term::Conflict(all)) => (says_of(term), all.clone()),
                _ => (Says::default(), BTreeSet::new()),
            };
            let ndc = if let Key::Package(ndc) = key { Some(*ndc) } else { None };
            if let Some(term) = term.filter(|term| matches!(term, Term::Listed(_) | Term::Conflict(_))) {
                terms.push(term);
            } else if asked.is_none() || ndc != asked {
                statuses.push(status);
                continue;
            }
            answer.packages.push((ndc, status.clone(), says, conflict, self.known[key].rxcuis.clone()));
            statuses.push(status);
        }
        answer.packages.sort();
        answer.listed = u32::try_from(terms.len()).unwrap();
        if answer.listed > 0 || asked.is_none() {
            answer.not_on_this_list = u32::try_from(keys.len() - terms.len()).unwrap();
        }
        let has = |status: &str| statuses.iter().any(|other| other == status);
        answer.status = if has("covered") && has("not_covered") {
            "mixed".to_owned()
        } else {
            let order =
                ["conflict", "unknown tier_not_understood", "unknown tier_not_stated", "covered", "not_covered"];
            let absent = self.absence(plan);
            // Of a package without an entry nobody can tell, where absence tells nothing.
            let order = order.into_iter().filter(|status| has(status)).map(str::to_owned);
            let inactive = ["not_listed entry_inactive", "not_listed unreferenced"].into_iter();
            let inactive = inactive.filter(|status| has(status)).map(str::to_owned);
            let open = Some(absent.clone()).filter(|absent| absent.starts_with("unknown") && has(absent));
            order.chain(open).chain(inactive).next().unwrap_or(absent)
        };
        (answer.says, answer.varies) = together(&terms);
        answer
    }
}

/// What all listed packages say, and how they differ.
#[allow(clippy::type_complexity, reason = "the parts of an answer")]
fn together(terms: &[&Term]) -> (Says, Option<(BTreeSet<String>, [u32; 3], u32, u32, u32)>) {
    let says: Vec<Says> = terms.iter().map(|term| says_of(term)).collect();
    let same = |pick: &dyn Fn(&Says) -> bool| says.iter().all(pick);
    let agreed = says.first().map(|first| {
        let tier = if same(&|says| says.0 == first.0) { first.0.clone() } else { None };
        let flag = |at: usize| if same(&|says| says.1[at] == first.1[at]) { first.1[at] } else { None };
        (tier, [flag(0), flag(1), flag(2)])
    });
    let is_contrary = terms.iter().any(|term| matches!(term, Term::Conflict(_)));
    let differ = is_contrary || terms.iter().collect::<BTreeSet<_>>().len() > 1;
    let varies = differ.then(|| {
        let mut tiers: BTreeSet<String> = says.iter().filter_map(|says| says.0.clone()).collect();
        let mut conflicts = 0;
        for term in terms {
            if let Term::Conflict(all) = term {
                conflicts += 1;
                tiers.extend(all.iter().filter_map(|says| says.0.clone()));
            }
        }
        let yes = |at: usize| u32::try_from(says.iter().filter(|says| says.1[at] == Some(true)).count()).unwrap();
        let with = |status: &str| u32::try_from(terms.iter().filter(|term| status_of(term) == status).count()).unwrap();
        let (bare, unclear) = (with("unknown tier_not_stated"), with("unknown tier_not_understood"));
        (tiers, [yes(0), yes(1), yes(2)], conflicts, bare, unclear)
    });
    (agreed.unwrap_or_default(), varies)
}

/// What an entry says; of entries that contradict each other the restrictions in which they agree, and no tier.
fn says_of(term: &Term) -> Says {
    match term {
        Term::Listed(says) => says.clone(),
        Term::Conflict(all) => {
            let mut flags = all.first().map(|says| says.1).unwrap_or_default();
            for (at, flag) in flags.iter_mut().enumerate() {
                if all.iter().any(|says| says.1[at] != *flag) {
                    *flag = None;
                }
            }
            (None, flags)
        }
        _ => Says::default(),
    }
}

impl Known {
    fn formulation(&self) -> Option<(String, String)> {
        Some((self.strength.clone()?, self.form.clone()?))
    }
}

/// Strength and form of the texts that are made here.
fn parts(text: &str) -> (Option<String>, Option<String>) {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let Some(at) = words.iter().position(|word| *word == "mg") else { return (None, None) };
    let strength = format!("{} mg", words[at - 1]);
    let rest = words[at + 1..].join(" ");
    let form = ["tablet", "capsule"].into_iter().find(|form| rest.contains(form));
    let release = if rest.contains("extended") { "extended " } else { "" };
    (Some(strength), form.map(|form| format!("{release}{form}")))
}

/// What a plan says of a package that has these entries; `true`: a List names it.
fn judge(entries: &[(&Value, bool)], has_lists: bool) -> Term {
    let counting: Vec<&Value> = entries.iter().filter(|(_, by_list)| *by_list || !has_lists).map(|(e, _)| *e).collect();
    let active: BTreeSet<Says> =
        counting.iter().filter(|entry| !is_inactive(entry)).flat_map(|entry| statements(entry)).collect();
    match (active.len(), active.first()) {
        (1, Some(says)) => Term::Listed(says.clone()),
        (0, _) if counting.is_empty() => Term::Unreferenced,
        (0, _) => Term::Inactive,
        _ => Term::Conflict(active),
    }
}

fn status_of(term: &Term) -> String {
    match term {
        Term::Listed((None, _)) => "unknown tier_not_stated",
        // Code and words of the tiers that are made here: zero, NF and the number seven (off-formulary) are
        // not covered; Z says nothing, and NC goes by the name of a covered tier.
        Term::Listed((Some(tier), _)) => match tier.as_str() {
            "0" | "NF" | "7" => "not_covered",
            "1" | "2" | "3" | "SP" => "covered",
            _ => "unknown tier_not_understood",
        },
        Term::Conflict(_) => "conflict",
        Term::Inactive => "not_listed entry_inactive",
        Term::Unreferenced => "not_listed unreferenced",
    }
    .to_owned()
}
