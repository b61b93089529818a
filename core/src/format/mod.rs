//! The dataset's format: what its files are called, what they must hold, and how they are opened
//! for reading. `index-data/FORMAT.md` describes it for people; the builder uses the same
//! constants and schema, so there is one definition.

mod checked;
pub(crate) mod files;
mod home;
mod locate;
mod manifest;
mod mapped_database;
pub mod packed;
mod rows;
mod sqlite;
mod text_index;

#[cfg(feature = "build")]
pub use checked::{BlockChecksums, CHECKSUMS};
pub use checked::{CheckedFile, Checksums};
pub(crate) use checked::{DamagedIfNone, FilePart};
pub(crate) use files::{check_length, hash, hash_into};
pub(crate) use home::Home;
pub use locate::CURRENT;
#[cfg(feature = "build")]
pub use locate::{Located, locate};
pub(crate) use locate::{Names, is_dataset_name, read_located};
#[cfg(feature = "build")]
pub use manifest::dataset_id;
pub use manifest::{FileEntry, Manifest, Part, Source};
pub(crate) use manifest::{folder_name, hex};
pub(crate) use rows::number;
pub(crate) use sqlite::Connections;
pub(crate) use text_index::{Steps, TextIndex, damaged as damaged_index, open_text_index};

/// Version of the format that this library writes and the highest that it reads. 0 is free to
/// change from commit to commit.
pub const FORMAT_VERSION: u32 = 0;

/// `application_id` of the SQLite file: "CvDx".
pub const APPLICATION_ID: i32 = 0x4376_4478;

/// The manifest's file name.
pub const MANIFEST: &str = "manifest.json";

/// The SQLite file's name.
pub const DATABASE: &str = "coverdex.sqlite";

/// Part of a manifest: formularies and drugs.
pub const DRUGS_PART: &str = "drugs";

/// Part of a manifest: providers and places.
pub const DIRECTORY_PART: &str = "directory";

/// What happened on the way to the dataset; outside its id and its files.
pub const CRAWL: &str = "crawl.json";

/// Folder of the drug part's text index.
pub const DRUG_INDEX: &str = "drugs";

/// The id under which a text index knows its only segment: tantivy draws one at random, the
/// builder renames it, so that equal content has equal bytes.
#[cfg(feature = "build")]
pub const SEGMENT_ID: &str = "00000000000000000000000000000001";

/// Tables and views of the SQLite file.
#[cfg(feature = "build")]
pub const SCHEMA: &str = include_str!("schema.sql");
