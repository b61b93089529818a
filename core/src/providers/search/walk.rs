//! Walking the rows that fit: by name, by specialty, or all of them, whichever touches least.

use std::ops::Range;

use crate::Result;
use crate::cancel::Cancel;
use crate::format::DamagedIfNone as _;
use crate::format::packed::Damaged;

use crate::data::directory::Directory;
use crate::data::directory::names::Wanted;

use super::filter::Filter;
use super::hits::{Hit, Hits};
use super::ranking::{Rank, Ranking, Span, Zone};

/// Rows between two looks at the interrupt.
const ROWS_A_LOOK: u32 = 1 << 14;

/// Rows that are judged together.
const ROWS_A_BATCH: usize = 256;

/// What a walk found.
pub(crate) struct Walked {
    /// Rows that fit and are near.
    pub(crate) hits: Hits,
    /// How many rows fit whose place is not stated.
    pub(crate) not_stated: u64,
    /// How many rows may fit, but for what the payer contradicts or a network that leads nowhere.
    pub(crate) in_doubt: u64,
}

/// Looks at the rows of ascending spans.
pub(crate) fn walk(
    directory: &Directory,
    filter: &Filter<'_>,
    ranking: Ranking,
    spans: &[Span],
    keep: usize,
    cancel: &Cancel,
) -> Result<Walked> {
    let numbers = filter.wanted.numbers(directory.networks.count());
    let wanted = numbers.map(|all| all.into_iter().filter_map(|number| u32::try_from(number).ok()).collect());
    let mut walk = Walk {
        directory,
        filter,
        ranking,
        cancel,
        wanted,
        wanted_bits: filter.wanted.bits(),
        hits: Hits::new(keep),
        not_stated: 0,
        batch: Vec::new(),
    };
    if let Some(name) = &filter.name {
        walk.by_name(name, spans)?;
    } else if let Some(meant) = &filter.specialty {
        walk.by_specialty(&meant.keys, spans)?;
    } else {
        walk.all(spans)?;
    }
    let in_doubt = walk.in_doubt(spans)?;
    Ok(Walked { hits: walk.hits, not_stated: walk.not_stated, in_doubt })
}

/// A walk under way.
pub(crate) struct Walk<'a> {
    pub(crate) directory: &'a Directory,
    pub(crate) filter: &'a Filter<'a>,
    pub(crate) ranking: Ranking,
    pub(crate) cancel: &'a Cancel,
    /// Numbers of the wanted networks; `None`: nothing is asked of them.
    pub(crate) wanted: Option<Vec<u32>>,
    /// The same as bits.
    pub(crate) wanted_bits: Option<Vec<u8>>,
    pub(crate) hits: Hits,
    pub(crate) not_stated: u64,
    /// Room for a batch.
    pub(crate) batch: Vec<u32>,
}

