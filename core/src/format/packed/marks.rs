//! Bits that mark where runs begin.

use std::ops::Range;

use super::Column;
use crate::format::checked::{Damaged, DamagedIfNone as _};

/// Bits that one count covers.
pub const MARKS_A_BLOCK: u32 = 256;

const WORDS_A_BLOCK: u32 = MARKS_A_BLOCK / 64;

/// Marks on a sequence of elements: run `n` begins at the `n`-th mark and ends before the next.
#[derive(Clone, Debug)]
pub struct Marks {
    words: Column,
    /// Marks before each block of [`MARKS_A_BLOCK`] elements, and all of them.
    before: Column,
    runs: u32,
}

impl Marks {
    pub(super) fn new(words: Column, before: Column) -> Result<Self, Damaged> {
        let blocks = words.count()?.div_ceil(WORDS_A_BLOCK);
        let runs = before.get(blocks)?;
        if before.len() == blocks as usize + 1 { Ok(Self { words, before, runs }) } else { Err(Damaged) }
    }

    /// How many runs there are.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// Whether a run begins at this element.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are, and behind the last word.
    #[cfg(feature = "build")]
    #[inline]
    pub fn is_marked(&self, element: u32) -> Result<bool, Damaged> {
        Ok(self.words.wide(element / 64)? >> (element % 64) & 1 == 1)
    }

    /// The run that an element is in.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are, before the first mark and behind the last word.
    #[inline]
    pub fn run_of(&self, element: u32) -> Result<u32, Damaged> {
        let word = element / 64;
        let mut count = self.before.get(element / MARKS_A_BLOCK)?;
        let words = self.words.numbers(word - word % WORDS_A_BLOCK..word.checked_add(1).damaged_if_none()?)?;
        for earlier in word - word % WORDS_A_BLOCK..word {
            count = count.wrapping_add(words.wide(earlier)?.count_ones());
        }
        let up_to = u64::MAX >> (63 - element % 64);
        count.wrapping_add((words.wide(word)? & up_to).count_ones()).checked_sub(1).damaged_if_none()
    }

    /// The first element of a run.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are, and where there is no such run.
    pub fn start(&self, run: u32) -> Result<u32, Damaged> {
        let block = self.block_of(run)?;
        let mut left = run.checked_sub(self.before.get(block)?).damaged_if_none()?;
        let first = block.checked_mul(WORDS_A_BLOCK).damaged_if_none()?;
        for word in first..first.saturating_add(WORDS_A_BLOCK) {
            let mut bits = self.words.wide(word)?;
            let ones = bits.count_ones();
            if left >= ones {
                left -= ones;
                continue;
            }
            for _ in 0..left {
                bits &= bits - 1;
            }
            return word.checked_mul(64).and_then(|first| first.checked_add(bits.trailing_zeros())).damaged_if_none();
        }
        Err(Damaged)
    }

    /// The block that a run begins in: runs are spread evenly, so it is looked for around where that
    /// puts it.
    fn block_of(&self, run: u32) -> Result<u32, Damaged> {
        let end = self.before.count()?;
        let past = |before: u64| before > u64::from(run);
        let guess = u64::from(run) * u64::from(end) / u64::from(self.runs).max(1);
        let guess = u32::try_from(guess).unwrap_or(end).min(end);
        let mut reach = 4_u32;
        loop {
            let (low, high) = (guess.saturating_sub(reach), guess.saturating_add(reach).min(end));
            let low_holds = low == 0 || !past(self.before.wide(low)?);
            // From the first block to behind the last everything is looked at: that ends the loop.
            if low_holds && (high == end || past(self.before.wide(high)?)) {
                return self.before.partition(low, high, past)?.checked_sub(1).damaged_if_none();
            }
            reach = reach.saturating_mul(8);
        }
    }

    /// The elements of a run, where all of them are `elements`.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn run(&self, run: u32, elements: u32) -> Result<Range<u32>, Damaged> {
        let start = self.start(run)?;
        Ok(start..self.end_of(start, elements)?)
    }

    /// Where the run that `element` is in ends, where all elements are `elements`.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are.
    #[inline]
    pub fn end_of(&self, element: u32, elements: u32) -> Result<u32, Damaged> {
        Ok(self.after(element)?.next_mark()?.map_or(elements, |end| end.min(elements)))
    }

    /// The marks behind an element, ascending.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are.
    #[inline]
    pub fn after(&self, element: u32) -> Result<MarksAfter<'_>, Damaged> {
        let next = element.saturating_add(1);
        let word = next / 64;
        let bits = if (word as usize) < self.words.len() { self.words.wide(word)? } else { 0 };
        Ok(MarksAfter { marks: self, word, bits: bits & (u64::MAX << (next % 64)) })
    }
}

/// Marks, ascending.
#[derive(Clone, Debug)]
pub struct MarksAfter<'a> {
    marks: &'a Marks,
    word: u32,
    bits: u64,
}

impl MarksAfter<'_> {
    /// The next one; `None` behind the last.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are.
    #[inline]
    pub fn next_mark(&mut self) -> Result<Option<u32>, Damaged> {
        while self.bits == 0 {
            self.word = self.word.saturating_add(1);
            if self.word as usize >= self.marks.words.len() {
                return Ok(None);
            }
            self.bits = self.marks.words.wide(self.word)?;
        }
        let element = self.word.checked_mul(64).damaged_if_none()?.saturating_add(self.bits.trailing_zeros());
        self.bits &= self.bits - 1;
        Ok(Some(element))
    }
}
