//! Words that no log, error or file but the token file may show.

use std::fmt;

use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// A token, code, key or password. It has no `Display` and shows nothing under `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one request that it belongs to.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    /// A text. An error does not say what stands there instead: it may be the secret without its quotes.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Other(IgnoredAny),
        }
        match Written::deserialize(deserializer)? {
            Written::Text(text) => Ok(Self(text)),
            Written::Other(_) => Err(serde::de::Error::custom("a secret is a text: write it in quotes")),
        }
    }
}
