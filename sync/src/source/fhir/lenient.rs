//! Reading JSON that does not keep FHIR's rules.
//!
//! Payers and gateways send `null`, `""`, `[]` and `{}` where a property should be absent,
//! booleans and numbers as strings and the reverse, one object where a list is expected and the
//! reverse, and values of the wrong kind altogether. The types here take all of it: what cannot be
//! meant is absent, and the resource around it is still read. Only broken JSON and a property that
//! stands twice are errors (the latter is settled in [`duplicates`](super::duplicates)).

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use coverdex_core::build::fold;

use super::note::{Note, Notes};
use crate::fhir::json::LONGEST_TEXT;

/// A value that can stand where an object, a list of such objects, or junk may stand.
pub(super) trait Element<'de>: Sized {
    /// From a JSON object.
    fn from_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error>;

    /// From a bare string, number or boolean where that can be meant.
    fn from_text(_text: Text<'de>) -> Option<Self> {
        None
    }
}

/// Implements [`Element`] by the type's own `Deserialize`; with `from`, a bare text is that property.
macro_rules! elements {
    ($($name:ident $(from $text:ident)?),+ $(,)?) => {$(
        impl<'de: 'a, 'a> $crate::source::fhir::lenient::Element<'de> for $name<'a> {
            fn from_object<A: serde::de::MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
                serde::Deserialize::deserialize(serde::de::value::MapAccessDeserializer::new(object)).map(Some)
            }

            $(fn from_text(text: $crate::source::fhir::lenient::Text<'de>) -> Option<Self> {
                Some(Self { $text: text, ..Self::default() })
            })?
        }
    )+};
}
pub(super) use elements;

/// Implements [`Element`] for types that borrow nothing.
macro_rules! owned_elements {
    ($($name:ident),+ $(,)?) => {$(
        impl<'de> $crate::source::fhir::lenient::Element<'de> for $name {
            fn from_object<A: serde::de::MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
                serde::Deserialize::deserialize(serde::de::value::MapAccessDeserializer::new(object)).map(Some)
            }
        }
    )+};
}
pub(super) use owned_elements;

/// A string, or a number or boolean that stands for one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Text<'a> {
    /// Absent, `null`, or of a kind that is no text.
    #[default]
    Absent,
    /// A JSON string.
    String(Cow<'a, str>),
    /// A JSON number or boolean, as written (decimals may lose trailing zeros).
    Number(String),
}

impl<'a> Text<'a> {
    fn of(text: Cow<'a, str>) -> Self {
        if text.len() > LONGEST_TEXT { Self::Absent } else { Self::String(text) }
    }

    /// The text without blanks around it; `None` where nothing is left.
    pub(super) fn get(&self) -> Option<&str> {
        let text = match self {
            Self::Absent => return None,
            Self::String(text) => trim(text),
            Self::Number(text) => text.as_str(),
        };
        (!text.is_empty()).then_some(text)
    }

    /// The text as people read it: runs of blanks are one blank, control characters are gone.
    pub(super) fn words(&self) -> Option<String> {
        self.get().and_then(words)
    }

    /// Whether it equals `other` without regard to case.
    pub(super) fn is(&self, other: &str) -> bool {
        self.get().is_some_and(|text| text.eq_ignore_ascii_case(other))
    }
}

/// Without blanks around it; most texts have none, which their ends show.
fn trim(text: &str) -> &str {
    match text.as_bytes() {
        [0x21..=0x7e] | [0x21..=0x7e, .., 0x21..=0x7e] => text,
        _ => text.trim(),
    }
}

/// Runs of blanks made one blank, control and invisible characters dropped; `None` where nothing is left.
pub(super) fn words(text: &str) -> Option<String> {
    let mut before = b' ';
    let plain = text.bytes().all(|b| {
        let fine = (0x21..0x7f).contains(&b) || (b == b' ' && before != b' ');
        before = b;
        fine
    }) && before != b' ';
    if plain {
        return Some(text.to_owned());
    }
    let seen = text.chars().filter(|c| !fold::is_invisible(*c));
    let spaced: String = seen.map(|c| if c.is_control() { ' ' } else { c }).collect();
    let joined = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    (!joined.is_empty()).then_some(joined)
}

