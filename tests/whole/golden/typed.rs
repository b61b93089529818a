//! What people type, against what must be shown first, what must be there and what never: the files
//! of `typed/`, over the first 12,000 products of the made payer.
//!
//! A line of a `.tsv` has five columns. `kind` is `typing` (what is shown while typing, ten results)
//! or `asked` (what answers). `text` is what was typed. `first` is the first result, or what answers;
//! alternatives are separated by ` | `. `there` is among the ten, or is a candidate or what answers.
//! `never` is among none of the ten, or does not answer. Several things in `there` and `never` are
//! separated by ` ; `. `-` says nothing, and `ambiguous` and `not_found` in `first` are what became of
//! the question.
//!
//! A thing is a few words that the directory's row of one of a result's products has (names,
//! substances, strength, form; never what the payer writes): `losartan 50 mg !hydrochlorothiazide`.
//! A word behind `!` must not be in that row. A number with a unit must be one of the row's strengths,
//! as written there.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use coverdex_core::{Dataset, DrugSearch, Plan, Resolution};
use coverdex_core::{Ndc11, ProductNdc};
use coverdex_sandbox::{Kind, MadePayer, Package, Quirks, Shape};
use coverdex_tests::Made;

use crate::say;

const PRODUCTS: usize = 12_000;

/// Results that are looked at.
const SHOWN: usize = 10;

/// A directory's row, as words and strengths in small letters.
#[derive(Clone, Debug, Default)]
struct Row {
    text: String,
    words: BTreeSet<String>,
    strengths: BTreeSet<String>,
}

/// The directory's rows, by product.
#[derive(Clone, Debug, Default)]
struct Rows(BTreeMap<ProductNdc, Row>);

/// The payer with its dataset and the directory's rows.
struct Typed {
    made: Made,
    plan: Plan,
    rows: Rows,
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

impl Row {
    fn of(package: &Package) -> Self {
        let label = &package.label;
        Self::new([label.name, label.generic, label.substances, label.form], label.strengths)
    }

    fn new(columns: [&str; 4], strengths: &str) -> Self {
        Self {
            text: columns.join(" ").to_lowercase(),
            words: columns.iter().flat_map(|column| words(column)).collect(),
            strengths: strengths.to_lowercase().split("; ").map(str::to_owned).collect(),
        }
    }

    fn has(&self, part: &Part) -> bool {
        let is_there = match &part.what {
            What::Strength(strength) => self.strengths.contains(strength),
            What::Word(word) if word.chars().all(char::is_alphanumeric) => self.words.contains(word),
            What::Word(word) => self.text.contains(word),
        };
        is_there != part.never
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Word(String),
    Strength(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    what: What,
    never: bool,
}

/// What a row must have, all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Thing {
    text: String,
    parts: Vec<Part>,
}

impl Thing {
    fn read(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut left = text.split_whitespace().peekable();
        while let Some(word) = left.next() {
            let (word, never) = word.strip_prefix('!').map_or((word, false), |word| (word, true));
            let is_number = word.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit());
            let is_unit = |next: &&str| next.starts_with(|c: char| c.is_alphabetic() || c == '%' || c == '[');
            let what = match left.next_if(|next| is_number && is_unit(next)) {
                Some(unit) => What::Strength(format!("{word} {unit}").to_lowercase()),
                None => What::Word(word.to_lowercase()),
            };
            parts.push(Part { what, never });
        }
        Self { text: text.to_owned(), parts }
    }

    fn all(column: &str, separator: &str) -> Vec<Self> {
        if column == "-" { Vec::new() } else { column.split(separator).map(|one| Self::read(one.trim())).collect() }
    }

