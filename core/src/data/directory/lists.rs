//! Lists of active roles by specialty key: blocks of rows whose entries carry a network set.

use crate::format::DamagedIfNone as _;
use crate::format::packed::Damaged;

use super::Directory;
use super::columns::ListColumns;

/// The differences of a block's rows.
#[inline]
pub(crate) fn deltas(lists: &ListColumns, block: u32) -> Result<&[u8], Damaged> {
    let position = |block| usize::try_from(lists.block_at.wide(block)?).map_err(|_| Damaged);
    lists.deltas.slice(position(block)?..position(block.checked_add(1).damaged_if_none()?)?)
}

impl Directory {
    /// The entries of a block: row and network set.
    pub(crate) fn entries_of(&self, block: u32) -> Result<Vec<(u32, u32)>, Damaged> {
        let lists = &self.lists;
        let mut rest = deltas(lists, block)?;
        let mut row = lists.block_row.get(block)?;
        let range = lists.block_entry.range(block)?;
        let mut entries = Vec::new();
        for entry in range.clone() {
            if entry > range.start {
                row = leb128(&mut rest).and_then(|more| row.checked_add(more)).damaged_if_none()?;
            }
            entries.push((row, lists.networks.get(entry)?));
        }
        if rest.is_empty() { Ok(entries) } else { Err(Damaged) }
    }
}

/// The next number of seven bits a byte, the lowest first.
#[inline]
pub(crate) fn leb128(bytes: &mut &[u8]) -> Option<u32> {
    // One byte or two, whichever it is: the same steps.
    if let [first, second, ..] = **bytes
        && first & second < 128
    {
        let more = first >> 7;
        *bytes = bytes.get(1 + usize::from(more)..)?;
        return Some(u32::from(first & 127) | (u32::from(more) * (u32::from(second) << 7)));
    }
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 127) << shift;
        if *byte < 128 {
            return Some(number);
        }
    }
    None
}
