//! The `coverdex` command.
fn main() {}
