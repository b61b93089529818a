//! Counties, ZIP areas and distances, read from a dataset.
//!
//! Codes and names come from the dataset's own tables (see `schema.sql` beside this file); the
//! library itself holds none. Connecticut's counties are its planning regions; its former counties
//! and other renamed ones lead to the counties of today.

pub mod names;
mod point;

use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::fold::edits;
use crate::ids::{CountyFips, State, Zip5};
use crate::{Error, ErrorKind, Result};

pub use point::{EARTH_RADIUS_KM, KM_PER_MILE, Point, haversine_km, kilometers, miles};

/// The tables' definition, which the builder executes.
#[cfg(feature = "build")]
pub const SCHEMA: &str = include_str!("schema.sql");

/// Shares of a ZIP's people are stored in this fraction of one.
pub const SHARE_UNIT: u32 = 10_000;

/// A county of today.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct County {
    /// Its code.
    pub fips: CountyFips,
    /// Its full name, such as `Baltimore city` or `Capitol Planning Region`.
    pub name: String,
    /// The state it lies in.
    pub state: State,
    /// The point that distances from the county are measured from.
    pub point: Point,
    /// Meters from that point to the farthest point of its border.
    pub radius_m: u32,
}

impl County {
    /// Name and state as people write them: `Baltimore city, MD`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}, {}", self.name, self.state)
    }
}

/// A county without its name: what a search by distance needs of every county.
#[cfg(feature = "build")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountyCircle {
    /// The county.
    pub fips: CountyFips,
    /// Its reference point.
    pub point: Point,
    /// Meters from that point to the farthest point of its border.
    pub radius_m: u32,
}

/// A county that was renamed, merged or divided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormerCounty {
    /// Its code.
    pub fips: CountyFips,
    /// Its full name.
    pub name: String,
    /// The state it lay in.
    pub state: State,
    /// The year from which it is former.
    pub since: u16,
}

impl FormerCounty {
    /// What became of it, for people: `Hartford County, CT (09003) is no county since 2022`.
    #[must_use]
    pub fn note(&self) -> String {
        format!("{}, {} ({}) is no county since {}", self.name, self.state, self.fips, self.since)
    }
}

/// The county with this code; a former county's code leads to its only successor.
///
/// # Errors
/// `NotFound` for an unknown code, `Ambiguous` for a former county with several successors.
pub fn county(db: &Connection, fips: CountyFips) -> Result<County> {
    if let Some(county) = county_of_today(db, fips)? {
        return Ok(county);
    }
    one_of(&format!("county {fips}"), counties_of_today(db, &[fips])?, || Ok(unknown_code(fips)))
}

/// Every county that a text fits: a FIPS code, a name with state (`Miami-Dade, FL`, `Baltimore
/// city MD`, `Dona Ana, New Mexico`), or a name alone; a former county (`Hartford, CT`) gives the
/// counties of today that it is in. By FIPS code.
///
/// # Errors
/// `NotFound` where nothing fits, with what may have been meant.
pub fn find_counties(db: &Connection, text: &str) -> Result<Vec<County>> {
    let found = fitting(db, text)?;
    if found.is_empty() { Err(not_found(db, text)?) } else { Ok(found) }
}

/// The one county that a text means: see [`find_counties`].
///
/// # Errors
/// `Ambiguous` where several fit, `NotFound` where none does, both with candidates.
pub fn resolve_county(db: &Connection, text: &str) -> Result<County> {
    let found = fitting(db, text)?;
    // `Florida` is a municipio of Puerto Rico, and hardly what was meant.
    if let ([only], Some(state)) = (found.as_slice(), State::from_name(text))
        && counties_of_state(db, state)?.as_slice() != [only.clone()]
    {
        let message = format!("that is a state too, and {} a county", only.label());
        return Err(Error::new(ErrorKind::Ambiguous, subject(text), message)
            .with_hint("name the county with its state, or a county of that state")
            .with_candidates([candidate(only)]));
    }
    if found.len() > 1
        && let Some(former) = former_county(db, text)?
    {
        let message = format!("{}: its area is in {} counties of today", former.note(), found.len());
        return Err(Error::new(ErrorKind::Ambiguous, subject(text), message)
            .with_hint("name the one that is meant, by its full name and state or its FIPS code")
            .with_candidates(found.iter().map(candidate)));
    }
    one_of(&subject(text), found, || not_found(db, text))
}

