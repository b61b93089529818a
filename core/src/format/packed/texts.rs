//! Texts, each told by what it shares with the one before.

#[cfg(feature = "build")]
use std::cmp::Ordering;

use super::Column;
use crate::format::checked::{Damaged, DamagedIfNone as _, FilePart};

/// Texts in a block; the first of a block shares nothing.
pub const TEXTS_A_BLOCK: u32 = 8;

/// A list of texts. In a block each text but the first is: how many bytes it shares with the one
/// before it, how many follow (both LEB128), and those.
#[derive(Clone, Debug)]
pub struct Texts {
    bytes: FilePart,
    /// Where each block begins, where the last ends, and how many texts there are.
    at: Column,
    length: u32,
}

impl Texts {
    pub(super) fn new(bytes: FilePart, at: Column) -> Result<Self, Damaged> {
        let length = at.get(at.count()?.checked_sub(1).damaged_if_none()?)?;
        let fits = at.len() == length.div_ceil(TEXTS_A_BLOCK) as usize + 2;
        if fits { Ok(Self { bytes, at, length }) } else { Err(Damaged) }
    }

    /// How many texts there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.length
    }

    /// Whether there is none.
    #[cfg(feature = "build")]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A text.
    ///
    /// # Errors
    /// [`Damaged`] if its bytes are, and behind the last.
    pub fn get(&self, index: u32) -> Result<String, Damaged> {
        let mut text = Vec::new();
        self.copy(index, &mut text)?;
        String::from_utf8(text).map_err(|_| Damaged)
    }

    /// A text, in place of what a buffer of the caller's holds.
    ///
    /// # Errors
    /// As [`Self::get`].
    #[cfg(feature = "tables")]
    pub(crate) fn read(&self, index: u32, into: &mut String) -> Result<(), Damaged> {
        let mut text = std::mem::take(into).into_bytes();
        self.copy(index, &mut text)?;
        *into = String::from_utf8(text).map_err(|_| Damaged)?;
        Ok(())
    }

    fn copy(&self, index: u32, text: &mut Vec<u8>) -> Result<(), Damaged> {
        if index >= self.length {
            return Err(Damaged);
        }
        let mut block = self.bytes_of(index / TEXTS_A_BLOCK)?;
        // Where each text's own bytes begin in it, and those: they are put together from the last on,
        // as most of the texts before share little with it.
        let mut parts: [(usize, &[u8]); TEXTS_A_BLOCK as usize] = [(0, &[]); TEXTS_A_BLOCK as usize];
        let parts = parts.get_mut(..=(index % TEXTS_A_BLOCK) as usize).damaged_if_none()?;
        let mut length = 0;
        for part in parts.iter_mut() {
            *part = next_part(&mut block).filter(|(shared, _)| *shared <= length).damaged_if_none()?;
            length = part.0 + part.1.len();
        }
        text.clear();
        text.resize(length, 0);
        let mut known = length;
        for (from, own) in parts.iter().rev() {
            if *from < known {
                let own = own.get(..known - from).damaged_if_none()?;
                text.get_mut(*from..known).damaged_if_none()?.copy_from_slice(own);
                known = *from;
            }
        }
        Ok(())
    }

    /// All texts in their order.
    ///
    /// # Errors
    /// [`Damaged`] as the last, where the section is not what a builder writes.
    pub fn iter(&self) -> impl Iterator<Item = Result<String, Damaged>> {
        let (mut index, mut end, mut block) = (0, None, Block { rest: &[], text: Vec::new() });
        let mut next = move |index: u32| {
            if index.is_multiple_of(TEXTS_A_BLOCK) {
                // Each block begins where the one before ends: all texts together are no longer than that.
                let at = index / TEXTS_A_BLOCK;
                let begins = self.at.wide(at)?;
                if end.replace(self.at.wide(at + 1)?).is_some_and(|end| end != begins) {
                    return Err(Damaged);
                }
                block = self.block(at)?;
            }
            String::from_utf8(block.step()?.to_vec()).map_err(|_| Damaged)
        };
        std::iter::from_fn(move || {
            let text = (index < self.length).then(|| next(index))?;
            index = if text.is_ok() { index + 1 } else { self.length };
            Some(text)
        })
    }

    /// Where a text is in a sorted list, told by how the list's texts compare with it; `None`
    /// where it is not.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are.
    #[cfg(feature = "build")]
    pub fn find(&self, compare: impl Fn(&[u8]) -> Ordering) -> Result<Option<u32>, Damaged> {
        let first = self.first_not(|text| compare(text) == Ordering::Less)?;
        if first >= self.length {
            return Ok(None);
        }
        let mut texts = self.block(first / TEXTS_A_BLOCK)?;
        for _ in 0..first % TEXTS_A_BLOCK {
            texts.step()?;
        }
        Ok((compare(texts.step()?) == Ordering::Equal).then_some(first))
    }

    /// The index of the first text for which `before` does not hold, in a list where those for
    /// which it holds come first.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are.
    pub fn first_not(&self, before: impl Fn(&[u8]) -> bool) -> Result<u32, Damaged> {
        let (mut low, mut high) = (0, self.length.div_ceil(TEXTS_A_BLOCK));
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.block(middle)?.step()?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let Some(block) = low.checked_sub(1) else { return Ok(0) };
        let mut texts = self.block(block)?;
        let from = block * TEXTS_A_BLOCK;
        let to = (from + TEXTS_A_BLOCK).min(self.length);
        for index in from..to {
            if !before(texts.step()?) {
                return Ok(index);
            }
        }
        Ok(to)
    }

    fn bytes_of(&self, block: u32) -> Result<&[u8], Damaged> {
        let position = |block: u32| usize::try_from(self.at.wide(block)?).map_err(|_| Damaged);
        self.bytes.slice(position(block)?..position(block + 1)?)
    }

    fn block(&self, block: u32) -> Result<Block<'_>, Damaged> {
        Ok(Block { rest: self.bytes_of(block)?, text: Vec::new() })
    }
}

struct Block<'a> {
    rest: &'a [u8],
    text: Vec<u8>,
}

impl Block<'_> {
    /// The next text.
    fn step(&mut self) -> Result<&[u8], Damaged> {
        let part = next_part(&mut self.rest).filter(|(shared, _)| *shared <= self.text.len());
        let (shared, own) = part.damaged_if_none()?;
        self.text.truncate(shared);
        self.text.extend_from_slice(own);
        Ok(&self.text)
    }
}

/// How many bytes the next text shares with the one before it, and its own.
#[inline]
fn next_part<'a>(rest: &mut &'a [u8]) -> Option<(usize, &'a [u8])> {
    let (shared, length) = (number(rest)?, number(rest)?);
    let (own, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some((shared, own))
}

#[inline]
fn number(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= usize::from(byte & 127) << shift;
        if *byte < 128 {
            return Some(number);
        }
    }
    None
}
