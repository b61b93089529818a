//! Which request and which resource meet which fault.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use super::super::catalogue::Catalogue;
use super::super::codec::mix;
use super::super::locked;
use super::super::payer::place;
use super::{Fault, FaultSpec, Faults};
use crate::ResourceType;

/// How long the server is gone.
const ABSENCE: Duration = Duration::from_mins(1);
/// How far a clock is off.
const CLOCK_OFF: Duration = Duration::from_hours(1);

/// A failure of one request that a client gets over by asking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Interruption {
    /// 429; `Retry-After` in so many seconds, as a date or as a number.
    TooMany { after: u64, as_date: bool },
    /// 500, 502, 503 or 504.
    ServerError(u16),
    /// Closed without a byte.
    Drop,
    /// Reset, after half of the body or before anything.
    Reset { midway: bool },
    /// Answered; the connection's next request is not.
    CloseBehind,
    /// Silence, then closed.
    Hang,
    /// The connection ends in the middle of the body.
    TruncateRight,
    /// Half the body, called whole.
    TruncateWrong,
    /// A page that is spoilt.
    Spoilt(Spoilt),
    /// 200 with something else in JSON.
    Outcome,
    /// A firewall's page with this status.
    Firewall(u16),
}

/// What is wrong with a page once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Spoilt {
    /// It has neither entries nor a next link.
    Empty,
    /// It has no next link.
    Lost,
    /// It has half of its entries and no next link.
    Cut,
    /// It has half of its entries and an error.
    Error,
    /// It has half of its entries and is of another type.
    Type,
}

/// The passing faults of pages.
const SPOILING: [(Fault, Spoilt); 5] = [
    (Fault::EmptyPageOnce, Spoilt::Empty),
    (Fault::PageLostOnce, Spoilt::Lost),
    (Fault::PageCutOnce, Spoilt::Cut),
    (Fault::ErrorInPageOnce, Spoilt::Error),
    (Fault::BundleTypeOnce, Spoilt::Type),
];

/// What no client waits for, in seconds.
const HUGE_WAIT: u64 = 18_440_000_000_000_000_000;

/// The passing faults that are drawn for each request by itself.
const DRAWN: &[Fault] = &[
    Fault::TooManySeconds,
    Fault::TooManyDate,
    Fault::ConnectionDropped,
    Fault::ConnectionReset,
    Fault::ConnectionSilentlyClosed,
    Fault::Hang,
    Fault::TruncatedRightLength,
    Fault::TruncatedWrongLength,
    Fault::EmptyPageOnce,
    Fault::OutcomeOnce,
    Fault::FirewallOnce,
    Fault::Forbidden,
    Fault::PageLostOnce,
    Fault::PageCutOnce,
    Fault::ErrorInPageOnce,
    Fault::BundleTypeOnce,
    Fault::RetryAfterHuge,
];

/// How an expired cursor is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Expiry {
    pub(in super::super) status: u16,
    /// With a firewall's page.
    pub(in super::super) by_firewall: bool,
}

const EXPIRIES: [(Fault, Expiry); 5] = [
    (Fault::CursorExpired400, Expiry { status: 400, by_firewall: false }),
    (Fault::CursorExpired403, Expiry { status: 403, by_firewall: false }),
    (Fault::CursorExpired404, Expiry { status: 404, by_firewall: false }),
    (Fault::CursorExpired410, Expiry { status: 410, by_firewall: false }),
    (Fault::CursorExpired403Page, Expiry { status: 403, by_firewall: true }),
];

/// The types that `changing` reaches by their searches; the Lists follow the entries.
const CHANGING: [ResourceType; 5] = [
    ResourceType::MedicationKnowledge,
    ResourceType::Medication,
    ResourceType::InsurancePlan,
    ResourceType::PractitionerRole,
    ResourceType::Practitioner,
];

/// The faults that act now, and what they did.
pub(in super::super) struct Active {
    faults: Faults,
    enabled: BTreeMap<Fault, FaultSpec>,
    first: u64,
    /// A type with more resources than this takes several pages, whatever page size a client asks for.
    largest_page: u64,
    state: Mutex<State>,
    vanished: [OnceLock<Arc<Vec<u64>>>; ResourceType::ALL.len()],
    changed: [OnceLock<Arc<Vec<u64>>>; ResourceType::ALL.len()],
}

