//! What a search asks for.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Deserialize;

use super::answer::Refusal;
use super::catalogue::Catalogue;
use super::codec::{base64, decode_base64, hash, nanoseconds, query_pairs, tolerant};
use super::fault::{Active, Fault, Spoilt};
use super::options::{Offer, Options};
use crate::{PROFILE_COVERAGE_PLAN, ResourceType};

/// `_count` above this meets the faults of counts.
const MODEST_COUNT: u32 = 25;

/// A search as it was understood.
pub(super) struct Search {
    pub(super) kind: ResourceType,
    /// The same for all pages and page sizes of one search, and for no other.
    pub(super) key: u64,
    /// The resources to go through, if not all of the type.
    pub(super) among: Option<Vec<u64>>,
    pub(super) wanted: Wanted,
    pub(super) start: Start,
    pub(super) count: u32,
    /// Whether pages are counted by `_skip`.
    pub(super) by_offset: bool,
    pub(super) total: bool,
    /// Parameters other than those of paging, as its links repeat them.
    pub(super) echo: Vec<(String, String)>,
    /// What is wrong with the page.
    pub(super) spoilt: Option<Spoilt>,
}

impl Search {
    fn has(&self, parameter: &str) -> bool {
        self.echo.iter().any(|(name, _)| name == parameter)
    }

    /// Whether it is in the order of the ids.
    pub(super) fn is_sorted(&self) -> bool {
        self.has("_sort")
    }

    /// Whether it is for the number alone, without entries.
    pub(super) fn is_count_only(&self) -> bool {
        self.has("_summary")
    }
}

/// Where a page begins.
pub(super) enum Start {
    First,
    Offset(u64),
    Cursor(Cursor),
}

/// What a cursor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) search: u64,
    pub(super) pass: u32,
    pub(super) position: u64,
    pub(super) count: u32,
    /// Where the page began that gave this cursor, if the next page must lead back there.
    pub(super) back: Option<u64>,
}

impl Cursor {
    /// The value of `ct`: base64 with all the letters that must be percent-encoded, and nothing for a
    /// client to read.
    pub(super) fn encode(&self) -> String {
        let back = self.back.map_or_else(|| "-".to_owned(), |back| back.to_string());
        let text = format!("{:016x}?{}?{}?{}?{back}", self.search, self.pass, self.position, self.count);
        base64(format!("~~~>{text}?{:016x}", hash(text.as_bytes())).as_bytes())
    }

    pub(super) fn decode(value: &str) -> Option<Self> {
        let text = String::from_utf8(decode_base64(value)?).ok()?;
        let (text, sum) = text.strip_prefix("~~~>")?.rsplit_once('?')?;
        if u64::from_str_radix(sum, 16).ok()? != hash(text.as_bytes()) {
            return None;
        }
        let mut parts = text.split('?');
        let cursor = Self {
            search: u64::from_str_radix(parts.next()?, 16).ok()?,
            pass: parts.next()?.parse().ok()?,
            position: parts.next()?.parse().ok()?,
            count: parts.next()?.parse().ok()?,
            back: parts.next()?.parse().ok(),
        };
        Some(cursor)
    }
}

/// What a resource must be like, beyond being gone through.
#[derive(Default)]
pub(super) struct Wanted {
    tag: Option<Token>,
    active: Option<bool>,
    updated: Vec<(Comparison, i128)>,
}

struct Token {
    system: Option<String>,
    code: String,
}

#[derive(Clone, Copy)]
enum Comparison {
    Equal,
    After,
    NotBefore,
    Before,
    NotAfter,
}

#[derive(Deserialize)]
struct Peek<'a> {
    #[serde(borrow)]
    meta: Option<Meta<'a>>,
    active: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow)]
    tag: Option<Vec<Tag<'a>>>,
    #[serde(borrow, rename = "lastUpdated")]
    last_updated: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(borrow)]
    system: Option<Cow<'a, str>>,
    #[serde(borrow)]
    code: Option<Cow<'a, str>>,
}

impl Wanted {
    /// Whether everything is wanted.
    pub(super) fn is_anything(&self) -> bool {
        self.tag.is_none() && self.active.is_none() && self.updated.is_empty()
    }

    /// Whether this resource is wanted. One that cannot be read is not.
    pub(super) fn takes(&self, json: &str) -> bool {
        if self.is_anything() {
            return true;
        }
        tolerant(json, |json| Some(self.takes_what_it_says(&serde_json::from_str(json).ok()?))).unwrap_or(false)
    }

