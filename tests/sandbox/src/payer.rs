//! The made payer: how many resources of each type there are, and each as a function of its number.

use coverdex_core::ids::Rxcui;

use crate::directory::Directory;
use crate::drugs::{self, Package};
use crate::formulary::{Fate, Formulary, Stated};
use crate::ids::{Ids, Named};
use crate::networks::{self, Network};
use crate::plans::{self, InsuranceResource, Kind, Plan};
use crate::quirks::{Quirk, QuirkSet};
use crate::random::{Draw, Shuffle};
use crate::shape::Shape;
use crate::write::{self, Ink};

/// The types of resources that a payer serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceType {
    /// Parts of a plan's formulary.
    List,
    /// Formulary entries.
    MedicationKnowledge,
    /// Drugs.
    Medication,
    /// Plans.
    InsurancePlan,
    /// What providers do where, in which networks.
    PractitionerRole,
    /// Individual providers.
    Practitioner,
    /// Networks, practice groups and facilities.
    Organization,
    /// Places.
    Location,
}

impl ResourceType {
    /// Every type.
    pub const ALL: [Self; 8] = [
        Self::List,
        Self::MedicationKnowledge,
        Self::Medication,
        Self::InsurancePlan,
        Self::PractitionerRole,
        Self::Practitioner,
        Self::Organization,
        Self::Location,
    ];

    /// The formulary's types.
    pub const FORMULARY: [Self; 4] = [Self::List, Self::MedicationKnowledge, Self::Medication, Self::InsurancePlan];

    /// The directory's types.
    pub const DIRECTORY: [Self; 5] =
        [Self::InsurancePlan, Self::PractitionerRole, Self::Practitioner, Self::Organization, Self::Location];

    /// Its FHIR name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "List",
            Self::MedicationKnowledge => "MedicationKnowledge",
            Self::Medication => "Medication",
            Self::InsurancePlan => "InsurancePlan",
            Self::PractitionerRole => "PractitionerRole",
            Self::Practitioner => "Practitioner",
            Self::Organization => "Organization",
            Self::Location => "Location",
        }
    }

    /// The type of this FHIR name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::List => 1,
            Self::MedicationKnowledge => 2,
            Self::Medication => 3,
            Self::InsurancePlan => 4,
            Self::PractitionerRole => 5,
            Self::Practitioner => 6,
            Self::Organization => 7,
            Self::Location => 8,
        }
    }
}

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

/// A payer whose resources are a function of its shape and their numbers.
///
/// Any size can be served or written without holding it: what is held is one number for each
/// listed package of each distinct formulary, and one record for each plan.
#[derive(Clone, Debug)]
pub struct MadePayer {
    shape: Shape,
    ids: Ids,
    base: String,
    plans: Vec<Plan>,
    networks: Vec<Network>,
    formularies: Vec<Formulary>,
    layouts: Vec<Layout>,
    insurance: Vec<InsuranceResource>,
    medications: u64,
    medication_order: Shuffle,
    directory: Directory,
}

impl MadePayer {
    /// Makes the payer of a shape; sizes that do not fit together are mended.
    #[must_use]
    pub fn new(mut shape: Shape) -> Self {
        shape.packages = shape.packages.max(1);
        shape.listed = shape.listed.clamp(1, shape.packages);
        shape.formularies = shape.formularies.max(1);
        shape.plans = shape.plans.max(1);
        shape.list_size = shape.list_size.clamp(1, 5_000);
        let networks = networks::all(shape.networks);
        let plans = plans::roster(&shape, &networks);
        let formularies = Formulary::all(shape.seed, shape.formularies, shape.packages, shape.listed, &shape.quirks);
        let insurance = plans::insurance_resources(&shape, &plans);
        let layouts = layouts(&shape, &plans, &formularies);
        let packages = u64::from(shape.packages);
        let without = shape.quirks.count(Quirk::MedicationMissing, packages);
        let directory = Directory::new(&shape, &networks);
        let base = shape.glossary.split("/documentation").next().unwrap_or_default().to_owned() + "/api";
        Self {
            ids: Ids::new(shape.seed),
            base,
            plans,
            networks,
            formularies,
            layouts,
            insurance,
            medications: packages - without,
            medication_order: Shuffle::new(packages, shape.seed ^ 0x6d65_6469),
            directory,
            shape,
        }
    }