#[derive(Default)]
struct State {
    /// For each request that was made: failures drawn for it that are past, and failures in all.
    targets: HashMap<u64, (u8, u8)>,
    passes: HashMap<u64, Passes>,
    /// For each search, how often one of its pages was asked for.
    turns: HashMap<u64, u64>,
    half_done: BTreeSet<ResourceType>,
    fired: BTreeMap<Fault, u64>,
    gone_until: Option<SystemTime>,
    was_gone: bool,
}

/// The passes through one search: how many began, and which one's cursors expired.
#[derive(Default)]
struct Passes {
    begun: u32,
    expired: Option<(u32, Expiry)>,
}

impl Active {
    /// `first` is the number of the first request that they may meet, `largest_page` the largest
    /// page size that the server grants.
    pub(in super::super) fn new(faults: Faults, first: u64, largest_page: u32) -> Self {
        Self {
            enabled: faults.specs.iter().map(|spec| (spec.fault, spec.clone())).collect(),
            faults,
            first,
            largest_page: u64::from(largest_page),
            state: Mutex::default(),
            vanished: Default::default(),
            changed: Default::default(),
        }
    }

    pub(in super::super) fn faults(&self) -> &Faults {
        &self.faults
    }

    pub(in super::super) fn fired(&self) -> BTreeMap<Fault, u64> {
        locked(&self.state).fired.clone()
    }

    /// Counts that a fault did something.
    pub(in super::super) fn note(&self, fault: Fault) {
        *locked(&self.state).fired.entry(fault).or_default() += 1;
    }

    /// A number that depends on the seed, the fault, the key and the salt alone.
    pub(in super::super) fn draw(&self, fault: Fault, key: u64, salt: u64) -> u64 {
        mix(mix(mix(self.faults.seed, fault as u64), key), salt)
    }

    /// Whether the fault acts for this type (none: for what is of no type) on what has this key.
    pub(in super::super) fn meets(&self, fault: Fault, kind: Option<ResourceType>, key: u64) -> bool {
        self.enabled.get(&fault).is_some_and(|spec| {
            (spec.kinds.is_empty() || kind.is_some_and(|kind| spec.kinds.contains(&kind)))
                && self.draw(fault, key, 0).is_multiple_of(u64::from(spec.every.max(1)))
        })
    }

    /// [`meets`](Self::meets), and counts it.
    pub(in super::super) fn strikes(&self, fault: Fault, kind: Option<ResourceType>, key: u64) -> bool {
        let met = self.meets(fault, kind, key);
        if met {
            self.note(fault);
        }
        met
    }

    /// The failure that request `number`, for the target with this key, meets instead of or with its answer.
    /// `behind` tells that its connection was silently closed before.
    pub(in super::super) fn interrupt(
        &self,
        number: u64,
        kind: Option<ResourceType>,
        is_search: bool,
        key: u64,
        behind: bool,
    ) -> Option<Interruption> {
        if self.enabled.is_empty() {
            return None;
        }
        let drawn = self.drawn(kind, is_search, key);
        let burst = self.burst(number.saturating_sub(self.first), kind);
        let mut state = locked(&self.state);
        let (past, failures) = state.targets.entry(key).or_default();
        if *failures >= self.faults.patience {
            return None;
        }
        let (fault, interruption) = if behind {
            (Fault::ConnectionSilentlyClosed, Interruption::Drop)
        } else if let Some(status) = burst {
            (Fault::ServerErrors, Interruption::ServerError(status))
        } else {
            let next = drawn.get(usize::from(*past)).copied()?;
            *past += 1;
            next
        };
        if interruption != Interruption::CloseBehind {
            *failures += 1;
            *state.fired.entry(fault).or_default() += 1;
        }
        Some(interruption)
    }

