//! Texts, each told by what it shares with the one before.

use std::cmp::Ordering;

use tantivy::directory::OwnedBytes;

use super::Column;

/// Texts in a block; the first of a block shares nothing.
pub const TEXTS_A_BLOCK: u32 = 8;

/// A list of texts. In a block each text but the first is: how many bytes it shares with the one
/// before it, how many follow (both LEB128), and those.
#[derive(Clone, Debug)]
pub struct Texts {
    bytes: OwnedBytes,
    /// Where each block begins, where the last ends, and how many texts there are.
    at: Column,
    length: u32,
}

impl Texts {
    pub(super) fn new(bytes: OwnedBytes, at: Column) -> Option<Self> {
        let length = at.get(u32::try_from(at.len()).ok()?.checked_sub(1)?)?;
        (at.len() == length.div_ceil(TEXTS_A_BLOCK) as usize + 2).then_some(Self { bytes, at, length })
    }

    /// How many texts there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.length
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A text; `None` behind the last, and where the bytes are altered.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<String> {
        if index >= self.length {
            return None;
        }
        let mut block = self.bytes_of(index / TEXTS_A_BLOCK)?;
        // Where each text's own bytes begin in it, and those: they are put together from the last on,
        // as most of the texts before share little with it.
        let mut parts: [(usize, &[u8]); TEXTS_A_BLOCK as usize] = [(0, &[]); TEXTS_A_BLOCK as usize];
        let parts = parts.get_mut(..=(index % TEXTS_A_BLOCK) as usize)?;
        let mut length = 0;
        for part in parts.iter_mut() {
            *part = next_part(&mut block).filter(|(shared, _)| *shared <= length)?;
            length = part.0 + part.1.len();
        }
        let mut text = vec![0; length];
        let mut known = length;
        for (from, own) in parts.iter().rev() {
            if *from < known {
                text.get_mut(*from..known)?.copy_from_slice(own.get(..known - from)?);
                known = *from;
            }
        }
        String::from_utf8(text).ok()
    }

    /// All texts in their order; ends early where the bytes are altered.
    pub fn iter(&self) -> impl Iterator<Item = String> {
        (0..self.length.div_ceil(TEXTS_A_BLOCK))
            .map_while(|block| self.block(block))
            .flat_map(|mut block| std::iter::from_fn(move || String::from_utf8(block.step()?.to_vec()).ok()))
    }

    /// Where a text is in a sorted list, told by how the list's texts compare with it; `None`
    /// where it is not.
    #[must_use]
    pub fn find(&self, compare: impl Fn(&[u8]) -> Ordering) -> Option<u32> {
        let first = self.first_not(|text| compare(text) == Ordering::Less);
        let block = first / TEXTS_A_BLOCK;
        let mut texts = self.block(block)?;
        for _ in 0..first % TEXTS_A_BLOCK {
            texts.step()?;
        }
        (compare(texts.step()?) == Ordering::Equal).then_some(first)
    }

    /// The index of the first text for which `before` does not hold, in a list where those for
    /// which it holds come first.
    #[must_use]
    pub fn first_not(&self, before: impl Fn(&[u8]) -> bool) -> u32 {
        let (mut low, mut high) = (0, self.length.div_ceil(TEXTS_A_BLOCK));
        while low < high {
            let middle = low + (high - low) / 2;
            let holds = self.block(middle).is_some_and(|mut block| block.step().is_some_and(&before));
            if holds {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let Some(block) = low.checked_sub(1) else { return 0 };
        let mut texts = self.block(block);
        let from = block * TEXTS_A_BLOCK;
        let to = (from + TEXTS_A_BLOCK).min(self.length);
        (from..to).find(|_| !texts.as_mut().is_some_and(|texts| texts.step().is_some_and(&before))).unwrap_or(to)
    }

    fn bytes_of(&self, block: u32) -> Option<&[u8]> {
        let from = usize::try_from(self.at.wide(block)?).ok()?;
        let to = usize::try_from(self.at.wide(block + 1)?).ok()?;
        self.bytes.get(from..to)
    }

    fn block(&self, block: u32) -> Option<Block<'_>> {
        Some(Block { rest: self.bytes_of(block)?, text: Vec::new() })
    }
}

struct Block<'a> {
    rest: &'a [u8],
    text: Vec<u8>,
}

impl Block<'_> {
    /// The next text; `None` behind the last.
    fn step(&mut self) -> Option<&[u8]> {
        let (shared, own) = next_part(&mut self.rest).filter(|(shared, _)| *shared <= self.text.len())?;
        self.text.truncate(shared);
        self.text.extend_from_slice(own);
        Some(&self.text)
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
