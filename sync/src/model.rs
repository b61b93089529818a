//! The one model that every kind of source turns into. Behind it nothing knows FHIR, and nothing
//! knows where a fact came from but by [`SourceId`].

use sha2::{Digest as _, Sha256};

use coverdex_core::build::NdcLayout;

use coverdex_core::{Ndc11, NetworkKey, Npi, PlanId, ProductNdc, Rxcui};

/// A resource's own identity: type and id, as 128 bits of SHA-256. References become one too, so
/// that a reference and its target meet without keeping 64-character ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u128);

impl SourceId {
    /// The identity of a reference to this resource at a server that may be another than the
    /// payer's: `at` it again gives the identity back.
    #[must_use]
    pub const fn at(self, server: u128) -> Self {
        Self(self.0 ^ server)
    }
}

/// `meta.lastUpdated` as nanoseconds since 1970 UTC; absent sorts before everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stamp(pub Option<i64>);

impl Stamp {
    /// RFC 3339 in UTC; `None` where there is none.
    #[must_use]
    pub fn text(self) -> Option<String> {
        let instant = jiff::Timestamp::from_nanosecond(self.0?.into()).ok()?;
        Some(instant.to_string())
    }
}

/// A day, counted from 1970-01-01.
pub type Day = i32;

/// The days on which something holds, both included; an end that is `None` is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Period {
    /// Its first day. A year or a month alone begins on its first day.
    pub start: Option<Day>,
    /// Its last day. A year or a month alone ends on its last day.
    pub end: Option<Day>,
}

/// How a period stands to a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// The day is in it.
    Current,
    /// It ended before, on this day.
    Ended(Day),
    /// It begins later, on this day.
    NotBegun(Day),
}

impl Period {
    /// How the period stands to a day. One that ends before it begins has ended.
    #[must_use]
    pub fn on(self, day: Day) -> Standing {
        match (self.start, self.end) {
            (_, Some(end)) if end < day => Standing::Ended(end),
            (Some(start), _) if start > day => Standing::NotBegun(start),
            _ => Standing::Current,
        }
    }

    /// Whether the day is in it.
    #[must_use]
    pub fn holds_on(self, day: Day) -> bool {
        self.on(day) == Standing::Current
    }
}

/// The kinds of resources that facts are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceKind {
    /// A formulary's list of entries.
    DrugList,
    /// A formulary entry: one drug in one plan.
    FormularyEntry,
    /// Names and codes of a drug.
    Drug,
    /// Plans with networks and service areas.
    Plan,
    /// What a provider does where, in which networks.
    Role,
    /// An individual provider.
    Individual,
    /// An organization: a provider, a practice group or a network.
    Organization,
    /// A place of practice.
    Place,
    /// What an organization does where, in which networks.
    Affiliation,
    /// A service that an organization provides at places; roles and affiliations refer to it.
    Service,
}

impl ResourceKind {
    /// All of them, in their order.
    pub const ALL: [Self; 10] = [
        Self::DrugList,
        Self::FormularyEntry,
        Self::Drug,
        Self::Plan,
        Self::Role,
        Self::Individual,
        Self::Organization,
        Self::Place,
        Self::Affiliation,
        Self::Service,
    ];

    /// What FHIR calls such a resource: reports use these names, whatever the source.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DrugList => "List",
            Self::FormularyEntry => "MedicationKnowledge",
            Self::Drug => "Medication",
            Self::Plan => "InsurancePlan",
            Self::Role => "PractitionerRole",
            Self::Individual => "Practitioner",
            Self::Organization => "Organization",
            Self::Place => "Location",
            Self::Affiliation => "OrganizationAffiliation",
            Self::Service => "HealthcareService",
        }
    }

    /// By what FHIR calls it; `None` for a type that is not read.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// One resource as it came: understood, refused, or of no use.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// Its type.
    pub kind: ResourceKind,
    /// Its identity; for a resource without a readable id, the hash of its bytes.
    pub source: SourceId,
    /// Its id as the payer writes it; `None` where it has none.
    pub id: Option<Box<str>>,
    /// When the payer last changed it.
    pub updated: Stamp,
    /// `meta.versionId` where it is a number: of two versions of one date the higher one counts.
    pub version: Option<u64>,
    /// What it shows of servers; `None`: nothing, as its references are relative.
    pub servers: Option<Box<Servers>>,
    /// What it says.
    pub content: Content,
}

