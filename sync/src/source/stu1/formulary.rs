//! Plans, Lists and formulary entries.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use coverdex_core::PlanId;
use coverdex_core::{Error, ErrorKind, Result};
use tokio::task::JoinSet;

use crate::fetch::crawl::paging::Query;
use crate::fetch::crawl::proof::is_besides;
use crate::fetch::crawl::session::Session;
use crate::fetch::crawl::survey;
use crate::fetch::crawl::walk::{Walk, Walked, content, is_less_again};
use crate::fhir::page::{Entry, key};
use crate::source::stu1::plan::{Costs, Plans, Selection, Way};
use crate::source::stu1::views::{self, LIST_PROFILE, normal_plan};
use crate::source::stu1::{directory, type_of};
use crate::spool::Spool;
use crate::staging::{Group, Purpose, Staging};

pub(crate) const ENTRY: &str = "MedicationKnowledge";
/// What must be read for formularies to be complete.
pub(crate) const PARTS: [&str; 5] =
    ["List", "MedicationKnowledge", "MedicationKnowledge/*", "Medication", "List again"];
/// How often Lists that moved while entries were read are followed.
const ROUNDS: usize = 2;
/// Ids that fit into one search by `_id` (64 characters each).
const IDS_AT_ONCE: u64 = 25;

/// Reads the plans and says which of them are asked for.
pub(crate) async fn plans(session: &Arc<Session>, selection: &Selection) -> Result<Plans> {
    let walk = Walk::over("InsurancePlan".to_owned(), Query { is_root: true, ..Query::all_of("InsurancePlan") });
    let walked = session.walk(&walk).await?;
    if is_not_offered(session, "InsurancePlan", &walked) {
        session.chose("InsurancePlan is not served: no plan is known by its networks or its area");
    } else {
        note(session, "InsurancePlan", &walked);
    }
    session.did("InsurancePlan");
    let staged = session.staged()?;
    let mut found = Vec::new();
    survey::each(
        &staged,
        "InsurancePlan",
        |page| session.is_current(page),
        |entry| {
            found.push(views::plan_view(entry.json));
            Ok(())
        },
    )?;
    let plans = Plans::choose(selection, found);
    if !selection.all_plans() {
        let of = plans.known.len();
        session.chose(format!("{} of {of} plans: {}", plans.wanted.len(), some(&plans.wanted)));
    }
    Ok(plans)
}

/// Reads the formularies of the chosen plans.
pub(crate) async fn read(session: &Arc<Session>, selection: &Selection, plans: &Plans) -> Result<()> {
    let mut asked = BTreeSet::new();
    let all_seen = selection.all_plans() && all_lists(session).await?;
    lists_of(session, &plans.wanted, &mut asked, all_seen).await?;
    let (way, medications) = tokio::join!(entries(session, selection, plans), medications(session));
    let complete = way?;
    medications?;
    if session.is_over() {
        return Ok(());
    }
    session.did("Medication");
    session.did(ENTRY);
    // Entries may name plans that nothing else names.
    let named = plans_of_entries(session, selection)?;
    lists_of(session, &named, &mut asked, all_seen).await?;
    if session.is_over() {
        return Ok(());
    }
    session.did("List");
    if complete {
        missing_entries(session).await?;
    }
    // Where pages are missing, what seems to be missing would be most of it: that is said already.
    session.did("MedicationKnowledge/*");
    for round in 0..=ROUNDS {
        if session.is_over() {
            return Ok(());
        }
        let moved = lists_moved(session, plans, all_seen).await?;
        if moved.is_empty() {
            break;
        }
        if round == ROUNDS {
            session.trouble("List", format!("Lists keep changing while they are read: {}", some(&moved)));
            break;
        }
        if complete && !session.is_over() {
            missing_entries(session).await?;
        }
    }
    if !session.is_over() {
        session.did("List again");
    }
    Ok(())
}

/// The walk over one plan's Lists, or over all Lists. `believe_empty`: something else says already
/// that there are none.
fn list_walk(plan: Option<&str>, believe_empty: bool) -> Walk<'static> {
    let key = plan.map_or_else(|| "List".to_owned(), |plan| format!("List?identifier={plan}"));
    let mut params = vec![("_profile".to_owned(), LIST_PROFILE.to_owned())];
    params.extend(plan.map(|plan| ("identifier".to_owned(), plan.to_owned())));
    let (is_root, counted) = (plan.is_none(), plan.is_none());
    let query =
        Query { params, expects_data: false, believe_empty, is_root, probe: plan.is_none(), ..Query::all_of("List") };
    // A server that ignores the plan shows all Lists: those of others are no measure.
    let plan = plan.and_then(normal_plan);
    let is_of_plan = move |list: &Entry<'_>| {
        plan.as_ref().is_none_or(|plan| views::current_list(list.json).is_some_and(|list| list.plans.contains(plan)))
    };
    Walk { key, query, purpose: Purpose::Search, proof: None, counted, own: Some(Box::new(is_of_plan)) }
}

