//! What the payer's text of a drug says: name, strength and form as written, and the identity.

use std::collections::BTreeSet;

use super::forms::FormGroup;
use super::grammar::{Item, ItemKind, Joint, read};
use super::identity::{Identity, Ingredient};
use super::release::Release;
use super::strength::{Fraction, Strength};
use super::words::{
    FormWord, ReleaseWord, ends_like_salt, form, hydrate, is_device, is_glue, is_insulin, is_insulin_kind,
    is_label_word, is_metal, is_release_filler, release, said_for, salt,
};
use crate::fold;

/// What one text about a drug says.
///
/// Read are `Strattera 18 mg capsule`, `losartan 50 mg-hydrochlorothiazide 12.5 mg tablet` (drug
/// files), `METFORMIN HCL TAB 500MG ER 24H` (claims), `A and B 5-325 mg tablet`, and RxNorm's
/// `24 HR metoprolol succinate 50 MG Extended Release Oral Tablet [Toprol XL]`. A text without a
/// strength is a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DrugText {
    /// The name as written, without strength and form; the brand where the text marks one.
    pub name: String,
    /// The strength as written, `500-2 mg`, `5 mg/5mL`.
    pub strength: Option<String>,
    /// The form as written, `tablet,film coated`.
    pub form: Option<String>,
    /// The brand, where the text marks it (`[Lipitor]`).
    pub brand: Option<String>,
    /// The ingredients as written, where the text marks a brand.
    pub ingredient: Option<String>,
    /// What the text says, as values.
    pub(crate) identity: Identity,
    /// Words that may be typed and need not be: what stands in parentheses, and ingredients beside a
    /// brand.
    pub(crate) aside: BTreeSet<String>,
    /// The name's words in their order, each with the salts behind it.
    pub(crate) spoken: Vec<(String, BTreeSet<String>)>,
}

/// What an item turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Name,
    Strength,
    Form,
    Other,
}

/// The walk through the items of a text.
#[derive(Default)]
struct Walk {
    ingredients: Vec<Ingredient>,
    /// Boundaries between ingredients that the text draws, by the ingredient that begins there: whether
    /// by a hyphen.
    by_hyphen: Vec<bool>,
    /// A boundary was met and no word since.
    boundary: Option<bool>,
    /// Strengths with the number of the ingredient that they stand behind.
    strengths: Vec<(usize, Vec<Strength>)>,
    /// What the last strength is per.
    per: Option<(Fraction, String)>,
    form_words: Vec<String>,
    release: Release,
    hours: Option<u16>,
    quantity: Option<Fraction>,
    devices: Vec<String>,
    aside: Vec<String>,
    spoken: Vec<(String, BTreeSet<String>)>,
    roles: Vec<Role>,
    /// Past the strength: what follows is the form.
    in_form: bool,
}

