//! Numbers of one width.

use tantivy::directory::OwnedBytes;

use super::PADDING;

/// A column of numbers of 1 to 8 bytes each, little-endian.
#[derive(Clone, Debug)]
pub struct Column {
    bytes: OwnedBytes,
    /// Bytes from one number to the next.
    stride: usize,
    length: usize,
    mask: u64,
}

impl Column {
    /// `bytes` are the numbers' `own` bytes and [`PADDING`] more.
    pub(super) fn new(bytes: OwnedBytes, own: usize, width: usize) -> Option<Self> {
        Self::of_record(bytes, own, width, (0, width))
    }

    /// The numbers that stand in records of `stride` bytes behind the first `before` bytes of each;
    /// `bytes` are the records' `own` bytes and [`PADDING`] more.
    pub(super) fn of_record(
        bytes: OwnedBytes,
        own: usize,
        stride: usize,
        (before, width): (usize, usize),
    ) -> Option<Self> {
        let inside = (1..=8).contains(&width) && before.checked_add(width)? <= stride;
        if !inside || !own.is_multiple_of(stride) || bytes.len() != own + PADDING {
            return None;
        }
        let mask = u64::MAX >> (64 - 8 * width);
        Some(Self { bytes: bytes.slice(before..bytes.len()), stride, length: own / stride, mask })
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A number; `None` behind the last.
    #[inline]
    #[must_use]
    pub fn wide(&self, index: u32) -> Option<u64> {
        let index = index as usize;
        if index >= self.length {
            return None;
        }
        let word = self.bytes.get(index * self.stride..)?.first_chunk()?;
        Some(u64::from_le_bytes(*word) & self.mask)
    }

    /// A number of at most four bytes; `None` behind the last.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "wider columns are read with `wide`; their high bytes are cut")]
    pub fn get(&self, index: u32) -> Option<u32> {
        self.wide(index).map(|number| number as u32)
    }

    /// A signed number of four bytes; `None` behind the last.
    #[inline]
    #[must_use]
    pub fn signed(&self, index: u32) -> Option<i32> {
        self.get(index).map(u32::cast_signed)
    }

    /// All numbers of at most four bytes, in their order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..).map_while(|index| self.get(index))
    }

    /// The first index in `from..to` for which `past` holds, `to` if there is none: `past` must be
    /// false up to some index and true from there on.
    #[must_use]
    pub fn partition(&self, from: u32, to: u32, past: impl Fn(u64) -> bool) -> u32 {
        let (mut low, mut high) = (from, to);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.wide(middle) {
                Some(number) if !past(number) => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }
}
