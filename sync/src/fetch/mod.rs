//! Reading a payer over the network into staging: queries, pages, cursors, manners and logins, no drugs and
//! no providers. Which queries there are, and what refers to what, a source says (see
//! [`source`](crate::source)); what the resources mean is understood where staging is read.
//!
//! | room | what it knows |
//! |---|---|
//! | `http` | one request: turns, waits, retries, limits, TLS |
//! | `login` | how a payer lets a client or a member in |
//! | `crawl` | pages and cursors of one query, reading by id, changes, and what a pass proves |

pub(crate) mod config;
pub(crate) mod crawl;
pub(crate) mod event;
pub(crate) mod http;
pub(crate) mod login;
pub(crate) mod private;
pub(crate) mod secret;
mod tally;

#[cfg(test)]
mod tests;

pub use config::{ApiKey, ClientAuthentication, ClientCertificate, Config, Rate, Settings, Tls};
pub use crawl::generation::Crawl;
pub use event::{Event, Watch};
pub use http::client::Stop;
pub use http::clock::{BoxFuture, Clock, FastClock, SystemClock};
pub use http::reach::reach;
pub use http::transport::{Ask, Network, Reply, SendError, Transport};
pub use login::endpoint::{TokenEncoding, TokenEndpoint, Tokens};
pub use login::member::{MemberPlan, MemberPlans, member_plans};
pub use login::oauth::Login;
pub use login::redirect::Listening;
pub use login::tokens::TokenFile;
pub use secret::Secret;
pub use tally::TypeTally;

pub use crate::source::stu1::estimate::{Estimate, TypeEstimate, estimate};
pub use crate::source::stu1::plan::{RolePass, Selection};
pub use crate::source::stu1::report::{
    Gap, NetworkReport, PlanReport, Received, SyncReport, TypeReport, received, report,
};
pub use crate::source::stu1::sync::{Options, Outcome, sync};