impl DrugText {
    /// Reads a text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if text.starts_with('{') {
            return Self::pack(text);
        }
        let (text, brand) = match text.strip_suffix(']').and_then(|t| t.rsplit_once(" [")) {
            Some((before, brand)) if !brand.is_empty() => (before.trim(), Some(brand.trim())),
            _ => (text, None),
        };
        let mut parsed = Self::plain(text);
        if let Some(brand) = brand {
            let named = Self::plain(brand);
            let ingredients = std::mem::replace(&mut parsed.identity.ingredients, named.identity.ingredients);
            parsed.aside.extend(ingredients.into_iter().flat_map(|i| i.words.into_iter().chain(i.salts)));
            parsed.identity.is_aligned = parsed.identity.strengths.len() == 1 && parsed.identity.ingredients.len() == 1;
            parsed.identity.release.fill(&named.identity.release);
            parsed.identity.devices.extend(named.identity.devices);
            parsed.aside.extend(named.aside);
            parsed.ingredient = Some(std::mem::take(&mut parsed.name));
            brand.clone_into(&mut parsed.name);
            parsed.brand = Some(brand.to_owned());
            parsed.spoken = named.spoken;
            parsed.identity.sort();
        }
        parsed
    }

    /// `{6 (azithromycin 250 MG Oral Tablet) } Pack [Z-PAK]`: a drug of its own, known by its brand or by
    /// all of its words.
    fn pack(text: &str) -> Self {
        let (contents, brand) = match text.strip_suffix(']').and_then(|t| t.rsplit_once(" [")) {
            Some((before, brand)) => (before.trim(), Some(brand.trim().to_owned())),
            None => (text, None),
        };
        let words = |text: &str| {
            let tokens = fold::tokens(text).into_iter();
            tokens.map(|t| if t.is_number { format!("#{}", t.text) } else { t.text }).collect()
        };
        let named = brand.as_deref().unwrap_or(contents);
        let ingredient = |text: &str| Ingredient { words: words(text), salts: [].into() };
        Self {
            name: named.to_owned(),
            ingredient: brand.as_ref().map(|_| contents.to_owned()),
            identity: Identity {
                ingredients: vec![ingredient(named)],
                form: FormGroup::of(["packet".to_owned()]),
                is_pack: true,
                ..Identity::default()
            },
            aside: brand.iter().flat_map(|_| ingredient(contents).words).collect(),
            form: Some("Pack".to_owned()),
            brand,
            ..Self::default()
        }
    }

    fn plain(text: &str) -> Self {
        let (words, items) = read(text);
        let mut walk = Walk::default();
        for at in 0..items.len() {
            let role = walk.take(&items, at);
            walk.roles.push(role);
        }
        let roles = std::mem::take(&mut walk.roles);
        let mut parsed = walk.finish();
        parsed.name = written(&words, &items, &roles, Role::Name);
        parsed.strength = Some(strength_as_written(&words, &items, &roles)).filter(|text| !text.is_empty());
        parsed.form = Some(written(&words, &items, &roles, Role::Form)).filter(|text| !text.is_empty());
        parsed
    }

    /// What the text says, as far as it says it alone.
    pub(crate) fn own_identity(&self) -> Identity {
        let mut identity = self.identity.clone();
        identity.settle_percentages();
        identity.sort();
        identity
    }

    /// Takes in the dosage form that a package description tells, where the text leaves the form open;
    /// its release counts in any case: no label says less than its package.
    #[cfg(feature = "build")]
    pub fn add_package_form(&mut self, description: &str) {
        let mut walk = Walk { in_form: true, ..Walk::default() };
        let (_, items) = read(description);
        for at in 0..items.len() {
            walk.take(&items, at);
        }
        let said = walk.finish().identity;
        let says_more = !said.form.is_plain() && said.form.includes(&self.identity.form);
        if self.identity.form.is_unsaid() || says_more {
            self.identity.form = said.form;
        }
        self.identity.release.fill(&said.release);
    }
}

impl Walk {
    fn take(&mut self, items: &[Item], at: usize) -> Role {
        let Some(item) = items.get(at) else { return Role::Other };
        match &item.kind {
            ItemKind::Quantity(quantity) => {
                self.quantity = self.quantity.or(Some(*quantity));
                Role::Other
            }
            ItemKind::Hours(hours) => {
                self.hours = self.hours.or(Some(*hours));
                if self.in_form { Role::Form } else { Role::Name }
            }
            ItemKind::Strengths(strengths) => self.take_strengths(item, strengths),
            ItemKind::Number(number) => self.take_number(items, at, number),
            ItemKind::Word(word) => self.take_word(items, at, word),
        }
    }

