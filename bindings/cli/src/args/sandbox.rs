//! `coverdex sandbox`, as it is typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use coverdex_sandbox::Shape;

/// `coverdex sandbox`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SandboxArgs {
    /// Port on 127.0.0.1; 0 for a free one
    #[arg(long, value_name = "N", default_value_t = 8080)]
    pub(crate) port: u16,
    /// Go wrong on purpose: a fault's name, with @TYPE+TYPE for some types and /N for one in N; may be
    /// given several times; `list` says what there is
    #[arg(long = "fault", value_name = "NAME")]
    pub(crate) faults: Vec<String>,
    /// Offer this beyond the API document; may be given several times; `list` says what there is
    /// [default: id-search, code-search]
    #[arg(long = "offer", value_name = "NAME")]
    pub(crate) offers: Vec<String>,
    /// Want this of clients before anything is answered; may be given several times; `list` says what there is
    #[arg(long = "need", value_name = "NAME")]
    pub(crate) needs: Vec<String>,
    /// Serve the NDJSON files of this folder instead of a made payer
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with_all = ["seed", "size", "year"])]
    pub(crate) from: Option<PathBuf>,
    /// What the made payer and the faults are drawn from [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The made payer's plan year; some plans are of the next one [default: this year]
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(2000..=2198))]
    pub(crate) year: Option<u16>,
    /// How large the made payer is [default: demo]
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<SizeArg>,
}

/// How large a made payer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizeArg {
    /// A few thousand resources
    Tiny,
    /// A hundred thousand or so
    #[default]
    Demo,
    /// A national payer's: tens of millions, made as they are asked for
    Full,
}

impl SizeArg {
    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Tiny => Shape::tiny(),
            Self::Demo => Shape::demo(),
            Self::Full => Shape::bench(),
        }
    }
}
