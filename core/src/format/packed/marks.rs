//! Bits that mark where runs begin.

use super::Column;

/// Bits that one count covers.
pub const MARKS_A_BLOCK: u32 = 256;

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
        let block = self.block_of(run)?;
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

    /// The block that a run begins in: runs are spread evenly, so it is looked for around where that
    /// puts it.
    fn block_of(&self, run: u32) -> Option<u32> {
        let end = u32::try_from(self.before.len()).ok()?;
        let past = |before: u64| before > u64::from(run);
        let guess = u64::from(run) * u64::from(end) / u64::from(self.runs()).max(1);
        let guess = u32::try_from(guess).unwrap_or(end).min(end);
        let mut reach = 4_u32;
        loop {
            let (low, high) = (guess.saturating_sub(reach), guess.saturating_add(reach).min(end));
            let whole = (low == 0 || !past(self.before.wide(low)?)) && (high == end || past(self.before.wide(high)?));
            if whole {
                return self.before.partition(low, high, past).checked_sub(1);
            }
            reach = reach.saturating_mul(8);
        }
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
        self.after(element).next().map_or(elements, |end| end.min(elements))
    }

    /// The marks behind an element, ascending.
    #[inline]
    #[must_use]
    pub fn after(&self, element: u32) -> MarksAfter<'_> {
        let next = element.saturating_add(1);
        let word = next / 64;
        MarksAfter { marks: self, word, bits: self.words.wide(word).unwrap_or(0) & (u64::MAX << (next % 64)) }
    }
}

/// Marks, ascending.
#[derive(Clone, Debug)]
pub struct MarksAfter<'a> {
    marks: &'a Marks,
    word: u32,
    bits: u64,
}

impl Iterator for MarksAfter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.bits == 0 {
            self.word = self.word.checked_add(1)?;
            self.bits = self.marks.words.wide(self.word)?;
        }
        let element = self.word * 64 + self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(element)
    }
}
