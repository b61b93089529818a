//! The ledger: figures that must hold (`tests/budgets.toml`), and the product beside a textbook's layout of the same payer
//! in the same run.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use coverdex_core::build::format::Manifest;
use coverdex_core::{Dataset, DrugSearch, Error, Near, Plan, ProviderSearch, Result};

use crate::book::{self, Book};
use crate::drugs::{self, Catalogue};
use crate::measure::{self, Draw, print};
use crate::providers::{self, Question};

/// Figures by name.
pub(crate) type Figures = BTreeMap<String, f64>;

/// Bytes by part, and a practice location.
pub(crate) fn sizes(manifest: &Manifest, places: u64, figures: &mut Figures) {
    #[allow(clippy::cast_precision_loss, reason = "figures have three digits")]
    let number = |count: u64| count as f64;
    let of = |is_of: &dyn Fn(&str) -> bool| {
        number(manifest.files.iter().filter(|file| is_of(&file.path)).map(|file| file.length).sum::<u64>())
    };
    let is_directory = |path: &str| path.starts_with("providers/");
    figures.insert("bytes.all".to_owned(), of(&|_| true));
    figures.insert("bytes.directory".to_owned(), of(&is_directory));
    figures.insert("bytes.drugs".to_owned(), of(&|path| !is_directory(path)));
    figures.insert("bytes.a_place".to_owned(), of(&is_directory) / number(places.max(1)));
}

/// The median of both, each call of one beside a call of the other; the figure is how many times faster the first is.
fn pair(name: &str, calls: usize, figures: &mut Figures, mut ask: impl FnMut(usize) -> Result<Both>) -> Result<()> {
    let (mut ours, mut others, mut found) = (Vec::new(), Vec::new(), [0; 2]);
    for number in 0..calls + calls / 10 {
        let (of_ours, our, of_others, other) = ask(number)?;
        if number >= calls / 10 {
            found = [found[0] + of_ours, found[1] + of_others];
            ours.push(our);
            others.push(other);
        }
    }
    ours.sort_unstable();
    others.sort_unstable();
    let ratio = measure::percentile(&others, 50) / measure::percentile(&ours, 50).max(0.001);
    print(&format!(
        "{name:<52} {ratio:>8.1} times faster: p50 {:.1} µs against {:.1}, p99 {:.1} against {:.1}; found {} and {}",
        measure::percentile(&ours, 50),
        measure::percentile(&others, 50),
        measure::percentile(&ours, 99),
        measure::percentile(&others, 99),
        found[0],
        found[1]
    ));
    if found.contains(&0) {
        return Err(Error::invalid("bench", format!("{name}: nothing was found, so nothing was measured")));
    }
    figures.insert(format!("faster.{}", name.replace(' ', "_")), ratio);
    Ok(())
}

/// What was found by one and in which time, and by the other.
type Both = (usize, Duration, usize, Duration);

const NOTHING: Both = (0, Duration::ZERO, 0, Duration::ZERO);

fn timed<T>(call: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let begun = Instant::now();
    let got = call()?;
    Ok((got, begun.elapsed()))
}