    /// What it was made of.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its plans.
    #[must_use]
    pub fn plans(&self) -> &[Plan] {
        &self.plans
    }

    /// Its networks.
    #[must_use]
    pub fn networks(&self) -> &[Network] {
        &self.networks
    }

    /// Its provider directory, before it is written.
    #[must_use]
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The root of its API: what absolute references start with.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Package `index` of its catalogue.
    #[must_use]
    pub fn package(&self, index: u32) -> Option<Package> {
        (index < self.shape.packages).then(|| Package::of(index)).flatten()
    }

    /// How many resources of a type there are.
    #[must_use]
    pub fn count(&self, kind: ResourceType) -> u64 {
        let last = self.layouts.last().copied().unwrap_or_default();
        match kind {
            ResourceType::List => last.first_list + last.lists,
            ResourceType::MedicationKnowledge => last.first_row + last.rows(),
            ResourceType::Medication => self.medications,
            ResourceType::InsurancePlan => self.insurance.len() as u64,
            ResourceType::PractitionerRole => self.directory.roles(),
            ResourceType::Practitioner => self.directory.practitioner_records(),
            ResourceType::Organization => self.directory.organizations(),
            ResourceType::Location => self.directory.locations(),
        }
    }

    /// The id of resource `number` of a type: 64 hexadecimal characters.
    #[must_use]
    pub fn id(&self, kind: ResourceType, number: u64) -> String {
        let mut id = String::with_capacity(64);
        self.ids.push(Named { kind, there: true, number }, &mut id);
        id
    }

