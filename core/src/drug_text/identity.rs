//! What one drug is: ingredients with salts, strengths, form group, release, devices.

use std::collections::BTreeSet;

use super::forms::FormGroup;
use super::release::{Release, ReleaseKind};
use super::strength::Strength;

/// An ingredient, or a brand.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ingredient {
    /// Its words without the salt; numbers of a name begin with `#`.
    pub(crate) words: BTreeSet<String>,
    /// Salts and hydrates, one spelling each.
    pub(crate) salts: BTreeSet<String>,
}

/// What one drug is. Two texts with one identity name one drug; where one leaves something open that
/// the other says, the builder decides with the whole catalogue at hand.
///
/// Why not RxNorm codes or product codes: payers attach them wrongly or leave them out, and a wrong
/// code would join what the texts keep apart. Why not the text: payers write one drug in many ways.
/// Why are names compared as sets of words: both orders of a combination are one drug, and so are
/// `hydrocodone-acetaminophen` and `acetaminophen and hydrocodone`; what a strength belongs to is kept
/// beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Identity {
    /// Ingredients in alphabetical order, or one name where the text does not tell them apart.
    pub(crate) ingredients: Vec<Ingredient>,
    /// With [`is_aligned`](Self::is_aligned) one for each ingredient, in their order; else as the text
    /// orders them.
    pub(crate) strengths: Vec<Strength>,
    /// Whether each strength belongs to the ingredient in its place.
    pub(crate) is_aligned: bool,
    pub(crate) form: FormGroup,
    pub(crate) release: Release,
    /// Device words of a brand (KwikPen, HFA), and words and volumes in parentheses that tell products
    /// apart.
    pub(crate) devices: BTreeSet<String>,
    /// A pack is its contents as a whole.
    pub(crate) is_pack: bool,
}

impl Identity {
    /// Whether strength and form are both said.
    pub(crate) fn is_complete(&self) -> bool {
        !self.strengths.is_empty() && !self.form.is_unsaid()
    }

    /// Whether it is the plain form at once: neither released over time, nor chewable, ….
    pub(crate) fn is_plain(&self) -> bool {
        self.release.kind == ReleaseKind::Immediate && self.form.is_plain()
    }

    /// All salts of all ingredients, hydrates aside.
    pub(crate) fn salts(&self) -> BTreeSet<&str> {
        self.ingredients.iter().flat_map(|ingredient| &ingredient.salts).map(String::as_str).collect()
    }

