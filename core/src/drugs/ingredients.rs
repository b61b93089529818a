//! Drugs with the same ingredients: found by the words of their names, compared by what their texts say.
//!
//! A brand whose text names its ingredients (`apixaban 5 MG Oral Tablet [Eliquis]`) has these; any other name is
//! compared as it stands, so a brand whose texts say nothing of what is in it has the drugs of its own name alone; a
//! name that says what a product is for names no ingredient.
//! Why not by RxNorm codes: payers attach them wrongly, and a wrong code would offer another drug.

use std::collections::BTreeSet;

use super::drug::{Drug, Resolution};
use super::resolve::other_names;
use crate::Result;
use crate::data::{LineRow, intersect_all, line_row, union};
use crate::dataset::Dataset;
use crate::drug_text::{DrugText, Identity, Ingredient, Strength, is_metal};

/// Words of names that say what a product is for and not what is in it: one store's `Acid Reducer` is famotidine in
/// one strength and ranitidine in another. Found as names of several contents in the FDA's NDC directory of 2019.
const NAMES_A_USE: [&str; 62] = [
    "aid",
    "allergy",
    "anesthetic",
    "antacid",
    "antibacterial",
    "antibiotic",
    "antifungal",
    "antiseptic",
    "arthritis",
    "balm",
    "burn",
    "cold",
    "congestion",
    "control",
    "cough",
    "daytime",
    "decongestant",
    "detox",
    "diarrheal",
    "eczema",
    "expectorant",
    "fever",
    "flu",
    "foot",
    "gas",
    "hand",
    "headache",
    "heartburn",
    "hemorrhoidal",
    "itch",
    "joint",
    "laxative",
    "lubricant",
    "menopause",
    "menstrual",
    "migraine",
    "moisturizer",
    "motion",
    "mucus",
    "multivitamin",
    "muscle",
    "nausea",
    "nighttime",
    "pain",
    "prenatal",
    "reducer",
    "relief",
    "reliever",
    "remedy",
    "rub",
    "sanitizer",
    "sickness",
    "sinus",
    "skin",
    "sleep",
    "softener",
    "spf",
    "sunscreen",
    "suppressant",
    "symptom",
    "tears",
    "throat",
];

/// A line of the catalogue and what it is made of.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) row: LineRow,
    pub(crate) identity: Identity,
    /// Its ingredients, salts apart.
    pub(crate) ingredients: Vec<Ingredient>,
    /// What the payer calls its packages elsewhere: nobody knows which of the names holds.
    pub(crate) also_called: Vec<String>,
}

/// What a drug is made of, and every line that is made of the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct SameIngredients {
    /// The lines of the drug itself.
    pub(crate) own: Vec<Made>,
    /// All others, best first as lines are numbered.
    pub(crate) others: Vec<Made>,
}

/// In what a drug differs from another of the same ingredients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DrugDifference {
    /// Another name: a brand for a generic, or one brand for another.
    Name,
    /// Another strength, or one of the two does not say which.
    Strength,
    /// Another salt, or one of the two does not say which.
    Salt,
    /// Another form, or one of the two does not say which.
    Form,
    /// Another release: extended for immediate, 12 hours for 24 hours, another suffix.
    Release,
    /// Another device or kind, such as a pen for a vial.
    Device,
}

impl DrugDifference {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Name, Self::Strength, Self::Salt, Self::Form, Self::Release, Self::Device];

    /// The difference as JSON shows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Strength => "strength",
            Self::Salt => "salt",
            Self::Form => "form",
            Self::Release => "release",
            Self::Device => "device",
        }
    }
}

impl Made {
    pub(crate) fn of(row: LineRow) -> Result<Self> {
        let identity = row.read_identity()?;
        let ingredients = match row.ingredient.as_deref() {
            Some(text) => DrugText::parse(text).own_identity().ingredients,
            None => identity.ingredients.clone(),
        };
        let also_called = other_names(&row)?;
        Ok(Self { row, identity, ingredients, also_called })
    }