/// What became of a resource.
#[allow(clippy::large_enum_variant, reason = "nearly all of them are facts")]
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Understood.
    Fact(Fact),
    /// Cannot be understood: the reason, in words that fit behind "quarantined:".
    Quarantined(String),
    /// Understood, but nothing that a dataset holds: the reason.
    OfNoUse(String),
}

/// What a resource says.
#[allow(clippy::large_enum_variant, reason = "short-lived, and nearly all of them are of the large kinds")]
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// From a List.
    DrugList(DrugList),
    /// From a MedicationKnowledge.
    FormularyEntry(FormularyEntry),
    /// From a Medication.
    Drug(DrugFacts),
    /// From an InsurancePlan: one for each of its `plan[]`.
    Plans(Vec<PlanFacts>),
    /// From a PractitionerRole or an OrganizationAffiliation.
    Role(Role),
    /// From a Practitioner.
    Individual(Individual),
    /// From an Organization.
    Organization(OrganizationFacts),
    /// From a Location.
    Place(Place),
    /// From a HealthcareService.
    Service(ServiceFacts),
}

/// Part of one plan's formulary: which entries it must have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrugList {
    /// The plans it is of, from its identifiers; empty where they do not say (some lists carry
    /// the literal `HIOS-PLAN-ID`).
    pub plans: Vec<PlanId>,
    /// The plan's name as the list gives it.
    pub title: Option<String>,
    /// False for a list that is retired or entered in error.
    pub current: bool,
    /// The entries named, in no order that means anything.
    pub entries: Vec<SourceId>,
    /// Entries that name nothing readable.
    pub unreadable_entries: u32,
    /// What the list says of its tiers, where it does.
    pub tiers: Vec<TierDefinition>,
    /// Summary, formulary and marketing addresses: (what, address).
    pub links: Vec<(String, String)>,
    /// Why it cannot be read, for a list that is there but whose entries are not known: what `plans`
    /// list, or what any plan lists if it is empty, is then not known completely.
    pub lost: Option<String>,
}

/// A tier as a list defines it.
#[derive(Clone, Debug, PartialEq)]
pub struct TierDefinition {
    /// The tier.
    pub tier: Tier,
    /// Whether mail order is offered.
    pub mail_order: Option<bool>,
    /// Cost sharing rows as stated.
    pub cost_sharing: Vec<CostSharing>,
}

/// Cost sharing of a tier at one kind of pharmacy, numbers as the source wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CostSharing {
    /// Pharmacy type code.
    pub pharmacy: Option<String>,
    /// Copay amount, a decimal as text.
    pub copay: Option<String>,
    /// Copay option code.
    pub copay_option: Option<String>,
    /// Coinsurance as a fraction of one, a decimal as text.
    pub coinsurance: Option<String>,
    /// Coinsurance option code.
    pub coinsurance_option: Option<String>,
}

/// A payer's own tier code and words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tier {
    /// The code, such as `1` or `SP`.
    pub code: String,
    /// The words, such as `Preferred Generic`.
    pub display: Option<String>,
}

/// Whether a formulary entry holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryState {
    /// Active, or not stated.
    #[default]
    Active,
    /// Inactive, or entered in error: no coverage.
    Inactive,
}