    /// Which resource has this id; `None` where none has.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<(ResourceType, u64)> {
        let named = self.ids.read(id)?;
        (named.there && named.number < self.count(named.kind)).then_some((named.kind, named.number))
    }

    /// Resource `number` of a type as JSON; empty beyond [`count`](Self::count).
    #[must_use]
    pub fn resource(&self, kind: ResourceType, number: u64) -> String {
        let mut out = String::with_capacity(1_500);
        self.write(kind, number, &mut out);
        out
    }

    /// Appends resource `number` of a type to `out`; the quirks that it shows.
    pub fn write(&self, kind: ResourceType, number: u64, out: &mut String) -> QuirkSet {
        if number >= self.count(kind) {
            return QuirkSet::default();
        }
        let id = self.id(kind, number);
        let key = Draw::of(self.shape.seed ^ u64::from(kind.number()), number).key();
        let mut ink = Ink::new(out, &self.shape.quirks, key);
        match kind {
            ResourceType::List => {
                let plan = self.layouts.partition_point(|l| l.first_list + l.lists <= number);
                let first = self.layouts.get(plan).map_or(0, |l| l.first_list);
                write::list(self, u32::try_from(plan).unwrap_or(0), number - first, &id, &mut ink);
            }
            ResourceType::MedicationKnowledge => {
                let plan = self.layouts.partition_point(|l| l.first_row + l.rows() <= number);
                let first = self.layouts.get(plan).map_or(0, |l| l.first_row);
                if let Some(row) = self.row(u32::try_from(plan).unwrap_or(0), number - first) {
                    write::medication_knowledge(self, &row, &id, &mut ink);
                }
            }
            ResourceType::Medication => {
                let package = u32::try_from(self.medication_order.forward(number)).unwrap_or(0);
                write::medication(self, package, &id, &mut ink);
            }
            ResourceType::InsurancePlan => {
                if let Some(resource) = usize::try_from(number).ok().and_then(|n| self.insurance.get(n)) {
                    write::insurance_plan(self, resource, &id, &mut ink);
                }
            }
            ResourceType::PractitionerRole => write::practitioner_role(self, number, &id, &mut ink),
            ResourceType::Practitioner => write::practitioner(self, number, &id, &mut ink),
            ResourceType::Organization => write::organization(self, number, &id, &mut ink),
            ResourceType::Location => write::location(self, number, &id, &mut ink),
        }
        ink.shown()
    }

    /// The MedicationKnowledge resources of a plan: a range of numbers.
    #[must_use]
    pub fn rows_of_plan(&self, plan: u32) -> std::ops::Range<u64> {
        self.layout(plan).map_or(0..0, |l| l.first_row..l.first_row + l.rows())
    }

    /// The List resources of a plan: a range of numbers.
    #[must_use]
    pub fn lists_of_plan(&self, plan: u32) -> std::ops::Range<u64> {
        self.layout(plan).map_or(0..0, |l| l.first_list..l.first_list + l.lists)
    }

    /// Appends the id of a resource, or of one that others name and that is not there.
    pub(crate) fn push_id(&self, kind: ResourceType, there: bool, number: u64, out: &mut String) {
        self.ids.push(Named { kind, there, number }, out);
    }

    pub(crate) fn layout(&self, plan: u32) -> Option<&Layout> {
        self.layouts.get(plan as usize)
    }

    pub(crate) fn formulary_of(&self, plan: u32) -> Option<&Formulary> {
        let number = self.plans.get(plan as usize)?.formulary?;
        self.formularies.get(number as usize)
    }

    /// Row `at` of a plan.
    pub(crate) fn row(&self, plan: u32, at: u64) -> Option<Row> {
        let layout = self.layout(plan)?;
        let formulary = self.formulary_of(plan)?;
        let listed = self.plans.get(plan as usize)?.kind.has_lists();
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
        let number = self.plans.get(plan as usize).and_then(|p| p.formulary).unwrap_or(0);
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
        let rows_only = self.plans.iter().find(|p| p.kind == Kind::RowsOnly).map(|p| p.number);
        let next = (plan + 1) % u32::try_from(self.plans.len()).unwrap_or(1).max(1);
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
        n % 2 == 1 && self.shape.quirks.rate(Quirk::EntryWithoutReference) > 0
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
        self.ids.push(Named { kind, there, number }, out);
    }

    /// Whether a package has a Medication.
    pub(crate) fn has_medication(&self, package: u32) -> bool {
        self.medication_order.backward(u64::from(package)) < self.medications
    }

    /// Whether the package's resource in a plan (or its Medication) has its ndc11 and nothing else.
    /// An entry has it only where the Medication has more, so that its name can be borrowed.
    pub(crate) fn is_bare(&self, package: u32, plan: Option<u32>) -> bool {
        let rate = self.shape.quirks.rate(Quirk::Ndc11Only);
        let draw = Draw::of(self.shape.seed ^ 0x6261_7265, u64::from(package));
        let medication_is_bare = draw.hits(rate);
        match plan {
            None => medication_is_bare,
            Some(plan) => {
                draw.and(u64::from(plan) + 1).hits(rate) && !medication_is_bare && self.has_medication(package)
            }
        }
    }

    /// The RxNorm codes that a package's resource in a plan (or its Medication) shows, if it is not bare.
    pub(crate) fn codes_shown(&self, package: u32, plan: Option<u32>, ink: &mut Ink<'_>) -> Vec<Rxcui> {
        let quirks = &self.shape.quirks;
        let codes = Package::of(package).map(|p| p.rxcuis(self.shape.seed, quirks)).unwrap_or_default();
        match codes.len() {
            0 => ink.note(Quirk::RxnormNone),
            1 => {}
            _ => ink.note(Quirk::RxnormSeveral),
        }
        let all = codes.len();
        let shown: Vec<Rxcui> = codes.into_iter().filter(|code| self.shows(package, *code, plan)).collect();
        if shown.len() < all {
            ink.note(Quirk::RxnormShownOnce);
        }
        if shown.iter().any(|code| drugs::is_group(*code)) {
            ink.note(Quirk::RxnormGroup);
        }
        shown
    }

    /// Whether a package's code is shown in a plan's entry (or the Medication) that shows codes.
    pub(crate) fn shows(&self, package: u32, code: Rxcui, plan: Option<u32>) -> bool {
        let draw = Draw::of(self.shape.seed ^ 0x7278_3031, u64::from(package)).and(u64::from(code.number()));
        if !draw.hits(self.shape.quirks.rate(Quirk::RxnormShownOnce)) {
            return true;
        }
        plan.is_some_and(|plan| draw.and(u64::from(plan) + 1).hits(250_000))
    }
}

fn layouts(shape: &Shape, plans: &[Plan], formularies: &[Formulary]) -> Vec<Layout> {
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
