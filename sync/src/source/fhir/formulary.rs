//! MedicationKnowledge (a formulary entry, DaVinci STU1) and Medication.

use coverdex_core::{Tier as ReadTier, TierStatus};
use serde::Deserialize;

use super::datatypes::{CodeableConcept, Extension, Meta};
use super::drug::{NO_CODE, drug_facts};
use super::lenient::{Flag, Many, One, Present, Text};
use super::note::{Note, Notes};
use super::plan::{PLAN_EXTENSION, plan_id};
use super::reading::Reading;
use crate::model::{Content, EntryState, Fact, FormularyEntry, Tier};
use crate::status;

/// The extensions that state a flag, in the order in which they are kept.
const FLAGS: [&str; 4] = [
    "usdf-PriorAuthorization-extension",
    "usdf-StepTherapyLimit-extension",
    "usdf-QuantityLimit-extension",
    "usdf-MailOrder-extension",
];

/// `MedicationKnowledge`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MedicationKnowledge<'a> {
    #[serde(borrow, rename = "resourceType")]
    _resource_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) meta: One<Meta<'a>>,
    #[serde(borrow)]
    extension: Many<Extension<'a>>,
    #[serde(borrow)]
    code: One<CodeableConcept<'a>>,
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(rename = "modifierExtension")]
    modifier: Present,
}

/// `Medication`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Medication<'a> {
    #[serde(borrow, rename = "resourceType")]
    _resource_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) meta: One<Meta<'a>>,
    #[serde(borrow)]
    code: One<CodeableConcept<'a>>,
    #[serde(borrow)]
    status: Text<'a>,
}

impl Medication<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let notes = &mut at.notes;
        if self.status.get().is_some_and(|stated| status::code(stated) == "entered-in-error") {
            return Content::OfNoUse("entered in error".to_owned());
        }
        let drug = drug_facts(self.code.0.as_ref(), notes);
        if drug.packages.is_empty() && drug.products.is_empty() && drug.rxcuis.is_empty() {
            return Content::Quarantined(NO_CODE.to_owned());
        }
        Content::Fact(Fact::Drug(drug))
    }
}

impl MedicationKnowledge<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let notes = &mut at.notes;
        if self.modifier.0 {
            notes.add(Note::ModifierExtension);
        }
        let drug = drug_facts(self.code.0.as_ref(), notes);
        if drug.packages.is_empty() && drug.products.is_empty() && drug.rxcuis.is_empty() {
            return Content::Quarantined(NO_CODE.to_owned());
        }
        let mut entry = FormularyEntry { drug, state: entry_state(&self.status, notes), ..FormularyEntry::default() };
        let mut plans = Vec::new();
        let mut flags = [Stated::default(); FLAGS.len()];
        for extension in &self.extension {
            let name = extension.name();
            if name.eq_ignore_ascii_case("usdf-DrugTierID-extension") {
                read_tiers(extension, &mut entry.tiers);
            } else if name.eq_ignore_ascii_case(PLAN_EXTENSION) {
                plans.extend(extension.text_or_identifier().and_then(plan_id));
            } else if let Some((_, flag)) = FLAGS.iter().zip(&mut flags).find(|(n, _)| name.eq_ignore_ascii_case(n)) {
                flag.state(extension, notes);
            }
        }
        let [prior_authorization, step_therapy, quantity_limit, mail_order] = flags.map(|flag| flag.get(notes));
        entry.prior_authorization = prior_authorization;
        entry.step_therapy = step_therapy;
        entry.quantity_limit = quantity_limit;
        entry.mail_order = mail_order;
        one_display_a_code(&mut entry.tiers);
        plans.sort_unstable();
        plans.dedup();
        if plans.len() > 1 {
            notes.add(Note::SeveralPlans);
        } else {
            entry.plan = plans.pop();
        }
        Content::Fact(Fact::FormularyEntry(entry))
    }
}

