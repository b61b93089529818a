//! What a drug question means: a code, or a text that names one drug.
//!
//! A text is held against every drug of the catalogue that has its words. Those that it names as they
//! are answer, if they are one; those that it may mean stand beside, and a plan that lists none but
//! such is told so.
//!
//! Why not the nearest drug? A person reads "covered" and takes the medicine: another salt, release,
//! strength or combination must not answer. Why is a plain form preferred, and a salt never? A text
//! without a release word means the plain form to whoever writes it; a text without a salt means
//! whatever the writer knows, and metoprolol tartrate and succinate are taken differently.

use std::collections::BTreeSet;

use super::candidates::MOST_CANDIDATES;
use super::drug::{Beside, Candidate, Drug, Resolution};
use super::ranked::LONGEST_TEXT;
use crate::data::intersect;
use crate::data::{LineRow, line_row};
use crate::dataset::Dataset;
use crate::drug_text::{DrugText, Fit, Identity, Named, Question, is_ester, is_free_base};
use crate::fold::one_spelling;
use crate::{Error, Result};

/// Lines that a text is compared with at most; a text that fits more is no drug's name.
const MOST_LINES: usize = 4_000;

/// Lines that are compared one by one rather than looked up by their salts too.
const FEW_LINES: usize = 500;

/// A line with what it is and how it fits.
struct Fitting {
    row: LineRow,
    identity: Identity,
    fit: Fit,
    /// The question is its own full text.
    is_exact: bool,
    /// The question is the text by which it is shown.
    is_titled: bool,
    /// Other strengths that the payer gives its packages, by text: nobody knows which drug it is.
    contested: Vec<String>,
}

impl Dataset {
    /// Resolves a drug question: an NDC in any spelling, a product NDC, an RxNorm code, or a text
    /// that names a drug. A text that fits several drugs, or none, is an answer, not an error.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Resolution};
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert_eq!(dataset.drug("99001-0120-30")?.resolution(), Resolution::Found);
    /// assert_eq!(dataset.drug("atorvastatin 30 mg")?.resolution(), Resolution::NotFound);
    /// let drug = dataset.drug("metoprolol 50 mg")?; // tartrate, or succinate, which is released otherwise
    /// assert_eq!((drug.resolution(), drug.candidates().len()), (Resolution::Ambiguous, 2));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) for an empty text or digits that are no code,
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn drug(&self, text: &str) -> Result<Drug> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(
                Error::invalid("drug", "nothing was asked for").with_hint("name a drug, an NDC or an RxNorm code")
            );
        }
        if trimmed.len() > LONGEST_TEXT {
            let message = format!("the text has {} bytes; a drug's has {LONGEST_TEXT} at most", trimmed.len());
            return Ok(Drug::not_understood(self, text, &Error::invalid("drug", message)));
        }
        if let Some(drug) = self.drug_by_code(text)? {
            return Ok(drug);
        }
        self.drug_by_text(text)
    }

    fn drug_by_text(&self, text: &str) -> Result<Drug> {
        let question = Question::read(text);
        // The payer's own text, typed back, is read as it was when the dataset was built.
        let typed = Typed { own: DrugText::parse(text).own_identity(), title: one_spelling(text), question: &question };
        let mut fitting = self.fitting_lines(&typed)?;
        // A title of numbers and words that name nothing is found as one that is being typed.
        let near = if fitting.is_empty() { self.lines_while_typing(text)? } else { Vec::new() };
        for row in &near {
            fitting.extend(typed.fitting(row.clone())?.filter(|line| line.is_titled));
        }
        let (same, may_be): (Vec<Fitting>, Vec<Fitting>) =
            fitting.into_iter().partition(|line| line.fit == Fit::Same && line.contested.is_empty());
        if same.is_empty() && may_be.is_empty() {
            return self.no_such_drug(text, &question, &near);
        }
        let chosen = Chosen::of(&question, same);
        let ignored = question.ignored();
        if let ([one], false) = (chosen.answering.as_slice(), chosen.is_open) {
            let mut drug = self.new_drug(text, Resolution::Found);
            drug.title = Some(one.row.title());
            drug.packages = one.row.range().collect();
            drug.ignored = ignored;
            for other in chosen.beside.iter().chain(&may_be) {
                drug.beside.push(Beside { packages: other.row.range(), candidate: self.candidate(&other.row)? });
            }
            return Ok(drug);
        }
        let mut offered: Vec<Fitting> = chosen.answering;
        offered.extend(chosen.beside);
        if offered.is_empty() || !may_be.is_empty() {
            offered.extend(may_be);
        }
        let mut drug = self.new_drug(text, Resolution::Ambiguous);
        drug.candidates =
            self.candidates(&offered.iter().map(|line| (&line.row, &line.identity)).collect::<Vec<_>>())?;
        for title in offered.iter().flat_map(|line| &line.contested) {
            drug.candidates.push(Candidate { name: title.clone(), ..Candidate::default() });
        }
        drug.candidates.truncate(MOST_CANDIDATES);
        drug.ignored = ignored;
        Ok(drug)
    }

    /// Nothing has this name: what is found while typing it are the candidates.
    fn no_such_drug(&self, text: &str, question: &Question, near: &[LineRow]) -> Result<Drug> {
        let mut drug = self.new_drug(text, Resolution::NotFound);
        drug.ignored = question.ignored();
        drug.candidates = near.iter().map(|row| self.candidate(row)).collect::<Result<_>>()?;
        Ok(drug)
    }

    /// The first lines that are found while a text is typed.
    fn lines_while_typing(&self, text: &str) -> Result<Vec<LineRow>> {
        let lines = self.first_lines(&self.ranked(text)?, MOST_CANDIDATES, |_| Ok(None))?;
        lines.into_iter().map(|line| self.inner.database.with(|connection| line_row(connection, line))).collect()
    }

    /// Lines that the question names, or may mean.
    fn fitting_lines(&self, typed: &Typed<'_>) -> Result<Vec<Fitting>> {
        let question = typed.question;
        let Some(index) = self.inner.drugs.words(&self.inner.database, &self.cancel)? else { return Ok(Vec::new()) };
        let mut found: Option<Vec<u32>> = None;
        for word in question.telling() {
            let set = index.with_word(word)?;
            found = Some(found.map_or(set.clone(), |found| intersect(&found, &set)));
        }
        // Salts and forms are looked up only where the other words leave too much (potassium chloride).
        if found.as_ref().is_none_or(|found| found.len() > FEW_LINES) {
            for word in question.naming() {
                let set = index.with_word(word)?;
                if set.is_empty() && found.is_some() {
                    continue;
                }
                found = Some(found.map_or(set.clone(), |found| intersect(&found, &set)));
            }
        }
        let cancel = &self.cancel;
        let mut lines = Vec::new();
        for line in found.unwrap_or_default().into_iter().take(MOST_LINES) {
            cancel.check()?;
            let row = self.inner.database.with(|connection| line_row(connection, line))?;
            lines.extend(typed.fitting(row)?);
        }
        Ok(lines)
    }
}

