//! A made payer, and later a server that serves it.
