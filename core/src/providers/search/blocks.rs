//! Walking the lists of specialties, block by block: what a box of places and counts tell is not
//! looked at row by row.

use std::ops::Range;

use crate::Result;

use crate::providers::directory::lists::{deltas, leb128};
use crate::providers::directory::networks::share_a_bit;

use super::hits::Hit;
use super::ranking::{Ranking, Span, Zone};
use super::walk::Walk;

/// Blocks between two looks at the interrupt.
const BLOCKS_A_LOOK: usize = 256;

/// Some rows of a block.
struct Piece {
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
        let mut pieces = Vec::new();
        for span in spans {
            directory.whole(self.pieces(*key, span, &mut pieces))?;
        }
        if self.hits.keeps() && matches!(self.ranking, Ranking::Distance { .. }) {
            // The nearest first: behind them the others need only be counted.
            pieces.sort_unstable_by_key(|piece| piece.best);
        }
        for some in pieces.chunks(BLOCKS_A_LOOK) {
            self.cancel.check()?;
            for piece in some {
                directory.whole(self.piece(piece))?;
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
            let mut pieces = Vec::new();
            for key in keys {
                directory.whole(self.pieces(*key, span, &mut pieces))?;
            }
            let mut found = Vec::new();
            for piece in pieces {
                directory.whole(self.entries(piece.block, &piece.rows, &mut found))?;
            }
            found.sort_unstable();
            found.dedup();
            directory.whole(self.judge_all(&found, span.zone, decides))?;
        }
        Ok(())
    }

    /// The blocks of a key's list that have rows of a span which may be near.
    fn pieces(&self, key: u32, span: &Span, pieces: &mut Vec<Piece>) -> Option<()> {
        let lists = &self.directory.lists;
        let (first, end) = (lists.blocks.get(key)?, lists.blocks.get(key.checked_add(1)?)?);
        let start = u64::from(span.rows.start);
        let past = lists.block_row.partition(first, end, |row| row >= start);
        let mut block = past.saturating_sub(1).max(first);
        let mut row = if block < end { lists.block_row.get(block)? } else { u32::MAX };
        while row < span.rows.end {
            let next = if block + 1 < end { lists.block_row.get(block + 1)? } else { u32::MAX };
            let whole = row >= span.rows.start && next <= span.rows.end;
            let of = |best, all_near| Piece { block, rows: span.rows.clone(), zone: span.zone, whole, all_near, best };
            if span.zone == Zone::NotStated {
                pieces.push(of(Hit::first_of(false, 0.0), true));
            } else if let Some(reach) =
                self.ranking.reach(lists.block_low.wide(block)?, lists.block_high.wide(block)?, span.zone)
            {
                pieces.push(of(Hit::first_of(span.zone.is_around(), reach.best), reach.all_near));
            }
            (block, row) = (block + 1, next);
        }
        Some(())
    }

    fn piece(&mut self, piece: &Piece) -> Option<()> {
        let decides = self.filter.list_decides();
        let asks_no_place = !self.filter.asks_place();
        let only_counts = piece.zone == Zone::NotStated || self.hits.only_counts(piece.best);
        if decides && only_counts && asks_no_place && !self.filter.asks_provider() {
            let counted = if piece.whole && piece.all_near { self.counted(piece.block)? } else { None };
            let (count, may_be_near) = if let Some(count) = counted {
                (count, 0)
            } else {
                let mut batch = self.empty_batch();
                let count = self.count(piece, &mut batch)?;
                self.batch = batch;
                count
            };
            self.add(piece.zone, count);
            self.not_stated += may_be_near;
            return Some(());
        }
        let mut batch = self.empty_batch();
        self.entries(piece.block, &piece.rows, &mut batch)?;
        self.judge(batch, piece.zone, decides)
    }

    /// How many rows of a block have a role with the specialty in a wanted network, where the block's
    /// counts tell it: not where several wanted networks have some.
    #[allow(clippy::option_option, reason = "not told, and altered bytes")]
    fn counted(&self, block: u32) -> Option<Option<u64>> {
        let counts = &self.directory.lists.block_rows;
        let first = block.checked_mul(u32::try_from(self.directory.networks.count() + 1).ok()?)?;
        let Some(wanted) = &self.wanted else { return Some(Some(counts.wide(first)?)) };
        let mut told = 0;
        for network in wanted {
            let count = counts.wide(first.checked_add(network + 1)?)?;
            if count > 0 && told > 0 {
                return Some(None);
            }
            told += count;
        }
        Some(Some(told))
    }

    /// How many rows of a piece have a role with the specialty in a wanted network, and are near; how
    /// many may be near.
    fn count(&self, piece: &Piece, batch: &mut Vec<u32>) -> Option<(u64, u64)> {
        self.entries(piece.block, &piece.rows, batch)?;
        if piece.all_near {
            return Some((batch.len() as u64, 0));
        }
        let (rows, places) = (&self.directory.rows, &self.directory.places);
        let (mut near, mut may_be_near) = (0, 0);
        for row in batch {
            let place = rows.place.run_of(*row)?;
            near += u64::from(self.ranking.is_near(places, place, piece.zone)?);
            may_be_near += u64::from(Ranking::may_be_near(places, place, piece.zone)?);
        }
        Some((near, may_be_near))
    }

    /// Adds the rows of a block, in a range, that have a role with the specialty in a wanted network.
    /// Whether one fits is as good as drawn by lot: each is written, and overwritten unless it fits, as
    /// a branch would be guessed wrong every third time.
    fn entries(&self, block: u32, rows: &Range<u32>, found: &mut Vec<u32>) -> Option<()> {
        let (lists, networks) = (&self.directory.lists, &self.directory.networks);
        let mut deltas = deltas(lists, block)?;
        let (first, end) = (lists.block_entry.get(block)?, lists.block_entry.get(block.checked_add(1)?)?);
        let mut row = lists.block_row.get(block)?;
        let mut next = found.len();
        found.resize(next.checked_add(lists.networks.len().min(end.checked_sub(first)? as usize))?, 0);
        let mut last = u32::MAX;
        for entry in first..end {
            if entry > first {
                row = row.checked_add(leb128(&mut deltas)?)?;
            }
            if row >= rows.end {
                break;
            }
            // Where a role's flags have a say, they are asked when the row is judged.
            let set = networks.set(lists.networks.get(entry)?)?;
            let wanted = self.wanted_bits.as_ref().is_none_or(|bits| share_a_bit(bits, set));
            let fits = wanted && row >= rows.start && row != last;
            *found.get_mut(next)? = row;
            next += usize::from(fits);
            last = if fits { row } else { last };
        }
        found.truncate(next);
        Some(())
    }
}
