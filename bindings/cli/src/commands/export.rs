//! `coverdex export`.

mod parquet;

use std::path::{Path, PathBuf};

use coverdex_core::{Column, Error, ErrorKind, Result};
use serde::Serialize;

use crate::args::ExportArgs;
use crate::data::Datasets;
use crate::failure::Exit;
use crate::json::Document;
use crate::output::Output;
use crate::words;

/// What was written.
#[derive(Debug, Serialize)]
struct Exported {
    table: &'static str,
    file: String,
    rows: u64,
    bytes: u64,
    columns: Vec<ColumnFields>,
    as_of: String,
    source: String,
    dataset: String,
}

#[derive(Debug, Serialize)]
struct ColumnFields {
    name: &'static str,
    about: &'static str,
}

impl From<&Column> for ColumnFields {
    fn from(column: &Column) -> Self {
        Self { name: column.name, about: column.about }
    }
}

pub(super) fn run(args: &ExportArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let [opened] = datasets.all() else {
        return Err(Error::invalid("data", "a table is of one dataset, and several were named")
            .with_hint("name one with --data"));
    };
    let mut table = opened.dataset.table(args.query())?;
    let rows = written(&args.parquet, |file| parquet::write(&mut table, file, opened.dataset.manifest()))?;
    let bytes = std::fs::metadata(&args.parquet).map_err(|error| Error::io(&args.parquet, &error))?.len();
    let origin = opened.dataset.origin();
    let exported = Exported {
        table: table.name(),
        file: args.parquet.display().to_string(),
        rows,
        bytes,
        columns: table.columns().iter().map(ColumnFields::from).collect(),
        as_of: origin.as_of().to_owned(),
        source: origin.source().to_owned(),
        dataset: origin.dataset().to_owned(),
    };
    output.answer(
        || Document::of(&exported),
        |_| {
            let (rows, bytes) = (words::count(exported.rows, "row", "rows"), words::bytes(exported.bytes));
            format!("{}: {rows}, {bytes}, in {}\n", exported.table, words::shown(&exported.file))
        },
    )?;
    Ok(Exit::Answered)
}

/// Writes a file beside its place and puts it there once it is whole.
fn written<T>(path: &Path, write: impl FnOnce(&mut std::fs::File) -> Result<T>) -> Result<T> {
    let failed = |error: std::io::Error| Error::new(ErrorKind::Io, path.display().to_string(), error.to_string());
    // What is renamed to a device's or a pipe's name takes its place.
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(Error::invalid(format!("--parquet {}", path.display()), "it is there, and no file")
            .with_hint("name a new file, or one to replace"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut beside = tempfile::Builder::new();
    // As other files are: who may read it is the umask's choice.
    #[cfg(unix)]
    beside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = beside.tempfile_in(folder).map_err(failed)?;
    let result = write(file.as_file_mut())?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        let say = |text: &'static str| {
            move |file: &mut std::fs::File| {
                file.write_all(text.as_bytes()).unwrap();
                Ok(())
            }
        };
        written(&path, say("first")).unwrap();
        written(&path, say("second")).unwrap();
        let failed = written(&path, |file| {
            say("third")(file)?;
            Err::<(), _>(Error::new(ErrorKind::Interrupted, "call", "cancelled"))
        });
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Interrupted);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let refused = written(folder.path(), |_| Ok(())).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput);
        assert!(folder.path().is_dir());
    }
}