    fn take_strengths(&mut self, item: &Item, strengths: &[Strength]) -> Role {
        let known = !self.strengths.is_empty();
        if known && item.in_parentheses {
            // `2.5 mg/3 mL (0.083 %)` says the same in other words; `0.25 mg (2 mg/1.5 mL)` says more.
            let more = strengths.iter().filter(|strength| strength.per.as_deref() != Some("%"));
            self.devices.extend(more.map(|strength| format!("={}", strength.key().replace(['|', ' '], "\\"))));
            return Role::Other;
        }
        let here = self.ingredients.len();
        let is_repeat = self.strengths.last().is_some_and(|(behind, before)| *behind == here && before == strengths);
        if !is_repeat {
            self.strengths.push((self.ingredients.len(), strengths.to_vec()));
            self.per.clone_from(&item.per);
        }
        self.in_form = !self.ingredients.is_empty();
        if is_repeat { Role::Other } else { Role::Strength }
    }

    /// A number without a unit is a strength where no other strength is stated and a form stands beside
    /// it (`TAB 50-12.5`), else a word of the name (`Humulin 70/30`).
    fn take_number(&mut self, items: &[Item], at: usize, number: &str) -> Role {
        let any_strength = items.iter().any(|item| matches!(item.kind, ItemKind::Strengths(_)));
        let is_form = |item: Option<&Item>| match item.map(|item| &item.kind) {
            Some(ItemKind::Word(word)) => form(word).is_some_and(|form| !form.words.is_empty()),
            _ => false,
        };
        let run_before = items.iter().take(at).rev().find(|item| !matches!(item.kind, ItemKind::Number(_)));
        let run_behind = items.iter().skip(at + 1).find(|item| !matches!(item.kind, ItemKind::Number(_)));
        let beside_form = !self.form_words.is_empty() && is_form(run_before) || is_form(run_behind);
        if !any_strength && beside_form && !self.ingredients.is_empty() {
            let strength = Fraction::parse(number).and_then(|number| Strength::amount(number, None));
            if let Some(strength) = strength {
                match self.strengths.last_mut() {
                    Some((_, run)) => run.push(strength),
                    None => self.strengths.push((self.ingredients.len(), vec![strength])),
                }
                self.in_form = true;
                return Role::Strength;
            }
        }
        if self.in_form {
            return Role::Form;
        }
        let in_parentheses = items.get(at).is_some_and(|item| item.in_parentheses);
        if in_parentheses {
            return Role::Name;
        }
        self.name_word(format!("#{number}"), false);
        Role::Name
    }

    fn take_word(&mut self, items: &[Item], at: usize, word: &str) -> Role {
        let Some(item) = items.get(at) else { return Role::Other };
        if self.in_form {
            if self.begins_ingredient(items, at, item, word) {
                self.in_form = false;
                self.boundary = Some(false);
                if is_joining(word) {
                    return Role::Other;
                }
            } else {
                return self.take_form_word(word);
            }
        }
        self.take_name_word(items, at, item, word)
    }

    /// `50 mg-hydrochlorothiazide 12.5 mg`: a joint and a name behind a strength, with a strength of its
    /// own to come.
    fn begins_ingredient(&self, items: &[Item], at: usize, item: &Item, word: &str) -> bool {
        let joins = matches!(item.joint, Joint::Hyphen | Joint::Slash) || is_joining(word);
        let strength_follows =
            items.iter().skip(at).any(|item| matches!(item.kind, ItemKind::Strengths(_)) && !item.in_parentheses);
        let is_form = form(word).is_some_and(|form| form.strong) || release(word).is_some();
        joins && strength_follows && !is_form && self.form_words.is_empty()
    }

    fn take_form(&mut self, form: FormWord) {
        self.form_words.extend(FormGroup::words_of(form));
        if let Some(word) = form.release {
            self.release.add(word);
        }
    }

    fn take_form_word(&mut self, word: &str) -> Role {
        if let Some(form) = form(word) {
            self.take_form(form);
        } else if let Some(word) = release(word) {
            self.release.add(word);
        } else if is_device(word) {
            self.devices.push(word.to_owned());
        } else if let (Some(said), Some(last)) = (salt(word), self.ingredients.last())
            && last.salts.is_empty()
            && self.form_words.is_empty()
        {
            self.salt(said);
            return Role::Name;
        } else if !is_glue(word) && !is_release_filler(word) && hydrate(word).is_none() {
            self.form_words.push(word.to_owned());
        }
        Role::Form
    }

