//! Specialties: what roles state, how it is spelled, and what merely looks alike.

use crate::networks::NetworkUse;
use crate::random::Draw;

/// A specialty of the made directory.
#[derive(Debug, PartialEq, Eq)]
pub struct SpecialtyKind {
    /// Its usual words: what a person asks for.
    pub name: &'static str,
    /// Other spellings of the same words: case, plural, person or field.
    pub spellings: &'static [&'static str],
    /// Other words for the same: what a reader may or may not know.
    pub synonyms: &'static [&'static str],
    /// What looks alike and is not the same: must not be mixed in.
    pub near: &'static [&'static str],
    /// NUCC taxonomy code.
    pub taxonomy: &'static str,
    /// How common it is.
    weight: u32,
    /// Which networks it is in.
    pub purpose: NetworkUse,
    /// Whether organizations have it.
    pub organization: bool,
    /// A pharmacy that nobody walks into.
    pub closed_door: bool,
}

macro_rules! specialties {
    ($($name:literal $weight:literal $purpose:ident $taxonomy:literal $spellings:expr, $synonyms:expr, $near:expr, $organization:literal $closed:literal;)+) => {
        /// All of them; roles refer to them by number.
        pub const SPECIALTIES: &[SpecialtyKind] = &[$(SpecialtyKind {
            name: $name, spellings: &$spellings, synonyms: &$synonyms, near: &$near, taxonomy: $taxonomy,
            weight: $weight, purpose: NetworkUse::$purpose, organization: $organization, closed_door: $closed,
        },)+];
    };
}

specialties! {
    "Family Medicine" 130 Medical "207Q00000X" ["FAMILY MEDICINE", "Family medicine"], ["Family Practice", "General/Family Practice"], ["Adult Medicine"], false false;
    "Internal Medicine" 120 Medical "207R00000X" ["INTERNAL MEDICINE", "Internist"], ["General Internal Medicine"], ["Geriatric Medicine"], false false;
    "Nurse Practitioner" 140 Medical "363L00000X" ["NURSE PRACTITIONER", "Nurse Practitioners"], [], ["Family Nurse Practitioner"], false false;
    "Physician Assistant" 90 Medical "363A00000X" ["PHYSICIAN ASSISTANT", "Physician's Assistant"], [], [], false false;
    "Pediatrics" 60 Medical "208000000X" ["PEDIATRICS", "Pediatrician"], ["Pediatric Medicine"], ["Adolescent Medicine"], false false;
    "Cardiology" 35 Medical "207RC0000X" ["CARDIOLOGY", "Cardiologist", "Cardiologists"], ["Cardiovascular Disease"], ["Interventional Cardiology", "Pediatric Cardiology"], false false;
    "Dermatology" 20 Medical "207N00000X" ["DERMATOLOGY", "Dermatologist"], [], ["Dermatopathology"], false false;
    "Endocrinology" 12 Medical "207RE0101X" ["ENDOCRINOLOGY", "Endocrinologist"], ["Endocrinology, Diabetes & Metabolism"], ["Reproductive Endocrinology"], false false;
    "Gastroenterology" 24 Medical "207RG0100X" ["GASTROENTEROLOGY", "Gastroenterologist"], [], ["Pediatric Gastroenterology"], false false;
    "Neurology" 25 Medical "2084N0400X" ["NEUROLOGY", "Neurologist"], [], ["Pediatric Neurology"], false false;
    "Nephrology" 14 Medical "207RN0300X" ["NEPHROLOGY", "Nephrologist"], [], [], false false;
    "Obstetrics & Gynecology" 40 Medical "207V00000X" ["Obstetrics and Gynecology", "OBSTETRICS & GYNECOLOGY"], ["OB/GYN"], ["Gynecologic Oncology"], false false;
    "Ophthalmology" 22 Vision "207W00000X" ["OPHTHALMOLOGY", "Ophthalmologist"], [], ["Pediatric Ophthalmology"], false false;
    "Optometry" 40 Vision "152W00000X" ["OPTOMETRY", "Optometrist", "Optometrists"], [], [], false false;
    "Orthopedic Surgery" 30 Medical "207X00000X" ["ORTHOPEDIC SURGERY", "Orthopaedic Surgery"], ["Orthopedics"], ["Hand Surgery"], false false;
    "Psychiatry" 35 Medical "2084P0800X" ["PSYCHIATRY", "Psychiatrist"], [], ["Child & Adolescent Psychiatry"], false false;
    "Clinical Psychology" 40 Medical "103TC0700X" ["CLINICAL PSYCHOLOGY", "Clinical Psychologist"], [], [], false false;
    "Clinical Social Worker" 55 Medical "1041C0700X" ["CLINICAL SOCIAL WORKER", "Clinical Social Workers"], ["Licensed Clinical Social Worker"], [], false false;
    "Physical Therapy" 60 Medical "225100000X" ["PHYSICAL THERAPY", "Physical Therapist"], [], [], false false;
    "Chiropractic" 30 Medical "111N00000X" ["CHIROPRACTIC", "Chiropractor"], ["Chiropractic Medicine"], [], false false;
    "Podiatry" 14 Medical "213E00000X" ["PODIATRY", "Podiatrist"], ["Podiatric Medicine"], [], false false;
    "Urology" 12 Medical "208800000X" ["UROLOGY", "Urologist"], [], ["Pediatric Urology"], false false;
    "General Surgery" 28 Medical "208600000X" ["GENERAL SURGERY"], ["Surgery, General"], ["Colon & Rectal Surgery"], false false;
    "Pulmonology" 12 Medical "207RP1001X" ["PULMONOLOGY", "Pulmonologist"], ["Pulmonary Disease"], ["Pulmonary Critical Care"], false false;
    "Rheumatology" 7 Medical "207RR0500X" ["RHEUMATOLOGY", "Rheumatologist"], [], [], false false;
    "Anesthesiology" 35 Medical "207L00000X" ["ANESTHESIOLOGY", "Anesthesiologist"], [], ["Pain Medicine"], false false;
    "Emergency Medicine" 35 Medical "207P00000X" ["EMERGENCY MEDICINE"], [], [], false false;
    "Dentist" 50 Medical "122300000X" ["DENTIST", "Dentists"], ["General Dentistry"], ["Pediatric Dentistry", "Orthodontics"], false false;
    "Pharmacy" 60 Pharmacy "3336C0003X" ["PHARMACY", "Pharmacies"], ["Community/Retail Pharmacy", "Retail Pharmacy"], [], true false;
    "Mail Order Pharmacy" 2 Pharmacy "3336M0002X" ["MAIL ORDER PHARMACY"], [], [], true true;
    "Long Term Care Pharmacy" 3 Pharmacy "3336L0003X" ["LONG TERM CARE PHARMACY"], [], [], true true;
    "Home Infusion Therapy Pharmacy" 2 Pharmacy "3336H0001X" ["HOME INFUSION THERAPY PHARMACY"], [], [], true true;
    "Hospital" 12 Medical "282N00000X" ["HOSPITAL", "Hospitals"], ["General Acute Care Hospital"], ["Rehabilitation Hospital"], true false;
    "Urgent Care" 12 Medical "261QU0200X" ["URGENT CARE"], ["Urgent Care Center"], [], true false;
    "Clinic" 20 Medical "261Q00000X" ["CLINIC", "Clinics"], ["Clinic/Center"], [], true false;
    "Skilled Nursing Facility" 12 Medical "314000000X" ["SKILLED NURSING FACILITY", "Skilled Nursing Facilities"], [], [], true false;
    "Durable Medical Equipment" 10 Medical "332B00000X" ["DURABLE MEDICAL EQUIPMENT"], ["DME"], [], true false;
    "Clinical Laboratory" 8 Medical "291U00000X" ["CLINICAL LABORATORY", "Clinical Laboratories"], [], [], true false;
}

