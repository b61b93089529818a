//! Who a resource is, and when it last changed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::bundle::BundleEntry;
use super::datatypes::Reference;
use super::duplicates;
use super::lenient::Text;
use crate::model::{ResourceKind, SourceId, Stamp};

/// What references inside one Bundle may lean on: `urn:uuid:` addresses of its entries, and the
/// `Type/id` that stands behind each.
#[derive(Debug, Default)]
pub(super) struct Bundled<'a> {
    names: BTreeMap<&'a str, String>,
}

impl<'a> Bundled<'a> {
    /// Notes the name of an entry whose address is a URN.
    pub(super) fn add(&mut self, entry: &'a BundleEntry<'_>) {
        let Some(url) = entry.full_url.as_deref().filter(|url| is_urn(url)) else { return };
        let Some(head) = entry.resource.and_then(|raw| serde_json::from_str::<Head<'_>>(raw.get()).ok()) else {
            return;
        };
        if let (Some(kind), Some(id)) = (head.resource_type.get(), head.id.get()) {
            self.names.insert(url, format!("{kind}/{id}"));
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head<'a> {
    #[serde(borrow, rename = "resourceType")]
    resource_type: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
}

fn is_urn(address: &str) -> bool {
    address.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("urn:"))
}

/// The identity of `Type/id`. Ids are case-sensitive and taken as they came.
pub(super) fn source_id(kind: &str, id: &str) -> SourceId {
    let mut hash = Sha256::new();
    hash.update(kind.as_bytes());
    hash.update(b"/");
    hash.update(id.as_bytes());
    first_half(hash)
}

/// The identity of a resource without an id: what it says, in one spelling.
pub(super) fn source_id_of_content(text: &str) -> SourceId {
    let text = duplicates::canonical(text).map_or(Cow::Borrowed(text), Cow::Owned);
    let mut hash = Sha256::new();
    hash.update(b"\0without id\0");
    hash.update(text.as_bytes());
    first_half(hash)
}

fn first_half(hash: Sha256) -> SourceId {
    let digest: [u8; 32] = hash.finalize().into();
    SourceId(digest.iter().take(16).fold(0, |number, byte| (number << 8) | u128::from(*byte)))
}

/// The resource that a reference means, where it means one of type `wanted`.
///
/// Forms: `Type/id`, with `/_history/version`, absolute at any host, `urn:uuid:` of an entry of the
/// same Bundle, and the bare id that some payers write. A contained resource (`#id`) has no
/// identity of its own and is left to the caller; so are references by identifier or by words.
pub(super) fn target(reference: &Reference<'_>, wanted: ResourceKind, bundled: &Bundled<'_>) -> Option<SourceId> {
    let text = reference.reference.get()?;
    let text = bundled.names.get(text).map_or(text, String::as_str);
    let (kind, id) = parts(text)?;
    let kind = kind.or_else(|| reference.kind.get()).unwrap_or(wanted.as_str());
    let names_it = kind.eq_ignore_ascii_case(wanted.as_str()) && !id.eq_ignore_ascii_case(wanted.as_str());
    names_it.then(|| source_id(wanted.as_str(), id))
}

/// Type, where one is written, and id.
pub(super) fn parts(reference: &str) -> Option<(Option<&str>, &str)> {
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
        return Some((None, text));
    }
    let versionless = text.rsplit_once('/').and_then(|(before, _)| before.strip_suffix("/_history")).unwrap_or(text);
    let Some((before, id)) = versionless.rsplit_once('/') else { return Some((None, versionless)) };
    let kind = before.rsplit_once('/').map_or(before, |(_, kind)| kind);
    Some(((!kind.is_empty()).then_some(kind), id))
}

/// `meta.lastUpdated`: an instant with any number of fractional digits. A date, or a time without
/// a zone, is read as UTC; anything else is absent.
pub(super) fn stamp(text: Option<&str>) -> Stamp {
    Stamp(text.and_then(nanoseconds))
}

fn nanoseconds(text: &str) -> Option<i64> {
    let text = nine_fractional_digits(text);
    let instant = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let moment: jiff::civil::DateTime = text.parse().ok()?;
        jiff::tz::Offset::UTC.to_timestamp(moment).ok()
    })?;
    i64::try_from(instant.as_nanosecond()).ok()
}

fn nine_fractional_digits(text: &str) -> Cow<'_, str> {
    let Some((head, rest)) = text.split_once('.') else { return Cow::Borrowed(text) };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match (rest.get(..9), rest.get(digits..)) {
        (Some(kept), Some(zone)) if digits > 9 => Cow::Owned(format!("{head}.{kept}{zone}")),
        _ => Cow::Borrowed(text),
    }
}
