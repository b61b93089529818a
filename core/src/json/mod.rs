//! Answers as JSON: the documents that the command prints with `--json`, the same in every language.
//! What they hold is stable; more fields may come to stand beside these.

mod compare;
mod coverage;
mod drugs;
mod explain;
mod info;
mod networks;
mod options;
mod places;
mod plans;
mod providers;

use serde::{Serialize, Serializer};

pub(crate) use self::places::CountyFields;

/// Serializes a type through the fields that JSON has of it.
macro_rules! through {
    ($($answer:ty => $fields:ident),* $(,)?) => {$(
        impl serde::Serialize for $answer {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $fields::from(self).serialize(serializer)
            }
        }
    )*};
}
pub(crate) use through;

/// Serializes a type by its one text.
macro_rules! as_text {
    ($($named:ty),* $(,)?) => {$(
        impl Serialize for $named {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )*};
}

macro_rules! as_display {
    ($($id:ty),* $(,)?) => {$(
        impl Serialize for $id {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

as_text! {
    crate::Caveat,
    crate::CoverageStatus, crate::CoverageReason, crate::TierLevel, crate::Audience, crate::DrugBenefit, crate::Offered,
    crate::AddressDifference, crate::NetworkKind, crate::NetworkStatus, crate::ProviderKind, crate::Accepting, crate::Precision, crate::PhoneFrom,
    crate::Inactive, crate::RoleDoubt, crate::SearchResult, crate::TierStatus, crate::SizePart, crate::Comparison, crate::DrugDifference,
}
as_display! {
    crate::Ndc11, crate::ProductNdc, crate::Rxcui, crate::PlanId, crate::Npi, crate::CountyFips, crate::State,
    crate::Zip5, crate::Date,
}

/// Where an answer comes from, beside its own fields.
#[derive(Serialize)]
pub(crate) struct OriginFields<'a> {
    as_of: &'a str,
    source: &'a str,
    /// The dataset's id.
    dataset: &'a str,
}

impl<'a> From<&'a crate::Origin> for OriginFields<'a> {
    fn from(origin: &'a crate::Origin) -> Self {
        Self { as_of: origin.as_of(), source: origin.source(), dataset: origin.dataset() }
    }
}

/// Kilometers to the meter: points are no finer.
pub(crate) fn rounded(km: f64) -> f64 {
    (km * 1000.0).round() / 1000.0
}
