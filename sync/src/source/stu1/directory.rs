//! Roles, affiliations, services, providers and places.

use std::sync::Arc;

use coverdex_core::Result;

use crate::fetch::crawl::offers::Offers;
use crate::fetch::crawl::paging::Query;
use crate::fetch::crawl::session::Session;
use crate::fetch::crawl::survey;
use crate::fetch::crawl::walk::{Walk, Walked};
use crate::fhir::page::key;
use crate::source::stu1::formulary::{is_not_offered, note, says_not_supported};
use crate::source::stu1::half::Half;
use crate::source::stu1::plan::{Plans, Selection};
use crate::source::stu1::views;
use crate::spool::Spool;
use crate::staging::{Group, Staging};

pub(crate) const ROLE: &str = "PractitionerRole";
pub(crate) const AFFILIATION: &str = "OrganizationAffiliation";
pub(crate) const SERVICE: &str = "HealthcareService";
/// Types that not every payer has: what a server does not offer is not missing.
pub(crate) const OPTIONAL: [&str; 2] = [AFFILIATION, SERVICE];
/// What roles, affiliations and plans refer to, and services in their turn.
pub(crate) const REFERRED: [&str; 4] = [SERVICE, "Practitioner", "Organization", "Location"];
/// What a directory is made of; a type stands behind those that must be complete before it can be.
pub(crate) const PARTS: [&str; 6] = [ROLE, AFFILIATION, SERVICE, "Practitioner", "Organization", "Location"];
/// Individuals of a filtered pass are read by id up to so many requests, else by all pages.
const BY_ID_REQUESTS: u64 = 2_000;
/// Ids that fit into one search by `_id` (64 characters each).
const IDS_AT_ONCE: u64 = 25;

/// Whether no more of the directory should be asked for.
fn is_over(session: &Session) -> bool {
    session.is_over(Half::Directory.types())
}

/// Reads the directory.
pub(crate) async fn read(session: &Arc<Session>, selection: &Selection, plans: &Plans) -> Result<()> {
    let filtered = selection.by_network();
    let (roles, affiliations, services, practitioners, organizations, locations) = tokio::join!(
        roles(session, selection, plans),
        async { if filtered { Ok(Pages::ById) } else { offered(session, AFFILIATION).await } },
        async { if filtered { Ok(by_id_alone(session, SERVICE)) } else { offered(session, SERVICE).await } },
        async { if filtered { Ok(Pages::ById) } else { pages(session, "Practitioner").await } },
        async { if filtered { Ok(Pages::ById) } else { searched(session, "Organization").await } },
        async { if filtered { Ok(Pages::ById) } else { searched(session, "Location").await } },
    );
    roles?;
    affiliations?;
    if is_over(session) {
        return Ok(());
    }
    if filtered && may_offer(&session.offers, AFFILIATION) {
        session.chose(format!("{AFFILIATION} is left out: only chosen networks are read"));
    }
    session.did(ROLE);
    session.did(AFFILIATION);
    let staged = session.staged()?;
    let current = |page: &Group| session.is_current(page);
    let mut referred = no_references(&staged);
    note_references(&staged, &REFERRING, current, &mut referred)?;
    // Services first: they refer to organizations and places themselves.
    let [to_services, ..] = &mut referred;
    let to_services = std::mem::replace(to_services, Spool::new(staged.folder()));
    read_referred(session, SERVICE, services?, to_services, filtered).await?;
    note_references(&session.staged()?, &[SERVICE], current, &mut referred)?;
    let ([_, types @ ..], [_, referred @ ..]) = (REFERRED, referred);
    let pages = [practitioners?, organizations?, locations?];
    for ((resource_type, pages), referred) in types.into_iter().zip(pages).zip(referred) {
        if is_over(session) {
            break;
        }
        read_referred(session, resource_type, pages, referred, filtered).await?;
    }
    Ok(())
}

/// How far the pages of a type were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pages {
    /// All of them.
    All,
    /// They broke off.
    Broken,
    /// None: resources are read by id.
    ById,
    /// None: the server does not have the type.
    NotOffered,
}

/// Reads what something refers to and pages did not show.
async fn read_referred(
    session: &Arc<Session>,
    resource_type: &'static str,
    pages: Pages,
    referred: Spool,
    filtered: bool,
) -> Result<()> {
    session.did(resource_type);
    // Where pages are missing, what seems to be missing would be most of it.
    if matches!(pages, Pages::Broken | Pages::NotOffered) {
        return Ok(());
    }
    let mut wanted = session.not_read(resource_type, referred)?;
    if filtered && resource_type == "Practitioner" {
        wanted = match by_pages_if_cheaper(session, wanted).await? {
            Some(wanted) => wanted,
            None => return Ok(()),
        };
    }
    if let Some(reason) = session.read_ids(resource_type, wanted).await? {
        session.trouble(&session.by_id_pass(resource_type).query, reason);
    }
    Ok(())
}

