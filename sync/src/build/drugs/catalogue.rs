//! The catalogue: every package that any resource shows, with its names, strength and form, sorted
//! into lines and numbered.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use coverdex_core::ids::{Ndc11, NdcLayout, ProductNdc, Rxcui};
use coverdex_core::{DrugText, FormGroup, fold, package_form};

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

/// Name, strength and form of a package: its own or borrowed, each with what it is compared by.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Naming {
    name_key: String,
    name: String,
    strength_key: String,
    strength: Option<String>,
    form: Option<String>,
    group: Option<FormGroup>,
    ingredient: Option<String>,
    brand: Option<String>,
}

/// What a line is: folded name, strength and form group; unnamed packages stay apart by product.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LineKey {
    name: String,
    strength: String,
    group: String,
    unnamed: Option<PackageKey>,
}

/// One name, strength and form group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) strength: Option<String>,
    pub(super) form: Option<String>,
    pub(super) group: Option<String>,
    pub(super) released: bool,
    pub(super) brand: Option<String>,
    pub(super) ingredient: Option<String>,
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

/// What a text says, with what it is compared by. Thousands of packages share a text, so each is read
/// once.
struct Reading {
    text: DrugText,
    name_key: String,
    strength_key: String,
}

impl Reading {
    fn of(text: &str) -> Self {
        let text = DrugText::parse(text);
        let strength_key = text.strength.as_deref().map(fold::key).unwrap_or_default();
        Self { name_key: fold::key(&text.name), strength_key, text }
    }

    /// Texts that say more come first, then better kinds, then the alphabet.
    fn rank(&self, kind: DrugTextKind) -> impl Ord + '_ {
        let silent = (self.text.strength.is_none(), self.text.form.is_none());
        (silent, kind, &self.name_key, &self.strength_key, reads_best(&self.text.name))
    }
}

