//! What was found in a folder.

use std::collections::BTreeMap;

use crate::model::{Content, DrugList, Fact, Received, ResourceKind};
use crate::source::fhir::{Note, Outcome};

/// How many bad lines are shown with their place.
const SHOWN: usize = 20;

/// A line, or a document's entry, that is no resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BadLine {
    /// The file, below the folder.
    pub file: String,
    /// Its line, from 1; of a document the line where it begins.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// What a folder held. Every line or entry of a resource file is in exactly one of `received`,
/// `member_data`, `unread`, `not_json` and `not_resources`; resources that stand inside another one are
/// in `received` as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderCounts {
    /// Resources of the types that are read, repeated and quarantined ones too.
    pub received: BTreeMap<ResourceKind, u64>,
    /// Members' own resources, by type: seen, and never read.
    pub member_data: BTreeMap<String, u64>,
    /// Resources of types that are not read, by type.
    pub unread: BTreeMap<String, u64>,
    /// Bundles whose entries were read.
    pub bundles: u64,
    /// Lines of resource files that are no JSON.
    pub not_json: u64,
    /// JSON in resource files that is no resource.
    pub not_resources: u64,
    /// The first lines of those two kinds, and of Lists that cannot be read.
    pub bad_lines: Vec<BadLine>,
    /// What was set aside inside resources that were read, how often.
    pub notes: BTreeMap<(ResourceKind, Note), u64>,
    /// Files that hold resources.
    pub resource_files: u64,
    /// Files that hold none, sorted.
    pub other_files: Vec<String>,
    /// Bytes of all files, as they lie on the disk.
    pub bytes: u64,
}

/// The same for one file, while it is read.
#[derive(Debug, Default)]
pub(super) struct Tally {
    received: BTreeMap<ResourceKind, u64>,
    member_data: BTreeMap<String, u64>,
    unread: BTreeMap<String, u64>,
    bundles: u64,
    not_json: u64,
    not_resources: u64,
    bad_lines: Vec<(u64, String)>,
    notes: BTreeMap<(ResourceKind, Note), u64>,
}

impl Tally {
    /// Counts one outcome and keeps what was received.
    pub(super) fn add(&mut self, line: u64, outcome: Outcome, received: &mut Vec<Received>) {
        match outcome {
            Outcome::Received(resource, notes) => {
                *self.received.entry(resource.kind).or_default() += 1;
                for note in notes.iter() {
                    *self.notes.entry((resource.kind, note)).or_default() += 1;
                }
                if let Content::Fact(Fact::DrugList(DrugList { lost: Some(reason), .. })) = &resource.content {
                    self.bad_lines.push((line, format!("a List that cannot be read: {reason}")));
                }
                received.push(resource);
            }
            Outcome::Within(resource) => {
                *self.received.entry(resource.kind).or_default() += 1;
                received.push(resource);
            }
            Outcome::Unread(kind) => *self.unread.entry(type_name(kind)).or_default() += 1,
            Outcome::MemberData(kind) => *self.member_data.entry(kind).or_default() += 1,
            Outcome::Bundle => self.bundles += 1,
            Outcome::NotAResource(reason) => {
                self.not_resources += 1;
                self.bad_lines.push((line, reason));
            }
            Outcome::NotJson(reason) => {
                self.not_json += 1;
                self.bad_lines.push((line, reason));
            }
        }
        self.trim();
    }

    fn trim(&mut self) {
        if self.bad_lines.len() > 4 * SHOWN {
            self.bad_lines.sort_unstable();
            self.bad_lines.truncate(SHOWN);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        add_all(&mut self.received, other.received);
        add_all(&mut self.member_data, other.member_data);
        add_all(&mut self.unread, other.unread);
        add_all(&mut self.notes, other.notes);
        self.bundles += other.bundles;
        self.not_json += other.not_json;
        self.not_resources += other.not_resources;
        self.bad_lines.extend(other.bad_lines);
        self.trim();
    }

    fn holds_resources(&self) -> bool {
        self.bundles > 0 || !(self.received.is_empty() && self.member_data.is_empty() && self.unread.is_empty())
    }
}

impl FolderCounts {
    /// Adds a file; one without a single resource is another file, and its lines count nowhere.
    pub(super) fn add_file(&mut self, name: &str, tally: Tally) {
        if !tally.holds_resources() {
            self.other_files.push(name.to_owned());
            return;
        }
        self.resource_files += 1;
        add_all(&mut self.received, tally.received);
        add_all(&mut self.member_data, tally.member_data);
        add_all(&mut self.unread, tally.unread);
        add_all(&mut self.notes, tally.notes);
        self.bundles += tally.bundles;
        self.not_json += tally.not_json;
        self.not_resources += tally.not_resources;
        let placed = tally.bad_lines.into_iter();
        self.bad_lines.extend(placed.map(|(line, reason)| BadLine { file: name.to_owned(), line, reason }));
    }

    pub(super) fn finish(&mut self) {
        self.other_files.sort_unstable();
        self.bad_lines.sort_unstable();
        self.bad_lines.truncate(SHOWN);
    }

    /// All resources received, of every type that is read.
    #[must_use]
    pub fn resources(&self) -> u64 {
        self.received.values().sum()
    }
}

fn add_all<K: Ord>(into: &mut BTreeMap<K, u64>, from: BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key).or_default() += count;
    }
}

/// A resource type's name for a report; what is none is not repeated there.
fn type_name(kind: String) -> String {
    let plausible = kind.len() <= 64 && kind.bytes().all(|b| b.is_ascii_alphanumeric());
    if plausible { kind } else { "(no type name)".to_owned() }
}