/// All roles in one pass, or those of the chosen networks.
async fn roles(session: &Arc<Session>, selection: &Selection, plans: &Plans) -> Result<()> {
    let active = selection.active_only.then(|| ("active".to_owned(), "true".to_owned()));
    if !selection.by_network() {
        let key = if selection.active_only { format!("{ROLE}?active=true") } else { ROLE.to_owned() };
        let query = Query { params: active.into_iter().collect(), is_root: true, ..Query::all_of(ROLE) };
        let walked = session.walk_type(&key, query).await?;
        if is_not_offered(session, &key, &walked) {
            // A directory without roles would say of everybody that they are in no network.
            session.chose(format!("{ROLE} is not served: nothing is known of who is in a network"));
        } else {
            note(session, ROLE, &walked);
        }
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
        let query = Query { params, expects_data: false, is_root: true, ..Query::all_of(ROLE) };
        let walk = Walk::over(key, query);
        note(session, &walk.key, &session.walk(&walk).await?);
        if is_over(session) {
            break;
        }
    }
    Ok(())
}

/// All pages of a type, where they are served.
async fn pages(session: &Arc<Session>, resource_type: &str) -> Result<Pages> {
    let mut query = Query::all_of(resource_type);
    if resource_type == "Practitioner" {
        query.optional.push(("_total".to_owned(), "estimate".to_owned()));
    }
    let walked = session.walk_type(resource_type, query).await?;
    if let Walked::NotServed(status) = walked {
        session.chose(format!("{resource_type} by id: the server does not serve pages of it ({status})"));
        return Ok(Pages::ById);
    }
    Ok(noted(session, resource_type, &walked))
}

/// Notes how a walk over all pages of a type ended.
fn noted(session: &Session, resource_type: &str, walked: &Walked) -> Pages {
    note(session, resource_type, walked);
    if matches!(walked, Walked::Complete(_)) { Pages::All } else { Pages::Broken }
}

/// All pages of a type that the API document only shows by id: if the server says that it has them.
async fn searched(session: &Arc<Session>, resource_type: &str) -> Result<Pages> {
    if !session.offers.search(resource_type) {
        session.chose(format!("{resource_type} by id: the server offers no search"));
        return Ok(Pages::ById);
    }
    pages(session, resource_type).await
}

/// Whether a server may have a type that not every payer has: its statement names it, or there is no
/// statement.
pub(crate) fn may_offer(offers: &Offers, resource_type: &str) -> bool {
    !offers.are_known() || offers.lists(resource_type)
}

/// All pages of a type that not every payer has. What the statement does not name is not asked for;
/// without a statement it is tried, and a refusal says that the server does not have it.
async fn offered(session: &Arc<Session>, resource_type: &str) -> Result<Pages> {
    let is_named = session.offers.lists(resource_type);
    if !may_offer(&session.offers, resource_type) {
        return Ok(Pages::NotOffered);
    }
    // Only what something refers to counts of services, so that ids are enough.
    if is_named && resource_type == SERVICE {
        return searched(session, resource_type).await;
    }
    let was_there = session.writer().former(resource_type).is_some_and(|former| former.entries > 0);
    let is_root = resource_type == AFFILIATION;
    let query = Query { expects_data: false, is_root, probe: !is_named, ..Query::all_of(resource_type) };
    let walked = session.walk_type(resource_type, query).await?;
    match &walked {
        Walked::NotServed(status) if !is_named && !was_there => {
            session.chose(format!("{resource_type} is not served ({status})"));
            Ok(Pages::NotOffered)
        }
        Walked::Incomplete(reason) if !is_named && !was_there && says_not_supported(reason) => {
            session.chose(format!("{resource_type} is not served: {reason}"));
            Ok(Pages::NotOffered)
        }
        walked => Ok(noted(session, resource_type, walked)),
    }
}

/// Where only chosen roles are read: their services by id, if the statement names the type.
fn by_id_alone(session: &Session, resource_type: &str) -> Pages {
    if session.offers.lists(resource_type) { Pages::ById } else { Pages::NotOffered }
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
        Pages::All => session.not_read("Practitioner", again).map(Some),
        Pages::Broken => Ok(None),
        Pages::ById | Pages::NotOffered => Ok(Some(again)),
    }
}

/// What refers to providers and places, services apart: they are themselves referred to.
const REFERRING: [&str; 3] = [ROLE, AFFILIATION, "InsurancePlan"];

/// References to each type in [`REFERRED`] (payload: the id).
type References = [Spool; REFERRED.len()];

fn no_references(staged: &Staging) -> References {
    REFERRED.map(|_| Spool::new(staged.folder()))
}

/// Adds what resources of some types refer to.
fn note_references(
    staged: &Staging,
    of: &[&str],
    wanted: impl Fn(&Group) -> bool + Send + Copy,
    references: &mut References,
) -> Result<()> {
    for of in of {
        survey::each(staged, of, wanted, |entry| {
            let mut result = Ok(());
            views::directory_references(entry.json, &mut |found, id| {
                let of_type = REFERRED.iter().zip(references.iter_mut()).find(|(name, _)| **name == found);
                if let Some((name, spool)) = of_type.filter(|_| result.is_ok()) {
                    result = spool.push(key(name, id), id.as_bytes());
                }
            });
            result
        })?;
    }
    Ok(())
}
