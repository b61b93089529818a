//! Whole tables, given out through the Arrow PyCapsule interface.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use coverdex_core as core;
use coverdex_core::{Batch, Column, ColumnKind, Error, ErrorKind, PlainValues, Result, TextValues, Values};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple};

use crate::package;

/// Rows of a batch.
const ROWS_A_BATCH: usize = 1 << 16;

/// Threads that read a table, at most.
const MOST_THREADS: usize = 8;

/// A table: read whole, held as Arrow, and given to whoever takes Arrow.
#[pyclass(frozen, module = "coverdex")]
#[derive(Debug)]
pub(crate) struct Table {
    name: &'static str,
    /// Names of the columns, and what they say.
    columns: Vec<(&'static str, &'static str)>,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// Reads a table of core to its end.
    pub(crate) fn read(table: core::Table) -> Result<Self> {
        let (name, columns) = (table.name(), table.columns());
        let fields: Vec<Field> = columns.iter().map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get().min(MOST_THREADS));
        let parts: Vec<Mutex<Option<core::Table>>> =
            table.split(threads).into_iter().map(Some).map(Mutex::new).collect();
        let read_part = |part: &Mutex<Option<core::Table>>| {
            let part = part.lock().unwrap_or_else(PoisonError::into_inner).take();
            part.map_or_else(|| Ok(Vec::new()), |part| read_batches(part, &schema))
        };
        let read_part = &read_part;
        let batches = std::thread::scope(|scope| {
            // The caller's thread reads too: signals are seen there alone. It reads the first part, and each for
            // which the system starts no thread.
            let start = |part| std::thread::Builder::new().spawn_scoped(scope, move || read_part(part)).ok();
            let reading: Vec<_> =
                parts.iter().enumerate().map(|(at, part)| (part, (at > 0).then(|| start(part)))).collect();
            let mut batches = Vec::new();
            for (part, thread) in reading {
                batches.extend(match thread.flatten() {
                    Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                    None => read_part(part)?,
                });
            }
            Ok::<_, Error>(batches)
        })?;
        let columns = columns.iter().map(|column| (column.name, column.about)).collect();
        Ok(Self { name, columns, schema, batches })
    }

    /// A table of columns, each with its name, what it says, its type and its values.
    pub(crate) fn made(
        name: &'static str,
        made: Vec<((&'static str, &'static str), DataType, ArrayRef)>,
    ) -> Result<Self> {
        let (mut columns, mut fields, mut arrays) = (Vec::new(), Vec::new(), Vec::new());
        for ((column, about), kind, values) in made {
            columns.push((column, about));
            fields.push(Field::new(column, kind, true));
            arrays.push(values);
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|error| unfit(name, &error))?;
        Ok(Self { name, columns, schema, batches: vec![batch] })
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

#[pymethods]
impl Table {
    /// Name of the table.
    #[getter]
    fn name(&self) -> &'static str {
        self.name
    }

    /// Names of the columns, each with what it says.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (name, about) in &self.columns {
            columns.set_item(name, about)?;
        }
        Ok(columns)
    }

    /// Names of the columns.
    #[getter]
    fn column_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.columns.iter().map(|(name, _)| *name))
    }

    /// How many rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    fn __bool__(&self) -> bool {
        self.rows() > 0
    }

    /// The table as an Arrow stream: what pandas, polars, pyarrow and DuckDB ask for.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that need not be heard: whoever wants other types converts.
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// The columns and their types, as Arrow has them.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref())
            .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The table as a pandas DataFrame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::handed(slf, "to_pandas")
    }

    /// The table as a polars DataFrame.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::handed(slf, "to_polars")
    }

    /// The table as a pyarrow Table.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::handed(slf, "to_pyarrow")
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        format!("<coverdex.Table {}: {} rows × {} columns ({})>", self.name, self.rows(), names.len(), names.join(", "))
    }
}

impl Table {
    fn handed<'py>(slf: &Bound<'py, Self>, to: &str) -> PyResult<Bound<'py, PyAny>> {
        package::item(slf.py(), "coverdex._tables", to)?.call(PyTuple::new(slf.py(), [slf])?, None)
    }
}

fn read_batches(mut table: core::Table, schema: &SchemaRef) -> Result<Vec<RecordBatch>> {
    let mut batches = Vec::new();
    while let Some(batch) = table.next_batch(ROWS_A_BATCH)? {
        batches.push(record_batch(schema, batch).map_err(|error| unfit(table.name(), &error))?);
    }
    Ok(batches)
}

fn field(column: &Column) -> Field {
    match column.kind {
        ColumnKind::Texts => Field::new(column.name, DataType::List(item_field()), false),
        ColumnKind::Integer => Field::new(column.name, DataType::Int64, true),
        ColumnKind::Number => Field::new(column.name, DataType::Float64, true),
        ColumnKind::Flag => Field::new(column.name, DataType::Boolean, true),
        _ => Field::new(column.name, DataType::Utf8, true),
    }
}

fn item_field() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Utf8, false))
}

fn record_batch(schema: &SchemaRef, batch: Batch) -> std::result::Result<RecordBatch, ArrowError> {
    let columns = batch.columns.into_iter().map(array).collect::<std::result::Result<_, _>>()?;
    RecordBatch::try_new(Arc::clone(schema), columns)
}

fn array(values: Values) -> std::result::Result<ArrayRef, ArrowError> {
    Ok(match values {
        Values::Text(texts) => Arc::new(strings(texts)?),
        Values::Texts(lists) => {
            let offsets = OffsetBuffer::new(ScalarBuffer::from(lists.offsets));
            Arc::new(ListArray::try_new(item_field(), offsets, Arc::new(strings(lists.items)?), None)?)
        }
        Values::Integer(PlainValues { values, stated, .. }) => {
            Arc::new(Int64Array::try_new(values.into(), nulls(&stated))?)
        }
        Values::Number(PlainValues { values, stated, .. }) => {
            Arc::new(Float64Array::try_new(values.into(), nulls(&stated))?)
        }
        Values::Flag(PlainValues { values, stated, .. }) => {
            let mut bits = BooleanBufferBuilder::new(values.len());
            bits.append_slice(&values);
            Arc::new(BooleanArray::new(bits.finish(), nulls(&stated)))
        }
        _ => return Err(ArrowError::NotYetImplemented("a kind of column".to_owned())),
    })
}

fn strings(texts: TextValues) -> std::result::Result<StringArray, ArrowError> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(texts.offsets));
    StringArray::try_new(offsets, Buffer::from_vec(texts.bytes.into_bytes()), nulls(&texts.stated))
}

fn nulls(stated: &[bool]) -> Option<NullBuffer> {
    (!stated.iter().all(|stated| *stated)).then(|| NullBuffer::from(stated))
}

fn unfit(table: &str, error: &ArrowError) -> Error {
    Error::new(ErrorKind::Io, format!("table {table}"), error.to_string())
}
