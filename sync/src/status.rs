//! Status codes as payers write them.

use std::borrow::Cow;

/// A status code in its one spelling: small letters, words joined by hyphens. Nearly all come so.
pub(crate) fn code(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.to_ascii_lowercase().replace(['_', ' '], "-"))
    }
}

/// Whether a status takes a resource back: what it says does not hold.
pub(crate) fn is_withdrawn(text: &str) -> bool {
    matches!(code(text).as_ref(), "retired" | "entered-in-error")
}
