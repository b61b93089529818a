//! Checking what is derived against what it is derived from: networks of rows against their roles,
//! counts and boxes of blocks against their entries.

use crate::Result;
use crate::format::DamagedIfNone as _;
use crate::format::packed::Damaged;

use super::Directory;
use super::layout::{flag, precision, unpacked_point};

impl Directory {
    /// Compares every derived number with what it is derived from.
    pub(crate) fn check_derived(&self) -> Result<()> {
        let rows = (0..self.rows.count).all(|row| self.row_holds(row) == Ok(true));
        let keys = u32::try_from(self.lists.blocks.len()).unwrap_or(0).saturating_sub(1);
        let lists = (0..keys).all(|key| self.list_holds(key) == Ok(true));
        if rows && lists { Ok(()) } else { Err(self.damaged()) }
    }

    /// Whether a row's networks are those of its roles that a search finds.
    fn row_holds(&self, row: u32) -> Result<bool, Damaged> {
        let mut united: Option<Vec<u8>> = None;
        for role in self.roles_of(row)? {
            if self.flags(role)? & flag::HIDDEN == 0 {
                let own = self.networks.set(self.roles.networks.get(role)?)?;
                unite(united.get_or_insert_with(|| vec![0; own.len()]), own);
            }
        }
        let stated = match self.rows.networks.get(row)?.checked_sub(1) {
            Some(set) => Some(self.networks.row_set(set)?),
            None => None,
        };
        Ok(united.as_deref() == stated)
    }

    /// Whether the blocks of a key's list part no row, and have the counts and boxes of their rows.
    fn list_holds(&self, key: u32) -> Result<bool, Damaged> {
        let lists = &self.lists;
        let mut last = None;
        for block in lists.blocks.range(key)? {
            let entries = self.entries_of(block)?;
            let (first, end) = (entries.first().damaged_if_none()?.0, entries.last().damaged_if_none()?.0);
            if last.is_some_and(|last| last >= first) || !self.block_holds(block, &entries)? {
                return Ok(false);
            }
            last = Some(end);
        }
        Ok(true)
    }

    fn block_holds(&self, block: u32, entries: &[(u32, u32)]) -> Result<bool, Damaged> {
        let (lists, places) = (&self.lists, &self.places);
        let (low, high) = (unpacked_point(lists.block_low.wide(block)?), unpacked_point(lists.block_high.wide(block)?));
        let everywhere = low == (-9_000_000, -18_000_000) && high == (9_000_000, 18_000_000);
        let mut counts = vec![0_u32; self.networks.count() + 1];
        for of_row in entries.chunk_by(|(a, _), (b, _)| a == b) {
            let mut united = Vec::new();
            for (_, set) in of_row {
                let own = self.networks.set(*set)?;
                united.resize(own.len(), 0);
                unite(&mut united, own);
            }
            let has = |network: usize| united.get(network / 8).is_some_and(|byte| byte >> (network % 8) & 1 == 1);
            for (number, count) in counts.iter_mut().enumerate() {
                *count += u32::from(number.checked_sub(1).is_none_or(has));
            }
            let place = self.rows.place.run_of(of_row.first().damaged_if_none()?.0)?;
            let (lat, lon) = unpacked_point(places.point.wide(place)?);
            let inside = (low.0..=high.0).contains(&lat) && (low.1..=high.1).contains(&lon);
            let has_point = places.precision.get(place)? < precision::COUNTY;
            let holds = everywhere || (inside && has_point);
            if !holds {
                return Ok(false);
            }
        }
        let width = u32::try_from(counts.len()).ok();
        let from = width.and_then(|width| block.checked_mul(width)).damaged_if_none()?;
        Ok((from..).zip(counts).all(|(at, count)| lists.block_rows.get(at) == Ok(count)))
    }
}

fn unite(all: &mut [u8], own: &[u8]) {
    for (to, byte) in all.iter_mut().zip(own) {
        *to |= byte;
    }
}
