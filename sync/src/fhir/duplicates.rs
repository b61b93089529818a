//! Properties that stand twice in one JSON object.
//!
//! JSON does not say which of two counts, so Coverdex does not choose: a property that stands
//! twice with the same value (blanks and the order of properties aside) is read once; where one of
//! the values is empty (`null`, `""`, `[]`, `{}`) the other counts; two values that differ make the
//! resource unreadable, if the property is one that is read at all.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Deeper than any resource; the parser's own limit is the same.
const MAX_DEPTH: usize = 128;

/// The same JSON in one spelling: no blanks between tokens, properties sorted by name, repeated
/// properties dropped where they agree. Those that do not agree both stay.
///
/// `None` if it is no JSON, or nested too deep.
pub(crate) fn canonical(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    write(json, MAX_DEPTH, &mut out)?;
    Some(out)
}

fn write(json: &str, depth: usize, out: &mut String) -> Option<()> {
    let json = json.trim();
    let depth = depth.checked_sub(1)?;
    match json.bytes().next()? {
        b'{' => {
            let object: Object<'_> = serde_json::from_str(json).ok()?;
            let mut properties = Vec::with_capacity(object.0.len());
            for (name, value) in object.0 {
                let mut text = String::with_capacity(value.get().len());
                write(value.get(), depth, &mut text)?;
                properties.push((name, text));
            }
            properties.sort();
            properties.dedup();
            out.push('{');
            let start = out.len();
            for same_name in properties.chunk_by(|(a, _), (b, _)| a == b) {
                let all_empty = same_name.iter().all(|(_, value)| is_empty(value));
                let stated = same_name.iter().filter(|(_, value)| all_empty || !is_empty(value));
                for (name, value) in stated.take(if all_empty { 1 } else { usize::MAX }) {
                    if out.len() > start {
                        out.push(',');
                    }
                    out.push_str(&serde_json::to_string(name).ok()?);
                    out.push(':');
                    out.push_str(value);
                }
            }
            out.push('}');
        }
        b'[' => {
            let list: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            out.push('[');
            for (index, value) in list.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(value.get(), depth, out)?;
            }
            out.push(']');
        }
        _ => out.push_str(json),
    }
    Some(())
}

fn is_empty(canonical: &str) -> bool {
    matches!(canonical, "null" | "\"\"" | "[]" | "{}")
}

/// An object with all its properties, repeated ones too.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// Of two values of one property the one that counts: they agree, or one of them is empty. `None` where they
/// contradict each other.
pub(crate) fn settle<'a>(first: &'a str, second: &'a str) -> Option<&'a str> {
    if first == second {
        return Some(first);
    }
    let (a, b) = (canonical(first)?, canonical(second)?);
    if a == b || is_empty(&b) {
        Some(first)
    } else if is_empty(&a) {
        Some(second)
    } else {
        None
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;

        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut properties = Vec::new();
                while let Some(Name(name)) = map.next_key::<Name<'de>>()? {
                    properties.push((name, map.next_value()?));
                }
                Ok(Object(properties))
            }
        }

        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// A property's name, borrowed where nothing is escaped in it.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);

        Borrowed::deserialize(deserializer).map(|name| Self(name.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        for (json, want) in [
            (r#" { "b" : 1 , "a" : [ 1 , 2 ] } "#, r#"{"a":[1,2],"b":1}"#),
            (r#"{"a":1,"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":{"x":1,"y":2},"a":{"y":2, "x":1}}"#, r#"{"a":{"x":1,"y":2}}"#),
            (r#"{"a":null,"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":null,"a":""}"#, r#"{"a":""}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#),
            (r#"{"\u0061":1,"a":1}"#, r#"{"a":1}"#),
            (r#"[{"a":1.10,"a":1.10}]"#, r#"[{"a":1.10}]"#),
        ] {
            assert_eq!(canonical(json).as_deref(), Some(want), "{json}");
        }
        assert_eq!(canonical(r#"{"a":1"#), None);
        assert_eq!(canonical(&format!("{}{}", "[".repeat(200), "]".repeat(200))), None);
    }
}