    /// The failures of a target, in the order in which its requests meet them.
    fn drawn(&self, kind: Option<ResourceType>, is_search: bool, key: u64) -> Vec<(Fault, Interruption)> {
        let mut drawn = Vec::new();
        for fault in DRAWN.iter().copied() {
            let spoilt = SPOILING.iter().find(|(spoiling, _)| *spoiling == fault).map(|(_, spoilt)| *spoilt);
            if (spoilt.is_some() && !is_search) || !self.meets(fault, kind, key) {
                continue;
            }
            let once = matches!(
                fault,
                Fault::Hang
                    | Fault::RetryAfterHuge
                    | Fault::OutcomeOnce
                    | Fault::FirewallOnce
                    | Fault::ConnectionSilentlyClosed
            );
            let times = if once || spoilt.is_some() { 1 } else { 1 + self.draw(fault, key, 1) % 2 };
            for time in 0..times {
                let number = self.draw(fault, key, 2 + time);
                let interruption = match fault {
                    _ if spoilt.is_some() => spoilt.map_or(Interruption::Drop, Interruption::Spoilt),
                    Fault::RetryAfterHuge => Interruption::TooMany { after: HUGE_WAIT, as_date: false },
                    Fault::TooManySeconds => Interruption::TooMany { after: 1 + number % 3, as_date: false },
                    Fault::TooManyDate => Interruption::TooMany { after: 1 + number % 3, as_date: true },
                    Fault::ConnectionDropped => Interruption::Drop,
                    Fault::ConnectionReset => Interruption::Reset { midway: number.is_multiple_of(2) },
                    Fault::ConnectionSilentlyClosed => Interruption::CloseBehind,
                    Fault::Hang => Interruption::Hang,
                    Fault::TruncatedRightLength => Interruption::TruncateRight,
                    Fault::TruncatedWrongLength => Interruption::TruncateWrong,
                    Fault::OutcomeOnce => Interruption::Outcome,
                    Fault::FirewallOnce => Interruption::Firewall(200),
                    _ => Interruption::Firewall(403),
                };
                drawn.push((number, fault, interruption));
            }
        }
        drawn.sort_by_key(|(number, fault, _)| (*number, *fault));
        drawn.into_iter().map(|(_, fault, interruption)| (fault, interruption)).collect()
    }

    /// The status of a request that falls into a burst of server errors: of each 16 requests, the
    /// first three to five may be one.
    fn burst(&self, number: u64, kind: Option<ResourceType>) -> Option<u16> {
        let window = number / 16;
        let met = self.meets(Fault::ServerErrors, kind, window)
            && number % 16 < 3 + self.draw(Fault::ServerErrors, window, 1) % 3;
        met.then(|| match self.draw(Fault::ServerErrors, number, 2) % 4 {
            0 => 500,
            1 => 502,
            2 => 503,
            _ => 504,
        })
    }

    /// Whether the server is gone at this time. Request `number` may be the one that it leaves at.
    pub(in super::super) fn leaves(&self, number: u64, now: SystemTime) -> bool {
        if !self.enabled.contains_key(&Fault::GoneAMinute) {
            return false;
        }
        let at = self.first + 8 + self.draw(Fault::GoneAMinute, 0, 1) % 12;
        let mut state = locked(&self.state);
        if number >= at && !state.was_gone {
            state.was_gone = true;
            state.gone_until = Some(now + ABSENCE);
            *state.fired.entry(Fault::GoneAMinute).or_default() += 1;
        }
        state.gone_until.is_some_and(|until| now < until)
    }

    /// Whether the server is gone at this time.
    pub(in super::super) fn is_gone(&self, now: SystemTime) -> bool {
        locked(&self.state).gone_until.is_some_and(|until| now < until)
    }

    /// The number of the pass that a first page begins, for its cursors.
    pub(in super::super) fn begin_pass(&self, search: u64) -> u32 {
        if !EXPIRIES.iter().any(|(fault, _)| self.enabled.contains_key(fault)) {
            return 0;
        }
        let mut state = locked(&self.state);
        let passes = state.passes.entry(search).or_default();
        passes.begun += 1;
        passes.begun - 1
    }

