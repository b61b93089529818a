//! What may go wrong between a client and a payer, by name.

mod body;
mod schedule;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use coverdex_core::{Error, Result};

use super::codec::mix;
use super::named::named;
use crate::ResourceType;

pub(super) use body::{Mangled, compression_bomb, dated, mangle_body, mangle_resource, nesting_bomb, older};
pub(super) use schedule::{Active, Interruption, Spoilt};

/// How a sync against a server with this fault must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With the same dataset, answers and report as without the fault.
    Same,
    /// Incomplete if need be: the reason is named, and the former dataset stays live.
    MayBeIncomplete,
}

macro_rules! faults {
    ($($variant:ident $name:literal $ending:ident 1 in $every:literal : $about:literal;)*) => {
        named! {
            /// A fault, acting on everything below `/api` and on nothing below `/auth`.
            ///
            /// Faults combine freely. Which requests one meets depends on the seed, on the request and
            /// on how often it came before, so that a run with the same requests meets the same faults in
            /// whatever order its requests arrive; only what is a burst, an absence, or must differ each time
            /// goes by the running number of the request.
            Fault { $($variant $name $about;)* }
        }

        impl Fault {
            /// How a sync must end that meets it.
            #[must_use]
            pub const fn ending(self) -> Ending {
                match self { $(Self::$variant => Ending::$ending,)* }
            }

            /// It meets one in this many of the things that it could meet, unless said otherwise.
            #[must_use]
            pub const fn every(self) -> u32 {
                match self { $(Self::$variant => $every,)* }
            }
        }
    };
}

