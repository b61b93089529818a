//! Walking the lists of specialties, block by block: what a box of places and counts tell is not
//! looked at row by row.

use std::ops::Range;

use crate::Result;
use crate::format::DamagedIfNone as _;
use crate::format::packed::Damaged;

use crate::data::directory::lists::{deltas, leb128};
use crate::data::directory::networks::share_a_bit;

use super::hits::Hit;
use super::ranking::{Ranking, Span, Zone};
use super::walk::Walk;

/// Blocks between two looks at the interrupt.
const BLOCKS_A_LOOK: usize = 256;

/// Some rows of a block.
struct BlockRange {
    block: u32,
    rows: Range<u32>,
    zone: Zone,
    /// They are all of its rows.
    whole: bool,
    /// All of their places are near.
    all_near: bool,
    /// None ranks before this.
    best: Hit,
}

impl Walk<'_> {
    /// Rows on the lists of specialty keys.
    pub(crate) fn by_specialty(&mut self, keys: &[u32], spans: &[Span]) -> Result<()> {
        let directory = self.directory;
        let [key] = keys else { return self.by_specialties(keys, spans) };
        let mut ranges = Vec::new();
        for span in spans {
            directory.error_if_damaged(self.ranges(*key, span, &mut ranges))?;
        }
        if self.hits.keeps() && matches!(self.ranking, Ranking::Distance { .. }) {
            // The nearest first: behind them the others need only be counted.
            ranges.sort_unstable_by_key(|range| range.best);
        }
        for some in ranges.chunks(BLOCKS_A_LOOK) {
            self.cancel.check()?;
            for range in some {
                directory.error_if_damaged(self.block_range(range))?;
            }
        }
        Ok(())
    }

    /// Rows on several lists, each once.
    fn by_specialties(&mut self, keys: &[u32], spans: &[Span]) -> Result<()> {
        let directory = self.directory;
        let decides = self.filter.list_decides();
        for span in spans {
            self.cancel.check()?;
            let mut ranges = Vec::new();
            for key in keys {
                directory.error_if_damaged(self.ranges(*key, span, &mut ranges))?;
            }
            let mut found = Vec::new();
            for range in ranges {
                directory.error_if_damaged(self.entries(range.block, &range.rows, &mut found))?;
            }
            found.sort_unstable();
            found.dedup();
            self.judge_all(&found, span.zone, decides)?;
        }
        Ok(())
    }

    /// The blocks of a key's list that have rows of a span which may be near.
    fn ranges(&self, key: u32, span: &Span, ranges: &mut Vec<BlockRange>) -> Result<(), Damaged> {
        let lists = &self.directory.lists;
        let Range { start: first, end } = lists.blocks.range(key)?;
        let start = u64::from(span.rows.start);
        let past = lists.block_row.partition(first, end, |row| row >= start)?;
        let mut block = past.saturating_sub(1).max(first);
        let mut row = if block < end { lists.block_row.get(block)? } else { u32::MAX };
        while row < span.rows.end {
            let next = if block + 1 < end { lists.block_row.get(block + 1)? } else { u32::MAX };
            let whole = row >= span.rows.start && next <= span.rows.end;
            let of =
                |best, all_near| BlockRange { block, rows: span.rows.clone(), zone: span.zone, whole, all_near, best };
            if span.zone == Zone::NotStated {
                ranges.push(of(Hit::first_of(false, 0.0), true));
            } else if let Some(reach) =
                self.ranking.reach(lists.block_low.wide(block)?, lists.block_high.wide(block)?, span.zone)
            {
                ranges.push(of(Hit::first_of(span.zone.is_around(), reach.best), reach.all_near));
            }
            (block, row) = (block + 1, next);
        }
        Ok(())
    }

    fn block_range(&mut self, range: &BlockRange) -> Result<(), Damaged> {
        let decides = self.filter.list_decides();
        let asks_no_place = !self.filter.asks_place();
        let only_counts = range.zone == Zone::NotStated || self.hits.only_counts(range.best);
        if decides && only_counts && asks_no_place && !self.filter.asks_provider() {
            let counted = if range.whole && range.all_near { self.counted(range.block)? } else { None };
            let (count, may_be_near) = if let Some(count) = counted {
                (count, 0)
            } else {
                let mut batch = self.empty_batch();
                let count = self.count(range, &mut batch)?;
                self.batch = batch;
                count
            };
            self.add(range.zone, count);
            self.not_stated += may_be_near;
            return Ok(());
        }
        let mut batch = self.empty_batch();
        self.entries(range.block, &range.rows, &mut batch)?;
        self.judge(batch, range.zone, decides)
    }

    /// How many rows of a block have a role with the specialty in a wanted network, where the block's
    /// counts tell it: not where several wanted networks have some.
    fn counted(&self, block: u32) -> Result<Option<u64>, Damaged> {
        let counts = &self.directory.lists.block_rows;
        let width = u32::try_from(self.directory.networks.count() + 1).ok();
        let first = width.and_then(|width| block.checked_mul(width)).damaged_if_none()?;
        let Some(wanted) = &self.wanted else { return counts.wide(first).map(Some) };
        let mut told = 0;
        for network in wanted {
            let count = counts.wide(first.checked_add(network + 1).damaged_if_none()?)?;
            if count > 0 && told > 0 {
                return Ok(None);
            }
            told += count;
        }
        Ok(Some(told))
    }

    /// How many rows of a range have a role with the specialty in a wanted network, and are near; how
    /// many may be near.
    fn count(&self, range: &BlockRange, batch: &mut Vec<u32>) -> Result<(u64, u64), Damaged> {
        self.entries(range.block, &range.rows, batch)?;
        if range.all_near {
            return Ok((batch.len() as u64, 0));
        }
        let (rows, places) = (&self.directory.rows, &self.directory.places);
        let (mut near, mut may_be_near) = (0, 0);
        for row in batch {
            let place = rows.place.run_of(*row)?;
            near += u64::from(self.ranking.is_near(places, place, range.zone)?);
            may_be_near += u64::from(Ranking::may_be_near(places, place, range.zone)?);
        }
        Ok((near, may_be_near))
    }

    /// Adds the rows of a block, in a range, that have a role with the specialty in a wanted network.
    /// Each is written, and overwritten by the next unless it fits: a branch would be predicted wrong every
    /// third time.
    fn entries(&self, block: u32, rows: &Range<u32>, found: &mut Vec<u32>) -> Result<(), Damaged> {
        let (lists, networks) = (&self.directory.lists, &self.directory.networks);
        let mut deltas = deltas(lists, block)?;
        let Range { start: first, end } = lists.block_entry.range(block)?;
        let mut row = lists.block_row.get(block)?;
        let sets = lists.networks.numbers(first..end)?;
        let mut next = found.len();
        found.resize(next + (end - first) as usize, 0);
        let mut last = u32::MAX;
        for entry in first..end {
            if entry > first {
                row = leb128(&mut deltas).and_then(|more| row.checked_add(more)).damaged_if_none()?;
            }
            if row >= rows.end {
                break;
            }
            // Where a role's flags have a say, they are asked when the row is judged.
            let set = networks.set(sets.get(entry)?)?;
            let wanted = self.wanted_bits.as_ref().is_none_or(|bits| share_a_bit(bits, set));
            let fits = wanted && row >= rows.start && row != last;
            *found.get_mut(next).damaged_if_none()? = row;
            next += usize::from(fits);
            last = if fits { row } else { last };
        }
        found.truncate(next);
        Ok(())
    }
}
