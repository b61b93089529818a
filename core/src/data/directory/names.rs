//! The index of names: a row for each document, its provider's words and their beginnings as terms.
//! Rows are in county order, so that names inside a county are a stretch of each term's list.

use std::ops::Range;
use std::path::Path;

use tantivy::postings::SegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};
#[cfg(feature = "build")]
use tantivy::schema::{Schema, TextFieldIndexing, TextOptions};
use tantivy::{DocSet as _, SegmentReader, TERMINATED, Term};

use crate::cancel::Cancel;
use crate::format::{Checksums, Steps, TextIndex, damaged_index, open_text_index};
use crate::{Error, Result};

use super::layout::DIRECTORY_FOLDER;
use crate::fold::edits;
#[cfg(feature = "build")]
use crate::spelling::beginnings;
use crate::spelling::{Choice, LONGEST_BEGINNING, Reading, typed};

/// Fields of the index: whole words, and the beginnings of words; then the same of rows of closed doors
/// alone, which lie all over the directory.
const FIELDS: [&str; 4] = ["word", "beginning", "closed_word", "closed_beginning"];

/// Longest name that is looked for, in bytes.
const LONGEST_NAME: usize = 200;

/// Words that a misspelt one may have been meant as, at most.
const MOST_NEAR_WORDS: usize = 24;

/// The schema of the index of names, which the builder writes by.
#[cfg(feature = "build")]
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

/// The terms under which a provider with these name words is found at a place of closed doors or at any
/// other: (field of [`name_schema`], term), sorted, no repeats.
#[cfg(feature = "build")]
#[must_use]
pub fn name_terms<'a>(words: impl Iterator<Item = &'a str>, is_closed: bool) -> Vec<(usize, String)> {
    let mut terms = Vec::new();
    for word in words {
        for first in if is_closed { [Some(0), Some(2)] } else { [Some(0), None] }.into_iter().flatten() {
            terms.extend(beginnings(word).map(|beginning| (first + 1, beginning.to_owned())));
            terms.push((first, word.to_owned()));
        }
    }
    terms.sort();
    terms.dedup();
    terms
}

/// The index, open.
#[derive(Debug)]
pub(crate) struct NameIndex {
    index: TextIndex,
    all: Fields,
    closed: Fields,
}

/// The fields of some rows.
#[derive(Clone, Copy, Debug)]
struct Fields {
    word: Field,
    beginning: Field,
}

/// Names that are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// A name fits that has a word for each slot of one of these.
    readings: Vec<Vec<Slot>>,
}

/// Words of which a name has one.
#[derive(Clone, Debug)]
enum Slot {
    /// This one.
    Word(String),
    /// One that begins so.
    Beginning(String),
    /// One of these.
    OneOf(Vec<String>),
}

impl Wanted {
    fn of(choice: &Choice) -> Self {
        Self { readings: choice.readings.iter().map(slots).collect() }
    }

    /// Each word may be a beginning.
    fn loose(choice: &Choice) -> Self {
        let loose = |reading: &Reading| reading.words.iter().cloned().map(Slot::Beginning).collect();
        Self { readings: choice.readings.iter().map(loose).collect() }
    }

    /// The words as they stand, each of them whole.
    fn literal(choice: &Choice) -> Self {
        let whole = |reading: &Reading| reading.words.iter().cloned().map(Slot::Word).collect();
        Self { readings: choice.readings.iter().take(1).map(whole).collect() }
    }
}

fn slots(reading: &Reading) -> Vec<Slot> {
    let last = reading.words.len() - 1;
    let slot = |(at, word): (usize, &String)| {
        if at == last && reading.open { Slot::Beginning(word.clone()) } else { Slot::Word(word.clone()) }
    };
    reading.words.iter().enumerate().map(slot).collect()
}

impl NameIndex {
    pub(crate) fn open(folder: &Path, checksums: &Checksums, rows: u32) -> Result<Self> {
        let index = open_text_index(folder, DIRECTORY_FOLDER, checksums, rows)?;
        let field = |name: &str| index.field(name);
        let [word, beginning, closed_word, closed_beginning] = FIELDS;
        let all = Fields { word: field(word)?, beginning: field(beginning)? };
        let closed = Fields { word: field(closed_word)?, beginning: field(closed_beginning)? };
        Ok(Self { index, all, closed })
    }

    /// Walks every term once.
    pub(crate) fn check(&self) -> Result<()> {
        self.index.check(&[self.all.word, self.all.beginning, self.closed.word, self.closed.beginning])
    }

