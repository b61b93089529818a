//! The made payer: how many resources of each type there are, and each as a function of its number.

use coverdex_core::Rxcui;

use crate::directory::Directory;
use crate::drugs::{self, Package};
use crate::formulary::Formulary;
use crate::ids::{Ids, Named};
use crate::networks::{self, Network};
use crate::plans::{self, InsuranceResource, Plan};
use crate::quirks::{Quirk, QuirkSet};
use crate::random::{Draw, Shuffle};
use crate::rows::{self, Layout};
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
    /// What facilities do where, in which networks, where no role says so.
    OrganizationAffiliation,
    /// What facilities provide where; affiliations refer to them.
    HealthcareService,
}

impl ResourceType {
    /// Every type.
    pub const ALL: [Self; 10] = [
        Self::List,
        Self::MedicationKnowledge,
        Self::Medication,
        Self::InsurancePlan,
        Self::PractitionerRole,
        Self::Practitioner,
        Self::Organization,
        Self::Location,
        Self::OrganizationAffiliation,
        Self::HealthcareService,
    ];

    /// The formulary's types.
    pub const FORMULARY: [Self; 4] = [Self::List, Self::MedicationKnowledge, Self::Medication, Self::InsurancePlan];

    /// The directory's types.
    pub const DIRECTORY: [Self; 7] = [
        Self::InsurancePlan,
        Self::PractitionerRole,
        Self::Practitioner,
        Self::Organization,
        Self::Location,
        Self::OrganizationAffiliation,
        Self::HealthcareService,
    ];

    /// Whether payers without any resource of this type do not serve it at all.
    #[must_use]
    pub const fn is_optional(self) -> bool {
        matches!(self, Self::OrganizationAffiliation | Self::HealthcareService)
    }

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
            Self::OrganizationAffiliation => "OrganizationAffiliation",
            Self::HealthcareService => "HealthcareService",
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
            Self::OrganizationAffiliation => 9,
            Self::HealthcareService => 10,
        }
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
        let layouts = rows::layouts(&shape, &plans, &formularies);
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

    /// The identifier system of a network, in its usual spelling.
    #[must_use]
    pub fn network_system(&self, network: &Network) -> String {
        format!("{}/{}", self.shape.glossary, network.purpose.system())
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
            ResourceType::OrganizationAffiliation | ResourceType::HealthcareService => self.directory.affiliated(),
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
        if !self.is_searchable(kind, number) {
            ink.note(Quirk::ReadableByIdOnly);
        }
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
            ResourceType::OrganizationAffiliation => write::organization_affiliation(self, number, &id, &mut ink),
            ResourceType::HealthcareService => write::healthcare_service(self, number, &id, &mut ink),
        }
        ink.shown()
    }

    /// Whether searches show a resource; one in five hundred of the entries that Lists name is given
    /// only to who asks for its id. Folders hold them all.
    #[must_use]
    pub fn is_searchable(&self, kind: ResourceType, number: u64) -> bool {
        if kind != ResourceType::MedicationKnowledge {
            return true;
        }
        let plan = self.layouts.partition_point(|l| l.first_row + l.rows() <= number);
        let named = self.layouts.get(plan).is_some_and(|l| l.lists > 0 && number >= l.first_row + l.unreferenced);
        let rate = self.shape.quirks.rate(Quirk::ReadableByIdOnly);
        !(named && Draw::of(self.shape.seed ^ 0x6279_6964, number).hits(rate))
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
