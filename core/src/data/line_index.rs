//! The text index of drug lines: under which terms a line is found, and looking them up.
//!
//! Lines are numbered best first (one ingredient before combinations, names with many packages before
//! rare ones, the plain form before others, then by strength), so the first documents of an
//! intersection are the best ones and nothing is scored.

#[cfg(feature = "build")]
use std::collections::BTreeSet;

use tantivy::postings::SegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};
#[cfg(feature = "build")]
use tantivy::schema::{Schema, TextFieldIndexing, TextOptions};
use tantivy::{DocSet as _, TERMINATED, Term};

use crate::Result;
use crate::cancel::Cancel;
#[cfg(feature = "build")]
use crate::drug_text::{DrugText, Identity, indexed, release_words, said_for, short_words, strength_terms};
#[cfg(feature = "build")]
use crate::fold::{self, Token};
use crate::format::{TextIndex, damaged_index};

/// Longest indexed beginning of a word; longer ones walk the few words that begin with them.
const LONGEST_GRAM: usize = 6;

/// Words shorter than this are never taken for a misspelling.
const SHORTEST_FUZZY: usize = 4;

/// Words from this length on may have two wrong letters.
const SHORTEST_TWICE_FUZZY: usize = 7;

/// Most terms that a beginning longer than [`LONGEST_GRAM`] is looked up in.
const MOST_TERMS: usize = 64;

/// The fields of the index of drug lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// Whole words of name, strength, form, brand and ingredient, with their canonical and short
    /// forms; numbers begin with `#`, strengths as values with `=`.
    word: Field,
    /// Their beginnings.
    gram: Field,
    /// Beginnings of the first word of a name.
    lead: Field,
    /// The whole folded name, with and without salt.
    name: Field,
}

const FIELDS: [&str; 4] = ["word", "gram", "lead", "name"];

/// The index's schema: four fields of untokenized terms, nothing stored, no frequencies.
#[cfg(feature = "build")]
#[must_use]
pub fn index_schema() -> Schema {
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

/// What a line is found by.
#[cfg(feature = "build")]
#[derive(Clone, Debug, Default)]
pub struct LineTexts<'a> {
    /// Every spelling of its name.
    pub names: Vec<&'a str>,
    /// Every spelling of the ingredient beside a brand.
    pub ingredients: Vec<&'a str>,
    /// Every spelling of its strength.
    pub strengths: Vec<&'a str>,
    /// Every spelling of its form.
    pub forms: Vec<&'a str>,
    /// What its texts say, as values: of one text each.
    pub readings: Vec<&'a DrugText>,
}

/// The terms under which a line is found: (field of [`index_schema`], term), sorted, no repeats.
#[cfg(feature = "build")]
#[must_use]
pub fn line_terms(line: &LineTexts<'_>) -> Vec<(usize, String)> {
    let mut terms: Vec<(usize, String)> = Vec::new();
    let mut words: BTreeSet<String> = BTreeSet::new();
    for (name, is_own) in line.names.iter().map(|name| (name, true)).chain(line.ingredients.iter().map(|i| (i, false)))
    {
        let tokens = fold::tokens(name);
        if let Some(first) = tokens.first() {
            lead(&indexed(first), &mut terms);
            said_for(&first.text).into_iter().flatten().take(1).for_each(|word| lead(word, &mut terms));
        }
        words.extend(tokens.iter().map(indexed));
        if !is_own {
            continue;
        }
        terms.push((3, fold::key(name)));
        for reading in &line.readings {
            terms.push((3, bare_name(&tokens, &reading.identity)));
        }
    }
    for text in line.strengths.iter().chain(&line.forms) {
        words.extend(fold::tokens(text).iter().map(indexed));
    }
    for reading in &line.readings {
        let identity = &reading.identity;
        words.extend(identity.words().map(str::to_owned));
        words.extend(identity.salts().into_iter().map(str::to_owned));
        words.extend(identity.form.words().map(str::to_owned));
        words.extend(identity.devices.iter().cloned());
        words.extend(reading.aside.iter().cloned());
        words.extend(release_words(&identity.release));
        words.extend(identity.strengths.iter().flat_map(strength_terms));
    }
    let short: Vec<String> = words.iter().flat_map(|word| short_words(word)).map(|word| (*word).to_owned()).collect();
    words.extend(short);
    for term in words {
        terms.extend(beginnings(&term).map(|gram| (1, gram)));
        terms.push((0, term));
    }
    terms.retain(|(_, term)| !term.is_empty());
    terms.sort();
    terms.dedup();
    terms
}

