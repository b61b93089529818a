//! Whatever is wrong with a dataset is a clear error of `open`, of `verify` or of the call that meets
//! it: never a panic, and the former dataset still answers.

mod damages;
mod errors;
mod files;
mod flips;
mod install;
mod killed;
mod random;
mod round;
mod store;
mod swapped;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use coverdex_core::{Dataset, Drug, DrugSearch, Plan, PlanFilter};
use coverdex_core::{Near, ProviderSearch};
use coverdex_core::{NetworkKind, Npi, State};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_tests::Made;

/// Questions and what they were answered.
type Answers = BTreeMap<String, Result<String, String>>;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs something that may meet a panic inside the library, which is then shown to nobody; `None` if a
/// panic came out.
fn without_noise<T>(run: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    QUIET.set(true);
    let ran = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    ran.ok()
}

/// A made payer whose dataset is larger than what is hashed at every open.
fn payer() -> MadePayer {
    MadePayer::new(Shape { packages: 700, listed: 500, list_size: 200, ..Shape::tiny() })
}

fn made() -> Made {
    Made::payer(&payer())
}

/// Files of a dataset, as paths inside it.
fn paths(dataset: &Path) -> Vec<String> {
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(dataset.join("manifest.json")).unwrap()).unwrap();
    let files = manifest["files"].as_array().unwrap().iter();
    let mut paths: Vec<String> = files.map(|file| file["path"].as_str().unwrap().to_owned()).collect();
    paths.push("manifest.json".to_owned());
    paths
}

/// An answer without where the dataset lies and what it is called: the same content elsewhere, or under another
/// manifest, answers alike.
fn without_its_place(dataset: &Dataset, answer: &str) -> String {
    let folder = dataset.folder().display().to_string();
    let answer = answer.replace(&folder, "FOLDER").replace(&dataset.manifest().dataset, "ID");
    // A page token belongs to one dataset; what stands behind the dot is the place in the list.
    let mut parts = answer.split("PageToken { text: \"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "PageToken { text: \"TOKEN" + part.find('.').map_or(part, |dot| &part[dot..]))
}

/// Questions of every kind, and what each was answered: the answer in full, or the error.
fn answers(dataset: &Dataset) -> Answers {
    let mut all = Answers::default();
    let mut note = |question: String, answer: coverdex_core::Result<String>| {
        let answer = answer.map(|answer| without_its_place(dataset, &answer));
        all.insert(question, answer.map_err(|error| format!("{}: {error}", error.kind().as_str())));
    };
    let plans = dataset.plans(&PlanFilter::default());
    // How long a build took is remembered beside the dataset, and is no part of it.
    let without_its_way = |mut info: coverdex_core::Info| {
        info.crawl = None;
        format!("{info:?}")
    };
    note("info".to_owned(), dataset.info().map(without_its_way));
    for plan in plans.iter().flatten() {
        let p = plan;
        let known = (&p.name, &p.types, &p.audience, p.offered, &p.networks, p.drugs, p.lists, p.expected, p.gaps);
        note(format!("plan {}", p.id), Ok(format!("{known:?}")));
    }
    let ids = |plans: &Vec<Plan>| plans.iter().map(|plan| plan.id.to_string()).collect::<Vec<_>>().join(" ");
    note("plans".to_owned(), plans.as_ref().map(ids).map_err(Clone::clone));
    let plans = plans.unwrap_or_default();
    let texts = [
        "00093444301",
        "0143-1267-01",
        "0143-1268",
        "9047514",
        "9639595",
        "9900000",
        "lisinopril 10 mg",
        "gabapentin",
        "metformin 500 mg",
        "nothing of this name",
    ];
    for text in texts {
        let drug = dataset.drug(text);
        let means = |drug: &Drug| format!("{:?} {:?} {:?}", drug.resolution(), drug.title(), drug.candidates());
        note(format!("drug {text}"), drug.as_ref().map(means).map_err(Clone::clone));
        let Ok(drug) = drug else { continue };
        for plan in plans.iter().step_by(3) {
            let question = format!("{} {text}", plan.id);
            note(format!("coverage {question}"), dataset.coverage(plan, &drug).map(|answer| format!("{answer:?}")));
            let packages = dataset.package_coverage(plan, &drug);
            note(format!("packages {question}"), packages.map(|answer| format!("{answer:?}")));
        }
    }
    for text in ["lis", "gabapentin 300", "metfromin", "tablet", "0143-12", "9047514"] {
        for plan in std::iter::once(None).chain(plans.first().map(Some)) {
            let found = dataset.search_drugs(&DrugSearch {
                text: text.to_owned(),
                limit: 12,
                plan: plan.cloned(),
                codes: true,
                ..DrugSearch::default()
            });
            let question = format!("search {text} {:?}", plan.map(|plan| plan.id.to_string()));
            note(question, found.map(|answer| format!("{answer:?}")));
        }
    }
    note("counties of a ZIP".to_owned(), dataset.counties("40507").map(|found| format!("{found:?}")));
    let searches = [
        ProviderSearch { limit: 15, ..ProviderSearch::default() },
        ProviderSearch { limit: 15, name: Some("ma".to_owned()), ..ProviderSearch::default() },
        ProviderSearch { limit: 15, network_kind: Some(NetworkKind::Pharmacy), ..ProviderSearch::default() },
        ProviderSearch {
            limit: 15,
            accepting: true,
            near: Near::State(State::from_name("KY").unwrap()),
            ..ProviderSearch::default()
        },
    ];
    for search in searches {
        let found = dataset.search_providers(&search);
        let npis: Vec<Npi> =
            found.iter().flat_map(|found| &found.results).filter_map(|result| result.npi).take(4).collect();
        note(format!("providers {search:?}"), found.map(|found| format!("{found:?}")));
        for npi in npis {
            note(format!("provider {npi}"), dataset.provider(npi).map(|provider| format!("{provider:?}")));
            if let Some(plan) = plans.first() {
                let standing = dataset.plan_network_status(npi, plan, None);
                note(format!("standing {npi}"), standing.map(|answer| format!("{answer:?}")));
            }
        }
    }
    all
}
