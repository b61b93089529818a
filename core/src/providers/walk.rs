//! Walking the rows that fit: by name, by specialty, or all of them, whichever touches least.

use std::ops::Range;

use crate::Result;
use crate::dataset::Watch;

use super::directory::Directory;
use super::filter::{Filter, RoleTables};
use super::layout::LIST_BLOCK;
use super::names::Typed;

/// Rows between two looks at the interrupt.
const ROWS_A_LOOK: u32 = 1 << 14;

/// Rows that are judged together.
const ROWS_A_BATCH: usize = 1 << 10;

/// Rows with a flag that their visitor gets back.
pub(super) type RowSpan = (Range<u32>, bool);

/// Visits every row of the spans, which are ascending, that the filter lets through and whose place
/// is admitted: `visit(row, rank of the place, the span's flag)`. `admit` gives a place's rank, or
/// `Some(None)` to pass over it, or `None` for altered bytes.
pub(super) fn rows(
    directory: &Directory,
    filter: &Filter<'_>,
    spans: &[RowSpan],
    watch: &Watch<'_>,
    mut admit: impl FnMut(u32, bool) -> Option<Option<f64>>,
    mut visit: impl FnMut(u32, f64, bool) -> Option<()>,
) -> Result<()> {
    let walk = Walk { directory, filter, watch };
    if let Some(name) = &filter.name {
        walk.by_name(name, spans, &mut admit, &mut visit)
    } else if let Some(meant) = &filter.specialty {
        walk.by_specialty(&meant.keys, spans, &mut admit, &mut visit)
    } else {
        walk.all(spans, &mut admit, &mut visit)
    }
}

struct Walk<'a> {
    directory: &'a Directory,
    filter: &'a Filter<'a>,
    watch: &'a Watch<'a>,
}

