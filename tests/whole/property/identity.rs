//! What must never happen: a drug that is answered by a line of another ingredient set, salt,
//! strength, per-unit, form group, release or suffix. Every drug of a catalogue is asked in ten
//! spellings, and every product by its own full text; the oracle compares fields.

mod fda;
mod oracle;
mod spellings;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;
use std::time::Instant;

use coverdex_core::Ndc11;
use coverdex_core::{Plan, Resolution};
use coverdex_sandbox::drugs::{Release, Worth, table_len};
use coverdex_sandbox::{Kind, MadePayer, Quirks, Shape};
use coverdex_tests::Made;
use rayon::prelude::*;

use self::oracle::{Asked, Product, faults};
use self::spellings::{Question, spellings};
use crate::say;

/// Violations that are shown at most.
const SHOWN: usize = 20;

/// The spelling that every product is asked by first.
const OWN_TEXT: &str = "own full text";

/// A dataset with one plan that lists everything, and what its packages are.
struct Catalogue {
    made: Made,
    plan: Plan,
    products: Vec<Product>,
    of_package: HashMap<Ndc11, usize>,
    homonyms: OnceLock<BTreeSet<(String, Vec<Worth>)>>,
}

/// How a kind of question came out.
#[derive(Clone, Debug, Default)]
struct Count {
    questions: u64,
    answered: u64,
    ambiguous: u64,
    not_found: u64,
    violations: u64,
    /// Own texts that are answered without the own package.
    not_its_own: u64,
    /// Answered by a brand where a generic was asked, or the reverse, or by another brand.
    other_brand: u64,
    shown: Vec<String>,
}

impl Count {
    fn and(mut self, other: Self) -> Self {
        self.questions += other.questions;
        self.answered += other.answered;
        self.ambiguous += other.ambiguous;
        self.not_found += other.not_found;
        self.violations += other.violations;
        self.not_its_own += other.not_its_own;
        self.other_brand += other.other_brand;
        self.shown.extend(other.shown);
        self.shown.truncate(SHOWN);
        self
    }
}

type Counts = BTreeMap<&'static str, Count>;

fn together(mut all: Counts, more: Counts) -> Counts {
    for (spelling, count) in more {
        let sum = all.remove(spelling).unwrap_or_default().and(count);
        all.insert(spelling, sum);
    }
    all
}

impl Catalogue {
    /// Asks one question; `own` is the product that must answer it, where one must.
    fn ask(&self, question: &Question, own: Option<usize>) -> Count {
        let mut count = Count { questions: 1, ..Count::default() };
        let drug = match self.made.dataset.drug(&question.text) {
            Ok(drug) => drug,
            Err(error) => {
                count.not_found = 1;
                count.shown.push(format!("{:?}: {error}", question.text));
                return count;
            }
        };
        match drug.resolution() {
            Resolution::Ambiguous => count.ambiguous = 1,
            Resolution::Found => {
                count.answered = 1;
                let packages = self.made.dataset.package_coverage(&self.plan, &drug).unwrap();
                let places: BTreeSet<usize> = packages
                    .iter()
                    .filter_map(|p| p.ndc11)
                    .filter_map(|ndc| self.of_package.get(&ndc))
                    .copied()
                    .collect();
                // A name of several drugs tells nobody which one it is, and a text may name what is asked
                // for while its row holds another drug: these products fault no answer.
                let homonyms = self.homonyms();
                let answer: Vec<&Product> = places
                    .iter()
                    .map(|at| &self.products[*at])
                    .filter(|product| says_one(product, homonyms) && !claims_to_be(product, &question.asked))
                    .collect();
                let faults = faults(&question.asked, &answer, question.text.contains('%'));
                let brands: BTreeSet<_> = answer.iter().map(|product| &product.facts.brand).collect();
                count.other_brand = u64::from(brands.iter().any(|brand| **brand != question.asked.brand));
                if packages.is_empty() || !faults.is_empty() {
                    count.violations = 1;
                    count.shown.push(self.shown(question, &places, &faults));
                } else if own.is_some_and(|own| !places.contains(&own)) {
                    count.not_its_own = 1;
                    count.shown.push(self.shown(question, &places, &BTreeSet::from(["without the asked one"])));
                }
            }
            _ => count.not_found = 1,
        }
        if own.is_some() && count.not_found > 0 {
            count.shown.push(format!("{:?} is not found", question.text));
        }
        count
    }