    /// How a cursor is refused as expired, if it is. `position` of `len` is where its page
    /// of `count` begins; the place where the pass breaks off is drawn among its pages.
    pub(in super::super) fn expired(
        &self,
        search: u64,
        kind: ResourceType,
        pass: u32,
        position: u64,
        len: u64,
        count: u64,
    ) -> Option<Expiry> {
        let met: Vec<_> = EXPIRIES.into_iter().filter(|(fault, _)| self.meets(*fault, Some(kind), search)).collect();
        let choice = usize::try_from(self.draw(Fault::CursorExpired400, search, 1)).unwrap_or(0);
        let (fault, expiry) = met.get(choice.checked_rem(met.len())?).copied()?;
        let last = len.saturating_sub(1) / count.max(1) * count.max(1);
        let place = 1 + self.draw(Fault::CursorExpired400, search, 2).checked_rem(last)?;
        let mut state = locked(&self.state);
        let passes = state.passes.entry(search).or_default();
        if passes.expired.is_none() && position >= place {
            passes.expired = Some((pass, expiry));
        }
        let expiry = passes.expired.filter(|(expired, _)| *expired == pass).map(|(_, expiry)| expiry);
        if expiry.is_some() {
            *state.fired.entry(fault).or_default() += 1;
        }
        expiry
    }

    /// How often a page of this search was asked for before.
    pub(in super::super) fn turn(&self, search: u64) -> u64 {
        let mut state = locked(&self.state);
        let turns = state.turns.entry(search).or_default();
        *turns += 1;
        *turns - 1
    }

    /// The time that the server tells, which may be off.
    pub(in super::super) fn told(&self, now: SystemTime) -> SystemTime {
        match (self.enabled.contains_key(&Fault::ClockAhead), self.enabled.contains_key(&Fault::ClockBehind)) {
            (true, false) => now + CLOCK_OFF,
            (false, true) => now - CLOCK_OFF,
            _ => now,
        }
    }

    /// Counts that a wrong time was told.
    pub(in super::super) fn note_told(&self) {
        for fault in [Fault::ClockAhead, Fault::ClockBehind] {
            if self.enabled.contains_key(&fault) {
                self.note(fault);
            }
        }
    }

    /// Whether this resource is answered 410 by its id.
    pub(in super::super) fn is_gone_by_id(&self, kind: ResourceType, index: u64) -> bool {
        self.strikes(Fault::GoneById, Some(kind), mix(place(kind) as u64, index))
    }

    /// Whether this is the resource of its type that was last updated in 2099.
    pub(in super::super) fn is_from_2099(&self, kind: ResourceType, index: u64, catalogue: &Catalogue) -> bool {
        let met = self.enabled.get(&Fault::From2099);
        if met.is_none_or(|spec| !spec.kinds.is_empty() && !spec.kinds.contains(&kind)) {
            return false;
        }
        let hidden = catalogue.hidden(kind);
        let visible = catalogue.payer.count(kind) - hidden.len() as u64;
        let rank = self.draw(Fault::From2099, place(kind) as u64, 4).checked_rem(visible);
        rank.is_some_and(|rank| super::super::sequence::nth_outside(&hidden, rank) == index)
    }

    /// The type that a fault meets which meets one type only.
    pub(in super::super) fn victim_kind(&self, fault: Fault, catalogue: &Catalogue) -> Option<ResourceType> {
        let spec = self.enabled.get(&fault)?;
        let visible = |kind: ResourceType| catalogue.payer.count(kind) - catalogue.hidden(kind).len() as u64;
        let mut kinds: Vec<_> =
            if spec.kinds.is_empty() { CHANGING.to_vec() } else { spec.kinds.iter().copied().collect() };
        kinds.retain(|kind| visible(*kind) > 0);
        // Where there is one, a type of many pages.
        if kinds.iter().any(|kind| visible(*kind) > self.largest_page) {
            kinds.retain(|kind| visible(*kind) > self.largest_page);
        }
        let choice = usize::try_from(self.draw(fault, 0, 3)).unwrap_or(0);
        kinds.get(choice.checked_rem(kinds.len())?).copied()
    }

    /// The resource that a fault meets which meets one resource only: one of the first half of its
    /// type's searches.
    pub(in super::super) fn victim(&self, fault: Fault, catalogue: &Catalogue) -> Option<(ResourceType, u64)> {
        let kind = self.victim_kind(fault, catalogue)?;
        let hidden = catalogue.hidden(kind);
        let visible = catalogue.payer.count(kind) - hidden.len() as u64;
        let rank = self.draw(fault, place(kind) as u64, 4) % visible.div_ceil(2);
        Some((kind, super::super::sequence::nth_outside(&hidden, rank)))
    }