/// A boolean, also as the strings or numbers that gateways make of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flag {
    /// Absent, `null` or blank.
    #[default]
    Absent,
    /// Stated.
    Is(bool),
    /// Something stands there that is no boolean.
    Junk,
}

impl Flag {
    /// The value, where it is stated.
    pub(super) fn get(self) -> Option<bool> {
        match self {
            Self::Is(value) => Some(value),
            Self::Absent | Self::Junk => None,
        }
    }

    /// The value; junk is noted and not stated.
    pub(super) fn noted(self, notes: &mut Notes) -> Option<bool> {
        if self == Self::Junk {
            notes.add(Note::JunkFlag);
        }
        self.get()
    }

    /// From a text that stands for a boolean.
    pub(super) fn from_text(text: &str) -> Self {
        let text = text.trim();
        match text {
            "" => Self::Absent,
            "1" => Self::Is(true),
            "0" => Self::Is(false),
            _ if text.eq_ignore_ascii_case("true") => Self::Is(true),
            _ if text.eq_ignore_ascii_case("false") => Self::Is(false),
            _ => Self::Junk,
        }
    }
}

/// A number with the digits that the source wrote, because `1.10` is not `1.1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Decimal(Option<String>);

impl Decimal {
    /// The number as written, where it is one.
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The number as a finite floating-point value.
    pub(super) fn as_f64(&self) -> Option<f64> {
        self.get()?.parse().ok().filter(|n: &f64| n.is_finite())
    }
}

/// One object; of a list, the first element that is one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct One<T>(pub(super) Option<T>);

/// A list of objects; one object stands for a list of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Many<T> {
    items: Vec<T>,
    /// Elements of a wrong kind.
    pub(super) unusable: u32,
}

/// Whether a property holds anything at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Present(pub(super) bool);

impl<T> Default for One<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self { items: Vec::new(), unusable: 0 }
    }
}

impl<T> std::ops::Deref for Many<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<'a, T> IntoIterator for &'a Many<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'de: 'a, 'a> Element<'de> for Text<'a> {
    fn from_object<A: MapAccess<'de>>(mut object: A) -> Result<Option<Self>, A::Error> {
        drain_object(&mut object)?;
        Ok(None)
    }

    fn from_text(text: Text<'de>) -> Option<Self> {
        Some(text)
    }
}

impl<'de, T: Element<'de>> Element<'de> for Box<T> {
    fn from_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Ok(T::from_object(object)?.map(Self::new))
    }

    fn from_text(text: Text<'de>) -> Option<Self> {
        T::from_text(text).map(Self::new)
    }
}

fn drain_object<'de, A: MapAccess<'de>>(object: &mut A) -> Result<(), A::Error> {
    while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// The scalar callbacks that every lenient visitor of an [`Element`] shares.
macro_rules! scalars {
    ($wrap:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any JSON value")
        }

        fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok($wrap(Text::of(Cow::Borrowed(text))))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok($wrap(Text::of(Cow::Owned(text.to_owned()))))
        }

        fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
            Ok($wrap(Text::of(Cow::Owned(text))))
        }

        fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
            Ok($wrap(Text::Number(value.to_string())))
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
            Ok($wrap(Text::Number(value.to_string())))
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
            Ok($wrap(Text::Number(value.to_string())))
        }

        fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
            Ok($wrap(Text::Number(value.to_string())))
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok($wrap(Text::Absent))
        }
    };
}

fn element_from_text<'de, T: Element<'de>>(text: Text<'de>) -> Option<T> {
    text.get().is_some().then(|| T::from_text(text)).flatten()
}

struct OneVisitor<T>(PhantomData<T>);

impl<'de, T: Element<'de>> Visitor<'de> for OneVisitor<T> {
    type Value = One<T>;

    scalars!(|text| One(element_from_text(text)));

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<One<T>, A::Error> {
        T::from_object(object).map(One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<One<T>, A::Error> {
        let mut first = None;
        while let Some(element) = list.next_element::<One<T>>()? {
            first = first.or(element.0);
        }
        Ok(One(first))
    }
}

impl<'de, T: Element<'de>> Deserialize<'de> for One<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneVisitor(PhantomData))
    }
}

struct ManyVisitor<T>(PhantomData<T>);