/// One drug in one plan's formulary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormularyEntry {
    /// The plan that the entry itself names.
    pub plan: Option<PlanId>,
    /// Which drug.
    pub drug: DrugFacts,
    /// Distinct tiers stated, sorted; more than one is a conflict, none is "not stated".
    pub tiers: Vec<Tier>,
    /// Prior authorization; `None` is not stated.
    pub prior_authorization: Option<bool>,
    /// Step therapy; `None` is not stated.
    pub step_therapy: Option<bool>,
    /// Quantity limit; `None` is not stated.
    pub quantity_limit: Option<bool>,
    /// Mail order, where the entry says it.
    pub mail_order: Option<bool>,
    /// Whether it holds.
    pub state: EntryState,
}

/// Codes and names that one resource shows for a drug. Each vector is sorted and without repeats,
/// so that two resources that say the same are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DrugFacts {
    /// Packages, with the layout of the ten-digit form where it was shown.
    pub packages: Vec<(Ndc11, Option<NdcLayout>)>,
    /// Products, with the layout of the ten-digit form where it was shown.
    pub products: Vec<(ProductNdc, Option<NdcLayout>)>,
    /// RxNorm codes.
    pub rxcuis: Vec<Rxcui>,
    /// Texts, best kind first.
    pub texts: Vec<(DrugTextKind, String)>,
}

/// What a text about a drug is, best source of a name first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DrugTextKind {
    /// `code.text`: name, strength and form.
    Text,
    /// The display of a package code that is a name (name, strength and form), no package description.
    PackageName,
    /// The display of an RxNorm code.
    RxnormName,
    /// The display of a product code: a name, mostly without strength and form.
    ProductName,
    /// A package description (`30 TABLET, FILM COATED in 1 BOTTLE`): tells a form, no name.
    PackageDescription,
}

/// A plan as an InsurancePlan describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanFacts {
    /// Its id.
    pub plan: PlanId,
    /// Its name.
    pub name: Option<String>,
    /// Type codes as stated (`MA-PD`, …), sorted, without repeats.
    pub types: Vec<String>,
    /// Networks with their labels.
    pub networks: Vec<NetworkName>,
    /// Networks given by reference to an Organization, with their labels.
    pub network_references: Vec<(SourceId, Option<String>)>,
    /// Service areas.
    pub areas: Vec<ServiceArea>,
    /// Service areas by reference to a Location.
    pub area_references: Vec<AreaReference>,
    /// False where the resource is retired or entered in error.
    pub current: bool,
}

/// A network and what one resource calls it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetworkName {
    /// The network.
    pub key: NetworkKey,
    /// The label.
    pub label: Option<String>,
}

/// A county of a service area, or a whole state where no county is named; words as received.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServiceArea {
    /// State, as received.
    pub state: Option<String>,
    /// County name or code, as received.
    pub county: Option<String>,
}

/// A service area by reference to a Location: its district, else its whole state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AreaReference {
    /// The Location.
    pub place: SourceId,
    /// What stands for the area, as a county that nothing resolves, where the Location is not known: the
    /// reference's words, else itself.
    pub words: Option<String>,
}

/// What a provider does at some places, in some networks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Role {
    /// Absent is not stated, not false.
    pub active: Option<bool>,
    /// When it holds.
    pub period: Period,
    /// The individual.
    pub individual: Option<SourceId>,
    /// The NPI that is stated beside a reference to the individual.
    pub npi: Option<Npi>,
    /// The organization.
    pub organization: Option<SourceId>,
    /// Networks by tag or by identifier, with labels. Tags of systems that are no network kinds are
    /// here too: only the networks that some plan or Organization names count as networks.
    pub networks: Vec<NetworkName>,
    /// Networks by reference to an Organization; it may turn out to be a practice group.
    pub network_references: Vec<(SourceId, Option<String>)>,
    /// It states a network that cannot be read: by words alone, or by a contained resource that is
    /// not there. Of which network is not known.
    pub unreadable_network: bool,
    /// Specialties.
    pub specialties: Vec<Specialty>,
    /// Places.
    pub places: Vec<SourceId>,
    /// Services: what the role leaves open of places, specialties, phones, hours and new patients,
    /// and the organization, is what they say.
    pub services: Vec<SourceId>,
    /// Directory type codes (`MedicalDental`, `Vision`, `Pharmacy`), a hint.
    pub directory_types: Vec<String>,
    /// Whether new patients are taken.
    pub accepting: Vec<AcceptingPatients>,
    /// Phones of the role.
    pub phones: Vec<Phone>,
    /// Hours of the role, one line as people read them, where stated.
    pub hours: Option<String>,
}

