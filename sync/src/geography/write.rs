//! Writing the tables that a reader needs into a dataset.

use coverdex_core::State;
use coverdex_core::build::geo::SCHEMA;
use rusqlite::{Connection, Result};

use super::{Gazetteer, ZipArea};

impl Gazetteer {
    /// Creates and fills the geography tables of a dataset. The caller holds the transaction; rows
    /// go in by primary key, so that the bytes depend on nothing else.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn write_tables(&self, db: &Connection) -> Result<()> {
        db.execute_batch(SCHEMA)?;
        self.write_states(db)?;
        self.write_counties(db)?;
        self.write_names(db)?;
        self.write_zips(db)
    }

    fn write_states(&self, db: &Connection) -> Result<()> {
        let mut states: Vec<(u8, State)> = State::all().filter_map(|state| Some((state.fips()?, state))).collect();
        states.sort_unstable();
        let mut insert = db.prepare("INSERT INTO state (fips, usps, name) VALUES (?1, ?2, ?3)")?;
        for (fips, state) in states {
            if self.counties_of(state).next().is_some() {
                insert.execute((fips, state.usps(), state.name()))?;
            }
        }
        Ok(())
    }

    fn write_counties(&self, db: &Connection) -> Result<()> {
        let mut insert =
            db.prepare("INSERT INTO county (fips, name, lat_e5, lon_e5, radius_m) VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for county in &self.counties {
            let point = county.point;
            insert.execute((county.fips.number(), &county.name, point.lat_e5, point.lon_e5, county.radius_m))?;
        }
        let mut insert =
            db.prepare("INSERT INTO county_former (fips, successor, name, since) VALUES (?1, ?2, ?3, ?4)")?;
        for county in &self.former {
            let mut successors = county.successors.clone();
            successors.sort_unstable();
            for successor in successors {
                insert.execute((county.fips.number(), successor.number(), &county.name, county.since))?;
            }
        }
        let mut insert = db.prepare("INSERT INTO county_neighbor (fips, neighbor) VALUES (?1, ?2)")?;
        for (fips, neighbor) in &self.neighbors {
            insert.execute((fips.number(), neighbor.number()))?;
        }
        Ok(())
    }

    fn write_names(&self, db: &Connection) -> Result<()> {
        let mut names: Vec<(&str, u32)> = self
            .by_name
            .iter()
            .flat_map(|(key, counties)| counties.iter().map(|county| (key.as_str(), county.fips.number())))
            .collect();
        names.sort_unstable();
        let mut insert = db.prepare("INSERT INTO county_name (key, fips) VALUES (?1, ?2)")?;
        for name in names {
            insert.execute(name)?;
        }
        Ok(())
    }

    fn write_zips(&self, db: &Connection) -> Result<()> {
        let mut area = db.prepare("INSERT INTO zip (zip, county, lat_e5, lon_e5) VALUES (?1, ?2, ?3, ?4)")?;
        let mut part = db.prepare("INSERT INTO zip_county (zip, place, county, share) VALUES (?1, ?2, ?3, ?4)")?;
        let mut former =
            db.prepare("INSERT INTO zip_county_former (zip, place, county, share) VALUES (?1, ?2, ?3, ?4)")?;
        for ZipArea { zip, point, counties, former: old } in &self.zips {
            let largest = counties.first().map(|(fips, _)| fips.number());
            area.execute((zip.number(), largest, point.map(|p| p.lat_e5), point.map(|p| p.lon_e5)))?;
            let parts = if counties.len() > 1 { counties.as_slice() } else { &[] };
            for (insert, shares) in [(&mut part, parts), (&mut former, old.as_slice())] {
                for (place, (fips, share)) in (0_u32..).zip(shares) {
                    insert.execute((zip.number(), place, fips.number(), share))?;
                }
            }
        }
        Ok(())
    }
}
