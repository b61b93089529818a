//! Tests of the whole: a payer's files in, answers out. One binary, one module a subject.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]
#![allow(
    clippy::unnecessary_debug_formatting,
    clippy::string_slice,
    clippy::type_complexity,
    clippy::too_many_lines,
    clippy::manual_let_else,
    clippy::redundant_clone,
    clippy::assigning_clones,
    reason = "tests say what they saw, and panic where they are wrong"
)]

mod bytes;
mod command;
mod damage;
mod golden;
mod handed;
mod licences;
mod network;
mod property;
mod publish;
mod questions;
mod sync;

use std::io::Write as _;

/// Says something past the test harness, which keeps what a passing test prints to itself.
fn say(what: &str) {
    std::io::stderr().write_all(format!("\n{what}\n").as_bytes()).unwrap();
}
