//! Staging: what a payer answered, as it came, with the request that brought it.
//!
//! A folder of append-only segments (`pages-000001.seg`, …). Each page is one checked record,
//! compressed by itself, and carries what a sync needs to go on after it (its pass, number and next
//! link): a page's record is its checkpoint. Whoever is killed loses at most the page being written;
//! the next writer cuts a torn tail off and goes on. One writer at a time holds the folder; readers
//! need no lock. A segment is complete before the next one has its name, so that only the last can
//! have a torn tail. Beside each closed segment stands an index of its pages (`pages-000001.idx`),
//! which can be made anew: a question reads the pages of its type and pass alone.
//!
//! That a folder outlasts a killed process or a full disk is tested on Linux. Handles are opened as
//! Windows and macOS want them (flushing and cutting need write access, what is open is not renamed,
//! few files are open at a time): that compiles for Windows, but neither system was tried.
//!
//! Pages are read in *generations*: each reading of the payer is one, however often it is
//! interrupted. [`Staging::pages`] yields the pages that are the payer's word now:
//! - a complete pass over a query takes the place of all earlier passes over it, an incomplete one of
//!   none;
//! - a generation that saw everything takes the place of all earlier ones.
//!
//! No token, code, member id or name is ever in it: member resources are not staged.

mod disk;
mod files;
mod index;
mod load;
mod passes;
mod reader;
mod record;
mod segment;
mod writer;

#[cfg(test)]
mod tests;

use std::path::Path;

use coverdex_core::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

pub use files::segment_opens;
pub use index::{Group, Sums};
pub use passes::PassState;
pub(crate) use reader::HeadersOf;
pub use reader::{Live, LivePages, Page, Pages, Request, Staging};
pub use record::{Begin, Finish, Header, LONGEST_HEADER, PageHeader, Pass, PassEnd, Place, Purpose};
pub use writer::StagingWriter;

/// The file that marks a staging folder.
const MARKER: &str = "staging.json";
const FORMAT: &str = "coverdex-staging";
const VERSION: u32 = 1;

/// What the marker file says.
#[derive(Debug, Serialize, Deserialize)]
struct Marker {
    format: String,
    version: u32,
    /// The base address that the pages came from.
    source: String,
}

/// Whether a folder is a staging folder, of any version and also one that lacks its marker.
#[must_use]
pub fn is_staging(folder: &Path) -> bool {
    let is_marked = std::fs::read(folder.join(MARKER))
        .is_ok_and(|text| serde_json::from_slice::<Marker>(&text).is_ok_and(|m| m.format == FORMAT));
    is_marked || segment::list(folder).map_or_else(|_| folder.is_dir(), |segments| !segments.is_empty())
}

/// The marker of a folder, checked; `None` where there is none.
fn read_marker(folder: &Path) -> Result<Option<Marker>> {
    let path = folder.join(MARKER);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(path, &error)),
    };
    let marker: Marker = serde_json::from_slice(&text)
        .ok()
        .filter(|m: &Marker| m.format == FORMAT)
        .ok_or_else(|| segment::damaged(&path, "this does not say what a staging folder says"))?;
    if marker.version > VERSION {
        return Err(Error::new(
            ErrorKind::DatasetTooNew,
            folder.display().to_string(),
            format!("the staging folder was written by a newer Coverdex (format {})", marker.version),
        )
        .with_hint("use that version, or another staging folder"));
    }
    Ok(Some(marker))
}
