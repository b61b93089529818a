//! What somebody typed, and how it fits a drug of the catalogue.

use std::collections::BTreeSet;

use super::fit::Fit;
use super::forms::FormGroup;
use super::grammar::{ItemKind, read};
use super::identity::Identity;
use super::line::{DrugText, per_all};
use super::release::Release;
use super::strength::{Fraction, Strength, StrengthFit};
use super::words::{
    FormWord, ReleaseWord, ends_like_salt, form, is_device, is_direction, is_glue, is_instruction, is_insulin,
    is_metal, is_release_filler, release, said_for, salt,
};

/// A typed text, taken apart. A word may be several things; the drug that it is held against decides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    words: Vec<Word>,
    strengths: Vec<Typed>,
    hours: Vec<u16>,
    quantity: Option<Fraction>,
    /// A pack's own text: its words, and those that may stand beside them.
    pack: Option<(BTreeSet<String>, BTreeSet<String>)>,
}

/// A typed word with all that it may be.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    /// The words that it stands for in a name.
    names: Vec<String>,
    salt: Option<String>,
    form: Option<FormWord>,
    release: Option<ReleaseWord>,
    is_first: bool,
    /// Directions that surround it make it one.
    is_direction: bool,
    in_parentheses: bool,
    /// Its place among words and strengths.
    at: usize,
}

/// A typed strength with its place.
#[derive(Clone, Debug)]
struct Typed {
    strength: Strength,
    /// The number as typed, for a number without a unit: it may be a name's.
    number: Option<String>,
    at: usize,
}

/// A drug of the catalogue as a question is held against it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    pub(crate) identity: &'a Identity,
    /// Words that may be typed and need not be: in parentheses, or ingredients beside a brand.
    pub(crate) aside: &'a BTreeSet<String>,
}

impl Question {
    /// Reads what was typed.
    pub(crate) fn read(text: &str) -> Self {
        let pack = text.trim_start().starts_with('{').then(|| {
            let pack = DrugText::parse(text);
            (pack.identity.words().map(str::to_owned).collect(), pack.aside)
        });
        let (_, items) = read(text);
        let mut question = Self { pack, ..Self::default() };
        let mut runs: Vec<(usize, Vec<Strength>)> = Vec::new();
        let mut last_per = None;
        for (at, item) in items.iter().enumerate() {
            match &item.kind {
                ItemKind::Word(word) => {
                    let is_first = question.words.iter().all(|word| word.is_direction);
                    question.words.push(Word::new(word, is_first, item.in_parentheses && !is_first, at));
                }
                ItemKind::Hours(hours) => {
                    let every = at.checked_sub(1).and_then(|before| items.get(before));
                    let directed = matches!(every.map(|item| &item.kind), Some(ItemKind::Word(word)) if matches!(word.as_str(), "every" | "q"));
                    if !directed {
                        question.hours.push(*hours);
                    }
                }
                ItemKind::Quantity(quantity) => question.quantity = Some(*quantity),
                ItemKind::Number(number) => {
                    let strength = Fraction::parse(number).and_then(|number| Strength::amount(number, None));
                    if let Some(strength) = strength {
                        question.strengths.push(Typed { strength, number: Some(number.clone()), at });
                    }
                }
                ItemKind::Strengths(strengths) => {
                    let restated = item.in_parentheses && !runs.is_empty();
                    let repeated = runs.last().is_some_and(|(last, before)| last + 1 == at && before == strengths);
                    if !restated && !repeated {
                        runs.push((at, strengths.clone()));
                        last_per.clone_from(&item.per);
                    }
                }
            }
        }
        for (at, run) in per_all(runs, last_per.as_ref()) {
            question.strengths.extend(run.into_iter().map(|strength| Typed { strength, number: None, at }));
        }
        question.strengths.sort_by_key(|typed| typed.at);
        question.mark_directions();
        question
    }

