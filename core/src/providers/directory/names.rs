//! The index of names: a row for each document, its provider's words and their beginnings as terms.
//! Rows are in county order, so that names inside a county are a stretch of each term's list.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tantivy::postings::SegmentPostings;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{DocSet as _, SegmentReader, TERMINATED, Term};

use crate::format::{guard, open_text_index};
use crate::{Error, Result};

use super::layout::LONGEST_BEGINNING;
use crate::providers::words::{beginnings, name_words};

/// Fields of the index: whole words, and the beginnings of words.
const FIELDS: [&str; 2] = ["word", "beginning"];

/// The schema of the index of names, which the builder writes by.
#[must_use]
pub fn name_schema() -> Schema {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    for field in FIELDS {
        builder.add_text_field(field, TextOptions::default().set_indexing_options(indexing.clone()));
    }
    builder.build()
}

/// The terms under which a provider with these name words is found: (field of [`name_schema`],
/// term), sorted, no repeats.
#[must_use]
pub fn name_terms<'a>(words: impl Iterator<Item = &'a str>) -> Vec<(usize, String)> {
    let mut terms = Vec::new();
    for word in words {
        terms.extend(beginnings(word).map(|beginning| (1, beginning.to_owned())));
        terms.push((0, word.to_owned()));
    }
    terms.sort();
    terms.dedup();
    terms
}

/// The index, open.
pub(crate) struct NameIndex {
    folder: PathBuf,
    segment: SegmentReader,
    word: Field,
    beginning: Field,
}

impl std::fmt::Debug for NameIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NameIndex").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A name as it was typed.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    words: Vec<String>,
    /// The words before the last are whole ones.
    whole: bool,
}

impl NameIndex {
    pub(crate) fn open(folder: &Path, rows: u32) -> Result<Self> {
        let (index, segment) = open_text_index(folder, u64::from(rows))?;
        let schema = index.schema();
        let field = |name: &str| {
            schema.get_field(name).map_err(|e| Error::damaged(folder.display().to_string(), e.to_string()))
        };
        let [word, beginning] = FIELDS;
        let (word, beginning) = (field(word)?, field(beginning)?);
        Ok(Self { folder: folder.to_owned(), segment, word, beginning })
    }

    fn read<T>(&self, read: impl FnOnce() -> tantivy::Result<T>) -> Result<T> {
        guard(&self.folder, || read().map_err(|e| Error::damaged(self.folder.display().to_string(), e.to_string())))
    }

    /// Walks every term once.
    pub(crate) fn check(&self) -> Result<()> {
        self.read(|| {
            for field in [self.word, self.beginning] {
                let index = self.segment.inverted_index(field)?;
                let mut terms = index.terms().stream()?;
                while terms.advance() {
                    let mut list = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
                    while list.doc() != TERMINATED {
                        list.advance();
                    }
                }
            }
            Ok(())
        })
    }

    /// What a text means: names that have its words, the last of which may not be typed to its end.
    /// Where nobody has the others whole, each may be a beginning (`jo smi`). `None` for a text
    /// without a word.
    pub(crate) fn typed(&self, text: &str) -> Result<Typed> {
        let words = name_words(text);
        if words.is_empty() {
            let shown: String = text.chars().take(40).collect();
            return Err(Error::invalid(format!("name {shown:?}"), "it has no letter and no digit to look for"));
        }
        let mut typed = Typed { words, whole: true };
        if typed.words.len() > 1 {
            typed.whole = !self.rows(&typed, std::slice::from_ref(&(0..u32::MAX)), 1)?.is_empty();
        }
        Ok(typed)
    }

    /// Rows in ascending ranges whose provider's name was typed, ascending; once `enough` are found it
    /// may stop.
    pub(crate) fn rows(&self, typed: &Typed, ranges: &[Range<u32>], enough: usize) -> Result<Vec<u32>> {
        let Some((last, earlier)) = typed.words.split_last() else { return Ok(Vec::new()) };
        self.read(|| {
            let mut lists = vec![self.beginning_with(last)?];
            for word in earlier {
                lists.push(if typed.whole { self.with_term(self.word, word)? } else { self.beginning_with(word)? });
            }
            let mut found = Vec::new();
            for range in ranges {
                let mut rest = range.clone();
                while let Some(row) = meet(&mut lists, &rest) {
                    found.push(row);
                    if found.len() >= enough {
                        return Ok(found);
                    }
                    rest.start = row + 1;
                }
            }
            Ok(found)
        })
    }

    fn with_term(&self, field: Field, term: &str) -> tantivy::Result<List> {
        let index = self.segment.inverted_index(field)?;
        let list = index.read_postings(&Term::from_field_text(field, term), IndexRecordOption::Basic)?;
        Ok(List(list.into_iter().collect()))
    }

    /// Rows with a word that begins so: one list, or those of the few words that begin with what is
    /// longer than any indexed beginning.
    fn beginning_with(&self, word: &str) -> tantivy::Result<List> {
        if word.chars().count() <= LONGEST_BEGINNING {
            return self.with_term(self.beginning, word);
        }
        let index = self.segment.inverted_index(self.word)?;
        let mut terms = index.terms().range().ge(word).into_stream()?;
        let mut lists = Vec::new();
        while terms.advance() && terms.key().starts_with(word.as_bytes()) {
            lists.push(index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?);
        }
        Ok(List(lists))
    }
}

/// Rows of a word or of several, ascending.
struct List(Vec<SegmentPostings>);

impl List {
    /// The first row from `from` on.
    fn seek(&mut self, from: u32) -> Option<u32> {
        let row = |list: &mut SegmentPostings| if list.doc() < from { list.seek(from) } else { list.doc() };
        self.0.iter_mut().map(row).min().filter(|row| *row != TERMINATED)
    }
}

/// The first row of a range that all lists have. Lists go forward only, and never past a row that
/// all of them may have.
fn meet(lists: &mut [List], range: &Range<u32>) -> Option<u32> {
    let mut row = range.start;
    loop {
        let mut next = row;
        for list in &mut *lists {
            next = list.seek(next).filter(|row| *row < range.end)?;
        }
        if next == row {
            return Some(row);
        }
        row = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_words_and_their_beginnings() {
        let terms = name_terms(["al", "lee", "al"].into_iter());
        let want = [(0, "al"), (0, "lee"), (1, "a"), (1, "al"), (1, "l"), (1, "le"), (1, "lee")];
        assert_eq!(terms, want.map(|(field, term)| (field, term.to_owned())));
    }
}
