//! The lines that fit what was typed, in classes, better ones first.
//!
//! Whole names, then names that begin so, then words anywhere, misspellings last; within these one ingredient
//! before combinations, common names before rare ones, the plain form before others.

use crate::Result;
use crate::data::{Documents, DrugWords, intersect, intersect_all, union};
use crate::dataset::Dataset;
use crate::drug_text::{SearchTerm, search_terms};

/// Longest text that is read, in bytes.
pub(crate) const LONGEST_TEXT: usize = 2_000;

/// Lines of a page, as most callers show them.
const PAGE: usize = 10;

/// Lines that are looked at to show several names.
const LOOKED_AT: usize = 400;

/// Document numbers in the order in which they are shown: better classes first.
#[derive(Default)]
pub(crate) struct Ranked {
    pub(crate) classes: Vec<Documents>,
    /// Whether a class shows several names rather than all strengths of the first.
    pub(crate) by_name: bool,
    pub(crate) misspelt: bool,
    pub(crate) ignored: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// What a plan says of a line, all its packages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Covered,
    Listed,
    NotListed,
}

impl Dataset {
    /// The lines that fit what was typed.
    pub(crate) fn ranked(&self, text: &str) -> Result<Ranked> {
        if text.len() > LONGEST_TEXT {
            return Ok(Ranked::default());
        }
        Ok(match self.lines_by_code(text)? {
            Some(found) => Ranked { classes: vec![found.lines], notes: found.notes, ..Ranked::default() },
            None => self.lines_by_words(text)?,
        })
    }

    /// The first lines of a ranking; where `stands` tells what a plan says, those of a class that it covers come
    /// first, then those that it lists.
    pub(crate) fn first_lines(
        &self,
        ranked: &Ranked,
        limit: usize,
        stands: impl Fn(u32) -> Result<Option<Standing>>,
    ) -> Result<Vec<u32>> {
        let mut shown: Vec<u32> = Vec::new();
        for class in &ranked.classes {
            let order = if ranked.by_name { self.several_names(class)? } else { None };
            let (mut listed, mut others) = (Vec::new(), Vec::new());
            for line in order.as_deref().unwrap_or(class) {
                if shown.len() >= limit {
                    return Ok(shown);
                }
                self.cancel.check()?;
                if shown.contains(line) {
                    continue;
                }
                match stands(*line)? {
                    None | Some(Standing::Covered) => shown.push(*line),
                    Some(Standing::Listed) => listed.push(*line),
                    Some(Standing::NotListed) => others.push(*line),
                }
            }
            shown.extend(listed);
            shown.extend(others);
        }
        shown.truncate(limit);
        Ok(shown)
    }

    /// The lines of a class so that a page shows several names where there are several, each with its
    /// first lines; `None`: the class as it is.
    pub(crate) fn several_names(&self, class: &[u32]) -> Result<Option<Documents>> {
        if class.len() <= PAGE {
            return Ok(None);
        }
        let database = &self.inner.database;
        let looked_at = class.iter().take(LOOKED_AT);
        let mut names: Vec<(usize, Vec<u32>)> = Vec::new();
        for line in looked_at {
            let name = self.inner.drugs.name_of(database, *line)?;
            match names.last_mut() {
                Some((last, lines)) if *last == name => lines.push(*line),
                _ => names.push((name, vec![*line])),
            }
        }
        let each = PAGE.checked_div(names.len()).unwrap_or(0).max(1);
        let first = names.iter().flat_map(|(_, lines)| lines.iter().take(each)).copied();
        let rest = names.iter().flat_map(|(_, lines)| lines.iter().skip(each)).copied();
        let order: Documents = first.chain(rest).chain(class.iter().skip(LOOKED_AT).copied()).collect();
        Ok(Some(order))
    }