    /// `1 tab`, `2 puffs` behind a strength and numbers inside directions are counts; words of
    /// directions are ignored where something else names the drug.
    fn mark_directions(&mut self) {
        let has_unit = |typed: &Typed| typed.number.is_none();
        let any_strength = self.strengths.iter().any(has_unit);
        let word_at = |at: usize| self.words.iter().position(|word| word.at == at);
        let mut counts: Vec<usize> = Vec::new();
        let mut counted: Vec<usize> = Vec::new();
        for (index, typed) in self.strengths.iter().enumerate().filter(|(_, typed)| typed.number.is_some()) {
            let behind = word_at(typed.at + 1).and_then(|word| self.words.get(word));
            let before = typed.at.checked_sub(1).and_then(word_at).and_then(|word| self.words.get(word));
            // A number before the strength belongs to the name: `Exondys 51 inj 50 mg/mL`.
            let is_behind = self.strengths.iter().any(|other| has_unit(other) && other.at < typed.at);
            let counts_form =
                is_behind && behind.is_some_and(|word| word.form.is_some_and(|form| !form.words.is_empty()));
            let directed = is_behind && behind.is_some_and(|word| is_direction(&word.text))
                || before.is_some_and(|word| {
                    matches!(
                        word.text.as_str(),
                        "take" | "every" | "q" | "disp" | "qty" | "refill" | "refills" | "x" | "use" | "apply"
                    )
                });
            let listed = before.is_some_and(|word| word.is_direction) && behind.is_none_or(|word| word.is_direction);
            if (any_strength && counts_form) || directed || listed {
                counts.push(index);
                if counts_form && any_strength {
                    counted.extend(word_at(typed.at + 1));
                }
            }
        }
        for index in counted {
            // `1 tab`: a count, unless the form is said nowhere else and the drug is not yet named.
            if let Some(word) = self.words.get_mut(index).filter(|word| !word.is_first) {
                word.is_direction = true;
            }
        }
        for index in counts.into_iter().rev() {
            self.strengths.remove(index);
        }
    }

    /// Words that name a drug: neither salts nor forms, releases, devices, directions or glue.
    pub(crate) fn telling(&self) -> impl Iterator<Item = &str> {
        let of_pack = self.pack.iter().flat_map(|(words, _)| words.iter().map(String::as_str));
        let told = self.words.iter().filter(|word| self.pack.is_none() && word.tells());
        told.flat_map(|word| word.names.iter().map(String::as_str)).chain(of_pack)
    }

    /// All words that may name a drug, for texts of salts and forms alone.
    pub(crate) fn naming(&self) -> impl Iterator<Item = &str> {
        self.words
            .iter()
            .filter(|word| !is_glue(&word.text) && !word.is_direction && !word.in_parentheses)
            .filter(|word| word.is_first || (word.form.is_none() && word.release.is_none()))
            .flat_map(|word| word.salt.iter().chain(word.names.first()).take(1).map(String::as_str))
    }

    /// Whether a release or its suffix is asked for.
    pub(crate) fn has_release(&self) -> bool {
        !self.hours.is_empty()
            || self.words.iter().any(|word| {
                let not_plain = word.form.is_some_and(|form| !FormGroup::of(FormGroup::words_of(form)).is_plain());
                not_plain
                    || (word.asked_release().is_some() && !word.is_first)
                    || (word.is_first && self.leads_with_release())
            })
    }

    /// `EC aspirin`.
    fn leads_with_release(&self) -> bool {
        self.words.first().is_some_and(|word| {
            matches!(word.release, Some(ReleaseWord::Delayed | ReleaseWord::Extended | ReleaseWord::Suffix(_)))
                && self.words.len() > 1
        })
    }

    /// The salts that it names.
    pub(crate) fn salts(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter(|word| !word.is_first).filter_map(|word| word.salt.as_deref())
    }

    /// Words that play no part: directions and what names a container.
    pub(crate) fn ignored(&self) -> Vec<String> {
        let unread = |word: &&Word| word.is_direction || word.is_aside();
        self.words.iter().filter(unread).map(|word| word.text.clone()).collect()
    }

    /// How it fits a drug.
    pub(crate) fn fit(&self, drug: Named<'_>) -> Fit {
        let identity = drug.identity;
        if let Some((words, aside)) = &self.pack {
            let same = identity.is_pack && identity.words().eq(words.iter().map(String::as_str)) && drug.aside == aside;
            return if same { Fit::Same } else { Fit::No };
        }
        if identity.is_pack && identity.words().any(|word| word.starts_with('#')) {
            // A pack without a brand is known by its contents, which only its own text says.
            return Fit::No;
        }
        let Some(claims) = self.claim_names(identity) else { return Fit::No };
        let words = self.fit_words(drug, &claims);
        if words == Fit::No {
            return Fit::No;
        }
        let strengths = self.fit_strengths(drug, &claims);
        if strengths == Fit::No {
            return Fit::No;
        }
        words.and(strengths).and(self.fit_release(identity, &claims))
    }