    fn take_name_word(&mut self, items: &[Item], at: usize, item: &Item, word: &str) -> Role {
        let is_first = self.ingredients.is_empty();
        if is_joining(word) && !is_first {
            self.boundary = Some(false);
            return Role::Name;
        }
        if matches!(item.joint, Joint::Slash | Joint::Hyphen) && !is_first && !item.in_parentheses {
            self.boundary = Some(item.joint == Joint::Hyphen && self.boundary != Some(false));
        }
        if is_glue(word) && !is_first {
            return Role::Name;
        }
        if !is_first {
            if let Some(meaning) = release(word).filter(|meaning| self.is_release(items, at, word, *meaning)) {
                self.release.add(meaning);
                self.boundary = None;
                return Role::Name;
            }
            if is_release_filler(word) && self.release.kind != super::release::ReleaseKind::Immediate {
                return Role::Name;
            }
            if is_device(word) {
                self.devices.push(word.to_owned());
                self.boundary = None;
                return Role::Name;
            }
            if is_label_word(word) {
                self.aside.push(word.to_owned());
                return Role::Name;
            }
            let closes = closes_name(items, at);
            if let Some(form) = form(word).filter(|form| (form.strong || closes) && self.boundary.is_none()) {
                self.take_form(form);
                return Role::Form;
            }
            if item.in_parentheses {
                // `(liposomal)`, `(modified)`: need not be typed, and tell products apart.
                if is_insulin_kind(word) {
                    self.aside.push(word.to_owned());
                } else {
                    self.devices.push(word.to_owned());
                }
                return Role::Name;
            }
        } else if release(word)
            .is_some_and(|meaning| meaning == ReleaseWord::Delayed || meaning == ReleaseWord::Extended)
            && items.get(at + 1).is_some_and(|next| matches!(next.kind, ItemKind::Word(_)))
        {
            // `EC-Naprosyn`, `ER Metformin`.
            if let Some(meaning) = release(word) {
                self.release.add(meaning);
            }
            return Role::Name;
        }
        if self.boundary.is_none()
            && let Some(last) = self.ingredients.last()
        {
            if let Some(said) = salt(word) {
                self.salt(said);
                return Role::Name;
            }
            if ends_like_salt(word) && !last.words.iter().any(|word| is_metal(word)) {
                self.salt(word);
                return Role::Name;
            }
            let insulin = last.words.iter().any(|word| is_insulin(word)) && !last.words.contains("insulin");
            if insulin && is_insulin_kind(word) {
                self.aside.push(word.to_owned());
                return Role::Name;
            }
        }
        if let Some(words) = said_for(word) {
            for word in words {
                self.name_word((*word).to_owned(), true);
            }
        } else {
            let metal = salt(word).filter(|said| is_metal(said));
            self.name_word(metal.unwrap_or(word).to_owned(), true);
        }
        Role::Name
    }

    /// `LA`, `CD` and `SA` are suffixes only behind the whole name; the others everywhere behind its
    /// first word.
    fn is_release(&self, items: &[Item], at: usize, word: &str, meaning: ReleaseWord) -> bool {
        // `chromium Cr-51`.
        let numbered = items
            .get(at + 1)
            .is_some_and(|next| next.joint == Joint::Hyphen && matches!(next.kind, ItemKind::Number(_)));
        if numbered {
            return false;
        }
        if self.boundary == Some(false) {
            return false;
        }
        let glued = items.get(at).is_some_and(|item| item.joint == Joint::Hyphen);
        let ends_name = match items.get(at + 1).map(|item| &item.kind) {
            None | Some(ItemKind::Strengths(_) | ItemKind::Hours(_) | ItemKind::Number(_) | ItemKind::Quantity(_)) => {
                true
            }
            Some(ItemKind::Word(next)) => {
                form(next).is_some() || release(next).is_some() || is_device(next) || is_release_filler(next)
            }
        };
        match meaning {
            ReleaseWord::Suffix("la" | "cd" | "sa" | "xt") => ends_name && !(glued && word == "sa"),
            ReleaseWord::Suffix("cr") => ends_name || !glued,
            _ => true,
        }
    }

