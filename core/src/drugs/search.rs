//! Finding drugs while typing: names, strengths, forms and codes in one box.
//!
//! Lines are numbered best first (names with many packages before rare ones, then by strength), so
//! the first documents of an intersection are the best ones and nothing is scored.

use rusqlite::Connection;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{DocSet as _, SegmentReader, TERMINATED, Term};

use super::catalogue::{DrugIndex, LineRow, line_row, package_row, rxnorm_codes};
use super::resolve::Drug;
use super::text::{self, release_synonyms};
use crate::coverage::{Coverage, Formulary, TermStatus};
use crate::dataset::Dataset;
use crate::fold::{self, Token};
use crate::format::{self, guard};
use crate::ids::{Ndc11, Rxcui};
use crate::plans::Plan;
use crate::{Error, Result};

/// Longest indexed beginning of a word; longer ones walk the few words that begin with them.
const LONGEST_GRAM: usize = 6;

/// Words shorter than this are never taken for a misspelling.
const SHORTEST_FUZZY: usize = 4;

/// Most terms that a beginning longer than [`LONGEST_GRAM`] is looked up in.
const MOST_TERMS: usize = 64;

/// A search for drugs.
#[derive(Clone, Debug, Default)]
pub struct DrugSearch<'a> {
    /// What was typed: words, strength, form, or (the beginning of) a code.
    pub text: &'a str,
    /// Results at most.
    pub limit: usize,
    /// Show tier and restrictions of this plan, its drugs first.
    pub plan: Option<&'a Plan>,
    /// Fill in the lists of codes.
    pub codes: bool,
}

/// One name, strength and form group, with all its labelers' products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrugLine {
    /// The name; empty if no resource names it.
    pub name: String,
    /// The strength as the payer writes it.
    pub strength: Option<String>,
    /// The form.
    pub form: Option<String>,
    /// The brand, where the payer states it.
    pub brand: Option<String>,
    /// The ingredient, where the payer states it.
    pub ingredient: Option<String>,
    /// Products, hyphenated; only if codes were asked for.
    pub product_ndcs: Vec<String>,
    /// RxNorm codes; only if codes were asked for.
    pub rxcui: Vec<Rxcui>,
    /// Packages; only if codes were asked for.
    pub ndc11: Vec<Ndc11>,
    /// How many packages it has.
    pub packages: u32,
    /// Coverage under the plan, if one was given.
    pub coverage: Option<Coverage>,
}

/// The fields of the index of drug lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// Whole words of name, strength, form, brand and ingredient; numbers begin with `#`.
    word: Field,
    /// Their beginnings.
    gram: Field,
    /// Beginnings of the first word of a name.
    lead: Field,
    /// The whole folded name.
    name: Field,
}

const FIELDS: [&str; 4] = ["word", "gram", "lead", "name"];

/// The index's schema: four fields of untokenized terms, nothing stored, no frequencies.
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

/// The terms under which a line is found: (field of [`index_schema`], term), sorted, no repeats.
#[must_use]
pub fn line_terms(
    name: &str,
    strength: Option<&str>,
    form: Option<&str>,
    form_group: Option<&str>,
    others: &[&str],
) -> Vec<(usize, String)> {
    let mut terms = Vec::new();
    let mut words: Vec<Token> = fold::tokens(name);
    for naming in std::iter::once(&name).chain(others) {
        let tokens = fold::tokens(naming);
        if let Some(first) = tokens.first() {
            terms.extend(beginnings(&indexed(first)).map(|gram| (2, gram)));
            terms.push((2, indexed(first)));
        }
        terms.push((3, fold::key(naming)));
        words.extend(tokens);
    }
    for text in [strength, form, form_group].into_iter().flatten() {
        words.extend(fold::tokens(text));
    }
    let synonyms: Vec<Token> = form_group
        .into_iter()
        .flat_map(|group| group.split(' '))
        .flat_map(release_synonyms)
        .map(|word| Token { text: (*word).to_owned(), is_number: false })
        .collect();
    words.extend(synonyms);
    for word in &words {
        let term = indexed(word);
        terms.extend(beginnings(&term).map(|gram| (1, gram)));
        terms.push((0, term));
    }
    terms.retain(|(_, term)| !term.is_empty());
    terms.sort();
    terms.dedup();
    terms
}

