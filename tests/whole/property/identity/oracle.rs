//! What an answer may hold: fields compared with fields. No text is read here.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_sandbox::drugs::{DrugFacts, Release, Suffix, Worth, Written};

/// A product of a catalogue.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// Its name in the directory.
    pub(super) name: String,
    /// Its dosage form in the directory.
    pub(super) form: String,
    pub(super) facts: DrugFacts,
    /// As the payer writes it.
    pub(super) written: Written,
}

/// The salts of each ingredient that says one.
pub(super) type Salts = BTreeMap<String, BTreeSet<String>>;

/// What a question says of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// Nothing: the plain one is meant; of a brand that has no plain one, its own.
    Nothing,
    /// This one; with the suffix, where there is one.
    Release(Release, Option<Suffix>),
}

/// A question in fields: what is left out of the text is `None`, empty or [`Typed::Nothing`].
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// Ingredients with what their strengths are worth.
    pub(super) content: Vec<(String, Worth)>,
    pub(super) salts: Salts,
    pub(super) form: Option<String>,
    pub(super) release: Typed,
    /// Asked by the name of a brand.
    pub(super) brand: Option<String>,
}

pub(super) fn content(facts: &DrugFacts) -> Vec<(String, Worth)> {
    facts.content().into_iter().map(|(base, worth)| (base.to_owned(), worth)).collect()
}

/// The salts that a text says, by the fields of what it is written of.
pub(super) fn salts_said(facts: &DrugFacts, said: &[bool]) -> Salts {
    let mut salts = Salts::new();
    for (ingredient, said) in facts.ingredients.iter().zip(said) {
        if let (Some(salt), true) = (&ingredient.salt, said) {
            salts.entry(ingredient.base.clone()).or_default().insert(salt.clone());
        }
    }
    salts
}

impl Asked {
    /// A product by its own full text.
    pub(super) fn by_own_text(product: &Product) -> Self {
        let facts = &product.facts;
        Self {
            content: content(facts),
            salts: salts_said(facts, &product.written.names_salt),
            form: Some(facts.form.clone()),
            release: Typed::Release(facts.release, facts.suffix),
            brand: facts.brand.clone(),
        }
    }
}

/// Hours, or else the suffix: what tells one extended release from another.
fn kind_of(release: Release, suffix: Option<Suffix>) -> (Release, Option<Suffix>) {
    match release {
        Release::Extended(Some(_)) => (release, None),
        _ => (release, suffix),
    }
}

fn release_fits(typed: Typed, by_brand: bool, facts: &DrugFacts) -> bool {
    let has = facts.release;
    // A patch releases over hours whatever is said of it.
    if has == Release::Unclear || facts.form == "patch" {
        return true;
    }
    match typed {
        Typed::Nothing => by_brand || has == Release::Immediate,
        Typed::Release(Release::Unclear, _) => true,
        // `er` means any extended release.
        Typed::Release(Release::Extended(None), None) => matches!(has, Release::Extended(_)),
        Typed::Release(Release::Extended(None), Some(suffix)) => {
            matches!(has, Release::Extended(_)) && facts.suffix == Some(suffix)
        }
        Typed::Release(release @ Release::Extended(Some(_)), suffix) => {
            // A row that states no hours may be of these.
            let unsaid = has == Release::Extended(None) && facts.suffix.is_none() && suffix.is_none();
            unsaid || has == release && (suffix.is_none() || facts.suffix.is_none() || facts.suffix == suffix)
        }
        Typed::Release(release, _) => has == release,
    }
}

fn same_strengths(has: &[(String, Worth)], asked: &[(String, Worth)], in_percent: bool) -> bool {
    has == asked
        || (in_percent
            && has.len() == asked.len()
            && has.iter().zip(asked).all(|((_, has), (_, asked))| has.is_same_percentage(asked)))
}

/// What is wrong with these products as the one answer to a question: each fault by its kind.
/// `in_percent`: the question leaves open what its strength is of, as a text in percent does.
pub(super) fn faults(asked: &Asked, answer: &[&Product], in_percent: bool) -> BTreeSet<&'static str> {
    let mut faults = BTreeSet::new();
    let (mut forms, mut releases, mut salts) = (BTreeSet::new(), BTreeSet::new(), Salts::new());
    let bases = |content: &[(String, Worth)]| content.iter().map(|(base, _)| base.clone()).collect::<Vec<_>>();
    for product in answer {
        let facts = &product.facts;
        let has = content(facts);
        if bases(&has) != bases(&asked.content) {
            faults.insert("other ingredients");
        } else if !same_strengths(&has, &asked.content, in_percent || product.written.text.contains('%')) {
            faults.insert("other strength");
        }
        if asked.form.as_ref().is_some_and(|form| *form != facts.form) {
            faults.insert("other form");
        }
        if !release_fits(asked.release, asked.brand.is_some(), facts) {
            faults.insert("other release");
        }
        let said = salts_said(facts, &product.written.names_salt);
        if said.iter().any(|(base, said)| asked.salts.get(base).is_some_and(|asked| asked != said)) {
            faults.insert("other salt");
        }
        for (base, said) in said.into_iter().filter(|(base, _)| !asked.salts.contains_key(base)) {
            // An ingredient that stands twice has two salts in one product.
            let together = said.into_iter().collect::<Vec<_>>().join(" and ");
            salts.entry(base).or_default().insert(together);
        }
        forms.insert(&facts.form);
        if facts.release != Release::Unclear {
            releases.insert(kind_of(facts.release, facts.suffix));
        }
    }
    // An extended release whose row states no hours is the one whose rows do.
    let without_hours = (Release::Extended(None), None);
    let states_hours = |product: &&Product| {
        matches!(product.facts.release, Release::Extended(Some(_))) && product.facts.suffix.is_none()
    };
    if answer.iter().any(states_hours) {
        releases.remove(&without_hours);
    }
    if forms.len() > 1 {
        faults.insert("several forms");
    }
    if releases.len() > 1 {
        faults.insert("several releases");
    }
    if salts.values().any(|salts| salts.len() > 1) {
        faults.insert("several salts");
    }
    faults
}

