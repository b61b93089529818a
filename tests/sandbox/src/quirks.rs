//! What payers do to their data: every quirk by name, with its usual rate.

macro_rules! quirks {
    ($($(#[doc = $doc:literal])+ $quirk:ident = $rate:literal, $name:literal;)+) => {
        /// Something that a payer's data does and that a reader must survive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Quirk { $($(#[doc = $doc])+ $quirk,)+ }

        impl Quirk {
            /// Every quirk.
            pub const ALL: &'static [Self] = &[$(Self::$quirk,)+];

            /// Its name, as reports show it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$quirk => $name,)+ }
            }

            /// How many of a million carry it, usually.
            #[must_use]
            pub const fn usual_rate(self) -> u32 {
                match self { $(Self::$quirk => $rate,)+ }
            }
        }
    };
}

quirks! {
    // What any resource can have.
    /// `meta.versionId` is a UUID, not a counter.
    VersionIdIsUuid = 200_000, "meta.versionId is a UUID";
    /// `meta.lastUpdated` is absent.
    LastUpdatedMissing = 2_000, "meta.lastUpdated missing";
    /// A key stands twice in one object, with the same value.
    DuplicateKey = 2_000, "duplicate key";
    /// An optional element is there and `null`.
    NullElement = 4_000, "element that is null";

    // MedicationKnowledge: what decides an answer. These are counted out, at least one in each formulary.
    /// An entry with the plan's id that no List of the plan names.
    UnreferencedEntry = 1_000, "entry that no List references";
    /// `status` is `inactive`.
    InactiveEntry = 2_000, "entry inactive";
    /// `status` is `entered-in-error`.
    EntryInError = 1_000, "entry entered in error";
    /// No tier extension, or one without a code.
    EntryWithoutTier = 2_000, "entry without a tier";
    /// Two different tiers in one entry.
    TwoTiersInOneEntry = 1_000, "two tiers in one entry";
    /// The same package twice in one plan, saying the same.
    RepeatedEqually = 3_000, "package twice in one plan, equal";
    /// The same package twice in one plan, with another tier or another restriction.
    RepeatedDifferently = 3_000, "package twice in one plan, differing";
    /// The same package twice in one plan, of which one entry is inactive: the active one holds.
    InactiveBesideActive = 1_000, "inactive entry beside an active one";
    /// An entry that names no drug in any readable way: it must be quarantined.
    UnreadableEntry = 700, "entry that names no drug";
    /// A referenced entry without the PlanID extension: the List says whose it is.
    EntryWithoutPlanId = 3_000, "referenced entry without PlanID";
    /// A referenced entry with another plan's PlanID: the List says whose it is.
    ForeignPlanId = 2_000, "referenced entry with another plan's PlanID";
    /// An entry with RxNorm codes and no NDC; counted for each plan.
    RxnormOnlyEntry = 3_000, "entry with RxNorm codes only";
    /// A flag's extension is absent: not stated.
    FlagAbsent = 30_000, "flag extension absent";
    /// A flag is `"valueBoolean": null`: not stated.
    FlagNull = 30_000, "valueBoolean null";
    /// A tier code that no document explains.
    UnknownTier = 4_000, "tier code that nothing explains";
    /// The tier code `SP`.
    SpecialtySelect = 3_000, "tier code SP";

    // MedicationKnowledge and Medication: how it is written.
    /// A flag is the text `"true"` or `"false"`.
    FlagAsText = 10_000, "boolean as a string";
    /// The tier code is a JSON number.
    TierCodeAsNumber = 10_000, "tier code as a number";
    /// The tier coding has no system.
    TierWithoutSystem = 40_000, "tier coding without system";
    /// The tier coding has no display.
    TierWithoutDisplay = 10_000, "tier coding without display";
    /// Extensions in another order.
    ExtensionsReordered = 150_000, "extensions in other order";
    /// Extension addresses with the ballot's capital D, or with `https`.
    CanonicalSpelling = 10_000, "canonical in another spelling";
    /// An extension that nothing describes.
    UnknownExtension = 5_000, "extension that nothing describes";
    /// The plan id in another spelling (lower case, blanks).
    PlanIdSpelling = 10_000, "plan id in another spelling";
    /// `status` is absent.
    StatusMissing = 5_000, "status missing";
    /// `code.text` is absent, or blank.
    TextMissing = 320_000, "code.text missing";
    /// Only the ndc11 coding, without text: the name must be borrowed.
    Ndc11Only = 60_000, "ndc11 only";
    /// The ndc11 coding has no display.
    Ndc11WithoutDisplay = 20_000, "ndc11 without display";
    /// The ndc11's display is the drug's name instead of the package's description.
    Ndc11DisplayIsName = 300_000, "ndc11 display is the drug's name";
    /// The HL7 NDC stands without hyphens, in eleven digits.
    NdcWithoutHyphens = 20_000, "hl7 ndc without hyphens";
    /// No ndc11 coding: the hyphenated NDC names the package.
    NoNdc11 = 10_000, "hyphenated ndc only";
    /// Codings in another order.
    CodingsReordered = 140_000, "codings in other order";
    /// One coding as an object where a list is expected.
    CodingAsObject = 5_000, "one object where a list is expected";
    /// A coding with a junk code (`undefined`, blank, `null`) beside the good ones.
    JunkCoding = 8_000, "junk code among the codings";
    /// A coding without a system beside the good ones.
    CodingWithoutSystem = 8_000, "coding without system";
    /// RxNorm code as a JSON number.
    RxnormAsNumber = 5_000, "RxNorm code as a number";
    /// A package's RxNorm code that one plan's entry shows and the others do not.
    RxnormShownOnce = 30_000, "RxNorm code that few entries show";
    /// A package that carries a code of ingredient and form, without strength.
    RxnormGroup = 60_000, "RxNorm group code";
    /// A package without RxNorm codes.
    RxnormNone = 90_000, "no RxNorm code";
    /// A package with two or three RxNorm codes.
    RxnormSeveral = 200_000, "several RxNorm codes";
    /// No Medication for a package.
    MedicationMissing = 50_000, "package without Medication";

    /// A referenced entry that no search shows, and that a read by its id gives.
    ReadableByIdOnly = 2_000, "MedicationKnowledge readable by id only";

    // List.
    /// A reference to an entry that is not there.
    ReferenceToNothing = 300, "List reference to nothing";
    /// A reference in two Lists of one plan.
    ReferenceInTwoLists = 1_000, "reference in two Lists";
    /// A reference with the whole address, or with a version.
    ReferenceSpelling = 2_000, "reference with address or version";
    /// A List entry without a reference: every second one of those that name nothing, whatever the rate.
    EntryWithoutReference = 200, "List entry without a reference";
    /// A List's identifier as an object.
    IdentifierAsObject = 50_000, "identifier as an object";

    // InsurancePlan.
    /// Several `plan[]` in one resource.
    SeveralPlansInOne = 1_000_000, "InsurancePlan with several plan[]";
    /// One plan in several resources, with different counties and networks.
    PlanInSeveral = 1_000_000, "plan in several InsurancePlans";
    /// A plan with Lists and no InsurancePlan.
    PlanWithoutInsurancePlan = 1_000_000, "plan without InsurancePlan";
    /// A network system with `ID` for `Id` or the reverse.
    NetworkSystemCase = 100_000, "network system in another case";
    /// A network by reference to its Organization.
    NetworkAsReference = 30_000, "InsurancePlan network by reference";
    /// A network under another label.
    NetworkLabel = 100_000, "network under another label";
    /// A service area that is a state.
    StatewideArea = 1_000_000, "statewide area";
    /// A county in capitals, without or with its suffix, with `Saint` for `St.`, without accents.
    CountySpelling = 400_000, "county in another spelling";
    /// A county's name that, without its suffix, fits two.
    CountyHomonym = 1_000_000, "county homonym without suffix";
    /// A county of old Connecticut, which is in several of its planning regions.
    CountyFormer = 1_000_000, "Connecticut old county";
    /// A county that does not exist.
    CountyUnknown = 1_000_000, "county that does not exist";
    /// No `type` at the plan.
    PlanTypeMissing = 30_000, "plan without a type";

    // Practitioner and Organization.
    /// `active` is false at the practitioner or the organization.
    ProviderInactive = 20_000, "provider inactive";
    /// `active` is absent, at any level: not stated.
    ActiveMissing = 20_000, "active missing";
    /// No NPI.
    NpiMissing = 7_000, "NPI missing";
    /// An NPI with a wrong check digit, or a placeholder.
    NpiInvalid = 9_000, "NPI invalid";
    /// Two valid NPIs of one provider.
    NpiSeveral = 12_000, "several NPIs";
    /// The NPI is told by its type, without a system.
    NpiByType = 5_000, "NPI told by its type";
    /// An identifier that says `undefined`.
    JunkIdentifier = 60_000, "junk identifier";
    /// One person under two Practitioner ids, with the same NPI; roles name the one or the other.
    PersonTwice = 26_000, "person under several Practitioner ids";
    /// `name.text` alone.
    NameTextOnly = 40_000, "only name.text";
    /// An old name beside the current one.
    FormerName = 10_000, "former name";
    /// No `gender`.
    GenderMissing = 10_000, "gender missing";
    /// A language as a code, not by name.
    LanguageAsCode = 30_000, "language as a code";
    /// No `telecom`.
    TelecomMissing = 160_000, "telecom missing";
    /// A phone number in another form than ten digits.
    PhoneFormat = 300_000, "phone format";
    /// An organization with other names.
    OrganizationAlias = 50_000, "organization with aliases";

    // PractitionerRole.
    /// `active` is false.
    RoleInactive = 75_000, "role inactive";
    /// Networks only by network-reference to their Organizations: no tag search finds them.
    NetworkByReference = 15_000, "role network as network-reference only";
    /// Networks only by network-reference with an identifier.
    NetworkByIdentifier = 15_000, "role network as network-reference with identifier only";
    /// Networks by tag, and by network-reference too.
    NetworkTwice = 40_000, "role network as tag and network-reference";
    /// A network-reference to a practice group.
    ReferenceToGroup = 6_000, "network-reference to a practice group";
    /// A tag of another system with a network's id as its code.
    ForeignTag = 30_000, "tag of another system with a network id as code";
    /// A tag that is no network.
    TagIsNoNetwork = 200_000, "role with a tag that is no network";
    /// A Location that does not exist.
    PlaceDangling = 7_000, "role with a Location that does not exist";
    /// A Practitioner that does not exist.
    PersonDangling = 4_000, "role with a Practitioner that does not exist";
    /// An Organization that does not exist.
    OrganizationDangling = 4_000, "role with an Organization that does not exist";
    /// A practitioner and the organization that he or she works for: the practitioner is the provider.
    RoleWithBoth = 10_000, "role with practitioner and organization";
    /// No location: the place is not stated.
    RoleWithoutPlace = 20_000, "role without location";
    /// No specialty.
    RoleWithoutSpecialty = 38_000, "role without specialty";
    /// A specialty in another spelling, in other words, or one that looks alike.
    SpecialtySpelling = 200_000, "specialty spelling variant";
    /// A specialty as a NUCC coding with display, without text.
    SpecialtyAsCoding = 150_000, "specialty as coding";
    /// Whether new patients are taken is stated.
    AcceptingStated = 300_000, "accepting patients stated";
    /// ... for one network.
    AcceptingFromNetwork = 40_000, "accepting patients of one network";
    /// The code `not` for `nopt`.
    AcceptingCode = 400_000, "accepting code not for nopt";
    /// Hours of the role.
    RoleHours = 50_000, "role with hours";
    /// A phone of the role.
    RolePhone = 200_000, "role with a phone";
    /// DirectoryType is stated.
    DirectoryType = 400_000, "DirectoryType stated";
    /// A network's label is not there.
    TagWithoutDisplay = 300_000, "tag without display";

    // Location.
    /// No position.
    PositionMissing = 60_000, "Location position none";
    /// Position 0, 0.
    PositionZero = 15_000, "Location position zero";
    /// Latitude and longitude swapped.
    PositionSwapped = 10_000, "Location position swapped";
    /// A position in another state.
    PositionElsewhere = 5_000, "Location position in another state";
    /// A position in the sea.
    PositionNowhere = 4_000, "Location position outside every county";
    /// Latitude and longitude as strings.
    PositionAsText = 5_000, "Location position as strings";
    /// ZIP+4.
    ZipPlusFour = 300_000, "Location ZIP+4";
    /// ZIP+4 without its hyphen.
    ZipWithoutHyphen = 100_000, "Location ZIP+4 without hyphen";
    /// A ZIP without its leading zeros.
    ZipLostZero = 150_000, "Location ZIP that lost its leading zero";
    /// A ZIP as a JSON number.
    ZipAsNumber = 5_000, "Location ZIP as a number";
    /// Nothing but a ZIP.
    OnlyZip = 12_000, "Location with only a ZIP";
    /// No ZIP.
    ZipMissing = 8_000, "Location without ZIP";
    /// No address and no position.
    AddressMissing = 3_000, "Location without address";
    /// The county as `address.district`.
    DistrictStated = 35_000, "Location.address.district";
    /// The state in words.
    StateInWords = 10_000, "Location state in words";
    /// A ZIP that lies in several counties.
    ZipShared = 100_000, "Location whose ZIP is in several counties";
    /// `status` is `inactive` or `suspended`.
    PlaceInactive = 10_000, "Location inactive";
    /// Hours of the place.
    PlaceHours = 200_000, "Location.hoursOfOperation";
    /// Hours that end on the next day.
    PastMidnight = 20_000, "hours past midnight";

    // OrganizationAffiliation and HealthcareService: a payer has them only where this is asked for.
    /// Facilities beyond the others, so many for each million of those, whose networks an
    /// OrganizationAffiliation states and no role.
    AffiliatedFacility = 0, "facility whose networks an OrganizationAffiliation states";
}

const _: () = assert!(Quirk::ALL.len() <= 128, "QuirkSet has 128 places");

/// Which quirks, how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quirks {
    rates: Vec<u32>,
}