    /// What a text means: names that have its words, the last of which may not be typed to its end.
    /// Where nobody has the others whole, each may be a beginning (`jo smi`). Titles and credentials are
    /// dropped unless somebody has them as words of the name.
    pub(crate) fn typed(&self, text: &str, cancel: &Cancel) -> Result<Wanted> {
        let shown = || text.chars().take(40).collect::<String>();
        if text.len() > LONGEST_NAME {
            let message = format!("the text has {} bytes; a name has {LONGEST_NAME} at most", text.len());
            return Err(Error::invalid(format!("name {:?}…", shown()), message));
        }
        let Some(typed) = typed(text) else {
            let shown = shown();
            return Err(Error::invalid(format!("name {shown:?}"), "it has no letter and no digit to look for"));
        };
        let somebody = |wanted: &Wanted| self.rows(wanted, std::slice::from_ref(&(0..u32::MAX)), 1, cancel);
        if let Some(literal) = &typed.literal
            && !somebody(&Wanted::literal(literal))?.is_empty()
        {
            return Ok(Wanted::of(literal));
        }
        let (mut choices, is_one_word) = (typed.choices.iter(), typed.is_one_word());
        while let Some(choice) = choices.next() {
            let wanted = Wanted::of(choice);
            if (is_one_word && choices.len() == 0) || !somebody(&wanted)?.is_empty() {
                return Ok(wanted);
            }
        }
        Ok(typed.choices.last().map_or(Wanted { readings: Vec::new() }, Wanted::loose))
    }

    /// Names that a slip of the pen keeps from being found by a text: for each of its words those that
    /// are `edits` edits away, or fewer. `None`: no word is near.
    pub(crate) fn near(&self, text: &str, edits: usize, cancel: &Cancel) -> Result<Option<Wanted>> {
        let Some(choice) = typed(text).and_then(|mut typed| typed.choices.pop()) else { return Ok(None) };
        let Some(reading) = choice.readings.first() else { return Ok(None) };
        let mut slots = Vec::new();
        for (at, word) in reading.words.iter().enumerate() {
            let open = reading.open && at + 1 == reading.words.len();
            let words = self.index.walk(cancel, |segment, steps| self.words_near(segment, steps, word, edits, open))?;
            if words.is_empty() {
                return Ok(None);
            }
            slots.push(Slot::OneOf(words));
        }
        Ok(Some(Wanted { readings: vec![slots] }))
    }

    /// Words that are so many edits from one, itself too; of a word that may not be typed to its end,
    /// beginnings as long as it are compared too.
    fn words_near(
        &self,
        segment: &SegmentReader,
        steps: &mut Steps<'_>,
        word: &str,
        most: usize,
        open: bool,
    ) -> tantivy::Result<Vec<String>> {
        let length = word.chars().count();
        let most = most.min(match length {
            0..=3 => 0,
            4..=6 => 1,
            _ => 2,
        });
        let mut near: Vec<(usize, String)> = Vec::new();
        let mut keep = |edits: Option<usize>, term: &str| near.extend(edits.map(|edits| (edits, term.to_owned())));
        let index = segment.inverted_index(self.all.word)?;
        let mut terms = index.terms().stream()?;
        let mut met = 0;
        while terms.advance() {
            steps.step()?;
            self.count_term(&mut met)?;
            let Ok(term) = std::str::from_utf8(terms.key()) else { continue };
            if most == 0 {
                keep((term == word).then_some(0), term);
                continue;
            }
            let beginning = term.char_indices().nth(length).filter(|_| open).and_then(|(at, _)| term.get(..at));
            let whole = edits(term, word, most);
            keep(whole.or_else(|| edits(beginning?, word, 1)), term);
        }
        near.sort();
        near.truncate(MOST_NEAR_WORDS);
        Ok(near.into_iter().map(|(_, term)| term).collect())
    }

