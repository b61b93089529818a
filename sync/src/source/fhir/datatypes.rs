//! FHIR's shared data types: only the properties that are read.

use serde::Deserialize;

use super::lenient::{Decimal, Flag, Many, One, Text, elements, owned_elements};
use super::period::Period;
use crate::doors::type_says_closed;

/// `Meta`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta<'a> {
    #[serde(borrow, rename = "lastUpdated")]
    pub(super) last_updated: Text<'a>,
    #[serde(borrow, rename = "versionId")]
    pub(super) version_id: Text<'a>,
    #[serde(borrow)]
    pub(super) profile: Many<Text<'a>>,
    #[serde(borrow)]
    pub(super) tag: Many<Coding<'a>>,
}

/// `Coding`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Coding<'a> {
    #[serde(borrow)]
    pub(super) system: Text<'a>,
    #[serde(borrow)]
    pub(super) code: Text<'a>,
    #[serde(borrow)]
    pub(super) display: Text<'a>,
}

/// `CodeableConcept`; a bare string is its text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodeableConcept<'a> {
    #[serde(borrow)]
    pub(super) coding: Many<Coding<'a>>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
}

/// `Identifier`; a bare string is its value.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Identifier<'a> {
    #[serde(borrow)]
    pub(super) system: Text<'a>,
    #[serde(borrow)]
    pub(super) value: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: One<CodeableConcept<'a>>,
}

/// `Reference`; a bare string is its reference.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Reference<'a> {
    #[serde(borrow)]
    pub(super) reference: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) identifier: One<Identifier<'a>>,
    #[serde(borrow)]
    pub(super) display: Text<'a>,
}

impl Reference<'_> {
    /// Whether it says nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        [&self.reference, &self.kind, &self.display].into_iter().all(|text| text.get().is_none())
            && self.identifier.0.is_none()
    }
}

/// `Money`: the currency is US dollars wherever the guides use it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Money {
    pub(super) value: Decimal,
}

/// `Address`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Address<'a> {
    #[serde(borrow, rename = "use")]
    pub(super) usage: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) period: One<Period<'a>>,
    #[serde(borrow)]
    pub(super) line: Many<Text<'a>>,
    #[serde(borrow)]
    pub(super) city: Text<'a>,
    #[serde(borrow)]
    pub(super) district: Text<'a>,
    #[serde(borrow)]
    pub(super) state: Text<'a>,
    #[serde(borrow, rename = "postalCode")]
    pub(super) postal_code: Text<'a>,
    #[serde(borrow)]
    pub(super) country: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) extension: Many<Extension<'a>>,
}

/// `Extension`, with the kinds of value that the guides' extensions carry, and those kinds that
/// the guides changed from one version to the next. The rare ones are boxed: nearly every resource
/// is a handful of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Extension<'a> {
    #[serde(borrow)]
    pub(super) url: Text<'a>,
    #[serde(borrow)]
    pub(super) extension: Many<Extension<'a>>,
    #[serde(rename = "valueBoolean")]
    pub(super) boolean: Flag,
    #[serde(borrow, rename = "valueString")]
    string: Text<'a>,
    #[serde(borrow, rename = "valueUrl")]
    url_value: Text<'a>,
    #[serde(borrow, rename = "valueUri")]
    uri: Text<'a>,
    #[serde(borrow, rename = "valueCode")]
    code: Text<'a>,
    #[serde(borrow, rename = "valueIdentifier")]
    pub(super) identifier: One<Box<Identifier<'a>>>,
    #[serde(borrow, rename = "valueCoding")]
    pub(super) coding: One<Box<Coding<'a>>>,
    #[serde(borrow, rename = "valueCodeableConcept")]
    pub(super) concept: One<CodeableConcept<'a>>,
    #[serde(borrow, rename = "valueReference")]
    pub(super) reference: One<Box<Reference<'a>>>,
    #[serde(borrow, rename = "valuePeriod")]
    pub(super) period: One<Box<Period<'a>>>,
    #[serde(rename = "valueMoney")]
    pub(super) money: One<Box<Money>>,
    #[serde(rename = "valueDecimal")]
    pub(super) decimal: Decimal,
}

elements!(Meta, Coding, Address, Extension);
elements!(CodeableConcept from text, Identifier from value, Reference from reference);