impl Quirks {
    /// None: a payer whose data is as the documents say.
    #[must_use]
    pub fn none() -> Self {
        Self { rates: vec![0; Quirk::ALL.len()] }
    }

    /// All of them, as often as in the field; what is not of this kind of payer is left out.
    #[must_use]
    pub fn usual() -> Self {
        Self { rates: Quirk::ALL.iter().map(|q| q.usual_rate()).collect() }
    }

    /// All of them, often enough that a few hundred resources show each; but less than one role in a
    /// hundred lacks its provider: more would leave open who is in a network.
    #[must_use]
    pub fn dense() -> Self {
        let dense = |q: &Quirk| match q.usual_rate() {
            _ if *q == Quirk::PersonDangling => 8_000,
            _ if *q == Quirk::OrganizationDangling => 40_000,
            0 => 0,
            rate if rate < 80_000 => 80_000,
            rate => rate,
        };
        Self { rates: Quirk::ALL.iter().map(dense).collect() }
    }

    /// With one of them at this rate, of a million.
    #[must_use]
    pub fn with(mut self, quirk: Quirk, per_million: u32) -> Self {
        if let Some(rate) = self.rates.get_mut(quirk as usize) {
            *rate = per_million.min(1_000_000);
        }
        self
    }

    /// How many of a million carry it.
    #[must_use]
    pub fn rate(&self, quirk: Quirk) -> u32 {
        self.rates.get(quirk as usize).copied().unwrap_or(0)
    }

    /// How many of `n`, at least one where the quirk is wanted and there is anything.
    pub(crate) fn count(&self, quirk: Quirk, n: u64) -> u64 {
        match self.rate(quirk) {
            0 => 0,
            rate => (n * u64::from(rate) / 1_000_000).max(1).min(n),
        }
    }
}

/// Which quirks a resource shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuirkSet(u128);

impl QuirkSet {
    /// Adds one.
    pub fn insert(&mut self, quirk: Quirk) {
        self.0 |= 1 << (quirk as u32);
    }

    /// Whether it is there.
    #[must_use]
    pub const fn contains(self, quirk: Quirk) -> bool {
        self.0 & (1 << (quirk as u32)) != 0
    }

    /// Those of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Quirk> {
        Quirk::ALL.iter().copied().filter(move |q| self.contains(*q))
    }
}
