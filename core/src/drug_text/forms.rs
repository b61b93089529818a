//! Form groups: the dosage forms that a pharmacist would call the same.

use std::collections::BTreeSet;

use super::fit::Fit;
use super::words::FormWord;

/// The group of a dosage form: its telling words, sorted. Coated and film-coated tablets are one
/// (RxNorm's Oral Tablet); chewable, sublingual and orally disintegrating ones never join them.
/// Release is told apart from the form, see [`super::release`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FormGroup(BTreeSet<String>);

/// Words that set a form apart from the plain one.
const NOT_PLAIN: [&str; 7] =
    ["disintegrating", "chewable", "sublingual", "buccal", "effervescent", "sprinkle", "soluble"];

/// Whether who asks for a form may leave out a word of it: a vehicle of an injection, a powder that
/// becomes one, a route, and what sets a form apart from the plain one, which is weighed when all that
/// fits is known. A powder for a solution is neither a powder nor a solution.
fn may_go_unsaid(word: &str, of: &BTreeSet<String>) -> bool {
    let is_injected = of.contains("injection");
    match word {
        "solution" | "suspension" | "emulsion" => is_injected,
        "powder" => is_injected || of.contains("suspension"),
        "drop" | "packet" | "concentrate" | "tablet" | "capsule" => true,
        _ => NOT_PLAIN.contains(&word) || is_route(word),
    }
}

fn is_route(word: &str) -> bool {
    matches!(
        word,
        "ophthalmic"
            | "otic"
            | "nasal"
            | "vaginal"
            | "rectal"
            | "nebulization"
            | "inhalation"
            | "urethral"
            | "intrathecal"
            | "epidural"
    )
}

impl FormGroup {
    /// From the words that were read, with what they imply together.
    pub(crate) fn of(words: impl IntoIterator<Item = String>) -> Self {
        let mut words: BTreeSet<String> = words.into_iter().collect();
        let has = |words: &BTreeSet<String>, word: &str| words.contains(word);
        let solid = has(&words, "tablet") || has(&words, "capsule");
        if solid {
            // Coatings and fillings.
            for word in ["film", "liquid", "pellet", "gel", "powder", "particle"] {
                words.remove(word);
            }
        }
        if has(&words, "metered") {
            if has(&words, "spray") {
                words.remove("metered");
            } else if !has(&words, "gel") {
                words.remove("metered");
                words.insert("inhaler".to_owned());
            }
        }
        if has(&words, "inhaler") {
            words.remove("inhalation");
            words.remove("suspension");
            words.remove("solution");
            if !has(&words, "powder") {
                words.insert("aerosol".to_owned());
            }
        } else if has(&words, "inhalation") && has(&words, "powder") {
            words.remove("inhalation");
            words.insert("inhaler".to_owned());
        }
        let vessel = ["pen", "autoinjector", "syringe", "cartridge"].iter().any(|word| has(&words, word));
        if vessel {
            words.insert("injection".to_owned());
            words.remove("solution");
            if has(&words, "autoinjector") {
                words.remove("pen");
            }
        }
        if has(&words, "drop") && (has(&words, "ophthalmic") || has(&words, "otic")) {
            // Eye drops are a solution unless they say otherwise.
            words.remove("solution");
        }
        Self(words)
    }

    /// A form's words as they were read, before they are a group.
    pub(crate) fn words_of(form: FormWord) -> impl Iterator<Item = String> {
        form.words.iter().map(|word| (*word).to_owned())
    }

    /// Whether nothing is said of the form.
    pub(crate) fn is_unsaid(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the form is the plain one: neither chewable nor disintegrating, …
    pub(crate) fn is_plain(&self) -> bool {
        !NOT_PLAIN.iter().any(|word| self.0.contains(*word))
    }

    /// The group without what sets it apart from the plain form.
    pub(crate) fn plain(&self) -> Self {
        Self(self.0.iter().filter(|word| !NOT_PLAIN.contains(&word.as_str())).cloned().collect())
    }

    /// Whether it has all of another's words.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        other.0.is_subset(&self.0)
    }

    /// How a form that is asked for fits a drug's. What is asked for may leave out the vehicle, the
    /// route and the like, but not that a drug is injected or inhaled; what it says beyond the drug's
    /// text may hold.
    pub(crate) fn fit(&self, stated: &Self) -> Fit {
        if self.is_unsaid() {
            return Fit::Same;
        }
        if stated.is_unsaid() {
            return Fit::MayBe;
        }
        // `inhaler` is said of powders too.
        let asked = if self.0.contains("inhaler") && stated.0.contains("powder") {
            Self(self.0.iter().filter(|word| *word != "aerosol").cloned().collect())
        } else {
            self.clone()
        };
        let routes_alone = asked.0.iter().all(|word| is_route(word));
        if stated.includes(&asked) {
            if routes_alone {
                return Fit::Same;
            }
            let mut left_out = stated.0.difference(&asked.0);
            return if left_out.all(|word| may_go_unsaid(word, &stated.0)) { Fit::Same } else { Fit::MayBe };
        }
        // A route may hold of a form that states none: a solution for a nebulizer.
        if asked.includes(stated) || (routes_alone && !stated.is_solid()) { Fit::MayBe } else { Fit::No }
    }

    /// What a percentage of this form is of: `g` of a cream, `ml` of a solution; `None` where labels use
    /// both.
    pub(crate) fn percentage_of(&self) -> Option<&'static str> {
        let has = |words: &[&str]| words.iter().any(|word| self.0.contains(*word));
        if has(&["cream", "ointment", "paste", "stick", "suppository"]) {
            Some("g")
        } else if has(&["solution", "drop", "injection", "suspension", "syrup", "elixir"]) {
            Some("ml")
        } else {
            None
        }
    }

    /// Whether it is swallowed whole: a tablet or capsule.
    pub(crate) fn is_solid(&self) -> bool {
        self.0.contains("tablet") || self.0.contains("capsule")
    }

    /// Its words, joined by blanks.
    pub(crate) fn key(&self) -> String {
        self.0.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// What [`key`](Self::key) wrote.
    pub(crate) fn from_key(key: &str) -> Self {
        Self(key.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }

    /// Its words.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