/// A typed text, as a question and as the texts that it may repeat.
struct Typed<'a> {
    question: &'a Question,
    own: Identity,
    title: String,
}

impl Typed<'_> {
    /// How a line fits, if it does, by its own text or by another that the payer gives its packages.
    fn fitting(&self, row: LineRow) -> Result<Option<Fitting>> {
        let identity = row.read_identity()?;
        let aside: BTreeSet<String> = row.aside.iter().flat_map(|words| words.split(' ')).map(str::to_owned).collect();
        let also = other_readings(&row)?;
        let fits = |identity: &Identity| self.question.fit(Named { identity, aside: &aside });
        let is_titled = one_spelling(&row.title()) == self.title;
        let is_exact = is_titled || (self.own.is_complete() && identity.is_named_by(&self.own));
        let mut fit = if is_exact { Fit::Same } else { fits(&identity) };
        for other in &also {
            if fit == Fit::No && fits(&other.identity) != Fit::No {
                fit = Fit::MayBe;
            }
        }
        let contested = also.into_iter().filter(|other| other.contests).map(|other| other.title).collect();
        Ok((fit != Fit::No).then_some(Fitting { row, identity, fit, is_exact, is_titled, contested }))
    }
}

/// Another text that the payer gives a line's packages.
struct OtherReading {
    identity: Identity,
    title: String,
    /// It states another strength; else another name.
    contests: bool,
}

fn other_readings(row: &LineRow) -> Result<Vec<OtherReading>> {
    let damaged = || Error::damaged(crate::format::DATABASE, format!("drug line {} has unreadable texts", row.id));
    let lines = row.also.iter().flat_map(|also| also.lines());
    lines
        .map(|line| {
            let (mark, line) = line.split_at_checked(1).ok_or_else(damaged)?;
            let (identity, title) = line.split_once('\t').ok_or_else(damaged)?;
            let identity = Identity::decode(identity).ok_or_else(damaged)?;
            Ok(OtherReading { identity, title: title.to_owned(), contests: mark == "!" })
        })
        .collect()
}

