//! `coverdex sync --dry-run`: what a sync would cost.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use coverdex_core::Result;
use coverdex_core::build::words::thousands;
use coverdex_sync::fetch::{Config, Estimate, Network, Rate, Selection, SystemClock, TypeEstimate, estimate};

use crate::failure::Exit;
use crate::json::{Document, EstimateDocument};
use crate::output::{Look, Output};
use crate::{payer, table, words};

/// From so many seconds on choosing a part is advised.
const LONG: f64 = 12.0 * 3600.0;

/// What stands where nothing is known.
const NOTHING: &str = "–";

pub(super) fn run(config: Config, selection: &Selection, staging: Option<&Path>, output: Output) -> Result<Exit> {
    let network = Arc::new(Network::new(&config)?);
    let (base, rate) = (config.base.to_string(), config.rate);
    let estimated = payer::wait(async {
        payer::reach(&config, network.as_ref()).await?;
        estimate(config.clone(), selection, staging, network.clone(), Arc::new(SystemClock::default())).await
    })?;
    output.answer(
        || Document::of(&EstimateDocument::new(&base, selection, &estimated)),
        |look| render(look, &base, selection, rate, &estimated),
    )?;
    Ok(Exit::Answered)
}

fn render(look: Look, base: &str, selection: &Selection, rate: Rate, estimated: &Estimate) -> String {
    let mut list = table::list(look, &["Resources", "How many", "Requests", "Size", "From"]);
    let or_nothing = |number: Option<String>| table::number(number.unwrap_or_else(|| NOTHING.to_owned()));
    for of_type in &estimated.types {
        let TypeEstimate { resource_type, count, from, requests, bytes } = of_type;
        list.add_row([
            table::text(resource_type),
            or_nothing(count.map(thousands)),
            or_nothing(requests.map(thousands)),
            or_nothing(bytes.map(words::bytes)),
            table::text(from),
        ]);
    }
    table::unbroken(&mut list, 0);
    let plans = words::count(estimated.plans, "plan", "plans");
    let of_all = if estimated.plans < estimated.known_plans {
        format!("{plans} of {} that the payer has", thousands(estimated.known_plans))
    } else {
        plans
    };
    let mut text = words::shown(&format!("A sync of {base}: {of_all}\n")) + &table::render(&list);
    let at_least = if estimated.unknown.is_empty() { "" } else { "at least " };
    let sum = format!(
        "In all {at_least}{} and {}, {at_least}{}.",
        words::count(estimated.requests, "request", "requests"),
        words::bytes(estimated.bytes),
        time(rate, estimated.seconds),
    );
    text += &table::wrap(look, &sum, "  ");
    if !estimated.unknown.is_empty() {
        let untold = format!("Not counted, since nothing tells how many: {}.", estimated.unknown.join(", "));
        text += &table::wrap(look, &untold, "  ");
    }
    if estimated.seconds.is_some_and(|seconds| seconds > LONG) && selection.all_plans() {
        text +=
            &table::wrap(look, "Choose plans with --plan, or a part with --state, --formulary or --directory.", "  ");
    }
    let _ = writeln!(text, "Nothing was kept. Without --dry-run it begins, and goes on where it was interrupted.");
    text
}

fn time(rate: Rate, seconds: Option<f64>) -> String {
    match (rate, seconds) {
        (Rate::PerSecond(rate), Some(seconds)) => format!("{} at {rate} requests a second", about(seconds)),
        _ => "as fast as the server answers (the rate is off)".to_owned(),
    }
}

/// `about 3 days`, `about 5 minutes`.
fn about(seconds: f64) -> String {
    for (name, of, from) in [("day", 86_400.0, 1.5), ("hour", 3_600.0, 1.5), ("minute", 60.0, 1.5)] {
        if seconds >= of * from {
            return format!("about {:.0} {name}s", seconds / of);
        }
    }
    if seconds < 1.5 { "about a second".to_owned() } else { format!("about {seconds:.0} seconds") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Look = Look { width: 200, color: false };

    #[test]
    fn times_are_told_roughly() {
        for (seconds, told) in [
            (0.2, "about a second"),
            (40.0, "about 40 seconds"),
            (100.0, "about 2 minutes"),
            (5_000.0, "about 83 minutes"),
            (7_200.0, "about 2 hours"),
            (270_000.0, "about 3 days"),
        ] {
            assert_eq!(about(seconds), told);
        }
    }

    #[test]
    fn long_ones_are_advised_to_choose_a_part() {
        let estimated = Estimate {
            plans: 1_500,
            known_plans: 1_500,
            types: vec![
                TypeEstimate {
                    resource_type: "MedicationKnowledge".to_owned(),
                    count: Some(50_000_000),
                    from: "the Lists of 5 of 1500 plans".to_owned(),
                    requests: Some(1_000_000),
                    bytes: Some(75_000_000_000),
                },
                TypeEstimate { resource_type: "Location".to_owned(), ..TypeEstimate::default() },
            ],
            requests: 1_036_800,
            bytes: 75_000_000_000,
            seconds: Some(259_200.0),
            unknown: vec!["Location".to_owned()],
        };
        let selection = Selection::default();
        let text = render(LOOK, "https://a.example/api", &selection, Rate::PerSecond(4.0), &estimated);
        for part in [
            "1,500 plans",
            "50,000,000",
            "In all at least 1,036,800 requests and 75.00 GB, at least about 3 days at 4 requests a second.",
            "nothing tells how many: Location",
            "Choose plans with --plan",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let one = Selection { plans: vec!["H1234-567".to_owned()], ..Selection::default() };
        assert!(!render(LOOK, "https://a.example/api", &one, Rate::Off, &estimated).contains("--plan"));
    }
}