/// Asks both the four main questions.
pub(crate) fn against(dataset: &Dataset, book: &Book, figures: &mut Figures) -> Result<()> {
    let plans = drugs::listed_plans(dataset)?;
    let plan = plans.first().ok_or_else(|| Error::invalid("bench", "no plan has a formulary"))?;
    let catalogue = Catalogue::of(dataset, plan)?;
    let names: Vec<(Plan, String)> = plans.iter().map(|plan| (plan.clone(), plan.id.to_string())).collect();
    let mut draw = Draw::new(7);
    pair("coverage by NDC", 5_000, figures, |_| {
        let (Some((plan, name)), Some(code)) = (draw.one(&names), draw.one(&catalogue.packages)) else {
            return Ok(NOTHING);
        };
        let (ours, our) = timed(|| Ok(dataset.package_coverage(plan, &dataset.drug(code)?)?.len()))?;
        let ndc = code.parse().unwrap_or_default();
        let (others, other) = timed(|| book.coverage(name, ndc))?;
        Ok((ours, our, others, other))
    })?;
    let typed = drugs::typed();
    pair("drug search while typing", 2_000, figures, |_| {
        let text = draw.one(&typed).copied().unwrap_or_default();
        let search = DrugSearch { text: text.to_owned(), limit: 10, codes: false, ..DrugSearch::default() };
        let (ours, our) = timed(|| Ok(dataset.search_drugs(&search)?.lines.len()))?;
        let (others, other) = timed(|| book.drugs(text))?;
        Ok((ours, our, others, other))
    })?;
    let total = dataset.search_providers(&ProviderSearch::default())?.total;
    let questions = providers::questions(dataset, total)?;
    pair("providers near a county", 400, figures, |_| near(dataset, book, draw.one(&questions)))?;
    let letters: Vec<usize> = (2..=6).collect();
    pair("provider name while typing", 1_000, figures, |_| {
        names_of(dataset, book, draw.one(&questions), draw.one(&letters).copied().unwrap_or(2))
    })
}

fn near(dataset: &Dataset, book: &Book, question: Option<&Question>) -> Result<Both> {
    let Some(question) = question else { return Ok(NOTHING) };
    let Near::County { center, radius_km, .. } = question.near else { return Ok(NOTHING) };
    let search = ProviderSearch {
        near: question.near,
        networks: Some(question.networks.clone()),
        specialty: Some(question.specialty.clone()),
        limit: 20,
        ..ProviderSearch::default()
    };
    let (ours, our) = timed(|| Ok(dataset.search_providers(&search)?.total))?;
    let network = question.networks.first().map(ToString::to_string).unwrap_or_default();
    let asked = book::Near { center, radius_km, network: &network, specialty: &question.specialty };
    let (others, other) = timed(|| book.near(&asked))?;
    Ok((usize::try_from(ours).unwrap_or(usize::MAX), our, others, other))
}

fn names_of(dataset: &Dataset, book: &Book, question: Option<&Question>, letters: usize) -> Result<Both> {
    let Some(question) = question else { return Ok(NOTHING) };
    let typed: String = question.name.chars().take(letters).collect();
    let search = ProviderSearch {
        near: question.near,
        networks: Some(question.networks.clone()),
        name: Some(typed.clone()),
        limit: 10,
        ..ProviderSearch::default()
    };
    let (ours, our) = timed(|| Ok(dataset.search_providers(&search)?.results.len()))?;
    let network = question.networks.first().map(ToString::to_string).unwrap_or_default();
    let county = question.county.parse().unwrap_or_default();
    let (others, other) = timed(|| book.names(&typed, &network, county))?;
    Ok((ours, our, others, other))
}

/// What asking takes of memory.
pub(crate) fn memory(figures: &mut Figures) {
    figures.insert("memory.asking_mb".to_owned(), measure::private_memory_mb());
}

/// Compares figures with what they must be: `[most]` and `[least]`, by the same names. Every limit must have its figure.
pub(crate) fn judge(budgets: &Path, figures: &Figures) -> Result<()> {
    let text = std::fs::read_to_string(budgets).map_err(|error| Error::io(budgets, &error))?;
    let limits: BTreeMap<String, BTreeMap<String, f64>> = toml::from_str(&text)
        .map_err(|error| Error::invalid(budgets.display().to_string(), error.message().to_owned()))?;
    let mut broken = Vec::new();
    for (side, limits) in &limits {
        for (name, limit) in limits {
            let is_kept = |figure: f64| match side.as_str() {
                "most" => figure <= *limit,
                "least" => figure >= *limit,
                _ => false,
            };
            let figure = figures.get(name).copied();
            let kept = figure.is_some_and(is_kept);
            let told = figure.map_or_else(|| "not measured".to_owned(), |figure| format!("{figure:.1}"));
            print(&format!("{} {name:<36} {told:>14}   at {side} {limit}", if kept { "kept  " } else { "BROKEN" }));
            if !kept {
                broken.push(name.clone());
            }
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(Error::invalid("budgets", format!("not kept: {}", broken.join(", ")))) }
}