    fn takes_what_it_says(&self, peek: &Peek<'_>) -> bool {
        let meta = peek.meta.as_ref();
        let (tags, updated) =
            (meta.and_then(|meta| meta.tag.as_ref()), meta.and_then(|meta| meta.last_updated.as_deref()));
        let tagged = self.tag.as_ref().is_none_or(|token| {
            tags.into_iter().flatten().any(|tag| {
                let system = tag.system.as_deref().unwrap_or("");
                let code = tag.code.as_deref().unwrap_or("");
                token.system.as_deref().is_none_or(|wanted| wanted == system)
                    && (token.code.is_empty() || token.code == code)
            })
        });
        let active = self.active.is_none_or(|wanted| peek.active == Some(serde_json::Value::Bool(wanted)));
        let time = updated.and_then(nanoseconds);
        let in_time = self.updated.iter().all(|(comparison, wanted)| {
            time.is_some_and(|time| match comparison {
                Comparison::Equal => time == *wanted,
                Comparison::After => time > *wanted,
                Comparison::NotBefore => time >= *wanted,
                Comparison::Before => time < *wanted,
                Comparison::NotAfter => time <= *wanted,
            })
        });
        tagged && active && in_time
    }
}

fn comparison(value: &str) -> Option<(Comparison, i128)> {
    let (comparison, date) = match value.get(..2) {
        Some("eq") => (Comparison::Equal, value.get(2..)),
        Some("gt") => (Comparison::After, value.get(2..)),
        Some("ge") => (Comparison::NotBefore, value.get(2..)),
        Some("lt") => (Comparison::Before, value.get(2..)),
        Some("le") => (Comparison::NotAfter, value.get(2..)),
        _ => (Comparison::Equal, Some(value)),
    };
    Some((comparison, nanoseconds(date?)?))
}

/// What a query's parameters are read with.
pub(super) struct Reader<'a> {
    pub(super) options: &'a Options,
    pub(super) catalogue: &'a Catalogue,
    pub(super) active: &'a Active,
}

/// A query's parameters, as far as they are read.
#[derive(Default)]
struct Draft {
    among: Option<Vec<u64>>,
    wanted: Wanted,
    echo: Vec<(String, String)>,
    total: Option<bool>,
    asked: Option<u32>,
    skip: Option<u64>,
    cursor: Option<Cursor>,
    by_offset: bool,
    /// Whether `_profile` is there, and the right one.
    profile: Option<bool>,
    identified: bool,
}

/// What became of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// It is heeded, and links repeat it.
    Yes,
    /// It is heeded, or not, and links do not repeat it.
    InSilence,
    /// It is none that the search has.
    No,
}

/// Every parameter, as it is spelled where letter case is not heeded.
const PARAMETERS: [&str; 14] = [
    "_count",
    "_skip",
    "ct",
    "_total",
    "_profile",
    "identifier",
    "_id",
    "code",
    "DrugPlan",
    "_tag",
    "active",
    "_lastUpdated",
    "_sort",
    "_summary",
];

