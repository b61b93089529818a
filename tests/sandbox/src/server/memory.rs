//! A payer held in memory: from texts, or from a folder of NDJSON.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use coverdex_core::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

use super::codec::{elements, tolerant};
use super::payer::place;
use super::payer::{Member, Payer};
use crate::ResourceType;

/// A payer whose resources lie in memory as they came, byte for byte.
#[derive(Clone, Debug, Default)]
pub struct MemoryPayer {
    kinds: [Kind; ResourceType::ALL.len()],
    lists: HashMap<String, Vec<u64>>,
    members: Vec<Member>,
    coverages: HashMap<String, Vec<String>>,
}

#[derive(Clone, Debug, Default)]
struct Kind {
    text: String,
    ends: Vec<usize>,
    numbers: HashMap<String, u64>,
    hidden: Vec<bool>,
}

impl Kind {
    fn get(&self, index: u64) -> &str {
        let Ok(index) = usize::try_from(index) else { return "" };
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(index).and_then(|end| self.text.get(start..*end)).unwrap_or("")
    }

    fn hide(&mut self, index: u64) {
        if let Ok(index) = usize::try_from(index) {
            if self.hidden.len() <= index {
                self.hidden.resize(index + 1, false);
            }
            if let Some(hidden) = self.hidden.get_mut(index) {
                *hidden = true;
            }
        }
    }
}

/// What the payer must know of a resource to find it.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "resourceType", borrow)]
    resource_type: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

/// `server.json` beside the resources: who can log in, and which ids no search shows.
#[derive(Default, Deserialize)]
struct ServerFile {
    #[serde(default)]
    members: Vec<MemberEntry>,
    #[serde(default)]
    read_by_id_only: HashMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct MemberEntry {
    member: String,
    patient: String,
}

impl MemoryPayer {
    /// A payer without anything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads every `*.ndjson`, `*.ndjson.gz` and `*.ndjson.zst` of a folder, in the order of their
    /// names, by each line's `resourceType`, and `server.json` if it is there. Resource types that
    /// the API does not serve are passed over.
    ///
    /// # Errors
    /// A file that cannot be read; a line that is no JSON object with a `resourceType`.
    pub fn from_folder(folder: &Path) -> Result<Self> {
        let mut payer = Self::new();
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(|error| Error::io(folder, &error))? {
            files.push(entry.map_err(|error| Error::io(folder, &error))?.path());
        }
        files.sort();
        for path in &files {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            if [".ndjson", ".ndjson.gz", ".ndjson.zst"].iter().any(|end| name.ends_with(end)) {
                payer.read_lines(path)?;
            }
        }
        let path = folder.join("server.json");
        if path.exists() {
            let bytes = fs::read(&path).map_err(|error| Error::io(&path, &error))?;
            let file: ServerFile = serde_json::from_slice(&bytes)
                .map_err(|error| Error::invalid(path.display().to_string(), error.to_string()))?;
            for entry in file.members {
                payer.add_member(&entry.member, &entry.patient);
            }
            for (kind, ids) in &file.read_by_id_only {
                let kind: ResourceType = kind.parse()?;
                for id in ids {
                    payer.hide_from_searches(kind, id);
                }
            }
        }
        Ok(payer)
    }

    fn read_lines(&mut self, path: &Path) -> Result<()> {
        let file = fs::File::open(path).map_err(|error| Error::io(path, &error))?;
        let reader: Box<dyn Read> = match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Box::new(flate2::read::MultiGzDecoder::new(file)),
            Some("zst") => Box::new(zstd::Decoder::new(file).map_err(|error| Error::io(path, &error))?),
            _ => Box::new(file),
        };
        for (number, line) in BufReader::with_capacity(1 << 16, reader).lines().enumerate() {
            let line = line.map_err(|error| Error::io(path, &error))?;
            if !line.trim().is_empty() {
                self.add(line.trim()).map_err(|error| {
                    Error::invalid(format!("{}, line {}", path.display(), number + 1), error.message())
                })?;
            }
        }
        Ok(())
    }

    /// Adds a resource at the end of its type. One with an id that was there before takes its
    /// number over for reading by id; searches show both.
    ///
    /// # Errors
    /// No JSON object with a `resourceType`.
    pub fn add(&mut self, json: &str) -> Result<()> {
        let read = |json: &str| {
            let head: Head<'_> = serde_json::from_str(json).ok()?;
            Some((head.resource_type.into_owned(), head.id.map(Cow::into_owned)))
        };
        let Some((resource_type, id)) = tolerant(json, read) else {
            return Err(Error::invalid("resource", "no JSON object with a `resourceType`"));
        };
        if resource_type == "Coverage" {
            let coverage: Value = serde_json::from_str(json).unwrap_or_default();
            let reference = coverage.pointer("/beneficiary/reference").and_then(Value::as_str).unwrap_or("");
            let patient = reference.rsplit('/').next().unwrap_or("").to_owned();
            self.coverages.entry(patient).or_default().push(json.to_owned());
            return Ok(());
        }
        let Ok(kind) = resource_type.parse::<ResourceType>() else { return Ok(()) };
        let Some(place) = self.kinds.get_mut(place(kind)) else { return Ok(()) };
        let index = place.ends.len() as u64;
        place.text.push_str(json);
        place.ends.push(place.text.len());
        if let Some(id) = id {
            place.numbers.insert(id, index);
        }
        if kind == ResourceType::List {
            let list: Value = serde_json::from_str(json).unwrap_or_default();
            let identifiers = list.get("identifier").map(elements).unwrap_or_default();
            let plans: BTreeSet<_> = identifiers.iter().filter_map(|one| one.get("value")?.as_str()).collect();
            for plan in plans {
                self.lists.entry(plan.to_owned()).or_default().push(index);
            }
        }
        Ok(())
    }

    /// Lets a member log in.
    pub fn add_member(&mut self, login: &str, patient: &str) {
        self.members.push(Member { login: login.to_owned(), patient: patient.to_owned() });
    }

    /// Makes a resource readable by its id only. An id that is not there changes nothing.
    pub fn hide_from_searches(&mut self, kind: ResourceType, id: &str) {
        if let Some(index) = self.index_of(kind, id)
            && let Some(place) = self.kinds.get_mut(place(kind))
        {
            place.hide(index);
        }
    }
}

impl Payer for MemoryPayer {
    fn count(&self, kind: ResourceType) -> u64 {
        self.kinds.get(place(kind)).map_or(0, |place| place.ends.len() as u64)
    }

    fn resource(&self, kind: ResourceType, index: u64) -> String {
        self.kinds.get(place(kind)).map_or_else(String::new, |place| place.get(index).to_owned())
    }

    fn index_of(&self, kind: ResourceType, id: &str) -> Option<u64> {
        self.kinds.get(place(kind))?.numbers.get(id).copied()
    }

    fn lists_of(&self, plan: &str) -> Vec<u64> {
        self.lists.get(plan).cloned().unwrap_or_default()
    }

    fn read_by_id_only(&self, kind: ResourceType, index: u64) -> bool {
        let Ok(index) = usize::try_from(index) else { return false };
        self.kinds.get(place(kind)).is_some_and(|place| place.hidden.get(index).copied().unwrap_or(false))
    }

    fn members(&self) -> Vec<Member> {
        self.members.clone()
    }

    fn coverages(&self, patient: &str) -> Vec<String> {
        self.coverages.get(patient).cloned().unwrap_or_default()
    }
}
