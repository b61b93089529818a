//! Lists of practice locations by specialty.

use coverdex_core::Result;
use coverdex_core::build::providers::layout::{LIST_BLOCK, SHORT_BLOCK, flag, packed_point, section};

use super::collect::NONE;
use super::pack::{Pack, leb128};
use super::write::Directory;

/// A row and the network set of its role that has the specialty.
type Entry = (u32, u32);

/// Blocks of all lists, in the making.
#[derive(Default)]
struct Blocks {
    first_entry: Vec<u32>,
    first_row: Vec<u32>,
    at: Vec<u64>,
    low: Vec<u64>,
    high: Vec<u64>,
    rows: Vec<u32>,
    deltas: Vec<u8>,
    sets: Vec<u32>,
}

impl Directory<'_> {
    /// For each specialty key the rows that have an active role with it, each with that role's
    /// network set; closed doors apart.
    pub(super) fn lists(&self, pack: &mut Pack) -> Result<()> {
        let mut blocks = Blocks::default();
        let mut first = vec![0_u32];
        for mut list in self.entries() {
            list.sort_unstable();
            list.dedup();
            let mut rest = list.as_slice();
            while !rest.is_empty() {
                let (block, behind) = rest.split_at(self.block_length(rest));
                self.add(&mut blocks, block);
                rest = behind;
            }
            first.push(u32::try_from(blocks.first_row.len()).unwrap_or(NONE));
        }
        blocks.first_entry.push(u32::try_from(blocks.sets.len()).unwrap_or(NONE));
        blocks.at.push(blocks.deltas.len() as u64);
        pack.small(section::LIST_BLOCKS, &first)?;
        pack.small(section::BLOCK_ENTRY, &blocks.first_entry)?;
        pack.small(section::BLOCK_ROW, &blocks.first_row)?;
        pack.column(section::BLOCK_AT, blocks.at.iter().copied())?;
        pack.column_of(section::BLOCK_LOW, 8, blocks.low.iter().copied())?;
        pack.column_of(section::BLOCK_HIGH, 8, blocks.high.iter().copied())?;
        pack.small(section::BLOCK_ROWS, &blocks.rows)?;
        pack.bytes(section::LIST_DELTAS, &blocks.deltas)?;
        pack.small(section::LIST_NETWORKS, &blocks.sets)
    }

    /// The entries of each key's list, by row.
    fn entries(&self) -> Vec<Vec<Entry>> {
        let keys = self.keys();
        let key_of: Vec<u32> =
            self.sayings.specialties.iter().map(|row| keys.get(row.key.as_str()).copied().unwrap_or(0)).collect();
        let keys_of_set: Vec<Vec<u32>> =
            self.numbered.specialty_sets.met.iter().map(|met| self.keys_of(*met, &key_of)).collect();
        let mut lists: Vec<Vec<Entry>> = vec![Vec::new(); keys.len()];
        for row in 0..self.numbered.rows.len() {
            let roles = self.numbered.roles.get(self.numbered.roles_of(row)).unwrap_or_default();
            let number = u32::try_from(row).unwrap_or(NONE);
            for role in roles.iter().filter(|role| self.flags(role.state) & flag::HIDDEN == 0) {
                for key in keys_of_set.get(role.specialties as usize).into_iter().flatten() {
                    if let Some(list) = lists.get_mut(*key as usize) {
                        list.push((number, role.networks));
                    }
                }
            }
        }
        lists
    }

    fn keys_of(&self, set: u32, key_of: &[u32]) -> Vec<u32> {
        let members = self.sayings.specialty_sets.value(set).into_iter().flatten();
        let mut keys: Vec<u32> = members.filter_map(|number| key_of.get(*number as usize).copied()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn place_of(&self, row: u32) -> usize {
        self.numbered.rows.get(row as usize).map_or(usize::MAX, |row| row.place as usize)
    }

    /// How many of the entries the first block has.
    fn block_length(&self, entries: &[Entry]) -> usize {
        let (mut length, mut area) = (0, None);
        for of_row in entries.chunk_by(|(a, _), (b, _)| a == b) {
            let own = of_row.first().map(|(row, _)| self.numbered.area(self.place_of(*row)));
            let full = length + of_row.len() > LIST_BLOCK || (length >= SHORT_BLOCK && own != area);
            if full && length > 0 {
                break;
            }
            length += of_row.len();
            area = own;
        }
        length
    }

    fn add(&self, blocks: &mut Blocks, block: &[Entry]) {
        blocks.first_entry.push(u32::try_from(blocks.sets.len()).unwrap_or(NONE));
        blocks.first_row.push(block.first().map_or(0, |(row, _)| *row));
        blocks.at.push(blocks.deltas.len() as u64);
        for pair in block.windows(2) {
            if let [(before, _), (row, _)] = pair {
                leb128(&mut blocks.deltas, u64::from(row - before));
            }
        }
        blocks.sets.extend(block.iter().map(|(_, set)| *set));
        let ((south, west), (north, east)) = self.around(block);
        blocks.low.push(packed_point(south, west));
        blocks.high.push(packed_point(north, east));
        let mut rows = vec![0_u32; self.networks.rows.len() + 1];
        for of_row in block.chunk_by(|(a, _), (b, _)| a == b) {
            let members = of_row.iter().filter_map(|(_, set)| {
                self.sayings.network_sets.value(*self.numbered.network_sets.met.get(*set as usize)?)
            });
            let mut networks: Vec<usize> = members.flatten().map(|network| usize::from(*network) + 1).collect();
            networks.sort_unstable();
            networks.dedup();
            for counted in networks.into_iter().chain([0]) {
                if let Some(count) = rows.get_mut(counted) {
                    *count += 1;
                }
            }
        }
        blocks.rows.extend(rows);
    }

    /// The corners of the box around the places of entries: the world's where one has no point.
    fn around(&self, block: &[Entry]) -> ((i32, i32), (i32, i32)) {
        let world = ((-9_000_000, -18_000_000), (9_000_000, 18_000_000));
        let mut corners = None;
        for (row, _) in block {
            let place = self.numbered.places.get(self.place_of(*row)).copied().flatten();
            let Some((lat, lon)) = place.and_then(|place| place.point) else { return world };
            let ((south, west), (north, east)) = corners.unwrap_or(((lat, lon), (lat, lon)));
            corners = Some(((lat.min(south), lon.min(west)), (lat.max(north), lon.max(east))));
        }
        corners.unwrap_or(world)
    }
}
