//! The directory's networks, and which of them a question wants.

use tantivy::directory::OwnedBytes;

use crate::data::Network;
use crate::format::DamagedIfNone as _;
use crate::format::packed::{Damaged, Packed};
use crate::ids::{NetworkKey, NetworkKind};
use crate::{Error, ErrorKind, Result};

use super::layout::{flag, section};

/// Candidates that an error names at most.
const MOST_CANDIDATES: usize = 12;

/// Networks, few enough to be read at open.
#[derive(Debug)]
pub(crate) struct Networks {
    all: Vec<Listed>,
    /// Bytes of one network set.
    stride: usize,
    sets: OwnedBytes,
    row_sets: OwnedBytes,
}

#[derive(Debug)]
struct Listed {
    network: Network,
    /// Active roles.
    roles: u32,
    /// Why its part is incomplete.
    gap: Option<String>,
}

/// The networks that a question wants, as bits over the network sets.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// Any, or none: nothing is asked of the networks.
    Any,
    /// One of these.
    OneOf {
        /// Bits of networks that are wanted whatever the role's directory type.
        surely: Vec<u8>,
        /// Bits of networks of no stated kind, wanted where the role's directory type has `hint`.
        by_hint: Vec<u8>,
        /// The directory type, a bit of [`flag`].
        hint: u32,
    },
}

impl Networks {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        let damaged = || packed.error().saying("its networks do not fit each other");
        let altered = |Damaged| packed.error();
        let [systems, ids, labels, gaps] =
            [section::NETWORK_SYSTEM, section::NETWORK_ID, section::NETWORK_LABEL, section::NETWORK_GAP]
                .map(|name| packed.texts(name));
        let (systems, ids, labels, gaps) = (systems?, ids?, labels?, gaps?);
        let roles = packed.numbers(section::NETWORK_ROLES)?;
        if [&ids, &labels, &gaps].iter().any(|texts| texts.len() != systems.len())
            || roles.len() != systems.len() as usize
        {
            return Err(damaged());
        }
        let mut all = Vec::new();
        let texts = systems.iter().zip(ids.iter()).zip(labels.iter().zip(gaps.iter()));
        for (((system, id), (label, gap)), roles) in texts.zip(roles) {
            let key = NetworkKey::new(&system.map_err(altered)?, &id.map_err(altered)?).map_err(|_| damaged())?;
            let kind = key.kind();
            let [label, gap] = [label.map_err(altered)?, gap.map_err(altered)?];
            let network = Network { key, kind, label: Some(label).filter(|label| !label.is_empty()).map(Into::into) };
            all.push(Listed { network, roles, gap: Some(gap).filter(|gap| !gap.is_empty()) });
        }
        Ok(Self {
            stride: all.len().div_ceil(8).max(1),
            all,
            sets: packed.checked_bytes(section::NETWORK_SET)?,
            row_sets: packed.checked_bytes(section::ROW_NETWORK_SET)?,
        })
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Network> {
        self.all.iter().map(|listed| &listed.network)
    }

    /// The number of a network.
    pub(crate) fn find(&self, key: &NetworkKey) -> Option<usize> {
        self.all.iter().position(|listed| listed.network.key == *key)
    }

    /// The number of a network that a person named.
    pub(crate) fn named(&self, key: &NetworkKey) -> Result<usize> {
        self.find(key).ok_or_else(|| {
            let near =
                |network: &&Network| network.key.id() == key.id() || network.key.folded_system() == key.folded_system();
            let (near, others): (Vec<_>, Vec<_>) = self.all().partition(near);
            let shown = |network: &Network| match &network.label {
                Some(label) => format!("{} {label}", network.key),
                None => network.key.to_string(),
            };
            Error::new(
                ErrorKind::NotFound,
                format!("network {key}"),
                "no plan and no network of the directory has this key",
            )
            .with_hint("a network is written SYSTEM|ID")
            .with_candidates(near.into_iter().chain(others).take(MOST_CANDIDATES).map(shown))
        })
    }

    pub(crate) fn network(&self, number: usize) -> Option<&Network> {
        self.all.get(number).map(|listed| &listed.network)
    }

    /// Why nothing can be said of who is not in a network: its part is incomplete or empty.
    pub(crate) fn gap(&self, number: usize) -> Option<String> {
        let listed = self.all.get(number)?;
        let empty = || (listed.roles == 0).then(|| "the directory has no active role in this network".to_owned());
        listed.gap.clone().or_else(empty)
    }

    /// Why its part is incomplete.
    pub(crate) fn incomplete(&self, number: usize) -> Option<&str> {
        self.all.get(number)?.gap.as_deref()
    }

    /// The bits of a network set.
    #[inline]
    pub(crate) fn set(&self, set: u32) -> Result<&[u8], Damaged> {
        of_stride(&self.sets, set, self.stride)
    }

    /// The bits of a row's network set.
    #[inline]
    pub(crate) fn row_set(&self, set: u32) -> Result<&[u8], Damaged> {
        of_stride(&self.row_sets, set, self.stride)
    }

    /// Whether a row may fit by its networks, for each number that the column of rows holds.
    pub(crate) fn row_verdicts(&self, wanted: &Wanted) -> Vec<bool> {
        let sets = self.row_sets.chunks_exact(self.stride);
        std::iter::once(false).chain(sets.map(|set| wanted.may_fit(set))).collect()
    }

