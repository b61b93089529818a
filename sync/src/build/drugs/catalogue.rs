//! The catalogue: every package that any resource shows, with its names, strength and form, sorted
//! into lines and numbered.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use coverdex_core::build::NdcLayout;
use coverdex_core::build::{DrugText, fold, package_form};
use coverdex_core::build::{Merged, merge};
use coverdex_core::{Ndc11, ProductNdc, Rxcui};

use rayon::prelude::*;

use crate::model::{DrugFacts, DrugTextKind};

/// What a catalogue entry is keyed by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PackageKey {
    /// A package code.
    Ndc(Ndc11),
    /// A product code alone.
    Product(ProductNdc),
    /// RxNorm codes alone.
    Rxnorm(Vec<Rxcui>),
}

/// One package, or one entry without a package code.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) key: PackageKey,
    pub(super) layout: Option<NdcLayout>,
    pub(super) rxcuis: BTreeSet<Rxcui>,
    naming: Naming,
}

/// What is said of one package.
#[derive(Default)]
struct Evidence<'a> {
    layout: Option<NdcLayout>,
    rxcuis: BTreeSet<Rxcui>,
    texts: BTreeSet<(DrugTextKind, &'a str)>,
}

/// What a package is called.
#[derive(Clone, Debug, Default)]
struct Naming {
    /// Its own text, or what it borrowed; empty where nothing names it.
    text: Arc<DrugText>,
    /// Other texts of the payer with another name.
    aliases: Vec<Arc<DrugText>>,
    /// Other texts of the payer with another strength: nobody knows which drug it is.
    contested: Vec<Arc<DrugText>>,
}

/// One drug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) strength: Option<String>,
    pub(super) form: Option<String>,
    pub(super) identity: String,
    pub(super) brand: Option<String>,
    pub(super) ingredient: Option<String>,
    /// Words that may be typed and need not be, between blanks.
    pub(super) aside: Option<String>,
    /// What else the payer calls it: identity, tab and title, a line each.
    pub(super) also: Option<String>,
    /// Whether it is the first line of its name.
    pub(super) begins_name: bool,
    /// The texts that name it.
    pub(super) texts: Vec<Arc<DrugText>>,
    pub(super) first: u32,
    pub(super) packages: u32,
}

/// An RxNorm code with its packages.
#[derive(Clone, Debug, Default)]
pub(super) struct RxnormCode {
    pub(super) packages: Vec<u32>,
    /// Distinct strengths, or strengths with form groups, among packages that state them.
    pub(super) strengths: usize,
}

/// The numbered catalogue.
pub(super) struct Catalogue {
    pub(super) lines: Vec<Line>,
    /// By number.
    pub(super) packages: Vec<Package>,
    pub(super) line_of: Vec<u32>,
    numbers: HashMap<PackageKey, u32>,
    pub(super) rxnorm: BTreeMap<Rxcui, RxnormCode>,
}

/// The catalogue entries that drug facts are about.
fn keys(facts: &DrugFacts) -> Vec<PackageKey> {
    if !facts.packages.is_empty() {
        facts.packages.iter().map(|(ndc, _)| PackageKey::Ndc(*ndc)).collect()
    } else if !facts.products.is_empty() {
        facts.products.iter().map(|(product, _)| PackageKey::Product(*product)).collect()
    } else if facts.rxcuis.is_empty() {
        Vec::new()
    } else {
        vec![PackageKey::Rxnorm(facts.rxcuis.clone())]
    }
}

impl Catalogue {
    /// Builds the catalogue of all facts that are stated.
    pub(super) fn build<'a>(stated: impl Iterator<Item = &'a DrugFacts>) -> Self {
        let mut packages = name_from_own_texts(gather(stated));
        borrow_from_product(&mut packages);
        borrow_from_rxnorm(&mut packages);
        number(packages)
    }

    /// The numbers of the entries that drug facts are about.
    pub(super) fn numbers_of(&self, facts: &DrugFacts) -> Vec<u32> {
        keys(facts).iter().filter_map(|key| self.numbers.get(key).copied()).collect()
    }
}

