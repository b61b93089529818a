//! Asking only for what changed, where the server proves that it can tell.

use coverdex_core::Result;
use jiff::Timestamp;

use crate::fetch::crawl::paging::Query;
use crate::fetch::crawl::session::Session;
use crate::fetch::crawl::survey;
use crate::fetch::crawl::walk::{Walk, Walked};
use crate::staging::{Group, Purpose};

impl Session {
    /// Reads all resources of a type, or only those that changed since the last sync.
    ///
    /// Changes are enough only if the server offers `_lastUpdated` and its answer proves that it
    /// heeds it: the newest resource that is known comes again (nothing would prove nothing), and
    /// nothing older does.
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
        self.walk(&Walk { key: key.to_owned(), query, purpose: Purpose::Search, proof: None }).await
    }

    async fn walk_changes(&self, key: &str, query: &Query) -> Result<Option<Walked>> {
        let Some((mark, written)) = self.newest(&query.resource_type)? else { return Ok(None) };
        let since = format!("ge{written}");
        let changes = Walk {
            key: format!("{key}?_lastUpdated={since}"),
            query: Query {
                params: vec![("_lastUpdated".to_owned(), since)],
                expects_data: true,
                probe: true,
                ..query.clone()
            },
            purpose: Purpose::Changes,
            proof: Some(&|entries| {
                entries.iter().all(|entry| {
                    entry.updated.as_deref().and_then(|text| text.parse::<Timestamp>().ok()).is_some_and(|t| t >= mark)
                })
            }),
        };
        match self.walk(&changes).await? {
            Walked::Complete(0) | Walked::NotServed(_) | Walked::Disproved => Ok(None),
            walked => {
                self.read_changes_of(&query.resource_type);
                Ok(Some(walked))
            }
        }
    }

    /// The newest `meta.lastUpdated` known before this generation, also as written; `None` where a
    /// resource has none.
    fn newest(&self, resource_type: &str) -> Result<Option<(Timestamp, String)>> {
        let staged = self.staged()?;
        let generation = self.generation;
        let mut newest: Option<(Timestamp, String)> = None;
        let mut all_dated = true;
        let earlier = move |page: &Group| page.pass.generation < generation;
        survey::each(&staged, resource_type, earlier, |entry| {
            let written = entry.updated.as_deref().unwrap_or_default();
            match written.parse::<Timestamp>() {
                Ok(date) if newest.as_ref().is_none_or(|(newest, _)| date > *newest) => {
                    newest = Some((date, written.to_owned()));
                }
                Ok(_) => {}
                Err(_) => all_dated = false,
            }
            Ok(())
        })?;
        Ok(newest.filter(|_| all_dated))
    }
}