    /// Which word of the question names which word of the drug; `None` if a word of the drug is not
    /// named.
    fn claim_names(&self, identity: &Identity) -> Option<Claims> {
        let mut claims = Claims {
            words: vec![false; self.words.len()],
            numbers: vec![false; self.strengths.len()],
            order: Vec::new(),
        };
        for ingredient in &identity.ingredients {
            let mut first = usize::MAX;
            for name in &ingredient.words {
                let at = if let Some(number) = name.strip_prefix('#') {
                    let typed = self.strengths.iter().enumerate().find(|(index, typed)| {
                        typed.number.as_deref() == Some(number) && claims.numbers.get(*index) == Some(&false)
                    });
                    match typed {
                        Some((index, typed)) => {
                            if let Some(claim) = claims.numbers.get_mut(index) {
                                *claim = true;
                            }
                            typed.at
                        }
                        None => self.word_for(name, &mut claims)?,
                    }
                } else {
                    self.word_for(name, &mut claims)?
                };
                first = first.min(at);
            }
            claims.order.push(first);
        }
        (!claims.order.is_empty()).then_some(claims)
    }

    /// The place of the word that names `name`, which is claimed.
    fn word_for(&self, name: &str, claims: &mut Claims) -> Option<usize> {
        let names = |word: &Word| {
            word.names.iter().any(|n| n == name) || word.text == name || word.salt.as_deref() == Some(name)
        };
        let unclaimed =
            self.words.iter().enumerate().find(|(index, word)| claims.words.get(*index) == Some(&false) && names(word));
        let (index, word) = unclaimed.or_else(|| self.words.iter().enumerate().find(|(_, word)| names(word)))?;
        if let Some(claim) = claims.words.get_mut(index) {
            *claim = true;
        }
        Some(word.at)
    }

    /// Whether the drug has all words beside its name.
    fn fit_words(&self, drug: Named<'_>, claims: &Claims) -> Fit {
        let identity = drug.identity;
        let salts = identity.salts();
        let names_salt = self.words.iter().filter_map(|word| word.salt.as_deref()).any(|salt| salts.contains(salt));
        let mut fit = Fit::Same;
        for (word, claimed) in self.words.iter().zip(&claims.words) {
            if *claimed {
                continue;
            }
            let this = word.explained(drug, &salts, names_salt, self.leads_with_release());
            fit = fit.and(this);
            if fit == Fit::No {
                break;
            }
        }
        fit = fit.and(self.fit_form(drug, &salts, claims));
        if let (Some(asked), false) = (self.quantity, identity.strengths.is_empty()) {
            let differs = |strength: &Strength| strength.quantity.is_some_and(|stated| stated != asked);
            let unsaid = identity.strengths.iter().all(|strength| strength.quantity.is_none());
            fit = fit.and(if identity.strengths.iter().any(differs) {
                Fit::No
            } else if unsaid && identity.strengths.iter().any(|strength| strength.per.is_some()) {
                Fit::MayBe
            } else {
                Fit::Same
            });
        }
        fit
    }

    /// Whether the drug's form is the one that is asked for; a film-coated tablet is a tablet.
    fn fit_form(&self, drug: Named<'_>, salts: &BTreeSet<&str>, claims: &Claims) -> Fit {
        let free = self.words.iter().zip(&claims.words).filter(|(word, claimed)| !**claimed && !word.is_direction);
        let forms = free.filter(|(word, _)| {
            let is_salt = word.salt.as_deref().is_some_and(|salt| salts.contains(salt));
            !is_salt && !drug.identity.devices.contains(&word.text) && !drug.aside.contains(&word.text)
        });
        let words: Vec<String> = forms.filter_map(|(word, _)| word.form).flat_map(FormGroup::words_of).collect();
        let asked = FormGroup::of(words);
        // A text that leaves open whether a tablet melts or is chewed does not if it is released over time.
        if !asked.is_plain() && drug.identity.form.is_plain() && drug.identity.release.kind.is_extended() {
            return Fit::No;
        }
        asked.fit(&drug.identity.form)
    }