/// Everything that is said of each package, ascending by key.
fn gather<'a>(stated: impl Iterator<Item = &'a DrugFacts>) -> Vec<(PackageKey, Evidence<'a>)> {
    let mut by_key: HashMap<PackageKey, Evidence<'a>> = HashMap::new();
    for facts in stated {
        for key in keys(facts) {
            let of_package =
                facts.packages.iter().filter(|(ndc, _)| key == PackageKey::Ndc(*ndc)).filter_map(|(_, l)| *l);
            let of_product = facts.products.iter().filter_map(|(product, layout)| {
                let mine = match &key {
                    PackageKey::Ndc(ndc) => ndc.product() == *product,
                    PackageKey::Product(own) => own == product,
                    PackageKey::Rxnorm(_) => false,
                };
                layout.filter(|_| mine)
            });
            let layout = of_package.chain(of_product).min();
            let evidence = by_key.entry(key).or_default();
            // Two layouts for one code contradict each other; the same one is kept whatever came first.
            evidence.layout = [layout, evidence.layout].into_iter().flatten().min();
            evidence.rxcuis.extend(&facts.rxcuis);
            evidence.texts.extend(facts.texts.iter().map(|(kind, text)| (*kind, text.as_str())));
        }
    }
    let mut packages: Vec<(PackageKey, Evidence<'a>)> = by_key.into_iter().collect();
    packages.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    packages
}

/// How well a spelling of a name reads: mixed case before lower before upper, then the alphabet.
fn reads_best(name: &str) -> (u8, &str) {
    let lower = name.chars().any(char::is_lowercase);
    let upper = name.chars().any(char::is_uppercase);
    (if lower && upper { 0 } else { u8::from(!lower) + 1 }, name)
}

/// Texts that say more come first, then better kinds, then the alphabet.
fn rank(kind: DrugTextKind, text: &DrugText) -> impl Ord + '_ {
    (text.strength.is_none(), !text.states_form(), kind, fold::key(&text.name), reads_best(&text.name), &text.strength)
}

fn name_from_own_texts(gathered: Vec<(PackageKey, Evidence<'_>)>) -> Vec<Package> {
    let texts: BTreeSet<&str> = gathered
        .iter()
        .flat_map(|(_, evidence)| &evidence.texts)
        .filter(|(kind, _)| *kind != DrugTextKind::PackageDescription)
        .map(|(_, text)| *text)
        .collect();
    // Thousands of packages share a text, so each is read once.
    let readings: HashMap<&str, Arc<DrugText>> = texts
        .into_iter()
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|text| (text, Arc::new(DrugText::parse(text))))
        .collect();
    gathered
        .into_par_iter()
        .map(|(key, evidence)| Package {
            key,
            layout: evidence.layout,
            naming: own_naming(&evidence, &readings),
            rxcuis: evidence.rxcuis,
        })
        .collect()
}

fn own_naming(evidence: &Evidence<'_>, readings: &HashMap<&str, Arc<DrugText>>) -> Naming {
    let described = |kind| evidence.texts.iter().filter(move |(k, _)| *k == kind).map(|(_, text)| *text);
    let read = |kind| described(kind).filter_map(move |text| Some((kind, readings.get(text)?)));
    let kinds = [DrugTextKind::Text, DrugTextKind::PackageName, DrugTextKind::RxnormName];
    let best =
        kinds.into_iter().flat_map(read).min_by(|(kind_a, a), (kind_b, b)| rank(*kind_a, a).cmp(&rank(*kind_b, b)));
    let mut naming = Naming::default();
    if let Some((_, text)) = best {
        naming.text = Arc::clone(text);
        // RxNorm names a generic beside a brand; the payer's own texts should agree.
        let own = [DrugTextKind::Text, DrugTextKind::PackageName].into_iter().flat_map(read);
        for (_, other) in own {
            if other.contradicts(text) {
                naming.contested.push(Arc::clone(other));
            } else if other.is_named_otherwise(text) {
                naming.aliases.push(Arc::clone(other));
            }
        }
    } else {
        let product_name = described(DrugTextKind::ProductName).min_by_key(|name| reads_best(name));
        naming.text = product_name.and_then(|name| readings.get(name)).cloned().unwrap_or_default();
    }
    if let Some(form) = described(DrugTextKind::PackageDescription).filter_map(package_form).min() {
        let text = Arc::make_mut(&mut naming.text);
        text.add_package_form(form);
        text.form.get_or_insert_with(|| form.to_lowercase());
    }
    naming
}

