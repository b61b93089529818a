//! Payer networks.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::{Error, Result};

/// A payer network: keyed by (system, id). A label is a label, never a key.
///
/// Systems are compared without regard to case, a trailing slash, or `http`/`https`: payers mix
/// `NetworkId` and `NetworkID`. The spelling received is kept.
///
/// ```
/// use coverdex_core::{NetworkKey, NetworkKind};
///
/// let key: NetworkKey = "https://payer.example/glossary/PharmacyNetworkId|100".parse()?;
/// assert_eq!((key.id(), key.kind()), ("100", NetworkKind::Pharmacy));
/// assert_eq!(key, NetworkKey::new("http://payer.example/glossary/pharmacynetworkid/", "100")?);
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkKey {
    // Shared: every result of a search names its networks.
    system: Arc<str>,
    id: Arc<str>,
}

/// What a network is for, told by its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NetworkKind {
    /// Pharmacies.
    Pharmacy,
    /// Vision providers.
    Vision,
    /// Medical and dental providers.
    Medical,
    /// The system does not say.
    Unknown,
}

impl NetworkKind {
    /// `pharmacy`, `vision`, `medical` or `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pharmacy => "pharmacy",
            Self::Vision => "vision",
            Self::Medical => "medical",
            Self::Unknown => "unknown",
        }
    }
}

impl FromStr for NetworkKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "pharmacy" => Ok(Self::Pharmacy),
            "vision" => Ok(Self::Vision),
            "medical" | "dental" | "medical/dental" => Ok(Self::Medical),
            "unknown" => Ok(Self::Unknown),
            other => Err(Error::invalid(format!("network kind {other:?}"), "no such kind")
                .with_candidates(["pharmacy", "vision", "medical"].map(str::to_owned))),
        }
    }
}

impl NetworkKey {
    /// From the two halves as received; surrounding blanks are dropped.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) if either is empty.
    pub fn new(system: &str, id: &str) -> Result<Self> {
        let (system, id) = (system.trim(), id.trim());
        if system.is_empty() || id.is_empty() {
            return Err(Error::invalid(format!("network \"{system}|{id}\""), "a network is SYSTEM|ID, both not empty"));
        }
        Ok(Self { system: system.into(), id: id.into() })
    }

    /// The system as received.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.system
    }

    /// The id inside the system.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The system as compared: lower case, no scheme, no trailing slash, no `|version`.
    #[must_use]
    pub fn folded_system(&self) -> String {
        fold_system(&self.system)
    }

    /// What the network is for.
    #[must_use]
    pub fn kind(&self) -> NetworkKind {
        let folded = self.folded_system();
        let tail = folded.rsplit(['/', '#', ':']).next().unwrap_or_default();
        if tail.contains("pharmacy") {
            NetworkKind::Pharmacy
        } else if tail.contains("vision") {
            NetworkKind::Vision
        } else if tail.contains("medical") || tail.contains("dental") {
            NetworkKind::Medical
        } else {
            NetworkKind::Unknown
        }
    }
}

/// A system URL as compared: lower case, no scheme, no trailing slash, no `|version`.
#[must_use]
pub fn fold_system(system: &str) -> String {
    let lower = system.trim().to_ascii_lowercase();
    let bare = lower.split('|').next().unwrap_or_default();
    let bare = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or(bare);
    bare.trim_end_matches('/').to_owned()
}

impl FromStr for NetworkKey {
    type Err = Error;

    /// `SYSTEM|ID`.
    fn from_str(text: &str) -> Result<Self> {
        match text.rsplit_once('|') {
            Some((system, id)) => Self::new(system, id),
            None => Err(Error::invalid(format!("network {text:?}"), "a network is written SYSTEM|ID")),
        }
    }
}

impl fmt::Display for NetworkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{}", self.system, self.id)
    }
}

impl PartialEq for NetworkKey {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && (self.system == other.system || self.folded_system() == other.folded_system())
    }
}

impl Eq for NetworkKey {}

impl std::hash::Hash for NetworkKey {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.folded_system().hash(state);
        self.id.hash(state);
    }
}

impl Ord for NetworkKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.folded_system(), &self.id).cmp(&(other.folded_system(), &other.id))
    }
}

impl PartialOrd for NetworkKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