    fn is(&self, row: &Row) -> bool {
        self.parts.iter().all(|part| row.has(part))
    }
}

/// A line of a golden file.
#[derive(Clone, Debug)]
struct Line {
    typing: bool,
    text: String,
    first: Vec<Thing>,
    there: Vec<Thing>,
    never: Vec<Thing>,
}

impl Line {
    fn read(line: &str) -> Self {
        let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [kind, text, first, there, never] = columns.as_slice() else { panic!("five columns: {line:?}") };
        let typing = match *kind {
            "typing" => true,
            "asked" => false,
            other => panic!("{other}: {line:?}"),
        };
        Self {
            typing,
            text: (*text).to_owned(),
            first: Thing::all(first, " | "),
            there: Thing::all(there, " ; "),
            never: Thing::all(never, " ; "),
        }
    }
}

/// What a text came to: what is first or answers, what is shown beside it, and the word for it.
#[derive(Clone, Debug, Default)]
struct Outcome {
    said: &'static str,
    /// Typing: the results in their order, each with its products. Asked: what answers.
    results: Vec<Vec<ProductNdc>>,
    candidates: Vec<Vec<ProductNdc>>,
    shown: Vec<String>,
}

impl Typed {
    fn get() -> &'static Self {
        static TYPED: OnceLock<Typed> = OnceLock::new();
        TYPED.get_or_init(Self::build)
    }

    fn build() -> Self {
        let (mut rows, mut packages) = (BTreeMap::new(), 0);
        for package in (0..).map_while(Package::of) {
            if rows.len() == PRODUCTS && !rows.contains_key(&package.product()) {
                break;
            }
            rows.entry(package.product()).or_insert_with(|| Row::of(&package));
            packages += 1;
        }
        let quirks = Quirks::none();
        let shape =
            Shape { packages, listed: packages, formularies: 1, plans: 1, list_size: 5_000, quirks, ..Shape::tiny() };
        let payer = MadePayer::new(shape);
        let made = Made::formulary(&payer);
        let plan = payer.plans().iter().find(|plan| plan.kind == Kind::Ordinary).unwrap().id.to_string();
        Self { plan: made.plan(&plan), made, rows: Rows(rows) }
    }

    fn dataset(&self) -> &Dataset {
        &self.made.dataset
    }

    /// The first results of a search.
    fn results(&self, text: &str) -> (Vec<Vec<ProductNdc>>, Vec<String>) {
        let typed =
            DrugSearch { text: text.to_owned(), limit: SHOWN, plan: None, codes: true, ..DrugSearch::default() };
        let lines = self.dataset().search_drugs(&typed).unwrap().lines;
        let shown = lines.iter().map(|line| {
            let parts = [Some(line.name.as_str()), line.strength.as_deref(), line.form.as_deref()];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
        });
        (lines.iter().map(|line| products_of(&line.product_ndcs)).collect(), shown.collect())
    }

    fn outcome(&self, line: &Line) -> Outcome {
        if line.typing {
            let (results, shown) = self.results(&line.text);
            return Outcome { said: "shown", results, shown, ..Outcome::default() };
        }
        let drug = match self.dataset().drug(&line.text) {
            Ok(drug) => drug,
            Err(error) => return Outcome { said: "not_found", shown: vec![error.to_string()], ..Outcome::default() },
        };
        let said = match drug.resolution() {
            Resolution::Found => "found",
            Resolution::Ambiguous => "ambiguous",
            _ => "not_found",
        };
        let candidates = drug.candidates().iter().map(|candidate| products_of(&candidate.product_ndcs)).collect();
        let mut outcome = Outcome { said, candidates, ..Outcome::default() };
        if said == "found" {
            let packages = self.dataset().package_coverage(&self.plan, &drug).unwrap();
            let products: BTreeSet<ProductNdc> =
                packages.iter().filter_map(|package| package.ndc11).map(Ndc11::product).collect();
            outcome.results.push(products.into_iter().collect());
            outcome.shown.extend(drug.title().map(str::to_owned));
        } else {
            outcome.shown.extend(drug.candidates().iter().map(|candidate| candidate.name.clone()));
        }
        outcome
    }
}