impl Walk<'_> {
    /// Rows whose providers have the name that was typed.
    fn by_name(
        &self,
        name: &Typed,
        spans: &[RowSpan],
        admit: &mut impl FnMut(u32, bool) -> Option<Option<f64>>,
        visit: &mut impl FnMut(u32, f64, bool) -> Option<()>,
    ) -> Result<()> {
        let directory = self.directory;
        self.watch.check()?;
        let ranges: Vec<Range<u32>> = spans.iter().map(|(rows, _)| rows.clone()).collect();
        let found = directory.names.rows(name, &ranges, usize::MAX)?;
        let mut batch = Vec::with_capacity(found.len().min(ROWS_A_BATCH));
        let mut left = spans;
        for row in found {
            while let [(rows, _), rest @ ..] = left
                && rows.end <= row
            {
                left = rest;
            }
            if let [(_, flag), ..] = left {
                batch.push((row, *flag));
            }
            if batch.len() == ROWS_A_BATCH {
                directory.whole(self.judge(&mut batch, false, admit, visit))?;
            }
        }
        directory.whole(self.judge(&mut batch, false, admit, visit))
    }

    /// Judges rows and empties the batch: one question after the other and not one row after the
    /// other, as each row's answers lie far from the last one's, and reads that wait for no
    /// judgement come together.
    fn judge(
        &self,
        batch: &mut Vec<(u32, bool)>,
        roles_fit: bool,
        admit: &mut impl FnMut(u32, bool) -> Option<Option<f64>>,
        visit: &mut impl FnMut(u32, f64, bool) -> Option<()>,
    ) -> Option<()> {
        let (directory, filter) = (self.directory, self.filter);
        if !roles_fit {
            let roles = batch.iter().map(|(row, _)| directory.roles_of(*row)).collect::<Option<Vec<_>>>()?;
            let fits = roles.into_iter().map(|roles| filter.any_role_fits(roles)).collect::<Option<Vec<_>>>()?;
            let mut fits = fits.into_iter();
            batch.retain(|_| fits.next().unwrap_or(false));
        }
        let places = batch.iter().map(|(row, _)| directory.rows.place.run_of(*row)).collect::<Option<Vec<_>>>()?;
        let ranks = batch.iter().zip(places).map(|((_, flag), place)| admit(place, *flag));
        let ranks = ranks.collect::<Option<Vec<_>>>()?;
        for ((row, flag), rank) in batch.drain(..).zip(ranks) {
            if let Some(rank) = rank
                && filter.provider_fits(row)?
            {
                visit(row, rank, flag)?;
            }
        }
        Some(())
    }

    /// Rows on the lists of specialty keys.
    fn by_specialty(
        &self,
        keys: &[u32],
        spans: &[RowSpan],
        admit: &mut impl FnMut(u32, bool) -> Option<Option<f64>>,
        visit: &mut impl FnMut(u32, f64, bool) -> Option<()>,
    ) -> Result<()> {
        let (directory, filter) = (self.directory, self.filter);
        let decides = filter.list_decides();
        let mut batch = Vec::new();
        let mut take = |row: u32, flag: bool| {
            batch.push((row, flag));
            if batch.len() < ROWS_A_BATCH { Some(()) } else { self.judge(&mut batch, decides, admit, visit) }
        };
        if let [key] = keys {
            for (rows, flag) in spans {
                self.watch.check()?;
                directory.whole(self.list(*key, rows, |row| take(row, *flag)))?;
            }
            return directory.whole(self.judge(&mut batch, decides, admit, visit));
        }
        for (rows, flag) in spans {
            self.watch.check()?;
            let mut found = Vec::new();
            for key in keys {
                directory.whole(self.list(*key, rows, |row| {
                    found.push(row);
                    Some(())
                }))?;
            }
            found.sort_unstable();
            found.dedup();
            for row in found {
                directory.whole(take(row, *flag))?;
            }
        }
        directory.whole(self.judge(&mut batch, decides, admit, visit))
    }

    /// Rows of a key's list in a range that have a role with the specialty in a wanted network.
    fn list(&self, key: u32, rows: &Range<u32>, mut visit: impl FnMut(u32) -> Option<()>) -> Option<()> {
        let (lists, networks) = (&self.directory.lists, &self.directory.networks);
        let wanted = &self.filter.wanted;
        // Where a role's flags have a say, they are asked when the row is judged.
        let any_flags = u32::MAX;
        let (first_block, end_block) = (lists.blocks.get(key)?, lists.blocks.get(key.checked_add(1)?)?);
        let first_entry = lists.first.get(key)?;
        let end_entry = lists.first.get(key.checked_add(1)?)?;
        let start = u64::from(rows.start);
        let past = lists.block_row.partition(first_block, end_block, |row| row >= start);
        let mut last = None;
        for block in past.saturating_sub(1).max(first_block)..end_block {
            let mut row = lists.block_row.get(block)?;
            if row >= rows.end {
                break;
            }
            let entry = first_entry.checked_add((block - first_block).checked_mul(LIST_BLOCK)?)?;
            let from = usize::try_from(lists.block_at.wide(block)?).ok()?;
            let to = usize::try_from(lists.block_at.wide(block.checked_add(1)?)?).ok()?;
            let mut deltas = lists.deltas.get(from..to)?;
            for entry in entry..entry.checked_add(LIST_BLOCK)?.min(end_entry) {
                if row >= rows.end {
                    return Some(());
                }
                if row >= rows.start
                    && last != Some(row)
                    && wanted.fits(networks.set(lists.networks.get(entry)?)?, any_flags)
                {
                    last = Some(row);
                    visit(row)?;
                }
                if deltas.is_empty() {
                    break;
                }
                row = row.checked_add(leb128(&mut deltas)?)?;
            }
        }
        Some(())
    }

    /// All rows, place by place.
    fn all(
        &self,
        spans: &[RowSpan],
        admit: &mut impl FnMut(u32, bool) -> Option<Option<f64>>,
        visit: &mut impl FnMut(u32, f64, bool) -> Option<()>,
    ) -> Result<()> {
        let directory = self.directory;
        let rows: usize = spans.iter().map(|(rows, _)| rows.len()).sum();
        let tables = (rows > directory.networks.sets()).then(|| self.filter.tables()).flatten();
        for (rows, flag) in spans {
            let mut at = rows.start;
            while at < rows.end {
                self.watch.check()?;
                let stop = rows.end.min(at.saturating_add(ROWS_A_LOOK));
                at = directory.whole(self.scan(at, stop, *flag, tables.as_ref(), admit, visit))?;
            }
        }
        Ok(())
    }

    /// Scans whole places from a place's first row on until `stop` is reached; returns the next row.
    fn scan(
        &self,
        mut at: u32,
        stop: u32,
        flag: bool,
        tables: Option<&RoleTables>,
        admit: &mut impl FnMut(u32, bool) -> Option<Option<f64>>,
        visit: &mut impl FnMut(u32, f64, bool) -> Option<()>,
    ) -> Option<u32> {
        let (directory, filter) = (self.directory, self.filter);
        let (rows, roles) = (&directory.rows, &directory.roles);
        let mut place = rows.place.run_of(at)?;
        let mut places = rows.place.after(at);
        let mut open = None;
        while at < stop {
            let end = places.next().unwrap_or(rows.count);
            match admit(place, flag)? {
                None => open = None,
                Some(rank) => {
                    let (mut role, mut ends) = if let Some(open) = open.take() {
                        open
                    } else {
                        let first = rows.roles.start(at)?;
                        (first, rows.roles.after(first))
                    };
                    for row in at..end {
                        let next = ends.next().unwrap_or(roles.count);
                        let fits = match tables {
                            Some(tables) => tables.any_fits(directory, role..next)?,
                            None => filter.any_role_fits(role..next)?,
                        };
                        if fits && filter.provider_fits(row)? {
                            visit(row, rank, flag)?;
                        }
                        role = next;
                    }
                    open = Some((role, ends));
                }
            }
            (at, place) = (end, place.checked_add(1)?);
        }
        Some(at)
    }
}

/// The next number of seven bits a byte, the lowest first.
#[inline]
fn leb128(bytes: &mut &[u8]) -> Option<u32> {
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