faults! {
    Latency "latency" Same 1 in 2:
        "The answer comes late.";
    TooManySeconds "429-seconds" Same 1 in 4:
        "429 with `Retry-After` as a number of seconds, once or twice for a request; then the answer.";
    TooManyDate "429-date" Same 1 in 4:
        "429 with `Retry-After` as a date, once or twice for a request; then the answer.";
    ServerErrors "5xx-bursts" Same 1 in 3:
        "Three to five requests in a row, whatever they ask for, are answered 500, 502, 503 or 504, one in three times within 16 requests.";
    ConnectionDropped "connection-dropped" Same 1 in 4:
        "The connection is closed instead of an answer, once or twice for a request.";
    ConnectionReset "connection-reset" Same 1 in 4:
        "The connection is reset before or in the middle of the answer, once or twice for a request.";
    ConnectionSilentlyClosed "connection-silently-closed" Same 1 in 4:
        "The answer is whole and says nothing of closing, but the next request on that connection finds it closed.";
    Hang "hang" Same 1 in 6:
        "No answer at all for a while, then the connection is closed; once for a request.";
    TruncatedRightLength "truncated-right-length" Same 1 in 4:
        "`Content-Length` tells the length of the whole body, but the connection ends in the middle of it.";
    TruncatedWrongLength "truncated-wrong-length" Same 1 in 4:
        "`Content-Length` tells the length of half the body and half the body comes: to HTTP all is well.";
    SlowDrip "slow-drip" Same 1 in 4:
        "The answer comes in small pieces with pauses between them.";
    CursorExpired400 "cursor-expired-400" Same 1 in 1:
        "Once in each search, a cursor and all others of that pass are refused for good with 400; a new pass has new ones.";
    CursorExpired403 "cursor-expired-403" Same 1 in 1:
        "Once in each search, a cursor and all others of that pass are refused for good with 403; a new pass has new ones.";
    CursorExpired404 "cursor-expired-404" Same 1 in 1:
        "Once in each search, a cursor and all others of that pass are refused for good with 404; a new pass has new ones.";
    CursorExpired410 "cursor-expired-410" Same 1 in 1:
        "Once in each search, a cursor and all others of that pass are refused for good with 410; a new pass has new ones.";
    OverlappingPages "overlapping-pages" Same 1 in 1:
        "A page begins with up to three entries of the page before.";
    Duplicates "duplicates" Same 1 in 2:
        "Entries come twice within a page.";
    EmptyPageOnce "empty-page-once" Same 1 in 3:
        "A search is answered once with a bundle that has neither entries nor a next link; then with the truth.";
    OutcomeOnce "outcome-200-once" Same 1 in 4:
        "200 with an OperationOutcome, or with an error object of a gateway, instead of what was asked for, once.";
    FirewallOnce "firewall-200-once" Same 1 in 4:
        "200 with a firewall's HTML page instead of what was asked for, once.";
    Forbidden "firewall-403" Same 1 in 6:
        "403 with a firewall's HTML page, once or twice for a request.";
    ByteOrderMark "bom" Same 1 in 2:
        "The body begins with a UTF-8 byte order mark.";
    WrongContentType "wrong-content-type" Same 1 in 2:
        "The body is right, its content type is not: HTML, plain text, bytes, XML or none.";
    JunkValues "junk-values" Same 1 in 2:
        "Unknown members with odd values, and null, empty text, empty list or empty object for members that the resource does not have.";
    WrongTotal "wrong-total" Same 1 in 1:
        "`total` is 0, the size of the page, half or more than the truth, also where there was none.";
    RelativeNext "relative-next" Same 1 in 1:
        "Next links are relative: an absolute path, or a query alone.";
    ForeignResources "foreign-resources" Same 1 in 2:
        "Bundles also hold resources that were not asked for: an OperationOutcome, a HealthcareService, an Endpoint.";
    ValuesAsStrings "values-as-strings" Same 1 in 2:
        "Numbers and booleans come as strings.";
    DuplicateKeys "duplicate-keys" Same 1 in 2:
        "A member of a resource comes twice with the same value.";
    HugeResource "huge-resource" Same 1 in 1:
        "One resource is 25 MiB long, nearly all of it narrative.";
    CountRefused "count-refused" Same 1 in 1:
        "`_count` above 25 is refused with 400.";
    CountCapped "count-capped" Same 1 in 1:
        "`_count` above 25 silently means 25.";
    CountEmpty "count-empty" Same 1 in 1:
        "`_count` above 25 is answered with a bundle without entries.";
    TotalRefused "total-refused" Same 1 in 1:
        "`_total` is refused with 400.";
    TokenExpiry "token-expiry" Same 1 in 1:
        "The access token that a member's code was exchanged for, or the first that the client gets by its credentials, is refused as expired; the next one is good.";
    GoneAMinute "gone-a-minute" Same 1 in 1:
        "Once, after some requests, the server is gone for a minute: all connections are reset, old ones and new ones.";
    Redirects "redirects" Same 1 in 4:
        "The request is redirected (301, 302, 303, 307 or 308) to another path of the same host, which answers it.";
    NextLoopSelf "next-loop-self" MayBeIncomplete 1 in 1:
        "In the searches of one type, a page's next link is the page itself.";
    NextLoopPair "next-loop-pair" MayBeIncomplete 1 in 1:
        "In the searches of one type, the next link of the page after a page leads back to that page.";
    OffHostNext "off-host-next" MayBeIncomplete 1 in 1:
        "In the searches of one type, next links lead to another host (which would answer).";
    OffHostRedirect "off-host-redirect" MayBeIncomplete 1 in 1:
        "One page and one reading by id of one type are redirected to another host (which would answer).";
    NestingBomb "nesting-bomb" MayBeIncomplete 1 in 1:
        "The page that holds a certain resource, and that resource by its id, is half a million nested lists.";
    CompressionBomb "compression-bomb" MayBeIncomplete 1 in 1:
        "The page that holds a certain resource, and that resource by its id, unpacks to two GiB (if gzip is accepted).";
    PermanentFailure "permanent-failure" MayBeIncomplete 1 in 1:
        "The page that holds a certain resource, and that resource by its id, answer 500 whenever they are asked.";
    Shrinking "shrinking" MayBeIncomplete 1 in 3:
        "Once a pass through one type is half done, one in three of its resources are gone from searches and by id.";
    Changing "changing" Same 1 in 20:
        "Until a pass through a type of several pages is half done, one in twenty of its resources has an older version; from then on the newer one is read by id, and searches show it at their end. Lists are older by one reference until the entries have changed.";
    OrderMoves "order-moves" MayBeIncomplete 1 in 1:
        "Pages by `_skip` are cut from another order at each request, unless the search asks for an order that is offered: entries come twice and others not at all. The total is right.";
    OrderShifts "order-shifts" MayBeIncomplete 1 in 1:
        "At each request for a page by `_skip`, the first entry of the search has moved to its end, as where a search is ordered by the last change: an entry is missed at the end of each page. The total is right.";
    PageLostOnce "page-lost-once" Same 1 in 2:
        "A page in the middle of a pass has no next link, once; it states the right total.";
    PageLost "page-lost" MayBeIncomplete 1 in 1:
        "In the searches of one type, a page in the middle never has a next link. It states the right total, and `_skip` leads beyond it.";
    PageLostSkipIgnored "page-lost-skip-ignored" MayBeIncomplete 1 in 1:
        "In the searches of one type, a page in the middle never has a next link. It states the right total; `_skip` is ignored, so that it gives the first page again.";
    PageCutOnce "page-cut-once" Same 1 in 2:
        "A page has half of its entries and no next link, once; it states the right total.";
    PageCut "page-cut" MayBeIncomplete 1 in 1:
        "In the searches of one type, the page that holds a certain resource has half of its entries and no next link, always. The total is right where it is stated; `_skip` leads beyond.";
    ErrorInPageOnce "error-in-page-once" Same 1 in 2:
        "A page has half of its entries and an OperationOutcome of severity error or fatal, once.";
    ErrorInPage "error-in-page" MayBeIncomplete 1 in 1:
        "The page that holds a certain resource has, instead of it and of what follows on that page, an OperationOutcome of severity error or fatal.";
    BundleTypeOnce "bundle-type-once" Same 1 in 2:
        "A search is answered with a Bundle of another type than searchset, with half of the page's entries, once.";
    BundleType "bundle-type" MayBeIncomplete 1 in 1:
        "The searches of one type are answered with Bundles of another type than searchset, with half of each page's entries.";
    EtagNeverChanges "etag-never-changes" Same 1 in 1:
        "Searches have an ETag that stays the same whatever becomes of the data, and are answered 304 by it.";
    ReadEtagNeverChanges "read-etag-never-changes" Same 1 in 1:
        "Readings by id have an ETag that stays the same whatever becomes of the resource, and are answered 304 by it.";
    NextLoopSpelling "next-loop-spelling" MayBeIncomplete 1 in 1:
        "In the searches of one type, a page's next link leads back to the page, each time spelled otherwise: with a parameter of another value, in another order, in other letter case, percent-encoded.";
    KeysTwiceEqual "keys-twice-equal" Same 1 in 2:
        "In a Bundle `entry`, `link`, `total` or an entry's `resource` stands twice with the same value.";
    KeysTwiceDiffer "keys-twice-differ" MayBeIncomplete 1 in 4:
        "In a Bundle `entry`, `link`, `total` or an entry's `resource` stands twice with different values, one of them right.";
    GeAsGt "ge-as-gt" Same 1 in 1:
        "`_lastUpdated=ge…` is taken for `gt`.";
    LastUpdatedIgnored "last-updated-ignored" Same 1 in 1:
        "`_lastUpdated` is ignored although it is offered; the self link leaves it out.";
    LastUpdatedIgnoredInSilence "last-updated-ignored-in-silence" Same 1 in 1:
        "`_lastUpdated` is ignored although it is offered; the self link repeats it.";
    From2099 "from-2099" Same 1 in 1:
        "One resource of each type was last updated in 2099, always.";
    ListDatesMove "list-dates-move" Same 1 in 1:
        "`meta.lastUpdated` and `meta.versionId` of Lists are others at each request.";
    CursorExpired403Page "cursor-expired-403-page" Same 1 in 1:
        "Once in each search, a cursor and all others of that pass are refused for good with 403 and a firewall's HTML page; a new pass has new ones.";
    RetryAfterHuge "retry-after-huge" MayBeIncomplete 1 in 6:
        "429 with `Retry-After: 18440000000000000000`, once for a request; then the answer.";
    NextLinkHuge "next-link-huge" MayBeIncomplete 1 in 1:
        "In the searches of one type, a page's next link is longer than 1 MiB; whoever follows it is refused.";
    GoneById "gone-by-id" MayBeIncomplete 1 in 3:
        "Resources are answered 410 by their ids, always, although others refer to them.";
    NullInList "null-in-list" Same 1 in 2:
        "`null` and `{}` stand among the entries of a List.";
    EntryWithoutResource "entry-without-resource" Same 1 in 2:
        "Bundles also hold entries without `resource`, or with `null` for it.";
    SelfDropsParameter "self-drops-parameter" Same 1 in 1:
        "`identifier`, `_tag`, `active` and `DrugPlan` are ignored; the self link leaves them out.";
    ClockAhead "clock-ahead" Same 1 in 1:
        "The server's clock is an hour ahead of the client's.";
    ClockBehind "clock-behind" Same 1 in 1:
        "The server's clock is an hour behind the client's.";
}

