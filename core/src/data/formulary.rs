//! Formularies as they are read: one code for each package, and what the codes mean.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use crate::format::{self, Connections, number};
use crate::tier::{self, Tier, TierStatus};
use crate::{Error, Result};

/// Bytes of formularies that stay in memory beside those that callers hold.
const KEPT_BYTES: usize = 6 << 20;

/// What one entry says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) status: TermStatus,
    pub(crate) tier: Option<Arc<Tier>>,
    pub(crate) prior_authorization: Option<bool>,
    pub(crate) step_therapy: Option<bool>,
    pub(crate) quantity_limit: Option<bool>,
    pub(crate) mail_order: Option<bool>,
    /// What contradicts each other, for [`TermStatus::Conflict`].
    pub(crate) conflict: Vec<Term>,
}

impl Term {
    /// Prior authorization, step therapy, quantity limit, mail order, as far as all entries agree.
    pub(crate) fn flags(&self) -> [Option<bool>; 4] {
        [self.prior_authorization, self.step_therapy, self.quantity_limit, self.mail_order]
    }

    /// Takes what all contradictory statements say alike; the tier of a package in conflict stays unsaid.
    fn agree(&mut self) {
        let Some((first, others)) = self.conflict.split_first() else { return };
        let mut agreed = first.flags();
        for (flag, at) in agreed.iter_mut().zip(0..) {
            if others.iter().any(|other| other.flags().get(at) != Some(flag)) {
                *flag = None;
            }
        }
        [self.prior_authorization, self.step_therapy, self.quantity_limit, self.mail_order] = agreed;
    }

    /// Whether the entry says that its package is covered.
    pub(crate) fn is_covered(&self) -> bool {
        let tier = self.tier.as_deref().filter(|_| self.status == TermStatus::Listed);
        tier.is_some_and(|tier| tier.status == TierStatus::Covered)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermStatus {
    Listed,
    Conflict,
    EntryInactive,
    Unreferenced,
}

/// One distinct formulary.
#[derive(Debug)]
pub(crate) struct Formulary {
    id: u32,
    wide: bool,
    codes: Vec<u8>,
    terms: Vec<Option<Arc<Term>>>,
}

impl Formulary {
    /// What the formulary says of a package, if anything.
    pub(crate) fn term(&self, package: u32) -> Result<Option<&Arc<Term>>> {
        let at = package as usize;
        let code = if self.wide {
            self.codes.as_chunks::<2>().0.get(at).map(|pair| usize::from(u16::from_le_bytes(*pair)))
        } else {
            self.codes.get(at).map(|code| usize::from(*code))
        };
        match code {
            Some(0) => Ok(None),
            Some(code) => match self.terms.get(code) {
                Some(Some(term)) => Ok(Some(term)),
                _ => Err(self.damaged()),
            },
            None => Err(self.damaged()),
        }
    }

    fn damaged(&self) -> Error {
        Error::damaged(format::DATABASE, format!("formulary {} has a code without a meaning", self.id))
    }

    fn bytes(&self) -> usize {
        self.codes.len() + self.terms.len() * size_of::<Option<Arc<Term>>>()
    }
}

/// Formularies in use: those read last stay in memory, up to a bound.
#[derive(Debug, Default)]
pub(crate) struct Formularies {
    terms: crate::lazy::Lazy<Vec<Option<Arc<Term>>>>,
    kept: Mutex<Vec<Arc<Formulary>>>,
}

impl Formularies {
    pub(crate) fn get(&self, database: &Connections, id: u32) -> Result<Arc<Formulary>> {
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(last) = kept.last().filter(|formulary| formulary.id == id) {
                return Ok(Arc::clone(last));
            }
            if let Some(at) = kept.iter().position(|formulary| formulary.id == id) {
                let formulary = kept.remove(at);
                kept.push(Arc::clone(&formulary));
                return Ok(formulary);
            }
        }
        let terms = self.terms.get(|| database.with(read_terms))?;
        let formulary = Arc::new(database.with_any(|connection| read_formulary(connection, database, id, terms))?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(Arc::clone(&formulary));
        let mut bytes: usize = kept.iter().map(|formulary| formulary.bytes()).sum();
        while bytes > KEPT_BYTES && kept.len() > 1 {
            bytes -= kept.remove(0).bytes();
        }
        Ok(formulary)
    }
}

fn read_formulary(
    connection: &Connection,
    database: &Connections,
    id: u32,
    terms: &[Option<Arc<Term>>],
) -> Result<Formulary> {
    let sql = |e: rusqlite::Error| database.error(&e);
    let (width, codes): (i64, Vec<u8>) = connection
        .prepare_cached("SELECT width, codes FROM formulary WHERE id = ?1")
        .and_then(|mut s| s.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))))
        .map_err(sql)?;
    let mut meaning: Vec<Option<Arc<Term>>> = Vec::new();
    let mut statement = connection
        .prepare_cached("SELECT code, term FROM formulary_term WHERE formulary = ?1 ORDER BY code")
        .map_err(sql)?;
    let rows = statement.query_map([id], |row| Ok((number(row, 0)?, number(row, 1)?))).map_err(sql)?;
    for row in rows {
        let (code, term) = row.map_err(sql)?;
        let at = code as usize;
        if code > 0xffff {
            return Err(Error::damaged(format::DATABASE, format!("formulary {id} has code {code}")));
        }
        if meaning.len() <= at {
            meaning.resize(at + 1, None);
        }
        let known = terms.get(term as usize).and_then(Option::as_ref);
        if let (Some(slot), Some(known)) = (meaning.get_mut(at), known) {
            *slot = Some(Arc::clone(known));
        }
    }
    Ok(Formulary { id, wide: width == 2, codes, terms: meaning })
}

