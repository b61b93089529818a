//! What a search goes through, in its order, and how offsets and cursors count it.

use std::sync::Arc;

/// The numbers of the resources that a search goes through.
pub(super) enum Sequence {
    /// All of a type but some, and after them newer versions of a few.
    All {
        /// How many resources there are.
        count: u64,
        /// Those that are not shown, ascending.
        left_out: Arc<Vec<u64>>,
        /// Those shown again at the end, in a newer version.
        newer: Arc<Vec<u64>>,
    },
    /// A few.
    Some(Vec<u64>),
    /// All of a type in another order than that of their numbers. Positions count those shown.
    Ordered(Vec<Slot>),
}

/// One resource of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Where it stands: what cursors hold. Positions stay when other resources go.
    pub(super) position: u64,
    /// The resource's number.
    pub(super) index: u64,
    /// Whether it stands at the end as a newer version.
    pub(super) newer: bool,
}

impl Sequence {
    /// Positions are below this.
    pub(super) fn end(&self) -> u64 {
        match self {
            Self::All { count, newer, .. } => count + newer.len() as u64,
            Self::Some(indexes) => indexes.len() as u64,
            Self::Ordered(slots) => slots.len() as u64,
        }
    }

    /// How many are shown.
    pub(super) fn shown(&self) -> u64 {
        match self {
            Self::All { left_out, .. } => self.end() - left_out.len() as u64,
            Self::Some(_) | Self::Ordered(_) => self.end(),
        }
    }

    /// The first one shown at a position or after it.
    pub(super) fn at_or_after(&self, position: u64) -> Option<Slot> {
        match self {
            Self::Some(indexes) => {
                let index = *indexes.get(usize::try_from(position).ok()?)?;
                Some(Slot { position, index, newer: false })
            }
            Self::Ordered(slots) => {
                let slot = *slots.get(usize::try_from(position).ok()?)?;
                Some(Slot { position, ..slot })
            }
            Self::All { count, left_out, newer } => {
                let mut position = position;
                let mut next = left_out.partition_point(|index| *index < position);
                while left_out.get(next) == Some(&position) {
                    position += 1;
                    next += 1;
                }
                if position < *count {
                    return Some(Slot { position, index: position, newer: false });
                }
                let index = *newer.get(usize::try_from(position - count).ok()?)?;
                Some(Slot { position, index, newer: true })
            }
        }
    }

    /// Everything that is shown, in its order.
    pub(super) fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut position = 0;
        while let Some(slot) = self.at_or_after(position) {
            position = slot.position + 1;
            slots.push(slot);
        }
        slots
    }

    /// The position of what is shown as number `rank`, counted from 0; the end if there are not so many.
    pub(super) fn position_of(&self, rank: u64) -> u64 {
        let position = match self {
            Self::Some(_) | Self::Ordered(_) => rank,
            Self::All { left_out, .. } => nth_outside(left_out, rank),
        };
        position.min(self.end())
    }
}

/// The number that comes as number `rank`, counted from 0, among those that are not in an ascending list.
pub(super) fn nth_outside(left_out: &[u64], rank: u64) -> u64 {
    let (mut low, mut high) = (0, left_out.len());
    while low < high {
        let middle = low.midpoint(high);
        // Below the `middle`th left out there are so many others.
        let others = left_out.get(middle).map_or(0, |index| index - middle as u64);
        if others <= rank {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    rank + low as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(sequence: &Sequence) -> Vec<(u64, bool)> {
        let mut found = Vec::new();
        let mut position = 0;
        while let Some(slot) = sequence.at_or_after(position) {
            found.push((slot.index, slot.newer));
            position = slot.position + 1;
        }
        found
    }

    #[test]
    fn left_out_ones_are_passed_over_and_offsets_agree_with_cursors() {
        for left_out in [vec![], vec![0], vec![9], vec![0, 1, 2, 5, 8, 9], (0..10).collect()] {
            for newer in [vec![], vec![3, 4]] {
                let all =
                    Sequence::All { count: 10, left_out: Arc::new(left_out.clone()), newer: Arc::new(newer.clone()) };
                let mut expected: Vec<_> =
                    (0..10).filter(|index| !left_out.contains(index)).map(|index| (index, false)).collect();
                expected.extend(newer.iter().map(|index| (*index, true)));
                assert_eq!(walk(&all), expected);
                assert_eq!(all.shown(), expected.len() as u64);
                for (rank, (index, newer)) in (0..).zip(&expected) {
                    let slot = all.at_or_after(all.position_of(rank)).unwrap();
                    assert_eq!((slot.index, slot.newer), (*index, *newer));
                }
                assert_eq!(all.at_or_after(all.position_of(all.shown())), None);
            }
        }
        assert_eq!(walk(&Sequence::Some(vec![7, 3])), [(7, false), (3, false)]);
    }
}
