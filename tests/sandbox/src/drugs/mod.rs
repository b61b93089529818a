//! Drugs: the packages of data/drugs.tsv.gz, and as many more as a shape asks for.
//!
//! Package *p* beyond the table repeats package *p* modulo the table's length under a labeler of
//! its own (90000 and up, which the table leaves free), so that a catalogue has any size and every
//! NDC is met once. Each product is written in one of several styles, so that the packages of one drug
//! have several names.

mod facts;
mod strength;
mod style;
mod words;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::OnceLock;

use coverdex_core::{Ndc11, ProductNdc, Rxcui};

pub use self::facts::{DrugFacts, Ingredient, Label, Release, Suffix};
pub use self::strength::{Decimal, Dimension, Strength, Worth};
pub use self::style::{Style, Writer, Written};
use crate::quirks::{Quirk, Quirks};
use crate::random::Draw;

static PACKED: &[u8] = include_bytes!("../../data/drugs.tsv.gz");
static TABLE: OnceLock<Table> = OnceLock::new();

/// The first labeler of repeated packages.
const FIRST_MADE_LABELER: u64 = 90_000;
const SCD_FIRST: u32 = 9_000_000;
const SBD_FIRST: u32 = 9_300_000;
const GROUP_FIRST: u32 = 9_600_000;
const PACKLESS_FIRST: u32 = 9_900_000;

#[derive(Debug)]
struct Product {
    hyphenated: &'static str,
    over_the_counter: bool,
    label: Label<'static>,
    facts: OnceLock<Option<DrugFacts>>,
    strength: String,
    line: u32,
    branded_line: u32,
    group: u32,
}

#[derive(Debug)]
struct Row {
    product: u32,
    place_in_product: u32,
    segment: &'static str,
    description: &'static str,
    ndc11: u64,
}

#[derive(Debug)]
struct Table {
    products: Vec<Product>,
    rows: Vec<Row>,
    /// NDC-11 and row, by NDC.
    by_ndc: Vec<(u64, u32)>,
    writer: Writer,
}

impl Product {
    fn facts(&self) -> Option<&DrugFacts> {
        self.facts.get_or_init(|| self.label.facts()).as_ref()
    }
}

fn table() -> &'static Table {
    TABLE.get_or_init(|| {
        let mut text = String::new();
        // The file is part of the program: a damaged one gives an empty table, which the tests see.
        let _ = flate2::read::GzDecoder::new(PACKED).read_to_string(&mut text);
        read(Box::leak(text.into_boxed_str()))
    })
}

fn read(text: &'static str) -> Table {
    let mut table = Table { products: Vec::new(), rows: Vec::new(), by_ndc: Vec::new(), writer: Writer::default() };
    let (mut lines, mut branded, mut groups) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for line in text.lines() {
        let fields: Vec<&'static str> = line.split('\t').collect();
        let &[hyphenated, kind, brand, name, generic, substances, strengths, form, packages, route] = fields.as_slice()
        else {
            continue;
        };
        let group = form_group(form);
        let content = content(substances, strengths);
        let line = numbered(&mut lines, format!("{content}|{group}"));
        let branded_line = numbered(&mut branded, format!("{}|{line}", name.to_lowercase()));
        let group = numbered(&mut groups, format!("{}|{group}", sorted(substances)));
        let product = u32::try_from(table.products.len()).unwrap_or(u32::MAX);
        let brand = brand == "B";
        let strength = shown_strength(strengths);
        let over_the_counter = kind == "O";
        for (place, package) in packages.split('|').enumerate() {
            let Some((segment, description)) = package.split_once('=') else { continue };
            let Ok(ndc) = format!("{hyphenated}-{segment}").parse::<Ndc11>() else { continue };
            let row = u32::try_from(table.rows.len()).unwrap_or(u32::MAX);
            table.by_ndc.push((ndc.number(), row));
            let place_in_product = u32::try_from(place).unwrap_or(0);
            table.rows.push(Row { product, place_in_product, segment, description, ndc11: ndc.number() });
        }
        table.products.push(Product {
            hyphenated,
            over_the_counter,
            label: Label { name, generic, substances, strengths, form, route, brand },
            facts: OnceLock::new(),
            strength,
            line,
            branded_line,
            group,
        });
    }
    table.by_ndc.sort_unstable();
    table.writer = Writer::of(table.products.iter().map(|product| product.label.substances));
    table
}

fn numbered(numbers: &mut BTreeMap<String, u32>, key: String) -> u32 {
    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    *numbers.entry(key).or_insert(next)
}

fn sorted(substances: &str) -> String {
    let mut all: Vec<&str> = substances.split(';').map(str::trim).collect();
    all.sort_unstable();
    all.join(";")
}

/// Ingredients with their strengths, whatever their order on the label.
fn content(substances: &str, strengths: &str) -> String {
    let mut all: Vec<(&str, &str)> =
        substances.split(';').map(str::trim).zip(strengths.split(';').map(str::trim)).collect();
    all.sort_unstable();
    all.iter().map(|(substance, strength)| format!("{substance} {strength}")).collect::<Vec<_>>().join(";")
}