    fn lines_by_words(&self, text: &str) -> Result<Ranked> {
        let Some(index) = self.inner.drugs.words(&self.inner.database, &self.cancel)? else {
            return Ok(Ranked::default());
        };
        let typing = !text.ends_with(char::is_whitespace);
        let mut pieces = Pieces::look_up(index, search_terms(text), typing)?;
        if pieces.terms.is_empty() {
            return Ok(Ranked::default());
        }
        let mut misspelt = false;
        let mut fitting = pieces.fitting();
        if fitting.is_empty() {
            pieces.set_idle_aside();
            pieces.begin_earlier_words(index)?;
            fitting = pieces.fitting();
        }
        if fitting.is_empty() {
            misspelt = pieces.forgive(index)?;
            fitting = pieces.fitting();
        }
        if fitting.is_empty() {
            pieces.set_unknown_aside();
            fitting = pieces.fitting();
        }
        if fitting.is_empty() && !misspelt {
            let mut forgiven = pieces.clone();
            if forgiven.forgive_all(index)? && !forgiven.fitting().is_empty() {
                pieces = forgiven;
                misspelt = true;
                fitting = pieces.fitting();
            }
        }
        while fitting.is_empty() && pieces.set_one_aside() {
            fitting = pieces.fitting();
        }
        let ignored = pieces.ignored();
        if fitting.is_empty() {
            return Ok(Ranked::default());
        }
        if misspelt {
            return Ok(Ranked { classes: vec![fitting], by_name: true, misspelt, ignored, ..Ranked::default() });
        }
        pieces.rank(index, fitting, ignored)
    }
}

/// The pieces of a typed text with the lines that have each.
#[derive(Clone)]
struct Pieces {
    terms: Vec<Piece>,
    typing: bool,
}

#[derive(Clone)]
struct Piece {
    term: SearchTerm,
    /// Lines that have it, or what is being typed begins.
    lines: Documents,
    /// Lines that have it as a whole.
    exact: Documents,
    is_aside: bool,
}

impl Pieces {
    fn look_up(index: DrugWords<'_>, terms: Vec<SearchTerm>, typing: bool) -> Result<Self> {
        let count = terms.len();
        let mut pieces = Vec::with_capacity(count);
        for (at, term) in terms.into_iter().enumerate() {
            let exact = exact_lines(index, &term)?;
            let last = at + 1 == count && typing;
            let mut lines = if last { beginning_lines(index, &term, false)? } else { Vec::new() };
            for becoming in &term.may_become {
                lines = union([lines, index.with_word(becoming)?]);
            }
            if lines.is_empty() {
                lines.clone_from(&exact);
            } else if !exact.is_empty() {
                lines = union([lines, exact.clone()]);
            }
            pieces.push(Piece { term, lines, exact, is_aside: false });
        }
        Ok(Self { terms: pieces, typing })
    }

    fn used(&self) -> impl Iterator<Item = &Piece> {
        self.terms.iter().filter(|piece| !piece.is_aside)
    }

    fn fitting(&self) -> Documents {
        intersect_all(self.used().map(|piece| &piece.lines))
    }

    /// Directions and glue play no part where they stand in the way.
    fn set_idle_aside(&mut self) {
        if self.terms.iter().any(|piece| !piece.term.is_idle) {
            self.terms.iter_mut().filter(|piece| piece.term.is_idle).for_each(|piece| piece.is_aside = true);
        }
    }

    /// Earlier words may still be beginnings (`metf 500`).
    fn begin_earlier_words(&mut self, index: DrugWords<'_>) -> Result<()> {
        for piece in self.terms.iter_mut().filter(|piece| !piece.is_aside && piece.lines.is_empty()) {
            piece.lines = beginning_lines(index, &piece.term, false)?;
        }
        Ok(())
    }

    /// Words that nothing has are taken for misspellings: of whole words, then of beginnings, then of
    /// two letters. Whether one was.
    fn forgive(&mut self, index: DrugWords<'_>) -> Result<bool> {
        let mut forgiven = false;
        for piece in self.terms.iter_mut().filter(|piece| !piece.is_aside && piece.lines.is_empty()) {
            piece.lines = misspelt_lines(index, &piece.term)?;
            forgiven |= !piece.lines.is_empty();
        }
        Ok(forgiven)
    }

    /// Every word is somewhere, but they are nowhere together: each may be misspelt.
    fn forgive_all(&mut self, index: DrugWords<'_>) -> Result<bool> {
        let mut forgiven = false;
        for piece in self.terms.iter_mut().filter(|piece| !piece.is_aside && piece.term.is_name) {
            let more = misspelt_lines(index, &piece.term)?;
            forgiven |= !more.is_empty();
            piece.lines = union([std::mem::take(&mut piece.lines), more]);
        }
        Ok(forgiven)
    }