/// How a role's specialty is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spelling {
    /// In its usual words.
    Usual,
    /// In another case, in the plural, as person or field.
    Variant,
    /// In other words for the same.
    Synonym,
    /// What looks alike and is something else.
    Near,
}

/// A specialty as a role states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stated {
    /// Number in [`SPECIALTIES`].
    pub specialty: u32,
    /// How it is written; [`Spelling::Near`] means that it is another specialty.
    pub spelling: Spelling,
    /// The words.
    pub text: &'static str,
}

impl Stated {
    /// The kind it is, or looks like.
    #[must_use]
    pub fn kind(&self) -> Option<&'static SpecialtyKind> {
        SPECIALTIES.get(self.specialty as usize)
    }
}

/// A specialty of an organization or of a person, as common as in the field.
pub(crate) fn drawn(draw: Draw, organization: bool) -> u32 {
    let weights: Vec<u32> =
        SPECIALTIES.iter().map(|s| if s.organization == organization { s.weight } else { 0 }).collect();
    u32::try_from(draw.weighted(&weights)).unwrap_or(0)
}

/// A specialty as it is written in a role: one in five not in its usual words.
pub(crate) fn written(specialty: u32, draw: Draw, variants: u32) -> Stated {
    let usual = |text| Stated { specialty, spelling: Spelling::Usual, text };
    let Some(kind) = SPECIALTIES.get(specialty as usize) else { return usual("Clinic") };
    if !draw.hits(variants) {
        return usual(kind.name);
    }
    let (spelling, from) = match draw.and(1).below(10) {
        0..=5 => (Spelling::Variant, kind.spellings),
        6..=7 => (Spelling::Synonym, kind.synonyms),
        _ => (Spelling::Near, kind.near),
    };
    match from {
        [] => usual(kind.name),
        some => Stated { specialty, spelling, text: draw.and(2).one_of(some, kind.name) },
    }
}
