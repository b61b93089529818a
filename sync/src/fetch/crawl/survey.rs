//! What staging shows: which resources are there, what they refer to, which plans they name. Each
//! question reads the pages that it needs, so that an interrupted sync need remember nothing. `wanted`
//! chooses among the groups of pages of a type: pages of others are not touched.

use coverdex_core::Result;

use crate::fhir::json;
use crate::fhir::page::{self, Entry};
use crate::spool::Spool;
use crate::staging::{Group, PageHeader, Staging};

/// The resources of a type that are there, by id.
pub(crate) fn have(staged: &Staging, resource_type: &str, wanted: impl Fn(&Group) -> bool + Send) -> Result<Spool> {
    let mut spool = Spool::new(staged.folder());
    each(staged, resource_type, wanted, |entry| spool.push(entry.key(), &[]))?;
    Ok(spool)
}

/// How many distinct resources of a type there are.
pub(crate) fn distinct(staged: &Staging, resource_type: &str, wanted: impl Fn(&Group) -> bool + Send) -> Result<u64> {
    let mut count = 0;
    for item in have(staged, resource_type, wanted)?.sorted()?.unique() {
        item?;
        count += 1;
    }
    Ok(count)
}

/// Calls `found` with each resource of a type, in the order it came.
pub(crate) fn each(
    staged: &Staging,
    resource_type: &str,
    wanted: impl Fn(&Group) -> bool + Send,
    mut found: impl FnMut(&Entry<'_>) -> Result<()>,
) -> Result<()> {
    each_page(staged, resource_type, wanted, |_, entries| entries.iter().try_for_each(&mut found))
}

/// Calls `found` with the resources of each page of a type.
pub(crate) fn each_page(
    staged: &Staging,
    resource_type: &str,
    wanted: impl Fn(&Group) -> bool + Send,
    mut found: impl FnMut(&PageHeader, &[Entry<'_>]) -> Result<()>,
) -> Result<()> {
    let chosen = move |group: &Group| group.resource_type == resource_type && wanted(group);
    for page in staged.live_pages_of(chosen, |_| true) {
        let (header, _, body) = page?;
        let text = json::text(&body);
        found(&header, &page::entries(&text, resource_type))?;
    }
    Ok(())
}
