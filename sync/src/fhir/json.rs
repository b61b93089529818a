//! Walking over JSON as servers really write it, without building a tree.
//!
//! Tolerant where a gateway may have touched the text: one object where a list is expected, `null`, numbers and
//! booleans as strings and the reverse. A key that stands twice counts once where its values agree, and makes
//! what asks for it unreadable where they do not (see [`duplicates`]).

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::duplicates;

/// Bytes of the longest text that is one: no id, address or code is as long. Cut it would be another one, so a
/// longer one is not stated.
pub(crate) const LONGEST_TEXT: usize = 8 << 10;

/// A body as text: without byte order mark, bytes that are no UTF-8 replaced.
pub(crate) fn text(body: &[u8]) -> Cow<'_, str> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    // Nearly all bodies are sound, and checking is much faster than mending.
    std::str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed)
}

/// Calls `field` with each key and value of an object; nothing where it is none.
///
/// # Errors
/// If the text is no JSON.
pub(crate) fn object<'a>(text: &'a str, field: impl FnMut(&str, &'a str)) -> serde_json::Result<()> {
    if !text.trim_start().starts_with('{') {
        return serde_json::from_str::<IgnoredAny>(text).map(drop);
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Fields(field))?;
    deserializer.end()
}

/// Why the members of an object cannot be told.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// The text is no JSON.
    NotJson(serde_json::Error),
    /// One of them stands twice with different values.
    Twice(&'static str),
}

impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        Self::NotJson(error)
    }
}

/// The values of an object's members by their names; none of them where the text is no object.
///
/// # Errors
/// If the text is no JSON, or one of them stands twice with different values.
pub(crate) fn members<'a, const N: usize>(
    text: &'a str,
    names: [&'static str; N],
) -> Result<[Option<&'a str>; N], Unreadable> {
    let mut found = [None; N];
    let mut twice = None;
    object(text, |key, value| {
        let Some((name, slot)) = names.iter().zip(found.iter_mut()).find(|(name, _)| **name == key) else { return };
        *slot = match *slot {
            None => Some(value),
            Some(first) => duplicates::settle(first, value).or_else(|| {
                twice = Some(*name);
                Some(first)
            }),
        };
    })?;
    twice.map_or(Ok(found), |name| Err(Unreadable::Twice(name)))
}

/// The same where nothing can be done about what cannot be read: then there are none.
pub(crate) fn members_or_none<'a, const N: usize>(text: &'a str, names: [&'static str; N]) -> [Option<&'a str>; N] {
    members(text, names).unwrap_or([None; N])
}

/// Calls `item` with each element of a list; with the value itself where it is no list, and not at
/// all for `null`.
pub(crate) fn list<'a>(text: &'a str, mut item: impl FnMut(&'a str)) -> serde_json::Result<()> {
    let text = text.trim();
    if text.starts_with('[') {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        deserializer.deserialize_seq(Items(item))?;
        return deserializer.end();
    }
    if text != "null" && !text.is_empty() {
        item(text);
    }
    Ok(())
}

/// A scalar as text; `None` for `null`, blanks, lists and objects.
pub(crate) fn string(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    let value = match text.as_bytes().first()? {
        b'"' => match serde_json::from_str::<Str<'_>>(text) {
            Ok(Str(value)) => value,
            Err(_) => return None,
        },
        b'n' | b'[' | b'{' => return None,
        _ => Cow::Borrowed(text),
    };
    (!value.trim().is_empty()).then_some(value)
}

/// A scalar as a text without blanks around it; `None` for one that is too long to be an id, a type or a code.
pub(crate) fn word(text: Option<&str>) -> Option<Cow<'_, str>> {
    let text = string(text?).filter(|text| text.len() <= LONGEST_TEXT)?;
    Some(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    })
}

/// A whole number, also where it is written as a string.
pub(crate) fn number(text: &str) -> Option<u64> {
    string(text)?.trim().parse().ok()
}

/// Whether objects and lists are nested deeper than `cap`.
pub(crate) fn deeper_than(text: &[u8], cap: usize) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in text {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                if depth > cap {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Calls `found` with each `reference` text of a resource, wherever it stands, and the name of the
/// field that holds it (`practitioner`, `item`, `valueReference`). Texts behind something unreadable
/// are missed: the resource will be quarantined where it is understood.
pub(crate) fn references(text: &str, found: &mut dyn FnMut(&str, &str)) {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let _ = References { parent: "", found }.deserialize(&mut deserializer);
}

struct Str<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Str<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Str<'de>, E> {
                Ok(Str(Cow::Borrowed(v)))
            }
            fn visit_str<E>(self, v: &str) -> Result<Str<'de>, E> {
                Ok(Str(Cow::Owned(v.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

struct Fields<F>(F);

impl<'de, F: FnMut(&str, &'de str)> Visitor<'de> for Fields<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(Str(key)) = map.next_key::<Str<'de>>()? {
            let value: &RawValue = map.next_value()?;
            (self.0)(&key, value.get());
        }
        Ok(())
    }
}

struct Items<F>(F);

impl<'de, F: FnMut(&'de str)> Visitor<'de> for Items<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while let Some(item) = seq.next_element::<&RawValue>()? {
            (self.0)(item.get());
        }
        Ok(())
    }
}