/// The former county that a text means, and no county of today: by FIPS code (`09003`) or by name
/// (`Hartford, CT`). [`find_counties`] gives the counties of today that it is in.
///
/// # Errors
/// Those of the dataset.
pub fn former_county(db: &Connection, text: &str) -> Result<Option<FormerCounty>> {
    let [code] = codes(db, text)?[..] else { return Ok(None) };
    let (sql, state) = ("SELECT name, since FROM county_former WHERE fips = ?1 LIMIT 1", code.state());
    let named: Option<(String, u16)> = db
        .prepare_cached(sql)
        .and_then(|mut select| select.query_row([code.number()], |row| Ok((row.get(0)?, row.get(1)?))).optional())
        .map_err(|e| sqlite(&e))?;
    Ok(named.zip(state).map(|((name, since), state)| FormerCounty { fips: code, name, state, since }))
}

/// The states of the ZIP areas that share a ZIP's first three digits, or the military state of these, by
/// code: where a ZIP that is no area is, such as one of post-office boxes or of one receiver.
///
/// # Errors
/// Those of the dataset.
pub fn zip_states(db: &Connection, zip: Zip5) -> Result<Vec<State>> {
    if let Some(state) = zip.military_state() {
        return Ok(vec![state]);
    }
    let sql = "SELECT DISTINCT county / 1000 FROM zip WHERE zip / 100 = ?1 AND county IS NOT NULL ORDER BY 1";
    let mut select = db.prepare_cached(sql).map_err(|e| sqlite(&e))?;
    let rows = select.query_map([zip.number() / 100], |row| row.get::<_, u8>(0)).map_err(|e| sqlite(&e))?;
    let numbers = rows.collect::<rusqlite::Result<Vec<_>>>().map_err(|e| sqlite(&e))?;
    Ok(numbers.into_iter().filter_map(State::from_fips).collect())
}

/// The counties of a ZIP area, each with the share of its people from 0 to 1, the largest first.
/// Empty for a ZIP that is no area, such as one of post-office boxes.
///
/// # Errors
/// Those of the dataset.
pub fn zip_counties(db: &Connection, zip: Zip5) -> Result<Vec<(County, f64)>> {
    let mut shares = shares(db, "SELECT county, share FROM zip_county WHERE zip = ?1 ORDER BY place", zip)?;
    if shares.is_empty() {
        let single: Option<Option<u32>> = db
            .prepare_cached("SELECT county FROM zip WHERE zip = ?1")
            .and_then(|mut select| select.query_row([zip.number()], |row| row.get(0)).optional())
            .map_err(|e| sqlite(&e))?;
        shares.extend(single.flatten().and_then(CountyFips::new).map(|fips| (fips, 1.0)));
    }
    let mut counties = Vec::with_capacity(shares.len());
    for (fips, share) in shares {
        let county =
            county_of_today(db, fips)?.ok_or_else(|| damaged(&format!("ZIP {zip} lies in no county {fips}")))?;
        counties.push((county, share));
    }
    Ok(counties)
}

/// The former counties (Connecticut's) of a ZIP area with the share of its people, the largest
/// first: what an area that is named by a former county is compared with.
///
/// # Errors
/// Those of the dataset.
pub fn zip_former_counties(db: &Connection, zip: Zip5) -> Result<Vec<(CountyFips, f64)>> {
    shares(db, "SELECT county, share FROM zip_county_former WHERE zip = ?1 ORDER BY place", zip)
}

/// A point inside a ZIP area; `None` for a ZIP that is no area.
///
/// # Errors
/// Those of the dataset.
pub fn zip_point(db: &Connection, zip: Zip5) -> Result<Option<Point>> {
    db.prepare_cached("SELECT lat_e5, lon_e5 FROM zip WHERE zip = ?1 AND lat_e5 IS NOT NULL")
        .and_then(|mut select| select.query_row([zip.number()], |row| point_at(row, 0)).optional())
        .map_err(|e| sqlite(&e))
}

/// The counties that touch this one, by land or water, by FIPS code.
///
/// # Errors
/// Those of the dataset.
#[cfg(feature = "build")]
pub fn neighbors(db: &Connection, fips: CountyFips) -> Result<Vec<CountyFips>> {
    let mut select = db
        .prepare_cached("SELECT neighbor FROM county_neighbor WHERE fips = ?1 ORDER BY neighbor")
        .map_err(|e| sqlite(&e))?;
    let rows = select.query_map([fips.number()], |row| fips_at(row, 0)).map_err(|e| sqlite(&e))?;
    rows.collect::<rusqlite::Result<_>>().map_err(|e| sqlite(&e))
}

/// Every county with its reference point and radius, by FIPS code.
///
/// # Errors
/// Those of the dataset.
#[cfg(feature = "build")]
pub fn all_counties(db: &Connection) -> Result<Vec<CountyCircle>> {
    let mut select =
        db.prepare_cached("SELECT fips, lat_e5, lon_e5, radius_m FROM county ORDER BY fips").map_err(|e| sqlite(&e))?;
    let rows = select
        .query_map([], |row| {
            Ok(CountyCircle { fips: fips_at(row, 0)?, point: point_at(row, 1)?, radius_m: row.get(3)? })
        })
        .map_err(|e| sqlite(&e))?;
    rows.collect::<rusqlite::Result<_>>().map_err(|e| sqlite(&e))
}

