//! A page of a search, as a bundle.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::answer::{Answer, Refusal, outcome};
use super::catalogue::{Catalogue, id_of};
use super::codec::{hash, instant, json_string, mix, query_value};
use super::fault::{Active, Fault, Spoilt, dated, mangle_resource, older};
use super::flaws::Flaws;
use super::options::{Offer, Options};
use super::search::{Cursor, Search, Start};
use super::sequence::{Sequence, Slot};
use crate::ResourceType;

/// A link that is longer than this is longer than 1 MiB.
const HUGE_LINK: usize = 1 << 20;

/// What an answer is made from.
pub(super) struct Context<'a> {
    pub(super) options: &'a Options,
    pub(super) catalogue: &'a Catalogue,
    pub(super) active: &'a Active,
    /// `http://127.0.0.1:PORT`
    pub(super) base: &'a str,
    /// The other host, which clients must not follow links to.
    pub(super) other: &'a str,
    /// Path and query as the client sent them.
    pub(super) target: &'a str,
    /// The target's hash, by which faults go.
    pub(super) key: u64,
    /// The number of the request.
    pub(super) number: u64,
    /// Whether the client takes gzip.
    pub(super) gzip: bool,
    /// What the server says that the time is.
    pub(super) now: SystemTime,
    /// The client's `If-None-Match`.
    pub(super) known: &'a str,
}

/// The resources of a page and what follows.
pub(super) struct Page {
    pub(super) entries: Vec<(Slot, String)>,
    /// Where the page began.
    pub(super) start: u64,
    /// Where the next one begins, if there is one.
    pub(super) next: Option<u64>,
    /// By offset: the number of the page's first entry, counted from 0.
    pub(super) offset: u64,
}

