//! Draws that depend on their key alone: the same key gives the same number, everywhere.

/// Mixes two words into one; the base of every draw.
#[must_use]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    let (low, high) = halves(product);
    let folded = low ^ high ^ a.rotate_left(29);
    (folded ^ (folded >> 31)).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ (folded >> 17)
}

/// The low and the high half.
#[must_use]
pub(crate) fn halves(word: u128) -> (u64, u64) {
    let part = |bits: u128| u64::try_from(bits).unwrap_or(0);
    (part(word & u128::from(u64::MAX)), part(word >> 64))
}

/// A draw: a number that looks random and is a function of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draw(u64);

impl Draw {
    /// From a key and what is drawn for.
    pub(crate) fn of(key: u64, what: u64) -> Self {
        Self(mix(mix(key, what), what))
    }

    /// Another draw of the same key.
    pub(crate) fn and(self, what: u64) -> Self {
        Self::of(self.0, what)
    }

    /// The number itself, a key for more draws.
    pub(crate) const fn key(self) -> u64 {
        self.0
    }

    /// A number below `n`; 0 for 0.
    pub(crate) fn below(self, n: u64) -> u64 {
        halves(u128::from(self.0) * u128::from(n)).1
    }

    /// True for so many of a million keys.
    pub(crate) fn hits(self, per_million: u32) -> bool {
        self.below(1_000_000) < u64::from(per_million)
    }

    /// One of these; `fallback` of none.
    pub(crate) fn one_of<T: Copy>(self, all: &[T], fallback: T) -> T {
        usize::try_from(self.below(all.len() as u64)).ok().and_then(|i| all.get(i)).copied().unwrap_or(fallback)
    }

    /// The place in `weights` that the draw falls into, each as likely as its weight.
    pub(crate) fn weighted(self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().map(|w| u64::from(*w)).sum());
        for (i, weight) in weights.iter().enumerate() {
            if left < u64::from(*weight) {
                return i;
            }
            left -= u64::from(*weight);
        }
        0
    }
}

/// A permutation of `0..n` and its inverse, without a table: a Feistel network over the next even
/// number of bits, walked until it falls inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shuffle {
    n: u64,
    half_bits: u32,
    key: u64,
}

const ROUNDS: u64 = 4;

impl Shuffle {
    pub(crate) fn new(n: u64, key: u64) -> Self {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        Self { n, half_bits: bits.div_ceil(2).max(1), key }
    }

    /// Where `i` goes; `i` itself outside of `0..n`.
    pub(crate) fn forward(&self, i: u64) -> u64 {
        if i >= self.n {
            return i;
        }
        let mut word = i;
        loop {
            word = self.rounds(word, false);
            if word < self.n {
                return word;
            }
        }
    }

    /// What goes to `i`.
    pub(crate) fn backward(&self, i: u64) -> u64 {
        if i >= self.n {
            return i;
        }
        let mut word = i;
        loop {
            word = self.rounds(word, true);
            if word < self.n {
                return word;
            }
        }
    }

    fn rounds(&self, word: u64, inverse: bool) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (word >> self.half_bits, word & mask);
        for round in 0..ROUNDS {
            if inverse {
                let round = ROUNDS - 1 - round;
                (left, right) = (right ^ (mix(self.key ^ left, round) & mask), left);
            } else {
                (left, right) = (right, left ^ (mix(self.key ^ right, round) & mask));
            }
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_and_goes_back() {
        for n in [1, 2, 3, 5, 64, 1000, 4097] {
            let shuffle = Shuffle::new(n, 7 * n);
            let mut seen = vec![false; usize::try_from(n).unwrap()];
            for i in 0..n {
                let to = shuffle.forward(i);
                assert!(!std::mem::replace(&mut seen[usize::try_from(to).unwrap()], true), "{n}: {to} twice");
                assert_eq!(shuffle.backward(to), i);
            }
        }
        let identity = Shuffle::new(1000, 1);
        assert!((0..1000).filter(|i| identity.forward(*i) == *i).count() < 20);
    }

    #[test]
    fn draws_fall_evenly() {
        let hits = (0..100_000).filter(|i| Draw::of(*i, 3).hits(120_000)).count();
        assert!((11_500..12_500).contains(&hits), "{hits}");
        let mut buckets = [0_u32; 10];
        for i in 0..100_000 {
            buckets[usize::try_from(Draw::of(5, i).below(10)).unwrap()] += 1;
        }
        assert!(buckets.iter().all(|b| (9_500..10_500).contains(b)), "{buckets:?}");
    }
}