    fn shown(&self, question: &Question, answer: &BTreeSet<usize>, faults: &BTreeSet<&str>) -> String {
        let Question { spelling, text, asked } = question;
        let shown: Vec<String> = answer
            .iter()
            .take(6)
            .map(|at| {
                let product = &self.products[*at];
                format!("    {:?}, {}: {}", product.written.text, product.name, brief(&Asked::by_own_text(product)))
            })
            .collect();
        let asks = brief(asked);
        format!(
            "{spelling}: {text:?} ({faults:?})\n  asks {asks}\n  answered by {}:\n{}",
            answer.len(),
            shown.join("\n")
        )
    }

    /// Names that stand for several drugs of one strength (`Allergy Relief 10 mg tablet`): no text can
    /// tell them apart, and none is asked by such a name.
    fn homonyms(&self) -> &BTreeSet<(String, Vec<Worth>)> {
        self.homonyms.get_or_init(|| self.find_homonyms())
    }

    fn find_homonyms(&self) -> BTreeSet<(String, Vec<Worth>)> {
        let mut drugs: BTreeMap<(String, Vec<Worth>), BTreeSet<Vec<(String, Worth)>>> = BTreeMap::new();
        for product in &self.products {
            drugs.entry(name_and_strengths(product)).or_default().insert(oracle::content(&product.facts));
        }
        drugs.into_iter().filter(|(_, drugs)| drugs.len() > 1).map(|(name, _)| name).collect()
    }

    /// Asks everything of every drug and prints what came out.
    fn ask_all(&self, what: &str) -> Counts {
        let began = Instant::now();
        let homonyms = self.homonyms();
        let asked: Vec<usize> = (0..self.products.len()).filter(|at| says_one(&self.products[*at], homonyms)).collect();
        let mut texts = BTreeSet::new();
        let by_own_text: Vec<usize> =
            asked.iter().copied().filter(|at| texts.insert(&self.products[*at].written.text)).collect();
        let mut drugs = BTreeMap::new();
        for at in asked.iter().filter(|at| form_tells_release(&self.products[**at])) {
            let product = &self.products[*at];
            let facts = &product.facts;
            let salts: BTreeSet<_> = facts.ingredients.iter().map(|i| (&i.base, &i.salt)).collect();
            let brand = facts.brand.as_ref().map(|brand| brand.to_lowercase());
            let key = (oracle::content(facts), salts, &facts.form, facts.release, facts.suffix, brand);
            drugs.entry(key).or_insert(*at);
        }
        let drugs: Vec<usize> = drugs.into_values().collect();
        let own = by_own_text.par_iter().map(|at| {
            let product = &self.products[*at];
            let (text, asked) = (product.written.text.clone(), Asked::by_own_text(product));
            let count = self.ask(&Question { spelling: OWN_TEXT, text, asked }, Some(*at));
            Counts::from([(OWN_TEXT, count)])
        });
        let spelled = drugs.par_iter().enumerate().map(|(turn, at)| {
            let questions = spellings(&self.products[*at], turn);
            questions.iter().fold(Counts::new(), |counts, question| {
                together(counts, Counts::from([(question.spelling, self.ask(question, None))]))
            })
        });
        let counts = own.chain(spelled).reduce(Counts::new, together);
        let left_out = self.products.len() - asked.len();
        let mut report = format!(
            "{what}: {} products, {left_out} of names that say two drugs; {} texts, {} drugs; {:.1} s\n",
            self.products.len(),
            by_own_text.len(),
            drugs.len(),
            began.elapsed().as_secs_f64()
        );
        report += "questions answered ambiguous not_found violations other_brand\n";
        for (spelling, c) in &counts {
            report += &format!(
                "{:9} {:8} {:9} {:9} {:10} {:11}  {spelling}\n",
                c.questions, c.answered, c.ambiguous, c.not_found, c.violations, c.other_brand
            );
        }
        // Of each spelling by turns.
        let most = counts.values().map(|count| count.shown.len()).max().unwrap_or(0);
        let by_turns = (0..most).flat_map(|turn| counts.values().filter_map(move |count| count.shown.get(turn)));
        for line in by_turns.take(SHOWN) {
            report += line;
            report += "\n";
        }
        say(&report);
        counts
    }
}

fn brief(asked: &Asked) -> String {
    let content: Vec<String> = asked.content.iter().map(|(base, worth)| format!("{base} {worth}")).collect();
    let salts: Vec<&String> = asked.salts.values().flatten().collect();
    format!("{} {salts:?} {:?} {:?} {:?}", content.join(", "), asked.form, asked.release, asked.brand)
}

/// Whether the form, from which questions are spelled, tells the release, and not the name alone.
fn form_tells_release(product: &Product) -> bool {
    match product.facts.release {
        Release::Extended(_) | Release::Delayed => {
            product.facts.suffix.is_some() || product.form.to_lowercase().contains("release")
        }
        _ => true,
    }
}

