//! What may have been meant: one candidate for each drug, with what tells it from the others.

use std::collections::BTreeSet;

use super::codes::Codes;
use super::drug::Candidate;
use crate::Result;
use crate::data::LineRow;
use crate::dataset::Dataset;
use crate::drug_text::Identity;

/// Candidates that an ambiguous or unknown drug offers at most.
pub(super) const MOST_CANDIDATES: usize = 10;

impl Dataset {
    /// One candidate for each identity, in the order of the lines, each with what tells it apart.
    pub(super) fn candidates(&self, lines: &[(&LineRow, &Identity)]) -> Result<Vec<Candidate>> {
        let mut candidates = Vec::new();
        let differing = Differing::of(lines.iter().map(|(_, identity)| *identity));
        for (row, identity) in lines.iter().take(MOST_CANDIDATES) {
            let mut candidate = self.candidate(row)?;
            candidate.differs = differing.label(identity);
            candidates.push(candidate);
        }
        Ok(candidates)
    }

    pub(super) fn candidate(&self, row: &LineRow) -> Result<Candidate> {
        let products = self.inner.database.with(|connection| Codes::of(connection, row))?.products;
        Ok(Candidate { name: row.title(), product_ndcs: products, differs: None })
    }
}

/// In what several identities differ.
#[allow(clippy::struct_excessive_bools, reason = "one for each field of an identity")]
struct Differing {
    release: bool,
    salts: bool,
    forms: bool,
    devices: bool,
}

impl Differing {
    fn of<'a>(identities: impl Iterator<Item = &'a Identity> + Clone) -> Self {
        fn differ<T: Ord>(values: impl Iterator<Item = T>) -> bool {
            values.collect::<BTreeSet<T>>().len() > 1
        }
        Self {
            release: differ(identities.clone().map(|identity| &identity.release)),
            salts: differ(identities.clone().map(Identity::salts)),
            forms: differ(identities.clone().map(|identity| &identity.form)),
            devices: differ(identities.map(|identity| &identity.devices)),
        }
    }

    /// What tells one apart, in words.
    fn label(&self, identity: &Identity) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        if self.salts {
            let salts = identity.salts();
            let named = salts.into_iter().collect::<Vec<_>>().join(" ");
            parts.push(if named.is_empty() { "no salt stated".to_owned() } else { named });
        }
        if self.forms {
            let form = identity.form.key();
            parts.push(if form.is_empty() { "form not stated".to_owned() } else { form });
        }
        if self.release {
            parts.push(identity.release.label().unwrap_or_else(|| "immediate release".to_owned()));
        }
        if self.devices && !identity.devices.is_empty() {
            parts.push(identity.devices.iter().cloned().collect::<Vec<_>>().join(" "));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
