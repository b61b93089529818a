//! Tests of the whole: a payer's files in, answers out. One binary, one module a subject.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod golden;