/// The only one, or the error that says why there is not one.
fn one_of(subject: &str, mut found: Vec<County>, none: impl FnOnce() -> Result<Error>) -> Result<County> {
    if found.len() > 1 {
        let message = format!("{} counties fit", found.len());
        let candidates = found.iter().map(candidate);
        return Err(Error::new(ErrorKind::Ambiguous, subject, message)
            .with_hint("name the one that is meant, by its full name and state or its FIPS code")
            .with_candidates(candidates));
    }
    match found.pop() {
        Some(county) => Ok(county),
        None => Err(none()?),
    }
}

/// A county as error candidates show it: `Baltimore city, MD (24510)`.
fn candidate(county: &County) -> String {
    format!("{} ({})", county.label(), county.fips)
}

fn subject(text: &str) -> String {
    format!("county {:?}", text.trim().chars().take(60).collect::<String>())
}

/// The counties of today that a text fits, by FIPS code.
fn fitting(db: &Connection, text: &str) -> Result<Vec<County>> {
    let found = codes(db, text)?;
    if !found.is_empty() {
        return counties_of_today(db, &found);
    }
    // `DC` and `Guam` are states of one county.
    match State::from_name(text) {
        Some(state) => {
            Ok(Some(counties_of_state(db, state)?).filter(|counties| counties.len() == 1).unwrap_or_default())
        }
        None => Ok(Vec::new()),
    }
}

