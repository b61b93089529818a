//! What a sync would cost, from a few requests: how many resources, requests, bytes and how long.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use coverdex_core::Result;
use serde::Serialize;
use url::Url;

use crate::fetch::config::{Config, MAX_DEPTH, Rate};
use crate::fetch::crawl::generation::greet;
use crate::fetch::crawl::paging::Query;
use crate::fetch::http::client::{Answer, Client, Stop, Want};
use crate::fetch::http::clock::Clock;
use crate::fetch::http::transport::Transport;
use crate::fhir::json;
use crate::fhir::page::{self, Body};
use crate::source::stu1::directory;
use crate::source::stu1::plan::{Plans, Selection};
use crate::source::stu1::report::{Received, received};
use crate::source::stu1::views::{self, LIST_PROFILE};
use crate::staging::{Staging, is_staging};

/// Plans whose Lists are counted to know how large a formulary is.
const SAMPLE: usize = 5;
/// Pages of plans read to choose from.
const PLAN_PAGES: usize = 100;

/// What a sync would cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Plans that are asked for.
    pub plans: u64,
    /// Plans that the payer has.
    pub known_plans: u64,
    /// By resource type.
    pub types: Vec<TypeEstimate>,
    /// Requests in all, as far as they can be told.
    pub requests: u64,
    /// Bytes received in all (unpacked), as far as they can be told.
    pub bytes: u64,
    /// Seconds at the rate set; none where the rate is off.
    pub seconds: Option<f64>,
    /// Types whose number cannot be told: the rest is at least what is said.
    pub unknown: Vec<String>,
}

/// One type.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TypeEstimate {
    /// The type.
    pub resource_type: String,
    /// How many there are.
    pub count: Option<u64>,
    /// What that is from, in words.
    pub from: String,
    /// Requests for them.
    pub requests: Option<u64>,
    /// Bytes of them, unpacked.
    pub bytes: Option<u64>,
}

/// A first page, as far as an estimate needs it.
#[derive(Default)]
struct Sample {
    entries: u64,
    bytes: u64,
    total: Option<u64>,
    is_last: bool,
    body: Vec<u8>,
}

/// Asks for first pages and says what a sync would cost. `staging`: what an earlier sync saw there is
/// the best estimate of all.
///
/// # Errors
/// A selection that cannot be read, and a staging folder that is damaged.
pub async fn estimate(
    config: Config,
    selection: &Selection,
    staging: Option<&Path>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
) -> Result<Estimate> {
    let selection = selection.clone().check()?;
    let before = match staging.filter(|folder| is_staging(folder)) {
        Some(folder) => received(&Staging::open(folder)?)?,
        None => BTreeMap::new(),
    };
    let client = Client::new(config, transport, clock, Stop::default()).logged_in().await?;
    let (base, offers) = greet(&client).await;
    let at = Asking { client: &client, base: &base };
    let plans = at.plans(&selection).await;
    let mut types = Vec::new();
    if selection.formulary {
        types.push(at.entries(&selection, &plans, before.get("MedicationKnowledge")).await);
        types.push(at.pages("Medication", before.get("Medication")).await);
    }
    if selection.directory && !selection.by_network() {
        types.push(at.pages("PractitionerRole", before.get("PractitionerRole")).await);
        for resource_type in directory::OPTIONAL.into_iter().filter(|of| directory::may_offer(&offers, of)) {
            let before = before.get(resource_type);
            if resource_type == directory::SERVICE && offers.lists(resource_type) && !offers.search(resource_type) {
                types.push(by_id(resource_type, before));
                continue;
            }
            // What nothing names and no page shows is not there.
            let served = at.served_pages(resource_type, before).await;
            types.extend(served.or_else(|| offers.lists(resource_type).then(|| not_served(resource_type))));
        }
        types.push(at.pages("Practitioner", before.get("Practitioner")).await);
        for resource_type in ["Organization", "Location"] {
            let before = before.get(resource_type);
            if offers.search(resource_type) {
                types.push(at.pages(resource_type, before).await);
            } else {
                types.push(by_id(resource_type, before));
            }
        }
    } else if selection.directory {
        let tags = plans.networks.len();
        types.push(TypeEstimate {
            resource_type: "PractitionerRole".to_owned(),
            from: format!("by the tags of {tags} networks: not counted before they are read"),
            ..TypeEstimate::default()
        });
    }
    let requests = types.iter().filter_map(|t| t.requests).sum();
    let unknown = types.iter().filter(|t| t.requests.is_none()).map(|t| t.resource_type.clone()).collect();
    #[allow(clippy::cast_precision_loss, reason = "an estimate in seconds")]
    let seconds = match client.config.rate {
        Rate::PerSecond(rate) => Some(requests as f64 / rate),
        Rate::Off => None,
    };
    Ok(Estimate {
        plans: plans.wanted.len() as u64,
        known_plans: plans.known.len() as u64,
        bytes: types.iter().filter_map(|t| t.bytes).sum(),
        types,
        requests,
        seconds,
        unknown,
    })
}

struct Asking<'a> {
    client: &'a Client,
    base: &'a Url,
}

