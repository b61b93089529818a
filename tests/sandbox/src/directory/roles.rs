//! Roles: what a provider does at some places, in some networks.

use crate::networks::{Network, NetworkUse};
use crate::quirks::{Quirk, Quirks};
use crate::random::Draw;

use super::people::Provider;
use super::specialties::{self, SPECIALTIES, Stated};

/// How many roles providers have, by turns.
pub(crate) const INDIVIDUALS: Turns<32> =
    Turns([1, 2, 1, 1, 3, 1, 2, 1, 1, 2, 1, 4, 1, 2, 1, 0, 1, 2, 1, 1, 3, 1, 2, 1, 1, 2, 1, 4, 1, 2, 1, 1]);
pub(crate) const FACILITIES: Turns<8> = Turns([1, 1, 1, 2, 1, 1, 1, 1]);

/// A pattern of counts that repeats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns<const N: usize>([u64; N]);

impl<const N: usize> Turns<N> {
    /// How many the first `n` have together.
    pub(crate) fn before(&self, n: u64) -> u64 {
        let turns = N as u64;
        let rest = usize::try_from(n % turns).unwrap_or(0);
        n / turns * self.0.iter().sum::<u64>() + self.0.iter().take(rest).sum::<u64>()
    }

    /// Whose the `i`th is, and which of theirs.
    pub(crate) fn owner(&self, i: u64) -> (u64, u64) {
        let sum = self.0.iter().sum::<u64>().max(1);
        let mut left = i % sum;
        for (at, count) in self.0.iter().enumerate() {
            if left < *count {
                return (i / sum * N as u64 + at as u64, left);
            }
            left -= count;
        }
        (i / sum * N as u64, 0)
    }

    /// How many the `n`th has.
    pub(crate) fn count(&self, n: u64) -> u64 {
        usize::try_from(n % N as u64).ok().and_then(|at| self.0.get(at)).copied().unwrap_or(0)
    }
}

/// Where a role is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    /// A Location, by number.
    Place(u64),
    /// A Location that does not exist.
    Nowhere,
}

/// How a role names its networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NetworkForm {
    /// By `meta.tag`.
    Tag,
    /// By network-reference to the network's Organization.
    Reference,
    /// By network-reference with the network's identifier.
    Identifier,
    /// By tag and by network-reference.
    Both,
}

/// Whether new patients are taken: Plan-Net's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Accepting {
    /// `newpt`.
    Yes,
    /// `nopt`.
    No,
    /// `existptonly`.
    ExistingOnly,
    /// `existptfam`.
    ExistingAndFamily,
}

impl Accepting {
    /// The code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Yes => "newpt",
            Self::No => "nopt",
            Self::ExistingOnly => "existptonly",
            Self::ExistingAndFamily => "existptfam",
        }
    }
}

/// A role of the made directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Number of its PractitionerRole.
    pub number: u64,
    /// Whose it is.
    pub provider: Provider,
    /// Whether the provider's resource does not exist: the role gives nothing.
    pub provider_is_missing: bool,
    /// Whether it names a person's second record.
    pub second_record: bool,
    /// The organization that a practitioner works for, a facility's number: not the provider.
    pub employer: Option<u64>,
    /// `Some(false)` for inactive, `None` for not stated.
    pub active: Option<bool>,
    /// Its networks, by number, ascending.
    pub networks: Vec<u32>,
    /// How it names them.
    pub form: NetworkForm,
    /// Its specialties, up to two.
    pub specialties: Vec<Stated>,
    /// Its places, distinct; none where the place is not stated.
    pub places: Vec<At>,
    /// Whether new patients are taken, if stated, and for which network, if for one.
    pub accepting: Option<(Accepting, Option<u32>)>,
    /// Phone, ten digits.
    pub phone: Option<u64>,
}

impl Role {
    /// Whether it has several places: that its networks hold at each of them is not stated.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.places.len() > 1
    }
}

/// What roles are drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) seed: u64,
    pub(crate) networks: &'a [Network],
    pub(crate) quirks: &'a Quirks,
    pub(crate) locations: u64,
    pub(crate) same_county: &'a dyn SameCounty,
}

/// The Locations of the county that one is in.
pub(crate) trait SameCounty: std::fmt::Debug {
    fn same_county(&self, number: u64) -> std::ops::Range<u64>;
}

impl SameCounty for super::places::Places {
    fn same_county(&self, number: u64) -> std::ops::Range<u64> {
        Self::same_county(self, number)
    }
}

