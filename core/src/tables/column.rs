//! Columns and what they hold, laid out as analysts' formats have it: all texts of a column behind each
//! other, with the offsets between them.

use std::fmt::{Display, Write as _};

use crate::{Error, Result};

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    pub kind: ColumnKind,
    /// What it says, for people.
    pub about: &'static str,
}

impl Column {
    pub(super) const fn new(name: &'static str, kind: ColumnKind, about: &'static str) -> Self {
        Self { name, kind, about }
    }
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnKind {
    /// A text, or not stated.
    Text,
    /// Texts; none of them is missing.
    Texts,
    /// A whole number, or not stated.
    Integer,
    /// A number, or not stated.
    Number,
    /// Yes, no, or not stated.
    Flag,
}

/// Rows of a table, column by column.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Batch {
    /// How many rows.
    pub rows: usize,
    /// The values of each column, in the order of the table's columns.
    pub columns: Vec<Values>,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// Of [`ColumnKind::Text`].
    Text(TextValues),
    /// Of [`ColumnKind::Texts`].
    Texts(TextsValues),
    /// Of [`ColumnKind::Integer`].
    Integer(PlainValues<i64>),
    /// Of [`ColumnKind::Number`].
    Number(PlainValues<f64>),
    /// Of [`ColumnKind::Flag`].
    Flag(PlainValues<bool>),
}

/// Texts, one a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextValues {
    /// All texts behind each other.
    pub bytes: String,
    /// Where each begins, and where the last ends.
    pub offsets: Vec<i32>,
    /// Whether each is stated; one that is not has no bytes.
    pub stated: Vec<bool>,
}

/// Lists of texts, one a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextsValues {
    /// The texts of all rows behind each other; each is stated.
    pub items: TextValues,
    /// Where the texts of each row begin, and where those of the last end.
    pub offsets: Vec<i32>,
}

/// Numbers or flags, one a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlainValues<T> {
    /// The values; anything where none is stated.
    pub values: Vec<T>,
    /// Whether each is stated.
    pub stated: Vec<bool>,
}

impl Default for TextValues {
    fn default() -> Self {
        Self { bytes: String::new(), offsets: vec![0], stated: Vec::new() }
    }
}

impl Default for TextsValues {
    fn default() -> Self {
        Self { items: TextValues::default(), offsets: vec![0] }
    }
}

impl<T> Default for PlainValues<T> {
    fn default() -> Self {
        Self { values: Vec::new(), stated: Vec::new() }
    }
}

impl TextValues {
    pub(super) fn push(&mut self, text: &str) -> Result<()> {
        self.bytes.push_str(text);
        self.end(true)
    }

    /// A text of how a value is shown, if it is stated.
    pub(super) fn push_shown(&mut self, value: Option<impl Display>) -> Result<()> {
        if let Some(value) = &value {
            // Writing to memory cannot fail.
            let _ = write!(self.bytes, "{value}");
        }
        self.end(value.is_some())
    }

    pub(super) fn push_some(&mut self, text: Option<&str>) -> Result<()> {
        self.bytes.push_str(text.unwrap_or_default());
        self.end(text.is_some())
    }

    fn end(&mut self, stated: bool) -> Result<()> {
        let end = i32::try_from(self.bytes.len()).map_err(|_| too_long())?;
        self.offsets.push(end);
        self.stated.push(stated);
        Ok(())
    }
}

impl TextsValues {
    pub(super) fn push<T: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = T>) -> Result<()> {
        for text in texts {
            self.items.push(text.as_ref())?;
        }
        self.end()
    }

    /// Texts that are read one by one.
    pub(super) fn push_read<'a>(&mut self, texts: impl Iterator<Item = Result<&'a str>>) -> Result<()> {
        for text in texts {
            self.items.push(text?)?;
        }
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        let end = i32::try_from(self.items.stated.len()).map_err(|_| too_long())?;
        self.offsets.push(end);
        Ok(())
    }
}

impl<T: Default> PlainValues<T> {
    pub(super) fn push(&mut self, value: Option<T>) {
        self.stated.push(value.is_some());
        self.values.push(value.unwrap_or_default());
    }
}

/// A batch is bounded in rows, so only texts that no builder writes come here.
#[cold]
fn too_long() -> Error {
    Error::damaged("table", "its texts are longer than a batch can hold")
}

/// The columns of a table, being filled.
pub(super) trait Columns: Default {
    const COLUMNS: &'static [Column];

    fn finish(self) -> Vec<Values>;
}

/// Defines a table's columns once: names, kinds, what they say, and the struct that is filled.
macro_rules! columns {
    (@values Text) => { $crate::tables::column::TextValues };
    (@values Texts) => { $crate::tables::column::TextsValues };
    (@values Integer) => { $crate::tables::column::PlainValues<i64> };
    (@values Number) => { $crate::tables::column::PlainValues<f64> };
    (@values Flag) => { $crate::tables::column::PlainValues<bool> };
    ($table:ident { $($name:ident: $kind:ident = $about:literal,)* }) => {
        #[derive(Default)]
        struct $table {
            $($name: columns!(@values $kind),)*
        }

        impl $crate::tables::column::Columns for $table {
            const COLUMNS: &'static [$crate::tables::column::Column] = &[
                $($crate::tables::column::Column::new(
                    stringify!($name),
                    $crate::tables::column::ColumnKind::$kind,
                    $about,
                ),)*
            ];

            fn finish(self) -> Vec<$crate::tables::column::Values> {
                vec![$($crate::tables::column::Values::$kind(self.$name),)*]
            }
        }
    };
}

pub(super) use columns;