fn flag(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<Option<bool>> {
    row.get(at)
}

/// All terms, each at its id.
fn read_terms(connection: &Connection) -> rusqlite::Result<Vec<Option<Arc<Term>>>> {
    let mut tiers: Vec<Option<Arc<Tier>>> = Vec::new();
    let mut statement = connection.prepare("SELECT id, code, display, status, level FROM tier")?;
    let rows = statement.query_map([], |row| Ok((number(row, 0)?, tier::of_row(row, 1)?)))?;
    for row in rows {
        let (id, tier) = row?;
        put(&mut tiers, id, Arc::new(tier));
    }
    let mut conflicts: Vec<(u32, u32)> = Vec::new();
    let mut statement = connection.prepare("SELECT term, says FROM term_conflict ORDER BY term, position")?;
    for row in statement.query_map([], |row| Ok((number(row, 0)?, number(row, 1)?)))? {
        conflicts.push(row?);
    }
    let mut terms: Vec<Option<Arc<Term>>> = Vec::new();
    let mut statement = connection.prepare(
        "SELECT id, status, tier, prior_authorization, step_therapy, quantity_limit, mail_order FROM term ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| {
        let status: String = row.get(1)?;
        let tier: Option<i64> = row.get(2)?;
        let tier = tier.and_then(|id| usize::try_from(id).ok()).and_then(|id| tiers.get(id)?.clone());
        Ok((
            number(row, 0)?,
            Term {
                status: match status.as_str() {
                    "listed" => TermStatus::Listed,
                    "conflict" => TermStatus::Conflict,
                    "entry_inactive" => TermStatus::EntryInactive,
                    "unreferenced" => TermStatus::Unreferenced,
                    _ => return Err(rusqlite::Error::InvalidQuery),
                },
                tier,
                prior_authorization: flag(row, 3)?,
                step_therapy: flag(row, 4)?,
                quantity_limit: flag(row, 5)?,
                mail_order: flag(row, 6)?,
                conflict: Vec::new(),
            },
        ))
    })?;
    let mut plain = Vec::new();
    for row in rows {
        plain.push(row?);
    }
    let listed = |id: u32| plain.iter().find(|(other, _)| *other == id).map(|(_, term)| term.clone());
    for (id, term) in &plain {
        let mut term = term.clone();
        term.conflict = conflicts.iter().filter(|(of, _)| of == id).filter_map(|(_, says)| listed(*says)).collect();
        term.agree();
        put(&mut terms, *id, Arc::new(term));
    }
    Ok(terms)
}

fn put<T>(table: &mut Vec<Option<T>>, id: u32, value: T) {
    let at = id as usize;
    if at > 1 << 20 {
        return;
    }
    while table.len() <= at {
        table.push(None);
    }
    if let Some(slot) = table.get_mut(at) {
        *slot = Some(value);
    }
}