/// The `nth` role of a provider whose usual specialty is `specialty`.
pub(crate) fn role(source: Source<'_>, number: u64, provider: Provider, nth: u64, specialty: u32, twice: bool) -> Role {
    let (kind, id) = match provider {
        Provider::Individual(id) => (0x6972, id),
        Provider::Facility(id) => (0x6672, id),
    };
    let organization = kind == 0x6672;
    let of_provider = Draw::of(source.seed ^ kind, id);
    let draw = of_provider.and(1_000 + nth);
    let quirks = source.quirks;
    let hits = |quirk: Quirk| draw.and(quirk as u64).hits(quirks.rate(quirk));
    let first_specialty =
        if nth > 0 && draw.and(1).hits(400_000) { specialties::drawn(draw.and(2), organization) } else { specialty };
    let mut stated = Vec::new();
    if !hits(Quirk::RoleWithoutSpecialty) {
        let variants = quirks.rate(Quirk::SpecialtySpelling);
        stated.push(specialties::written(first_specialty, draw.and(3), variants));
        if draw.and(4).hits(120_000) {
            let second = specialties::drawn(draw.and(5), organization);
            if second != first_specialty {
                stated.push(specialties::written(second, draw.and(6), variants));
            }
        }
    }
    let purpose = SPECIALTIES.get(first_specialty as usize).map_or(NetworkUse::Medical, |s| s.purpose);
    let networks = networks(source, of_provider, draw, purpose);
    let form = if hits(Quirk::NetworkByReference) {
        NetworkForm::Reference
    } else if hits(Quirk::NetworkByIdentifier) {
        NetworkForm::Identifier
    } else if hits(Quirk::NetworkTwice) {
        NetworkForm::Both
    } else {
        NetworkForm::Tag
    };
    let accepting = hits(Quirk::AcceptingStated).then(|| {
        let all = [
            Accepting::Yes,
            Accepting::Yes,
            Accepting::Yes,
            Accepting::No,
            Accepting::ExistingOnly,
            Accepting::ExistingAndFamily,
        ];
        let from = hits(Quirk::AcceptingFromNetwork).then(|| draw.and(7).one_of(&networks, 0));
        (draw.and(8).one_of(&all, Accepting::Yes), from)
    });
    Role {
        number,
        provider,
        provider_is_missing: hits(if organization { Quirk::OrganizationDangling } else { Quirk::PersonDangling }),
        second_record: twice && nth % 2 == 1 - id % 2,
        employer: (!organization && hits(Quirk::RoleWithBoth)).then(|| draw.and(9).key()),
        active: if hits(Quirk::RoleInactive) {
            Some(false)
        } else {
            (!draw.and(10).hits(quirks.rate(Quirk::ActiveMissing))).then_some(true)
        },
        places: places(source, of_provider, draw, nth, organization),
        networks,
        form,
        specialties: stated,
        accepting,
        phone: hits(Quirk::RolePhone).then(|| super::phone(draw.and(11))),
    }
}

/// Most providers of a payer are in one of a few dozen sets of networks; some roles differ by one.
fn networks(source: Source<'_>, of_provider: Draw, draw: Draw, purpose: NetworkUse) -> Vec<u32> {
    let own_set = if draw.and(20).hits(300_000) { draw } else { of_provider };
    let place = own_set.and(21).below(1_000);
    let set = Draw::of(source.seed ^ 0x6e65_7473, place * place * 64 / 1_000_000);
    let of = |purpose| source.networks.iter().filter(move |n| n.purpose == purpose);
    let mut networks: Vec<u32> =
        of(purpose).filter(|n| set.and(u64::from(n.number) + 1).hits(500_000)).map(|n| n.number).collect();
    let one = || {
        let all: Vec<u32> = of(purpose).map(|n| n.number).collect();
        draw.and(22).one_of(&all, 0)
    };
    if networks.is_empty() {
        networks.push(one());
    } else if draw.and(23).hits(150_000) {
        let toggled = one();
        match networks.iter().position(|n| *n == toggled) {
            Some(at) if networks.len() > 1 => {
                networks.remove(at);
            }
            Some(_) => {}
            None => networks.push(toggled),
        }
    }
    // Vision providers are often in medical networks too.
    if purpose == NetworkUse::Vision && draw.and(24).hits(300_000) {
        networks
            .extend(of(NetworkUse::Medical).filter(|n| set.and(u64::from(n.number)).hits(300_000)).map(|n| n.number));
    }
    networks.sort_unstable();
    networks.dedup();
    networks
}

/// Places near a provider's home; a second role is often at the first one's place.
fn places(source: Source<'_>, of_provider: Draw, draw: Draw, nth: u64, organization: bool) -> Vec<At> {
    if draw.and(Quirk::RoleWithoutPlace as u64).hits(source.quirks.rate(Quirk::RoleWithoutPlace))
        || source.locations == 0
    {
        return Vec::new();
    }
    let home = of_provider.and(30).below(source.locations);
    let near = source.same_county.same_county(home);
    let counts: [u32; 8] = if organization { [0, 86, 8, 3, 2, 1, 0, 0] } else { [0, 46, 25, 14, 8, 4, 2, 1] };
    let wanted = draw.and(31).weighted(&counts).max(1) as u64;
    let mut places = Vec::with_capacity(8);
    for n in 0..wanted {
        let here = draw.and(40 + n);
        let place = if n == 0 && (nth == 0 || here.and(1).hits(550_000)) {
            home
        } else if here.and(2).hits(120_000) {
            here.and(3).below(source.locations)
        } else {
            // Within the county, mostly nearby in its order.
            let span = (near.end - near.start).max(1);
            near.start + (home - near.start + here.and(4).below(61)) % span
        };
        if !places.contains(&At::Place(place)) {
            places.push(At::Place(place));
        }
    }
    if draw.and(Quirk::PlaceDangling as u64).hits(source.quirks.rate(Quirk::PlaceDangling))
        && let Some(last) = places.last_mut()
    {
        *last = At::Nowhere;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_count_and_go_back() {
        let mut i = 0;
        for n in 0..100 {
            assert_eq!(INDIVIDUALS.before(n), i);
            for nth in 0..INDIVIDUALS.count(n) {
                assert_eq!(INDIVIDUALS.owner(i), (n, nth));
                i += 1;
            }
        }
    }
}
