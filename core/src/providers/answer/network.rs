//! The network that a person means, and which networks were not received completely.

use crate::asked::check_length;
use crate::data::directory::networks::Networks;
use crate::dataset::Dataset;
use crate::fold;
use crate::ids::{NetworkKey, NetworkKind};
use crate::plans::Network;
use crate::{Error, ErrorKind, Result};

/// Candidates that an error names at most.
const MOST_CANDIDATES: usize = 12;

/// A network that was meant, and how the text was read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResolvedNetwork {
    /// The network.
    pub network: Network,
    /// What was not said and how it was read, for people.
    pub note: Option<String>,
}

/// A network whose part of the directory is incomplete or empty, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NetworkGap {
    /// The network.
    pub network: Network,
    /// Why, for people.
    pub reason: String,
}

impl Dataset {
    /// The network that a person means: `SYSTEM|ID`, or an id alone that only one network has. A
    /// label is no key: it leads to candidates.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, ErrorKind};
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert_eq!(dataset.resolve_network("300")?.network.label(), Some("Piñon Mesa Vision"));
    /// assert_eq!(dataset.resolve_network("100").unwrap_err().kind(), ErrorKind::Ambiguous); // two systems have it
    /// assert_eq!(dataset.resolve_network("Piñon Mesa Vision").unwrap_err().kind(), ErrorKind::NotFound);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates.
    pub fn resolve_network(&self, text: &str) -> Result<ResolvedNetwork> {
        check_length("network", text)?;
        self.cancel.check()?;
        self.inner.directory.get()?.networks.meant(text)
    }

    /// Which of these networks (of all where none are named), of one kind if that is said, were not
    /// received completely. A network that was named and has nobody counts too.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let incomplete = dataset.resolve_network("200")?.network;
    /// let gaps = dataset.network_gaps(Some(&[incomplete.key]), None)?;
    /// println!("{}", gaps[0].reason);
    /// let whole = dataset.resolve_network("300")?.network;
    /// assert!(dataset.network_gaps(Some(&[whole.key]), None)?.is_empty());
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) with candidates for a network that nobody names, and for a
    /// dataset without a directory.
    pub fn network_gaps(&self, networks: Option<&[NetworkKey]>, kind: Option<NetworkKind>) -> Result<Vec<NetworkGap>> {
        let all = &self.inner.directory.get()?.networks;
        let numbers: Vec<usize> = match networks {
            Some(keys) => keys.iter().map(|key| all.named(key)).collect::<Result<_>>()?,
            None => (0..all.all().count()).collect(),
        };
        let gap = |number: usize| {
            let network = all.network(number)?;
            let asked = kind.is_none_or(|kind| network.kind == kind || network.kind == NetworkKind::Unknown);
            let reason = if networks.is_some() { all.gap(number) } else { all.incomplete(number).map(str::to_owned) };
            reason.filter(|_| asked).map(|reason| NetworkGap { network: network.clone(), reason })
        };
        Ok(numbers.into_iter().filter_map(gap).collect())
    }
}

impl Networks {
    /// The network that a person means.
    fn meant(&self, text: &str) -> Result<ResolvedNetwork> {
        let trimmed = text.trim();
        let resolved = |number: usize, note: Option<String>| {
            let network = self.network(number).cloned();
            network.map(|network| ResolvedNetwork { network, note })
        };
        let not_there = || Error::new(ErrorKind::NotFound, format!("network {trimmed}"), "not in the directory");
        if trimmed.contains('|') {
            let number = self.named(&trimmed.parse()?)?;
            return resolved(number, None).ok_or_else(not_there);
        }
        let shown = |network: &Network| match &network.label {
            Some(label) => format!("{} {label}", network.key),
            None => network.key.to_string(),
        };
        let refused = |kind: ErrorKind, why: String, candidates: &mut dyn Iterator<Item = &Network>| {
            let subject: String = trimmed.chars().take(60).collect();
            Error::new(kind, format!("network {subject:?}"), why)
                .with_hint("a network is written SYSTEM|ID")
                .with_candidates(candidates.take(MOST_CANDIDATES).map(shown))
        };
        let of_id: Vec<&Network> = self.all().filter(|network| network.key.id() == trimmed).collect();
        match of_id.as_slice() {
            [only] => {
                let note = format!("network {trimmed} read as {}", only.key);
                self.find(&only.key).and_then(|number| resolved(number, Some(note))).ok_or_else(not_there)
            }
            [] => {
                let wanted = fold::key(trimmed);
                let label = |network: &&Network| network.label.as_deref().map(fold::key).unwrap_or_default();
                let fits = |network: &&Network| !wanted.is_empty() && label(network).contains(&wanted);
                if self.all().any(|network| fits(&network)) {
                    let why = "no network has this id; a label is no key".to_owned();
                    Err(refused(ErrorKind::NotFound, why, &mut self.all().filter(fits)))
                } else {
                    Err(refused(ErrorKind::NotFound, "no network has this id".to_owned(), &mut self.all()))
                }
            }
            several => {
                let why = format!("{} networks have this id, each in a system of its own", several.len());
                Err(refused(ErrorKind::Ambiguous, why, &mut several.iter().copied()))
            }
        }
    }
}
