//! List: which entries a plan's formulary must have (DaVinci STU1, usdf-CoveragePlan).

use serde::Deserialize;

use super::datatypes::{CodeableConcept, Extension, Identifier, Meta, Reference, tail};
use super::formulary::{one_display_a_code, read_tiers};
use super::identity::local_target;
use super::lenient::{Flag, Many, One, Present, Text, elements};
use super::note::Note;
use super::plan::{PLAN_EXTENSION, plan_id, plan_ids};
use super::reading::Reading;
use crate::fhir::reference::parts;
use crate::model::{Content, CostSharing, DrugList, Fact, ResourceKind, TierDefinition};
use crate::status;

/// `List`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct List<'a> {
    #[serde(borrow, rename = "resourceType")]
    _resource_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) meta: One<Meta<'a>>,
    #[serde(borrow)]
    identifier: Many<Identifier<'a>>,
    #[serde(borrow)]
    title: Text<'a>,
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(borrow)]
    subject: One<Reference<'a>>,
    #[serde(borrow)]
    code: One<CodeableConcept<'a>>,
    #[serde(borrow)]
    extension: Many<Extension<'a>>,
    #[serde(borrow)]
    entry: Many<Entry<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry<'a> {
    #[serde(borrow)]
    item: One<Reference<'a>>,
    deleted: Flag,
    date: Present,
    flag: Present,
}

impl Entry<'_> {
    /// Whether nothing stands in it: no drug is meant then.
    fn is_empty(&self) -> bool {
        let item = self.item.0.as_ref();
        !self.date.0 && !self.flag.0 && item.is_none_or(Reference::is_empty)
    }
}

elements!(Entry);

impl List<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let of_member = self.subject.0.as_ref().is_some_and(|subject| {
            let written = subject.reference.get().and_then(parts).and_then(|(kind, _)| kind);
            written.or_else(|| subject.kind.get()).is_some_and(|kind| kind.eq_ignore_ascii_case("Patient"))
        });
        if of_member {
            return Content::OfNoUse("a member's list".to_owned());
        }
        if !self.is_formulary() {
            return Content::OfNoUse("a list that is no formulary".to_owned());
        }
        let mut list = DrugList {
            plans: plan_ids(&self.identifier),
            title: self.title.words(),
            current: !self.status.get().is_some_and(status::is_withdrawn),
            ..DrugList::default()
        };
        list.unreadable_entries = self.entry.unusable;
        list.entries.reserve(self.entry.len());
        for entry in self.entry.iter().filter(|entry| !entry.is_empty() && entry.deleted.get() != Some(true)) {
            let item = entry.item.0.as_ref();
            match item.and_then(|item| local_target(item, ResourceKind::FormularyEntry, at)) {
                Some(source) => list.entries.push(source),
                None => list.unreadable_entries = list.unreadable_entries.saturating_add(1),
            }
        }
        list.entries.sort_unstable();
        list.entries.dedup();
        if list.unreadable_entries > 0 {
            at.note(Note::UnreadableReference);
        }
        for extension in &self.extension {
            read_extension(extension, &mut list);
        }
        list.plans.sort_unstable();
        list.plans.dedup();
        list.links.sort_unstable();
        list.links.dedup();
        list.tiers
            .sort_by(|a, b| (&a.tier, a.mail_order, &a.cost_sharing).cmp(&(&b.tier, b.mail_order, &b.cost_sharing)));
        list.tiers.dedup();
        Content::Fact(Fact::DrugList(list))
    }

    /// A list of the guide's profile, of its code, or whose entries are formulary entries.
    fn is_formulary(&self) -> bool {
        let profiles = self.meta.0.iter().flat_map(|meta| &meta.profile);
        let codings = self.code.0.iter().flat_map(|code| &code.coding);
        profiles.filter_map(Text::get).any(|profile| tail(profile).eq_ignore_ascii_case("usdf-CoveragePlan"))
            || codings.into_iter().any(|coding| coding.code.is("DRUGPOL"))
            || self.entry.iter().any(|entry| {
                let item = entry.item.0.as_ref();
                item.and_then(|item| item.reference.get())
                    .and_then(parts)
                    .and_then(|(kind, _)| kind)
                    .is_some_and(|kind| kind.eq_ignore_ascii_case("MedicationKnowledge"))
            })
    }
}

fn read_extension(extension: &Extension<'_>, list: &mut DrugList) {
    const LINKS: [(&str, &str); 4] = [
        ("usdf-SummaryURL-extension", "summary"),
        ("usdf-FormularyURL-extension", "formulary"),
        ("usdf-MarketingURL-extension", "marketing"),
        ("usdf-EmailPlanContact-extension", "email"),
    ];
    if extension.is("usdf-DrugTierDefinition-extension") {
        list.tiers.extend(tier_definition(extension));
    } else if extension.is(PLAN_EXTENSION) {
        list.plans.extend(extension.text().and_then(plan_id));
    } else if let Some((_, what)) = LINKS.iter().find(|(name, _)| extension.is(name)) {
        list.links.extend(extension.text().map(|address| ((*what).to_owned(), address.to_owned())));
    }
}

/// `usdf-DrugTierDefinition-extension`; `None` if it names no tier.
fn tier_definition(extension: &Extension<'_>) -> Option<TierDefinition> {
    let mut tiers = Vec::new();
    let mut definition = (None, Vec::new());
    for part in &extension.extension {
        if part.is("drugTierID") {
            read_tiers(part, &mut tiers);
        } else if part.is("mailOrder") {
            definition.0 = part.boolean.get();
        } else if part.is("costSharing") {
            definition.1.push(cost_sharing(part));
        }
    }
    one_display_a_code(&mut tiers);
    let (mail_order, mut cost_sharing) = definition;
    cost_sharing.sort_unstable();
    cost_sharing.dedup();
    tiers.into_iter().next().map(|tier| TierDefinition { tier, mail_order, cost_sharing })
}

fn cost_sharing(extension: &Extension<'_>) -> CostSharing {
    let mut row = CostSharing::default();
    for part in &extension.extension {
        let code = || part.codes().next().map(str::to_owned);
        let number = || {
            let money = part.money.0.as_ref().and_then(|money| money.value.get());
            money.or_else(|| part.decimal.get()).map(str::to_owned)
        };
        if part.is("pharmacyType") {
            row.pharmacy = code();
        } else if part.is("copayAmount") {
            row.copay = number();
        } else if part.is("copayOption") {
            row.copay_option = code();
        } else if part.is("coinsuranceRate") {
            row.coinsurance = number();
        } else if part.is("coinsuranceOption") {
            row.coinsurance_option = code();
        }
    }
    row
}