    /// What nothing has is ignored where other words find something.
    fn set_unknown_aside(&mut self) {
        if self.used().any(|piece| !piece.lines.is_empty() && piece.term.is_name) {
            self.terms.iter_mut().filter(|piece| piece.lines.is_empty()).for_each(|piece| piece.is_aside = true);
        }
    }

    /// Sets the last piece aside that is no word of a name, then the last of all, so that the others
    /// find something; false where only one is left.
    fn set_one_aside(&mut self) -> bool {
        if self.used().count() < 2 {
            return false;
        }
        let last = |pieces: &[Piece], which: fn(&Piece) -> bool| pieces.iter().rposition(|p| !p.is_aside && which(p));
        let at = last(&self.terms, |piece| !piece.term.is_name).or_else(|| last(&self.terms, |_| true));
        match at.and_then(|at| self.terms.get_mut(at)) {
            Some(piece) => {
                piece.is_aside = true;
                true
            }
            None => false,
        }
    }

    fn ignored(&self) -> Vec<String> {
        let mut ignored: Vec<String> = Vec::new();
        for piece in self.terms.iter().filter(|piece| piece.is_aside) {
            if ignored.last() != Some(&piece.term.typed) {
                ignored.push(piece.term.typed.clone());
            }
        }
        ignored
    }

    /// Exact names first, then names that begin like the first word, then the rest; of numbers still
    /// being typed the finished ones first.
    fn rank(&self, index: DrugWords<'_>, fitting: Documents, ignored: Vec<String>) -> Result<Ranked> {
        let used: Vec<&Piece> = self.used().collect();
        let is_word = |piece: &Piece| !piece.term.any.iter().any(|term| term.starts_with(['#', '=']));
        let named: Vec<&&Piece> = used.iter().take_while(|piece| is_word(piece) && piece.term.is_name).collect();
        let mut classes = Vec::new();
        let mut whole_name = false;
        let last_exact = intersect_all(
            used.iter().filter(|piece| !is_word(piece)).chain(used.last()).map(|piece| &piece.exact).chain([&fitting]),
        );
        if !named.is_empty() {
            let name: Vec<&str> = named.iter().map(|piece| piece.term.typed.as_str()).collect();
            let mut exact = index.with_name(&name.join(" "))?;
            if let [only] = named.as_slice() {
                for word in only.term.any.iter().filter(|word| **word != only.term.typed) {
                    exact = union([exact, index.with_name(word)?]);
                }
            }
            let exact = intersect(&fitting, &exact);
            whole_name = !exact.is_empty();
            classes.push(intersect(&exact, &last_exact));
            classes.push(exact);
        }
        if let Some(first) = used.first().filter(|piece| is_word(piece)) {
            let leading = intersect(&fitting, &beginning_lines(index, &first.term, true)?);
            classes.push(intersect(&leading, &last_exact));
            classes.push(leading);
        }
        classes.push(last_exact);
        classes.push(fitting);
        let typed_more = used.iter().any(|piece| !is_word(piece));
        Ok(Ranked { classes, by_name: self.typing && !typed_more && !whole_name, ignored, ..Ranked::default() })
    }
}

/// Lines with one of a term's words, or with all of its parts.
fn exact_lines(index: DrugWords<'_>, term: &SearchTerm) -> Result<Documents> {
    let mut sets = Vec::with_capacity(term.any.len());
    for word in &term.any {
        sets.push(index.with_word(word)?);
    }
    let found = union(sets);
    if !found.is_empty() || term.else_all.is_empty() {
        return Ok(found);
    }
    let parts = term.else_all.iter().map(|word| index.with_word(word)).collect::<Result<Vec<_>>>()?;
    Ok(intersect_all(&parts))
}

/// Lines with a word that begins like one of a term's.
fn beginning_lines(index: DrugWords<'_>, term: &SearchTerm, lead: bool) -> Result<Documents> {
    let mut sets = Vec::with_capacity(term.any.len());
    for word in term.any.iter().filter(|word| !word.starts_with('=')) {
        sets.push(index.with_beginning(word, lead)?);
    }
    Ok(union(sets))
}

/// Lines with a word that a term may be a misspelling of: the nearest kind that there is.
fn misspelt_lines(index: DrugWords<'_>, term: &SearchTerm) -> Result<Documents> {
    for (edits, beginning) in [(1, false), (1, true), (2, false)] {
        let found = index.with_misspelt(&term.typed, edits, beginning)?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}
