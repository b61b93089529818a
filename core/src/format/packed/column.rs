//! Numbers of one width.

use std::ops::Range;

use super::PADDING;
use crate::format::checked::{Damaged, DamagedIfNone as _, FilePart};

/// A column of numbers of 1 to 8 bytes each, little-endian.
#[derive(Clone, Debug)]
pub struct Column {
    part: FilePart,
    /// Bytes from one number to the next.
    stride: usize,
    length: usize,
    mask: u64,
}

/// Numbers of a column that follow one another, their bytes checked.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// From the first one's first byte on.
    bytes: &'a [u8],
    first: u32,
    stride: usize,
    mask: u64,
}

impl Column {
    /// `part` are the numbers' `own` bytes and [`PADDING`] more.
    pub(super) fn new(part: FilePart, own: usize, width: usize) -> Option<Self> {
        Self::of_record(part, own, width, (0, width))
    }

    /// The numbers that stand in records of `stride` bytes behind the first `before` bytes of each;
    /// `part` are the records' `own` bytes and [`PADDING`] more.
    pub(super) fn of_record(
        part: FilePart,
        own: usize,
        stride: usize,
        (before, width): (usize, usize),
    ) -> Option<Self> {
        let inside = (1..=8).contains(&width) && before.checked_add(width)? <= stride;
        if !inside || !own.is_multiple_of(stride) || part.len() != own + PADDING {
            return None;
        }
        let mask = u64::MAX >> (64 - 8 * width);
        Some(Self { part: part.behind(before), stride, length: own / stride, mask })
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// How many numbers there are, as their indexes are counted.
    ///
    /// # Errors
    /// [`Damaged`] if an index cannot reach the last.
    pub fn count(&self) -> Result<u32, Damaged> {
        u32::try_from(self.length).map_err(|_| Damaged)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A number.
    ///
    /// # Errors
    /// [`Damaged`] if its bytes are, and behind the last.
    #[inline]
    pub fn wide(&self, index: u32) -> Result<u64, Damaged> {
        let index = index as usize;
        if index >= self.length {
            return Err(Damaged);
        }
        Ok(self.part.word(index * self.stride)? & self.mask)
    }

    /// A number of at most four bytes.
    ///
    /// # Errors
    /// As [`Self::wide`].
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "wider columns are read with `wide`; their high bytes are cut")]
    pub fn get(&self, index: u32) -> Result<u32, Damaged> {
        self.wide(index).map(|number| number as u32)
    }

    /// A signed number of four bytes.
    ///
    /// # Errors
    /// As [`Self::wide`].
    #[inline]
    pub fn signed(&self, index: u32) -> Result<i32, Damaged> {
        self.get(index).map(u32::cast_signed)
    }

    /// A number and the one behind it: where something begins and ends.
    ///
    /// # Errors
    /// As [`Self::wide`].
    #[inline]
    pub fn range(&self, index: u32) -> Result<Range<u32>, Damaged> {
        Ok(self.get(index)?..self.get(index.checked_add(1).damaged_if_none()?)?)
    }

    /// Numbers that follow one another: for walks, as their bytes are checked once for all.
    ///
    /// # Errors
    /// As [`Self::wide`].
    #[inline]
    pub fn numbers(&self, range: Range<u32>) -> Result<Numbers<'_>, Damaged> {
        let (first, end) = (range.start as usize, range.end as usize);
        if first > end || end > self.length {
            return Err(Damaged);
        }
        // What lies between two numbers of a record is checked too, and the bytes that a load reads.
        let end = if first == end { first * self.stride } else { (end - 1) * self.stride + PADDING };
        let bytes = self.part.slice(first * self.stride..end)?;
        Ok(Numbers { bytes, first: range.start, stride: self.stride, mask: self.mask })
    }

    /// All numbers of at most four bytes, in their order.
    ///
    /// # Errors
    /// As [`Self::wide`].
    pub fn all(&self) -> Result<Vec<u32>, Damaged> {
        let count = self.count()?;
        let numbers = self.numbers(0..count)?;
        (0..count).map(|index| numbers.get(index)).collect()
    }

    /// The first index in `from..to` for which `past` holds, `to` if there is none: `past` must be
    /// false up to some index and true from there on.
    ///
    /// # Errors
    /// As [`Self::wide`].
    pub fn partition(&self, from: u32, to: u32, past: impl Fn(u64) -> bool) -> Result<u32, Damaged> {
        let (mut low, mut high) = (from, to);
        while low < high {
            let middle = low + (high - low) / 2;
            if past(self.wide(middle)?) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low)
    }
}

impl Numbers<'_> {
    /// A number, by its index in the column.
    ///
    /// # Errors
    /// [`Damaged`] outside of the range.
    #[inline]
    pub fn wide(&self, index: u32) -> Result<u64, Damaged> {
        let at = index.wrapping_sub(self.first) as usize * self.stride;
        let word = self.bytes.get(at..).and_then(<[u8]>::first_chunk).damaged_if_none()?;
        Ok(u64::from_le_bytes(*word) & self.mask)
    }

    /// A number of at most four bytes, by its index in the column.
    ///
    /// # Errors
    /// [`Damaged`] outside of the range.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "as of `Column::get`")]
    pub fn get(&self, index: u32) -> Result<u32, Damaged> {
        self.wide(index).map(|number| number as u32)
    }
}