impl<'de, T: Element<'de>> Visitor<'de> for ManyVisitor<T> {
    type Value = Many<T>;

    scalars!(|text: Text<'de>| {
        let unusable = u32::from(text.get().is_some());
        match element_from_text(text) {
            Some(item) => Many { items: vec![item], unusable: 0 },
            None => Many { items: Vec::new(), unusable },
        }
    });

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Many<T>, A::Error> {
        Ok(match T::from_object(object)? {
            Some(item) => Many { items: vec![item], unusable: 0 },
            None => Many { items: Vec::new(), unusable: 1 },
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Many<T>, A::Error> {
        let mut many = Many::default();
        while let Some(slot) = list.next_element()? {
            match slot {
                Slot::Item(item) => many.items.push(item),
                Slot::Junk => many.unusable = many.unusable.saturating_add(1),
                Slot::Empty => {}
            }
        }
        Ok(many)
    }
}

impl<'de, T: Element<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ManyVisitor(PhantomData))
    }
}

/// What stands at one place of a list.
enum Slot<T> {
    /// Nothing: `null`, blanks, an empty list.
    Empty,
    /// Something that is none of the list's.
    Junk,
    Item(T),
}

impl<T> Slot<T> {
    fn from_text<'de>(text: Text<'de>) -> Self
    where
        T: Element<'de>,
    {
        let is_blank = text.get().is_none();
        element_from_text(text).map_or(if is_blank { Self::Empty } else { Self::Junk }, Self::Item)
    }
}

struct SlotVisitor<T>(PhantomData<T>);

impl<'de, T: Element<'de>> Visitor<'de> for SlotVisitor<T> {
    type Value = Slot<T>;

    scalars!(Slot::from_text);

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Slot<T>, A::Error> {
        Ok(T::from_object(object)?.map_or(Slot::Junk, Slot::Item))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Slot<T>, A::Error> {
        let mut first = Slot::Empty;
        while let Some(slot) = list.next_element()? {
            first = match (first, slot) {
                (Slot::Item(item), _) | (_, Slot::Item(item)) => Slot::Item(item),
                (Slot::Junk, _) | (_, Slot::Junk) => Slot::Junk,
                (Slot::Empty, Slot::Empty) => Slot::Empty,
            };
        }
        Ok(first)
    }
}

impl<'de, T: Element<'de>> Deserialize<'de> for Slot<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SlotVisitor(PhantomData))
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    scalars!(|text| text);

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Text<'de>, A::Error> {
        drain_object(&mut object)?;
        Ok(Text::Absent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text<'de>, A::Error> {
        let mut first = Text::Absent;
        while let Some(element) = list.next_element::<Text<'de>>()? {
            if first.get().is_none() {
                first = element;
            }
        }
        Ok(first)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagVisitor;

        impl<'de> Visitor<'de> for FlagVisitor {
            type Value = Flag;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON value")
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<Flag, E> {
                Ok(Flag::Is(value))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Flag, E> {
                Ok(Flag::from_text(text))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Flag, E> {
                Ok(Flag::from_text(&value.to_string()))
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Flag, E> {
                Ok(Flag::Junk)
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Flag, E> {
                Ok(Flag::Junk)
            }

            fn visit_unit<E: Error>(self) -> Result<Flag, E> {
                Ok(Flag::Absent)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Flag, A::Error> {
                let mut flag = Flag::Absent;
                while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    flag = Flag::Junk;
                }
                Ok(flag)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Flag, A::Error> {
                let mut flag = Flag::Absent;
                while let Some(element) = list.next_element::<Flag>()? {
                    flag = match (flag, element) {
                        (first, Flag::Absent) => first,
                        (Flag::Absent, next) => next,
                        (first, next) if first == next => first,
                        _ => Flag::Junk,
                    };
                }
                Ok(flag)
            }
        }

        deserializer.deserialize_any(FlagVisitor)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let text = raw.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(raw).trim();
        let is_number = text.parse::<f64>().is_ok_and(f64::is_finite) && text.bytes().any(|b| b.is_ascii_digit());
        Ok(Self(is_number.then(|| text.to_owned())))
    }
}

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let inside = raw.trim_matches(|c: char| c.is_ascii_whitespace() || "[]{}\"".contains(c));
        Ok(Self(!inside.is_empty() && inside != "null"))
    }
}
