//! How soon a call ends once its token is cancelled.

use std::time::{Duration, Instant};

use coverdex_core::{Cancel, Dataset, DrugSearch, Error, ErrorKind, MatrixQuestion, Near, ProviderSearch, Result};

use crate::measure::print;

/// Cancels each of the longest questions at moments spread over the time that it takes.
pub(crate) fn run(dataset: &Dataset) -> Result<()> {
    let plans: Vec<String> = dataset.all_plans()?.iter().map(|plan| plan.id.to_string()).collect();
    let drugs = ["atorvastatin 20 mg", "metformin 500 mg", "eliquis 5 mg", "lisinopril 10 mg"].map(str::to_owned);
    let matrix = MatrixQuestion { drugs: drugs.to_vec(), plans, ..MatrixQuestion::default() };
    let anywhere = ProviderSearch { near: Near::Anywhere, limit: 20, ..ProviderSearch::default() };
    let named = ProviderSearch { name: Some("a".to_owned()), count_similar: true, ..anywhere.clone() };
    let misspelt = ProviderSearch { name: Some("qwertzuiop asdfgh".to_owned()), ..named.clone() };
    let typed = DrugSearch { text: "a".to_owned(), limit: 10_000, codes: true, ..DrugSearch::default() };
    latency("everyone anywhere, 20 results", dataset, &|own| own.search_providers(&anywhere).map(drop))?;
    latency("a name of one letter anywhere", dataset, &|own| own.search_providers(&named).map(drop))?;
    latency("a name that nobody has, with what is like it", dataset, &|own| own.search_providers(&misspelt).map(drop))?;
    latency("four drugs x all plans", dataset, &|own| own.coverage_matrix(&matrix).map(drop))?;
    latency("drugs by one letter, all of them", dataset, &|own| own.search_drugs(&typed).map(drop))?;
    latency("sizes of all tables", dataset, &|own| own.sizes().map(drop))
}

fn latency(what: &str, dataset: &Dataset, ask: &(dyn Fn(&Dataset) -> Result<()> + Sync)) -> Result<()> {
    ask(dataset)?;
    let begun = Instant::now();
    ask(dataset)?;
    let whole = begun.elapsed();
    let mut late: Vec<Duration> = Vec::new();
    let mut ended = 0;
    for share in 1..=40_u32 {
        let cancel = Cancel::new();
        let own = dataset.cancelled_by(&cancel);
        let (result, cancelled, returned) = std::thread::scope(|scope| {
            let asking = scope.spawn(move || (ask(&own), Instant::now()));
            std::thread::sleep(whole * share / 42);
            let cancelled = Instant::now();
            cancel.cancel();
            let (result, returned) = asking.join().unwrap_or_else(|_| (Ok(()), Instant::now()));
            (result, cancelled, returned)
        });
        match result {
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                late.push(returned.saturating_duration_since(cancelled));
            }
            Ok(()) => ended += 1,
            Err(error) => return Err(error),
        }
    }
    late.sort_unstable();
    let micros = |at: usize| late.get(at).map_or(0.0, |late| late.as_secs_f64() * 1e6);
    let worst = late.len().saturating_sub(1);
    print(&format!(
        "{what:<48} whole {:>10.0} us, cancelled {} of 40 times, ended {ended}: returns after p50 {:.0} us, at most {:.0} us",
        whole.as_secs_f64() * 1e6,
        late.len(),
        micros(late.len() / 2),
        micros(worst),
    ));
    if late.is_empty() && ended == 0 { Err(Error::invalid("bench", "nothing was measured")) } else { Ok(()) }
}
