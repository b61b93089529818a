//! The text index of drug lines.

use std::path::Path;

use coverdex_core::Result;
use coverdex_core::build::{index_schema, line_terms};

use super::catalogue::Line;
use crate::build::text_index::write_text_index;

/// Writes the index: document numbers are line numbers.
pub(super) fn write(folder: &Path, lines: &[Line]) -> Result<()> {
    write_text_index(
        folder,
        index_schema(),
        lines.iter().map(|line| {
            let others: Vec<&str> = [line.brand.as_deref(), line.ingredient.as_deref()]
                .into_iter()
                .flatten()
                .filter(|o| *o != line.name)
                .collect();
            line_terms(&line.name, line.strength.as_deref(), line.form.as_deref(), line.group.as_deref(), &others)
        }),
    )
}