/// How a token stands in the index.
pub(crate) fn indexed(token: &Token) -> String {
    if token.is_number { format!("#{}", token.text) } else { text::singular(&token.text).to_owned() }
}

/// Beginnings of a word, up to the longest; of a number all.
fn beginnings(term: &str) -> impl Iterator<Item = String> + '_ {
    let (skip, longest) = if term.starts_with('#') { (1, usize::MAX) } else { (0, LONGEST_GRAM) };
    let ends = term.char_indices().map(|(at, c)| at + c.len_utf8()).skip(skip);
    ends.enumerate().take_while(move |(n, _)| *n < longest).filter_map(|(_, end)| term.get(..end)).map(str::to_owned)
}

impl Fields {
    pub(crate) fn of(schema: &Schema) -> Result<Self> {
        let field = |name: &str| schema.get_field(name).map_err(|e| Error::damaged(format::DRUG_INDEX, e.to_string()));
        let [word, gram, lead, name] = FIELDS;
        Ok(Self { word: field(word)?, gram: field(gram)?, lead: field(lead)?, name: field(name)? })
    }
}

/// Ascending document numbers.
type Documents = Vec<u32>;

impl DrugIndex {
    fn segment(&self) -> &SegmentReader {
        &self.reader.0
    }

    /// Runs a read; what tantivy asserts on damaged bytes is an error.
    fn read<T>(&self, read: impl FnOnce() -> tantivy::Result<T>) -> Result<T> {
        guard(&self.folder, || read().map_err(|e| Error::damaged(self.folder.display().to_string(), e.to_string())))
    }

    /// Walks every term once.
    pub(crate) fn check(&self) -> Result<()> {
        let fields = [self.fields.word, self.fields.gram, self.fields.lead, self.fields.name];
        self.read(|| {
            for field in fields {
                let index = self.segment().inverted_index(field)?;
                let mut terms = index.terms().stream()?;
                while terms.advance() {
                    let mut postings = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
                    while postings.doc() != TERMINATED {
                        postings.advance();
                    }
                }
            }
            Ok(())
        })
    }

    fn documents(&self, field: Field, term: &str) -> Result<Documents> {
        self.read(|| {
            let index = self.segment().inverted_index(field)?;
            let postings = index.read_postings(&Term::from_field_text(field, term), IndexRecordOption::Basic)?;
            Ok(postings.map(drain).unwrap_or_default())
        })
    }

    /// Lines with this whole word or number.
    pub(crate) fn with_word(&self, token: &Token) -> Result<Documents> {
        self.documents(self.fields.word, &indexed(token))
    }

    fn with_name(&self, name: &str) -> Result<Documents> {
        self.documents(self.fields.name, name)
    }

    /// Lines with a word that begins like this; `lead`: the first word of a name.
    fn with_beginning(&self, token: &Token, lead: bool) -> Result<Documents> {
        let term = indexed(token);
        let mut found = self.beginning_with(&term, token.is_number, lead)?;
        if !token.is_number && term != token.text {
            // `cap` is short for capsule, and how captopril begins.
            found.extend(self.beginning_with(&token.text, false, lead)?);
            found.sort_unstable();
            found.dedup();
        }
        Ok(found)
    }

    fn beginning_with(&self, term: &str, is_number: bool, lead: bool) -> Result<Documents> {
        let field = if lead { self.fields.lead } else { self.fields.gram };
        if is_number || term.chars().count() <= LONGEST_GRAM {
            return self.documents(field, term);
        }
        let field = if lead { self.fields.lead } else { self.fields.word };
        self.read(|| {
            let index = self.segment().inverted_index(field)?;
            let mut terms = index.terms().range().ge(term).into_stream()?;
            let mut found = Vec::new();
            let mut seen = 0;
            while terms.advance() && terms.key().starts_with(term.as_bytes()) && seen < MOST_TERMS {
                seen += 1;
                found.extend(drain(index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?));
            }
            found.sort_unstable();
            found.dedup();
            Ok(found)
        })
    }

