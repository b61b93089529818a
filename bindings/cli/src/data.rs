//! The datasets that a command answers from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use coverdex_core::build::format::{CRAWL, DATABASE};
use coverdex_core::{CountyFound, Dataset, Error, ErrorKind, Place, Plan, ResolvedPlan, Result};
use coverdex_sync::fetch::{Crawl, Received, SyncReport};
use serde::Deserialize;

/// Where the dataset is when nothing is said.
const USUAL: &str = "index-data/current";

/// The variable that names datasets, separated as in `PATH`.
const VARIABLE: &str = "COVERDEX_DATA";

/// An open dataset and the path it was asked for by.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) dataset: Dataset,
}

/// What is remembered of how a dataset came about: beside it, and no part of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Way {
    /// How the last reading of the payer went.
    #[serde(rename = "sync")]
    pub(crate) reading: Option<Reading>,
    /// What the payer has, and what is here of it: part of the dataset.
    #[serde(skip)]
    pub(crate) report: Option<SyncReport>,
    /// What came.
    pub(crate) received: BTreeMap<String, Received>,
    /// Everything that is remembered.
    #[serde(skip)]
    pub(crate) all: Option<serde_json::Value>,
}

/// How a reading of the payer went.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Reading {
    pub(crate) base: String,
    pub(crate) generation: u32,
    pub(crate) changes_only: bool,
    pub(crate) requests: u64,
    pub(crate) retries: u64,
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
    pub(crate) firewall_pages: u64,
    pub(crate) restarts: BTreeMap<String, Vec<String>>,
}

impl From<&Crawl> for Reading {
    fn from(crawl: &Crawl) -> Self {
        Self {
            base: crawl.base.clone(),
            generation: crawl.generation,
            changes_only: crawl.changes_only,
            requests: crawl.requests,
            retries: crawl.retries,
            bytes: crawl.bytes,
            seconds: crawl.seconds,
            firewall_pages: crawl.firewall_pages,
            restarts: crawl.restarts.clone(),
        }
    }
}

impl Opened {
    /// What is remembered is empty where nothing can be read of it: answers do not depend on it.
    pub(crate) fn way(&self) -> Result<Way> {
        let all = std::fs::read(self.dataset.folder().join(CRAWL)).ok();
        let all = all.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
        let way = all.as_ref().and_then(|all| Way::deserialize(all).ok()).unwrap_or_default();
        let damaged = |error: serde_json::Error| Error::damaged(DATABASE, format!("sync report: {error}"));
        let report =
            self.dataset.sync_report()?.map(|text| serde_json::from_str(&text)).transpose().map_err(damaged)?;
        Ok(Way { report, all, ..way })
    }
}

/// All of them, in the order given, each once.
#[derive(Debug)]
pub(crate) struct Datasets {
    opened: Vec<Opened>,
}

/// A plan that was meant, and the dataset that has it.
#[derive(Clone, Debug)]
pub(crate) struct MeantPlan<'a> {
    pub(crate) opened: &'a Opened,
    pub(crate) plan: Plan,
    /// How the text was read, and where else the plan is.
    pub(crate) notes: Vec<String>,
}

impl MeantPlan<'_> {
    /// The plan as core resolved it.
    pub(crate) fn resolved(&self) -> ResolvedPlan {
        ResolvedPlan::new(self.plan.clone(), self.notes.clone())
    }
}

/// The paths that the options, or the environment, or nothing names.
pub(crate) fn paths(options: &[PathBuf]) -> Vec<PathBuf> {
    if !options.is_empty() {
        return options.to_vec();
    }
    let named = std::env::var_os(VARIABLE).unwrap_or_default();
    let named: Vec<PathBuf> = std::env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).collect();
    if named.is_empty() { vec![PathBuf::from(USUAL)] } else { named }
}

impl Datasets {
    pub(crate) fn open(options: &[PathBuf]) -> Result<Self> {
        let mut opened: Vec<Opened> = Vec::new();
        for path in paths(options) {
            let dataset = Dataset::open(&path)?;
            if !opened.iter().any(|other| other.dataset.manifest().dataset == dataset.manifest().dataset) {
                opened.push(Opened { path, dataset });
            }
        }
        Ok(Self { opened })
    }

    pub(crate) fn all(&self) -> &[Opened] {
        &self.opened
    }

    /// Whether answers must say which dataset they are from.
    pub(crate) fn several(&self) -> bool {
        self.opened.len() > 1
    }

    /// The plans that a text means, in the first dataset that has one.
    pub(crate) fn resolve_plan(&self, text: &str) -> Result<Vec<MeantPlan<'_>>> {
        self.resolve_plan_in(text, |_| Ok(Vec::new()))
    }

    /// As [`Self::resolve_plan`]; the place tells a plan's segment.
    pub(crate) fn resolve_plan_at(&self, text: &str, place: Option<&Place>) -> Result<Vec<MeantPlan<'_>>> {
        self.resolve(text, |dataset| dataset.resolve_plan_at(text, place))
    }

    /// As [`Self::resolve_plan`], for a question about the counties that each dataset gives.
    pub(crate) fn resolve_plan_in(
        &self,
        text: &str,
        counties: impl Fn(&Dataset) -> Result<Vec<CountyFound>>,
    ) -> Result<Vec<MeantPlan<'_>>> {
        self.resolve(text, |dataset| dataset.resolve_plan_in(text, &counties(dataset)?))
    }

    fn resolve(&self, text: &str, ask: impl Fn(&Dataset) -> Result<Vec<ResolvedPlan>>) -> Result<Vec<MeantPlan<'_>>> {
        let mut found: Vec<MeantPlan<'_>> = Vec::new();
        let mut refused: Option<Error> = None;
        for opened in &self.opened {
            match ask(&opened.dataset) {
                Ok(resolved) if found.is_empty() => {
                    found.extend(resolved.into_iter().map(|resolved| MeantPlan {
                        opened,
                        plan: resolved.plan,
                        notes: resolved.notes,
                    }));
                }
                Ok(_) => {
                    let note = format!("{text} is in {} too, not asked there", opened.path.display());
                    found.iter_mut().take(1).for_each(|meant| meant.notes.push(note.clone()));
                }
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Ambiguous) => {
                    refused = Some(match refused {
                        Some(earlier) if self.several() => closest(earlier, error),
                        _ => error,
                    });
                }
                Err(error) => return Err(error),
            }
        }
        if found.is_empty() { Err(refused.unwrap_or_else(|| no_datasets(text))) } else { Ok(found) }
    }
}

/// Of what two datasets say of a plan that neither answers for: an ambiguity before an absence, with
/// the candidates of both.
fn closest(one: Error, other: Error) -> Error {
    let (first, second) = if other.kind() == ErrorKind::Ambiguous { (other, one) } else { (one, other) };
    if first.kind() == ErrorKind::Ambiguous {
        return first;
    }
    let mut candidates = first.candidates().to_vec();
    candidates.extend(second.candidates().iter().filter(|c| !first.candidates().contains(c)).cloned());
    first.with_candidates(candidates)
}

fn no_datasets(text: &str) -> Error {
    Error::new(ErrorKind::DatasetMissing, format!("plan {text}"), "no dataset to answer from")
}
