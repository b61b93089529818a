//! The catalogue: every package that any resource shows, with its names, strength and form, sorted
//! into lines and numbered.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use coverdex_core::ids::{Ndc11, NdcLayout, ProductNdc, Rxcui};
use coverdex_core::{DrugText, FormGroup, fold, package_form};

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
    texts: BTreeSet<(DrugTextKind, String)>,
    naming: Naming,
}

/// Name, strength and form of a package: its own or borrowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Naming {
    name: String,
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
    /// Distinct strengths and form groups among packages that state them.
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
        let mut packages = gather(stated);
        name_from_own_texts(&mut packages);
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
fn gather<'a>(stated: impl Iterator<Item = &'a DrugFacts>) -> Vec<Package> {
    let mut by_key: BTreeMap<PackageKey, Package> = BTreeMap::new();
    for facts in stated {
        for key in keys(facts) {
            let package = by_key.entry(key.clone()).or_insert_with(|| Package {
                key: key.clone(),
                layout: None,
                rxcuis: BTreeSet::new(),
                texts: BTreeSet::new(),
                naming: Naming::default(),
            });
            package.rxcuis.extend(&facts.rxcuis);
            package.texts.extend(facts.texts.iter().cloned());
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
            // Two layouts for one code contradict each other; the same one is kept whatever came first.
            package.layout = of_package.chain(of_product).chain(package.layout).min();
        }
    }
    by_key.into_values().collect()
}

/// How well a spelling of a name reads: mixed case before lower before upper, then the alphabet.
fn reads_best(name: &str) -> (u8, &str) {
    let lower = name.chars().any(char::is_lowercase);
    let upper = name.chars().any(char::is_uppercase);
    (if lower && upper { 0 } else { u8::from(!lower) + 1 }, name)
}

fn name_from_own_texts(packages: &mut [Package]) {
    for package in packages {
        let described = |kind| package.texts.iter().filter(move |(k, _)| *k == kind).map(|(_, text)| text.as_str());
        let form_of_package = described(DrugTextKind::PackageDescription).filter_map(package_form).min();
        let telling = [DrugTextKind::Text, DrugTextKind::PackageName, DrugTextKind::RxnormName]
            .into_iter()
            .flat_map(|kind| described(kind).map(move |text| (kind, DrugText::parse(text))));
        let best = telling.min_by(|(kind_a, a), (kind_b, b)| {
            let key = |kind: &DrugTextKind, text: &DrugText| {
                (
                    text.strength.is_none(),
                    text.form.is_none(),
                    *kind,
                    fold::key(&text.name),
                    fold::key(text.strength.as_deref().unwrap_or_default()),
                )
            };
            key(kind_a, a).cmp(&key(kind_b, b)).then_with(|| reads_best(&a.name).cmp(&reads_best(&b.name)))
        });
        let product_name = described(DrugTextKind::ProductName).min_by_key(|name| reads_best(name));
        let text = match best {
            Some((_, text)) => text,
            None => DrugText { name: product_name.unwrap_or_default().to_owned(), ..DrugText::default() },
        };
        let group = text.form_group(form_of_package);
        package.naming = Naming {
            ingredient: text.brand.as_ref().map(|_| text.name.clone()),
            name: text.brand.clone().unwrap_or(text.name),
            brand: text.brand,
            form: text.form.or_else(|| form_of_package.map(str::to_lowercase)),
            strength: text.strength,
            group,
        };
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
        Some((fold::key(self.strength.as_deref()?), self.group.as_ref()?.key()))
    }

    fn borrow_formulation(&mut self, lender: &Self) {
        self.strength.clone_from(&lender.strength);
        // A release that the own name or package states is not overruled.
        if self.group.as_ref().is_none_or(|group| !group.is_released()) {
            self.form.clone_from(&lender.form);
            self.group.clone_from(&lender.group);
        }
    }

    fn borrow_name(&mut self, lender: &Self) {
        self.name.clone_from(&lender.name);
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
                labelers.entry(fold::key(&naming.name)).or_default().insert(ndc.number() / 1_000_000);
            }
        }
        let most = labelers.iter().max_by(|(name_a, a), (name_b, b)| (a.len(), name_b).cmp(&(b.len(), name_a)));
        let name = most.and_then(|(most, _)| {
            let same = namings.iter().map(|(_, n)| *n).filter(|n| fold::key(&n.name) == *most);
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
        let name = fold::key(&naming.name);
        let key = LineKey {
            strength: naming.strength.as_deref().map(fold::key).unwrap_or_default(),
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
    keyed.sort_by(|(key_a, a), (key_b, b)| {
        let popular = |key: &LineKey| popularity.get(&key.name).copied().unwrap_or(0);
        popular(key_b)
            .cmp(&popular(key_a))
            .then_with(|| key_a.name.cmp(&key_b.name))
            .then_with(|| magnitudes(&key_a.strength).cmp(&magnitudes(&key_b.strength)))
            .then_with(|| key_a.cmp(key_b))
            .then_with(|| a.key.cmp(&b.key))
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
    let mut formulations: BTreeMap<Rxcui, BTreeSet<(String, String)>> = BTreeMap::new();
    for (number, package) in (0_u32..).zip(&catalogue.packages) {
        for code in &package.rxcuis {
            catalogue.rxnorm.entry(*code).or_default().packages.push(number);
            formulations.entry(*code).or_default().extend(package.naming.formulation());
        }
    }
    for (code, row) in &mut catalogue.rxnorm {
        row.strengths = formulations.get(code).map_or(0, BTreeSet::len);
    }
    catalogue
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