    fn name_word(&mut self, word: String, may_begin: bool) {
        let begins = self.ingredients.is_empty() || (may_begin && self.boundary.is_some());
        if begins {
            self.by_hyphen.push(self.boundary.unwrap_or(false));
            self.ingredients.push(Ingredient::default());
        }
        self.boundary = None;
        if let Some(last) = self.ingredients.last_mut() {
            self.spoken.push((word.clone(), BTreeSet::new()));
            last.words.insert(word);
        }
    }

    fn salt(&mut self, salt: &str) {
        if let Some(last) = self.ingredients.last_mut() {
            last.salts.insert(salt.to_owned());
        }
        if let Some((_, salts)) = self.spoken.last_mut() {
            salts.insert(salt.to_owned());
        }
    }

    fn finish(mut self) -> DrugText {
        let extended = self.release.kind.is_extended();
        let lasting = ["patch", "film", "insert", "ring"].iter().any(|form| self.form_words.iter().any(|w| w == form));
        if let Some(hours) = self.hours {
            if extended {
                self.release.add(ReleaseWord::Hours(hours));
            } else if !lasting {
                // `Allegra 24 Hour` says how long it helps, and no release.
                self.devices.push(format!("{hours}hr"));
            }
        }
        self.release.imply_hours();
        for ingredient in &mut self.ingredients {
            ingredient.settle();
        }
        let (ingredients, strengths, is_aligned) =
            align(self.ingredients, &self.by_hyphen, per_all(self.strengths, self.per.as_ref()), self.quantity);
        let mut identity = Identity {
            ingredients,
            strengths,
            is_aligned,
            form: FormGroup::of(self.form_words),
            release: self.release,
            devices: self.devices.into_iter().collect(),
            is_pack: false,
        };
        identity.sort();
        DrugText { identity, aside: self.aside.into_iter().collect(), spoken: self.spoken, ..DrugText::default() }
    }
}

impl Ingredient {
    /// A metal's salt is its name (potassium chloride); a metal in front of an acid that is a drug is
    /// its salt (potassium clavulanate).
    fn settle(&mut self) {
        if self.words.iter().all(|word| is_metal(word)) {
            let salts = std::mem::take(&mut self.salts);
            let (hydrates, acids): (Vec<_>, Vec<_>) = salts.into_iter().partition(|salt| hydrate(salt).is_some());
            self.words.extend(acids);
            self.salts.extend(hydrates);
        } else if self.salts.is_empty() && self.words.len() == 2 {
            let metal =
                self.words.iter().find(|word| matches!(word.as_str(), "sodium" | "potassium" | "calcium")).cloned();
            let acid = self.words.iter().any(|word| word.ends_with("ate"));
            if let (Some(metal), true) = (metal, acid) {
                self.words.remove(&metal);
                self.salts.insert(metal);
            }
        }
    }

    fn join(&mut self, other: Self) {
        self.words.extend(other.words);
        self.salts.extend(other.salts);
    }
}

impl Identity {
    /// Ingredients in alphabetical order, strengths with them.
    pub(crate) fn sort(&mut self) {
        if self.is_aligned && self.strengths.len() == self.ingredients.len() {
            let mut pairs: Vec<(Ingredient, Strength)> =
                self.ingredients.drain(..).zip(self.strengths.drain(..)).collect();
            pairs.sort();
            (self.ingredients, self.strengths) = pairs.into_iter().unzip();
        } else {
            self.ingredients.sort();
        }
    }
}

