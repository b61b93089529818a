//! Finding drugs while typing: names, strengths, forms and codes in one box.
//!
//! Best first: whole names, then names that begin so, then words anywhere, misspellings last; within
//! these one ingredient before combinations, common names before rare ones, the plain form before
//! others, and with a plan what it covers before what it does not.

use rusqlite::Connection;

use super::catalogue::{LineRow, line_row, package_row, rxnorm_codes};
use super::drug::Drug;
use super::index::{Documents, DrugIndex, intersect, intersect_all, union};
use super::text::{SearchTerm, search_terms};
use crate::Result;
use crate::coverage::{Coverage, Formulary, TermStatus};
use crate::dataset::Dataset;
use crate::ids::{Ndc11, PlanId, Rxcui};
use crate::origin::Origin;
use crate::page::{LARGEST_PAGE, PageToken};
use crate::plans::{DrugBenefit, Plan};

/// Longest text that is read, in bytes.
pub(super) const LONGEST_TEXT: usize = 2_000;

/// Lines of a page, as most callers show them.
const PAGE: usize = 10;

/// Lines that are looked at to show several names.
const LOOKED_AT: usize = 400;

/// A search for drugs.
#[derive(Clone, Debug, Default)]
pub struct DrugSearch {
    /// What was typed: words, strength, form, or (the beginning of) a code.
    pub text: String,
    /// Results at most.
    pub limit: usize,
    /// Show tier and restrictions of this plan, its drugs first.
    pub plan: Option<Plan>,
    /// Fill in the lists of codes.
    pub codes: bool,
    /// The page to show, as the one before it says; `None`: the first.
    pub page: Option<PageToken>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugPage {
    /// What was typed.
    pub query: String,
    /// The plan whose tiers are shown.
    pub plan: Option<PlanId>,
    /// Drugs, best first.
    pub lines: Vec<DrugLine>,
    /// What was typed and played no part, because nothing that the other words find has it.
    pub ignored: Vec<String>,
    /// How a code was read, or why it could not be.
    pub notes: Vec<String>,
    /// What to ask with for the drugs behind these; `None`: there are none.
    pub next: Option<PageToken>,
    /// Whether the plan's drug list is complete; `None` without a plan.
    pub complete: Option<bool>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// One drug, with all its labelers' products.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Whether it was found by forgiving a misspelling.
    pub misspelt: bool,
    /// Coverage under the plan, if one was given.
    pub coverage: Option<Coverage>,
}

/// Document numbers in the order in which they are shown: better classes first.
#[derive(Default)]
struct Ranked {
    classes: Vec<Documents>,
    /// Whether a class shows several names rather than all strengths of the first.
    by_name: bool,
    misspelt: bool,
    ignored: Vec<String>,
    notes: Vec<String>,
}

impl Dataset {
    /// Drugs that fit what was typed, best first. A misspelling is forgiven where nothing fits as
    /// typed: one letter, or two in words of seven letters and more.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read,
    /// [`Interrupted`](crate::ErrorKind::Interrupted).
    pub fn search_drugs(&self, search: &DrugSearch) -> Result<DrugPage> {
        let question = || format!("drugs {:?} {:?}", search.text, search.plan.as_ref().map(|plan| &plan.id));
        let dataset = &self.inner.manifest.dataset;
        let offset = search.page.as_ref().map_or(Ok(0), |page| page.offset(dataset, &question()))?;
        let end = offset.saturating_add(search.limit.min(LARGEST_PAGE));
        let ranked = if search.text.len() > LONGEST_TEXT { Ranked::default() } else { self.ranked(&search.text)? };
        let formulary = search.plan.as_ref().map(|plan| self.formulary(plan)).transpose()?.flatten();
        // One more than is shown tells whether there are more.
        let mut shown = self.first_lines(&ranked, formulary.as_deref(), end.saturating_add(1))?;
        let next = (shown.len() > end).then(|| PageToken::issue(dataset, &question(), end));
        shown.truncate(end);
        let lines = shown.into_iter().skip(offset).map(|line| self.drug_line(line, search, ranked.misspelt));
        Ok(DrugPage {
            lines: lines.collect::<Result<_>>()?,
            query: search.text.clone(),
            plan: search.plan.as_ref().map(|plan| plan.id.clone()),
            ignored: ranked.ignored,
            notes: ranked.notes,
            next,
            complete: search.plan.as_ref().map(|plan| plan.drugs == DrugBenefit::Complete),
            origin: self.origin(),
        })
    }

    fn ranked(&self, text: &str) -> Result<Ranked> {
        Ok(match self.lines_by_code(text)? {
            Some(found) => Ranked { classes: vec![found.lines], notes: found.notes, ..Ranked::default() },
            None => self.lines_by_words(text)?,
        })
    }