#[cfg(feature = "build")]
fn lead(word: &str, terms: &mut Vec<(usize, String)>) {
    terms.extend(beginnings(word).map(|gram| (2, gram)));
    terms.push((2, word.to_owned()));
    for short in short_words(word) {
        lead(short, terms);
    }
}

/// A name's own words, without salts, releases, forms and devices, in its order.
#[cfg(feature = "build")]
fn bare_name(tokens: &[Token], identity: &Identity) -> String {
    let own: BTreeSet<&str> = identity.words().collect();
    let mut kept: Vec<String> = Vec::new();
    for token in tokens {
        match said_for(&token.text) {
            Some(words) => kept.extend(words.iter().filter(|word| own.contains(**word)).map(|word| (*word).to_owned())),
            None if own.contains(token.text.as_str()) => kept.push(token.text.clone()),
            None if token.is_number && own.contains(format!("#{}", token.text).as_str()) => {
                kept.push(token.text.clone());
            }
            None => {}
        }
    }
    kept.join(" ")
}

/// Beginnings of a word, up to the longest; of a number all, of a strength none.
#[cfg(feature = "build")]
fn beginnings(term: &str) -> impl Iterator<Item = String> + '_ {
    let (skip, longest) = match term.as_bytes().first() {
        Some(b'#') => (1, usize::MAX),
        Some(b'=') => (0, 0),
        _ => (0, LONGEST_GRAM),
    };
    let ends = term.char_indices().map(|(at, c)| at + c.len_utf8()).skip(skip);
    ends.enumerate().take_while(move |(n, _)| *n < longest).filter_map(|(_, end)| term.get(..end)).map(str::to_owned)
}

impl Fields {
    fn of(index: &TextIndex) -> Result<Self> {
        let [word, gram, lead, name] = FIELDS;
        let field = |name: &str| index.field(name);
        Ok(Self { word: field(word)?, gram: field(gram)?, lead: field(lead)?, name: field(name)? })
    }
}

/// Ascending document numbers.
pub(crate) type Documents = Vec<u32>;

/// The opened text index of drug lines.
#[derive(Debug)]
pub(crate) struct DrugIndex {
    index: TextIndex,
    fields: Fields,
}

impl DrugIndex {
    pub(crate) fn new(index: TextIndex) -> Result<Self> {
        let fields = Fields::of(&index)?;
        Ok(Self { index, fields })
    }

    /// Walks every term once.
    pub(crate) fn check(&self) -> Result<()> {
        self.index.check(&[self.fields.word, self.fields.gram, self.fields.lead, self.fields.name])
    }

    /// The same, for a call that may be cancelled.
    pub(crate) fn for_call<'a>(&'a self, cancel: &'a Cancel) -> DrugWords<'a> {
        DrugWords { index: &self.index, fields: self.fields, cancel }
    }
}

/// The index as a call looks words up in it.
#[derive(Clone, Copy)]
pub(crate) struct DrugWords<'a> {
    index: &'a TextIndex,
    fields: Fields,
    cancel: &'a Cancel,
}