/// A product is one formulation: what one of its packages states holds for all.
fn borrow_from_product(packages: &mut [Package]) {
    let product = |package: &Package| match &package.key {
        PackageKey::Ndc(ndc) => Some(ndc.product()),
        PackageKey::Product(product) => Some(*product),
        PackageKey::Rxnorm(_) => None,
    };
    let mut by_product: HashMap<ProductNdc, Vec<usize>> = HashMap::new();
    for (at, package) in packages.iter().enumerate() {
        if let Some(product) = product(package) {
            by_product.entry(product).or_default().push(at);
        }
    }
    for members in by_product.values() {
        let texts: Vec<Arc<DrugText>> =
            members.iter().filter_map(|at| packages.get(*at)).map(|p| Arc::clone(&p.naming.text)).collect();
        let Some((formulation, formulations)) = formulation(&texts) else {
            let named = texts.iter().filter(|text| !text.name.is_empty()).min_by_key(|text| reads_best(&text.name));
            for at in members {
                if let (Some(package), Some(lender)) = (packages.get_mut(*at), named)
                    && package.naming.text.name.is_empty()
                {
                    Arc::make_mut(&mut package.naming.text).borrow_name(lender);
                }
            }
            continue;
        };
        for at in members {
            let Some(package) = packages.get_mut(*at) else { continue };
            package.borrow(formulation, formulations == 1, Some(formulation));
        }
    }
}

/// The text that states a formulation and reads best, and how many formulations there are.
fn formulation(texts: &[Arc<DrugText>]) -> Option<(&Arc<DrugText>, usize)> {
    let stating = texts.iter().filter_map(|text| Some((text.formulation()?, text)));
    let formulations: BTreeSet<String> = stating.clone().map(|(formulation, _)| formulation).collect();
    let best = stating.min_by(|(a, text_a), (b, text_b)| {
        (a, reads_best(&text_a.name), &text_a.form).cmp(&(b, reads_best(&text_b.name), &text_b.form))
    });
    best.map(|(_, text)| (text, formulations.len()))
}

impl Package {
    /// Takes what it does not state.
    fn borrow(&mut self, formulation: &DrugText, is_only: bool, name: Option<&Arc<DrugText>>) {
        if is_only && self.naming.text.strength.is_none() {
            Arc::make_mut(&mut self.naming.text).borrow_formulation(formulation);
        }
        if let (true, Some(lender)) = (self.naming.text.name.is_empty(), name) {
            Arc::make_mut(&mut self.naming.text).borrow_name(lender);
        }
    }
}

/// What an RxNorm code lends: a formulation in one text, the text that states it, and one that names it.
type Offer = (String, Arc<DrugText>, Option<Arc<DrugText>>);

/// A code whose packages all state one strength and form lends them to those that state none; a
/// name is lent by the labelers that most agree on it. Codes that span strengths lend nothing.
fn borrow_from_rxnorm(packages: &mut [Package]) {
    let mut by_code: BTreeMap<Rxcui, Vec<usize>> = BTreeMap::new();
    for (at, package) in packages.iter().enumerate() {
        for code in &package.rxcuis {
            by_code.entry(*code).or_default().push(at);
        }
    }
    let mut offers: BTreeMap<usize, Vec<Offer>> = BTreeMap::new();
    for members in by_code.values() {
        let lacking: Vec<usize> =
            members.iter().copied().filter(|at| packages.get(*at).is_some_and(Package::lacks_something)).collect();
        if lacking.is_empty() {
            continue;
        }
        let members: Vec<&Package> = members.iter().filter_map(|at| packages.get(*at)).collect();
        let texts: Vec<Arc<DrugText>> = members.iter().map(|package| Arc::clone(&package.naming.text)).collect();
        let Some((lender, 1)) = formulation(&texts) else { continue };
        let Some(formulation) = lender.formulation() else { continue };
        let mut labelers: BTreeMap<Vec<&str>, BTreeSet<u64>> = BTreeMap::new();
        for package in &members {
            if let (PackageKey::Ndc(ndc), false) = (&package.key, package.naming.text.name.is_empty()) {
                labelers.entry(package.naming.text.name_words()).or_default().insert(ndc.number() / 1_000_000);
            }
        }
        let most = labelers.iter().max_by(|(name_a, a), (name_b, b)| (a.len(), name_b).cmp(&(b.len(), name_a)));
        let name = most.and_then(|(most, _)| {
            let same = texts.iter().filter(|text| text.name_words() == *most);
            same.min_by_key(|text| reads_best(&text.name)).cloned()
        });
        for at in lacking {
            offers.entry(at).or_default().push((formulation.clone(), Arc::clone(lender), name.clone()));
        }
    }
    // A package may have several codes: all must lend the same, and the first by code does.
    for (at, offered) in offers {
        let formulations: BTreeSet<&String> = offered.iter().map(|(formulation, _, _)| formulation).collect();
        if let (Some(package), Some((_, lender, name)), 1) = (packages.get_mut(at), offered.first(), formulations.len())
        {
            package.borrow(lender, true, name.as_ref());
        }
    }
}

