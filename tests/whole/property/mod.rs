//! Properties: random payers against a naive reader, searches against each other.

use proptest::test_runner::{Config, RngSeed};

mod coverage;
mod fold;
mod identity;
mod naive;
mod options;
pub(crate) mod payers;
mod search;

/// The same cases in every run; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` make others and more.
fn config(cases: u32) -> Config {
    let of_environment = Config::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { of_environment.cases } else { cases };
    let rng_seed = match of_environment.rng_seed {
        RngSeed::Random => RngSeed::Fixed(20_260_701),
        seed @ RngSeed::Fixed(_) => seed,
    };
    Config { cases, rng_seed, failure_persistence: None, ..of_environment }
}
