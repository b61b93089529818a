//! A List that cannot be read, cut off for example: whose it was, as far as its text tells. What it
//! named is not known, so its plans' drug lists are incomplete.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};

use super::datatypes::{Identifier, Meta};
use super::identity::{source_id, source_id_of_content, stamp};
use super::lenient::{Many, One, Text};
use super::plan::plan_ids;
use crate::model::{Content, DrugList, Fact, Received, ResourceKind};

/// What was read of a List before the text went wrong.
#[derive(Default)]
struct Head<'a> {
    id: Text<'a>,
    meta: One<Meta<'a>>,
    identifier: Many<Identifier<'a>>,
}

/// The List that stood here, and why it cannot be read.
pub(super) fn list(text: &str, reason: &str) -> Received {
    let mut head = Head::default();
    let mut json = serde_json::Deserializer::from_str(text);
    // It fails where the text does; what came before is kept.
    let _ = json.deserialize_map(&mut head);
    let updated = stamp(head.meta.0.as_ref().and_then(|meta| meta.last_updated.get()));
    let list = DrugList { plans: plan_ids(&head.identifier), lost: Some(reason.to_owned()), ..DrugList::default() };
    Received {
        kind: ResourceKind::DrugList,
        source: head.id.get().map_or_else(|| source_id_of_content(text), |id| source_id("List", id)),
        id: head.id.get().map(Into::into),
        updated,
        version: None,
        servers: None,
        content: Content::Fact(Fact::DrugList(list)),
    }
}

impl<'de> Visitor<'de> for &mut Head<'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a List")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "id" => self.id = map.next_value()?,
                "meta" => self.meta = map.next_value()?,
                "identifier" => self.identifier = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}
