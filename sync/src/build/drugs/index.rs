//! The text index of drug lines.

use std::path::Path;

use coverdex_core::Result;
use coverdex_core::build::{LineTexts, index_schema, line_terms};

use super::catalogue::Line;
use crate::build::text_index::write_text_index;

/// Writes the index: document numbers are line numbers.
pub(super) fn write(folder: &Path, lines: &[Line]) -> Result<()> {
    write_text_index(folder, index_schema(), lines.iter().map(|line| line_terms(&texts_of(line))))
}

fn texts_of(line: &Line) -> LineTexts<'_> {
    let mut texts = LineTexts::default();
    for text in &line.texts {
        texts.names.push(&text.name);
        texts.ingredients.extend(text.ingredient.as_deref());
        texts.strengths.extend(text.strength.as_deref());
        texts.forms.extend(text.form.as_deref());
        texts.readings.push(text);
    }
    for all in [&mut texts.names, &mut texts.ingredients, &mut texts.strengths, &mut texts.forms] {
        all.sort_unstable();
        all.dedup();
    }
    texts
}
