//! Formulary entries before they are written: which rows a plan has, and what its Lists name.

use coverdex_core::Rxcui;

use crate::drugs;
use crate::formulary::{Fate, Formulary, Stated};
use crate::payer::{MadePayer, ResourceType};
use crate::plans::{Kind, Plan};
use crate::quirks::Quirk;
use crate::shape::Shape;

/// Which drug an entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drug {
    Package(u32),
    /// By RxNorm code alone: the clinical drug that this package is.
    Clinical {
        code: Rxcui,
        like: u32,
    },
    /// By RxNorm code alone: a drug that no package has.
    Packless(u32),
}

/// An entry's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryStatus {
    Active,
    Inactive,
    InError,
}

/// The PlanID extension of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanIdShown {
    Own,
    Absent,
    Foreign(u32),
}

/// One MedicationKnowledge, before it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) plan: u32,
    pub(crate) drug: Drug,
    pub(crate) stated: Stated,
    pub(crate) status: EntryStatus,
    pub(crate) plan_id: PlanIdShown,
    pub(crate) readable: bool,
    pub(crate) fate: Fate,
}

/// What a List names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// Row of the plan.
    Row(u64),
    /// A row that another List of the plan names too.
    Again(u64),
    /// An entry of the plan's formulary that is not there.
    Missing(u64),
    /// Nothing that ever was.
    Nothing(u64),
}

/// How one plan's rows and references are laid out.
///
/// Rows: the formulary's entries but the missing ones at its end, then the second entries of
/// packages that stand twice, then the entries without a package. References: all rows but the
/// unreferenced ones at the start, then the missing entries, then references to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) first_row: u64,
    pub(crate) entries: u64,
    pub(crate) missing: u64,
    pub(crate) twins: u64,
    pub(crate) packless: u64,
    pub(crate) unreferenced: u64,
    pub(crate) nothing: u64,
    pub(crate) first_absent: u64,
    pub(crate) first_list: u64,
    pub(crate) lists: u64,
    /// New references in each List; the rest of its room is for repeated ones.
    pub(crate) per_list: u64,
    pub(crate) again: u64,
}

impl Layout {
    pub(crate) const fn present(&self) -> u64 {
        self.entries - self.missing
    }

    pub(crate) const fn rows(&self) -> u64 {
        self.present() + self.twins + self.packless
    }

    /// Distinct references of the plan's Lists.
    pub(crate) const fn references(&self) -> u64 {
        if self.lists == 0 { 0 } else { self.rows() - self.unreferenced + self.missing + self.nothing }
    }
}

impl MadePayer {
    /// Row `at` of a plan.
    pub(crate) fn row(&self, plan: u32, at: u64) -> Option<Row> {
        let layout = self.layout(plan)?;
        let formulary = self.formulary_of(plan)?;
        let listed = self.plans().get(plan as usize)?.kind.has_lists();
        let twins = formulary.twins();
        let active = EntryStatus::Active;
        let (entry, second) = if at < layout.present() {
            (at, false)
        } else if at < layout.present() + layout.twins {
            (twins.start + (at - layout.present()), true)
        } else if at < layout.rows() {
            let nth = at - layout.present() - layout.twins;
            let (drug, stated) = self.packless_entry(plan, formulary, nth);
            let (plan_id, fate) = (PlanIdShown::Own, Fate::Plain);
            return Some(Row { plan, drug, stated, status: active, plan_id, readable: true, fate });
        } else {
            return None;
        };
        let fate = formulary.fate(entry);
        let status = match fate {
            Fate::Inactive => EntryStatus::Inactive,
            Fate::InError => EntryStatus::InError,
            Fate::InactiveBesideActive if !second => EntryStatus::Inactive,
            _ => active,
        };
        let plan_id = match fate {
            Fate::NoPlanId if listed => PlanIdShown::Absent,
            Fate::ForeignPlanId if listed => PlanIdShown::Foreign(self.another_plan(plan)),
            _ => PlanIdShown::Own,
        };
        let stated = if second { formulary.stated_again(entry) } else { formulary.stated(entry) };
        let readable = fate != Fate::Unreadable;
        Some(Row { plan, drug: Drug::Package(formulary.package(entry)), stated, status, plan_id, readable, fate })
    }

    /// The `nth` entry without a package: by turns a drug that has none, and one whose packages the
    /// plan lists too.
    pub(crate) fn packless_entry(&self, plan: u32, formulary: &Formulary, nth: u64) -> (Drug, Stated) {
        let number = self.plans().get(plan as usize).and_then(|p| p.formulary).unwrap_or(0);
        let ordinary = formulary.entries_of(Fate::Plain);
        let entry = ordinary.start + nth.min((ordinary.end - ordinary.start).saturating_sub(1));
        let like = formulary.package(entry);
        if nth % 2 == 1
            && let Some(code) = drugs::clinical_drug(drugs::traits(like).line)
        {
            return (Drug::Clinical { code, like }, formulary.stated(entry));
        }
        let n = number * 1_000 + u32::try_from(nth % 1_000).unwrap_or(0);
        (Drug::Packless(n), formulary.decision_for_packless(nth))
    }

