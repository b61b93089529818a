//! What is wrong with a page: what it lacks, and what it says twice or otherwise.

use super::bundle::{Context, Page};
use super::codec::mix;
use super::fault::{Fault, Spoilt};
use super::search::{Cursor, Search};
use crate::ResourceType;

/// The types of Bundles that are no search's.
const OTHER_TYPES: [&str; 6] =
    ["collection", "history", "batch-response", "transaction-response", "document", "message"];

/// What is wrong with a page.
pub(super) struct Flaws {
    /// So many of its entries are there.
    pub(super) kept: usize,
    /// It has no next link, whatever follows.
    pub(super) is_last: bool,
    /// It states the right total.
    pub(super) tells_total: bool,
    /// It has an OperationOutcome of this severity.
    pub(super) error: Option<&'static str>,
    /// The type of the Bundle.
    pub(super) bundle_type: &'static str,
}

impl Context<'_> {
    /// The flaws of a page.
    pub(super) fn flaws(&self, search: &Search, page: &Page) -> Flaws {
        let kind = search.kind;
        let all = page.entries.len();
        let mut flaws = Flaws { kept: all, is_last: false, tells_total: false, error: None, bundle_type: "searchset" };
        match search.spoilt {
            Some(Spoilt::Lost) if page.next.is_some() => (flaws.is_last, flaws.tells_total) = (true, true),
            Some(Spoilt::Cut) if all > 1 => {
                (flaws.kept, flaws.is_last, flaws.tells_total) = (all / 2, true, true);
            }
            Some(Spoilt::Error) => (flaws.kept, flaws.error) = (all / 2, Some(self.severity(search))),
            Some(Spoilt::Type) => (flaws.kept, flaws.bundle_type) = (all / 2, self.other_type(search)),
            _ => {}
        }
        // The place on this page of the resource that a fault meets.
        let place = |fault| {
            let (of, index) = self.active.victim(fault, self.catalogue)?;
            page.entries.iter().position(|(slot, _)| of == kind && slot.index == index)
        };
        for fault in [Fault::PageLost, Fault::PageLostSkipIgnored] {
            if page.next.is_some() && place(fault).is_some() {
                self.active.note(fault);
                (flaws.is_last, flaws.tells_total) = (true, true);
            }
        }
        if place(Fault::PageCut).is_some() {
            self.active.note(Fault::PageCut);
            (flaws.kept, flaws.is_last) = (flaws.kept.min(all.div_ceil(2)), true);
            flaws.tells_total |= self.active.draw(Fault::PageCut, search.key, 1).is_multiple_of(2);
        }
        if let Some(place) = place(Fault::ErrorInPage) {
            self.active.note(Fault::ErrorInPage);
            (flaws.kept, flaws.error) = (flaws.kept.min(place), Some(self.severity(search)));
        }
        if self.active.victim_kind(Fault::BundleType, self.catalogue) == Some(kind) {
            self.active.note(Fault::BundleType);
            (flaws.kept, flaws.bundle_type) = (flaws.kept.min(all / 2), self.other_type(search));
        }
        flaws
    }

    fn severity(&self, search: &Search) -> &'static str {
        let is_fatal = self.active.draw(Fault::ErrorInPage, search.key, 1).is_multiple_of(2);
        if is_fatal { "fatal" } else { "error" }
    }

    fn other_type(&self, search: &Search) -> &'static str {
        let choice = usize::try_from(self.active.draw(Fault::BundleType, search.key, 1)).unwrap_or(0);
        OTHER_TYPES.get(choice % OTHER_TYPES.len()).copied().unwrap_or("collection")
    }

    /// Lets members of a bundle stand twice; `others` are those of another value.
    pub(super) fn stand_twice<const N: usize>(
        &self,
        search: &Search,
        members: &mut Vec<(&'static str, String)>,
        others: impl FnOnce() -> [(&'static str, String); N],
    ) {
        if self.active.strikes(Fault::KeysTwiceEqual, Some(search.kind), self.key) {
            members.extend(members.clone());
        }
        if self.active.strikes(Fault::KeysTwiceDiffer, Some(search.kind), self.key) {
            let choice = usize::try_from(self.active.draw(Fault::KeysTwiceDiffer, self.key, 1)).unwrap_or(0);
            let name = choice.checked_rem(members.len()).and_then(|choice| members.get(choice)).map(|(name, _)| *name);
            let wrong = others().into_iter().filter(|(other, _)| Some(*other) == name);
            // What is right stands first, or last.
            if self.active.draw(Fault::KeysTwiceDiffer, self.key, 2).is_multiple_of(2) {
                members.extend(wrong);
            } else {
                members.splice(0..0, wrong);
            }
        }
    }

    /// An entry's `resource` twice, if it stands twice.
    pub(super) fn resource_twice(&self, kind: ResourceType, json: &str) -> Option<String> {
        let drawn = |fault| self.active.draw(fault, self.key, 3).is_multiple_of(2);
        if self.active.meets(Fault::KeysTwiceEqual, Some(kind), self.key) && drawn(Fault::KeysTwiceEqual) {
            return Some(format!("\"resource\":{json},\"resource\":{json}"));
        }
        let differs = self.active.meets(Fault::KeysTwiceDiffer, Some(kind), self.key) && drawn(Fault::KeysTwiceDiffer);
        differs.then(|| {
            if self.active.draw(Fault::KeysTwiceDiffer, self.key, 2).is_multiple_of(2) {
                format!("\"resource\":{json},\"resource\":null")
            } else {
                format!("\"resource\":{{}},\"resource\":{json}")
            }
        })
    }

    /// A link to this page that is spelled as no link before it.
    pub(super) fn spelled_otherwise(&self, search: &Search, page: &Page, pass: u32) -> String {
        let place = if search.by_offset {
            ("_skip", page.offset.to_string())
        } else {
            let cursor = Cursor { search: search.key, pass, position: page.start, count: search.count, back: None };
            ("ct", cursor.encode())
        };
        let url = Self::url(search, self.base, Some(place));
        let (path, query) = url.split_once('?').unwrap_or((&url, ""));
        let draw = mix(self.key, self.number);
        let mut pairs: Vec<String> = query.split('&').map(str::to_owned).collect();
        pairs.push(format!("_t={:x}", self.number));
        let by = usize::try_from(draw).unwrap_or(0).checked_rem(pairs.len()).unwrap_or(0);
        pairs.rotate_left(by);
        for (nth, pair) in pairs.iter_mut().enumerate() {
            let Some((name, value)) = pair.split_once('=') else { continue };
            let name = if draw >> nth & 1 == 1 { name.to_ascii_uppercase() } else { name.to_owned() };
            // The first letter of the value, if it is a plain one, percent-encoded.
            let value = match value.chars().next() {
                Some(first) if first.is_ascii_alphanumeric() && draw >> (nth + 8) & 1 == 1 => {
                    format!("%{:02X}{}", u32::from(first), value.get(1..).unwrap_or(""))
                }
                _ => value.to_owned(),
            };
            *pair = format!("{name}={value}");
        }
        format!("{path}?{}", pairs.join("&"))
    }
}
