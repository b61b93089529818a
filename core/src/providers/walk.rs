//! Walking the rows that fit: by name, by specialty, or all of them, whichever touches least.

use std::ops::Range;

use crate::Result;
use crate::dataset::Watch;

use super::directory::Directory;
use super::filter::Filter;
use super::layout::LIST_BLOCK;

/// Rows between two looks at the interrupt.
const ROWS_A_LOOK: u32 = 1 << 14;

/// So many rows are scanned in the time that one provider's rows are looked up in.
const ROWS_A_PROVIDER: u64 = 64;

/// Rows with a flag that their visitor gets back.
pub(super) type RowSpan = (Range<u32>, bool);

/// Visits every row of the spans, which are ascending, that the filter lets through and whose place
/// is admitted: `visit(row, provider, rank of the place, the span's flag)`. `admit` gives a place's
/// rank, or `Some(None)` to pass over it, or `None` for altered bytes.
pub(super) fn rows(
    directory: &Directory,
    filter: &Filter<'_>,
    spans: &[RowSpan],
    watch: &Watch<'_>,
    mut admit: impl FnMut(u32, bool) -> Option<Option<f64>>,
    mut visit: impl FnMut(u32, u32, f64, bool),
) -> Result<()> {
    let in_spans: u64 = spans.iter().map(|(rows, _)| u64::from(rows.end.saturating_sub(rows.start))).sum();
    let few_names = filter.names.as_ref().filter(|names| names.len() as u64 * ROWS_A_PROVIDER < in_spans);
    let walk = Walk { directory, filter, watch };
    if let Some(names) = few_names {
        walk.by_name(names, spans, &mut admit, &mut visit)
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
    /// Rows of the providers that were found by name.
    fn by_name(
        &self,
        names: &[u32],
        spans: &[RowSpan],
        admit: &mut impl FnMut(u32, bool) -> Option<Option<f64>>,
        visit: &mut impl FnMut(u32, u32, f64, bool),
    ) -> Result<()> {
        let directory = self.directory;
        self.watch.check()?;
        for provider in names {
            if !directory.whole(self.filter.provider_fits(*provider))? {
                continue;
            }
            for row in directory.rows_of(*provider)? {
                let row = row?;
                let at = spans.partition_point(|(rows, _)| rows.end <= row);
                let Some((_, flag)) = spans.get(at).filter(|(rows, _)| rows.contains(&row)) else { continue };
                let place = directory.whole(directory.rows.place.run_of(row))?;
                let Some(rank) = directory.whole(admit(place, *flag))? else { continue };
                if directory.whole(self.filter.row_fits(row))? {
                    visit(row, *provider, rank, *flag);
                }
            }
        }
        Ok(())
    }

    /// Rows on the lists of specialty keys.
    fn by_specialty(
        &self,
        keys: &[u32],
        spans: &[RowSpan],
        admit: &mut impl FnMut(u32, bool) -> Option<Option<f64>>,
        visit: &mut impl FnMut(u32, u32, f64, bool),
    ) -> Result<()> {
        let (directory, filter) = (self.directory, self.filter);
        let decides = filter.list_decides();
        let mut judge = |row: u32, flag: bool| -> Option<()> {
            if !decides && !filter.row_fits(row)? {
                return Some(());
            }
            let place = directory.rows.place.run_of(row)?;
            if let Some(rank) = admit(place, flag)? {
                let provider = directory.rows.provider.get(row)?;
                if filter.name_fits(provider) && filter.provider_fits(provider)? {
                    visit(row, provider, rank, flag);
                }
            }
            Some(())
        };
        if let [key] = keys {
            for (rows, flag) in spans {
                self.watch.check()?;
                directory.whole(self.list(*key, rows, |row| judge(row, *flag)))?;
            }
            return Ok(());
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
                directory.whole(judge(row, *flag))?;
            }
        }
        Ok(())
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
        visit: &mut impl FnMut(u32, u32, f64, bool),
    ) -> Result<()> {
        let named = self.filter.names.as_ref().map(|names| Bits::of(names, self.directory.providers.count()));
        for (rows, flag) in spans {
            let mut look = rows.start;
            let mut at = Cursor { row: rows.start, role: None };
            while at.row < rows.end {
                if at.row >= look {
                    self.watch.check()?;
                    look = at.row.saturating_add(ROWS_A_LOOK);
                }
                self.directory.whole(self.place(&mut at, *flag, named.as_ref(), admit, visit))?;
            }
        }
        Ok(())
    }

    /// The rows of the place that begins at the cursor.
    #[inline]
    fn place(
        &self,
        at: &mut Cursor,
        flag: bool,
        named: Option<&Bits>,
        admit: &mut impl FnMut(u32, bool) -> Option<Option<f64>>,
        visit: &mut impl FnMut(u32, u32, f64, bool),
    ) -> Option<()> {
        let (rows, roles) = (&self.directory.rows, &self.directory.roles);
        let place = rows.place.run_of(at.row)?;
        let end = rows.place.end_of(at.row, rows.count);
        let Some(rank) = admit(place, flag)? else {
            *at = Cursor { row: end, role: None };
            return Some(());
        };
        let mut role = match at.role {
            Some(role) => role,
            None => rows.roles.start(at.row)?,
        };
        for row in at.row..end {
            let next = rows.roles.end_of(role, roles.count);
            let provider = match named {
                Some(named) => Some(rows.provider.get(row)?).filter(|provider| named.has(*provider)),
                None => None,
            };
            if (named.is_none() || provider.is_some()) && self.filter.any_role_fits(role..next)? {
                let provider = match provider {
                    Some(provider) => provider,
                    None => rows.provider.get(row)?,
                };
                if self.filter.provider_fits(provider)? {
                    visit(row, provider, rank, flag);
                }
            }
            role = next;
        }
        *at = Cursor { row: end, role: Some(role) };
        Some(())
    }
}

/// Where a scan is: at the first row of a place, and its first role if that is known.
struct Cursor {
    row: u32,
    role: Option<u32>,
}

/// Numbers as bits.
struct Bits(Vec<u64>);

impl Bits {
    fn of(numbers: &[u32], count: u32) -> Self {
        let mut words = vec![0_u64; count as usize / 64 + 1];
        for number in numbers {
            if let Some(word) = words.get_mut(*number as usize / 64) {
                *word |= 1 << (number % 64);
            }
        }
        Self(words)
    }

    #[inline]
    fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
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