    /// The plan that answers from rows alone, which a foreign PlanID must not reach; else a neighbor.
    fn another_plan(&self, plan: u32) -> u32 {
        let rows_only = self.plans().iter().find(|p| p.kind == Kind::RowsOnly).map(|p| p.number);
        let next = (plan + 1) % u32::try_from(self.plans().len()).unwrap_or(1).max(1);
        rows_only.filter(|p| *p != plan).unwrap_or(next)
    }

    /// What a List of a plan names, in its order.
    pub(crate) fn references_of_list(&self, plan: u32, part: u64) -> impl Iterator<Item = Reference> + use<> {
        let layout = self.layout(plan).copied().unwrap_or_default();
        let start = part * layout.per_list;
        let end = (start + layout.per_list).min(layout.references());
        let again = if part == 0 { 0 } else { layout.again.min(layout.per_list) };
        (start - again..start).chain(start..end).map(move |at| {
            let rows = layout.rows() - layout.unreferenced;
            if at < start && at < rows {
                Reference::Again(layout.unreferenced + at)
            } else if at < rows {
                Reference::Row(layout.unreferenced + at)
            } else if at < rows + layout.missing {
                Reference::Missing(at - rows)
            } else {
                Reference::Nothing(at - rows - layout.missing)
            }
        })
    }

    /// Whether a List's entry number `n` that names nothing has no reference at all: a gap like any
    /// other, for who can tell what it was.
    pub(crate) fn has_no_reference(&self, n: u64) -> bool {
        n % 2 == 1 && self.shape().quirks.rate(Quirk::EntryWithoutReference) > 0
    }

    /// The id that a reference names.
    pub(crate) fn push_target(&self, plan: u32, reference: Reference, out: &mut String) {
        let kind = ResourceType::MedicationKnowledge;
        let layout = self.layout(plan).copied().unwrap_or_default();
        let (there, number) = match reference {
            Reference::Row(at) | Reference::Again(at) => (true, layout.first_row + at),
            Reference::Missing(n) => (false, layout.first_absent + n),
            Reference::Nothing(n) => (false, layout.first_absent + layout.missing + n),
        };
        self.push_id(kind, there, number, out);
    }
}

pub(crate) fn layouts(shape: &Shape, plans: &[Plan], formularies: &[Formulary]) -> Vec<Layout> {
    let mut next = Layout::default();
    plans
        .iter()
        .map(|plan| {
            let formulary = plan.formulary.and_then(|f| formularies.get(f as usize));
            let layout = formulary.map_or_else(|| empty(next), |f| layout(shape, plan, f, next));
            next.first_row = layout.first_row + layout.rows();
            next.first_list = layout.first_list + layout.lists;
            next.first_absent = layout.first_absent + layout.missing + layout.nothing;
            layout
        })
        .collect()
}

fn empty(next: Layout) -> Layout {
    Layout {
        first_row: next.first_row,
        first_list: next.first_list,
        first_absent: next.first_absent,
        ..Layout::default()
    }
}

fn layout(shape: &Shape, plan: &Plan, formulary: &Formulary, next: Layout) -> Layout {
    let quirks = &shape.quirks;
    let entries = formulary.len();
    let of = |fate| {
        let range = formulary.entries_of(fate);
        range.end - range.start
    };
    let ordinary = of(Fate::Plain);
    let wanted = match plan.kind {
        // Three in a hundred, and never so few that the absence would still be believed.
        Kind::Short => (entries * 3 / 100).max(2),
        // One in two hundred, together with what is unreadable.
        Kind::DrugPlan => (entries / 200).saturating_sub(of(Fate::Unreadable)),
        _ => 0,
    };
    let twins = formulary.twins();
    let listed = plan.kind.has_lists();
    let mut layout = Layout {
        entries,
        missing: wanted.min(ordinary / 2),
        twins: twins.end - twins.start,
        packless: if quirks.rate(Quirk::RxnormOnlyEntry) == 0 {
            0
        } else {
            quirks.count(Quirk::RxnormOnlyEntry, entries).max(2)
        },
        unreferenced: if listed { of(Fate::Unreferenced) } else { 0 },
        // A part of the gaps that never reaches one in a hundred; the short plan always has two.
        nothing: if listed {
            entries * u64::from(quirks.rate(Quirk::ReferenceToNothing)) / 1_000_000
                + 2 * u64::from(plan.kind == Kind::Short && quirks.rate(Quirk::ReferenceToNothing) > 0)
        } else {
            0
        },
        ..empty(next)
    };
    if listed {
        let size = u64::from(shape.list_size);
        layout.lists = 1;
        layout.per_list = size;
        let references = layout.references();
        layout.again = quirks.count(Quirk::ReferenceInTwoLists, references).min(size / 10);
        layout.per_list = size - layout.again;
        layout.lists = references.div_ceil(layout.per_list).max(1);
    }
    layout
}