/// Whether a word ends the name right before the strength, and no form follows that: `LIDOCAINE GEL 4%`.
fn closes_name(items: &[Item], at: usize) -> bool {
    let is_strength = |item: &Item| matches!(item.kind, ItemKind::Strengths(_) | ItemKind::Number(_));
    let mut rest = items.iter().skip(at + 1);
    let is_form = |item: &Item| matches!(&item.kind, ItemKind::Word(word) if form(word).is_some_and(|form| !form.words.is_empty()));
    rest.next().is_some_and(is_strength) && !rest.any(is_form)
}

/// `and`, `with`, `&`: words between ingredients.
fn is_joining(word: &str) -> bool {
    matches!(word, "and" | "with" | "w")
}

/// `250 mcg-salmeterol 50 mcg/dose`: what the last is per holds for all.
pub(super) fn per_all(
    mut strengths: Vec<(usize, Vec<Strength>)>,
    per: Option<&(Fraction, String)>,
) -> Vec<(usize, Vec<Strength>)> {
    if let Some((of, word)) = per {
        let all = strengths.iter_mut().flat_map(|(_, run)| run);
        for strength in all.filter(|strength| strength.per.is_none() && strength.unit.is_some()) {
            if let Some(per) = strength.per(*of, word) {
                *strength = per;
            }
        }
    }
    strengths
}

/// Gives each ingredient its strength, where the text tells which is whose.
fn align(
    ingredients: Vec<Ingredient>,
    by_hyphen: &[bool],
    strengths: Vec<(usize, Vec<Strength>)>,
    quantity: Option<Fraction>,
) -> (Vec<Ingredient>, Vec<Strength>, bool) {
    let behind_each = ingredients.len() > 1
        && strengths.len() > 1
        && strengths.iter().all(|(_, run)| run.len() == 1)
        && strengths.last().is_some_and(|(behind, _)| *behind == ingredients.len());
    let ends: Vec<usize> = strengths.iter().map(|(behind, _)| *behind).collect();
    let mut all: Vec<Strength> = strengths.into_iter().flat_map(|(_, run)| run).collect();
    if let Some(quantity) = quantity {
        for strength in all.iter_mut().filter(|s| s.per.as_deref() == Some("ml") && s.quantity.is_none()) {
            strength.quantity = Some(quantity);
        }
    }
    if behind_each && ends.windows(2).all(|pair| pair.first() < pair.last()) {
        // Each strength closes what was named since the one before.
        let mut groups: Vec<Ingredient> = Vec::new();
        let mut rest = ingredients.into_iter();
        let mut taken = 0;
        for end in &ends {
            let mut group = Ingredient::default();
            for ingredient in rest.by_ref().take(end - taken) {
                group.join(ingredient);
            }
            taken = *end;
            groups.push(group);
        }
        return (groups, all, true);
    }
    let merged = |keep: fn(bool) -> bool| {
        let mut groups: Vec<Ingredient> = Vec::new();
        for (ingredient, hyphen) in ingredients.iter().zip(by_hyphen.iter().chain(std::iter::repeat(&false))) {
            match groups.last_mut() {
                Some(last) if !keep(*hyphen) => last.join(ingredient.clone()),
                _ => groups.push(ingredient.clone()),
            }
        }
        groups
    };
    // Either every boundary is between ingredients, or hyphens are parts of names.
    for groups in [merged(|_| true), merged(|hyphen| !hyphen)] {
        if groups.len() == all.len() && !all.is_empty() {
            return (groups, all, true);
        }
    }
    let groups = merged(|hyphen| !hyphen);
    if all.len() <= 1 {
        // One strength of a name, whatever joins its words.
        let mut one = Ingredient::default();
        for group in groups {
            one.join(group);
        }
        let named = !one.words.is_empty() || !one.salts.is_empty();
        let is_aligned = !all.is_empty() && named;
        return (if named { vec![one] } else { Vec::new() }, all, is_aligned || named);
    }
    let mut one = Ingredient::default();
    for group in groups {
        one.join(group);
    }
    (vec![one], all, false)
}