impl Package {
    fn lacks_something(&self) -> bool {
        self.naming.text.strength.is_none() || self.naming.text.name.is_empty()
    }
}

/// What a line is: one drug; packages that are contested or that nothing names stay apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LineKey {
    drug: Merged,
    contested: Vec<String>,
    unnamed: Option<PackageKey>,
}

/// Gives numbers: lines of one name follow each other, so that the first documents of a search are
/// the best.
fn number(mut packages: Vec<Package>) -> Catalogue {
    packages.sort_by(|a, b| a.key.cmp(&b.key));
    let mut texts: HashMap<Arc<DrugText>, usize> = HashMap::new();
    let mut distinct: Vec<Arc<DrugText>> = Vec::new();
    let mut text_of: Vec<usize> = Vec::with_capacity(packages.len());
    for package in &packages {
        let text = &package.naming.text;
        let at = *texts.entry(Arc::clone(text)).or_insert_with(|| {
            distinct.push(Arc::clone(text));
            distinct.len() - 1
        });
        text_of.push(at);
    }
    let merged = merge(&distinct.iter().map(Arc::as_ref).collect::<Vec<_>>());
    let mut by_line: BTreeMap<LineKey, Vec<usize>> = BTreeMap::new();
    // Packages of each name, and of each form of it.
    let mut popularity: HashMap<String, usize> = HashMap::new();
    let mut forms: HashMap<(String, String), usize> = HashMap::new();
    for (at, package) in packages.iter().enumerate() {
        let Some(drug) = text_of.get(at).and_then(|text| merged.get(*text)) else { continue };
        let is_named = !package.naming.text.name.is_empty();
        if is_named {
            *popularity.entry(drug.name_key()).or_default() += 1;
            *forms.entry((drug.name_key(), drug.manner())).or_default() += 1;
        }
        let key = LineKey {
            contested: titles(&package.naming.contested),
            unnamed: (!is_named).then(|| match &package.key {
                PackageKey::Ndc(ndc) => PackageKey::Product(ndc.product()),
                other => other.clone(),
            }),
            drug: drug.clone(),
        };
        by_line.entry(key).or_default().push(at);
    }
    let mut lines: Vec<(LineKey, Vec<usize>)> = by_line.into_iter().collect();
    lines.par_sort_by_cached_key(|(key, _)| {
        let name = key.drug.name_key();
        let popular = popularity.get(&name).copied().unwrap_or(0);
        let combination = key.drug.is_combination();
        let manner = (name, key.drug.manner());
        let common = forms.get(&manner).copied().unwrap_or(0);
        (
            (key.unnamed.is_some(), !key.drug.is_complete(), combination, std::cmp::Reverse(popular), manner.0),
            !key.drug.is_plain(),
            std::cmp::Reverse(common),
            manner.1,
            key.drug.order(),
            key.contested.clone(),
            key.unnamed.clone(),
        )
    });
    let mut catalogue = Catalogue {
        lines: Vec::with_capacity(lines.len()),
        packages: Vec::with_capacity(packages.len()),
        line_of: Vec::with_capacity(packages.len()),
        numbers: HashMap::new(),
        rxnorm: BTreeMap::new(),
    };
    let mut name_before: Option<(bool, bool, String)> = None;
    for (key, members) in &lines {
        let number = u32::try_from(catalogue.lines.len()).unwrap_or(u32::MAX);
        let first = u32::try_from(catalogue.packages.len()).unwrap_or(u32::MAX);
        let name = Some((key.drug.is_complete(), key.drug.is_combination(), key.drug.name_key()));
        let own: Vec<&Package> = members.iter().filter_map(|at| packages.get(*at)).collect();
        let mut line = line_of(&key.drug, &own, first);
        line.begins_name = name != name_before || key.unnamed.is_some();
        name_before = name;
        catalogue.lines.push(line);
        for package in own {
            let at = u32::try_from(catalogue.packages.len()).unwrap_or(u32::MAX);
            catalogue.numbers.insert(package.key.clone(), at);
            catalogue.line_of.push(number);
            catalogue.packages.push(package.clone());
        }
    }
    count_strengths(&mut catalogue, &lines);
    catalogue
}

