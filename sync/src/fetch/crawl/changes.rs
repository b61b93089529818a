//! Asking only for what changed, where the server proves that it can tell.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::Result;
use jiff::{SignedDuration, Timestamp};

use super::paging::Query;
use super::session::Session;
use super::survey;
use super::walk::{Walk, Walked, content};
use crate::fetch::http::client::{Answer, Want};
use crate::fhir::instant::instant;
use crate::fhir::json;
use crate::fhir::page::{self, Body, CHECKED, Entry};
use crate::staging::{Group, Pass, Purpose};

/// What changed is asked for from so long before the last reading began: servers show what they are told late, and
/// some take "from" for "after".
const OVERLAP: SignedDuration = SignedDuration::from_hours(1);
/// The same where the server does not tell its time.
const OVERLAP_OF_CLOCKS: SignedDuration = SignedDuration::from_hours(24);
/// A resource that is dated later than this from now was not changed then.
const FUTURE: SignedDuration = SignedDuration::from_mins(5);

/// What is known of a type from earlier readings.
struct Known {
    /// The newest that is not dated in the future.
    newest: (Timestamp, u128),
    /// What those say that stand on a page which the server shows now.
    contents: BTreeMap<u128, BTreeSet<u128>>,
}

impl Session {
    /// Reads all resources of a type, or only those that changed since the last sync.
    ///
    /// Changes are enough only if the server offers `_lastUpdated` and proves that it heeds it: the newest resource
    /// that is known comes again (nothing would prove nothing), and nothing older does; a page of everything shows
    /// nothing that is neither known nor among the changes; and the server counts as many as are known then, so that
    /// nothing was removed.
    pub(crate) async fn walk_type(&self, key: &str, query: Query) -> Result<Walked> {
        if self.may_ask_changes
            && query.params.is_empty()
            && self.offers.parameter(&query.resource_type, "_lastUpdated")
        {
            if let Some(walked) = self.walk_changes(key, &query).await? {
                return Ok(walked);
            }
            self.chose(format!("{key}: everything is read again, the server does not prove what changed"));
        }
        self.walk(&Walk::over(key.to_owned(), query)).await
    }

