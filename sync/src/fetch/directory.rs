//! Roles, providers and places.

use std::sync::Arc;

use coverdex_core::Result;

use super::bundle::id_hash;
use super::formulary::note;
use super::paging::Query;
use super::plan::{Plans, Selection};
use super::session::Session;
use super::spool::Spool;
use super::survey;
use super::sync::all_of;
use super::views;
use super::walk::{Walk, Walked};
use crate::staging::{PageHeader, Purpose, Staging};

const ROLE: &str = "PractitionerRole";
/// What roles refer to.
pub(crate) const REFERRED: [&str; 3] = ["Practitioner", "Organization", "Location"];
/// What must be read for a directory to be complete.
pub(crate) const PARTS: [&str; 4] = ["PractitionerRole", "Practitioner", "Organization", "Location"];
/// Individuals of a filtered pass are read by id up to so many requests, else by all pages.
const BY_ID_REQUESTS: u64 = 2_000;
/// Ids that fit into one search by `_id` (64 characters each).
const IDS_AT_ONCE: u64 = 25;

/// Reads the directory.
pub(crate) async fn read(session: &Arc<Session>, selection: &Selection, plans: &Plans) -> Result<()> {
    let filtered = selection.by_network();
    let (roles, practitioners, organizations, locations) = tokio::join!(
        roles(session, selection, plans),
        async { if filtered { Ok(None) } else { pages(session, "Practitioner").await } },
        async { if filtered { Ok(None) } else { searched(session, "Organization").await } },
        async { if filtered { Ok(None) } else { searched(session, "Location").await } },
    );
    roles?;
    if session.is_over() {
        return Ok(());
    }
    session.did(ROLE);
    let staged = session.staged()?;
    let referred = references(&staged, |page| session.is_current(page))?;
    let pages = [practitioners?, organizations?, locations?];
    for ((resource_type, pages), referred) in REFERRED.into_iter().zip(pages).zip(referred) {
        // Where pages are missing, what seems to be missing would be most of it.
        if session.is_over() {
            break;
        }
        session.did(resource_type);
        if pages == Some(false) {
            continue;
        }
        let mut wanted = session.not_read(resource_type, referred)?;
        if filtered && resource_type == "Practitioner" {
            wanted = match by_pages_if_cheaper(session, wanted).await? {
                Some(wanted) => wanted,
                None => continue,
            };
        }
        if let Some(reason) = session.read_ids(resource_type, wanted).await? {
            session.trouble(&session.by_id_pass(resource_type).query, reason);
        }
    }
    Ok(())
}

/// All roles in one pass, or those of the chosen networks.
async fn roles(session: &Arc<Session>, selection: &Selection, plans: &Plans) -> Result<()> {
    let active = selection.active_only.then(|| ("active".to_owned(), "true".to_owned()));
    if !selection.by_network() {
        let key = if selection.active_only { format!("{ROLE}?active=true") } else { ROLE.to_owned() };
        let query = Query { params: active.into_iter().collect(), ..all_of(ROLE) };
        note(session, ROLE, &session.walk_type(&key, query).await?);
        return Ok(());
    }
    if plans.networks.is_empty() {
        session.trouble(ROLE, "the chosen plans name no network");
    }
    session.chose(format!("roles by the tags of {} networks", plans.networks.len()));
    for network in &plans.networks {
        let tag = format!("{}|{}", network.system(), network.id());
        let key = format!("{ROLE}?_tag={tag}{}", if selection.active_only { "&active=true" } else { "" });
        let mut params = vec![("_tag".to_owned(), tag)];
        params.extend(active.clone());
        let query = Query { params, expects_data: false, ..all_of(ROLE) };
        let walk = Walk { key, query, purpose: Purpose::Search, proof: None };
        note(session, &walk.key, &session.walk(&walk).await?);
        if session.is_over() {
            break;
        }
    }
    Ok(())
}

/// All pages of a type. `None` if they are not served, else whether all were seen.
async fn pages(session: &Arc<Session>, resource_type: &str) -> Result<Option<bool>> {
    let mut query = all_of(resource_type);
    if resource_type == "Practitioner" {
        query.optional.push(("_total".to_owned(), "estimate".to_owned()));
    }
    let walked = session.walk_type(resource_type, query).await?;
    if let Walked::NotServed(status) = walked {
        session.chose(format!("{resource_type} by id: the server does not serve pages of it ({status})"));
        return Ok(None);
    }
    note(session, resource_type, &walked);
    Ok(Some(matches!(walked, Walked::Complete(_))))
}

/// All pages of a type that the API document only shows by id: if the server says that it has them.
async fn searched(session: &Arc<Session>, resource_type: &str) -> Result<Option<bool>> {
    if !session.offers.search(resource_type) {
        session.chose(format!("{resource_type} by id: the server offers no search"));
        return Ok(None);
    }
    pages(session, resource_type).await
}

/// Reads all pages instead of very many ids. Returns what is still to be read by id, or `None` if
/// the pages broke off.
async fn by_pages_if_cheaper(session: &Arc<Session>, wanted: Spool) -> Result<Option<Spool>> {
    let staged = session.staged()?;
    let (mut again, mut count) = (Spool::new(staged.folder()), 0u64);
    for item in wanted.sorted()?.unique() {
        let (hash, id) = item?;
        again.push(hash, &id)?;
        count += 1;
    }
    let at_once = if session.offers.parameter("Practitioner", "_id") { IDS_AT_ONCE } else { 1 };
    if count.div_ceil(at_once) <= BY_ID_REQUESTS {
        return Ok(Some(again));
    }
    session.chose(format!("Practitioner by pages: {count} are too many to read by id"));
    match pages(session, "Practitioner").await? {
        Some(true) => session.not_read("Practitioner", again).map(Some),
        Some(false) => Ok(None),
        None => Ok(Some(again)),
    }
}

/// What roles and plans refer to of each type in [`REFERRED`] (payload: the id).
pub(crate) fn references(
    staged: &Staging,
    wanted: impl Fn(&PageHeader) -> bool + Send + Copy,
) -> Result<[Spool; REFERRED.len()]> {
    let mut references = REFERRED.map(|_| Spool::new(staged.folder()));
    for of in [ROLE, "InsurancePlan"] {
        survey::each(staged, of, wanted, |entry| {
            let mut result = Ok(());
            views::directory_references(entry.json, &mut |found, id| {
                let of_type = REFERRED.iter().zip(&mut references).find(|(name, _)| **name == found);
                if let Some((name, spool)) = of_type.filter(|_| result.is_ok()) {
                    result = spool.push(id_hash(name, id), id.as_bytes());
                }
            });
            result
        })?;
    }
    Ok(references)
}