/// A specialty as stated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Specialty {
    /// The words.
    pub text: Option<String>,
    /// The NUCC taxonomy code, ten characters.
    pub taxonomy: Option<String>,
}

/// Whether new patients are taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AcceptingPatients {
    /// The status.
    pub status: Accepting,
    /// The network that the status holds for, where it names one.
    pub from_network: Option<NetworkClaim>,
}

/// A network, named either way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NetworkClaim {
    /// By key.
    Key(NetworkKey),
    /// By reference to an Organization.
    Reference(SourceId),
}

/// Plan-Net's four codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Accepting {
    /// `newpt`.
    Yes,
    /// `nopt`.
    No,
    /// `existptonly`.
    ExistingOnly,
    /// `existptfam`.
    ExistingAndFamily,
}

/// An individual provider.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Individual {
    /// NPI texts as stated, valid or not.
    pub npis: Vec<String>,
    /// Absent is not stated, not false.
    pub active: Option<bool>,
    /// When the record says that the person practices (`practitioner-period`).
    pub period: Period,
    /// Names, the best first: official and usual ones before those of no stated use, former ones last.
    pub names: Vec<PersonName>,
    /// `female`, `male`, or what is stated.
    pub gender: Option<String>,
    /// Language names or codes as stated.
    pub languages: Vec<String>,
    /// Phones.
    pub phones: Vec<Phone>,
}

/// A person's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PersonName {
    /// The name as people read it, with titles and credentials as stated.
    pub text: String,
    /// Family name, where stated apart.
    pub family: Option<String>,
    /// Given names, where stated apart.
    pub given: Vec<String>,
    /// Its use says that it is a former one (`old`, `maiden`).
    pub former: bool,
    /// When it holds.
    pub period: Period,
}

/// A service that an organization provides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceFacts {
    /// Absent is not stated, not false.
    pub active: Option<bool>,
    /// Who provides it.
    pub organization: Option<SourceId>,
    /// Networks in which that organization provides it, by tag or by identifier, as a [`Role`] states them.
    pub networks: Vec<NetworkName>,
    /// The same by reference to an Organization.
    pub network_references: Vec<(SourceId, Option<String>)>,
    /// It states a network that cannot be read.
    pub unreadable_network: bool,
    /// Places.
    pub places: Vec<SourceId>,
    /// Specialties.
    pub specialties: Vec<Specialty>,
    /// Category and type codes (`pharm`, `vis`, …), a hint.
    pub types: Vec<String>,
    /// Whether new patients are taken.
    pub accepting: Vec<AcceptingPatients>,
    /// Phones.
    pub phones: Vec<Phone>,
    /// Hours, one line as people read them, where stated.
    pub hours: Option<String>,
}

/// An organization.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrganizationFacts {
    /// NPI texts as stated, valid or not.
    pub npis: Vec<String>,
    /// Absent is not stated, not false.
    pub active: Option<bool>,
    /// When the record says that it holds (`org-period`).
    pub period: Period,
    /// Name.
    pub name: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Type codes (`ntwk`, `prvgrp`, `fac`, …).
    pub types: Vec<String>,
    /// Identifiers that are no NPI, as network keys: what a network-reference leads to. A network
    /// (type `ntwk`) without one is keyed by its resource id in the system `Organization`.
    pub network_keys: Vec<NetworkKey>,
    /// Addresses, in their order.
    pub addresses: Vec<Address>,
    /// Phones.
    pub phones: Vec<Phone>,
}

