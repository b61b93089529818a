//! Reading a payer over the network.

mod bundle;
mod byid;
mod client;
mod clock;
mod config;
mod json;
mod manners;
mod paging;
mod retry;
mod secret;
mod session;
mod spool;
mod survey;
mod transport;
mod views;
mod walk;
