//! Staging as a source: its facts, and what the sync report says of them.

use coverdex_core::{Error, ErrorKind, NetworkKey, PlanId, Result};

use super::directory::ROLE;
use super::reading::{ReadOptions, StagingCounts};
use super::report::{SyncReport, TypeReport, read};
use crate::model::Received;
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

impl Source for Staged<'_> {
    type Counts = (SyncReport, StagingCounts);

    fn read(&self, sink: &(dyn Fn(Vec<Received>) -> Result<()> + Sync)) -> Result<(Seen, Self::Counts)> {
        let (report, counts) = read(self.staging, &self.options, sink)?;
        let name = self.payer.unwrap_or(&report.source).to_owned();
        let seen = Seen {
            as_of: report.as_of.clone(),
            sources: vec![coverdex_core::Source { kind: "fhir".to_owned(), name: Some(name) }],
            missing: missing(&report),
            report: Some(document(&report)?),
        };
        Ok((seen, (report, counts)))
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
    let gap = |complete: bool| (!complete).then_some(FormularyGap::Incomplete);
    let of = report.plans.iter().filter_map(|plan| Some((PlanId::parse(&plan.plan).ok()?, gap(plan.complete))));
    let (asked_for, all) = (report.selection.formulary, report.selection.all_plans());
    let seen = report.types.iter().all(|of| of.complete || !of.is_of_formulary());
    let others = if asked_for && all { gap(seen) } else { Some(FormularyGap::NotSynced) };
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