/// `5 mg; 325 mg` is shown as `5-325 mg`; different units stand side by side.
fn shown_strength(strengths: &str) -> String {
    let parts: Vec<(&str, &str)> =
        strengths.split(';').map(str::trim).map(|s| s.split_once(' ').unwrap_or((s, ""))).collect();
    match parts.as_slice() {
        [(_, unit), rest @ ..] if rest.iter().all(|(_, other)| other == unit) => {
            let numbers: Vec<&str> = parts.iter().map(|(number, _)| *number).collect();
            format!("{} {unit}", numbers.join("-")).trim_end().to_owned()
        }
        _ => strengths.replace("; ", " / "),
    }
}

/// Plain, coated and film-coated tablets are one; what releases otherwise stays apart.
fn form_group(form: &str) -> String {
    let without = ["film coated", "coated", "sugar coated", "gelatin coated", "liquid filled"];
    form.split(", ").filter(|part| !without.contains(part)).collect::<Vec<_>>().join(", ")
}

/// How many packages the table has; a catalogue may have more.
#[must_use]
pub fn table_len() -> u32 {
    u32::try_from(table().rows.len()).unwrap_or(u32::MAX)
}

/// A package of the catalogue.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its number in the catalogue.
    pub index: u32,
    /// Its NDC.
    pub ndc11: Ndc11,
    /// Its NDC as the label shows it (4-4-2, 5-3-2 or 5-4-1).
    pub hyphenated: String,
    /// Its product's NDC as the label shows it.
    pub product_hyphenated: String,
    /// Its product as the directory has it: names, substances, strengths, form.
    pub label: Label<'static>,
    /// Strength as labels show it; several of one unit are joined by hyphens.
    pub strength: &'static str,
    /// What the package is (`100 TABLET in 1 BOTTLE (0143-1267-01)`).
    pub description: String,
    /// Whether it needs no prescription.
    pub over_the_counter: bool,
    /// Same ingredients, strengths and form group: what an SCD code stands for.
    pub line: u32,
    in_table: &'static Product,
    branded_line: u32,
    group: u32,
}

impl PartialEq for Package {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Eq for Package {}

impl Package {
    /// Package `index` of any catalogue; `None` only where the table is empty.
    #[must_use]
    pub fn of(index: u32) -> Option<Self> {
        let table = table();
        let len = table_len();
        let (round, at) = (index.checked_div(len)?, index.checked_rem(len)?);
        let row = table.rows.get(at as usize)?;
        let product = table.products.get(row.product as usize)?;
        let (product_hyphenated, hyphenated) = if round == 0 {
            (product.hyphenated.to_owned(), format!("{}-{}", product.hyphenated, row.segment))
        } else {
            let made = u64::from(round - 1) * table.products.len() as u64 + u64::from(row.product);
            let (labeler, code) = (FIRST_MADE_LABELER + made / 10_000, made % 10_000);
            let product = format!("{labeler:05}-{code:04}");
            let package = format!("{product}-{}", row.place_in_product);
            (product, package)
        };
        let ndc11 = if round == 0 { Ndc11::new(row.ndc11) } else { hyphenated.parse().ok() }?;
        Some(Self {
            index,
            ndc11,
            description: row.description.replace('@', &format!("({hyphenated})")),
            hyphenated,
            product_hyphenated,
            label: product.label,
            strength: &product.strength,
            over_the_counter: product.over_the_counter,
            line: product.line,
            branded_line: product.branded_line,
            group: product.group,
            in_table: product,
        })
    }

    /// The product it is a package of.
    #[must_use]
    pub fn product(&self) -> ProductNdc {
        self.ndc11.product()
    }

    /// What it is, in fields; `None` where the directory's row cannot be read.
    #[must_use]
    pub fn facts(&self) -> Option<&'static DrugFacts> {
        self.in_table.facts()
    }

    /// As the payer of this seed writes it in `code.text`: each product in one style.
    #[must_use]
    pub fn written(&self, seed: u64) -> Written {
        table().writer.write(&self.label, self.facts(), seed, self.product().number().into())
    }

    /// Name, strength and form, as `code.text` shows it: `Lisinopril 10 mg tablet`.
    #[must_use]
    pub fn text(&self, seed: u64) -> String {
        self.written(seed).text
    }

    /// Its RxNorm codes, as the payer knows them: none, the clinical drug's, the branded drug's, a
    /// group's. Whether any resource shows them is [`Truth`](crate::Truth)'s matter.
    #[must_use]
    pub fn rxcuis(&self, seed: u64, quirks: &Quirks) -> Vec<Rxcui> {
        let draw = Draw::of(seed ^ 0x5278, u64::from(self.index));
        let hits = |quirk: Quirk| draw.and(quirk as u64).hits(quirks.rate(quirk));
        if hits(Quirk::RxnormNone) {
            return Vec::new();
        }
        let mut codes = Vec::with_capacity(3);
        if self.label.brand {
            codes.push(spread(SBD_FIRST, self.branded_line));
        }
        if !self.label.brand || hits(Quirk::RxnormSeveral) {
            codes.push(spread(SCD_FIRST, self.line));
        }
        if hits(Quirk::RxnormGroup) {
            codes.push(spread(GROUP_FIRST, self.group));
        }
        codes.into_iter().filter_map(Rxcui::new).collect()
    }
}