fn name_from_own_texts(gathered: Vec<(PackageKey, Evidence<'_>)>) -> Vec<Package> {
    let texts: BTreeSet<&str> = gathered
        .iter()
        .flat_map(|(_, evidence)| &evidence.texts)
        .filter(|(kind, _)| *kind != DrugTextKind::PackageDescription)
        .map(|(_, text)| *text)
        .collect();
    let readings: HashMap<&str, Reading> =
        texts.into_iter().collect::<Vec<_>>().into_par_iter().map(|text| (text, Reading::of(text))).collect();
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

fn own_naming(evidence: &Evidence<'_>, readings: &HashMap<&str, Reading>) -> Naming {
    let described = |kind| evidence.texts.iter().filter(move |(k, _)| *k == kind).map(|(_, text)| *text);
    let form_of_package = described(DrugTextKind::PackageDescription).filter_map(package_form).min();
    let telling = [DrugTextKind::Text, DrugTextKind::PackageName, DrugTextKind::RxnormName]
        .into_iter()
        .flat_map(|kind| described(kind).filter_map(move |text| Some((kind, readings.get(text)?))));
    let best = telling.min_by(|(kind_a, a), (kind_b, b)| a.rank(*kind_a).cmp(&b.rank(*kind_b)));
    let product_name = described(DrugTextKind::ProductName).min_by_key(|name| reads_best(name));
    let text = match best {
        Some((_, reading)) => reading.text.clone(),
        None => DrugText { name: product_name.unwrap_or_default().to_owned(), ..DrugText::default() },
    };
    let group = text.form_group(form_of_package);
    let ingredient = text.brand.as_ref().map(|_| text.name.clone());
    let name = text.brand.clone().unwrap_or(text.name);
    Naming {
        name_key: fold::key(&name),
        name,
        strength_key: text.strength.as_deref().map(fold::key).unwrap_or_default(),
        strength: text.strength,
        form: text.form.or_else(|| form_of_package.map(str::to_lowercase)),
        group,
        ingredient,
        brand: text.brand,
    }
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
        let namings: Vec<Naming> =
            members.iter().filter_map(|at| packages.get(*at)).map(|p| p.naming.clone()).collect();
        let strong: BTreeSet<(String, String)> = namings.iter().filter_map(Naming::formulation).collect();
        let formulation = namings.iter().filter(|naming| naming.formulation().is_some()).min().cloned();
        let named =
            namings.iter().filter(|naming| !naming.name.is_empty()).min_by_key(|n| reads_best(&n.name)).cloned();
        for at in members {
            let Some(package) = packages.get_mut(*at) else { continue };
            if let (None, Some(lender), 1) = (&package.naming.strength, &formulation, strong.len()) {
                package.naming.borrow_formulation(lender);
            }
            if let (true, Some(lender)) = (package.naming.name.is_empty(), formulation.as_ref().or(named.as_ref())) {
                package.naming.borrow_name(lender);
            }
        }
    }
}

impl Naming {
    /// Folded strength and form group, if both are stated.
    fn formulation(&self) -> Option<(String, String)> {
        self.strength.as_ref()?;
        Some((self.strength_key.clone(), self.group.as_ref()?.key()))
    }

    fn borrow_formulation(&mut self, lender: &Self) {
        self.strength.clone_from(&lender.strength);
        self.strength_key.clone_from(&lender.strength_key);
        // A release that the own name or package states is not overruled.
        if self.group.as_ref().is_none_or(|group| !group.is_released()) {
            self.form.clone_from(&lender.form);
            self.group.clone_from(&lender.group);
        }
    }

    fn borrow_name(&mut self, lender: &Self) {
        self.name.clone_from(&lender.name);
        self.name_key.clone_from(&lender.name_key);
        self.brand.clone_from(&lender.brand);
        self.ingredient.clone_from(&lender.ingredient);
    }
}

/// A code whose packages all state one strength and form lends them to those that state none; a
/// name is lent by the labelers that most agree on it. Codes that span strengths lend nothing.
fn borrow_from_rxnorm(packages: &mut [Package]) {
    let mut by_code: BTreeMap<Rxcui, Vec<usize>> = BTreeMap::new();
    for (at, package) in packages.iter().enumerate() {
        for code in &package.rxcuis {
            by_code.entry(*code).or_default().push(at);
        }
    }
    let mut lent: Vec<(usize, Naming)> = Vec::new();
    for members in by_code.values() {
        let namings: Vec<(&Package, &Naming)> =
            members.iter().filter_map(|at| packages.get(*at)).map(|package| (package, &package.naming)).collect();
        let formulations: BTreeSet<(String, String)> = namings.iter().filter_map(|(_, n)| n.formulation()).collect();
        if formulations.len() != 1 {
            continue;
        }
        let Some(formulation) = namings.iter().map(|(_, n)| *n).filter(|n| n.formulation().is_some()).min() else {
            continue;
        };
        let mut labelers: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for (package, naming) in &namings {
            if let (PackageKey::Ndc(ndc), false) = (&package.key, naming.name.is_empty()) {
                labelers.entry(naming.name_key.clone()).or_default().insert(ndc.number() / 1_000_000);
            }
        }
        let most = labelers.iter().max_by(|(name_a, a), (name_b, b)| (a.len(), name_b).cmp(&(b.len(), name_a)));
        let name = most.and_then(|(most, _)| {
            let same = namings.iter().map(|(_, n)| *n).filter(|n| n.name_key == *most);
            same.min_by_key(|n| reads_best(&n.name))
        });
        for at in members {
            let Some(package) = packages.get(*at) else { continue };
            let naming = &package.naming;
            if naming.strength.is_some() && !naming.name.is_empty() {
                continue;
            }
            let mut borrowed = naming.clone();
            if naming.strength.is_none() {
                borrowed.borrow_formulation(formulation);
            }
            if let (true, Some(lender)) = (naming.name.is_empty(), name) {
                borrowed.borrow_name(lender);
            }
            lent.push((*at, borrowed));
        }
    }
    // A package may have several codes: all must lend the same, and the first by code does.
    let mut offers: BTreeMap<usize, Vec<Naming>> = BTreeMap::new();
    for (at, naming) in lent {
        offers.entry(at).or_default().push(naming);
    }
    for (at, offered) in offers {
        let formulations: BTreeSet<_> = offered.iter().map(Naming::formulation).collect();
        if let (Some(package), Some(first), 1) = (packages.get_mut(at), offered.first(), formulations.len()) {
            package.naming = first.clone();
        }
    }
}

/// Numbers in a folded strength, in millionths, for sorting 5 mg before 10 mg.
fn magnitudes(strength: &str) -> Vec<u64> {
    let millionths = |word: &str| {
        let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
        let fraction: String = fraction.chars().chain("000000".chars()).take(6).collect();
        let whole: u64 = whole.parse().ok()?;
        whole.checked_mul(1_000_000)?.checked_add(fraction.parse().ok()?)
    };
    strength.split(' ').filter_map(millionths).collect()
}

/// Names with many packages come first, so that the first documents of a search are the best.
fn number(packages: Vec<Package>) -> Catalogue {
    let mut popularity: HashMap<String, usize> = HashMap::new();
    let mut keyed: Vec<(LineKey, Package)> = Vec::with_capacity(packages.len());
    for package in packages {
        let naming = &package.naming;
        let name = naming.name_key.clone();
        let key = LineKey {
            strength: naming.strength_key.clone(),
            group: naming.group.as_ref().map(FormGroup::key).unwrap_or_default(),
            unnamed: name.is_empty().then(|| match &package.key {
                PackageKey::Ndc(ndc) => PackageKey::Product(ndc.product()),
                other => other.clone(),
            }),
            name,
        };
        if !key.name.is_empty() {
            *popularity.entry(key.name.clone()).or_default() += 1;
        }
        keyed.push((key, package));
    }
    let popular = |key: &LineKey| popularity.get(&key.name).copied().unwrap_or(0);
    keyed.par_sort_by(|(key_a, a), (key_b, b)| {
        if key_a == key_b {
            return a.key.cmp(&b.key);
        }
        popular(key_b)
            .cmp(&popular(key_a))
            .then_with(|| key_a.name.cmp(&key_b.name))
            .then_with(|| magnitudes(&key_a.strength).cmp(&magnitudes(&key_b.strength)))
            .then_with(|| key_a.cmp(key_b))
    });
    let mut catalogue = Catalogue {
        lines: Vec::new(),
        packages: Vec::new(),
        line_of: Vec::new(),
        numbers: HashMap::new(),
        rxnorm: BTreeMap::new(),
    };
    for members in keyed.chunk_by(|(a, _), (b, _)| a == b) {
        let line = u32::try_from(catalogue.lines.len()).unwrap_or(u32::MAX);
        let first = u32::try_from(catalogue.packages.len()).unwrap_or(u32::MAX);
        catalogue.lines.push(line_of(members.iter().map(|(_, package)| &package.naming), first));
        for (_, package) in members {
            let number = u32::try_from(catalogue.packages.len()).unwrap_or(u32::MAX);
            catalogue.numbers.insert(package.key.clone(), number);
            catalogue.line_of.push(line);
            catalogue.packages.push(package.clone());
        }
    }
    let mut spans: BTreeMap<Rxcui, Span<'_>> = BTreeMap::new();
    for (number, package) in (0_u32..).zip(&catalogue.packages) {
        for code in &package.rxcuis {
            catalogue.rxnorm.entry(*code).or_default().packages.push(number);
            spans.entry(*code).or_default().add(&package.naming);
        }
    }
    for (code, row) in &mut catalogue.rxnorm {
        row.strengths = spans.get(code).map_or(0, Span::count);
    }
    catalogue
}

/// The strengths and forms that the packages of an RxNorm code state.
#[derive(Default)]
struct Span<'a> {
    strengths: BTreeSet<&'a str>,
    formulations: BTreeSet<(String, String)>,
}

