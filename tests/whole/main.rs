//! Tests of the whole: a payer's files in, answers out. One binary, one module a subject.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod bytes;
mod command;
mod damage;
mod golden;
mod handed;
mod licences;
mod property;

use std::io::Write as _;

/// Says something past the test harness, which keeps what a passing test prints to itself.
fn say(what: &str) {
    std::io::stderr().write_all(format!("\n{what}\n").as_bytes()).unwrap();
}
