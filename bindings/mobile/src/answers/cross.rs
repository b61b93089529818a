//! How an answer of core becomes one that crosses into another language: owned, with plain numbers.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use coverdex_core as core;

/// What becomes a `T` on the way out.
pub(crate) trait Cross<T> {
    /// Makes it one.
    fn cross(self) -> T;
}

impl<T: Cross<U>, U> Cross<Option<U>> for Option<T> {
    fn cross(self) -> Option<U> {
        self.map(Cross::cross)
    }
}

impl<T: Cross<U>, U> Cross<Vec<U>> for Vec<T> {
    fn cross(self) -> Vec<U> {
        self.into_iter().map(Cross::cross).collect()
    }
}

impl Cross<HashMap<String, String>> for BTreeMap<String, String> {
    fn cross(self) -> HashMap<String, String> {
        self.into_iter().collect()
    }
}

impl Cross<HashMap<String, i64>> for BTreeMap<String, u64> {
    fn cross(self) -> HashMap<String, i64> {
        self.into_iter().map(|(name, count)| (name, count.cross())).collect()
    }
}

/// Kotlin and Swift count in signed numbers; no count of a dataset is out of their range.
macro_rules! counts {
    ($($from:ty => $to:ty),* $(,)?) => {$(
        impl Cross<$to> for $from {
            fn cross(self) -> $to {
                <$to>::try_from(self).unwrap_or(<$to>::MAX)
            }
        }
    )*};
}

counts! { u16 => i32, u32 => i32, u64 => i64, usize => i64 }

impl Cross<String> for PathBuf {
    fn cross(self) -> String {
        self.display().to_string()
    }
}

/// What crosses as it is.
macro_rules! as_it_is {
    ($($own:ty),* $(,)?) => {$(
        impl Cross<Self> for $own {
            fn cross(self) -> Self {
                self
            }
        }
    )*};
}

as_it_is! {
    bool, f64, String,
    core::CountyFips, core::Ndc11, core::Npi, core::PageToken, core::ProductNdc, core::Rxcui, core::State, core::Zip5,
}

/// Calls a function with the answer of core, whose type it need not name.
pub(crate) fn told<T, R>(own: &T, tell: impl FnOnce(&T) -> R) -> R {
    tell(own)
}

/// Records with the fields of core's answers of the same name. `field [other]` is core's field `other`; what stands
/// behind the semicolon is told by a function of core's answer.
macro_rules! records {
    ($(
        $(#[$about:meta])*
        $name:ident {
            $($(#[$field_about:meta])* $field:ident $([$source:ident])? : $type:ty),* $(,)?
            $(; $($(#[$told_about:meta])* $told:ident : $told_type:ty = $tell:expr),* $(,)?)?
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, uniffi::Record)]
        pub struct $name {
            $($(#[$field_about])* pub $field: $type,)*
            $($($(#[$told_about])* pub $told: $told_type,)*)?
        }

        impl From<coverdex_core::$name> for $name {
            fn from(own: coverdex_core::$name) -> Self {
                use $crate::answers::cross::{Cross, field};
                $($(let $told = $crate::answers::cross::told(&own, $tell);)*)?
                Self {
                    $($field: Cross::cross(field!(own $field $($source)?)),)*
                    $($($told: Cross::cross($told),)*)?
                }
            }
        }

        impl $crate::answers::cross::Cross<$name> for coverdex_core::$name {
            fn cross(self) -> $name {
                self.into()
            }
        }
    )*};
}

/// A field, or the one that it is named after.
macro_rules! field {
    ($own:ident $field:ident) => {
        $own.$field
    };
    ($own:ident $field:ident $source:ident) => {
        $own.$source
    };
}

/// Enums with the variants of core's of the same name. `[else …]` names what one that core has and this does not
/// becomes: the one that promises least.
macro_rules! enums {
    ($(
        $(#[$about:meta])*
        $name:ident $([else $other:ident])? { $($(#[$variant_about:meta])* $variant:ident),* $(,)? }
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, uniffi::Enum)]
        pub enum $name {
            $($(#[$variant_about])* $variant,)*
        }

        impl From<coverdex_core::$name> for $name {
            fn from(own: coverdex_core::$name) -> Self {
                match own {
                    $(coverdex_core::$name::$variant => Self::$variant,)*
                    $(_ => Self::$other,)?
                }
            }
        }

        impl $crate::answers::cross::Cross<$name> for coverdex_core::$name {
            fn cross(self) -> $name {
                self.into()
            }
        }
    )*};
}

pub(crate) use {enums, field, records};
