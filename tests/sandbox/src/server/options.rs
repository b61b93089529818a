//! How a server is set up.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use coverdex_core::{Error, Result};

use super::clock::{Clock, SystemClock};
use super::fault::Faults;
use super::named::named;
use super::needs::Need;
use crate::ResourceType;

named! {
    /// What a server may offer beyond the API document. The capability statement lists it.
    Offer {
        IdSearch "id-search"
            "Searches take `_id` with several ids, separated by commas. Without it the parameter is ignored and everything comes.";
        CodeSearch "code-search"
            "MedicationKnowledge takes `code`, is paged by `_skip` then, and tells the total.";
        PlanSearch "plan-search"
            "MedicationKnowledge takes `DrugPlan`, the plan id of its PlanID extension.";
        ListsByProfile "lists-by-profile"
            "List takes `_profile` alone and shows the Lists of all plans.";
        PlaceSearch "place-search"
            "Organization and Location can be searched and paged.";
        LastUpdated "last-updated"
            "Searches take `_lastUpdated` with eq, gt, ge, lt and le.";
        ConditionalReads "conditional-reads"
            "A reading by id has an ETag and takes `If-None-Match`.";
        ReadAll "read-all"
            "Every type can be read by id, not only those of the API document.";
        SearchEtags "search-etags"
            "A page of a search has an ETag, which changes with what it shows, and takes `If-None-Match`.";
        SortById "sort-by-id"
            "Searches take `_sort=_id`.";
        CountOnly "count-only"
            "Searches take `_summary=count`: the total, without entries.";
        Pkce "pkce"
            "Authorization takes a code challenge (S256), and says so in `.well-known/smart-configuration`.";
    }
}

impl FromStr for Offer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::named(text).ok_or_else(|| {
            Error::invalid(format!("offer {text}"), "the server knows no such thing").with_candidates(Self::names())
        })
    }
}

/// How a server is set up. The default is the API document's server.
#[derive(Clone)]
pub struct Options {
    /// The port on 127.0.0.1; 0 for a free one.
    pub port: u16,
    /// What is offered beyond the API document: by default [`Offer::IdSearch`] and [`Offer::CodeSearch`].
    pub offers: BTreeSet<Offer>,
    /// Resources on a page unless `_count` says otherwise.
    pub page_size: u32,
    /// `_count` above this means this.
    pub max_page_size: u32,
    /// Lists on a page, at most and by default: one may be half a megabyte.
    pub list_page_size: u32,
    /// The types whose pages are counted by `_skip` instead of a cursor `ct`.
    pub offset_paging: BTreeSet<ResourceType>,
    /// The types that are not served at all: 404, and no word of them in the capability statement.
    pub not_served: BTreeSet<ResourceType>,
    /// The types of which searches find nothing and nothing is read by id.
    pub empty: BTreeSet<ResourceType>,
    /// Search parameters that are ignored, such as `_total`; self links leave them out.
    pub ignored: BTreeSet<String>,
    /// Whether an unknown search parameter is refused with 400 instead of ignored.
    pub strict: bool,
    /// Whether answers are compressed for those who accept gzip.
    pub gzip: bool,
    /// Request targets longer than this get 414.
    pub max_target: usize,
    /// What a client must bring along; by default nothing.
    pub needs: BTreeSet<Need>,
    /// The key that [`Need::ApiKey`] wants.
    pub api_key: String,
    /// The header that it stands in.
    pub api_key_header: String,
    /// The registered client.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
    /// The addresses that an authorization code may be sent to, compared as they are.
    pub redirect_uris: Vec<String>,
    /// How long an access token is good, in seconds.
    pub token_seconds: u64,
    /// Whether a refresh token is good once only, and its answer has the next one.
    pub rotate_refresh: bool,
    /// The time that tokens, `Retry-After` dates and absences go by.
    pub clock: Arc<dyn Clock>,
    /// The faults to start with.
    pub faults: Faults,
    /// How late an answer is under the fault `latency`, at most; half of it at least.
    pub latency: Duration,
    /// The pause between two pieces under `slow-drip`; an answer has at most 40.
    pub drip_pause: Duration,
    /// How long nothing comes under `hang`.
    pub hang: Duration,
    /// So many requests are kept in the log; the counts go on.
    pub log_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 0,
            offers: BTreeSet::from([Offer::IdSearch, Offer::CodeSearch]),
            page_size: 20,
            max_page_size: 100,
            list_page_size: 5,
            offset_paging: BTreeSet::from([ResourceType::Practitioner]),
            not_served: BTreeSet::new(),
            empty: BTreeSet::new(),
            ignored: BTreeSet::new(),
            strict: false,
            gzip: true,
            max_target: 8192,
            needs: BTreeSet::new(),
            api_key: "sandbox-key".to_owned(),
            api_key_header: "X-API-Key".to_owned(),
            client_id: "sandbox-client".to_owned(),
            client_secret: "sandbox-secret".to_owned(),
            redirect_uris: vec!["http://127.0.0.1:8400/callback".to_owned()],
            token_seconds: 3600,
            rotate_refresh: true,
            clock: Arc::new(SystemClock),
            faults: Faults::none(),
            latency: Duration::from_millis(20),
            drip_pause: Duration::from_millis(2),
            hang: Duration::from_millis(300),
            log_limit: 10_000,
        }
    }
}

impl Options {
    /// Whether this is offered.
    #[must_use]
    pub fn offers(&self, offer: Offer) -> bool {
        self.offers.contains(&offer)
    }

    /// Whether this type can be searched.
    #[must_use]
    pub fn searches(&self, kind: ResourceType) -> bool {
        !matches!(kind, ResourceType::Organization | ResourceType::Location) || self.offers(Offer::PlaceSearch)
    }

    /// Whether this type can be read by id.
    #[must_use]
    pub fn reads(&self, kind: ResourceType) -> bool {
        !matches!(kind, ResourceType::List | ResourceType::InsurancePlan | ResourceType::PractitionerRole)
            || self.offers(Offer::ReadAll)
    }

    /// Resources on a page of this type for this `_count`.
    #[must_use]
    pub fn page_size(&self, kind: ResourceType, asked: Option<u32>) -> u32 {
        let (usual, most) = match kind {
            ResourceType::List => (self.list_page_size, self.list_page_size),
            _ => (self.page_size, self.max_page_size),
        };
        asked.unwrap_or(usual).min(most)
    }
}

impl fmt::Debug for Options {
    /// Without the client's secret and the API key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("port", &self.port)
            .field("offers", &self.offers)
            .field("page_size", &self.page_size)
            .field("max_page_size", &self.max_page_size)
            .field("list_page_size", &self.list_page_size)
            .field("needs", &self.needs)
            .field("faults", &self.faults.to_string())
            .finish_non_exhaustive()
    }
}
