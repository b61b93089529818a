//! Which texts of a catalogue name one drug.
//!
//! Texts leave things open: a salt, a form, what a percentage is of, what a container holds. Where everything else is equal and the whole catalogue knows one value only, that
//! value is meant; where it knows several, the text stays a line of its own and is offered beside.
//!
//! | left open | taken from | not where |
//! |---|---|---|
//! | which strength is whose | names that the catalogue shows alone | more than one way fits |
//! | a unit | the one with this number | |
//! | `%` of a gram or a milliliter | the form: of a cream by weight, of a solution by volume | gels, lotions, liquids |
//! | what a container holds | the one | |
//! | a salt | the one of this strength | the base is a drug of its own; esters |
//! | a hydrate | dropped beside a salt and where no salt of the base is known | doxycycline monohydrate beside hyclate |
//! | solution or suspension of an injection | the one | |

use std::collections::{BTreeSet, HashMap, HashSet};

use super::forms::FormGroup;
use super::identity::{Identity, Ingredient};
use super::line::DrugText;
use super::strength::Strength;
use super::words::{hydrate, is_ester, is_free_base};

/// What a text names once the whole catalogue is known: equal for texts of one drug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Merged(Identity);

impl Merged {
    /// As the dataset keeps it.
    #[must_use]
    pub fn encode(&self) -> String {
        self.0.encode()
    }

    /// The name that lines are grouped by: its words without salts.
    #[must_use]
    pub fn name_key(&self) -> String {
        let names = self.0.ingredients.iter();
        let name = |ingredient: &Ingredient| ingredient.words.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        names.map(name).collect::<Vec<_>>().join(" / ")
    }

    /// Whether several ingredients or strengths are named: such lines come after single ones.
    #[must_use]
    pub fn is_combination(&self) -> bool {
        self.0.is_combination()
    }

    /// Whether strength and form are both known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// The strengths in one text, if any is stated.
    #[must_use]
    pub fn strengths(&self) -> Option<String> {
        let keys: Vec<String> = self.0.strengths.iter().map(Strength::key).collect();
        (!keys.is_empty()).then(|| keys.join(";"))
    }

    /// Strengths, form group and release in one text, if strength and form are stated.
    #[must_use]
    pub fn formulation(&self) -> Option<String> {
        let strengths = self.strengths().filter(|_| self.0.is_complete())?;
        Some(format!("{strengths}|{}|{:?}", self.0.form.key(), self.0.release.kind))
    }

    /// The release in words, as forms write it; `None` for immediate release.
    #[must_use]
    pub fn release_in_words(&self) -> Option<&'static str> {
        self.0.release.kind.words()
    }

    /// Whether a title tells the drug's release.
    #[must_use]
    pub fn is_released_as(&self, title: &str) -> bool {
        DrugText::parse(title).identity.release.kind == self.0.release.kind
    }

    /// Form and release in one text.
    #[must_use]
    pub fn manner(&self) -> String {
        format!("{} {:?}", self.0.form.key(), self.0.release)
    }

    /// Whether it is the plain form: neither released over time, nor chewable, ….
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.0.is_plain()
    }

    /// What lines of one name and form are ordered by: strength, then salt.
    #[must_use]
    pub fn order(&self) -> impl Ord + use<> {
        let magnitudes: Vec<u64> = self.0.strengths.iter().map(|strength| strength.amount.millionths()).collect();
        let salts: Vec<String> = self.0.salts().into_iter().map(str::to_owned).collect();
        (magnitudes, salts, self.0.clone())
    }
}

impl DrugText {
    /// Strength, form group and release in one text, if strength and form are stated.
    #[must_use]
    pub fn formulation(&self) -> Option<String> {
        self.identity.is_complete().then(|| {
            let bare = Identity {
                ingredients: Vec::new(),
                devices: BTreeSet::new(),
                is_aligned: true,
                ..self.identity.clone()
            };
            bare.encode()
        })
    }

    /// Whether a form is stated.
    #[must_use]
    pub fn states_form(&self) -> bool {
        !self.identity.form.is_unsaid()
    }

