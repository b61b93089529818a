//! What a reference, or the address of an entry, names.

/// A reference or an address in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// All of it, without a version.
    pub(crate) whole: &'a str,
    /// What stands before the type.
    pub(crate) base: Option<&'a str>,
    /// The type, where one is written.
    pub(crate) kind: Option<&'a str>,
    /// The id.
    pub(crate) id: &'a str,
}

/// Type, where one is written, and id.
pub(crate) fn parts(reference: &str) -> Option<(Option<&str>, &str)> {
    split(reference).map(|parts| (parts.kind, parts.id))
}

/// The parts of a reference; `None` for a search, and for one that names nothing.
pub(crate) fn split(reference: &str) -> Option<Parts<'_>> {
    let mut text = reference;
    if let Some(at) = text.bytes().position(|b| matches!(b, b'|' | b'#' | b'?')) {
        if text.contains('?') {
            return None;
        }
        text = text.get(..at)?;
    }
    let text = text.trim_end_matches('/');
    if text.is_empty() {
        return None;
    }
    if is_urn(text) {
        return Some(Parts { whole: text, base: None, kind: None, id: text });
    }
    let whole = text.rsplit_once('/').and_then(|(before, _)| before.strip_suffix("/_history")).unwrap_or(text);
    let Some((before, id)) = whole.rsplit_once('/') else {
        return Some(Parts { whole, base: None, kind: None, id: whole });
    };
    let (base, kind) = before.rsplit_once('/').map_or((None, before), |(base, kind)| (Some(base), kind));
    Some(Parts { whole, base, kind: (!kind.is_empty()).then_some(kind), id })
}

pub(crate) fn is_urn(address: &str) -> bool {
    address.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("urn:"))
}

impl<'a> Parts<'a> {
    /// The id, if a resource of type `wanted` is meant. `stated` is the type that stands beside the reference.
    pub(crate) fn id_of(&self, stated: Option<&str>, wanted: &str) -> Option<&'a str> {
        let kind = self.kind.or(stated).unwrap_or(wanted);
        let names_it = kind.eq_ignore_ascii_case(wanted) && !self.id.eq_ignore_ascii_case(wanted);
        names_it.then_some(self.id)
    }
}

/// The id that can be asked for at the payer, where a reference names a resource of type `wanted`; none for
/// what stands inside the same resource or Bundle.
pub(crate) fn id_at_payer<'a>(reference: &'a str, wanted: &str) -> Option<&'a str> {
    let reference = reference.trim();
    let parts = split(reference).filter(|_| !reference.starts_with('#') && !is_urn(reference))?;
    parts.id_of(None, wanted)
}
