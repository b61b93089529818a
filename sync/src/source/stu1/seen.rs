//! Staging as a source: its facts, and what the sync report says of them.

use std::sync::{Mutex, PoisonError};

use coverdex_core::{Error, ErrorKind, NetworkKey, PlanId, Result};

use super::directory::ROLE;
use super::formulary::ENTRY;
use super::half::Half;
use super::reading::{ReadOptions, StagingCounts, read_staging_of};
use super::report::{SyncReport, TypeReport, read};
use crate::model::{Content, Received, ResourceKind, SourceId};
use crate::source::{ByKey, FormularyGap, Missing, Seen, Source};
use crate::staging::Staging;

/// A payer's answers in staging.
pub struct Staged<'a> {
    /// Where they are.
    pub staging: &'a Staging,
    /// How they are read.
    pub options: ReadOptions<'a>,
    /// The payer's name, for the manifest; if not given, its base address.
    pub payer: Option<&'a str>,
}

/// A half of a dataset as an earlier generation of staging saw it, the rest as it is now.
pub struct Joined<'a> {
    /// What is now.
    pub now: Staged<'a>,
    /// The half that is of an earlier generation.
    pub half: Half,
    /// The staging folder as it was then.
    pub then: &'a Staging,
    /// When what is now was read.
    pub as_of: &'a str,
    /// When that half was read.
    pub then_as_of: &'a str,
}

impl Source for Staged<'_> {
    type Counts = (SyncReport, StagingCounts);

    fn read(&self, sink: &(dyn Fn(Vec<Received>) -> Result<()> + Sync)) -> Result<(Seen, Self::Counts)> {
        let (report, counts) = read(self.staging, &self.options, sink)?;
        Ok((self.seen(&report)?, (report, counts)))
    }
}

impl Joined<'_> {
    /// Whether plans say now what they said then: what links the halves must be of both times.
    ///
    /// # Errors
    /// As reading staging.
    pub fn fits(&self) -> Result<bool> {
        Ok(plans(self.now.staging)? == plans(self.then)?)
    }
}

/// What all plans say, whatever the order and the time of their writing.
fn plans(staging: &Staging) -> Result<Vec<(SourceId, Content)>> {
    let all = Mutex::new(Vec::new());
    let options = ReadOptions { threads: 1, progress: None };
    read_staging_of(staging, &[ResourceKind::Plan], &options, |batch| {
        let plans = batch.into_iter().map(|plan| (plan.source, plan.content));
        all.lock().unwrap_or_else(PoisonError::into_inner).extend(plans);
        Ok(())
    })?;
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|(source, _)| source.0);
    all.dedup();
    Ok(all)
}

impl Source for Joined<'_> {
    type Counts = (SyncReport, StagingCounts);

    fn read(&self, sink: &(dyn Fn(Vec<Received>) -> Result<()> + Sync)) -> Result<(Seen, Self::Counts)> {
        let options = &self.now.options;
        // What a page brought is all of one half.
        let of_half = |batch: &[Received]| batch.first().is_some_and(|first| self.half.has_kind(first.kind));
        let (now, mut counts) =
            read(self.now.staging, options, |batch| if of_half(&batch) { Ok(()) } else { sink(batch) })?;
        let (then, of_then) = read(self.then, options, |batch| if of_half(&batch) { sink(batch) } else { Ok(()) })?;
        counts.take(self.half, of_then);
        let then = SyncReport { as_of: Some(self.then_as_of.to_owned()), ..then };
        let now = SyncReport { as_of: Some(self.as_of.to_owned()), ..now };
        let report = now.with_former(self.half, then);
        Ok((self.now.seen(&report)?, (report, counts)))
    }
}

impl Staged<'_> {
    /// What a report says of what was seen.
    fn seen(&self, report: &SyncReport) -> Result<Seen> {
        let name = self.payer.unwrap_or(&report.source).to_owned();
        let later = report.former.as_ref().zip(report.as_of.clone());
        Ok(Seen {
            as_of: report.former.as_ref().map(|former| former.as_of.clone()).or_else(|| report.as_of.clone()),
            later: later.map(|(former, as_of)| (former.half.other().part().to_owned(), as_of)).into_iter().collect(),
            sources: vec![coverdex_core::Source { kind: "fhir".to_owned(), name: Some(name) }],
            missing: missing(report),
            report: Some(document(report)?),
        })
    }
}

/// The report as a dataset holds it: without the payer's address, which is among the sources.
fn document(report: &SyncReport) -> Result<String> {
    let report = SyncReport { source: String::new(), ..report.clone() };
    serde_json::to_string(&report).map_err(|error| Error::new(ErrorKind::Io, "sync report", error.to_string()))
}

/// What the sync report says was not seen, in the words of a build.
fn missing(report: &SyncReport) -> Missing {
    Missing { formularies: formularies(report), networks: networks(report) }
}

fn formularies(report: &SyncReport) -> ByKey<PlanId, FormularyGap> {
    let gap = |complete: bool, lists_complete: bool| match (complete, lists_complete) {
        (true, _) => None,
        (false, true) => Some(FormularyGap::Incomplete),
        (false, false) => Some(FormularyGap::ListsIncomplete),
    };
    let of = report
        .plans
        .iter()
        .filter_map(|plan| Some((PlanId::parse(&plan.plan).ok()?, gap(plan.complete, plan.lists_complete))));
    let (asked_for, all) = (report.selection.formulary, report.selection.all_plans());
    let seen = report.types.iter().all(|of| of.complete || !of.is_of_formulary());
    let lists_seen = report.types.iter().all(|of| of.complete || of.resource_type == ENTRY || !of.is_of_formulary());
    let others = if asked_for && all { gap(seen, lists_seen) } else { Some(FormularyGap::NotSynced) };
    ByKey { of: of.collect(), others }
}

fn networks(report: &SyncReport) -> ByKey<NetworkKey, String> {
    // A place that is missing hides nobody from a network.
    let hides = |of: &&TypeReport| of.is_of_directory() && !of.complete && of.resource_type != "Location";
    let troubled = report.types.iter().find(hides);
    let without_roles = report.types.iter().any(|of| of.resource_type == ROLE && of.distinct == 0);
    let trouble = troubled.map(|of| {
        let reason = of.reasons.first().map_or("not read", String::as_str);
        format!("the directory is incomplete: {}: {reason}", of.resource_type)
    });
    let trouble = trouble.or_else(|| without_roles.then(|| "the payer publishes no roles".to_owned()));
    let filtered = || "the sync read chosen roles of it only".to_owned();
    let of = report.networks.iter().filter_map(|network| {
        let key = NetworkKey::new(&network.system, &network.id).ok()?;
        let own = (!network.complete).then(|| {
            let reason = network.reasons.first().map_or("not read", String::as_str);
            format!("the directory is incomplete: {reason}")
        });
        Some((key, own.or_else(|| trouble.clone()).or_else(|| network.filtered.then(filtered))))
    });
    let left_out = (report.selection.by_network()).then(|| "the sync left it out".to_owned());
    let chosen_only = report.selection.active_only.then(filtered);
    ByKey { of: of.collect(), others: trouble.clone().or(left_out).or(chosen_only) }
}