impl DrugWords<'_> {
    fn documents(&self, field: Field, term: &str) -> Result<Documents> {
        self.cancel.check()?;
        self.index.read(|segment| {
            let index = segment.inverted_index(field)?;
            let postings = index.read_postings(&Term::from_field_text(field, term), IndexRecordOption::Basic)?;
            postings.map_or(Ok(Vec::new()), |postings| self.drain(postings))
        })
    }

    /// All documents of a list: ascending, and no more than there are.
    fn drain(&self, mut postings: SegmentPostings) -> tantivy::Result<Documents> {
        let most = self.index.documents();
        let mut found = Vec::with_capacity(postings.size_hint().min(most) as usize);
        let mut least = 0;
        while postings.doc() != TERMINATED {
            let document = postings.doc();
            if document < least || document >= most {
                return Err(damaged_index("its documents do not ascend"));
            }
            least = document + 1;
            found.push(document);
            postings.advance();
        }
        Ok(found)
    }

    /// Lines with this term: a whole word, `#` and a number, `=` and a strength.
    pub(crate) fn with_word(&self, term: &str) -> Result<Documents> {
        self.documents(self.fields.word, term)
    }

    /// Lines whose whole name is this.
    pub(crate) fn with_name(&self, name: &str) -> Result<Documents> {
        self.documents(self.fields.name, name)
    }

    /// Lines with a term that begins like this; `lead`: the first word of a name.
    pub(crate) fn with_beginning(&self, term: &str, lead: bool) -> Result<Documents> {
        let field = if lead { self.fields.lead } else { self.fields.gram };
        if term.starts_with('#') || term.chars().count() <= LONGEST_GRAM {
            return self.documents(field, term);
        }
        let field = if lead { self.fields.lead } else { self.fields.word };
        self.index.walk(self.cancel, |segment, steps| {
            let index = segment.inverted_index(field)?;
            let mut terms = index.terms().range().ge(term).into_stream()?;
            let mut found = Vec::new();
            let mut seen = 0;
            while terms.advance() && terms.key().starts_with(term.as_bytes()) && seen < MOST_TERMS {
                seen += 1;
                steps.step()?;
                found.extend(self.drain(index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?)?);
            }
            found.sort_unstable();
            found.dedup();
            Ok(found)
        })
    }

    /// Lines with a word `edits` edits away (a transposition is one edit), or with one that begins so.
    /// Short words have no misspellings.
    pub(crate) fn with_misspelt(&self, word: &str, edits: u8, beginning: bool) -> Result<Documents> {
        use tantivy::query::FuzzyTermQuery;
        let shortest = if edits > 1 { SHORTEST_TWICE_FUZZY } else { SHORTEST_FUZZY };
        if word.starts_with(['#', '=']) || word.chars().count() < shortest {
            return Ok(Vec::new());
        }
        let term = Term::from_field_text(self.fields.word, word);
        let query = if beginning {
            FuzzyTermQuery::new_prefix(term, edits, true)
        } else {
            FuzzyTermQuery::new(term, edits, true)
        };
        self.index.walk(self.cancel, |segment, steps| {
            let index = segment.inverted_index(self.fields.word)?;
            let mut terms = index.terms().search(query.automaton()?).into_stream()?;
            // A bit for each document: many words may be near.
            let mut fits = vec![0_u64; self.index.documents().div_ceil(64) as usize];
            let mut met = 0;
            while terms.advance() {
                met += 1;
                steps.step()?;
                if met > self.index.most_terms() {
                    return Err(damaged_index("more terms than it has room for"));
                }
                for document in
                    self.drain(index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?)?
                {
                    if let Some(word) = fits.get_mut(document as usize / 64) {
                        *word |= 1 << (document % 64);
                    }
                }
            }
            let mut found = Vec::new();
            for (first, bits) in (0_u32..).step_by(64).zip(fits) {
                let mut rest = bits;
                while rest != 0 {
                    found.push(first + rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
            Ok(found)
        })
    }
}

/// What stands in both.
pub(crate) fn intersect(a: &[u32], b: &[u32]) -> Documents {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut found = Vec::with_capacity(short.len());
    let mut rest = long;
    for document in short {
        let at = rest.partition_point(|other| other < document);
        rest = rest.get(at..).unwrap_or_default();
        if rest.first() == Some(document) {
            found.push(*document);
        }
    }
    found
}

/// What stands in one of several, ascending.
pub(crate) fn union(sets: impl IntoIterator<Item = Documents>) -> Documents {
    let mut all: Documents = Vec::new();
    for set in sets {
        if all.is_empty() {
            all = set;
        } else {
            all.extend(set);
        }
    }
    if !all.is_sorted_by(|a, b| a < b) {
        all.sort_unstable();
        all.dedup();
    }
    all
}

/// What stands in all sets.
pub(crate) fn intersect_all<'a>(sets: impl IntoIterator<Item = &'a Documents>) -> Documents {
    let mut order: Vec<&Documents> = sets.into_iter().collect();
    order.sort_by_key(|set| set.len());
    let Some((first, rest)) = order.split_first() else { return Vec::new() };
    rest.iter().fold((*first).clone(), |found, set| intersect(&found, set))
}