    /// How many network sets of rows there are.
    pub(crate) fn row_sets(&self) -> usize {
        self.row_sets.len() / self.stride
    }

    /// How many networks there are.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Networks of a set.
    pub(crate) fn members(&self, set: u32) -> Result<impl Iterator<Item = usize> + '_, Damaged> {
        let bits = self.set(set)?;
        Ok((0..self.all.len()).filter(|number| has(bits, *number)))
    }

    /// Networks of a set, to be shown.
    pub(crate) fn shown(&self, set: u32) -> Result<Vec<Network>, Damaged> {
        let count: u32 = self.set(set)?.iter().map(|byte| byte.count_ones()).sum();
        let mut shown = Vec::with_capacity(count as usize);
        shown.extend(self.members(set)?.filter_map(|number| self.network(number).cloned()));
        Ok(shown)
    }

    /// What a question wants: of `keys` (of all, where none are named) those of one kind. A network
    /// whose system tells no kind is wanted where the role's directory type tells it.
    ///
    /// # Errors
    /// `NotFound` for a network that nobody names, or where none is of that kind.
    pub(crate) fn wanted(&self, keys: Option<&[NetworkKey]>, kind: Option<NetworkKind>) -> Result<Wanted> {
        let numbers: Vec<usize> = match (keys, kind) {
            (None, None) => return Ok(Wanted::Any),
            (None, Some(_)) => (0..self.all.len()).collect(),
            (Some(keys), _) => keys.iter().map(|key| self.named(key)).collect::<Result<_>>()?,
        };
        let [mut surely, mut by_hint] = [vec![0; self.stride], vec![0; self.stride]];
        let hint = match kind {
            Some(NetworkKind::Pharmacy) => flag::PHARMACY,
            Some(NetworkKind::Vision) => flag::VISION,
            Some(NetworkKind::Medical) => flag::MEDICAL,
            Some(NetworkKind::Unknown) | None => 0,
        };
        for number in &numbers {
            let own = self.network(*number).map_or(NetworkKind::Unknown, |network| network.kind);
            let bits = match kind {
                None => &mut surely,
                Some(kind) if kind == own => &mut surely,
                Some(_) if own == NetworkKind::Unknown => &mut by_hint,
                Some(_) => continue,
            };
            if let Some(byte) = bits.get_mut(number / 8) {
                *byte |= 1 << (number % 8);
            }
        }
        if let Some(kind) = kind
            && surely.iter().chain(&by_hint).all(|byte| *byte == 0)
        {
            let candidates =
                numbers.iter().filter_map(|number| self.network(*number)).map(|network| network.key.to_string());
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("{} network", kind.as_str()),
                "none of the networks asked for is of this kind",
            )
            .with_candidates(candidates.take(MOST_CANDIDATES)));
        }
        Ok(Wanted::OneOf { surely, by_hint, hint })
    }
}

/// The bits of one network set among several of one length.
#[inline]
fn of_stride(sets: &[u8], set: u32, stride: usize) -> Result<&[u8], Damaged> {
    let from = (set as usize).checked_mul(stride).damaged_if_none()?;
    sets.get(from..).and_then(|sets| sets.get(..stride)).damaged_if_none()
}

#[inline]
fn has(bits: &[u8], number: usize) -> bool {
    bits.get(number / 8).is_some_and(|byte| byte >> (number % 8) & 1 == 1)
}

#[inline]
pub(crate) fn share_a_bit(a: &[u8], b: &[u8]) -> bool {
    a.iter().zip(b).fold(0, |shared, (a, b)| shared | (a & b)) != 0
}

impl Wanted {
    /// Whether a network set has a wanted one, for a role with these flags.
    #[inline]
    pub(crate) fn fits(&self, set: &[u8], flags: u32) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf { surely, by_hint, hint } => {
                share_a_bit(surely, set) || (flags & hint != 0 && share_a_bit(by_hint, set))
            }
        }
    }

    /// Whether a network set has one that is wanted of roles with some flags.
    #[inline]
    pub(crate) fn may_fit(&self, set: &[u8]) -> bool {
        self.fits(set, u32::MAX)
    }

    /// Whether the flags of a role have no say.
    pub(crate) fn ignores_flags(&self) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf { by_hint, .. } => by_hint.iter().all(|byte| *byte == 0),
        }
    }

    /// The bits of those that are wanted of roles with some flags; `None`: any.
    pub(crate) fn bits(&self) -> Option<Vec<u8>> {
        match self {
            Self::Any => None,
            Self::OneOf { surely, by_hint, .. } => Some(surely.iter().zip(by_hint).map(|(a, b)| a | b).collect()),
        }
    }

    /// The numbers of those that are wanted of roles with some flags, among so many; `None`: any.
    pub(crate) fn numbers(&self, count: usize) -> Option<Vec<usize>> {
        match self {
            Self::Any => None,
            Self::OneOf { .. } => Some((0..count).filter(|number| self.has(*number, u32::MAX)).collect()),
        }
    }

    /// Whether a network is wanted, for a role with these flags.
    pub(crate) fn has(&self, number: usize, flags: u32) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf { surely, by_hint, hint } => has(surely, number) || (flags & hint != 0 && has(by_hint, number)),
        }
    }
}