    /// Whether a fault that meets one resource only meets this one.
    pub(in super::super) fn is_victim(
        &self,
        fault: Fault,
        catalogue: &Catalogue,
        kind: ResourceType,
        mut indexes: impl Iterator<Item = u64>,
    ) -> bool {
        self.enabled.contains_key(&fault)
            && self.victim(fault, catalogue).is_some_and(|(met, index)| met == kind && indexes.any(|one| one == index))
    }

    /// Tells that a pass through all of this type has come to its middle.
    pub(in super::super) fn half_done(&self, kind: ResourceType, catalogue: &Catalogue) {
        let shrinking = self.victim_kind(Fault::Shrinking, catalogue) == Some(kind);
        let changing = self.changes(kind, catalogue) && CHANGING.contains(&kind);
        let mut state = locked(&self.state);
        if (shrinking || changing) && state.half_done.insert(kind) {
            for (fault, acts) in [(Fault::Shrinking, shrinking), (Fault::Changing, changing)] {
                if acts {
                    *state.fired.entry(fault).or_default() += 1;
                }
            }
        }
    }

    /// The resources that are gone, ascending, if any are.
    pub(in super::super) fn vanished(&self, kind: ResourceType, catalogue: &Catalogue) -> Option<Arc<Vec<u64>>> {
        if self.victim_kind(Fault::Shrinking, catalogue) != Some(kind) || !locked(&self.state).half_done.contains(&kind)
        {
            return None;
        }
        // The type is chosen already: what is left to draw is the resources.
        let every = self.enabled.get(&Fault::Shrinking).map_or(1, |spec| u64::from(spec.every.max(1)));
        let gone = |index: &u64| self.draw(Fault::Shrinking, *index, 5).is_multiple_of(every);
        let find = || Arc::new((0..catalogue.payer.count(kind)).filter(gone).collect());
        self.vanished.get(place(kind)).map(|cell| Arc::clone(cell.get_or_init(find)))
    }

    fn changes(&self, kind: ResourceType, catalogue: &Catalogue) -> bool {
        let spec = self.enabled.get(&Fault::Changing);
        spec.is_some_and(|spec| spec.kinds.is_empty() || spec.kinds.contains(&kind))
            // In a single page nothing can change half way.
            && catalogue.payer.count(kind) > self.largest_page
    }

    /// Whether this resource has an older version and a newer one. Without `lastUpdated` it has not:
    /// nobody could tell which is which.
    pub(in super::super) fn is_changing(&self, kind: ResourceType, index: u64, catalogue: &Catalogue) -> bool {
        let met = match kind {
            ResourceType::List => self.changes(ResourceType::MedicationKnowledge, catalogue),
            kind if CHANGING.contains(&kind) && self.changes(kind, catalogue) => {
                self.meets(Fault::Changing, Some(kind), mix(place(kind) as u64, index))
            }
            _ => false,
        };
        met && catalogue.payer.resource(kind, index).contains("\"lastUpdated\":\"2")
    }

    /// Whether the newer versions are out.
    pub(in super::super) fn has_changed(&self, kind: ResourceType) -> bool {
        let kind = if kind == ResourceType::List { ResourceType::MedicationKnowledge } else { kind };
        self.enabled.contains_key(&Fault::Changing) && locked(&self.state).half_done.contains(&kind)
    }

    /// The resources whose newer versions stand at the end of a search, ascending.
    pub(in super::super) fn changed(&self, kind: ResourceType, catalogue: &Catalogue) -> Arc<Vec<u64>> {
        if !self.has_changed(kind) || kind == ResourceType::List {
            return Arc::default();
        }
        let find = || {
            let hidden = catalogue.hidden(kind);
            let shown = |index: &u64| self.is_changing(kind, *index, catalogue) && hidden.binary_search(index).is_err();
            Arc::new((0..catalogue.payer.count(kind)).filter(shown).collect())
        };
        self.changed.get(place(kind)).map_or_else(Arc::default, |cell| Arc::clone(cell.get_or_init(find)))
    }
}
