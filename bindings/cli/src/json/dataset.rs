//! `coverdex verify --json`: an object, or an array of them where several
//! datasets were named.

use coverdex_core::Verified;
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
