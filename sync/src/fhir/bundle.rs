//! Bundles: pages of a search, collections, transactions.

use super::json::{self, Unreadable};

/// A Bundle whose entries are still raw, so that one bad entry does not sink the page.
#[derive(Debug)]
pub(crate) struct Bundle<'a> {
    /// `searchset`, `collection`, …
    pub(crate) kind: Option<String>,
    /// `total`, a hint at best.
    pub(crate) total: Option<u64>,
    /// (relation, address), in their order; a link without an address that can be read has an empty one.
    pub(crate) links: Vec<(String, String)>,
    /// The entries, in their order.
    pub(crate) entries: Vec<BundleEntry<'a>>,
}

/// One entry of a Bundle.
#[derive(Debug, Default)]
pub(crate) struct BundleEntry<'a> {
    /// `fullUrl`.
    pub(crate) full_url: Option<String>,
    /// Whether `search.mode` is `outcome`: a message about the search, no match.
    pub(crate) is_outcome: bool,
    /// The resource, if the entry holds one.
    pub(crate) resource: Option<&'a str>,
    /// Why the entry cannot be read, if it cannot: what it holds is not known.
    pub(crate) unreadable: Option<String>,
}

impl<'a> Bundle<'a> {
    /// Splits a Bundle into its entries; `None` for JSON that is no Bundle.
    pub(crate) fn read(text: &'a str) -> Result<Option<Self>, Unreadable> {
        let [of_type, kind, links, entries] = json::members(text, ["resourceType", "type", "link", "entry"])?;
        if json::word(of_type).as_deref() != Some("Bundle") {
            return Ok(None);
        }
        // Two totals are no total; it is a hint, and the page is not less for it.
        let [total] = json::members_or_none(text, ["total"]);
        let mut bundle = Self {
            kind: json::word(kind).map(Into::into),
            total: total.and_then(json::number),
            links: Vec::new(),
            entries: Vec::new(),
        };
        json::list(links.unwrap_or("null"), |link| bundle.links.extend(self::link(link)))?;
        let entries = entries.map(str::trim).filter(|entries| !is_empty(entries));
        json::list(entries.unwrap_or("null"), |entry| bundle.entries.push(self::entry(entry)))?;
        Ok(Some(bundle))
    }

    /// The address of a link, as given; empty where the link has none that can be read.
    #[must_use]
    pub(crate) fn link(&self, relation: &str) -> Option<&str> {
        let mut links = self.links.iter().filter(|(name, _)| name.eq_ignore_ascii_case(relation));
        links.next().map(|(_, address)| address.as_str())
    }
}

impl BundleEntry<'_> {
    /// Whether something should stand here and does not: it cannot be read, or its address names what did not come.
    /// An entry that names nothing says nothing.
    pub(crate) fn lacks_something(&self) -> bool {
        self.resource.is_none() && (self.unreadable.is_some() || self.full_url.is_some())
    }
}

/// A link that contradicts itself is one whose address cannot be read: that there is one must not be lost.
fn link(text: &str) -> Option<(String, String)> {
    let [relation, url] = match json::members(text, ["relation", "url"]) {
        Ok(members) => members,
        Err(Unreadable::Twice(_)) => {
            let [relation] = json::members_or_none(text, ["relation"]);
            [relation.or(Some("\"next\"")), None]
        }
        Err(Unreadable::NotJson(_)) => return None,
    };
    let relation = json::word(relation)?.into_owned();
    Some((relation, url.and_then(json::string).unwrap_or_default().into_owned()))
}

fn entry(text: &str) -> BundleEntry<'_> {
    let text = text.trim();
    if is_empty(text) {
        return BundleEntry::default();
    }
    let unreadable = |why: String| BundleEntry { unreadable: Some(why), ..BundleEntry::default() };
    if !text.starts_with('{') {
        return unreadable("an entry that is no object".to_owned());
    }
    let [full_url, search, resource] = match json::members(text, ["fullUrl", "search", "resource"]) {
        Ok(members) => members,
        Err(Unreadable::Twice(name)) => {
            return unreadable(format!("an entry whose property {name:?} stands twice with different values"));
        }
        Err(Unreadable::NotJson(error)) => return unreadable(error.to_string()),
    };
    let [mode] = json::members_or_none(search.unwrap_or("null"), ["mode"]);
    let resource = resource.map(str::trim).filter(|resource| !is_empty(resource));
    let is_object = resource.is_none_or(|resource| resource.starts_with('{'));
    BundleEntry {
        full_url: json::word(full_url).map(Into::into),
        is_outcome: json::word(mode).is_some_and(|mode| mode.eq_ignore_ascii_case("outcome")),
        resource: resource.filter(|_| is_object),
        unreadable: (!is_object).then(|| "an entry whose resource is no object".to_owned()),
    }
}

fn is_empty(value: &str) -> bool {
    matches!(value, "null" | "{}" | "[]" | "\"\"")
}
