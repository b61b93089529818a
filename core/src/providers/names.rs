//! The index of names: a provider for each document, words and their beginnings as terms.

use std::path::{Path, PathBuf};

use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{SegmentReader, TERMINATED, Term};

use crate::format::{guard, open_text_index};
use crate::{Error, Result};

use super::layout::LONGEST_BEGINNING;
use super::words::{beginnings, name_words};

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

/// The terms under which a provider with these names is found: (field of [`name_schema`], term),
/// sorted, no repeats.
#[must_use]
pub fn name_terms<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(usize, String)> {
    let mut terms = Vec::new();
    for word in names.flat_map(name_words) {
        terms.extend(beginnings(&word).map(|beginning| (1, beginning.to_owned())));
        terms.push((0, word));
    }
    terms.sort();
    terms.dedup();
    terms
}

/// The index, open.
pub(super) struct NameIndex {
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

/// Ascending provider numbers.
type Providers = Vec<u32>;

impl NameIndex {
    pub(super) fn open(folder: &Path, providers: u32) -> Result<Self> {
        let (index, segment) = open_text_index(folder, u64::from(providers))?;
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
    pub(super) fn check(&self) -> Result<()> {
        self.read(|| {
            for field in [self.word, self.beginning] {
                let index = self.segment.inverted_index(field)?;
                let mut terms = index.terms().stream()?;
                while terms.advance() {
                    drain(index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?);
                }
            }
            Ok(())
        })
    }

    /// Providers whose names have the words of a text, the last of which may not be typed to its
    /// end. Where none has them whole, any of them may be a beginning (`jo smi`). `None` for a text
    /// without a word.
    pub(super) fn typed(&self, text: &str) -> Result<Option<Providers>> {
        let words = name_words(text);
        let Some((last, earlier)) = words.split_last() else { return Ok(None) };
        let mut lists = vec![self.beginning_with(last)?];
        for word in earlier {
            lists.push(self.with_word(word)?);
        }
        let found = all_of(lists);
        if !found.is_empty() || earlier.is_empty() {
            return Ok(Some(found));
        }
        let lists = words.iter().map(|word| self.beginning_with(word)).collect::<Result<Vec<_>>>()?;
        Ok(Some(all_of(lists)))
    }

    fn with_term(&self, field: Field, term: &str) -> Result<Providers> {
        self.read(|| {
            let index = self.segment.inverted_index(field)?;
            let postings = index.read_postings(&Term::from_field_text(field, term), IndexRecordOption::Basic)?;
            Ok(postings.map(drain).unwrap_or_default())
        })
    }

    fn with_word(&self, word: &str) -> Result<Providers> {
        self.with_term(self.word, word)
    }

    fn beginning_with(&self, word: &str) -> Result<Providers> {
        if word.chars().count() <= LONGEST_BEGINNING {
            return self.with_term(self.beginning, word);
        }
        self.read(|| {
            let index = self.segment.inverted_index(self.word)?;
            let mut terms = index.terms().range().ge(word).into_stream()?;
            let mut found = Vec::new();
            while terms.advance() && terms.key().starts_with(word.as_bytes()) {
                found.extend(drain(index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?));
            }
            found.sort_unstable();
            found.dedup();
            Ok(found)
        })
    }
}

fn drain(mut postings: impl tantivy::DocSet) -> Providers {
    let mut found = Vec::with_capacity(postings.size_hint() as usize);
    while postings.doc() != TERMINATED {
        found.push(postings.doc());
        postings.advance();
    }
    found
}

/// What all lists have, the shortest first.
fn all_of(mut lists: Vec<Providers>) -> Providers {
    lists.sort_by_key(Vec::len);
    let mut lists = lists.into_iter();
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |kept, list| {
        let mut rest = list.as_slice();
        kept.into_iter()
            .filter(|wanted| {
                let skip = gallop(rest, *wanted);
                rest = rest.get(skip..).unwrap_or_default();
                rest.first() == Some(wanted)
            })
            .collect()
    })
}

/// How many numbers at the front are below `wanted`.
fn gallop(list: &[u32], wanted: u32) -> usize {
    let mut step = 1;
    while list.get(step - 1).is_some_and(|number| *number < wanted) {
        step *= 2;
    }
    let (from, to) = (step / 2, step.min(list.len()));
    from + list.get(from..to).unwrap_or_default().partition_point(|number| *number < wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_words_and_their_beginnings() {
        let terms = name_terms(["Al Lee", "AL"].into_iter());
        let want = [(0, "al"), (0, "lee"), (1, "a"), (1, "al"), (1, "l"), (1, "le"), (1, "lee")];
        assert_eq!(terms, want.map(|(field, term)| (field, term.to_owned())));
    }

    #[test]
    fn lists_meet() {
        let evens: Vec<u32> = (0..1_000).map(|n| n * 2).collect();
        let threes: Vec<u32> = (0..1_000).map(|n| n * 3).collect();
        let sixes: Vec<u32> = (0..334).map(|n| n * 6).collect();
        assert_eq!(all_of(vec![evens.clone(), threes, (0..2_000).collect()]), sixes);
        assert_eq!(all_of(vec![evens, vec![7, 1_998, 5_000]]), [1_998]);
        assert_eq!(all_of(vec![vec![], vec![1]]), [0_u32; 0]);
    }
}
