//! Bits that mark where runs begin.

use super::Column;

/// Bits that one count covers.
pub const MARKS_A_BLOCK: u32 = 512;

const WORDS_A_BLOCK: u32 = MARKS_A_BLOCK / 64;

/// Marks on a sequence of elements: run `n` begins at the `n`-th mark and ends before the next.
#[derive(Clone, Debug)]
pub struct Marks {
    words: Column,
    /// Marks before each block of [`MARKS_A_BLOCK`] elements, and all of them.
    before: Column,
}

impl Marks {
    pub(super) fn new(words: Column, before: Column) -> Option<Self> {
        let blocks = words.len().div_ceil(WORDS_A_BLOCK as usize);
        (before.len() == blocks + 1).then_some(Self { words, before })
    }

    /// How many runs there are.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.before.len().checked_sub(1).and_then(|last| self.before.get(u32::try_from(last).ok()?)).unwrap_or(0)
    }

    /// Whether a run begins at this element; `None` behind the last word.
    #[inline]
    #[must_use]
    pub fn is_marked(&self, element: u32) -> Option<bool> {
        Some(self.words.wide(element / 64)? >> (element % 64) & 1 == 1)
    }

    /// The run that an element is in; `None` before the first mark or behind the last word.
    #[inline]
    #[must_use]
    pub fn run_of(&self, element: u32) -> Option<u32> {
        let word = element / 64;
        let mut count = self.before.get(element / MARKS_A_BLOCK)?;
        for earlier in word - word % WORDS_A_BLOCK..word {
            count = count.wrapping_add(self.words.wide(earlier)?.count_ones());
        }
        let up_to = u64::MAX >> (63 - element % 64);
        count.wrapping_add((self.words.wide(word)? & up_to).count_ones()).checked_sub(1)
    }

    /// The first element of a run; `None` where there is no such run.
    #[must_use]
    pub fn start(&self, run: u32) -> Option<u32> {
        let blocks = u32::try_from(self.before.len()).ok()?;
        let block = self.before.partition(0, blocks, |before| before > u64::from(run)).checked_sub(1)?;
        let mut left = run.checked_sub(self.before.get(block)?)?;
        for word in block * WORDS_A_BLOCK..(block + 1) * WORDS_A_BLOCK {
            let mut bits = self.words.wide(word)?;
            let ones = bits.count_ones();
            if left >= ones {
                left -= ones;
                continue;
            }
            for _ in 0..left {
                bits &= bits - 1;
            }
            return Some(word * 64 + bits.trailing_zeros());
        }
        None
    }

    /// The elements of a run, where all of them are `elements`.
    #[must_use]
    pub fn run(&self, run: u32, elements: u32) -> Option<std::ops::Range<u32>> {
        let start = self.start(run)?;
        Some(start..self.end_of(start, elements))
    }

    /// Where the run that `element` is in ends, where all elements are `elements`.
    #[inline]
    #[must_use]
    pub fn end_of(&self, element: u32, elements: u32) -> u32 {
        let next = element.saturating_add(1);
        let mut word = next / 64;
        let mut bits = self.words.wide(word).unwrap_or(0) & (u64::MAX << (next % 64));
        while bits == 0 {
            word += 1;
            match self.words.wide(word) {
                Some(next) => bits = next,
                None => return elements,
            }
        }
        (word * 64 + bits.trailing_zeros()).min(elements)
    }
}
