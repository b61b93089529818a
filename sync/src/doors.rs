//! Which types say that a pharmacy serves by mail, in long-term care or at home by infusion, and that nobody
//! walks in.

use coverdex_core::build::providers::{CLOSED_CODES, says_closed};

/// Whether an organization's type, by code or in words, says so.
pub(crate) fn type_says_closed(kind: &str) -> bool {
    CLOSED_CODES.iter().any(|code| code.eq_ignore_ascii_case(kind.trim())) || says_closed(kind)
}

/// Whether an organization's type, by code or in words, says a pharmacy.
fn type_says_pharmacy(kind: &str) -> bool {
    kind.trim().starts_with("3336") || kind.to_lowercase().contains("pharm")
}

/// What a type that says closed doors says of the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ByType {
    /// Not that it is a pharmacy.
    Any,
    /// That it is a pharmacy.
    Pharmacy,
}

impl ByType {
    /// By the types of an organization; `None`: none says closed doors.
    pub(crate) fn of(types: &[String]) -> Option<Self> {
        let is_pharmacy = || types.iter().any(|kind| type_says_pharmacy(kind));
        let closed = types.iter().any(|kind| type_says_closed(kind));
        closed.then(|| if is_pharmacy() { Self::Pharmacy } else { Self::Any })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_closed_doors() {
        assert!(type_says_closed("3336m0002x") && type_says_closed("Home Infusion Therapy Pharmacy"));
        assert!(!type_says_closed("3336C0003X") && !type_says_closed("fac"));
        assert!(type_says_pharmacy("3336l0003x") && !type_says_pharmacy("Home Infusion"));
    }
}
