//! Publishing datasets, and taking what was published.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// `coverdex pack`.
#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// The dataset's folder, or a store whose live dataset is meant
    #[arg(value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub(crate) from: PathBuf,
    /// New folder for a web server or a stick; a name that ends in .coverdex makes one file
    #[arg(long, value_name = "FOLDER|FILE.coverdex", value_hint = ValueHint::AnyPath)]
    pub(crate) out: PathBuf,
    /// Name of the series, such as the payer's: those who have another one refuse it
    #[arg(long, value_name = "NAME")]
    pub(crate) series: String,
    /// Number in the series [default: that of --former and one, else 1]
    #[arg(long, value_name = "N")]
    pub(crate) number: Option<u64>,
    /// Until when you stand by it: a date, a time (RFC 3339), or so many days from now
    #[arg(long, value_name = "DATE|DAYS")]
    pub(crate) expires: Option<String>,
    /// The publication before this one: what is the same is kept, what differs also becomes a delta
    #[arg(long, value_name = "FOLDER|FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) former: Option<PathBuf>,
}

/// `coverdex keys`.
#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    /// Makes NAME.key, for you alone, and NAME.pub, for everybody
    #[arg(value_name = "NAME", value_hint = ValueHint::AnyPath)]
    pub(crate) name: PathBuf,
    /// Make a key without a password: who has the file can sign
    #[arg(long)]
    pub(crate) no_password: bool,
}

/// `coverdex sign`.
#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    /// The publication
    #[arg(value_name = "FOLDER|FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) at: PathBuf,
    /// File of the secret key; its password is asked for, or read from COVERDEX_KEY_PASSWORD
    #[arg(long, env = "COVERDEX_SECRET_KEY", value_name = "SECRET", value_hint = ValueHint::FilePath)]
    pub(crate) key: PathBuf,
}

/// Whom one trusts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TrustArgs {
    /// The publisher's public key: its file, or its line that begins with RW
    #[arg(long, value_name = "PUBLIC")]
    pub(crate) key: Option<String>,
}

/// What may be taken.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TakeArgs {
    /// Take this number although the store had a newer one
    #[arg(long, value_name = "NUMBER")]
    pub(crate) older: Option<u64>,
    /// Take this series, whatever is live
    #[arg(long, value_name = "NAME")]
    pub(crate) series: Option<String>,
    /// Take a publication once more that was rolled back
    #[arg(long)]
    pub(crate) again: bool,
    /// Take this dataset although another one was live here under its number
    #[arg(long, value_name = "DATASET")]
    pub(crate) republished: Option<String>,
}

/// `coverdex verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// A publication (folder or file), a dataset or a store [default: what --data names]
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) path: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trust: TrustArgs,
    /// Check the bytes of something signed without a key: nothing is proved
    #[arg(long, conflicts_with = "key")]
    pub(crate) unproved: bool,
}

/// `coverdex install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// The dataset's folder, a store whose live dataset is meant, or a publication: folder or file
    #[arg(value_name = "FOLDER|FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) from: PathBuf,
    /// Store to install into; made if it is not there
    #[arg(long, visible_alias = "store", value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) into: PathBuf,
    #[command(flatten)]
    pub(crate) trust: TrustArgs,
    /// Take a publication from anybody: nothing is proved
    #[arg(long, conflicts_with = "key")]
    pub(crate) unproved: bool,
    #[command(flatten)]
    pub(crate) take: TakeArgs,
}

/// `coverdex update`.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Where the publication lies: the address of its folder, or a folder or file of this machine
    #[arg(long, value_name = "URL|FOLDER")]
    pub(crate) from: String,
    /// Store to update; made if it is not there
    #[arg(long, visible_alias = "into", value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) store: PathBuf,
    /// The publisher's public key: its file, or its line that begins with RW
    #[arg(long, env = "COVERDEX_PUBLIC_KEY", value_name = "PUBLIC")]
    pub(crate) key: String,
    #[command(flatten)]
    pub(crate) take: TakeArgs,
    /// File of certificates (PEM) of further authorities that the server may be known by
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Option<PathBuf>,
    /// Use plain http beyond this machine
    #[arg(long)]
    pub(crate) allow_http: bool,
    /// Seconds without a byte before an attempt is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(crate) timeout: u64,
}
