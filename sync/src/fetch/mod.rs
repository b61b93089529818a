//! Reading a payer over the network.

mod bundle;
mod client;
mod clock;
mod config;
mod json;
mod manners;
mod paging;
mod retry;
mod secret;
mod spool;
mod transport;