/// The plan whose Lists a walk asks for.
fn plan_asked(key: &str) -> Option<&str> {
    key.strip_prefix("List?identifier=")
}

/// Lists of all plans at once, where the server serves that. True if that shows all there are.
async fn all_lists(session: &Arc<Session>) -> Result<bool> {
    let walked = session.walk(&list_walk(None, false)).await?;
    match &walked {
        // Lists of single plans are asked for all the same: nothing is lost.
        Walked::NotServed(status) => session.chose(format!("Lists by plan: the server does not list all ({status})")),
        // Too much at once for it, perhaps.
        Walked::Incomplete(reason) if session.writer().state("List").is_none_or(|state| state.pages == 0) => {
            session.chose(format!("Lists by plan: {reason}"));
        }
        walked => note(session, "List", walked),
    }
    Ok(matches!(walked, Walked::Complete(entries) if entries > 0))
}

/// Whether a server does not have what a walk asked for, and never had it: a payer that publishes a directory alone,
/// or drug lists in a form that is not read. What it does not have is not missing; whoever asks is told that it is not
/// known.
pub(crate) fn is_not_offered(session: &Session, query: &str, walked: &Walked) -> bool {
    let is_refusal = match walked {
        Walked::NotServed(status) => {
            let is_unknown_there = matches!(status, 404 | 405 | 410 | 501);
            is_unknown_there || *status == 400 && !directory::may_offer(&session.offers, type_of(query))
        }
        Walked::Incomplete(reason) => says_not_supported(reason),
        Walked::Complete(_) | Walked::Doubtful(_) | Walked::Disproved | Walked::Stopped => false,
    };
    is_refusal && session.writer().former(query).is_none_or(|former| former.entries == 0)
}

/// Whether the server's words are those of a server that does not have what was asked for.
pub(crate) fn says_not_supported(reason: &str) -> bool {
    let reason = reason.to_ascii_lowercase();
    ["not-supported", "not supported"].iter().any(|words| reason.contains(words))
}

/// Lists of single plans that no List so far is of. A server that refuses all of them has no Lists.
async fn lists_of(
    session: &Arc<Session>,
    plans: &BTreeSet<String>,
    asked: &mut BTreeSet<String>,
    all_seen: bool,
) -> Result<()> {
    let seen = plans_of_lists(session)?;
    let is_seen = |plan: &String| normal_plan(plan).is_some_and(|plan| seen.contains(&plan));
    let open: Vec<String> = plans.iter().filter(|p| !asked.contains(*p) && !is_seen(p)).cloned().collect();
    asked.extend(open.iter().cloned());
    let count = open.len();
    let queue = Arc::new(Mutex::new(open));
    let refused: Arc<Mutex<Vec<(String, Walked)>>> = Arc::default();
    let mut workers = JoinSet::new();
    for _ in 0..session.client.config.concurrency {
        let (session, queue, refused) = (Arc::clone(session), Arc::clone(&queue), Arc::clone(&refused));
        workers.spawn(async move {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let Some(plan) = next.filter(|_| !session.is_over()) else { return Ok(()) };
                let walk = list_walk(Some(&plan), all_seen);
                let walked = session.walk(&walk).await?;
                if is_not_offered(&session, &walk.key, &walked) {
                    refused.lock().unwrap_or_else(PoisonError::into_inner).push((walk.key, walked));
                } else {
                    note(&session, &walk.key, &walked);
                }
            }
        });
    }
    while let Some(done) = workers.join_next().await {
        done.map_err(|e| Error::new(ErrorKind::Sync, "List", e.to_string()))??;
    }
    let refused = std::mem::take(&mut *refused.lock().unwrap_or_else(PoisonError::into_inner));
    if !refused.is_empty() && refused.len() == count && seen.is_empty() {
        session.chose("List is not served: what a plan does not list is not known");
        return Ok(());
    }
    // Who answers for one plan has Lists: a refusal for another is none of an absence.
    for (key, walked) in &refused {
        note(session, key, walked);
    }
    Ok(())
}

/// Plans that a List is of.
fn plans_of_lists(session: &Session) -> Result<BTreeSet<PlanId>> {
    let mut plans = BTreeSet::new();
    survey::each(
        &session.staged()?,
        "List",
        |page| session.is_current(page),
        |list| {
            plans.extend(views::current_list(list.json).into_iter().flat_map(|list| list.plans));
            Ok(())
        },
    )?;
    Ok(plans)
}