/// The words of the text whose items have a role, as written where they have nothing else.
fn written(words: &[&str], items: &[Item], roles: &[Role], role: Role) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut last_word = usize::MAX;
    for (at, (item, its)) in items.iter().zip(roles).enumerate() {
        if *its != role {
            continue;
        }
        let alone = item.words.clone().all(|word| {
            let others = items.iter().zip(roles).filter(|(other, _)| other.words.contains(&word));
            others.into_iter().all(|(_, other_role)| *other_role == role)
        });
        if alone {
            for word in item.words.clone() {
                if last_word != usize::MAX && word <= last_word {
                    continue;
                }
                last_word = word;
                parts.extend(words.get(word).map(|word| word.trim_matches(['-', ';', '/', '+']).to_owned()));
            }
        } else {
            let text = match &item.kind {
                ItemKind::Word(word) | ItemKind::Number(word) => word.clone(),
                ItemKind::Hours(hours) => format!("{hours} hr"),
                ItemKind::Strengths(_) | ItemKind::Quantity(_) => continue,
            };
            let joins = item.joint == Joint::Hyphen && at > 0 && role == Role::Name;
            match parts.last_mut() {
                Some(last) if joins => last.push_str(&format!("-{text}")),
                _ => parts.push(text),
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ").trim_matches([',', ' ']).to_owned()
}

/// The strengths as written; of several places one text, `50-12.5 mg` where their units agree.
fn strength_as_written(words: &[&str], items: &[Item], roles: &[Role]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (item, role) in items.iter().zip(roles) {
        if *role != Role::Strength {
            continue;
        }
        let mut text = item.words.clone().filter_map(|word| words.get(word).copied()).collect::<Vec<_>>().join(" ");
        if !item.is_whole {
            text = trimmed_to_strength(&text, item);
        }
        parts.push(text.trim_matches([',', ';', '-', ' ', '(']).trim_end_matches('/').trim().to_owned());
    }
    let unit_of = |part: &String| part.split_once(' ').map(|(_, unit)| unit.to_owned());
    let unit = parts.first().and_then(unit_of).filter(|_| parts.len() > 1);
    if let Some(unit) = unit.filter(|unit| parts.iter().all(|part| unit_of(part).as_ref() == Some(unit))) {
        let numbers: Vec<&str> =
            parts.iter().filter_map(|part| part.split_once(' ').map(|(number, _)| number)).collect();
        return format!("{} {unit}", numbers.join("-"));
    }
    if items.iter().zip(roles).any(|(item, role)| *role == Role::Strength && matches!(item.kind, ItemKind::Number(_))) {
        parts.dedup();
        return parts.join("-");
    }
    parts.join(" / ")
}

/// Of `50 mg-hydrochlorothiazide` the strength.
fn trimmed_to_strength(text: &str, item: &Item) -> String {
    let ItemKind::Strengths(strengths) = &item.kind else { return text.to_owned() };
    // The longest beginning or end that reads as these strengths alone.
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let reads = |part: &str| {
        let (_, items) = read(part);
        matches!(items.as_slice(), [only] if only.kind == ItemKind::Strengths(strengths.clone()))
    };
    let front = ends.iter().filter_map(|end| text.get(..*end)).find(|part| reads(part));
    let back = ends.iter().rev().filter_map(|start| text.get(*start..)).find(|part| reads(part));
    front.or(back).unwrap_or(text).to_owned()
}

/// The form that a package description tells: `30 TABLET, FILM COATED in 1 BOTTLE` is
/// `TABLET, FILM COATED`; of nested packages the innermost is meant.
#[cfg(feature = "build")]
#[must_use]
pub fn package_form(description: &str) -> Option<&str> {
    let innermost = description.rsplit('>').next()?.trim();
    let (content, _) = innermost.split_once(" in ")?;
    let (quantity, form) = content.trim().split_once(' ')?;
    let numeric = quantity.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',');
    let measured = super::strength::unit(&fold::key(form)).is_some();
    (numeric && !measured && !form.is_empty()).then_some(form)
}
