//! A table as a Parquet file: a group of rows for each batch.

use std::io::Write;
use std::sync::Arc;

use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;
use coverdex_core::{
    Batch, Column, ColumnKind, Error, ErrorKind, Manifest, PlainValues, Result, Table, TextValues, TextsValues, Values,
};

/// Rows of a group.
const ROWS_A_GROUP: usize = 1 << 16;

/// Writes a table to its end and tells how many rows it has.
pub(super) fn write(table: &mut Table, file: impl Write + Send, manifest: &Manifest) -> Result<u64> {
    let name = table.name();
    let failed = |error: ParquetError| Error::new(ErrorKind::Io, format!("table {name}"), error.to_string());
    let schema = Arc::new(parse_message_type(&schema(name, table.columns())).map_err(failed)?);
    let said = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("coverdex ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![
            said("coverdex.dataset", &manifest.dataset),
            said("coverdex.as_of", &manifest.as_of),
        ]))
        .build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(failed)?;
    let mut rows = 0;
    while let Some(batch) = table.next_batch(ROWS_A_GROUP)? {
        rows += batch.rows as u64;
        write_group(&mut writer, &batch).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(rows)
}

/// The columns as Parquet's schema language has them.
fn schema(name: &str, columns: &[Column]) -> String {
    let fields = columns.iter().map(|column| {
        let name = column.name;
        match column.kind {
            ColumnKind::Texts => format!(
                "required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }}"
            ),
            ColumnKind::Integer => format!("optional int64 {name};"),
            ColumnKind::Number => format!("optional double {name};"),
            ColumnKind::Flag => format!("optional boolean {name};"),
            _ => format!("optional binary {name} (STRING);"),
        }
    });
    format!("message {name} {{ {} }}", fields.collect::<Vec<_>>().join(" "))
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    batch: &Batch,
) -> std::result::Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for values in &batch.columns {
        let Some(mut column) = group.next_column()? else { break };
        write_column(&mut column, values)?;
        column.close()?;
    }
    group.close()?;
    Ok(())
}

fn write_column(column: &mut SerializedColumnWriter<'_>, values: &Values) -> std::result::Result<(), ParquetError> {
    match values {
        Values::Text(texts) => {
            let (stated, levels) = (stated_texts(texts), levels(&texts.stated));
            column.typed::<ByteArrayType>().write_batch(&stated, Some(&levels), None)?;
        }
        Values::Texts(lists) => {
            let (definitions, repetitions) = list_levels(lists);
            let items = stated_texts(&lists.items);
            column.typed::<ByteArrayType>().write_batch(&items, Some(&definitions), Some(&repetitions))?;
        }
        Values::Integer(plain) => {
            column.typed::<Int64Type>().write_batch(&stated(plain), Some(&levels(&plain.stated)), None)?;
        }
        Values::Number(plain) => {
            column.typed::<DoubleType>().write_batch(&stated(plain), Some(&levels(&plain.stated)), None)?;
        }
        Values::Flag(plain) => {
            column.typed::<BoolType>().write_batch(&stated(plain), Some(&levels(&plain.stated)), None)?;
        }
        _ => return Err(ParquetError::NYI("a kind of column".to_owned())),
    }
    Ok(())
}

fn levels(stated: &[bool]) -> Vec<i16> {
    stated.iter().map(|stated| i16::from(*stated)).collect()
}

fn stated<T: Copy>(plain: &PlainValues<T>) -> Vec<T> {
    plain.values.iter().zip(&plain.stated).filter(|(_, stated)| **stated).map(|(value, _)| *value).collect()
}

fn stated_texts(texts: &TextValues) -> Vec<ByteArray> {
    let ranges = texts.offsets.windows(2).zip(&texts.stated).filter(|(_, stated)| **stated);
    let text = |ends: &[i32]| {
        let [from, to] = ends else { return None };
        texts.bytes.get(usize::try_from(*from).ok()?..usize::try_from(*to).ok()?)
    };
    ranges.filter_map(|(ends, _)| text(ends)).map(ByteArray::from).collect()
}

/// Definition and repetition levels: an empty list is one level that defines nothing.
fn list_levels(lists: &TextsValues) -> (Vec<i16>, Vec<i16>) {
    let (mut definitions, mut repetitions) = (Vec::new(), Vec::new());
    for ends in lists.offsets.windows(2) {
        let count = match ends {
            [from, to] => to - from,
            _ => 0,
        };
        definitions.push(i16::from(count > 0));
        repetitions.push(0);
        for _ in 1..count {
            definitions.push(1);
            repetitions.push(1);
        }
    }
    (definitions, repetitions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_the_levels_of_the_format() {
        let mut lists = TextsValues::default();
        lists.offsets = vec![0, 2, 2, 3];
        assert_eq!(list_levels(&lists), (vec![1, 1, 0, 1], vec![0, 1, 0, 0]));
    }
}