impl Walk<'_> {
    /// Rows whose providers have the name that was typed.
    fn by_name(&mut self, name: &Wanted, spans: &[Span]) -> Result<()> {
        let directory = self.directory;
        self.cancel.check()?;
        let ranges: Vec<Range<u32>> = spans.iter().map(|span| span.rows.clone()).collect();
        let found = directory.names.rows(name, &ranges, usize::MAX, self.cancel)?;
        let mut rest = found.as_slice();
        for span in spans {
            let (own, behind) = rest.split_at(rest.partition_point(|row| *row < span.rows.end));
            rest = behind;
            self.judge_all(own, span.zone, false)?;
        }
        Ok(())
    }

    /// Judges rows of one zone.
    pub(crate) fn judge_all(&mut self, rows: &[u32], zone: Zone, roles_fit: bool) -> Result<()> {
        for some in rows.chunks(ROWS_A_BATCH) {
            self.cancel.check()?;
            let mut batch = self.empty_batch();
            batch.extend_from_slice(some);
            let judged = self.judge(batch, zone, roles_fit);
            self.directory.error_if_damaged(judged)?;
        }
        Ok(())
    }

    /// An empty batch, to be handed to [`Self::judge`].
    pub(crate) fn empty_batch(&mut self) -> Vec<u32> {
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        batch
    }

    /// Judges rows: one question after the other and not one row after the other, as each row's
    /// answers lie far from the last one's: reads that depend on no judgement overlap.
    pub(crate) fn judge(&mut self, mut batch: Vec<u32>, zone: Zone, roles_fit: bool) -> Result<(), Damaged> {
        let (directory, filter) = (self.directory, self.filter);
        if !roles_fit {
            retain(&mut batch, |row| filter.row_may_fit(row))?;
            if !filter.row_decides() {
                retain(&mut batch, |row| filter.any_role_fits(directory.roles_of(row)?))?;
            }
        }
        if filter.asks_provider() {
            retain(&mut batch, |row| filter.provider_fits(row))?;
        }
        let by_place = self.by_place();
        if zone == Zone::NotStated {
            if filter.asks_place() {
                retain(&mut batch, |row| filter.place_may_fit(directory.rows.place.run_of(row)?))?;
            }
            self.not_stated += batch.len() as u64;
        } else {
            for row in &batch {
                let rank = if by_place {
                    self.rank(directory.rows.place.run_of(*row)?, zone)?
                } else {
                    Rank::Near(Hit::first_of(false, 0.0))
                };
                match rank {
                    Rank::Near(hit) => self.offer(*row, hit)?,
                    Rank::MayBeNear => self.not_stated += 1,
                    Rank::Out => {}
                }
            }
        }
        self.batch = batch;
        Ok(())
    }

    /// How many rows have a role that may fit, and none that does.
    fn in_doubt(&self, spans: &[Span]) -> Result<u64> {
        let directory = self.directory;
        let doubt = &directory.rows.doubt;
        if doubt.is_empty() {
            return Ok(0);
        }
        let named = match &self.filter.name {
            Some(name) => {
                let ranges: Vec<Range<u32>> = spans.iter().map(|span| span.rows.clone()).collect();
                Some(self.directory.names.rows(name, &ranges, usize::MAX, self.cancel)?)
            }
            None => None,
        };
        let is_named = |row: u32| named.as_ref().is_none_or(|named| named.binary_search(&row).is_ok());
        let count = directory.error_if_damaged(doubt.count())?;
        let mut in_doubt = 0;
        for span in spans {
            let first = doubt.partition(0, count, |row| row >= u64::from(span.rows.start));
            let mut at = directory.error_if_damaged(first)?;
            while at < count {
                let row = directory.error_if_damaged(doubt.get(at))?;
                if row >= span.rows.end {
                    break;
                }
                if at.is_multiple_of(ROWS_A_LOOK) {
                    self.cancel.check()?;
                }
                let may_fit = is_named(row) && directory.error_if_damaged(self.may_fit(row, span.zone))?;
                in_doubt += u64::from(may_fit);
                at += 1;
            }
        }
        Ok(in_doubt)
    }

    /// Whether a row may be one that a search finds, or counts, and is not.
    fn may_fit(&self, row: u32, zone: Zone) -> Result<bool, Damaged> {
        let (directory, filter) = (self.directory, self.filter);
        let mut may_fit = false;
        for role in directory.roles_of(row)? {
            may_fit |= filter.role_may_fit(role)?;
        }
        if !may_fit || filter.any_role_fits(directory.roles_of(row)?)? || !filter.provider_fits(row)? {
            return Ok(false);
        }
        let place = || directory.rows.place.run_of(row);
        Ok(match zone {
            Zone::NotStated => !filter.asks_place() || filter.place_may_fit(place()?)?,
            _ if !self.by_place() => true,
            _ => !matches!(self.rank(place()?, zone)?, Rank::Out),
        })
    }

    /// Whether a row's place has a say.
    fn by_place(&self) -> bool {
        self.filter.asks_place() || matches!(self.ranking, Ranking::Distance { .. })
    }

    /// How rows at a place rank.
    #[inline]
    fn rank(&self, place: u32, zone: Zone) -> Result<Rank<Hit>, Damaged> {
        Ok(match self.ranking.rank(&self.directory.places, place, zone)? {
            Rank::Near(rank) if self.filter.place_fits(place)? => Rank::Near(Hit::first_of(zone.is_around(), rank)),
            Rank::MayBeNear if self.filter.place_may_fit(place)? => Rank::MayBeNear,
            Rank::Near(_) | Rank::MayBeNear | Rank::Out => Rank::Out,
        })
    }

    #[inline]
    fn offer(&mut self, row: u32, rank: Hit) -> Result<(), Damaged> {
        self.hits.offer(rank, row, || self.directory.rows.provider.get(row))
    }

    /// Counts rows that need not be looked at.
    pub(crate) fn add(&mut self, zone: Zone, count: u64) {
        match zone {
            Zone::NotStated => self.not_stated += count,
            Zone::Here | Zone::Around | Zone::AroundOrUnknown => self.hits.total += count,
        }
    }

    /// All rows.
    fn all(&mut self, spans: &[Span]) -> Result<()> {
        let (directory, networks) = (self.directory, &self.directory.networks);
        let rows: usize = spans.iter().map(|span| span.rows.len()).sum();
        let verdicts = (rows > networks.row_sets()).then(|| networks.row_verdicts(&self.filter.wanted));
        for span in spans {
            let mut at = span.rows.start;
            while at < span.rows.end {
                self.cancel.check()?;
                let stop = span.rows.end.min(at.saturating_add(ROWS_A_LOOK));
                directory.error_if_damaged(self.scan(at..stop, span.zone, verdicts.as_deref()))?;
                at = stop;
            }
        }
        Ok(())
    }

    /// Rows one after the other; a place is ranked once.
    fn scan(&mut self, rows: Range<u32>, zone: Zone, verdicts: Option<&[bool]>) -> Result<(), Damaged> {
        if !self.by_place() || (zone == Zone::NotStated && !self.filter.asks_place()) {
            return self.scan_at(rows, zone, Hit::first_of(false, 0.0), verdicts);
        }
        let marks = &self.directory.rows.place;
        let mut place = marks.run_of(rows.start)?;
        let mut ends = marks.after(rows.start)?;
        let mut at = rows.start;
        while at < rows.end {
            let end = ends.next_mark()?.unwrap_or(rows.end).min(rows.end);
            let rank = if zone != Zone::NotStated {
                self.rank(place, zone)?
            } else if self.filter.place_may_fit(place)? {
                Rank::MayBeNear
            } else {
                Rank::Out
            };
            match rank {
                Rank::Near(hit) => self.scan_at(at..end, zone, hit, verdicts)?,
                Rank::MayBeNear => self.scan_at(at..end, Zone::NotStated, Hit::first_of(false, 0.0), verdicts)?,
                Rank::Out => {}
            }
            (at, place) = (end, place.checked_add(1).damaged_if_none()?);
        }
        Ok(())
    }

    /// Rows that rank alike.
    #[inline]
    fn scan_at(&mut self, rows: Range<u32>, zone: Zone, rank: Hit, verdicts: Option<&[bool]>) -> Result<(), Damaged> {
        let (directory, filter) = (self.directory, self.filter);
        let decides = filter.row_decides();
        let networks = directory.rows.networks.numbers(rows.clone())?;
        for row in rows {
            let may_fit = match verdicts {
                Some(verdicts) => *verdicts.get(networks.get(row)? as usize).damaged_if_none()?,
                None => filter.row_may_fit(row)?,
            };
            if may_fit && (decides || filter.any_role_fits(directory.roles_of(row)?)?) && filter.provider_fits(row)? {
                if zone == Zone::NotStated {
                    self.not_stated += 1;
                } else {
                    self.offer(row, rank)?;
                }
            }
        }
        Ok(())
    }
}

/// Keeps the rows that fit; all are asked before any is dropped.
fn retain(batch: &mut Vec<u32>, fits: impl Fn(u32) -> Result<bool, Damaged>) -> Result<(), Damaged> {
    let mut verdicts = Vec::with_capacity(batch.len());
    for row in &*batch {
        verdicts.push(fits(*row)?);
    }
    let mut verdicts = verdicts.into_iter();
    batch.retain(|_| verdicts.next().unwrap_or(false));
    Ok(())
}
