//! Values of a row.

/// A number of 32 bits without a sign.
pub(crate) fn number(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u32> {
    let value: i64 = row.get(at)?;
    u32::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, value))
}