    /// Rows in ascending ranges whose provider's name is wanted, ascending; once `enough` are found it
    /// may stop.
    pub(crate) fn rows(
        &self,
        wanted: &Wanted,
        ranges: &[Range<u32>],
        enough: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u32>> {
        self.rows_in(self.all, wanted, ranges, enough, cancel)
    }

    /// Rows of closed doors whose provider's name is wanted, ascending.
    pub(crate) fn closed_rows(&self, wanted: &Wanted, cancel: &Cancel) -> Result<Vec<u32>> {
        self.rows_in(self.closed, wanted, std::slice::from_ref(&(0..u32::MAX)), usize::MAX, cancel)
    }

    fn rows_in(
        &self,
        fields: Fields,
        wanted: &Wanted,
        ranges: &[Range<u32>],
        enough: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u32>> {
        self.index.walk(cancel, |segment, steps| {
            let mut found = Vec::new();
            for reading in &wanted.readings {
                self.add_rows((segment, fields, steps), reading, ranges, enough, &mut found)?;
                if found.len() >= enough {
                    return Ok(found);
                }
            }
            if wanted.readings.len() > 1 {
                found.sort_unstable();
                found.dedup();
            }
            Ok(found)
        })
    }

    fn add_rows(
        &self,
        (segment, fields, steps): (&SegmentReader, Fields, &mut Steps<'_>),
        reading: &[Slot],
        ranges: &[Range<u32>],
        enough: usize,
        found: &mut Vec<u32>,
    ) -> tantivy::Result<()> {
        let mut lists = Vec::with_capacity(reading.len());
        for slot in reading {
            let list = match slot {
                Slot::Word(word) => with_term(segment, fields.word, word)?,
                Slot::Beginning(word) => self.beginning_with(segment, fields, steps, word)?,
                Slot::OneOf(words) => {
                    let each: tantivy::Result<Vec<List>> =
                        words.iter().map(|word| with_term(segment, fields.word, word)).collect();
                    List(each?.into_iter().flat_map(|list| list.0).collect())
                }
            };
            if list.0.is_empty() {
                return Ok(());
            }
            lists.push(list);
        }
        for range in ranges {
            let mut rest = range.clone();
            while let Some(row) = meet(&mut lists, &rest, steps)? {
                found.push(row);
                if found.len() >= enough {
                    return Ok(());
                }
                rest.start = row + 1;
            }
        }
        Ok(())
    }

    /// Rows with a word that begins so: one list, or those of the few words that begin with what is
    /// longer than any indexed beginning.
    fn beginning_with(
        &self,
        segment: &SegmentReader,
        fields: Fields,
        steps: &mut Steps<'_>,
        word: &str,
    ) -> tantivy::Result<List> {
        if word.chars().count() <= LONGEST_BEGINNING {
            return with_term(segment, fields.beginning, word);
        }
        let index = segment.inverted_index(fields.word)?;
        let mut terms = index.terms().range().ge(word).into_stream()?;
        let (mut lists, mut met) = (Vec::new(), 0);
        while terms.advance() && terms.key().starts_with(word.as_bytes()) {
            steps.step()?;
            self.count_term(&mut met)?;
            lists.push(index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?);
        }
        Ok(List(lists))
    }

    /// Counts a term that a walk meets: no index has more than there is room for.
    fn count_term(&self, met: &mut usize) -> tantivy::Result<()> {
        *met += 1;
        if *met > self.index.most_terms() { Err(damaged_index("more terms than it has room for")) } else { Ok(()) }
    }
}

fn with_term(segment: &SegmentReader, field: Field, term: &str) -> tantivy::Result<List> {
    let index = segment.inverted_index(field)?;
    let list = index.read_postings(&Term::from_field_text(field, term), IndexRecordOption::Basic)?;
    Ok(List(list.into_iter().collect()))
}

/// Rows of a word or of several, ascending.
struct List(Vec<SegmentPostings>);

impl List {
    /// The first row from `from` on.
    fn seek(&mut self, from: u32) -> tantivy::Result<Option<u32>> {
        let row = |list: &mut SegmentPostings| if list.doc() < from { list.seek(from) } else { list.doc() };
        match self.0.iter_mut().map(row).min().filter(|row| *row != TERMINATED) {
            // Whoever waited for such a list to go on would wait forever.
            Some(row) if row < from => Err(damaged_index("its rows do not ascend")),
            row => Ok(row),
        }
    }
}

/// The first row of a range that all lists have. Lists go forward only, and never past a row that
/// all of them may have.
fn meet(lists: &mut [List], range: &Range<u32>, steps: &mut Steps<'_>) -> tantivy::Result<Option<u32>> {
    let mut row = range.start;
    loop {
        steps.step()?;
        let mut next = row;
        for list in &mut *lists {
            match list.seek(next)?.filter(|row| *row < range.end) {
                Some(row) => next = row,
                None => return Ok(None),
            }
        }
        if next == row {
            return Ok(Some(row));
        }
        row = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_words_and_their_beginnings() {
        let terms = name_terms(["al", "lee", "al"].into_iter(), false);
        let want = [(0, "al"), (0, "lee"), (1, "a"), (1, "al"), (1, "l"), (1, "le"), (1, "lee")];
        assert_eq!(terms, want.map(|(field, term)| (field, term.to_owned())));
        let closed = name_terms(["al"].into_iter(), true);
        let want = [(0, "al"), (1, "a"), (1, "al"), (2, "al"), (3, "a"), (3, "al")];
        assert_eq!(closed, want.map(|(field, term)| (field, term.to_owned())));
    }
}