    /// The name's words without salts, sorted: what spellings of one name share.
    #[must_use]
    pub fn name_words(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.identity.words().collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Takes strength and form from a text of the same product; a release that the own text states is
    /// not overruled.
    pub fn borrow_formulation(&mut self, lender: &Self) {
        self.strength.clone_from(&lender.strength);
        let own_words = self.name_words();
        let same_name = own_words == lender.name_words();
        if same_name {
            self.identity.ingredients.clone_from(&lender.identity.ingredients);
            self.identity.is_aligned = lender.identity.is_aligned;
        } else {
            self.identity.is_aligned = self.identity.ingredients.len() == 1 && lender.identity.strengths.len() == 1;
        }
        self.identity.strengths.clone_from(&lender.identity.strengths);
        let states_release = !self.identity.is_plain();
        if !states_release {
            self.form.clone_from(&lender.form);
            self.identity.form.clone_from(&lender.identity.form);
            self.identity.release.fill(&lender.identity.release);
        }
    }

    /// Takes the name from a text of the same product.
    pub fn borrow_name(&mut self, lender: &Self) {
        self.name.clone_from(&lender.name);
        self.brand.clone_from(&lender.brand);
        self.ingredient.clone_from(&lender.ingredient);
        self.aside.clone_from(&lender.aside);
        self.spoken.clone_from(&lender.spoken);
        let identity = &mut self.identity;
        identity.ingredients.clone_from(&lender.identity.ingredients);
        identity.devices.clone_from(&lender.identity.devices);
        identity.release.fill(&lender.identity.release);
        identity.is_aligned = identity.strengths.len() == identity.ingredients.len() || identity.strengths.is_empty();
    }

    /// Whether two texts of one package state different strengths: they name two drugs.
    #[must_use]
    pub fn contradicts(&self, other: &Self) -> bool {
        let values = |text: &Self| {
            let mut values: Vec<_> = text
                .identity
                .strengths
                .iter()
                .map(|strength| (strength.amount, strength.per.as_deref().is_some_and(|per| per != "dose")))
                .collect();
            values.sort();
            values
        };
        let (own, others) = (values(self), values(other));
        !own.is_empty() && !others.is_empty() && own != others
    }

    /// Whether another text of the same package names another name altogether.
    #[must_use]
    pub fn is_named_otherwise(&self, other: &Self) -> bool {
        let (own, others) = (self.name_words(), other.name_words());
        let shares = own.iter().any(|word| others.contains(word) || other.aside.contains(*word))
            || others.iter().any(|word| self.aside.contains(*word));
        !own.is_empty() && !others.is_empty() && !shares
    }

    /// The words that may be typed and need not be, between blanks.
    pub fn aside(&self) -> impl Iterator<Item = &str> {
        self.aside.iter().map(String::as_str)
    }

    /// What it names, taken alone.
    #[must_use]
    pub fn alone(&self) -> Merged {
        merge(&[self]).pop().unwrap_or_else(|| Merged(self.identity.clone()))
    }
}

/// What each of a catalogue's texts names.
#[must_use]
pub fn merge(texts: &[&DrugText]) -> Vec<Merged> {
    let mut all: Vec<Identity> = texts.iter().map(|text| text.identity.clone()).collect();
    tell_strengths_apart(texts, &mut all);
    settle_hydrates(&mut all);
    for identity in &mut all {
        identity.sort();
        identity.settle_percentages();
    }
    order_brand_strengths(texts, &mut all);
    adopt_from_only(
        &mut all,
        |identity| each_strength(identity, |s| s.unit.is_none(), |s| s.unit = None),
        |own, known| {
            for (own, known) in own.strengths.iter_mut().zip(&known.strengths) {
                own.unit.clone_from(&known.unit);
            }
        },
    );
    adopt_from_only(
        &mut all,
        |identity| each_strength(identity, |s| s.quantity.is_none(), |s| s.quantity = None),
        |own, known| {
            for (own, known) in own.strengths.iter_mut().zip(&known.strengths) {
                own.quantity = known.quantity;
            }
        },
    );
    // Salts before forms, so that a form is adopted from texts of the same salt; and once more for
    // those that have a form since.
    adopt_salts(&mut all);
    adopt_forms(&mut all);
    adopt_salts(&mut all);
    all.into_iter().map(Merged).collect()
}

/// The identity with each strength changed.
fn with_strengths(identity: &Identity, change: impl Fn(&mut Strength)) -> Identity {
    let mut changed = identity.clone();
    changed.strengths.iter_mut().for_each(change);
    changed
}

/// The identity with something of its strengths left open, and whether it is open.
fn each_strength(
    identity: &Identity,
    is_open: impl Fn(&Strength) -> bool,
    open: impl Fn(&mut Strength),
) -> Option<(Identity, bool)> {
    if identity.strengths.is_empty() {
        return None;
    }
    Some((with_strengths(identity, open), identity.strengths.iter().all(is_open)))
}

/// Identities that leave something open take it from the only one that states it and equals them
/// otherwise. `opened` gives an identity with that left open, and whether it is.
fn adopt_from_only(
    all: &mut [Identity],
    opened: impl Fn(&Identity) -> Option<(Identity, bool)>,
    take: impl Fn(&mut Identity, &Identity),
) {
    let mut stated: HashMap<Identity, Option<Identity>> = HashMap::new();
    let mut open: Vec<(usize, Identity)> = Vec::new();
    for (at, identity) in all.iter().enumerate() {
        let Some((key, is_open)) = opened(identity) else { continue };
        if is_open {
            open.push((at, key));
            continue;
        }
        stated
            .entry(key)
            .and_modify(|only| {
                if only.as_ref().is_some_and(|only| only != identity) {
                    *only = None;
                }
            })
            .or_insert_with(|| Some(identity.clone()));
    }
    for (at, key) in open {
        if let (Some(Some(known)), Some(own)) = (stated.get(&key), all.get_mut(at)) {
            take(own, known);
        }
    }
}

/// `buprenorphine naloxone 8-2 mg`: names that the catalogue shows alone tell where one ends.
fn tell_strengths_apart(texts: &[&DrugText], all: &mut [Identity]) {
    let known: HashSet<BTreeSet<String>> = all
        .iter()
        .filter(|identity| identity.is_aligned && identity.strengths.len() == identity.ingredients.len())
        .flat_map(|identity| identity.ingredients.iter().map(|ingredient| ingredient.words.clone()))
        .collect();
    for (text, identity) in texts.iter().zip(all) {
        if identity.is_aligned
            || identity.is_pack
            || identity.strengths.len() < 2
            || text.spoken.len() < identity.strengths.len()
        {
            continue;
        }
        let mut found: Vec<Vec<Ingredient>> = Vec::new();
        split(&text.spoken, identity.strengths.len(), &known, &mut Vec::new(), &mut found);
        if let [only] = found.as_slice() {
            identity.ingredients.clone_from(only);
            identity.is_aligned = true;
        }
    }
}

/// All ways to part words into `parts` known names.
fn split(
    words: &[(String, BTreeSet<String>)],
    parts: usize,
    known: &HashSet<BTreeSet<String>>,
    taken: &mut Vec<Ingredient>,
    found: &mut Vec<Vec<Ingredient>>,
) {
    if parts == 0 || found.len() > 1 {
        if words.is_empty() {
            found.push(taken.clone());
        }
        return;
    }
    for end in 1..=words.len().min(5) {
        let Some((head, rest)) = words.split_at_checked(end) else { return };
        let ingredient = Ingredient {
            words: head.iter().map(|(word, _)| word.clone()).collect(),
            salts: head.iter().flat_map(|(_, salts)| salts.iter().cloned()).collect(),
        };
        if known.contains(&ingredient.words) {
            taken.push(ingredient);
            split(rest, parts - 1, known, taken, found);
            taken.pop();
        }
    }
}

/// A hydrate tells nothing beside a salt, nor where the catalogue knows no salt of the base.
fn settle_hydrates(all: &mut [Identity]) {
    let is_hydrate = |salt: &String| hydrate(salt).is_some();
    let salted: HashSet<BTreeSet<String>> = all
        .iter()
        .flat_map(|identity| &identity.ingredients)
        .filter(|ingredient| ingredient.salts.iter().any(|salt| !is_hydrate(salt)))
        .map(|ingredient| ingredient.words.clone())
        .collect();
    for ingredient in all.iter_mut().flat_map(|identity| &mut identity.ingredients) {
        let has_salt = ingredient.salts.iter().any(|salt| !is_hydrate(salt));
        let keeps = !has_salt && salted.contains(&ingredient.words);
        ingredient.salts.retain(|salt| !is_hydrate(salt) || (keeps && salt != "anhydrous"));
    }
}

/// A brand's strengths are one drug in any order, unless labels use both orders of the same numbers.
/// RxNorm orders them by ingredient, labels as they like.
fn order_brand_strengths(texts: &[&DrugText], all: &mut [Identity]) {
    let key = |identity: &Identity| {
        let mut sorted = identity.strengths.clone();
        sorted.sort();
        (identity.ingredients.clone(), sorted)
    };
    let mut orders: HashMap<_, BTreeSet<Vec<Strength>>> = HashMap::new();
    for (text, identity) in texts.iter().zip(all.iter()).filter(|(_, identity)| identity.is_brand_of_several()) {
        if text.brand.is_none() {
            orders.entry(key(identity)).or_default().insert(identity.strengths.clone());
        }
    }
    for identity in all.iter_mut().filter(|identity| identity.is_brand_of_several()) {
        let key = key(identity);
        if orders.get(&key).is_none_or(|orders| orders.len() <= 1) {
            identity.strengths = key.1;
        }
    }
}

/// `injection` is the solution or suspension that the catalogue knows, if it knows one.
fn adopt_forms(all: &mut [Identity]) {
    let injection = FormGroup::of(["injection".to_owned()]);
    let vehicles = ["solution", "suspension", "emulsion"];
    let is_vehicle = |form: &FormGroup| {
        vehicles.iter().any(|vehicle| *form == FormGroup::of(["injection".to_owned(), (*vehicle).to_owned()]))
    };
    let bare = injection.clone();
    adopt_from_only(
        all,
        move |identity| {
            let is_open = identity.form == injection;
            let key = Identity { form: injection.clone(), ..identity.clone() };
            (is_open || is_vehicle(&identity.form)).then_some((key, is_open))
        },
        move |own, known| {
            if own.form == bare {
                own.form.clone_from(&known.form);
            }
        },
    );
}

/// For each ingredient the salts that texts name.
type Named = Vec<BTreeSet<BTreeSet<String>>>;

/// A salt that is left open is the only one that the catalogue knows of this drug.
fn adopt_salts(all: &mut [Identity]) {
    let bare = |identity: &Identity| -> Vec<Ingredient> {
        let without = |ingredient: &Ingredient| Ingredient { words: ingredient.words.clone(), salts: BTreeSet::new() };
        identity.ingredients.iter().map(without).collect()
    };
    // Of each ingredient of a drug, whatever its form and release, the salts that are named.
    let mut of_strength: HashMap<(Vec<Ingredient>, Vec<Strength>), Named> = HashMap::new();
    let mut of_form: HashMap<Identity, Named> = HashMap::new();
    let note = |salts: &mut Named, identity: &Identity| {
        salts.resize(identity.ingredients.len(), BTreeSet::new());
        for (known, ingredient) in salts.iter_mut().zip(&identity.ingredients) {
            if !ingredient.salts.is_empty() {
                known.insert(ingredient.salts.clone());
            }
        }
    };
    for identity in all.iter() {
        let ingredients = bare(identity);
        note(of_strength.entry((ingredients.clone(), identity.strengths.clone())).or_default(), identity);
        note(of_form.entry(Identity { ingredients, ..identity.clone() }).or_default(), identity);
    }
    for identity in all.iter_mut() {
        let ingredients = bare(identity);
        let (Some(anywhere), Some(here)) = (
            of_strength.get(&(ingredients.clone(), identity.strengths.clone())),
            of_form.get(&Identity { ingredients, ..identity.clone() }),
        ) else {
            continue;
        };
        let single = identity.ingredients.len() == 1;
        for (ingredient, (anywhere, here)) in identity.ingredients.iter_mut().zip(anywhere.iter().zip(here)) {
            let (true, Some(only), 1) = (ingredient.salts.is_empty(), here.first(), here.len()) else { continue };
            let own_drug = single && ingredient.words.iter().any(|word| is_free_base(word));
            if anywhere.len() == 1 && !own_drug && !only.iter().any(|salt| is_ester(salt)) {
                ingredient.salts.clone_from(only);
            }
        }
        identity.sort();
    }
}
