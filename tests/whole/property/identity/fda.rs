//! The human drugs of an FDA table (packages joined with their products, gzip, tab-separated; the
//! columns are those that tests/sandbox/data/make.py reads), as a payer that writes them in all styles.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use coverdex_core::Ndc11;
use coverdex_sandbox::drugs::{Label, Writer};
use coverdex_tests::{Made, fhir};
use flate2::read::MultiGzDecoder;

use super::Catalogue;
use super::oracle::Product;
use crate::say;

const PLAN: &str = "H1000-001-000-2026";
const SEED: u64 = 1;

/// A product's columns.
struct Columns {
    name: String,
    generic: String,
    substances: String,
    strengths: String,
    form: String,
    route: String,
    brand: bool,
    package: Ndc11,
}

/// `mg/1` is mg; micrograms and units are spelled as on labels.
fn unit(text: &str) -> String {
    let (amount, per) = text.split_once('/').unwrap_or((text, ""));
    let amount = match amount {
        "[USP'U]" | "[iU]" => "unit",
        "ug" => "mcg",
        "meq" => "mEq",
        "1" => "",
        other => other,
    };
    if per.is_empty() || per == "1" { amount.to_owned() } else { format!("{amount}/{per}") }
}

fn strengths(numbers: &str, units: &str) -> String {
    let pairs = numbers.split(';').zip(units.split(';'));
    let pairs = pairs.map(|(number, of)| format!("{} {}", number.trim(), unit(of.trim())).trim().to_owned());
    pairs.collect::<Vec<_>>().join("; ")
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn beginning(name: &str) -> String {
    name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).take(6).collect()
}

fn read(path: &Path) -> Vec<Columns> {
    let mut lines = BufReader::new(MultiGzDecoder::new(File::open(path).unwrap())).lines().map(Result::unwrap);
    let header = lines.next().unwrap();
    let places: HashMap<&str, usize> = header.split('\t').enumerate().map(|(at, name)| (name, at)).collect();
    let mut products = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let column = |name: &str| fields[places[name]];
        let is_human = ["HUMAN PRESCRIPTION DRUG", "HUMAN OTC DRUG"].contains(&column("product_type"));
        if !is_human || column("sample_package") == "Y" || column("substance").is_empty() {
            continue;
        }
        let Ok(package) = column("ndc11").parse() else { continue };
        let (name, generic) =
            (words(&format!("{} {}", column("proprietary"), column("suffix"))), words(column("nonproprietary")));
        let approved = ["NDA", "BLA"].contains(&column("marketing_category"));
        let product = Columns {
            brand: approved && beginning(&name) != beginning(&generic),
            name,
            generic,
            substances: words(column("substance")).to_uppercase(),
            strengths: strengths(column("strength_num"), column("strength_unit")),
            form: words(column("dosage_form")).to_lowercase(),
            route: words(column("route")).to_lowercase(),
            package,
        };
        products.entry(column("product_ndc").to_owned()).or_insert(product);
    }
    products.into_values().collect()
}

/// A dataset of them all, one package a product, in one plan.
pub(super) fn catalogue(path: &Path) -> Catalogue {
    let all = read(path);
    let writer = Writer::of(all.iter().map(|columns| columns.substances.as_str()));
    let (mut products, mut of_package, mut entries, mut unreadable) = (Vec::new(), HashMap::new(), Vec::new(), 0);
    for columns in &all {
        let label = Label {
            name: &columns.name,
            generic: &columns.generic,
            substances: &columns.substances,
            strengths: &columns.strengths,
            form: &columns.form,
            route: &columns.route,
            brand: columns.brand,
        };
        let Some(facts) = label.facts().filter(|_| !columns.form.is_empty() && columns.form != "kit") else {
            unreadable += 1;
            continue;
        };
        let written = writer.write(&label, Some(&facts), SEED, columns.package.product().number().into());
        let ndc = columns.package.number();
        entries.push(fhir::entry("").ndc(&format!("{ndc:011}")).text(&written.text).tier("1", "Preferred Generic"));
        of_package.insert(columns.package, products.len());
        products.push(Product { name: columns.name.clone(), form: columns.form.clone(), facts, written });
    }
    say(&format!("{}: {} products with strengths, {unreadable} without", path.display(), products.len()));
    let made = Made::of(&fhir::formulary(PLAN, &entries));
    Catalogue { plan: made.plan(PLAN), made, products, of_package, homonyms: std::sync::OnceLock::new() }
}