impl Rows {
    fn is(&self, thing: &Thing, products: &[ProductNdc]) -> bool {
        products.iter().filter_map(|product| self.0.get(product)).any(|row| thing.is(row))
    }

    /// What is wrong with an outcome.
    fn wrong(&self, line: &Line, outcome: &Outcome) -> Vec<String> {
        let mut wrong = Vec::new();
        let is_first = |thing: &Thing| match thing.text.as_str() {
            word @ ("ambiguous" | "not_found") => outcome.said == word,
            _ => outcome.results.first().is_some_and(|products| self.is(thing, products)),
        };
        let texts = |things: &[Thing]| things.iter().map(|thing| thing.text.clone()).collect::<Vec<_>>().join(" | ");
        if !line.first.is_empty() && !line.first.iter().any(is_first) {
            wrong.push(format!("first is not {}", texts(&line.first)));
        }
        let all = || outcome.results.iter().chain(&outcome.candidates);
        for thing in line.there.iter().filter(|thing| !all().any(|products| self.is(thing, products))) {
            wrong.push(format!("no {}", thing.text));
        }
        for thing in line.never.iter().filter(|thing| outcome.results.iter().any(|result| self.is(thing, result))) {
            wrong.push(format!("{} must not be there", thing.text));
        }
        wrong
    }
}

fn products_of(hyphenated: &[String]) -> Vec<ProductNdc> {
    hyphenated.iter().map(|product| product.parse().unwrap()).collect()
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/whole/golden/typed"))
}

/// The lines of every file, with its name.
fn lines() -> Vec<(String, Line)> {
    let mut files: Vec<_> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tsv"));
    files.sort();
    let mut lines = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let content = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        lines.extend(content.map(|line| (name.clone(), Line::read(line))));
    }
    lines
}

/// What must be there can be there: a golden line that nothing can fulfil is wrong itself.
#[test]
fn golden_lines_name_what_the_table_has() {
    let rows: Vec<Row> = {
        let mut rows = BTreeMap::new();
        let packages = (0..).map_while(Package::of).take_while(|package| {
            rows.entry(package.product()).or_insert_with(|| Row::of(package));
            rows.len() <= PRODUCTS
        });
        packages.for_each(drop);
        rows.into_values().collect()
    };
    let mut without = Vec::new();
    for (file, line) in lines() {
        let wanted = line.first.iter().chain(&line.there);
        let wanted = wanted.filter(|thing| !["ambiguous", "not_found"].contains(&thing.text.as_str()));
        for thing in wanted.filter(|thing| !rows.iter().any(|row| thing.is(row))) {
            without.push(format!("{file} {:?}: no product is {:?}", line.text, thing.text));
        }
    }
    assert!(without.is_empty(), "{}\n{} lines", without.join("\n"), without.len());
}