/// What formularies decide by, without the texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// The product's number in the catalogue: packages of one follow each other.
    pub(crate) product: u64,
    pub(crate) line: u32,
    pub(crate) brand: bool,
}

/// The traits of package `index`.
#[must_use]
pub(crate) fn traits(index: u32) -> Traits {
    let table = table();
    let len = table_len().max(1);
    let (round, at) = (index / len, index % len);
    let row = table.rows.get(at as usize);
    let product = row.and_then(|row| table.products.get(row.product as usize));
    row.zip(product).map_or_else(Traits::default, |(row, product)| Traits {
        product: u64::from(round) * table.products.len() as u64 + u64::from(row.product),
        line: product.line,
        brand: product.label.brand,
    })
}

/// RxNorm code of the clinical drug that a line is.
#[must_use]
pub fn clinical_drug(line: u32) -> Option<Rxcui> {
    Rxcui::new(spread(SCD_FIRST, line))
}

/// Whether a code is one of ingredient and form, without strength.
pub(crate) fn is_group(code: Rxcui) -> bool {
    (GROUP_FIRST..PACKLESS_FIRST).contains(&code.number())
}

/// RxNorm code number `n` of a drug that no package of any catalogue has.
#[must_use]
pub fn packless_drug(n: u32) -> Option<Rxcui> {
    Rxcui::new(PACKLESS_FIRST + n % 99_000)
}

/// Numbers that do not follow each other: 7919 and the prime 299,993 have no common factor.
fn spread(first: u32, n: u32) -> u32 {
    let place = u64::from(n) * 7919 % 299_993;
    first + u32::try_from(place).unwrap_or(0)
}

/// The catalogue's package of this NDC, whatever the catalogue's size.
#[must_use]
pub fn find(ndc: Ndc11) -> Option<u32> {
    let table = table();
    let number = ndc.number();
    let labeler = number / 1_000_000;
    if labeler < FIRST_MADE_LABELER {
        let at = table.by_ndc.binary_search_by_key(&number, |(ndc, _)| *ndc).ok()?;
        return table.by_ndc.get(at).map(|(_, row)| *row);
    }
    let products = table.products.len() as u64;
    let made = (labeler - FIRST_MADE_LABELER) * 10_000 + number / 100 % 10_000;
    let (round, product) = (made.checked_div(products)? + 1, made.checked_rem(products)?);
    let first = table.rows.partition_point(|row| u64::from(row.product) < product) as u64;
    let row = usize::try_from(first + number % 100).ok().and_then(|at| table.rows.get(at))?;
    if u64::from(row.product) != product {
        return None;
    }
    u32::try_from(round * table.rows.len() as u64 + first + number % 100).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(table_len(), 72_000);
        let mut ndcs: Vec<u64> = table().by_ndc.iter().map(|(ndc, _)| *ndc).collect();
        ndcs.dedup();
        assert_eq!(ndcs.len(), 72_000, "an NDC stands twice");
        assert!(ndcs.iter().all(|ndc| ndc / 1_000_000 < FIRST_MADE_LABELER));
        assert!(table().products.len() < 299_993);
    }

    #[test]
    fn packages_are_found_again() {
        let len = table_len();
        for index in [0, 1, 159, 71_999, len, len + 1, 3 * len + 4_711, 20 * len + 71_999] {
            let package = Package::of(index).unwrap();
            assert_eq!(find(package.ndc11), Some(index), "{package:?}");
            assert_eq!(package.hyphenated.parse::<Ndc11>().unwrap(), package.ndc11);
            assert_eq!(package.product_hyphenated.parse::<ProductNdc>().unwrap(), package.product());
        }
        assert_eq!(find(Ndc11::new(1).unwrap()), None);
    }

    #[test]
    fn strengths_and_forms() {
        assert_eq!(shown_strength("5 mg; 325 mg"), "5-325 mg");
        assert_eq!(shown_strength("20 mg"), "20 mg");
        assert_eq!(shown_strength("1 mg; 2 g"), "1 mg / 2 g");
        assert_eq!(form_group("tablet, film coated, extended release"), "tablet, extended release");
        assert_eq!(form_group("tablet, coated"), "tablet");
        assert_eq!(content("B; A", "1 mg; 2 mg"), content("A; B", "2 mg; 1 mg"));
    }

    #[test]
    fn a_clinical_drug_has_one_strength_and_form() {
        let mut lines = BTreeMap::new();
        for index in 0..table_len() {
            let package = Package::of(index).unwrap();
            let group = form_group(package.label.form);
            let at = usize::try_from(index).unwrap();
            let product = &table().products[table().rows[at].product as usize];
            let here = (sorted(product.label.substances), group);
            assert_eq!(lines.entry(package.line).or_insert_with(|| here.clone()), &here);
        }
        assert!(lines.len() > 5_000);
    }
}