    /// All words of the names.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.ingredients.iter().flat_map(|ingredient| &ingredient.words).map(String::as_str)
    }

    /// Whether a text that names `own`, read as payers' texts are, names this drug: what it leaves open
    /// (a salt, what a container holds) may be anything.
    pub(crate) fn is_named_by(&self, own: &Self) -> bool {
        let same_strength = |(stated, own): (&Strength, &Strength)| {
            let quantity = own.quantity.is_none_or(|own| stated.quantity == Some(own));
            stated.amount == own.amount && stated.unit == own.unit && stated.per == own.per && quantity
        };
        let same_ingredient = |(a, b): (&Ingredient, &Ingredient)| a.words == b.words && b.salts.is_subset(&a.salts);
        self.ingredients.len() == own.ingredients.len()
            && self.strengths.len() == own.strengths.len()
            && self.ingredients.iter().zip(&own.ingredients).all(same_ingredient)
            && self.strengths.iter().zip(&own.strengths).all(same_strength)
            && self.form == own.form
            && self.release.kind == own.release.kind
            && self.release.suffix == own.release.suffix
            && self.release.hours == own.release.hours
            && self.devices == own.devices
            && self.is_pack == own.is_pack
    }

    /// What percentages are of, where the form tells: a cream's by weight, a solution's by volume.
    pub(crate) fn settle_percentages(&mut self) {
        if let Some(per) = self.form.percentage_of() {
            for strength in self.strengths.iter_mut().filter(|strength| strength.per.as_deref() == Some("%")) {
                strength.per = Some(per.to_owned());
            }
        }
    }

    /// Whether one name has several strengths and is too short to be the names of its ingredients.
    pub(crate) fn is_brand_of_several(&self) -> bool {
        !self.is_aligned && !self.is_pack && self.words().count() < self.strengths.len()
    }

    /// Whether several ingredients are named.
    #[cfg(feature = "build")]
    pub(crate) fn is_combination(&self) -> bool {
        self.ingredients.len() > 1 || self.strengths.len() > 1
    }

    /// The identity as one text for the dataset, fields between `|`:
    /// alignment, ingredients (`word word+salt+salt` between `;`), strengths between `;`, form, release
    /// kind with hours and suffix, devices.
    #[cfg(feature = "build")]
    pub(crate) fn encode(&self) -> String {
        let ingredients = self.ingredients.iter().map(|ingredient| {
            let mut text = joined(&ingredient.words, " ");
            for salt in &ingredient.salts {
                text.push('+');
                text.push_str(salt);
            }
            text
        });
        let strengths = self.strengths.iter().map(Strength::key);
        let kind = match self.release.kind {
            ReleaseKind::Immediate => "",
            ReleaseKind::Delayed => "d",
            ReleaseKind::Extended => "e",
            ReleaseKind::DelayedExtended => "b",
        };
        let hours = self.release.hours.map(|hours| hours.to_string()).unwrap_or_default();
        let alignment = match (self.is_pack, self.is_aligned) {
            (true, _) => "p",
            (false, true) => "",
            (false, false) => "u",
        };
        [
            alignment.to_owned(),
            ingredients.collect::<Vec<_>>().join(";"),
            strengths.collect::<Vec<_>>().join(";").replace('|', "\\"),
            self.form.key(),
            format!("{kind}{hours}"),
            self.release.suffix.clone().unwrap_or_default(),
            joined(&self.devices, " "),
        ]
        .join("|")
        .trim_end_matches('|')
        .to_owned()
    }

    /// What [`encode`](Self::encode) wrote; `None` for anything else.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let mut fields = text.split('|');
        let mut field = || fields.next().unwrap_or_default();
        let (is_pack, is_aligned) = match field() {
            "p" => (true, false),
            "u" => (false, false),
            "" => (false, true),
            _ => return None,
        };
        let ingredients = field();
        let ingredients =
            if ingredients.is_empty() { Vec::new() } else { ingredients.split(';').map(Ingredient::decode).collect() };
        let strengths = field();
        let strengths = if strengths.is_empty() {
            Vec::new()
        } else {
            strengths.split(';').map(|key| Strength::from_key(&key.replace('\\', "|"))).collect::<Option<Vec<_>>>()?
        };
        let form = FormGroup::from_key(field());
        let release = field();
        let (kind, hours) = release.split_at_checked(usize::from(!release.is_empty()))?;
        let kind = match kind {
            "" => ReleaseKind::Immediate,
            "d" => ReleaseKind::Delayed,
            "e" => ReleaseKind::Extended,
            "b" => ReleaseKind::DelayedExtended,
            _ => return None,
        };
        let hours = if hours.is_empty() { None } else { Some(hours.parse().ok()?) };
        let suffix = Some(field()).filter(|suffix| !suffix.is_empty()).map(str::to_owned);
        let devices = field().split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        Some(Self {
            ingredients,
            strengths,
            is_aligned,
            form,
            release: Release { kind, hours, suffix },
            devices,
            is_pack,
        })
    }
}

impl Ingredient {
    fn decode(text: &str) -> Self {
        let mut parts = text.split('+');
        let words = parts.next().unwrap_or_default();
        Self {
            words: words.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect(),
            salts: parts.map(str::to_owned).collect(),
        }
    }
}

#[cfg(feature = "build")]
fn joined(words: &BTreeSet<String>, separator: &str) -> String {
    words.iter().map(String::as_str).collect::<Vec<_>>().join(separator)
}
