//! Resource ids: 64 hexadecimal characters that hide (type, number) and give it back.
//!
//! A server can answer for an id without a table, and an id that was never given out is told apart.

use crate::ResourceType;
use crate::random::{halves, mix};

/// What stands in the left half of every id besides type and shelf.
const MARK: u128 = 0x6d61_6465_5f70_6179_6572_0000 << 32;

/// Makes and reads the ids of one payer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    key: u64,
}

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) kind: ResourceType,
    /// A resource that is there, or one that others name and that is not.
    pub(crate) there: bool,
    pub(crate) number: u64,
}

impl Ids {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { key: seed }
    }

    pub(crate) fn push(self, named: Named, out: &mut String) {
        let mut left = MARK | (u128::from(named.kind.number()) << 1) | u128::from(named.there);
        let mut right = u128::from(named.number);
        for round in 0..4 {
            (left, right) = (right, left ^ self.word(right, round));
        }
        let mut text = [0; 64];
        let bytes = left.to_be_bytes().into_iter().chain(right.to_be_bytes());
        for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
            for (place, nibble) in pair.iter_mut().zip([byte >> 4, byte & 15]) {
                *place = if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
            }
        }
        out.push_str(std::str::from_utf8(&text).unwrap_or_default());
    }

    pub(crate) fn read(self, id: &str) -> Option<Named> {
        if id.len() != 64 || !id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        let mut left = u128::from_str_radix(id.get(..32)?, 16).ok()?;
        let mut right = u128::from_str_radix(id.get(32..)?, 16).ok()?;
        for round in (0..4).rev() {
            (left, right) = (right ^ self.word(left, round), left);
        }
        let rest = left ^ MARK;
        let kind = ResourceType::ALL.into_iter().find(|k| u128::from(k.number()) == rest >> 1)?;
        Some(Named { kind, there: rest & 1 == 1, number: u64::try_from(right).ok()? })
    }

    fn word(self, half: u128, round: u64) -> u128 {
        let (low, high) = halves(half);
        let key = mix(self.key, round);
        let first = mix(key ^ low, high);
        (u128::from(mix(first, key ^ high)) << 64) | u128::from(mix(first, low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_gives_back_what_it_names() {
        let ids = Ids::new(42);
        let mut seen = std::collections::BTreeSet::new();
        for kind in ResourceType::ALL {
            for there in [false, true] {
                for number in [0, 1, 2, 999, 20_000_000, u64::MAX] {
                    let mut id = String::new();
                    ids.push(Named { kind, there, number }, &mut id);
                    assert_eq!(id.len(), 64);
                    assert_eq!(ids.read(&id), Some(Named { kind, there, number }));
                    assert_eq!(Ids::new(43).read(&id), None, "another payer's id");
                    assert!(seen.insert(id));
                }
            }
        }
        for other in ["", "abc", &"0".repeat(64), &"f".repeat(64), &"é".repeat(32)] {
            assert_eq!(ids.read(other), None, "{other}");
        }
    }
}
