//! Identifiers: texts on the way, types of their own on both sides.

use coverdex_core as core;
pub use coverdex_core::{CountyFips, Ndc11, Npi, PageToken, ProductNdc, Rxcui, State, Zip5};

use crate::answers::Cross;

/// Ids that are written and read back as they are displayed.
macro_rules! ids {
    ($($(#[$about:meta])* $id:ident)*) => {$(
        uniffi::custom_type!(
            $(#[$about])*
            $id, String, { remote, lower: |id| id.to_string(), try_lift: |text| Ok(text.parse()?) }
        );
    )*};
}

ids! {
    /// A county's FIPS code, such as `24005`.
    CountyFips
    /// A package NDC in its eleven-digit form, without hyphens.
    Ndc11
    /// A valid NPI: ten digits.
    Npi
    /// A product NDC, hyphenated.
    ProductNdc
    /// An RxNorm code.
    Rxcui
    /// A state by its two letters.
    State
    /// A five-digit ZIP code.
    Zip5
}

uniffi::custom_type!(
    /// What to ask with for the next page of the same question. It belongs to one dataset and one question: another
    /// refuses it.
    PageToken, String, { remote, lower: |token| token.as_str().to_owned(), try_lift: |text| Ok(PageToken::new(text)) }
);

/// Ids that only ever go out: a question names such a thing by a text.
macro_rules! ids_told {
    ($($(#[$about:meta])* $id:ident)*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $id(String);

        impl From<core::$id> for $id {
            fn from(own: core::$id) -> Self {
                Self(own.to_string())
            }
        }

        impl Cross<$id> for core::$id {
            fn cross(self) -> $id {
                self.into()
            }
        }

        uniffi::custom_type!(
            $(#[$about])*
            $id, String, { lower: |id| id.0, try_lift: |text| Ok($id(text)) }
        );
    )*};
}

ids_told! {
    /// One plan, in one year where its id states one: `H1234-567-000-2026`.
    PlanId
    /// A day, such as `2026-11-05`.
    Date
}