impl FromStr for Fault {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::named(text).ok_or_else(|| {
            Error::invalid(format!("fault {text}"), "there is no such fault")
                .with_hint("name one of the candidates; after it may stand @TYPE+TYPE and /N for one in N")
                .with_candidates(Self::names())
        })
    }
}

/// A fault, and what it is restricted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSpec {
    /// Which.
    pub fault: Fault,
    /// Only for these types; empty for all, or for the one that the seed chooses where the fault
    /// meets one type only.
    pub kinds: BTreeSet<ResourceType>,
    /// One in how many; [`Fault::every`] if not said.
    pub every: u32,
}

impl From<Fault> for FaultSpec {
    fn from(fault: Fault) -> Self {
        Self { fault, kinds: BTreeSet::new(), every: fault.every() }
    }
}

impl FromStr for FaultSpec {
    type Err = Error;

    /// `firewall-403`, `firewall-403@Practitioner+Location`, `firewall-403/10`, `firewall-403@List/10`.
    fn from_str(text: &str) -> Result<Self> {
        let (rest, every) = match text.split_once('/') {
            Some((rest, every)) => (rest, Some(every)),
            None => (text, None),
        };
        let (name, kinds) = match rest.split_once('@') {
            Some((name, kinds)) => (name, kinds.split('+').map(str::parse).collect::<Result<_>>()?),
            None => (rest, BTreeSet::new()),
        };
        let fault: Fault = name.parse()?;
        let every = match every {
            None => fault.every(),
            Some(every) => every.parse().ok().filter(|every| *every > 0).ok_or_else(|| {
                Error::invalid(format!("fault {text}"), format!("`{every}` is no number from 1 on"))
                    .with_hint("/4 means one in four")
            })?,
        };
        Ok(Self { fault, kinds, every })
    }
}