    fn drug_line(&self, line: u32, search: &DrugSearch, misspelt: bool) -> Result<DrugLine> {
        let row = self.inner.database.with(|connection| line_row(connection, line))?;
        let coverage = match &search.plan {
            Some(plan) => Some(self.coverage(plan, &self.drug_of_line(&row))?),
            None => None,
        };
        Ok(DrugLine { misspelt, ..self.shown_line(row, search.codes, coverage)? })
    }

    /// All packages of a line, as a drug.
    pub(crate) fn drug_of_line(&self, row: &LineRow) -> Drug {
        Drug::of_line(&self.inner.manifest.dataset, row)
    }

    /// A line as it is shown, with its codes if they are wanted.
    pub(crate) fn shown_line(&self, row: LineRow, codes: bool, coverage: Option<Coverage>) -> Result<DrugLine> {
        let codes = match codes {
            true => self.inner.database.with(|connection| Codes::of(connection, &row))?,
            false => Codes::default(),
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
            misspelt: false,
            coverage,
        })
    }

    /// The first lines of a ranking; inside a class those that the plan covers come first, then those
    /// that it lists.
    fn first_lines(&self, ranked: &Ranked, formulary: Option<&Formulary>, limit: usize) -> Result<Vec<u32>> {
        let cancel = &self.cancel;
        let mut shown: Vec<u32> = Vec::new();
        for class in &ranked.classes {
            let order = if ranked.by_name { self.several_names(class)? } else { None };
            let (mut listed, mut others) = (Vec::new(), Vec::new());
            for line in order.as_deref().unwrap_or(class) {
                if shown.len() >= limit {
                    return Ok(shown);
                }
                cancel.check()?;
                if shown.contains(line) {
                    continue;
                }
                match formulary.map(|formulary| self.standing(formulary, *line)).transpose()? {
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
    fn several_names(&self, class: &[u32]) -> Result<Option<Documents>> {
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

    fn standing(&self, formulary: &Formulary, line: u32) -> Result<Standing> {
        let mut standing = Standing::NotListed;
        for package in self.inner.drugs.line_range(&self.inner.database, line)? {
            let Some(term) = formulary.term(package)? else { continue };
            if term.is_covered() {
                return Ok(Standing::Covered);
            }
            if matches!(term.status, TermStatus::Listed | TermStatus::Conflict) {
                standing = Standing::Listed;
            }
        }
        Ok(standing)
    }

    fn lines_by_words(&self, text: &str) -> Result<Ranked> {
        let Some(index) = self.inner.drugs.index(self.inner.drugs.lines)? else { return Ok(Ranked::default()) };
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

/// What a plan says of a line, all its packages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Covered,
    Listed,
    NotListed,
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
    fn look_up(index: &DrugIndex, terms: Vec<SearchTerm>, typing: bool) -> Result<Self> {
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
    fn begin_earlier_words(&mut self, index: &DrugIndex) -> Result<()> {
        for piece in self.terms.iter_mut().filter(|piece| !piece.is_aside && piece.lines.is_empty()) {
            piece.lines = beginning_lines(index, &piece.term, false)?;
        }
        Ok(())
    }

    /// Words that nothing has are taken for misspellings: of whole words, then of beginnings, then of
    /// two letters. Whether one was.
    fn forgive(&mut self, index: &DrugIndex) -> Result<bool> {
        let mut forgiven = false;
        for piece in self.terms.iter_mut().filter(|piece| !piece.is_aside && piece.lines.is_empty()) {
            piece.lines = misspelt_lines(index, &piece.term)?;
            forgiven |= !piece.lines.is_empty();
        }
        Ok(forgiven)
    }

    /// Every word is somewhere, but they are nowhere together: each may be misspelt.
    fn forgive_all(&mut self, index: &DrugIndex) -> Result<bool> {
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
    fn rank(&self, index: &DrugIndex, fitting: Documents, ignored: Vec<String>) -> Result<Ranked> {
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
fn exact_lines(index: &DrugIndex, term: &SearchTerm) -> Result<Documents> {
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
fn beginning_lines(index: &DrugIndex, term: &SearchTerm, lead: bool) -> Result<Documents> {
    let mut sets = Vec::with_capacity(term.any.len());
    for word in term.any.iter().filter(|word| !word.starts_with('=')) {
        sets.push(index.with_beginning(word, lead)?);
    }
    Ok(union(sets))
}

/// Lines with a word that a term may be a misspelling of: the nearest kind that there is.
fn misspelt_lines(index: &DrugIndex, term: &SearchTerm) -> Result<Documents> {
    for (edits, beginning) in [(1, false), (1, true), (2, false)] {
        let found = index.with_misspelt(&term.typed, edits, beginning)?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
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