/// A flag over all the extensions that state it.
#[derive(Clone, Copy, Default)]
struct Stated {
    yes: bool,
    no: bool,
}

impl Stated {
    fn state(&mut self, extension: &Extension<'_>, notes: &mut Notes) {
        // Gateways turn `valueBoolean` into `valueString` or `valueCode` at times.
        let flag = match (extension.boolean, extension.text()) {
            (Flag::Absent, Some(text)) => Flag::from_text(text),
            (flag, _) => flag,
        };
        match flag {
            Flag::Is(true) => self.yes = true,
            Flag::Is(false) => self.no = true,
            Flag::Absent => {}
            Flag::Junk => notes.add(Note::JunkFlag),
        }
    }

    fn get(self, notes: &mut Notes) -> Option<bool> {
        if self.yes && self.no {
            notes.add(Note::ContradictingFlag);
        }
        (self.yes != self.no).then_some(self.yes)
    }
}

fn entry_state(stated: &Text<'_>, notes: &mut Notes) -> EntryState {
    let Some(stated) = stated.get() else { return EntryState::Active };
    match status::code(stated).as_ref() {
        "active" => EntryState::Active,
        "inactive" | "entered-in-error" | "retired" | "draft" | "suspended" | "cancelled" | "stopped"
        | "discontinued" => EntryState::Inactive,
        _ => {
            notes.add(Note::UnknownStatus);
            EntryState::Active
        }
    }
}

/// The tiers that one extension states, appended. A coding of the guide's own list beside a
/// payer's own is the guide's word for the same tier and no second tier; words alone are their own
/// code. The text beside a single code is its words where it has none of its own; where it has, a
/// text that says that the tier is not covered contradicts a coding that says it is, and is kept as
/// a second statement.
pub(super) fn read_tiers(extension: &Extension<'_>, tiers: &mut Vec<Tier>) {
    let is_guides = |system: &Text<'_>| {
        system.get().is_some_and(|system| super::datatypes::contains_ignoring_case(system, "usdf-drugtiercs"))
    };
    let own = extension.codings().any(|coding| coding.code.get().is_some() && !is_guides(&coding.system));
    let before = tiers.len();
    for coding in extension.codings().filter(|coding| !own || !is_guides(&coding.system)) {
        let display = coding.display.words();
        if let Some(code) = coding.code.get().map(str::to_owned).or_else(|| display.clone()) {
            tiers.push(Tier { code, display });
        }
    }
    let words = extension.concept.0.as_ref().and_then(|concept| concept.text.words());
    let (coded, text) = (tiers.get_mut(before..).unwrap_or_default(), words.as_deref());
    if let (Some(first), Some(text)) = (coded.first().cloned(), text)
        && coded.iter().all(|tier| tier.code == first.code)
    {
        let status = |words: Option<&str>| ReadTier::read(&first.code, words).status;
        if coded.iter().all(|tier| tier.display.is_none()) {
            for tier in coded {
                tier.display = Some(text.to_owned());
            }
        } else if status(first.display.as_deref()) == TierStatus::Covered && status(Some(text)) != TierStatus::Covered {
            tiers.push(Tier { code: first.code, display: Some(text.to_owned()) });
        }
    }
    if tiers.len() == before
        && let Some(code) = extension.text().map(str::to_owned).or_else(|| words.clone())
    {
        tiers.push(Tier { code, display: words });
    }
}

/// Tiers sorted, each code once with the smallest of its displays, if it has one; twice only where one
/// display says that it is covered and another that it is not.
pub(super) fn one_display_a_code(tiers: &mut Vec<Tier>) {
    tiers.sort_unstable_by(|a, b| {
        (&a.code, a.display.is_none(), &a.display).cmp(&(&b.code, b.display.is_none(), &b.display))
    });
    let status = |tier: &Tier| ReadTier::read(&tier.code, tier.display.as_deref()).status;
    tiers.dedup_by(|later, first| {
        later.code == first.code && (later.display.is_none() || status(later) == status(first))
    });
}