impl Context<'_> {
    /// The page that a search asks for.
    pub(super) fn page(&self, search: &Search) -> Result<Answer, Refusal> {
        let kind = search.kind;
        let turn = self.active.turn(search.key);
        let mut sequence = self.sequence(search, turn);
        let (mut start, offset) = self.start(search, &sequence);
        if search.among.is_none() && start > 0 && start >= self.catalogue.payer.count(kind) / 2 {
            self.active.half_done(kind, self.catalogue);
            self.catalogue.payer.half_done(kind, self.now);
            sequence = self.sequence(search, turn);
            start = self.start(search, &sequence).0;
        }
        if search.is_count_only() {
            return Ok(Answer::json(200, self.number_of(search, &sequence)));
        }
        let pass = match &search.start {
            Start::First => self.active.begin_pass(search.key),
            Start::Offset(_) => 0,
            Start::Cursor(cursor) => {
                let (len, count) = (sequence.end(), u64::from(cursor.count));
                if let Some(expiry) = self.active.expired(search.key, kind, cursor.pass, cursor.position, len, count) {
                    let (code, text) = match expiry.status {
                        _ if expiry.by_firewall => return Ok(Answer::firewall(expiry.status, self.key)),
                        400 => ("invalid", "The continuation token is invalid."),
                        403 => ("forbidden", "Access denied."),
                        _ => ("not-found", "The search does not exist any more."),
                    };
                    return Err(Refusal::new(expiry.status, code, text));
                }
                cursor.pass
            }
        };
        let page = self.collect(search, &sequence, start, offset);
        if let Some(answer) = self.broken(kind, &page.entries.iter().map(|(slot, _)| slot.index)) {
            return Ok(answer);
        }
        let flaws = self.flaws(search, &page);
        let members = self.members(search, &sequence, &page, pass, &flaws);
        let tag = self.tag(search, &members);
        if let Some(tag) = &tag
            && is_known(self.known, tag)
        {
            return Ok(Answer::empty(304).with("etag", tag.clone()));
        }
        let answer = Answer::json(200, self.bundle(search, &flaws, &members));
        Ok(if let Some(tag) = tag { answer.with("etag", tag) } else { answer })
    }

    /// The ETag of a page, where it has one.
    fn tag(&self, search: &Search, members: &[(&'static str, String)]) -> Option<String> {
        if self.active.strikes(Fault::EtagNeverChanges, Some(search.kind), search.key) {
            return Some("W/\"1\"".to_owned());
        }
        let shown = || members.iter().map(|(name, value)| format!("{name}:{value}")).collect::<String>();
        self.options.offers(Offer::SearchEtags).then(|| format!("W/\"{:016x}\"", hash(shown().as_bytes())))
    }

    /// The bundle that tells how many a search finds.
    fn number_of(&self, search: &Search, sequence: &Sequence) -> String {
        let total = self.truth(search, sequence);
        let url = json_string(&Self::url(search, self.base, None));
        format!(
            r#"{{"resourceType":"Bundle","id":"{:016x}","type":"searchset","total":{total},"link":[{{"relation":"self","url":{url}}}]}}"#,
            mix(self.key, self.number)
        )
    }

    /// What comes instead of a page or a resource where a lasting fault meets one of these resources.
    pub(super) fn broken(&self, kind: ResourceType, indexes: &(impl Iterator<Item = u64> + Clone)) -> Option<Answer> {
        let met = |fault| self.active.is_victim(fault, self.catalogue, kind, indexes.clone());
        if met(Fault::PermanentFailure) {
            self.active.note(Fault::PermanentFailure);
            return Some(Answer::outcome(500, "exception", "Object reference not set to an instance of an object."));
        }
        if met(Fault::OffHostRedirect) {
            self.active.note(Fault::OffHostRedirect);
            return Some(Answer::redirect(307, format!("{}{}", self.other, self.target)));
        }
        if met(Fault::NestingBomb) {
            self.active.note(Fault::NestingBomb);
            return Some(Answer::json(200, super::fault::nesting_bomb()));
        }
        if self.gzip && met(Fault::CompressionBomb) {
            self.active.note(Fault::CompressionBomb);
            return Some(Answer { bomb: true, ..Answer::json(200, String::new()) });
        }
        None
    }

    /// Resource `index` as it is now: of an older version while the newer one is not out.
    pub(super) fn resource(&self, kind: ResourceType, index: u64, newer: bool) -> String {
        let mut json = self.catalogue.payer.resource(kind, index);
        if !newer && self.active.is_changing(kind, index, self.catalogue) {
            json = older(kind, &json);
        }
        if kind == ResourceType::List && self.active.strikes(Fault::ListDatesMove, Some(kind), 0) {
            let moved = self.now + Duration::from_millis(self.number);
            json = dated(&json, &instant(moved), Some(self.number));
        }
        if self.active.is_from_2099(kind, index, self.catalogue) {
            self.active.note(Fault::From2099);
            json = dated(&json, "2099-01-01T00:00:00.000Z", None);
        }
        json
    }

    fn sequence(&self, search: &Search, turn: u64) -> Sequence {
        let kind = search.kind;
        let vanished = self.active.vanished(kind, self.catalogue);
        let gone = self.catalogue.payer.gone(kind);
        let plain = if let Some(indexes) = &search.among {
            let gone = |index: &u64| {
                vanished.as_ref().is_some_and(|vanished| vanished.binary_search(index).is_ok())
                    || gone.binary_search(index).is_ok()
            };
            Sequence::Some(indexes.iter().copied().filter(|index| !gone(index)).collect())
        } else {
            let hidden = self.catalogue.hidden(kind);
            let left_out = if vanished.is_none() && gone.is_empty() {
                hidden
            } else {
                let vanished = vanished.unwrap_or_default();
                let mut all: Vec<_> = hidden.iter().chain(vanished.iter()).chain(&gone).copied().collect();
                all.sort_unstable();
                all.dedup();
                Arc::new(all)
            };
            let mut newer = self.active.changed(kind, self.catalogue);
            if newer.iter().any(|index| gone.binary_search(index).is_ok()) {
                newer = Arc::new(newer.iter().copied().filter(|index| gone.binary_search(index).is_err()).collect());
            }
            Sequence::All { count: self.catalogue.payer.count(kind), left_out, newer }
        };
        self.ordered(search, plain, turn)
    }

    /// The sequence in the order in which the search shows it.
    fn ordered(&self, search: &Search, plain: Sequence, turn: u64) -> Sequence {
        let kind = search.kind;
        if search.is_sorted() {
            let ranks = self.catalogue.ranks(kind);
            let mut slots = plain.slots();
            let rank = |slot: &Slot| usize::try_from(slot.index).ok().and_then(|index| ranks.get(index)).copied();
            slots.sort_by_key(|slot| (slot.newer, rank(slot)));
            return Sequence::Ordered(slots);
        }
        if !search.by_offset {
            return plain;
        }
        let moves = self.active.strikes(Fault::OrderMoves, Some(kind), search.key);
        let shifts = self.active.strikes(Fault::OrderShifts, Some(kind), search.key);
        if !moves && !shifts {
            return plain;
        }
        let mut slots = plain.slots();
        if moves {
            let key = self.active.draw(Fault::OrderMoves, search.key, turn);
            slots.sort_by_key(|slot| mix(key, slot.position));
        } else {
            let by = usize::try_from(turn).unwrap_or(0).checked_rem(slots.len()).unwrap_or(0);
            slots.rotate_left(by);
        }
        Sequence::Ordered(slots)
    }

    /// Where the page begins, as a position and, by offset, as a number of entries.
    fn start(&self, search: &Search, sequence: &Sequence) -> (u64, u64) {
        match search.start {
            Start::First => (0, 0),
            Start::Cursor(cursor) => (cursor.position, 0),
            Start::Offset(offset) if search.wanted.is_anything() => (sequence.position_of(offset), offset),
            Start::Offset(offset) => {
                let mut position = 0;
                for _ in 0..offset {
                    match self.next_wanted(search, sequence, position) {
                        Some((slot, _)) => position = slot.position + 1,
                        None => return (sequence.end(), offset),
                    }
                }
                (position, offset)
            }
        }
    }

    fn next_wanted(&self, search: &Search, sequence: &Sequence, from: u64) -> Option<(Slot, String)> {
        // In a pass through all of a type the newer versions stand at the end, the older ones in place.
        let in_place = search.among.is_none() && search.kind != ResourceType::List;
        let mut position = from;
        loop {
            let slot = sequence.at_or_after(position)?;
            let newer = slot.newer || (!in_place && self.active.has_changed(search.kind));
            let json = self.resource(search.kind, slot.index, newer);
            if search.wanted.takes(&json) {
                return Some((slot, json));
            }
            position = slot.position + 1;
        }
    }

    fn collect(&self, search: &Search, sequence: &Sequence, start: u64, offset: u64) -> Page {
        let count = usize::try_from(search.count).unwrap_or(usize::MAX);
        let (mut entries, mut position) = (Vec::new(), start);
        while entries.len() < count
            && search.spoilt != Some(Spoilt::Empty)
            && let Some((slot, json)) = self.next_wanted(search, sequence, position)
        {
            position = slot.position + 1;
            entries.push((slot, json));
        }
        let next = if count == 0 || search.spoilt == Some(Spoilt::Empty) {
            None
        } else if search.wanted.is_anything() {
            sequence.at_or_after(position).map(|slot| slot.position)
        } else {
            self.next_wanted(search, sequence, position).map(|(slot, _)| slot.position)
        };
        Page { entries, start, next, offset }
    }

    /// What a page says but for its id and its time: total, links and entries.
    fn members(
        &self,
        search: &Search,
        sequence: &Sequence,
        page: &Page,
        pass: u32,
        flaws: &Flaws,
    ) -> Vec<(&'static str, String)> {
        let mut members = Vec::new();
        if let Some(total) = self.total(search, sequence, page, flaws) {
            members.push(("total", total.to_string()));
        }
        let list = |links: &[(&str, String)]| {
            let link =
                |(relation, url): &(&str, String)| format!(r#"{{"relation":"{relation}","url":{}}}"#, json_string(url));
            format!("[{}]", links.iter().map(link).collect::<Vec<_>>().join(","))
        };
        let mut links = self.links(search, sequence, page, pass);
        links.retain(|(relation, _)| !(flaws.is_last && *relation == "next"));
        members.push(("link", list(&links)));
        let entries = self.entries(search.kind, page, flaws);
        if !entries.is_empty() {
            members.push(("entry", format!("[{}]", entries.join(","))));
        }
        self.stand_twice(search, &mut members, || {
            links.retain(|(relation, _)| *relation != "next");
            let half = entries.get(..entries.len() / 2).unwrap_or_default();
            [("link", list(&links)), ("entry", format!("[{}]", half.join(","))), ("total", "0".to_owned())]
        });
        members
    }

    fn bundle(&self, search: &Search, flaws: &Flaws, members: &[(&'static str, String)]) -> String {
        let now = instant(self.now);
        let id = mix(self.key, self.number);
        let mut text = format!(r#"{{"resourceType":"Bundle","id":"{id:016x}","meta":{{"lastUpdated":"{now}""#);
        // As the first target does: two kinds of server behind one address.
        if search.by_offset {
            let _ = write!(text, r#","versionId":"{:08x}-0000-4000-8000-{id:012x}"}}"#, id >> 32);
            let _ = write!(text, r#","timestamp":"{now}""#);
        } else {
            text.push('}');
        }
        let _ = write!(text, r#","type":"{}""#, flaws.bundle_type);
        for (name, value) in members {
            let _ = write!(text, r#","{name}":{value}"#);
        }
        text.push('}');
        text
    }

    /// How many the search finds.
    fn truth(&self, search: &Search, sequence: &Sequence) -> u64 {
        if search.wanted.is_anything() {
            return sequence.shown();
        }
        let (mut found, mut position) = (0, 0);
        while let Some((slot, _)) = self.next_wanted(search, sequence, position) {
            found += 1;
            position = slot.position + 1;
        }
        found
    }

    fn total(&self, search: &Search, sequence: &Sequence, page: &Page, flaws: &Flaws) -> Option<u64> {
        if flaws.tells_total {
            return Some(self.truth(search, sequence));
        }
        let truth = sequence.shown();
        if self.active.strikes(Fault::WrongTotal, Some(search.kind), search.key) {
            return Some(match self.active.draw(Fault::WrongTotal, search.key, 1) % 4 {
                0 => 0,
                1 => page.entries.len() as u64,
                2 => truth / 2,
                _ => 3 * truth + 7,
            });
        }
        if search.spoilt == Some(Spoilt::Empty) {
            return Some(0);
        }
        (search.total && search.wanted.is_anything()).then_some(truth)
    }

    fn links(&self, search: &Search, sequence: &Sequence, page: &Page, pass: u32) -> Vec<(&'static str, String)> {
        let kind = search.kind;
        let count = u64::from(search.count);
        let mut links = vec![(
            "self",
            Self::url(search, self.base, search.by_offset.then_some(("_skip", page.offset.to_string()))),
        )];
        let mut next = page.next.map(|next| {
            // An overlap never stops the pass: at least one entry of each page is a new one.
            let overlap = page.entries.len().saturating_sub(1).min(3);
            let overlap =
                if self.active.strikes(Fault::OverlappingPages, Some(kind), search.key) { overlap } else { 0 };
            if search.by_offset {
                let entries = (page.entries.len() - overlap) as u64;
                return ("_skip", (page.offset + entries).to_string());
            }
            let position = match overlap {
                0 => next,
                _ => page.entries.iter().rev().nth(overlap - 1).map_or(next, |(slot, _)| slot.position),
            };
            let back = self.is_turning_point(search, page).then_some(page.start);
            ("ct", Cursor { search: search.key, pass, position, count: search.count, back }.encode())
        });
        if let Some(place) = self.way_back(search, sequence, page, pass) {
            next = Some(place);
        }
        let host = if self.active.victim_kind(Fault::OffHostNext, self.catalogue) == Some(kind) && next.is_some() {
            self.active.note(Fault::OffHostNext);
            self.other
        } else if next.is_some() && self.active.strikes(Fault::RelativeNext, Some(kind), search.key) {
            ""
        } else {
            self.base
        };
        let met =
            |fault| self.active.is_victim(fault, self.catalogue, kind, page.entries.iter().map(|(slot, _)| slot.index));
        if met(Fault::NextLoopSelf) {
            self.active.note(Fault::NextLoopSelf);
            links.push(("next", format!("{}{}", self.base, self.target)));
        } else if met(Fault::NextLoopSpelling) {
            self.active.note(Fault::NextLoopSpelling);
            links.push(("next", self.spelled_otherwise(search, page, pass)));
        } else if let Some(place) = next {
            let mut url = Self::url(search, host, Some(place));
            if host.is_empty() && self.active.draw(Fault::RelativeNext, self.key, 1).is_multiple_of(2) {
                url = url.split_once('?').map_or(url.clone(), |(_, query)| format!("?{query}"));
            }
            if met(Fault::NextLinkHuge) {
                self.active.note(Fault::NextLinkHuge);
                url.push_str("&trace=");
                url.extend(std::iter::repeat_n('x', HUGE_LINK));
            }
            links.push(("next", url));
        }
        if search.by_offset && count > 0 && search.wanted.is_anything() {
            let last = sequence.shown().saturating_sub(1) / count * count;
            links.push(("last", Self::url(search, self.base, Some(("_skip", last.to_string())))));
        }
        links
    }

    /// Whether the page after this one must lead back to it.
    fn is_turning_point(&self, search: &Search, page: &Page) -> bool {
        let indexes = page.entries.iter().map(|(slot, _)| slot.index);
        self.active.is_victim(Fault::NextLoopPair, self.catalogue, search.kind, indexes)
    }

    /// Where the next link of this page leads, if it is the second of a pair that goes in circles.
    fn way_back(&self, search: &Search, sequence: &Sequence, page: &Page, pass: u32) -> Option<(&'static str, String)> {
        let place = match search.start {
            Start::Cursor(cursor) => {
                let position = cursor.back?;
                ("ct", Cursor { search: search.key, pass, position, count: search.count, back: None }.encode())
            }
            Start::Offset(offset) => {
                let before = offset.checked_sub(u64::from(search.count))?;
                let positions = sequence.position_of(before)..page.start;
                let indexes = positions.filter_map(|position| sequence.at_or_after(position)).map(|slot| slot.index);
                let met = self.active.is_victim(Fault::NextLoopPair, self.catalogue, search.kind, indexes);
                met.then(|| ("_skip", before.to_string()))?
            }
            Start::First => return None,
        };
        self.active.note(Fault::NextLoopPair);
        Some(place)
    }

    pub(super) fn url(search: &Search, host: &str, place: Option<(&str, String)>) -> String {
        let mut url = format!("{host}/api/{}?", search.kind);
        for (name, value) in &search.echo {
            let _ = write!(url, "{name}={}&", query_value(value));
        }
        let _ = write!(url, "_count={}", search.count);
        if let Some((name, value)) = place {
            let _ = write!(url, "&{name}={}", query_value(&value));
        }
        url
    }

    fn entries(&self, kind: ResourceType, page: &Page, flaws: &Flaws) -> Vec<String> {
        let doubles = self.active.strikes(Fault::Duplicates, Some(kind), self.key);
        let mut entries = Vec::with_capacity(page.entries.len());
        for (nth, (slot, json)) in page.entries.iter().enumerate().take(flaws.kept) {
            let entry = self.entry(kind, slot.index, json);
            if doubles && nth % 3 == 0 {
                entries.push(entry.clone());
            }
            entries.push(entry);
        }
        if let Some(severity) = flaws.error {
            let outcome = outcome("exception", "The search could not be finished.");
            let outcome = outcome.replace("\"error\"", &format!("\"{severity}\""));
            entries.push(format!(r#"{{"resource":{outcome},"search":{{"mode":"outcome"}}}}"#));
        }
        if self.active.strikes(Fault::EntryWithoutResource, Some(kind), self.key) {
            let url = json_string(&format!("{}/api/{kind}/{}", self.base, page.first_id()));
            entries.push(format!(r#"{{"fullUrl":{url},"search":{{"mode":"match"}}}}"#));
            entries.insert(0, format!(r#"{{"fullUrl":{url},"resource":null}}"#));
        }
        if self.active.strikes(Fault::ForeignResources, Some(kind), self.key) {
            let warning =
                outcome("informational", "The page was made smaller.").replace("\"error\"", "\"information\"");
            let base = self.base;
            entries.insert(0, format!(r#"{{"resource":{warning},"search":{{"mode":"outcome"}}}}"#));
            entries.push(format!(
                r#"{{"fullUrl":"{base}/api/HealthcareService/hs-1","resource":{{"resourceType":"HealthcareService","id":"hs-1","active":true}},"search":{{"mode":"include"}}}}"#
            ));
            entries.push(r#"{"resource":{"resourceType":"Endpoint","id":"ep-1","status":"active"}}"#.to_owned());
        }
        entries
    }

    fn entry(&self, kind: ResourceType, index: u64, json: &str) -> String {
        let id = id_of(json);
        let json = mangle_resource(self.active, self.catalogue, kind, index, json.to_owned());
        let base = self.base;
        let full_url = if id.is_empty() {
            String::new()
        } else {
            format!("\"fullUrl\":{},", json_string(&format!("{base}/api/{kind}/{id}")))
        };
        let resource = self.resource_twice(kind, &json).unwrap_or_else(|| format!("\"resource\":{json}"));
        format!(r#"{{{full_url}{resource},"search":{{"mode":"match"}}}}"#)
    }
}

impl Page {
    fn first_id(&self) -> String {
        self.entries.first().map(|(_, json)| id_of(json)).unwrap_or_default()
    }
}

/// Whether an `If-None-Match` names this tag.
pub(super) fn is_known(known: &str, tag: &str) -> bool {
    known.split(',').any(|one| one.trim() == tag || one.trim() == "*")
}
