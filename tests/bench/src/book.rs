//! The same payer as a textbook lays it out: SQLite tables with indexes, FTS5 for names, an R-tree for places. It is
//! read, built and asked in the same run, so that a ratio says what the product's own layout is worth on any machine.
//!
//! It is no straw man: codes are integers, texts stand once, ids of the payer are left out, results of a name search
//! come in no order, and roles are read from their tags alone.

#![allow(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]

use std::collections::HashMap;
use std::path::Path;

use coverdex_core::{Error, ErrorKind, NetworkKey, Point, Result};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

const SCHEMA: &str = "
CREATE TABLE plan (id INTEGER PRIMARY KEY, plan TEXT NOT NULL UNIQUE, name TEXT);
CREATE TABLE plan_network (plan INTEGER NOT NULL, network INTEGER NOT NULL, PRIMARY KEY (plan, network)) WITHOUT ROWID;
CREATE TABLE drug (ndc INTEGER PRIMARY KEY, product TEXT, rxnorm INTEGER, name TEXT NOT NULL);
CREATE TABLE tier (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, display TEXT);
CREATE TABLE entry (plan INTEGER NOT NULL, ndc INTEGER NOT NULL, tier INTEGER, prior_authorization INTEGER,
    step_therapy INTEGER, quantity_limit INTEGER, PRIMARY KEY (plan, ndc)) WITHOUT ROWID;