#[cfg(test)]
mod tests {
    use coverdex_sandbox::drugs::Label;

    use super::*;

    fn product(name: &str, substances: &str, strengths: &str, form: &str) -> Product {
        let label = Label { name, generic: name, substances, strengths, form, route: "oral", brand: false };
        let facts = label.facts().unwrap();
        let names_salt = facts.ingredients.iter().map(|i| i.salt.is_some()).collect();
        let written = Written { text: name.to_owned(), names_ingredients: true, names_salt };
        Product { name: name.to_owned(), form: form.to_owned(), facts, written }
    }

    fn said_wrong(asked: &Asked, answer: &[&Product]) -> Vec<&'static str> {
        faults(asked, answer, false).into_iter().collect()
    }

    /// The oracle must be able to say no: every kind of wrong answer, made by hand.
    #[test]
    fn every_kind_of_wrong_answer_is_seen() {
        let asked = product("metoprolol succinate XL", "METOPROLOL SUCCINATE", "50 mg", "tablet, extended release");
        let other = |name, substances, strengths, form, fault: &[&str]| {
            let answer = product(name, substances, strengths, form);
            let asked = Asked::by_own_text(&asked);
            assert_eq!(said_wrong(&asked, &[&answer]), fault, "{name} {substances} {strengths} {form}");
        };
        let (name, er) = ("metoprolol succinate XL", "tablet, extended release");
        other(name, "METOPROLOL SUCCINATE", "50 mg", er, &[]);
        other(name, "METOPROLOL SUCCINATE", "0.05 g", "tablet, film coated, extended release", &[]);
        other(name, "METOPROLOL SUCCINATE; HYDROCHLOROTHIAZIDE", "50 mg; 12.5 mg", er, &["other ingredients"]);
        other(name, "METHYLDOPA", "50 mg", er, &["other ingredients"]);
        other(name, "METOPROLOL TARTRATE", "50 mg", er, &["other salt"]);
        other(name, "METOPROLOL SUCCINATE", "100 mg", er, &["other strength"]);
        other(name, "METOPROLOL SUCCINATE", "50 mg/mL", er, &["other strength"]);
        other(name, "METOPROLOL SUCCINATE", "50 mcg", er, &["other strength"]);
        other(name, "METOPROLOL SUCCINATE", "50 mg", "capsule, extended release", &["other form"]);
        other("metoprolol SR", "METOPROLOL SUCCINATE", "50 mg", er, &["other release"]);
        other("metoprolol ER", "METOPROLOL SUCCINATE", "50 mg", er, &["other release"]);
        other("metoprolol", "METOPROLOL SUCCINATE", "50 mg", "tablet", &["other release"]);
        other("metoprolol 24 hour", "METOPROLOL SUCCINATE", "50 mg", er, &[]);
        let combination = product("a", "LISINOPRIL; HYDROCHLOROTHIAZIDE", "20 mg; 12.5 mg", "tablet");
        let swapped = product("a", "LISINOPRIL; HYDROCHLOROTHIAZIDE", "12.5 mg; 20 mg", "tablet");
        assert_eq!(said_wrong(&Asked::by_own_text(&combination), &[&swapped]), ["other strength"]);
    }

    #[test]
    fn what_is_left_out_must_be_one_thing() {
        let plain = product("metoprolol", "METOPROLOL TARTRATE", "50 mg", "tablet");
        let succinate = product("metoprolol ER", "METOPROLOL SUCCINATE", "50 mg", "tablet, extended release");
        let capsule = product("metoprolol", "METOPROLOL TARTRATE", "50 mg", "capsule");
        let bare = Asked { salts: Salts::new(), form: None, release: Typed::Nothing, ..Asked::by_own_text(&plain) };
        assert_eq!(said_wrong(&bare, &[&plain]), Vec::<&str>::new());
        assert_eq!(said_wrong(&bare, &[&succinate]), ["other release"]);
        let all = said_wrong(&bare, &[&plain, &succinate, &capsule]);
        assert_eq!(all, ["other release", "several forms", "several releases", "several salts"]);
        let any_extended = Asked { release: Typed::Release(Release::Extended(None), None), ..bare.clone() };
        let sr = product("metoprolol SR", "METOPROLOL SUCCINATE", "50 mg", "tablet, extended release");
        assert_eq!(said_wrong(&any_extended, &[&succinate]), Vec::<&str>::new());
        assert_eq!(said_wrong(&any_extended, &[&plain]), ["other release"]);
        assert_eq!(said_wrong(&any_extended, &[&succinate, &sr]), ["several releases"]);
        // A text that names no salt contradicts none.
        let mut silent = plain.clone();
        silent.written.names_salt = vec![false];
        let tartrate = Asked { salts: salts_said(&plain.facts, &[true]), ..bare };
        assert_eq!(said_wrong(&tartrate, &[&silent]), Vec::<&str>::new());
    }
}
