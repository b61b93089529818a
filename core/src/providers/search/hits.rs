//! The first of many results, and how many there are.

use crate::format::packed::Damaged;

/// A result before it is read, as one number that orders as results do: whether it lies outside,
/// rank, provider, row. A rank is never negative, so its bits order as it does and leave the sign's
/// free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit(u128);

impl Hit {
    /// The first that there may be of a rank.
    #[inline]
    pub(crate) fn first_of(outside: bool, rank: f64) -> Self {
        Self(u128::from(rank.abs().to_bits() | u64::from(outside) << 63) << 64)
    }

    #[inline]
    fn of(self, provider: u32, row: u32) -> Self {
        Self(self.0 | u128::from(provider) << 32 | u128::from(row))
    }

    pub(crate) const fn outside(self) -> bool {
        self.0 >> 127 == 1
    }

    #[allow(clippy::cast_possible_truncation, reason = "the upper half")]
    pub(crate) const fn rank(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64).abs()
    }

    #[allow(clippy::cast_possible_truncation, reason = "the lowest quarter")]
    pub(crate) const fn row(self) -> u32 {
        self.0 as u32
    }
}

/// The first so many hits, and how many there are.
#[derive(Debug)]
pub(crate) struct Hits {
    keep: usize,
    pub(crate) total: u64,
    best: Vec<Hit>,
    /// The last that can still be kept.
    bound: Hit,
}

impl Hits {
    pub(crate) fn new(keep: usize) -> Self {
        Self { keep, total: 0, best: Vec::new(), bound: Hit(u128::MAX) }
    }

    /// Counts a row, and keeps it if it is among the first: only then its provider is looked up.
    #[inline]
    pub(crate) fn offer(
        &mut self,
        rank: Hit,
        row: u32,
        provider: impl FnOnce() -> Result<u32, Damaged>,
    ) -> Result<(), Damaged> {
        self.total += 1;
        if self.only_counts(rank) {
            return Ok(());
        }
        let hit = rank.of(provider()?, row);
        if hit < self.bound {
            self.keep(hit);
        }
        Ok(())
    }

    /// Whether none of those that rank so, or behind, would be kept.
    #[inline]
    pub(crate) fn only_counts(&self, rank: Hit) -> bool {
        self.keep == 0 || rank >= self.bound
    }

    /// Whether there is more to know of a hit than that it is there.
    pub(crate) const fn keeps(&self) -> bool {
        self.keep > 0
    }

    fn keep(&mut self, hit: Hit) {
        self.best.push(hit);
        if self.best.len() >= self.keep.saturating_mul(2).max(16) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.keep < self.best.len() {
            let (_, bound, _) = self.best.select_nth_unstable(self.keep.saturating_sub(1));
            self.bound = *bound;
            self.best.truncate(self.keep);
        }
    }

    /// Those behind the first `offset`, sorted.
    pub(crate) fn behind(mut self, offset: usize) -> Vec<Hit> {
        self.cut();
        if offset >= self.best.len() {
            return Vec::new();
        }
        self.best.select_nth_unstable(offset);
        let mut shown = self.best.split_off(offset);
        shown.sort_unstable();
        shown
    }
}