    /// Whether its texts name what is in it, as far as a name can tell.
    pub(crate) fn names_ingredients(&self) -> bool {
        let is_use = |word: &String| NAMES_A_USE.contains(&word.as_str());
        self.row.ingredient.is_some() || !self.ingredients.iter().flat_map(|part| &part.words).any(is_use)
    }

    /// Whether two drugs with the same names state as many strengths: a brand with two of them is a combination.
    fn has_as_many_strengths(&self, other: &Self) -> bool {
        let (own, others) = (self.identity.strengths.len(), other.identity.strengths.len());
        own == others || own == 0 || others == 0
    }

    /// What two drugs of the same ingredients share: the words of all ingredients, whatever their order and
    /// wherever one ends. The salt of a metal is no salt that could be another: potassium chloride is not
    /// potassium citrate.
    fn key(&self) -> BTreeSet<String> {
        let mut key = BTreeSet::new();
        if !self.names_ingredients() {
            return key;
        }
        for ingredient in &self.ingredients {
            key.extend(ingredient.words.iter().cloned());
            if ingredient.words.iter().all(|word| is_metal(word)) {
                key.extend(ingredient.salts.iter().map(|salt| format!("+{salt}")));
            }
        }
        key
    }

    /// In what this differs from another of the same ingredients, in the order of [`DrugDifference`].
    pub(crate) fn differences(&self, other: &Self) -> Vec<DrugDifference> {
        let (own, others) = (&self.identity, &other.identity);
        let salts = |made: &Self| made.ingredients.iter().flat_map(|part| part.salts.clone()).collect::<BTreeSet<_>>();
        let names = |identity: &Identity| identity.words().map(str::to_owned).collect::<BTreeSet<String>>();
        let strengths = |identity: &Identity| {
            let mut keys: Vec<String> = identity.strengths.iter().map(Strength::key).collect();
            if !identity.is_aligned {
                keys.sort_unstable();
            }
            keys
        };
        let differs = |difference: &DrugDifference| match difference {
            DrugDifference::Name => names(own) != names(others),
            DrugDifference::Strength => strengths(own) != strengths(others),
            DrugDifference::Salt => salts(self) != salts(other),
            DrugDifference::Form => own.form != others.form,
            DrugDifference::Release => own.release != others.release,
            DrugDifference::Device => own.devices != others.devices,
        };
        DrugDifference::ALL.into_iter().filter(differs).collect()
    }
}

impl Dataset {
    /// What a drug is made of and which other lines are made of the same; nothing for a drug that is several or
    /// none.
    pub(crate) fn same_ingredients(&self, drug: &Drug) -> Result<SameIngredients> {
        if drug.resolution() != Resolution::Found {
            return Ok(SameIngredients::default());
        }
        let mut own = Vec::new();
        for row in self.lines_of_packages(drug.packages())? {
            if own.iter().all(|known: &Made| known.row.id != row.id) {
                own.push(Made::of(row)?);
            }
        }
        let own_keys: Vec<BTreeSet<String>> = own.iter().map(Made::key).collect();
        let keys: BTreeSet<&BTreeSet<String>> = own_keys.iter().filter(|key| !key.is_empty()).collect();
        let Some(index) = self.inner.drugs.words(&self.inner.database, &self.cancel)? else {
            return Ok(SameIngredients { own, others: Vec::new() });
        };
        let mut found = Vec::new();
        for key in &keys {
            let words = key.iter().filter(|word| !word.starts_with('+'));
            let sets = words.map(|word| index.with_word(word)).collect::<Result<Vec<_>>>()?;
            found.push(intersect_all(&sets));
        }
        let mut others = Vec::new();
        for line in union(found) {
            self.cancel.check()?;
            if own.iter().any(|own| own.row.id == line) {
                continue;
            }
            let made = Made::of(self.inner.database.with(|connection| line_row(connection, line))?)?;
            let key = made.key();
            let is_same =
                |(own, own_key): (&Made, &BTreeSet<String>)| *own_key == key && own.has_as_many_strengths(&made);
            if !key.is_empty() && own.iter().zip(&own_keys).any(is_same) {
                others.push(made);
            }
        }
        Ok(SameIngredients { own, others })
    }
}