    fn fit_strengths(&self, drug: Named<'_>, claims: &Claims) -> Fit {
        let identity = drug.identity;
        let is_aside =
            |typed: &Typed| typed.number.as_ref().is_some_and(|number| drug.aside.contains(&format!("#{number}")));
        let free = self.strengths.iter().zip(&claims.numbers).filter(|(typed, claimed)| !**claimed && !is_aside(typed));
        let asked: Vec<&Typed> = free.map(|(typed, _)| typed).collect();
        if asked.is_empty() {
            return Fit::Same;
        }
        if identity.strengths.is_empty() {
            return Fit::MayBe;
        }
        let insulin = identity.words().chain(drug.aside.iter().map(String::as_str)).any(is_insulin);
        let pairs = |stated: &[&Strength]| {
            let fits = asked.iter().zip(stated).map(|(typed, stated)| stated.fits(&typed.strength, insulin));
            match fits.min() {
                Some(StrengthFit::Same) => Fit::Same,
                Some(StrengthFit::MayBe) => Fit::MayBe,
                _ => Fit::No,
            }
        };
        let whole = match asked.len().cmp(&identity.strengths.len()) {
            std::cmp::Ordering::Equal => Fit::Same,
            std::cmp::Ordering::Less => Fit::MayBe,
            std::cmp::Ordering::Greater => {
                // `lantus u-100 100 unit/ml`: the same said at two places.
                let places: BTreeSet<usize> = asked.iter().map(|typed| typed.at).collect();
                let all_same = identity.strengths.len() == 1
                    && places.len() == asked.len()
                    && asked.iter().all(|typed| {
                        identity.strengths.iter().all(|s| s.fits(&typed.strength, insulin) == StrengthFit::Same)
                    });
                return if all_same { Fit::Same } else { Fit::No };
            }
        };
        let stated: Vec<&Strength> = if identity.is_aligned && claims.order.len() == identity.strengths.len() {
            // In the order in which the question names the ingredients.
            let mut order: Vec<(usize, &Strength)> = claims.order.iter().copied().zip(&identity.strengths).collect();
            order.sort_by_key(|(at, _)| *at);
            order.into_iter().map(|(_, strength)| strength).collect()
        } else {
            identity.strengths.iter().collect()
        };
        let in_order = pairs(&stated);
        // An ingredient that stands twice has no order.
        let names: BTreeSet<&BTreeSet<String>> =
            identity.ingredients.iter().map(|ingredient| &ingredient.words).collect();
        let stands_twice = identity.is_aligned && names.len() < identity.ingredients.len();
        if in_order != Fit::No || (identity.is_aligned && !stands_twice) || whole != Fit::Same {
            return in_order.and(whole);
        }
        // A brand's strengths in another order are the same; of names that may be ingredients they may not.
        let mut rest = stated;
        let mut fit = if stands_twice || identity.is_brand_of_several() { Fit::Same } else { Fit::MayBe };
        for typed in &asked {
            let best = rest.iter().enumerate().map(|(at, stated)| (stated.fits(&typed.strength, insulin), at)).max();
            match best {
                Some((StrengthFit::Same, at)) => {
                    rest.remove(at);
                }
                Some((StrengthFit::MayBe, at)) => {
                    rest.remove(at);
                    fit = Fit::MayBe;
                }
                _ => return Fit::No,
            }
        }
        fit
    }