/// How many different drugs the packages of an RxNorm code are at least.
fn count_strengths(catalogue: &mut Catalogue, lines: &[(LineKey, Vec<usize>)]) {
    let mut spans: BTreeMap<Rxcui, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for ((number, package), line) in (0_u32..).zip(&catalogue.packages).zip(&catalogue.line_of) {
        let Some((key, _)) = lines.get(*line as usize) else { continue };
        for code in &package.rxcuis {
            catalogue.rxnorm.entry(*code).or_default().packages.push(number);
            let (strengths, formulations) = spans.entry(*code).or_default();
            strengths.extend(key.drug.strengths());
            formulations.extend(key.drug.formulation());
        }
    }
    for (code, row) in &mut catalogue.rxnorm {
        row.strengths = spans.get(code).map_or(0, |(strengths, formulations)| strengths.len().max(formulations.len()));
    }
}

fn title(text: &DrugText) -> String {
    let parts = [Some(text.name.as_str()), text.strength.as_deref(), text.form.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Each text as identity, tab and title, sorted.
fn titles(texts: &[Arc<DrugText>]) -> Vec<String> {
    let line = |text: &Arc<DrugText>| format!("{}\t{}", text.alone().encode(), title(text).replace(['\t', '\n'], " "));
    texts.iter().map(line).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Of several spellings the one that most packages have, and of these the one that reads best.
fn most_said<'a, R: Ord>(said: impl Iterator<Item = &'a str>, reads: impl Fn(&'a str) -> R) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in said.filter(|text| !text.is_empty()) {
        *counts.entry(text).or_default() += 1;
    }
    let best = counts.into_iter().min_by_key(|(text, count)| (reads(text), std::cmp::Reverse(*count), *text));
    best.map(|(text, _)| text.to_owned())
}

/// How well a form or strength reads: in small letters, without abbreviations, with a unit.
fn spelled_out(text: &str) -> (bool, bool, usize) {
    let abbreviated =
        |word: &str| word.len() < 4 && !matches!(word, "gel" | "pen" | "oil" | "gum" | "kit" | "pad" | "gas");
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    (
        !text.chars().any(char::is_lowercase),
        !text.chars().any(char::is_alphabetic),
        words.filter(|w| abbreviated(w)).count(),
    )
}

/// The line that packages of one drug share.
fn line_of(drug: &Merged, packages: &[&Package], first: u32) -> Line {
    let texts = || packages.iter().map(|package| package.naming.text.as_ref());
    let letters = |name: &str| reads_best(name).0;
    let name = most_said(texts().map(|text| text.name.as_str()), letters);
    let form = most_said(texts().filter_map(|text| text.form.as_deref()), spelled_out);
    let strength =
        most_said(texts().filter_map(|text| text.strength.as_deref()), |text| !text.chars().any(char::is_lowercase));
    // A title says the release also where only packages or names of some texts do.
    let title = [name.as_deref(), strength.as_deref(), form.as_deref()];
    let title = title.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let unsaid = drug.release_in_words().filter(|_| !drug.is_released_as(&title));
    let form = match (form, unsaid) {
        (Some(form), Some(release)) => Some(format!("{form}, {release}")),
        (None, Some(release)) => Some(release.to_owned()),
        (form, None) => form,
    };
    let aside: BTreeSet<&str> = texts().flat_map(DrugText::aside).collect();
    let contested =
        packages.iter().flat_map(|package| titles(&package.naming.contested)).map(|line| format!("!{line}"));
    let aliases = packages.iter().flat_map(|package| titles(&package.naming.aliases)).map(|line| format!("~{line}"));
    let also: BTreeSet<String> = contested.chain(aliases).collect();
    let mut distinct: BTreeMap<String, Arc<DrugText>> = BTreeMap::new();
    for package in packages {
        let naming = &package.naming;
        for text in std::iter::once(&naming.text).chain(&naming.contested).chain(&naming.aliases) {
            distinct.entry(format!("{text:?}")).or_insert_with(|| Arc::clone(text));
        }
    }
    Line {
        name: name.unwrap_or_default(),
        strength,
        form: form.map(|form| form.split(',').map(str::trim).collect::<Vec<_>>().join(", ")),
        identity: drug.encode(),
        brand: most_said(texts().filter_map(|text| text.brand.as_deref()), letters),
        ingredient: most_said(texts().filter_map(|text| text.ingredient.as_deref()), letters),
        aside: (!aside.is_empty()).then(|| aside.into_iter().collect::<Vec<_>>().join(" ")),
        also: (!also.is_empty()).then(|| also.into_iter().collect::<Vec<_>>().join("\n")),
        begins_name: false,
        texts: distinct.into_values().collect(),
        first,
        packages: u32::try_from(packages.len()).unwrap_or(u32::MAX),
    }
}