CREATE TABLE network (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE specialty (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
CREATE TABLE provider (id INTEGER PRIMARY KEY, npi INTEGER, kind INTEGER NOT NULL, name TEXT, gender TEXT, phone TEXT);
CREATE TABLE location (id INTEGER PRIMARY KEY, name TEXT, line TEXT, city TEXT, state TEXT, zip INTEGER, phone TEXT,
    county INTEGER, lat REAL, lon REAL);
CREATE TABLE role (id INTEGER PRIMARY KEY, provider INTEGER NOT NULL, active INTEGER, phone TEXT);
CREATE TABLE role_location (role INTEGER NOT NULL, location INTEGER NOT NULL, PRIMARY KEY (role, location)) WITHOUT ROWID;
CREATE TABLE role_network (role INTEGER NOT NULL, network INTEGER NOT NULL, PRIMARY KEY (role, network)) WITHOUT ROWID;
CREATE TABLE role_specialty (role INTEGER NOT NULL, specialty INTEGER NOT NULL,
    PRIMARY KEY (role, specialty)) WITHOUT ROWID;
CREATE VIRTUAL TABLE drug_name USING fts5 (name, content = 'drug', content_rowid = 'ndc', prefix = '2 3 4');
CREATE VIRTUAL TABLE provider_name USING fts5 (name, content = 'provider', content_rowid = 'id', prefix = '2 3 4');
CREATE VIRTUAL TABLE location_point USING rtree (id, lat0, lat1, lon0, lon1);
";

/// After all rows are there. Places are where their ZIP is.
const FINISH: &str = "
UPDATE location SET county = z.county, lat = z.lat_e5 / 1e5, lon = z.lon_e5 / 1e5
    FROM geo.zip AS z WHERE z.zip = location.zip;
CREATE INDEX provider_npi ON provider (npi);
CREATE INDEX role_provider ON role (provider);
CREATE INDEX role_of_location ON role_location (location);
CREATE INDEX location_county ON location (county);
INSERT INTO location_point SELECT id, lat, lat, lon, lon FROM location WHERE lat IS NOT NULL;
INSERT INTO drug_name (drug_name) VALUES ('rebuild');
INSERT INTO provider_name (provider_name) VALUES ('rebuild');
INSERT INTO drug_name (drug_name) VALUES ('optimize');
INSERT INTO provider_name (provider_name) VALUES ('optimize');
";

/// A book that is written.
pub(crate) struct Writer {
    db: Connection,
    ids: HashMap<(u8, String), i64>,
    roles: i64,
}

/// A book that is asked.
pub(crate) struct Book {
    db: Connection,
}

/// What an id is of.
const PROVIDER: u8 = 0;
const LOCATION: u8 = 1;
const NETWORK: u8 = 2;
const SPECIALTY: u8 = 3;
const PLAN: u8 = 4;
const TIER: u8 = 5;

fn failed(error: &rusqlite::Error) -> Error {
    Error::new(ErrorKind::Io, "the textbook's database", error.to_string())
}

/// `Result` of SQLite as one of this program.
trait Told<T> {
    fn told(self) -> Result<T>;
}

impl<T> Told<T> for rusqlite::Result<T> {
    fn told(self) -> Result<T> {
        self.map_err(|error| failed(&error))
    }
}

impl Writer {
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let db = Connection::open(path).told()?;
        // As fast as a build may be: it is made anew where the machine fails.
        db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;").told()?;
        db.execute_batch(SCHEMA).told()?;
        db.execute_batch("BEGIN").told()?;
        Ok(Self { db, ids: HashMap::new(), roles: 0 })
    }

    /// Takes in a resource.
    pub(crate) fn take(&mut self, json: &str) -> Result<()> {
        let Ok(resource) = serde_json::from_str::<Value>(json) else { return Ok(()) };
        match resource["resourceType"].as_str().unwrap_or_default() {
            "InsurancePlan" => self.plan(&resource),
            "MedicationKnowledge" => self.entry(&resource),
            "Medication" => self.drug(&resource).map(drop),
            "Practitioner" => self.provider(&resource, "Practitioner", 0),
            "Organization" => self.provider(&resource, "Organization", 1),
            "Location" => self.location(&resource),
            "PractitionerRole" => self.role(&resource),
            _ => Ok(()),
        }
    }

    /// The number of something that has one, or gets it.
    fn id(&mut self, of: u8, name: &str) -> i64 {
        let next = i64::try_from(self.ids.len()).unwrap_or(i64::MAX) + 1;
        *self.ids.entry((of, name.to_owned())).or_insert(next)
    }

    /// The number of something that is referred to.
    fn referred(&mut self, of: u8, reference: &Value) -> Option<i64> {
        Some(self.id(of, reference["reference"].as_str()?))
    }

    fn put(&self, sql: &str, values: impl rusqlite::Params) -> Result<()> {
        self.db.prepare_cached(sql).told()?.execute(values).told().map(drop)
    }

    fn plan(&mut self, resource: &Value) -> Result<()> {
        let networks: Vec<i64> = each(&resource["network"])
            .filter_map(|network| self.network(&network["identifier"]["system"], &network["identifier"]["value"]))
            .collect::<Result<_>>()?;
        for plan in each(&resource["plan"]) {
            for identifier in each(&plan["identifier"]) {
                let Some(name) = identifier["value"].as_str() else { continue };
                let id = self.id(PLAN, name);
                self.put("INSERT OR REPLACE INTO plan VALUES (?, ?, ?)", params![id, name, resource["name"].as_str()])?;
                for network in &networks {
                    self.put("INSERT OR IGNORE INTO plan_network VALUES (?, ?)", [id, *network])?;
                }
            }
        }
        Ok(())
    }

    fn network(&mut self, system: &Value, code: &Value) -> Option<Result<i64>> {
        let key = NetworkKey::new(system.as_str()?, code.as_str()?).ok()?.to_string();
        let id = self.id(NETWORK, &key);
        Some(self.put("INSERT OR IGNORE INTO network VALUES (?, ?)", params![id, key]).map(|()| id))
    }

    fn drug(&mut self, resource: &Value) -> Result<Option<i64>> {
        let coding = |system: &str| {
            each(&resource["code"]["coding"])
                .find(|coding| coding["system"].as_str().is_some_and(|own| own.ends_with(system)))
        };
        let ndc = coding("/ndc11").or_else(|| coding("sid/ndc")).and_then(|coding| coding["code"].as_str());
        let Some(ndc) = ndc.and_then(|ndc| ndc.replace('-', "").parse::<i64>().ok()) else { return Ok(None) };
        let product = coding("/product_ndc");
        let name = product.and_then(|coding| coding["display"].as_str()).or(resource["code"]["text"].as_str());
        let rxnorm = coding("umls/rxnorm").and_then(|coding| coding["code"].as_str()?.parse::<i64>().ok());
        let product = product.and_then(|coding| coding["code"].as_str());
        self.put("INSERT OR IGNORE INTO drug VALUES (?, ?, ?, ?)", params![ndc, product, rxnorm, name.unwrap_or("")])?;
        Ok(Some(ndc))
    }

    fn entry(&mut self, resource: &Value) -> Result<()> {
        let Some(ndc) = self.drug(resource)? else { return Ok(()) };
        let said = |name: &str| {
            each(&resource["extension"])
                .find(|extension| extension["url"].as_str().is_some_and(|url| url.ends_with(name)))
        };
        let flag = |name: &str| {
            said(name)
                .map(|extension| extension["valueBoolean"] == Value::Bool(true) || extension["valueBoolean"] == "true")
        };
        let Some(plan) = said("usdf-PlanID-extension").and_then(|extension| extension["valueString"].as_str()) else {
            return Ok(());
        };
        let tier = said("usdf-DrugTierID-extension").map(|extension| &extension["valueCodeableConcept"]["coding"][0]);
        let tier = match tier.and_then(|tier| Some((tier["code"].as_str()?, tier["display"].as_str()))) {
            Some((code, display)) => {
                let id = self.id(TIER, code);
                self.put("INSERT OR IGNORE INTO tier VALUES (?, ?, ?)", params![id, code, display])?;
                Some(id)
            }
            None => None,
        };
        let plan = self.id(PLAN, plan);
        self.put(
            "INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?)",
            params![
                plan,
                ndc,
                tier,
                flag("usdf-PriorAuthorization-extension"),
                flag("usdf-StepTherapyLimit-extension"),
                flag("usdf-QuantityLimit-extension")
            ],
        )
    }

    fn provider(&mut self, resource: &Value, kind: &str, number: i64) -> Result<()> {
        let Some(id) = resource["id"].as_str() else { return Ok(()) };
        let id = self.id(PROVIDER, &format!("{kind}/{id}"));
        let npi =
            each(&resource["identifier"]).find(|identifier| identifier["system"] == "http://hl7.org/fhir/sid/us-npi");
        let npi = npi.and_then(|npi| npi["value"].as_str()?.parse::<i64>().ok());
        let name = resource["name"].as_str().or_else(|| resource["name"][0]["text"].as_str());
        let gender = resource["gender"].as_str();
        self.put(
            "INSERT OR REPLACE INTO provider VALUES (?, ?, ?, ?, ?, ?)",
            params![id, npi, number, name, gender, phone(resource)],
        )
    }

    fn location(&mut self, resource: &Value) -> Result<()> {
        let Some(id) = resource["id"].as_str() else { return Ok(()) };
        let id = self.id(LOCATION, &format!("Location/{id}"));
        let address = &resource["address"];
        let zip = address["postalCode"].as_str().and_then(|zip| zip.get(..5)?.parse::<i64>().ok());
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.put(
            "INSERT OR REPLACE INTO location (id, name, line, city, state, zip, phone) VALUES (?, ?, ?, ?, ?, ?, ?)",
            params![
                id,
                text(&resource["name"]),
                text(&address["line"][0]),
                text(&address["city"]),
                text(&address["state"]),
                zip,
                phone(resource)
            ],
        )
    }

    fn role(&mut self, resource: &Value) -> Result<()> {
        let provider = self.referred(PROVIDER, &resource["practitioner"]);
        let Some(provider) = provider.or_else(|| self.referred(PROVIDER, &resource["organization"])) else {
            return Ok(());
        };
        self.roles += 1;
        let role = self.roles;
        let active = resource["active"] != Value::Bool(false);
        self.put("INSERT INTO role VALUES (?, ?, ?, ?)", params![role, provider, active, phone(resource)])?;
        for location in each(&resource["location"]) {
            if let Some(location) = self.referred(LOCATION, location) {
                self.put("INSERT OR IGNORE INTO role_location VALUES (?, ?)", [role, location])?;
            }
        }
        for tag in each(&resource["meta"]["tag"]) {
            if let Some(network) = self.network(&tag["system"], &tag["code"]) {
                self.put("INSERT OR IGNORE INTO role_network VALUES (?, ?)", [role, network?])?;
            }
        }
        for specialty in each(&resource["specialty"]) {
            let Some(name) = specialty["text"].as_str().or_else(|| specialty["coding"][0]["display"].as_str()) else {
                continue;
            };
            let id = self.id(SPECIALTY, &name.to_ascii_lowercase());
            self.put("INSERT OR IGNORE INTO specialty VALUES (?, ?)", params![id, name])?;
            self.put("INSERT OR IGNORE INTO role_specialty VALUES (?, ?)", [role, id])?;
        }
        Ok(())
    }

    /// Ends it. `geography` is a database with the points of ZIPs.
    pub(crate) fn finish(self, geography: &Path) -> Result<()> {
        self.db.execute_batch("COMMIT").told()?;
        self.db.execute("ATTACH ? AS geo", [geography.to_string_lossy()]).told()?;
        self.db.execute_batch("BEGIN").told()?;
        self.db.execute_batch(FINISH).told()?;
        self.db.execute_batch("COMMIT; DETACH geo; ANALYZE; VACUUM").told()
    }
}

/// What a list's members are; none of anything else.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn phone(resource: &Value) -> Option<String> {
    each(&resource["telecom"]).find_map(|telecom| Some(telecom["value"].as_str()?.to_owned()))
}

