//! Reading a payer over the network into staging: queries, pages, cursors and manners, no drugs and
//! no providers. What the resources mean is understood where staging is read.
//!
//! [`sync`] reads a payer, or goes on where it was interrupted; [`report`](report()) tells what is
//! there and what is missing.

mod bundle;
mod byid;
mod changes;
mod client;
mod clock;
mod config;
mod directory;
mod estimate;
mod event;
mod formulary;
mod json;
mod manners;
mod member;
mod oauth;
mod paging;
mod plan;
mod reach;
mod report;
mod retry;
mod secret;
mod session;
mod spool;
mod survey;
#[allow(clippy::module_inception, reason = "it is the sync's own beginning and end")]
mod sync;
mod tally;
mod tokens;
mod transport;
mod views;
mod walk;

#[cfg(test)]
mod tests;

pub use client::Stop;
pub use clock::{BoxFuture, Clock, FastClock, SystemClock};
pub use config::{Config, Rate, Settings};
pub use estimate::{Estimate, TypeEstimate, estimate};
pub use event::{Event, Watch};
pub use member::{MemberPlan, MemberPlans, member_plans, takes_pkce};
pub use oauth::{Login, TokenEncoding, TokenEndpoint, Tokens};
pub use plan::{RolePass, Selection};
pub use reach::reach;
pub use report::{Gap, NetworkReport, PlanReport, Received, SyncReport, TypeReport, received, report};
pub use secret::Secret;
pub use sync::{Crawl, Options, Outcome, sync};
pub use tally::TypeTally;
pub use tokens::TokenFile;
pub use transport::{Ask, Network, Reply, SendError, Transport};