struct References<'p, 'f> {
    parent: &'p str,
    found: &'f mut dyn FnMut(&str, &str),
}

impl<'de> DeserializeSeed<'de> for References<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The value of a key `reference`.
struct ReferenceText<'p, 'f>(References<'p, 'f>);

impl<'de> DeserializeSeed<'de> for ReferenceText<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let value: &RawValue = serde::Deserialize::deserialize(deserializer)?;
        match string(value.get()) {
            Some(text) => (self.0.found)(self.0.parent, text.trim()),
            None => references(value.get(), self.0.found),
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for References<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Str(key)) = map.next_key::<Str<'de>>()? {
            if key == "reference" {
                map.next_value_seed(ReferenceText(References { parent: self.parent, found: &mut *self.found }))?;
            } else {
                map.next_value_seed(References { parent: &key, found: &mut *self.found })?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(References { parent: self.parent, found: &mut *self.found })?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        object(text, |k, v| fields.push((k.to_owned(), v.to_owned()))).unwrap();
        fields
    }

    #[test]
    fn objects_and_lists_as_gateways_write_them() {
        let read = fields(r#" {"a":1,"b\"":[{"x":2}],"a":null} "#);
        let expected = [("a", "1"), ("b\"", r#"[{"x":2}]"#), ("a", "null")];
        assert_eq!(read, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
        assert!(fields("[1]").is_empty());
        assert!(object("{\"a\":1", |_, _| ()).is_err());
        assert!(object("{\"a\":1} x", |_, _| ()).is_err());
        let items = |text| {
            let mut items = Vec::new();
            list(text, |i| items.push(i)).unwrap();
            items
        };
        assert_eq!(items("[1, {\"a\":2} ,null]"), ["1", "{\"a\":2}", "null"]);
        assert_eq!(items("{\"a\":2}"), ["{\"a\":2}"], "one object where a list is expected");
        assert!(items("null").is_empty());
    }

    #[test]
    fn scalars() {
        assert_eq!(string(r#""a\u00e9""#).as_deref(), Some("aé"));
        assert_eq!(string("12").as_deref(), Some("12"));
        assert_eq!(string("true").as_deref(), Some("true"));
        assert_eq!((string("null"), string("\" \""), string("[1]")), (None, None, None));
        assert_eq!((number("\"12\""), number("12"), number("1.5"), number("-1")), (Some(12), Some(12), None, None));
        assert_eq!(text(b"\xEF\xBB\xBF{}"), "{}");
        assert_eq!(text(b"a\xFFb"), "a\u{FFFD}b");
    }

    #[test]
    fn depth_is_counted_outside_of_strings() {
        assert!(!deeper_than(br#"{"a":[{"b":"[[[[[[\"[[["}]}"#, 3));
        assert!(deeper_than(br#"{"a":[{"b":[1]}]}"#, 3));
        assert!(deeper_than(&b"[".repeat(1_000_000), 64));
    }

    #[test]
    fn references_are_found_wherever_they_stand() {
        let mut found = Vec::new();
        let role = r#"{"practitioner":{"reference":"Practitioner/1"},"location":[{"reference":"Location/2"},
            {"display":"x","reference":null}],"extension":[{"url":"u","valueReference":{"reference":"Organization/3"}},
            {"extension":[{"valueReference":{"reference":"Organization/4","x":1.5e3}}]}],"active":true,"n":-1}"#;
        references(role, &mut |parent, text| found.push(format!("{parent}={text}")));
        let expected = [
            "practitioner=Practitioner/1",
            "location=Location/2",
            "valueReference=Organization/3",
            "valueReference=Organization/4",
        ];
        assert_eq!(found, expected);
        found.clear();
        references(&"[".repeat(100_000), &mut |_, _| panic!("nothing is there"));
        references(r#"{"a":{"reference":"X/1"},"b":"#, &mut |_, text| found.push(text.to_owned()));
        assert_eq!(found, ["X/1"]);
    }
}