impl<'a> Span<'a> {
    fn add(&mut self, naming: &'a Naming) {
        if naming.strength.is_some() {
            self.strengths.insert(&naming.strength_key);
        }
        self.formulations.extend(naming.formulation());
    }

    /// How many different drugs that is at least; a package that states no form differs from none.
    fn count(&self) -> usize {
        self.strengths.len().max(self.formulations.len())
    }
}

/// The line that packages of one key share; of several spellings the one that reads best.
fn line_of<'a>(namings: impl Iterator<Item = &'a Naming> + Clone, first: u32) -> Line {
    let name = namings.clone().map(|naming| naming.name.as_str()).min_by_key(|name| reads_best(name));
    let plainest = |pick: fn(&Naming) -> Option<&str>| {
        namings.clone().filter_map(pick).min_by_key(|text| (text.len(), *text)).map(str::to_owned)
    };
    let form = plainest(|naming| naming.form.as_deref());
    let group = namings.clone().find_map(|naming| naming.group.as_ref());
    Line {
        name: name.unwrap_or_default().to_owned(),
        strength: plainest(|naming| naming.strength.as_deref()),
        form: form.map(|form| form.split(',').map(str::trim).collect::<Vec<_>>().join(", ")),
        group: group.map(FormGroup::key),
        released: group.is_some_and(FormGroup::is_released),
        brand: plainest(|naming| naming.brand.as_deref()),
        ingredient: plainest(|naming| naming.ingredient.as_deref()),
        first,
        packages: u32::try_from(namings.count()).unwrap_or(u32::MAX),
    }
}