    /// Lines with a word one edit away (a transposition is one edit), or with one that begins so.
    fn with_misspelt(&self, token: &Token, beginning: bool) -> Result<Documents> {
        use tantivy::query::{EnableScoring, FuzzyTermQuery, Query as _};
        if token.is_number || token.text.chars().count() < SHORTEST_FUZZY {
            return Ok(Vec::new());
        }
        let term = Term::from_field_text(self.fields.word, &indexed(token));
        let query =
            if beginning { FuzzyTermQuery::new_prefix(term, 1, true) } else { FuzzyTermQuery::new(term, 1, true) };
        self.read(|| {
            let schema = self.segment().schema();
            let weight = query.weight(EnableScoring::disabled_from_schema(schema))?;
            let mut scorer = weight.scorer(self.segment(), 1.0)?;
            let mut found = Vec::new();
            while scorer.doc() != TERMINATED {
                found.push(scorer.doc());
                scorer.advance();
            }
            Ok(found)
        })
    }
}

fn drain(mut postings: impl tantivy::DocSet) -> Documents {
    let mut found = Vec::with_capacity(postings.size_hint() as usize);
    while postings.doc() != TERMINATED {
        found.push(postings.doc());
        postings.advance();
    }
    found
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

/// Document numbers in the order in which they are shown: better classes first.
struct Ranked {
    classes: Vec<Documents>,
}

impl Dataset {
    /// Drugs that fit what was typed, best first. A misspelling of one edit is forgiven where
    /// nothing fits as typed.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read,
    /// [`Interrupted`](crate::ErrorKind::Interrupted).
    pub fn search_drugs(&self, search: &DrugSearch<'_>) -> Result<Vec<DrugLine>> {
        let ranked = match self.lines_by_code(search.text)? {
            Some(found) => Ranked { classes: vec![found.lines] },
            None => self.lines_by_words(search.text)?,
        };
        let formulary = search.plan.map(|plan| self.formulary(plan)).transpose()?.flatten();
        let shown = self.first_lines(&ranked, formulary.as_deref(), search.limit)?;
        shown.into_iter().map(|line| self.drug_line(line, search)).collect()
    }

    fn drug_line(&self, line: u32, search: &DrugSearch<'_>) -> Result<DrugLine> {
        let (row, codes) = self.inner.database.with(|connection| {
            let row = line_row(connection, line)?;
            let codes = if search.codes { Codes::of(connection, &row)? } else { Codes::default() };
            Ok((row, codes))
        })?;
        let coverage = match search.plan {
            Some(plan) => Some(self.coverage(plan, &Drug::of_line(&row))?),
            None => None,
        };
        Ok(DrugLine {
            name: row.name,
            strength: row.strength,
            form: row.form,
            brand: row.brand,
            ingredient: row.ingredient,
            product_ndcs: codes.products,
            rxcui: codes.rxcui,
            ndc11: codes.ndc11,
            packages: row.packages,
            coverage,
        })
    }

    /// The first lines of a ranking; inside a class those that the plan lists come first.
    fn first_lines(&self, ranked: &Ranked, formulary: Option<&Formulary>, limit: usize) -> Result<Vec<u32>> {
        let watch = self.inner.interrupt.watch();
        let mut shown: Vec<u32> = Vec::new();
        for class in &ranked.classes {
            let mut later = Vec::new();
            for line in class {
                if shown.len() >= limit {
                    return Ok(shown);
                }
                watch.check()?;
                if shown.contains(line) {
                    continue;
                }
                match formulary {
                    Some(formulary) if !self.lists_any(formulary, *line)? => later.push(*line),
                    _ => shown.push(*line),
                }
            }
            shown.extend(later);
        }
        shown.truncate(limit);
        Ok(shown)
    }

    fn lists_any(&self, formulary: &Formulary, line: u32) -> Result<bool> {
        for package in self.inner.drugs.line_range(&self.inner.database, line)? {
            let term = formulary.term(package)?;
            if term.is_some_and(|term| matches!(term.status, TermStatus::Listed | TermStatus::Conflict)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn lines_by_words(&self, text: &str) -> Result<Ranked> {
        let tokens = fold::tokens(text);
        let index = self.inner.drugs.index(self.inner.drugs.lines)?;
        let (Some((last, before)), Some(index)) = (tokens.split_last(), index) else {
            return Ok(Ranked { classes: Vec::new() });
        };
        let typing = !text.ends_with(char::is_whitespace);
        let mut sets: Vec<Documents> = Vec::with_capacity(tokens.len());
        for token in before {
            sets.push(index.with_word(token)?);
        }
        let exact_last = index.with_word(last)?;
        let last_set = if typing { index.with_beginning(last, false)? } else { exact_last.clone() };
        sets.push(if last_set.is_empty() { exact_last.clone() } else { last_set });
        let fitting = intersect_all(&sets);
        if !fitting.is_empty() {
            return rank(index, &tokens, fitting, &exact_last);
        }
        // Earlier words may still be beginnings (`metf 500`).
        for (token, set) in before.iter().zip(sets.iter_mut()) {
            if set.is_empty() {
                *set = index.with_beginning(token, false)?;
            }
        }
        let fitting = intersect_all(&sets);
        if !fitting.is_empty() {
            return rank(index, &tokens, fitting, &exact_last);
        }
        misspelt(index, &tokens, &sets)
    }
}

fn intersect_all(sets: &[Documents]) -> Documents {
    let mut order: Vec<&Documents> = sets.iter().collect();
    order.sort_by_key(|set| set.len());
    let Some((first, rest)) = order.split_first() else { return Vec::new() };
    rest.iter().fold((*first).clone(), |found, set| intersect(&found, set))
}

/// Exact names first, then names that begin like the first word, then the rest; of numbers still
/// being typed the finished ones first.
fn rank(index: &DrugIndex, tokens: &[Token], fitting: Documents, exact_last: &[u32]) -> Result<Ranked> {
    let name: Vec<&str> = tokens.iter().take_while(|t| !t.is_number).map(|t| t.text.as_str()).collect();
    let mut classes = Vec::new();
    if !name.is_empty() {
        classes.push(intersect(&fitting, &index.with_name(&name.join(" "))?));
    }
    if let Some(first) = tokens.first() {
        let leading = index.with_beginning(first, true)?;
        let leading = intersect(&fitting, &leading);
        if tokens.last().is_some_and(|last| last.is_number) {
            classes.push(intersect(&leading, exact_last));
        }
        classes.push(leading);
    }
    classes.push(intersect(&fitting, exact_last));
    classes.push(fitting);
    Ok(Ranked { classes })
}

/// Words that nothing has are taken for misspellings of one edit, first of whole words, then of their
/// beginnings; if every word is somewhere but they are nowhere together, all words are.
fn misspelt(index: &DrugIndex, tokens: &[Token], as_typed: &[Documents]) -> Result<Ranked> {
    let all = as_typed.iter().all(|set| !set.is_empty());
    for beginning in [false, true] {
        let mut sets = as_typed.to_vec();
        for (token, set) in tokens.iter().zip(&mut sets) {
            if !token.is_number && (all || set.is_empty()) {
                set.extend(index.with_misspelt(token, beginning)?);
                set.sort_unstable();
                set.dedup();
            }
        }
        let fitting = intersect_all(&sets);
        if !fitting.is_empty() {
            return Ok(Ranked { classes: vec![fitting] });
        }
    }
    Ok(Ranked { classes: Vec::new() })
}

/// The codes of a line.
#[derive(Default)]
pub(crate) struct Codes {
    pub(crate) products: Vec<String>,
    pub(crate) rxcui: Vec<Rxcui>,
    pub(crate) ndc11: Vec<Ndc11>,
}

impl Codes {
    pub(crate) fn of(connection: &Connection, line: &LineRow) -> rusqlite::Result<Self> {
        let mut codes = Self::default();
        let mut sets = Vec::new();
        for package in line.range() {
            let row = package_row(connection, package)?;
            codes.ndc11.extend(row.ndc11);
            let product = row.product_ndc();
            if codes.products.last() != product.as_ref() {
                codes.products.extend(product);
            }
            sets.push(row.rxnorm_set);
        }
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            codes.rxcui.extend(rxnorm_codes(connection, set)?);
        }
        codes.rxcui.sort_unstable();
        codes.rxcui.dedup();
        codes.products.sort_unstable();
        codes.products.dedup();
        Ok(codes)
    }
}
