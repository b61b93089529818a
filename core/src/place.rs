//! A place as a person names it.

use crate::Result;
use crate::asked::check_length;

/// A place as a person names it; the dataset that is asked knows what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A county: name and state (`Travis County, TX`) or FIPS code (`48453`).
    County(String),
    /// A ZIP of five digits.
    Zip(String),
    /// A point, latitude and longitude in degrees: `30.27,-97.74`. Plans are not sold at points.
    Point(String),
    /// A state, by name or letters. Plans are not sold by states.
    State(String),
}

impl Place {
    /// Refuses a text that is longer than that of any place.
    pub(crate) fn check_length(&self) -> Result<()> {
        match self {
            Self::County(text) => check_length("county", text),
            Self::Zip(text) => check_length("ZIP", text),
            Self::Point(text) => check_length("point", text),
            Self::State(text) => check_length("state", text),
        }
    }
}