impl Reader<'_> {
    /// Understands the query of a search. `raw` is the query as it came.
    pub(super) fn read(&self, kind: ResourceType, raw: &str) -> Result<Search, Refusal> {
        if raw.contains('|') {
            return Err(Refusal::invalid("a `|` in a query must be encoded as %7C"));
        }
        let mut draft = Draft { by_offset: self.options.offset_paging.contains(&kind), ..Draft::default() };
        // Who is led back under another spelling is understood.
        let is_lenient = self.active.victim_kind(Fault::NextLoopSpelling, self.catalogue) == Some(kind);
        for (mut name, value) in query_pairs(raw) {
            if is_lenient && let Some(known) = PARAMETERS.iter().find(|known| known.eq_ignore_ascii_case(&name)) {
                (*known).clone_into(&mut name);
            }
            if self.options.ignored.contains(&name) {
                continue;
            }
            let mut taken = self.paging(kind, &mut draft, &name, &value)?;
            if taken == Taken::No {
                taken = self.narrowing(kind, &mut draft, &name, &value)?;
            }
            match taken {
                Taken::Yes => draft.echo.push((name, value)),
                Taken::No if self.options.strict && !is_lenient => {
                    return Err(Refusal::new(400, "not-supported", format!("{kind} has no search parameter `{name}`")));
                }
                Taken::InSilence | Taken::No => {}
            }
        }
        if kind == ResourceType::List {
            self.require_profile(&mut draft)?;
        }
        self.finish(kind, draft)
    }

    /// Takes a parameter of paging.
    fn paging(&self, kind: ResourceType, draft: &mut Draft, name: &str, value: &str) -> Result<Taken, Refusal> {
        match name {
            "_count" => draft.asked = Some(number(name, value)?),
            "_skip" => {
                let skip = number(name, value)?;
                let lost = self.active.victim(Fault::PageLostSkipIgnored, self.catalogue);
                let ignored = lost.is_some_and(|(of, index)| {
                    // Where pages are counted by it, it is ignored beyond the page that is the last one.
                    of == kind && (skip > index || !self.options.offset_paging.contains(&kind))
                });
                draft.skip = Some(if ignored { 0 } else { skip });
            }
            "ct" => {
                let invalid = || Refusal::invalid("The continuation token is invalid.");
                draft.cursor = Some(Cursor::decode(value).ok_or_else(invalid)?);
            }
            "_total" => {
                if self.active.strikes(Fault::TotalRefused, Some(kind), 0) {
                    return Err(Refusal::new(400, "not-supported", "`_total` is not supported"));
                }
                draft.total = Some(match value {
                    "none" => false,
                    "estimate" | "accurate" => true,
                    _ => return Err(Refusal::invalid("`_total` is none, estimate or accurate")),
                });
                return Ok(Taken::Yes);
            }
            "_sort" if self.options.offers(Offer::SortById) => {
                if value != "_id" {
                    return Err(Refusal::new(400, "not-supported", "results are sorted by `_id` alone"));
                }
                return Ok(Taken::Yes);
            }
            "_summary" if self.options.offers(Offer::CountOnly) => {
                if value != "count" {
                    return Err(Refusal::new(400, "not-supported", "`_summary` is count"));
                }
                return Ok(Taken::Yes);
            }
            _ => return Ok(Taken::No),
        }
        Ok(Taken::InSilence)
    }

    /// Takes a parameter that says which resources are meant.
    fn narrowing(&self, kind: ResourceType, draft: &mut Draft, name: &str, value: &str) -> Result<Taken, Refusal> {
        let droppable = matches!(
            (name, kind),
            ("identifier", ResourceType::List)
                | ("DrugPlan", ResourceType::MedicationKnowledge)
                | ("_tag" | "active", ResourceType::PractitionerRole)
        );
        if droppable && self.active.strikes(Fault::SelfDropsParameter, Some(kind), 0) {
            return Ok(Taken::InSilence);
        }
        let code = value.rsplit('|').next().unwrap_or("");
        match (name, kind) {
            ("_profile", ResourceType::List) => draft.profile = Some(value == PROFILE_COVERAGE_PLAN),
            ("identifier", ResourceType::List) => {
                draft.identified = true;
                draft.among = Some(self.catalogue.payer.lists_of(code));
            }
            ("_id", _) if self.options.offers(Offer::IdSearch) => {
                let indexes = value.split(',').filter_map(|id| self.catalogue.payer.index_of(kind, id));
                let indexes: BTreeSet<_> = indexes.collect();
                draft.among = Some(indexes.into_iter().collect());
            }
            ("code", ResourceType::MedicationKnowledge) if self.options.offers(Offer::CodeSearch) => {
                draft.among = Some(self.catalogue.with_code(code));
                draft.by_offset = true;
                draft.total = Some(draft.total.unwrap_or(true));
            }
            ("DrugPlan", ResourceType::MedicationKnowledge) if self.options.offers(Offer::PlanSearch) => {
                draft.among = Some(self.catalogue.of_plan(value));
            }
            ("_tag", ResourceType::PractitionerRole) => {
                draft.wanted.tag = Some(match value.split_once('|') {
                    Some((system, code)) => Token { system: Some(system.to_owned()), code: code.to_owned() },
                    None => Token { system: None, code: value.to_owned() },
                });
            }
            ("active", ResourceType::PractitionerRole) => {
                let invalid = |_| Refusal::invalid("`active` is true or false");
                draft.wanted.active = Some(value.parse().map_err(invalid)?);
            }
            ("_lastUpdated", _) if self.options.offers(Offer::LastUpdated) => {
                let invalid =
                    || Refusal::invalid("`_lastUpdated` is a date or an instant, with eq, gt, ge, lt or le before it");
                let (mut comparison, time) = comparison(value).ok_or_else(invalid)?;
                if self.active.strikes(Fault::LastUpdatedIgnored, Some(kind), 0) {
                    return Ok(Taken::InSilence);
                }
                if self.active.strikes(Fault::LastUpdatedIgnoredInSilence, Some(kind), 0) {
                    return Ok(Taken::Yes);
                }
                if matches!(comparison, Comparison::NotBefore) && self.active.strikes(Fault::GeAsGt, Some(kind), 0) {
                    comparison = Comparison::After;
                }
                draft.wanted.updated.push((comparison, time));
            }
            _ => return Ok(Taken::No),
        }
        Ok(Taken::Yes)
    }

    fn require_profile(&self, draft: &mut Draft) -> Result<(), Refusal> {
        match draft.profile {
            None => return Err(Refusal::new(400, "required", "List needs the parameter `_profile`")),
            Some(false) => draft.among = Some(Vec::new()),
            Some(true) if self.active.meets(Fault::SelfDropsParameter, Some(ResourceType::List), 0) => {}
            Some(true) if !draft.identified && !self.options.offers(Offer::ListsByProfile) => {
                return Err(Refusal::new(400, "required", "List needs the parameter `identifier`"));
            }
            Some(true) => {}
        }
        Ok(())
    }

    fn finish(&self, kind: ResourceType, draft: Draft) -> Result<Search, Refusal> {
        let Draft { mut among, wanted, echo, total, asked, skip, cursor, by_offset, .. } = draft;
        if self.options.empty.contains(&kind) {
            among = Some(Vec::new());
        }
        // What no search shows, no search shows: not by its id or code either.
        if let Some(indexes) = &mut among {
            let hidden = self.catalogue.hidden(kind);
            indexes.retain(|index| hidden.binary_search(index).is_err());
        }
        if self.options.offers(Offer::IdSearch)
            && echo.iter().any(|(name, _)| name == "_id")
            && let Some(indexes) = &mut among
        {
            indexes.retain(|index| !self.active.is_gone_by_id(kind, *index));
        }
        let mut canonical = kind.to_string();
        for (name, value) in echo.iter().filter(|(name, _)| name != "_total") {
            canonical.extend(["&", name, "=", value]);
        }
        let key = hash(canonical.as_bytes());
        let (mut count, mut spoilt) = (self.options.page_size(kind, asked), None);
        if asked.is_some_and(|asked| asked > MODEST_COUNT) {
            if self.active.strikes(Fault::CountRefused, Some(kind), 0) {
                return Err(Refusal::new(400, "too-costly", format!("`_count` is at most {MODEST_COUNT}")));
            }
            spoilt = self.active.strikes(Fault::CountEmpty, Some(kind), 0).then_some(Spoilt::Empty);
            if self.active.strikes(Fault::CountCapped, Some(kind), 0) {
                count = count.min(MODEST_COUNT);
            }
        }
        let start = match (cursor, skip) {
            (Some(cursor), _) if cursor.search != key => {
                return Err(Refusal::invalid("The continuation token is invalid."));
            }
            (Some(cursor), _) => {
                count = cursor.count;
                Start::Cursor(cursor)
            }
            (None, Some(skip)) => Start::Offset(skip),
            (None, None) => Start::First,
        };
        let by_offset = by_offset || skip.is_some();
        let total = total.unwrap_or(kind == ResourceType::Practitioner);
        Ok(Search { kind, key, among, wanted, start, count, by_offset, total, echo, spoilt })
    }
}

