//! A made payer, and later a server that serves it.

#[cfg(feature = "server")]
pub mod server;
