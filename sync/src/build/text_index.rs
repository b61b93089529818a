//! Writing a text index: one segment, one thread, documents in their order, and the segment's
//! random name replaced, so that equal content has equal bytes.

use std::fs;
use std::path::Path;

use coverdex_core::build::format::SEGMENT_ID;
use coverdex_core::{Error, ErrorKind, Result};
use tantivy::directory::{Directory as _, MmapDirectory, RamDirectory};
use tantivy::schema::{Field, Schema};
use tantivy::{Index, SingleSegmentIndexWriter, TantivyDocument};

/// Memory for building, in bytes.
const BUDGET: usize = 96 << 20;
/// The least that tantivy takes.
const LEAST_BUDGET: usize = 15 << 20;

/// Writes the documents to a new folder; each is a set of (field number, untokenized term).
pub(crate) fn write_text_index(
    folder: &Path,
    schema: Schema,
    documents: impl Iterator<Item = Vec<(usize, String)>>,
) -> Result<()> {
    // What is written comes from the builder: what fails is the disk.
    let failed = |e: tantivy::TantivyError| {
        Error::new(ErrorKind::Io, folder.display().to_string(), format!("cannot be indexed: {e}"))
    };
    fs::create_dir_all(folder).map_err(|e| Error::io(folder, &e))?;
    let directory = MmapDirectory::open(folder).map_err(|e| failed(e.into()))?;
    let mut writer: SingleSegmentIndexWriter =
        Index::builder().schema(schema).single_segment_index_writer(directory, BUDGET).map_err(failed)?;
    for terms in documents {
        let mut document = TantivyDocument::default();
        for (field, term) in terms {
            document.add_text(Field::from_field_id(u32::try_from(field).unwrap_or(u32::MAX)), term);
        }
        writer.add_document(document).map_err(failed)?;
    }
    let index = writer.finalize().map_err(failed)?;
    let schema = index.schema();
    let ids = index.searchable_segment_ids().map_err(failed)?;
    drop(index);
    if let [id] = ids.as_slice() {
        rename_segment(folder, &id.uuid_string())?;
        let path = folder.join(format!("{SEGMENT_ID}.store"));
        fs::write(&path, empty_store(schema).map_err(failed)?).map_err(|e| Error::io(&path, &e))?;
    }
    Ok(())
}

/// The document store of an index of one document without stored fields. Five bytes a document stand in a store though
/// nothing is stored; no reader opens it.
fn empty_store(schema: Schema) -> tantivy::Result<Vec<u8>> {
    let directory = RamDirectory::create();
    let mut writer: SingleSegmentIndexWriter =
        Index::builder().schema(schema).single_segment_index_writer(directory.clone(), LEAST_BUDGET)?;
    writer.add_document(TantivyDocument::default())?;
    let segments = writer.finalize()?.searchable_segment_ids()?;
    let name = segments.first().map(|id| format!("{}.store", id.uuid_string())).unwrap_or_default();
    // Read as the bytes that they are, with what tantivy puts behind them.
    Ok(directory.open_read(Path::new(&name))?.read_bytes().map_err(tantivy::TantivyError::from)?.to_vec())
}

fn rename_segment(folder: &Path, random: &str) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|e| Error::io(folder, &e))?;
    for entry in entries {
        let path = entry.map_err(|e| Error::io(folder, &e))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        match name.strip_prefix(random) {
            Some(extension) => {
                let target = folder.join(format!("{SEGMENT_ID}{extension}"));
                fs::rename(&path, &target).map_err(|e| Error::io(&path, &e))?;
            }
            None if name == "meta.json" => {
                let meta = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
                let plain = |id: &str| id.replace('-', "");
                let dashed = |id: &str| {
                    let id = plain(id);
                    let part = |range: std::ops::Range<usize>| id.get(range).unwrap_or_default().to_owned();
                    [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)].join("-")
                };
                let meta = meta.replace(&dashed(random), &dashed(SEGMENT_ID)).replace(&plain(random), SEGMENT_ID);
                fs::write(&path, meta).map_err(|e| Error::io(&path, &e))?;
            }
            None => fs::remove_file(&path).map_err(|e| Error::io(&path, &e))?,
        }
    }
    Ok(())
}
