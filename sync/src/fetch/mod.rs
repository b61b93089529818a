//! Reading a payer over the network.

mod bundle;
mod clock;
mod config;
mod json;
mod manners;
mod paging;
mod retry;
mod secret;
mod transport;
