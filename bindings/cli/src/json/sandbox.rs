//! `coverdex sandbox --json`: a line at the beginning and one at the end.

use std::collections::BTreeMap;

use coverdex_sandbox::server::{Fault, Options, Requests, Running};
use serde::Serialize;

/// Where it is.
#[derive(Debug, Serialize)]
pub(crate) struct SandboxDocument<'a> {
    event: &'static str,
    base_url: String,
    other_host: &'a str,
    authorize_url: String,
    token_url: String,
    client_id: &'a str,
    /// Of a payer that is made up: it opens nothing.
    client_secret: &'a str,
    redirect_urls: &'a [String],
    members: &'a [String],
    offers: Vec<&'static str>,
    needs: Vec<&'static str>,
    /// As made up as the client's secret.
    api_key: &'a str,
    api_key_header: &'a str,
    faults: Vec<String>,
    seed: u64,
}

impl<'a> SandboxDocument<'a> {
    pub(crate) fn new(running: &'a Running, options: &'a Options, members: &'a [String]) -> Self {
        let auth = running.auth_url();
        Self {
            event: "serving",
            base_url: running.api_url(),
            other_host: running.other_url(),
            authorize_url: format!("{auth}/auth/authorize"),
            token_url: format!("{auth}/auth/token"),
            client_id: &options.client_id,
            client_secret: &options.client_secret,
            redirect_urls: &options.redirect_uris,
            members,
            offers: options.offers.iter().map(|offer| offer.name()).collect(),
            needs: options.needs.iter().map(|need| need.name()).collect(),
            api_key: &options.api_key,
            api_key_header: &options.api_key_header,
            faults: options.faults.specs.iter().map(ToString::to_string).collect(),
            seed: options.faults.seed,
        }
    }
}

/// What was asked, and what went wrong.
#[derive(Debug, Serialize)]
pub(crate) struct SandboxEnd {
    event: &'static str,
    requests: u64,
    connections: u64,
    bytes: u64,
    by_endpoint: BTreeMap<String, u64>,
    other_host: u64,
    fired: BTreeMap<&'static str, u64>,
}

impl SandboxEnd {
    pub(crate) fn new(requests: &Requests, fired: &BTreeMap<Fault, u64>) -> Self {
        Self {
            event: "stopped",
            requests: requests.total,
            connections: requests.connections,
            bytes: requests.bytes,
            by_endpoint: requests.by_endpoint.iter().map(|(at, count)| (at.to_string(), *count)).collect(),
            other_host: requests.other_host,
            fired: fired.iter().map(|(fault, count)| (fault.name(), *count)).collect(),
        }
    }
}

/// What may go wrong, and what may be offered.
#[derive(Debug, Serialize)]
pub(crate) struct SandboxLists {
    pub(crate) faults: Vec<FaultFields>,
    pub(crate) offers: Vec<OfferFields>,
    pub(crate) needs: Vec<NeedFields>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FaultFields {
    pub(crate) name: &'static str,
    pub(crate) must_end: &'static str,
    pub(crate) every: u32,
    pub(crate) about: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct OfferFields {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct NeedFields {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}
