//! `coverdex verify --json`: an object, or an array of them where several
//! datasets were named.

use coverdex_core::{Installed, Verified};
use serde::Serialize;

use super::ErrorDocument;

/// A dataset that was checked: whole, or the error.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum VerifiedDocument<'a> {
    Whole {
        data: String,
        dataset: String,
        files: usize,
        bytes: u64,
    },
    Damaged {
        data: String,
        #[serde(flatten)]
        error: ErrorDocument<'a>,
    },
}

impl<'a> VerifiedDocument<'a> {
    pub(crate) fn whole(data: String, verified: &Verified) -> Self {
        Self::Whole { data, dataset: verified.dataset.clone(), files: verified.files, bytes: verified.bytes }
    }

    pub(crate) fn damaged(data: String, failure: &'a crate::failure::Failure) -> Self {
        Self::Damaged { data, error: ErrorDocument::from(failure) }
    }
}

/// `coverdex install --json` and `coverdex rollback --json`.
#[derive(Debug, Serialize)]
pub(crate) struct InstalledDocument<'a> {
    dataset: &'a str,
    as_of: &'a str,
    folder: String,
    former: Option<String>,
    bytes: u64,
    was_there: bool,
}

impl<'a> From<&'a Installed> for InstalledDocument<'a> {
    fn from(installed: &'a Installed) -> Self {
        Self {
            dataset: &installed.dataset,
            as_of: &installed.as_of,
            folder: installed.folder.display().to_string(),
            former: installed.former.as_ref().map(|former| former.display().to_string()),
            bytes: installed.bytes,
            was_there: installed.was_there,
        }
    }
}
