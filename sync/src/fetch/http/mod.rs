//! One request, with manners: turns, attempts, waits, limits, TLS.

pub(crate) mod client;
pub(crate) mod clock;
pub(crate) mod manners;
pub(crate) mod reach;
pub(crate) mod retry;
pub(crate) mod tls;
pub(crate) mod transport;