/// Whether a product's text names every ingredient of its row.
fn names_bases(product: &Product) -> bool {
    product.facts.ingredients.iter().all(|ingredient| says_words(product, &ingredient.base))
}

fn says_words(product: &Product, name: &str) -> bool {
    let (text, name) = (product.written.text.to_lowercase(), name.to_lowercase());
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    name.split(|c: char| !c.is_alphanumeric()).all(|word| word.is_empty() || words.contains(word))
}

/// Whether a generic's text names what is asked for and not what its row holds.
fn claims_to_be(product: &Product, asked: &Asked) -> bool {
    product.facts.brand.is_none()
        && !names_bases(product)
        && asked.content.iter().all(|(base, _)| says_words(product, base))
}

/// Whether a product's text names one drug.
fn says_one(product: &Product, homonyms: &BTreeSet<(String, Vec<Worth>)>) -> bool {
    if product.written.names_ingredients && product.facts.brand.is_none() {
        // `Fenofibric Acid` of a row that holds choline fenofibrate says another drug than the row.
        return names_bases(product);
    }
    !homonyms.contains(&name_and_strengths(product))
}

fn name_and_strengths(product: &Product) -> (String, Vec<Worth>) {
    let name: String = product.name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let name = name.replace("delayedrelease", "").replace("extendedrelease", "");
    let mut strengths: Vec<Worth> = product.facts.ingredients.iter().map(|i| i.strength.worth()).collect();
    strengths.sort();
    (name, strengths)
}

/// No violation; every own text finds its own package; and so much is answered that the check can fail.
fn judge(what: &str, counts: &Counts) {
    let violations: u64 = counts.values().map(|count| count.violations).sum();
    let questions: u64 = counts.values().map(|count| count.questions).sum();
    assert_eq!(violations, 0, "{what}: violations in {questions} questions");
    let own = &counts[OWN_TEXT];
    // A few texts of several brands in one name, or of one drug on two lines, are left: they are printed.
    let lost = own.not_found + own.not_its_own;
    assert!(lost * 2_000 <= own.questions, "{what}: {lost} own texts do not find their own package");
    assert!(own.answered * 100 >= own.questions * 90, "{what}: {} of {} own texts", own.answered, own.questions);
    for spelling in ["order", "upper case", "lower case", "blanks", "strength first", "other unit"] {
        let count = &counts[spelling];
        assert!(count.answered * 100 >= count.questions * 60, "{what}, {spelling}: too little is answered");
    }
    let suffixed = &counts["other suffix"];
    assert!(suffixed.questions > 1_000 && suffixed.answered < suffixed.questions / 2, "{what}: {suffixed:?}");
}

/// The whole made catalogue, in one plan that lists it all.
fn made() -> Catalogue {
    let shape = Shape {
        packages: table_len(),
        listed: table_len(),
        formularies: 1,
        plans: 1,
        list_size: 5_000,
        quirks: Quirks::none(),
        ..Shape::tiny()
    };
    let payer = MadePayer::new(shape);
    let plan = payer.plans().iter().find(|plan| plan.kind == Kind::Ordinary).unwrap().id.to_string();
    let made = Made::formulary(&payer);
    let (mut products, mut of_package, mut places) = (Vec::new(), HashMap::new(), HashMap::new());
    for package in (0..table_len()).filter_map(|index| payer.package(index)) {
        // A row without a unit says too little to compare.
        let Some(facts) = package.facts() else { continue };
        let at = *places.entry(package.product()).or_insert_with(|| {
            products.push(Product {
                name: package.label.name.to_owned(),
                form: package.label.form.to_owned(),
                facts: facts.clone(),
                written: package.written(payer.shape().seed),
            });
            products.len() - 1
        });
        of_package.insert(package.ndc11, at);
    }
    Catalogue { plan: made.plan(&plan), made, products, of_package, homonyms: OnceLock::new() }
}

#[test]
fn no_drug_answers_for_another_in_the_made_catalogue() {
    let counts = made().ask_all("never events, made catalogue");
    judge("the made catalogue", &counts);
}

#[test]
fn no_drug_answers_for_another_in_the_fda_table() {
    let Some(path) = std::env::var_os("COVERDEX_NDC_TABLE") else {
        say(
            "NOT RUN: never events over the FDA's table. Name it in COVERDEX_NDC_TABLE (tests/sandbox/data/README.md).",
        );
        return;
    };
    let counts = fda::catalogue(path.as_ref()).ask_all("never events, FDA table");
    judge("the FDA's table", &counts);
}