#[test]
fn what_people_type_finds_what_they_mean() {
    let typed = Typed::get();
    let lines = lines();
    assert!(lines.len() >= 200, "{}", lines.len());
    let (mut wrong, mut reciprocal, mut ranked) = (Vec::new(), 0.0, 0_u32);
    for (file, line) in &lines {
        let outcome = typed.outcome(line);
        if line.typing && !line.first.is_empty() {
            let is_one = |products: &Vec<ProductNdc>| line.first.iter().any(|thing| typed.rows.is(thing, products));
            let rank = outcome.results.iter().position(is_one).and_then(|at| u32::try_from(at + 1).ok());
            reciprocal += rank.map_or(0.0, |rank| 1.0 / f64::from(rank));
            ranked += 1;
        }
        let faults = typed.rows.wrong(line, &outcome);
        if !faults.is_empty() {
            let kind = if line.typing { "typing" } else { "asked" };
            let shown = outcome.shown.join(" | ");
            wrong.push(format!("{file} {kind} {:?}: {}\n    {}: {shown}", line.text, faults.join("; "), outcome.said));
        }
    }
    let rank = reciprocal / f64::from(ranked.max(1));
    say(&format!(
        "typed texts: {} of {} right, mean reciprocal rank {rank:.3} of {ranked}\n{}",
        lines.len() - wrong.len(),
        lines.len(),
        wrong.join("\n")
    ));
    assert!(wrong.is_empty(), "{} of {} typed texts are wrong", wrong.len(), lines.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "00001-0001";
    const B: &str = "00002-0002";

    fn rows() -> BTreeMap<ProductNdc, Row> {
        let losartan =
            Row::new(["Losartan Potassium", "losartan", "LOSARTAN POTASSIUM", "tablet, film coated"], "50 mg");
        let both = Row::new(
            ["Hyzaar", "losartan and hctz", "HYDROCHLOROTHIAZIDE; LOSARTAN POTASSIUM", "tablet"],
            "12.5 mg; 50 mg/.5mL",
        );
        BTreeMap::from([(A.parse().unwrap(), losartan), (B.parse().unwrap(), both)])
    }

    #[test]
    fn things_are_words_and_strengths_of_one_row() {
        let rows: Vec<Row> = rows().into_values().collect();
        let is = |thing: &str| [Thing::read(thing).is(&rows[0]), Thing::read(thing).is(&rows[1])];
        for (thing, want) in [
            ("losartan", [true, true]),
            ("LOSARTAN !hydrochlorothiazide", [true, false]),
            ("losartan 50 mg", [true, false]),
            ("losartan 50 mg/.5mL 12.5 mg", [false, true]),
            ("losartan 5 mg", [false, false]),
            ("losartan !50 mg", [false, true]),
            ("sartan", [false, false]),
            ("tablet film", [true, false]),
            ("hyzaar", [false, true]),
        ] {
            assert_eq!(is(thing), want, "{thing}");
        }
    }

    /// The harness must be able to say no.
    #[test]
    fn wrong_outcomes_are_seen() {
        let rows = Rows(rows());
        let (a, b): (ProductNdc, ProductNdc) = (A.parse().unwrap(), B.parse().unwrap());
        let outcome = |said, results: &[ProductNdc], candidates: &[ProductNdc]| Outcome {
            said,
            results: results.iter().map(|product| vec![*product]).collect(),
            candidates: candidates.iter().map(|product| vec![*product]).collect(),
            shown: Vec::new(),
        };
        let faults = |line: &str, outcome: &Outcome| rows.wrong(&Line::read(line), outcome).len();
        let typing = "typing\tlosartan\tlosartan !hydrochlorothiazide\thyzaar\t12.5 mg !hydrochlorothiazide";
        assert_eq!(faults(typing, &outcome("shown", &[a, b], &[])), 0);
        assert_eq!(faults(typing, &outcome("shown", &[b, a], &[])), 1, "another is first");
        assert_eq!(faults(typing, &outcome("shown", &[a], &[])), 1, "what must be there is not");
        assert_eq!(faults(typing, &outcome("shown", &[], &[])), 2);
        let asked = "asked\tlosartan 50 mg\tlosartan 50 mg\t-\thydrochlorothiazide";
        assert_eq!(faults(asked, &outcome("found", &[a], &[])), 0);
        assert_eq!(faults(asked, &outcome("found", &[b], &[])), 2, "a combination answers");
        assert_eq!(faults(asked, &outcome("found", &[a, b], &[])), 1, "a combination answers too");
        assert_eq!(faults(asked, &outcome("ambiguous", &[], &[a, b])), 1);
        let either = "asked\tlosartan\tambiguous | hyzaar\thyzaar\thydrochlorothiazide";
        assert_eq!(faults(either, &outcome("ambiguous", &[], &[b])), 0, "never is not about candidates");
        assert_eq!(faults(either, &outcome("not_found", &[], &[])), 2);
    }
}