/// Providers near a point, in one network and of one specialty.
pub(crate) struct Near<'a> {
    pub(crate) center: Point,
    pub(crate) radius_km: f64,
    pub(crate) network: &'a str,
    pub(crate) specialty: &'a str,
}

impl Book {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags).told()?;
        db.execute_batch("PRAGMA mmap_size = 4294967296; PRAGMA cache_size = -20000;").told()?;
        Ok(Self { db })
    }

    /// Tier, restrictions and name of a package in a plan: how many rows.
    pub(crate) fn coverage(&self, plan: &str, ndc: i64) -> Result<usize> {
        let mut asked = self
            .db
            .prepare_cached(
                "SELECT d.name, d.product, d.rxnorm, t.code, t.display, e.prior_authorization, e.step_therapy, e.quantity_limit
                 FROM plan p JOIN entry e ON e.plan = p.id JOIN drug d ON d.ndc = e.ndc LEFT JOIN tier t ON t.id = e.tier
                 WHERE p.plan = ? AND e.ndc = ?",
            )
            .told()?;
        let row = asked
            .query_row(params![plan, ndc], |row| {
                let texts: [Option<String>; 4] = [row.get(0)?, row.get(1)?, row.get(3)?, row.get(4)?];
                let flags: [Option<bool>; 3] = [row.get(5)?, row.get(6)?, row.get(7)?];
                Ok((texts, flags))
            })
            .optional()
            .told()?;
        Ok(usize::from(row.is_some()))
    }

    /// Drugs whose names have a word that begins so, ten of them.
    pub(crate) fn drugs(&self, typed: &str) -> Result<usize> {
        let mut asked = self
            .db
            .prepare_cached(
                "SELECT d.ndc, d.name, d.rxnorm FROM drug_name JOIN drug d ON d.ndc = drug_name.rowid
                 WHERE drug_name MATCH ? ORDER BY rank LIMIT 10",
            )
            .told()?;
        let rows =
            asked.query_map([beginning(typed)], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))).told()?;
        Ok(rows.filter_map(rusqlite::Result::ok).count())
    }

    /// The first twenty by distance, with their addresses; how many there are in all.
    pub(crate) fn near(&self, near: &Near<'_>) -> Result<usize> {
        let (lat, lon) = (near.center.lat(), near.center.lon());
        let north = near.radius_km / 111.0;
        let east = north / lat.to_radians().cos().max(0.01);
        let mut asked = self
            .db
            .prepare_cached(
                "SELECT l.id, l.lat, l.lon, p.id, p.name
                 FROM location_point t JOIN location l ON l.id = t.id JOIN role_location rl ON rl.location = l.id
                 JOIN role r ON r.id = rl.role AND r.active
                 JOIN role_network rn ON rn.role = r.id JOIN network n ON n.id = rn.network AND n.key = ?
                 JOIN role_specialty rs ON rs.role = r.id JOIN specialty s ON s.id = rs.specialty AND s.name = ?
                 JOIN provider p ON p.id = r.provider
                 WHERE t.lat0 >= ? AND t.lat1 <= ? AND t.lon0 >= ? AND t.lon1 <= ?",
            )
            .told()?;
        let mut rows = asked
            .query(params![near.network, near.specialty, lat - north, lat + north, lon - east, lon + east])
            .told()?;
        let mut found: Vec<(f64, Option<String>, i64, i64)> = Vec::new();
        while let Some(row) = rows.next().told()? {
            let point = Point::from_degrees(row.get(1).told()?, row.get(2).told()?);
            let Some(distance) = point.map(|point| near.center.distance_km(point)) else { continue };
            if distance <= near.radius_km {
                found.push((distance, row.get(4).told()?, row.get(3).told()?, row.get(0).told()?));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let mut details =
            self.db.prepare_cached("SELECT name, line, city, state, zip, phone FROM location WHERE id = ?").told()?;
        for (.., location) in found.iter().take(20) {
            let text: Option<String> = details.query_row([location], |row| row.get(1)).told()?;
            std::hint::black_box(text);
        }
        Ok(found.len())
    }

    /// Providers whose names begin so, in a network and a county: ten of them, in no order.
    pub(crate) fn names(&self, typed: &str, network: &str, county: i64) -> Result<usize> {
        let mut asked = self
            .db
            .prepare_cached(
                "SELECT p.id, p.name, l.line, l.city
                 FROM provider_name f JOIN provider p ON p.id = f.rowid JOIN role r ON r.provider = p.id AND r.active
                 JOIN role_network rn ON rn.role = r.id JOIN network n ON n.id = rn.network AND n.key = ?
                 JOIN role_location rl ON rl.role = r.id JOIN location l ON l.id = rl.location AND l.county = ?
                 WHERE provider_name MATCH ? LIMIT 10",
            )
            .told()?;
        let rows = asked
            .query_map(params![network, county, beginning(typed)], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?))
            })
            .told()?;
        Ok(rows.filter_map(rusqlite::Result::ok).count())
    }
}

/// The words of a text, the last one as a beginning, in FTS5's words.
fn beginning(typed: &str) -> String {
    let words: Vec<String> = typed.split_whitespace().map(|word| format!("\"{}\"", word.replace('"', ""))).collect();
    words.join(" ") + "*"
}