/// The codes that a text fits, of counties of today and of former ones; a code itself need not be known.
fn codes(db: &Connection, text: &str) -> Result<Vec<CountyFips>> {
    if let Ok(fips) = text.parse::<CountyFips>() {
        return Ok(vec![fips]);
    }
    for (name, state) in names::name_and_state(text) {
        let found = names::fitting(name, |key| named(db, key, state))?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

fn named(db: &Connection, key: &str, state: Option<State>) -> Result<Vec<names::NamedCounty>> {
    let sql = "SELECT n.fips, coalesce(c.name, f.name) FROM county_name n \
               LEFT JOIN county c ON c.fips = n.fips LEFT JOIN county_former f ON f.fips = n.fips WHERE n.key = ?1";
    let mut select = db.prepare_cached(sql).map_err(|e| sqlite(&e))?;
    let rows = select
        .query_map([key], |row| {
            let name: String = row.get(1)?;
            Ok(names::NamedCounty { fips: fips_at(row, 0)?, is_city: names::is_city(&name) })
        })
        .map_err(|e| sqlite(&e))?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>().map_err(|e| sqlite(&e))?;
    found.retain(|county| state.is_none() || county.fips.state() == state);
    Ok(found)
}

/// The counties with these codes, former ones replaced by their successors, by FIPS code.
fn counties_of_today(db: &Connection, codes: &[CountyFips]) -> Result<Vec<County>> {
    let mut counties = Vec::with_capacity(codes.len());
    for fips in codes {
        if let Some(county) = county_of_today(db, *fips)? {
            counties.push(county);
            continue;
        }
        let sql = "SELECT c.fips, c.name, c.lat_e5, c.lon_e5, c.radius_m \
                   FROM county_former f JOIN county c ON c.fips = f.successor WHERE f.fips = ?1";
        counties.extend(select_counties(db, sql, fips.number())?);
    }
    counties.sort_unstable_by_key(|county| county.fips);
    counties.dedup_by_key(|county| county.fips);
    Ok(counties)
}

fn counties_of_state(db: &Connection, state: State) -> Result<Vec<County>> {
    let sql = "SELECT fips, name, lat_e5, lon_e5, radius_m FROM county \
               WHERE fips BETWEEN ?1 * 1000 AND ?1 * 1000 + 999 ORDER BY fips";
    state.fips().map_or_else(|| Ok(Vec::new()), |number| select_counties(db, sql, u32::from(number)))
}

fn county_of_today(db: &Connection, fips: CountyFips) -> Result<Option<County>> {
    let sql = "SELECT fips, name, lat_e5, lon_e5, radius_m FROM county WHERE fips = ?1";
    select_counties(db, sql, fips.number()).map(|mut counties| counties.pop())
}

fn select_counties(db: &Connection, sql: &str, argument: u32) -> Result<Vec<County>> {
    let mut select = db.prepare_cached(sql).map_err(|e| sqlite(&e))?;
    let rows = select.query_map([argument], county_at).map_err(|e| sqlite(&e))?;
    rows.collect::<rusqlite::Result<_>>().map_err(|e| sqlite(&e))
}

fn shares(db: &Connection, sql: &str, zip: Zip5) -> Result<Vec<(CountyFips, f64)>> {
    let mut select = db.prepare_cached(sql).map_err(|e| sqlite(&e))?;
    let rows = select
        .query_map([zip.number()], |row| {
            let share: u32 = row.get(1)?;
            Ok((fips_at(row, 0)?, f64::from(share) / f64::from(SHARE_UNIT)))
        })
        .map_err(|e| sqlite(&e))?;
    rows.collect::<rusqlite::Result<_>>().map_err(|e| sqlite(&e))
}

/// The error for a text that no county fits: names a few edits away or longer ones, in the state
/// that was named, else in all; if there are none, the same name in other states.
fn not_found(db: &Connection, text: &str) -> Result<Error> {
    if let Ok(fips) = text.parse::<CountyFips>() {
        return Ok(unknown_code(fips));
    }
    let error = Error::new(ErrorKind::NotFound, subject(text), "no county of this name");
    if let Some(state) = State::from_name(text) {
        return Ok(error.with_hint(format!("{} is a state: name one of its counties", state.name())));
    }
    let mut ways = names::name_and_state(text);
    if let Some((name, state)) = text.rsplit_once(',')
        && State::from_name(state).is_none()
    {
        ways.extend(State::spelled_nearly(state).map(|state| (name.trim(), Some(state))));
    }
    let meant: Vec<(String, Option<State>)> = ways
        .iter()
        .filter(|(_, state)| state.is_some() || ways.len() == 1)
        .flat_map(|(name, state)| names::likely_keys(name).into_iter().map(|key| (key, *state)))
        .collect();
    let mut select =
        db.prepare_cached("SELECT key, fips FROM county_name ORDER BY key, fips").map_err(|e| sqlite(&e))?;
    let mut rows = select.query([]).map_err(|e| sqlite(&e))?;
    let mut near: Vec<(bool, usize, CountyFips)> = Vec::new();
    while let Some(row) = rows.next().map_err(|e| sqlite(&e))? {
        let known: String = row.get(0).map_err(|e| sqlite(&e))?;
        let fips = fips_at(row, 1).map_err(|e| sqlite(&e))?;
        for (key, state) in &meant {
            let elsewhere = state.is_some() && fips.state() != *state;
            let length = key.chars().count();
            let edits = edits(key, &known, if elsewhere { 0 } else { (length / 3).min(2) });
            let begins = !elsewhere && length >= 4 && known.starts_with(key);
            near.extend(edits.or(begins.then_some(2)).map(|edits| (elsewhere, edits, fips)));
        }
    }
    near.sort_unstable();
    let in_state_only = near.first().is_some_and(|(elsewhere, ..)| !elsewhere);
    let mut candidates: Vec<String> = Vec::new();
    for (_, _, fips) in near.into_iter().filter(|(elsewhere, ..)| !(in_state_only && *elsewhere)) {
        for county in counties_of_today(db, &[fips])? {
            let candidate = candidate(&county);
            if !candidates.contains(&candidate) && candidates.len() < 8 {
                candidates.push(candidate);
            }
        }
    }
    let hint = "write name and state, such as Miami-Dade, FL, or a FIPS code, such as 12086";
    Ok(error.with_hint(hint).with_candidates(candidates))
}

fn unknown_code(fips: CountyFips) -> Error {
    Error::new(ErrorKind::NotFound, format!("county {fips}"), "no county has this FIPS code")
        .with_hint("write five digits, or name and state: Miami-Dade, FL")
}

fn county_at(row: &Row<'_>) -> rusqlite::Result<County> {
    let fips = fips_at(row, 0)?;
    let state = fips.state().ok_or(rusqlite::Error::IntegralValueOutOfRange(0, i64::from(fips.number())))?;
    Ok(County { fips, name: row.get(1)?, state, point: point_at(row, 2)?, radius_m: row.get(4)? })
}

fn fips_at(row: &Row<'_>, column: usize) -> rusqlite::Result<CountyFips> {
    let number: u32 = row.get(column)?;
    CountyFips::new(number).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, i64::from(number)))
}

fn point_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Point> {
    Ok(Point { lat_e5: row.get(column)?, lon_e5: row.get(column + 1)? })
}

fn damaged(what: &str) -> Error {
    Error::damaged("coverdex.sqlite", format!("geography: {what}"))
}

fn sqlite(error: &rusqlite::Error) -> Error {
    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted) {
        return Error::new(ErrorKind::Interrupted, "county", "the call was interrupted");
    }
    damaged(&error.to_string())
}

#[cfg(test)]
mod tests;
