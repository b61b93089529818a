//! What was asked of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Mutex;
use std::time::SystemTime;

use super::locked;
use crate::ResourceType;

/// Where a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Endpoint {
    /// The capability statement.
    Metadata,
    /// `.well-known/smart-configuration`.
    SmartConfiguration,
    /// A search, or a further page of one.
    Search(ResourceType),
    /// A reading by id.
    Read(ResourceType),
    /// A member's coverages.
    Coverage,
    /// Where a member logs in.
    Authorize,
    /// Where a code or a refresh token becomes an access token.
    Token,
    /// Anything else: no client should come here.
    Other,
}

impl Endpoint {
    /// The endpoint of a path.
    pub(super) fn of(path: &str) -> Self {
        match path {
            "/api/metadata" => Self::Metadata,
            "/api/.well-known/smart-configuration" => Self::SmartConfiguration,
            "/api/Coverage" => Self::Coverage,
            "/auth/authorize" => Self::Authorize,
            "/auth/token" => Self::Token,
            _ => {
                let mut parts = path.strip_prefix("/api/").unwrap_or("").split('/');
                let kind = parts.next().and_then(|name| name.parse().ok());
                match (kind, parts.next(), parts.next()) {
                    (Some(kind), None, None) => Self::Search(kind),
                    (Some(kind), Some(id), None) if !id.is_empty() => Self::Read(kind),
                    _ => Self::Other,
                }
            }
        }
    }

    /// The type of resource that it is about.
    #[must_use]
    pub fn kind(self) -> Option<ResourceType> {
        match self {
            Self::Search(kind) | Self::Read(kind) => Some(kind),
            _ => None,
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metadata => f.write_str("/api/metadata"),
            Self::SmartConfiguration => f.write_str("/api/.well-known/smart-configuration"),
            Self::Search(kind) => write!(f, "/api/{kind}"),
            Self::Read(kind) => write!(f, "/api/{kind}/[id]"),
            Self::Coverage => f.write_str("/api/Coverage"),
            Self::Authorize => f.write_str("/auth/authorize"),
            Self::Token => f.write_str("/auth/token"),
            Self::Other => f.write_str("(other)"),
        }
    }
}

/// The counts of requests, answered or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// All that reached the server.
    pub total: u64,
    /// By endpoint; redirected ones count at each address.
    pub by_endpoint: BTreeMap<Endpoint, u64>,
    /// Of these, those with an `Authorization` header.
    pub with_authorization: BTreeMap<Endpoint, u64>,
    /// Requests to the other host, which no client may be led to unless it is told to trust it.
    pub other_host: u64,
    /// Of these, those with an `Authorization` header or the API key's.
    pub other_host_with_authorization: u64,
    /// The most that were under way at one time.
    pub most_at_once: u64,
    /// Connections that were accepted.
    pub connections: u64,
    /// The `User-Agent` headers that were seen; empty for a request without one.
    pub user_agents: BTreeSet<String>,
    /// Bytes of bodies that were sent, compressed where they were.
    pub bytes: u64,
}

impl Requests {
    /// The requests to one endpoint.
    #[must_use]
    pub fn of(&self, endpoint: Endpoint) -> u64 {
        self.by_endpoint.get(&endpoint).copied().unwrap_or(0)
    }
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Its number, from 0 on.
    pub number: u64,
    /// When it came, by the server's clock.
    pub at: SystemTime,
    /// `GET` or another.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Where it went.
    pub endpoint: Endpoint,
    /// The status of the answer; 0 where none was sent.
    pub status: u16,
}

/// Counts and log.
pub(super) struct Counter {
    state: Mutex<State>,
    limit: usize,
}

#[derive(Default)]
struct State {
    requests: Requests,
    at_once: u64,
    log: Vec<LogEntry>,
}

/// What is known of a request when it comes.
pub(super) struct Arrival<'a> {
    pub(super) at: SystemTime,
    pub(super) method: &'a str,
    pub(super) target: &'a str,
    pub(super) endpoint: Endpoint,
    pub(super) authorized: bool,
    pub(super) user_agent: &'a str,
}

impl Counter {
    pub(super) fn new(limit: usize) -> Self {
        Self { state: Mutex::default(), limit }
    }

    pub(super) fn requests(&self) -> Requests {
        locked(&self.state).requests.clone()
    }

    pub(super) fn log(&self) -> Vec<LogEntry> {
        locked(&self.state).log.clone()
    }

    /// The number that the next request will have.
    pub(super) fn next_number(&self) -> u64 {
        locked(&self.state).requests.total
    }

    pub(super) fn connected(&self) {
        locked(&self.state).requests.connections += 1;
    }

    pub(super) fn other_host(&self, authorized: bool) {
        let mut state = locked(&self.state);
        state.requests.other_host += 1;
        state.requests.other_host_with_authorization += u64::from(authorized);
    }

    /// Counts a request and gives it its number.
    pub(super) fn arrive(&self, arrival: &Arrival<'_>) -> u64 {
        let mut state = locked(&self.state);
        let number = state.requests.total;
        state.requests.total += 1;
        *state.requests.by_endpoint.entry(arrival.endpoint).or_default() += 1;
        if arrival.authorized {
            *state.requests.with_authorization.entry(arrival.endpoint).or_default() += 1;
        }
        if !state.requests.user_agents.contains(arrival.user_agent) {
            state.requests.user_agents.insert(arrival.user_agent.to_owned());
        }
        state.at_once += 1;
        state.requests.most_at_once = state.requests.most_at_once.max(state.at_once);
        if state.log.len() < self.limit {
            state.log.push(LogEntry {
                number,
                at: arrival.at,
                method: arrival.method.to_owned(),
                target: arrival.target.to_owned(),
                endpoint: arrival.endpoint,
                status: 0,
            });
        }
        number
    }

    /// Counts that a request is done. `status` is 0 where no answer was sent.
    pub(super) fn leave(&self, number: u64, status: u16, bytes: usize) {
        let mut state = locked(&self.state);
        state.at_once -= 1;
        state.requests.bytes += bytes as u64;
        if let Some(entry) = usize::try_from(number).ok().and_then(|number| state.log.get_mut(number)) {
            entry.status = status;
        }
    }
}