/// A place of practice, as stated: nothing is mended yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// Absent is not stated, not false.
    pub active: Option<bool>,
    /// Name.
    pub name: Option<String>,
    /// Its address.
    pub address: Address,
    /// Latitude and longitude as received.
    pub position: Option<(f64, f64)>,
    /// The place that it is a part of: its address stands for one that is not stated.
    pub part_of: Option<SourceId>,
    /// The organization that manages it: its address stands for one that is not stated, its phone
    /// behind all others.
    pub organization: Option<SourceId>,
    /// Whether new patients are taken here, where the role does not say.
    pub accepting: Vec<AcceptingPatients>,
    /// Phones.
    pub phones: Vec<Phone>,
    /// Hours, one line as people read them, where stated.
    pub hours: Option<String>,
}

/// An address as stated: nothing is mended yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// Lines in their order.
    pub lines: Vec<String>,
    /// City.
    pub city: Option<String>,
    /// State, as received.
    pub state: Option<String>,
    /// ZIP, as received.
    pub zip: Option<String>,
    /// County or district, as received.
    pub district: Option<String>,
    /// When it holds.
    pub period: Period,
    /// Whether it is in another country: its lines then hold all of it.
    pub abroad: bool,
}

/// A phone number as stated, without words that only say that it is one: no fax, no pager, no teletype,
/// no number of use `old`, no placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phone {
    /// The text.
    pub number: String,
    /// When it holds.
    pub period: Period,
}

/// The server that an absolute reference names: host, port and path of its base address. The scheme,
/// the case of the host, a default port and a slash at the end do not count; the path does.
///
/// The identity of an absolute reference is that of `Type/id` combined ([`SourceId::at`]) with its
/// server, because a reference to another server is no local id. Which servers are the payer's own is
/// known when every resource has come. The builder takes as the payer's own, and so drops from an
/// identity:
/// 1. the servers in [`Servers::own`];
/// 2. those whose host is among [`Servers::system_hosts`];
/// 3. where none of the servers that resources refer to is found by these two: the one that more
///    resources refer to than resources have relative references alone.
///
/// References to any other server lead nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Server(pub String);

impl Server {
    /// The server of a base address such as `https://payer.test/api/`; `None` unless it is one of HTTP.
    #[must_use]
    pub fn of_address(base: &str) -> Option<Self> {
        let (scheme, rest) = base.trim().split_once("://")?;
        let default_port = match scheme {
            _ if scheme.eq_ignore_ascii_case("https") => ":443",
            _ if scheme.eq_ignore_ascii_case("http") => ":80",
            _ => return None,
        };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let mut server = host.strip_suffix(default_port).unwrap_or(host).to_ascii_lowercase();
        if server.is_empty() {
            return None;
        }
        server.push_str(path.trim_end_matches('/'));
        Some(Self(server))
    }

    /// Its host, without the port.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.split(['/', ':']).next().unwrap_or_default()
    }

    /// 128 bits of SHA-256, for [`SourceId::at`].
    #[must_use]
    pub fn hash(&self) -> u128 {
        let digest: [u8; 32] = Sha256::digest(self.0.as_bytes()).into();
        digest.iter().take(16).fold(0, |number, byte| (number << 8) | u128::from(*byte))
    }
}

/// What a resource shows of servers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Servers {
    /// Servers of its absolute references, each once.
    pub referred: Vec<Server>,
    /// Servers that are surely the payer's: those that the source names, or a Bundle's `fullUrl`.
    pub own: Vec<Server>,
    /// Hosts of systems that are the payer's own, in lower case, without ports: those of a plan's id
    /// and networks, and of a network's identifiers. Hosts of standards (`hl7.org`) are not among them.
    pub system_hosts: Vec<String>,
}

impl Servers {
    /// Itself in a box, where it shows anything.
    #[must_use]
    pub fn if_any(self) -> Option<Box<Self>> {
        let shows = !(self.referred.is_empty() && self.own.is_empty() && self.system_hosts.is_empty());
        shows.then(|| Box::new(self))
    }
}