impl Asking<'_> {
    fn size(&self) -> u64 {
        u64::from(self.client.config.page_size)
    }

    /// The page at an address.
    async fn page(&self, url: &Url, resource_type: &str) -> Option<(Sample, Option<Url>)> {
        let Answer::Good { body, .. } = self.client.ask(&Want::new(url, resource_type)).await else { return None };
        let text = json::text(&body);
        let Body::Page(bundle) = page::look(&text, resource_type, MAX_DEPTH) else { return None };
        let next = bundle.next.as_deref().and_then(|next| url.join(next).ok());
        let next = next.filter(|next| self.client.config.may_ask(next).is_ok());
        let (entries, total, is_last) = (bundle.entries.len() as u64, bundle.total, bundle.next.is_none());
        let bytes = body.len() as u64;
        drop(text);
        Some((Sample { entries, bytes, total, is_last, body }, next))
    }

    async fn first(&self, query: &Query) -> Option<Sample> {
        let count = Some(self.client.config.page_size);
        for (count, with_optional) in [(count, true), (None, false)] {
            let url = query.url(self.base, count, with_optional);
            if let Some((sample, _)) = self.page(&url, &query.resource_type).await {
                return Some(sample);
            }
        }
        None
    }

    async fn plans(&self, selection: &Selection) -> Plans {
        let mut views = Vec::new();
        let mut url = Some(Query::all_of("InsurancePlan").url(self.base, Some(self.client.config.page_size), false));
        for _ in 0..PLAN_PAGES {
            let Some(here) = url.take() else { break };
            let Some((sample, next)) = self.page(&here, "InsurancePlan").await else { break };
            let text = json::text(&sample.body);
            views.extend(page::entries(&text, "InsurancePlan").iter().map(|entry| views::plan_view(entry.json)));
            url = next;
        }
        Plans::choose(selection, views)
    }

    /// A type that is read by pages.
    async fn pages(&self, resource_type: &str, before: Option<&Received>) -> TypeEstimate {
        self.served_pages(resource_type, before).await.unwrap_or_else(|| not_served(resource_type))
    }

    /// The same; `None` where no page is served.
    async fn served_pages(&self, resource_type: &str, before: Option<&Received>) -> Option<TypeEstimate> {
        let mut query = Query::all_of(resource_type);
        if resource_type == "Practitioner" {
            query.optional.push(("_total".to_owned(), "estimate".to_owned()));
        }
        let mut estimate = TypeEstimate { resource_type: resource_type.to_owned(), ..TypeEstimate::default() };
        let sample = self.first(&query).await?;
        let per_page = if sample.is_last { self.size() } else { sample.entries.max(1) };
        let (count, from) = match before.map(|b| b.entries).filter(|n| *n > 0) {
            _ if sample.is_last => (Some(sample.entries), "all are on the first page"),
            Some(count) => (Some(count), "the last sync"),
            None => match sample.total.filter(|total| *total > sample.entries) {
                Some(total) => (Some(total), "the server's own estimate"),
                None => (None, "the server does not say how many"),
            },
        };
        estimate.requests = count.map(|n| n.div_ceil(per_page).max(1));
        estimate.bytes = count.map(|n| n * sample.bytes / sample.entries.max(1));
        (estimate.count, estimate.from) = (count, from.to_owned());
        Some(estimate)
    }

    /// Formulary entries: by the Lists of a few plans.
    async fn entries(&self, selection: &Selection, plans: &Plans, before: Option<&Received>) -> TypeEstimate {
        const ENTRY: &str = "MedicationKnowledge";
        if selection.all_plans() {
            let estimate = self.pages(ENTRY, before).await;
            if estimate.count.is_some() {
                return estimate;
            }
        }
        let mut references = BTreeSet::new();
        let (mut named, mut sampled) = (0u64, 0u64);
        for plan in plans.wanted.iter().take(SAMPLE) {
            let params =
                vec![("_profile".to_owned(), LIST_PROFILE.to_owned()), ("identifier".to_owned(), plan.clone())];
            let mut url = Some(Query { params, ..Query::all_of("List") }.url(self.base, Some(50), false));
            while let Some(here) = url.take() {
                let Some((sample, next)) = self.page(&here, "List").await else { break };
                let text = json::text(&sample.body);
                for list in page::entries(&text, "List") {
                    views::list_references(list.json, &mut |id| {
                        named += 1;
                        references.insert(page::key(ENTRY, id));
                    });
                }
                url = next;
            }
            sampled += 1;
        }
        let count = (named * plans.wanted.len() as u64).checked_div(sampled);
        TypeEstimate {
            resource_type: ENTRY.to_owned(),
            count,
            from: format!("the Lists of {sampled} of {} plans", plans.wanted.len()),
            requests: count.map(|n| n.div_ceil(self.size())),
            // A formulary entry with its codings is some 1,500 bytes.
            bytes: count.map(|n| n * 1_500),
        }
    }
}

/// A type whose pages should be served and are not.
fn not_served(resource_type: &str) -> TypeEstimate {
    TypeEstimate {
        resource_type: resource_type.to_owned(),
        from: "it is not served by pages".to_owned(),
        ..TypeEstimate::default()
    }
}

/// A type that is read by id: how many only an earlier sync can tell.
fn by_id(resource_type: &str, before: Option<&Received>) -> TypeEstimate {
    let count = before.map(|b| b.by_id).filter(|n| *n > 0);
    TypeEstimate {
        resource_type: resource_type.to_owned(),
        count,
        from: count
            .map_or("read by id, one request each: roles must be read to count them", |_| "the last sync")
            .to_owned(),
        requests: count,
        bytes: count.map(|n| n * 700),
    }
}