impl fmt::Display for FaultSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fault.name())?;
        for (i, kind) in self.kinds.iter().enumerate() {
            write!(f, "{}{kind}", if i == 0 { '@' } else { '+' })?;
        }
        if self.every == self.fault.every() { Ok(()) } else { write!(f, "/{}", self.every) }
    }
}

/// The faults of a server, and the seed that decides what they meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// Decides which requests and resources are met.
    pub seed: u64,
    /// Which faults act.
    pub specs: Vec<FaultSpec>,
    /// After so many failures of one and the same request, all that passing faults together, it is
    /// answered: a client that asks so many times and once more always gets through.
    pub patience: u8,
}

impl Default for Faults {
    fn default() -> Self {
        Self { seed: 1, specs: Vec::new(), patience: 3 }
    }
}

impl Faults {
    /// None.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// These, in their usual measure.
    #[must_use]
    pub fn of(faults: impl IntoIterator<Item = Fault>) -> Self {
        Self { specs: faults.into_iter().map(FaultSpec::from).collect(), ..Self::default() }
    }

    /// With another seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Three to six faults of those that end with the same dataset, as the seed chooses them.
    #[must_use]
    pub fn random(seed: u64) -> Self {
        let mut all: Vec<Fault> = Fault::ALL.iter().copied().filter(|fault| fault.ending() == Ending::Same).collect();
        let number = |salt: u64| mix(seed, salt);
        all.sort_by_key(|fault| number(*fault as u64));
        let len = 3 + usize::try_from(number(1 << 32) % 4).unwrap_or(0);
        all.truncate(len);
        all.sort_unstable();
        Self::of(all).with_seed(seed)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}:", self.seed)?;
        self.specs.iter().try_for_each(|spec| write!(f, " {spec}"))
    }
}