/// Plans that entries name, and that are asked for.
fn plans_of_entries(session: &Session, selection: &Selection) -> Result<BTreeSet<String>> {
    let mut plans = BTreeSet::new();
    survey::each(
        &session.staged()?,
        ENTRY,
        |page| session.is_current(page),
        |entry| {
            if let Some(plan) = views::entry_plan(entry.json)
                && !plans.contains(&plan)
                && selection.wants_unknown(&plan)
            {
                plans.insert(plan);
            }
            Ok(())
        },
    )?;
    Ok(plans)
}

/// Reads entries on the cheapest way. False if it did not get to its end.
async fn entries(session: &Arc<Session>, selection: &Selection, plans: &Plans) -> Result<bool> {
    if selection.all_plans() {
        return all_pages(session).await.map(|done| done.unwrap_or(true));
    }
    let costs = costs(session, plans)?;
    let (ways, told) = costs.choose();
    session.chose(told);
    for way in ways {
        let done = match way {
            Way::AllPages => all_pages(session).await?,
            Way::PlanSearch => plan_searches(session, plans).await?,
            Way::ById => Some(true),
        };
        if let Some(done) = done {
            session.chose(format!("formularies: {}", way.words()));
            return Ok(done);
        }
        session.chose(format!("formularies: the server does not serve {}", way.words()));
    }
    Ok(true)
}

fn costs(session: &Session, plans: &Plans) -> Result<Costs> {
    let staged = session.staged()?;
    let mut by_plan: BTreeMap<PlanId, u64> = BTreeMap::new();
    let mut all = Spool::new(staged.folder());
    survey::each(
        &staged,
        "List",
        |page| session.is_current(page),
        |list| {
            let Some(list) = views::current_list(list.json) else { return Ok(()) };
            list.entries.iter().try_for_each(|entry| all.push(entry.0, &[]))?;
            for plan in list.plans {
                *by_plan.entry(plan).or_default() += list.entries.len() as u64;
            }
            Ok(())
        },
    )?;
    let mut distinct = 0;
    for item in all.sorted()?.unique() {
        item?;
        distinct += 1;
    }
    let references = plans.wanted.iter().map(|id| normal_plan(id).and_then(|p| by_plan.get(&p).copied()).unwrap_or(0));
    Ok(Costs {
        references: references.collect(),
        distinct,
        known_plans: plans.known.len() as u64,
        total: None,
        page_size: u64::from(session.size(ENTRY).unwrap_or(10)),
        ids_at_once: if session.offers.parameter(ENTRY, "_id") { IDS_AT_ONCE } else { 1 },
        plan_search: session.offers.parameter(ENTRY, "DrugPlan"),
    })
}

/// All pages of entries. `None` if they are not served.
async fn all_pages(session: &Arc<Session>) -> Result<Option<bool>> {
    let walked = session.walk_type(ENTRY, Query::all_of(ENTRY)).await?;
    if let Walked::NotServed(status) = walked {
        session.chose(format!("entries by id: the server does not serve pages of them ({status})"));
        return Ok(None);
    }
    note(session, ENTRY, &walked);
    Ok(Some(matches!(walked, Walked::Complete(_))))
}

/// Each plan's own search. `None` if the server does not serve it, or its rows disprove it.
async fn plan_searches(session: &Arc<Session>, plans: &Plans) -> Result<Option<bool>> {
    let mut done = true;
    for plan in &plans.wanted {
        let wanted = normal_plan(plan);
        let proof = |entries: &[Entry<'_>]| {
            entries.iter().all(|entry| {
                entry.resource_type != ENTRY || views::entry_plan(entry.json).and_then(|p| normal_plan(&p)) == wanted
            })
        };
        let walk = Walk {
            key: format!("{ENTRY}?DrugPlan={plan}"),
            query: Query {
                params: vec![("DrugPlan".to_owned(), plan.clone())],
                expects_data: false,
                probe: true,
                ..Query::all_of(ENTRY)
            },
            purpose: Purpose::Search,
            proof: Some(&proof),
            counted: false,
            own: None,
        };
        let walked = session.walk(&walk).await?;
        if matches!(walked, Walked::NotServed(_) | Walked::Disproved) {
            return Ok(None);
        }
        note(session, &walk.key, &walked);
        done &= matches!(walked, Walked::Complete(_));
        if session.is_over() {
            return Ok(Some(false));
        }
    }
    Ok(Some(done))
}