    fn fit_release(&self, identity: &Identity, claims: &Claims) -> Fit {
        let mut asked = Release::default();
        let mut immediate = false;
        for (word, claimed) in self.words.iter().zip(&claims.words) {
            if *claimed || (word.is_first && !self.leads_with_release()) {
                continue;
            }
            match word.asked_release() {
                Some(ReleaseWord::Immediate) => immediate = true,
                Some(meaning) => asked.add(meaning),
                None => {}
            }
        }
        let stated = &identity.release;
        let mut fit = Fit::Same;
        if immediate && stated.kind != super::release::ReleaseKind::Immediate {
            return Fit::No;
        }
        for hours in &self.hours {
            if identity.devices.contains(&format!("{hours}hr")) {
                continue;
            }
            match stated.hours {
                Some(stated) if stated == *hours => {}
                None if stated.kind.is_extended() => fit = Fit::MayBe,
                _ => return Fit::No,
            }
        }
        if asked.kind.is_extended() && !stated.kind.is_extended()
            || asked.kind.is_delayed() && !stated.kind.is_delayed()
        {
            // A line that leaves its form open may be any release.
            return if identity.form.is_unsaid() && stated.kind == super::release::ReleaseKind::Immediate {
                Fit::MayBe
            } else {
                Fit::No
            };
        }
        if let Some(suffix) = &asked.suffix {
            match &stated.suffix {
                Some(own) if own == suffix => {}
                Some(_) => return Fit::No,
                None => {
                    let mut implied = asked.clone();
                    implied.imply_hours();
                    let contradicts = matches!((implied.hours, stated.hours), (Some(a), Some(b)) if a != b);
                    return if contradicts { Fit::No } else { Fit::MayBe };
                }
            }
        }
        fit
    }
}

/// What of a question the name of a drug takes up.
struct Claims {
    words: Vec<bool>,
    numbers: Vec<bool>,
    /// For each ingredient where the question names it.
    order: Vec<usize>,
}

impl Word {
    fn new(text: &str, is_first: bool, in_parentheses: bool, at: usize) -> Self {
        let names = match said_for(text) {
            Some(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            None => vec![text.to_owned()],
        };
        let salt = salt(text).map(str::to_owned).or_else(|| ends_like_salt(text).then(|| text.to_owned()));
        Self {
            text: text.to_owned(),
            names,
            salt,
            form: form(text),
            release: release(text),
            is_first,
            is_direction: is_direction(text) && !is_glue(text) && (!is_first || is_instruction(text)),
            in_parentheses,
            at,
        }
    }

    /// Whether it stands in parentheses and means nothing by itself: `metformin (Glucophage)`.
    fn is_aside(&self) -> bool {
        self.in_parentheses
            && self.salt.is_none()
            && self.form.is_none()
            && self.release.is_none()
            && !is_device(&self.text)
            && !is_release_filler(&self.text)
    }

    fn asked_release(&self) -> Option<ReleaseWord> {
        self.release.or_else(|| self.form.and_then(|form| form.release))
    }

    /// Whether it tells a name: every other reading of it is set aside.
    fn tells(&self) -> bool {
        if self.is_first && !is_direction(&self.text) {
            return self.release.is_none() && !is_metal(&self.text);
        }
        !self.in_parentheses
            && self.salt.is_none()
            && self.form.is_none()
            && self.release.is_none()
            && !is_device(&self.text)
            && !is_glue(&self.text)
            && !is_release_filler(&self.text)
            && !is_direction(&self.text)
    }

    /// Whether a drug has this word that its name does not take up.
    fn explained(&self, drug: Named<'_>, salts: &BTreeSet<&str>, names_salt: bool, leads_with_release: bool) -> Fit {
        let identity = drug.identity;
        if self.is_direction || self.is_aside() || is_glue(&self.text) || is_release_filler(&self.text) {
            return Fit::Same;
        }
        if drug.aside.contains(&self.text)
            || identity.devices.contains(&self.text)
            || self.names.iter().all(|name| drug.aside.contains(name) || identity.words().any(|word| word == name))
        {
            return Fit::Same;
        }
        if let Some(salt) = &self.salt {
            if salts.contains(salt.as_str()) || drug.aside.contains(salt) {
                return Fit::Same;
            }
            if super::words::hydrate(salt).is_some() && (salts.is_empty() || names_salt || salt == "anhydrous") {
                return Fit::Same;
            }
            if salts.is_empty() && !self.is_first && self.form.is_none() {
                // A salt of a drug whose text names none.
                return Fit::MayBe;
            }
        }
        if self.form.is_some() {
            // Held against the drug's form with all other form words.
            return Fit::Same;
        }
        if self.release.is_some() && (!self.is_first || leads_with_release) {
            return Fit::Same;
        }
        if identity.form.words().any(|word| word == self.text) {
            return Fit::Same;
        }
        Fit::No
    }
}