/// What the payer calls a line's packages elsewhere.
pub(super) fn other_names(row: &LineRow) -> Result<Vec<String>> {
    Ok(other_readings(row)?.into_iter().map(|other| other.title).collect())
}

/// Whether a plain drug is the plain form of a released one: a tablet or capsule of any tablet or
/// capsule, else the same form. Esomeprazole's injection must not answer for its delayed-release capsule.
fn has_plain_form(released: &Identity, plain: &Identity) -> bool {
    let form = released.form.plain();
    plain.form == form || (plain.form.is_solid() && form.is_solid())
}

/// Which of the lines that a question names as they are answer.
#[derive(Default)]
struct Chosen {
    answering: Vec<Fitting>,
    beside: Vec<Fitting>,
    /// Nothing may answer alone: salts that are different drugs, or a release that was not said.
    is_open: bool,
}

impl Chosen {
    fn of(question: &Question, mut lines: Vec<Fitting>) -> Self {
        let mut chosen = Self::default();
        // A text that is the whole of an incomplete line's means it as much as the complete lines beside it.
        if lines.iter().any(|line| line.is_titled && !line.identity.is_complete()) && lines.len() > 1 {
            lines.sort_by_key(|line| !line.is_titled);
            chosen.is_open = true;
            chosen.answering = lines;
            return chosen;
        }
        // Texts that leave strength or form open stand beside those that state them.
        if lines.iter().any(|line| line.identity.is_complete()) {
            let incomplete = |line: &mut Fitting| !line.identity.is_complete();
            chosen.beside.extend(lines.extract_if(.., incomplete));
        } else if lines.iter().any(|line| !line.identity.strengths.is_empty()) {
            chosen.beside.extend(lines.extract_if(.., |line| line.identity.strengths.is_empty()));
        }
        // The payer's own full text means its own line, where neither salt, release nor form is in question; the text
        // by which it is shown says its form.
        if let Some(exact) = lines.iter().find(|line| line.is_titled).or(lines.iter().find(|line| line.is_exact)) {
            let same = |line: &Fitting| {
                line.identity.salts() == exact.identity.salts()
                    && line.identity.release == exact.identity.release
                    && (exact.is_titled || line.identity.form == exact.identity.form)
            };
            let by_title = exact.is_titled;
            if lines.iter().all(same) {
                chosen
                    .beside
                    .extend(lines.extract_if(.., |line| if by_title { !line.is_titled } else { !line.is_exact }));
            }
        }
        // A salt that is named sets aside what names none.
        let names = |line: &Fitting| question.salts().any(|salt| line.identity.salts().contains(salt));
        if lines.iter().any(names) {
            chosen.beside.extend(lines.extract_if(.., |line| !names(line)));
        }
        let salted: BTreeSet<BTreeSet<&str>> =
            lines.iter().map(|line| line.identity.salts()).filter(|salts| !salts.is_empty()).collect();
        if salted.len() > 1 {
            chosen.is_open = true;
            chosen.answering = lines;
            return chosen;
        }
        // The name of a base that is a drug of its own, and names beside an ester, mean themselves.
        let is_base = |line: &Fitting| line.identity.salts().is_empty() && line.identity.words().any(is_free_base);
        let has_ester = salted.iter().flatten().any(|salt| is_ester(salt));
        let any_unsalted = lines.iter().any(|line| line.identity.salts().is_empty());
        drop(salted);
        // Of another form than any base it may be what is meant: mupirocin's ointment, its calcium's cream.
        let bases: BTreeSet<_> =
            lines.iter().filter(|line| line.identity.salts().is_empty()).map(|line| line.identity.form.key()).collect();
        let same_forms = lines.iter().all(|line| bases.contains(&line.identity.form.key()));
        if same_forms && (lines.iter().any(is_base) || (has_ester && any_unsalted)) {
            chosen.beside.extend(lines.extract_if(.., |line| !line.identity.salts().is_empty()));
        }
        if !question.has_release() {
            let plain: Vec<Identity> =
                lines.iter().filter(|line| line.identity.is_plain()).map(|line| line.identity.clone()).collect();
            let every_form_has_plain = lines
                .iter()
                .filter(|line| !line.identity.is_plain())
                .all(|line| plain.iter().any(|other| has_plain_form(&line.identity, other)));
            if plain.is_empty() || !every_form_has_plain {
                chosen.is_open = true;
            } else {
                lines.retain(|line| line.identity.is_plain());
            }
        }
        chosen.answering = lines;
        chosen
    }
}