/// Names and codes of drugs; they are optional.
async fn medications(session: &Arc<Session>) -> Result<()> {
    match session.walk_type("Medication", Query::all_of("Medication")).await? {
        Walked::NotServed(status) => {
            session.chose(format!("Medication is not served ({status}): names come from entries"));
        }
        walked => note(session, "Medication", &walked),
    }
    Ok(())
}

/// Entries that Lists name and that did not come otherwise.
async fn missing_entries(session: &Arc<Session>) -> Result<()> {
    let staged = session.staged()?;
    let references = list_references(&staged, |page| session.is_current(page))?;
    let missing = session.not_read(ENTRY, references)?;
    if let Some(reason) = session.read_ids(ENTRY, missing).await? {
        session.trouble(&session.by_id_pass(ENTRY).query, reason);
    }
    Ok(())
}

/// What Lists say must exist (payload: the id).
pub(crate) fn list_references(staged: &Staging, wanted: impl Fn(&Group) -> bool + Send) -> Result<Spool> {
    let mut references = Spool::new(staged.folder());
    survey::each(staged, "List", wanted, |list| {
        let mut result = Ok(());
        if views::current_list(list.json).is_none() {
            return Ok(());
        }
        views::list_references(list.json, &mut |id| {
            if result.is_ok() {
                result = references.push(key(ENTRY, id), id.as_bytes());
            }
        });
        result
    })?;
    Ok(references)
}

/// Looks at all Lists again; those that moved since are read anew. Returns their names.
async fn lists_moved(session: &Arc<Session>, plans: &Plans, all_seen: bool) -> Result<BTreeSet<String>> {
    let staged = session.staged()?;
    let mut states: BTreeMap<String, BTreeSet<u128>> = BTreeMap::new();
    let current = |page: &Group| page.pass.generation == session.generation;
    survey::each_page(&staged, "List", current, |page, lists| {
        let walk = list_walk(plan_asked(&page.pass.query), false);
        let own = lists.iter().filter(|list| walk.own.as_ref().is_none_or(|own| own(list)));
        states.entry(page.pass.query.clone()).or_default().extend(own.map(content));
        Ok(())
    })?;
    let mut moved = BTreeSet::new();
    // What was read besides shows the same once more.
    for (key, before) in states.into_iter().filter(|(key, _)| !is_besides(key)) {
        let plan = plan_asked(&key);
        if all_seen && plan.is_some() && before.is_empty() {
            continue;
        }
        let walk = list_walk(plan, before.is_empty());
        let count = before.len();
        let shrank = |now: &BTreeSet<u128>| is_less_again(now.len() as u64, count as u64);
        let mut seen = session.look_again(&walk).await?;
        if matches!(&seen, (Walked::Complete(_), now) if shrank(now)) {
            seen = session.look_again(&walk).await?;
        }
        match seen {
            (Walked::Complete(_), now) if now == before => {}
            (Walked::Complete(_), now) => {
                if shrank(&now) && !session.accept_shrink {
                    let less = format!("{} Lists where there were {count} a while before", now.len());
                    session.trouble(&key, format!("{less}; accept-shrink believes it"));
                    continue;
                }
                let walked = session.walk_again(&walk).await?;
                note(session, &key, &walked);
                moved.insert(key);
            }
            (Walked::Stopped, _) => return Ok(moved),
            (Walked::Incomplete(reason) | Walked::Doubtful(reason), _) => {
                session.trouble(&key, format!("it could not be read again: {reason}"));
            }
            // A server that lists all plans' Lists only in a bad moment, and then nothing: Lists of single
            // plans were asked for all the same.
            (Walked::NotServed(_), _) if plan.is_none() && before.is_empty() => {}
            // It listed them a while ago: those of single plans take their place.
            (Walked::NotServed(_), _) if plan.is_none() => {
                session.retire_pass(&key)?;
                lists_of(session, &plans.wanted, &mut BTreeSet::new(), false).await?;
                moved.insert(key);
            }
            (Walked::NotServed(status), _) => session.trouble(&key, format!("it could not be read again ({status})")),
            (Walked::Disproved, _) => {}
        }
        if session.is_over() {
            break;
        }
    }
    Ok(moved)
}

/// Notes a walk that is not complete.
pub(crate) fn note(session: &Session, part: &str, walked: &Walked) {
    match walked {
        Walked::Incomplete(reason) | Walked::Doubtful(reason) => session.trouble(part, reason),
        Walked::NotServed(status) => session.trouble(part, format!("the server does not serve it ({status})")),
        Walked::Complete(_) | Walked::Disproved | Walked::Stopped => {}
    }
}

fn some(names: &BTreeSet<String>) -> String {
    let mut text = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 5 {
        text.push_str(", …");
    }
    text
}