fn number<N: std::str::FromStr>(name: &str, value: &str) -> Result<N, Refusal> {
    value.parse().map_err(|_| Refusal::invalid(format!("`{name}` is a number from 0 on")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_went_and_an_altered_one_does_not() {
        for back in [None, Some(0), Some(40)] {
            let cursor = Cursor { search: 0xdead_beef, pass: 2, position: 1 << 40, count: 100, back };
            let text = cursor.encode();
            assert_eq!(Cursor::decode(&text), Some(cursor));
            let mut altered = text.into_bytes();
            altered[12] ^= 1;
            assert_eq!(Cursor::decode(&String::from_utf8(altered).unwrap()), None);
        }
        assert_eq!(Cursor::decode("nonsense"), None);
    }

    #[test]
    fn dates_compare_as_instants() {
        let json = r#"{"meta":{"lastUpdated":"2026-05-17T08:11:28.6293549+00:00"}}"#;
        for (value, taken) in [
            ("gt2026-05-17T08:11:28.629354Z", true),
            ("gt2026-05-17T10:11:28.6293549+02:00", false),
            ("ge2026-05-17T10:11:28.6293549+02:00", true),
            ("lt2026-05-18", true),
            ("le2026-05-17", false),
            ("2026-05-17T08:11:28.6293549Z", true),
        ] {
            let wanted = Wanted { updated: vec![comparison(value).unwrap()], ..Wanted::default() };
            assert_eq!(wanted.takes(json), taken, "{value}");
        }
    }
}