    async fn walk_changes(&self, key: &str, query: &Query) -> Result<Option<Walked>> {
        let Some(mark) = self.mark(key) else {
            return Ok(None);
        };
        let whole = Walk::over(key.to_owned(), query.clone());
        let Some((shown, total)) = self.sample(&whole).await else {
            return Ok(None);
        };
        let Some(known) = self.known(&query.resource_type, &shown)? else {
            return Ok(None);
        };
        // One second before the newest, for servers that take "from" for "after".
        let since = mark.min(known.newest.0.saturating_sub(SignedDuration::from_secs(1)).unwrap_or(mark));
        let written = format!("ge{}", since.strftime("%Y-%m-%dT%H:%M:%SZ"));
        let is_since = |entry: &Entry<'_>| {
            let date = entry.updated.as_deref().and_then(instant);
            date.is_some_and(|date| date.as_second() >= since.as_second())
        };
        let changes = Walk {
            key: format!("{key}?_lastUpdated={written}"),
            query: Query {
                params: vec![("_lastUpdated".to_owned(), written)],
                expects_data: true,
                probe: true,
                ..query.clone()
            },
            purpose: Purpose::Changes,
            proof: Some(&|entries| entries.iter().all(is_since)),
            counted: false,
            own: None,
        };
        match self.walk(&changes).await? {
            Walked::Stopped => return Ok(Some(Walked::Stopped)),
            Walked::Complete(1..) => {}
            _ => return Ok(None),
        }
        let pass = self.writer().state(&changes.key).map(|state| state.pass.clone());
        let Some(pass) = pass.filter(|pass| pass.generation == self.generation) else { return Ok(None) };
        if !self.proves(&pass, &query.resource_type, &known, shown)? {
            return Ok(None);
        }
        let count = self.second_count(&whole).await.or(total);
        let generation = self.generation;
        let all = survey::distinct(&self.staged()?, &query.resource_type, |page| {
            page.pass.generation < generation && is_of_search(page) || page.pass == pass
        })?;
        if count != Some(all) {
            return Ok(None);
        }
        self.read_changes_of(&query.resource_type);
        Ok(Some(Walked::Complete(all)))
    }

    /// From when on changes are asked for: some time before the last complete reading of a query began.
    fn mark(&self, key: &str) -> Option<Timestamp> {
        let writer = self.writer();
        let generation = writer.former(key)?.pass.generation;
        let last = writer.live().ends.values().filter(|end| end.complete && end.pass.query.starts_with(key));
        // A reading of changes since then counts too.
        let of_changes = format!("{key}?_lastUpdated=");
        let last = last.filter(|end| end.pass.query.starts_with(&of_changes)).map(|end| end.pass.generation);
        let finished: BTreeSet<u32> =
            writer.live().finished.iter().filter(|finish| finish.complete).map(|finish| finish.generation).collect();
        let last = last.filter(|of| finished.contains(of) && *of < self.generation).max().unwrap_or(generation);
        let begin = writer.live().begun.iter().find(|begin| begin.generation == last.max(generation))?;
        let (time, overlap) = match &begin.server_time {
            Some(time) => (time, OVERLAP),
            None => (&begin.as_of, OVERLAP_OF_CLOCKS),
        };
        time.parse::<Timestamp>().ok()?.saturating_sub(overlap).ok()
    }

    /// The first page of everything: what its resources are and say, and how many there are.
    async fn sample(&self, walk: &Walk<'_>) -> Option<(BTreeMap<u128, u128>, Option<u64>)> {
        let resource_type = walk.query.resource_type.as_str();
        let url = walk.query.url(&self.base, self.size(resource_type), false);
        let Answer::Good { body, .. } = self.client.ask(&Want::new(&url, resource_type)).await else { return None };
        match page::look(&json::text(&body), resource_type, CHECKED) {
            Body::Page(page) if page.flaw.is_none() => {
                Some((page.of_type(resource_type).map(|entry| (entry.key(), content(entry))).collect(), page.total))
            }
            _ => None,
        }
    }

    /// What is known from earlier readings; `None` where a resource has no date, or none is there.
    fn known(&self, resource_type: &str, shown: &BTreeMap<u128, u128>) -> Result<Option<Known>> {
        let now = self.client.server_time().unwrap_or_else(|| self.client.clock.now());
        let latest = now.saturating_add(FUTURE).unwrap_or(now);
        let generation = self.generation;
        let mut newest: Option<(Timestamp, u128)> = None;
        let mut contents: BTreeMap<u128, BTreeSet<u128>> = BTreeMap::new();
        let mut all_dated = true;
        let earlier = move |page: &Group| page.pass.generation < generation;
        survey::each(&self.staged()?, resource_type, earlier, |entry| {
            let Some(date) = entry.updated.as_deref().and_then(instant) else {
                all_dated = false;
                return Ok(());
            };
            let key = entry.key();
            if date <= latest && newest.is_none_or(|(newest, _)| date > newest) {
                newest = Some((date, key));
            }
            if shown.contains_key(&key) {
                contents.entry(key).or_default().insert(content(entry));
            }
            Ok(())
        })?;
        Ok(newest.filter(|_| all_dated).map(|newest| Known { newest, contents }))
    }

    /// Whether a pass over changes brought the newest resource that was known, and whatever else a page of everything
    /// shows otherwise than it was known.
    fn proves(&self, pass: &Pass, resource_type: &str, known: &Known, mut shown: BTreeMap<u128, u128>) -> Result<bool> {
        shown.retain(|key, now| known.contents.get(key).is_none_or(|contents| !contents.contains(now)));
        let mut newest_came = false;
        survey::each(
            &self.staged()?,
            resource_type,
            |page| page.pass == *pass,
            |entry| {
                let key = entry.key();
                newest_came |= key == known.newest.1;
                if shown.get(&key) == Some(&content(entry)) {
                    shown.remove(&key);
                }
                Ok(())
            },
        )?;
        Ok(newest_came && shown.is_empty())
    }
}

fn is_of_search(page: &Group) -> bool {
    matches!(page.purpose, Purpose::Search | Purpose::Changes)
}