impl Identifier<'_> {
    /// Whether it says that it is an NPI: by its system, or by its type.
    pub(super) fn says_npi(&self) -> bool {
        let by_system = self.system.get().map(tail).is_some_and(|tail| {
            ["us-npi", "2.16.840.1.113883.4.6", "npi"].iter().any(|name| tail.eq_ignore_ascii_case(name))
        });
        let is_npi =
            |kind: &CodeableConcept<'_>| kind.text.is("NPI") || kind.coding.iter().any(|coding| coding.code.is("NPI"));
        by_system || self.kind.0.as_ref().is_some_and(is_npi)
    }
}

owned_elements!(Money);

impl<'a> Extension<'a> {
    /// The last part of its url, to be compared without regard to case: the host, a `|version`, a
    /// slash at the end and the case (the first guide wrote `Davinci`) do not matter.
    pub(super) fn name(&self) -> &str {
        self.url.get().map_or("", tail)
    }

    /// Whether its url ends in `name`.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }

    /// A textual value, whichever of the textual kinds it is of.
    pub(super) fn text(&self) -> Option<&str> {
        [&self.string, &self.url_value, &self.uri, &self.code].into_iter().find_map(Text::get)
    }

    /// A textual value, or the value of an identifier.
    pub(super) fn text_or_identifier(&self) -> Option<&str> {
        self.text().or_else(|| self.identifier.0.as_ref().and_then(|identifier| identifier.value.get()))
    }

    /// The codings of a coded value, whichever of the coded kinds it is of.
    pub(super) fn codings(&self) -> impl Iterator<Item = &Coding<'a>> {
        self.concept.0.iter().flat_map(|concept| &concept.coding).chain(self.coding.0.as_deref())
    }

    /// The distinct codes of a coded value; else its text.
    pub(super) fn codes(&self) -> impl Iterator<Item = &str> {
        let codes: Vec<&str> = self.codings().filter_map(|coding| coding.code.get()).collect();
        let text = if codes.is_empty() {
            self.text().or_else(|| self.concept.0.as_ref().and_then(|concept| concept.text.get()))
        } else {
            None
        };
        codes.into_iter().chain(text)
    }
}

/// The last part of a system or canonical address: `rxnorm` of
/// `http://www.nlm.nih.gov/research/umls/rxnorm`. Versions and slashes at the end are dropped.
pub(super) fn tail(address: &str) -> &str {
    let mut bare = address.find('|').and_then(|at| address.get(..at)).unwrap_or(address).trim_ascii_end();
    while let Some(shorter) = bare.strip_suffix('/') {
        bare = shorter;
    }
    let last = bare.bytes().rposition(|b| matches!(b, b'/' | b'#' | b':'));
    last.and_then(|at| bare.get(at + 1..)).unwrap_or(bare)
}

/// Whether `text` contains `part`, which is in lower case, without regard to case.
pub(super) fn contains_ignoring_case(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// The words of concepts, and those of their codings, that say how a pharmacy serves that nobody walks into;
/// they count beside a code too, which may not say it.
pub(super) fn closed_doors<'b>(concepts: &'b Many<CodeableConcept<'_>>) -> impl Iterator<Item = String> + 'b {
    let words = concepts.iter().flat_map(|concept| {
        let codings = concept.coding.iter().flat_map(|coding| [coding.display.words(), coding.code.words()]);
        codings.chain([concept.text.words()]).flatten()
    });
    words.filter(|words| type_says_closed(words))
}

/// A concept's codes; without any, its words.
pub(super) fn codes_or_words(concept: &CodeableConcept<'_>) -> Vec<String> {
    let mut codes: Vec<String> = concept.coding.iter().filter_map(|c| c.code.get()).map(str::to_owned).collect();
    if codes.is_empty() {
        let display = concept.coding.iter().find_map(|coding| coding.display.words());
        codes.extend(concept.text.words().or(display));
    }
    codes
}

/// Codes of the guide in lower case, as it writes them; words as they are. Sorted, each once.
pub(super) fn type_codes(concepts: &Many<CodeableConcept<'_>>) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    for concept in concepts {
        let codes = concept.coding.iter().filter_map(|coding| coding.code.get()).map(str::to_ascii_lowercase);
        let before = types.len();
        types.extend(codes);
        if types.len() == before {
            types.extend(concept.text.words());
        }
    }
    types.sort_unstable();
    types.dedup();
    types
}
