//! What the sections of `providers/directory.bin` are called and what their bits mean: the one
//! definition that builder and reader share. `index-data/FORMAT.md` says the rest.

use crate::ids::State;

/// The packed file of a directory, inside the folder `providers`.
pub const DIRECTORY_FILE: &str = "directory.bin";

/// Folder of the directory part: [`DIRECTORY_FILE`] and the index of names, whose document numbers
/// are row numbers.
pub const DIRECTORY_FOLDER: &str = "providers";

/// What an alias of specialties begins with that are offered to who types the rest, and never taken.
pub const OFFERED: char = '?';

/// The code of the area that holds roles without a place.
pub const NOT_STATED: u32 = 100_000;

/// The code of the area of places in other countries: no search for a place of this one finds or counts them.
#[cfg(feature = "build")]
pub const ABROAD: u32 = 99_998;

/// The code of the area of places in no known state.
pub const NOWHERE: u32 = 99_999;

/// The code of a state's own area, for places in no known county of it: its FIPS number times 1000; the
/// military states, which have none, follow one another from 90 on.
#[must_use]
pub fn state_area(state: State) -> u32 {
    let number = state.fips().map_or_else(
        || MILITARY + State::all().filter(|other| *other < state && other.fips().is_none()).map(|_| 1).sum::<u32>(),
        u32::from,
    );
    number * 1_000
}

/// The number of the first military state: no FIPS number of a state is as high.
const MILITARY: u32 = 90;

/// Entries of a specialty's list that one block holds at most, but for those of one row, which are
/// never parted.
#[cfg(feature = "build")]
pub const LIST_BLOCK: usize = 32;

/// Entries from which on a block ends where its area does.
#[cfg(feature = "build")]
pub const SHORT_BLOCK: usize = 16;

/// Sections' names.
pub mod section {
    /// Areas: county code, first place, then the circle around its places.
    pub const AREA_CODE: &str = "area.code";
    /// First place of each area, and the number of places.
    pub const AREA_PLACE: &str = "area.place";
    /// First row of each area, and the number of rows.
    pub const AREA_ROW: &str = "area.row";
    /// Center of the circle, latitude.
    pub const AREA_LAT: &str = "area.lat";
    /// Center of the circle, longitude.
    pub const AREA_LON: &str = "area.lon";
    /// Radius of the circle in meters, rounded up.
    pub const AREA_RADIUS: &str = "area.radius";

    /// Where places without a point may be: the counties of the states whose own areas have some, and the
    /// counties that have some; the area's code, ascending.
    pub const STATE_COUNTY_AREA: &str = "state_county.area";
    /// The county's reference point, latitude.
    pub const STATE_COUNTY_LAT: &str = "state_county.lat";
    /// The county's reference point, longitude.
    pub const STATE_COUNTY_LON: &str = "state_county.lon";
    /// Meters from it to the farthest point of the county's border.
    pub const STATE_COUNTY_RADIUS: &str = "state_county.radius";

    /// Places: the point, as [`super::packed_point`] has it; without one 0.
    pub const PLACE_POINT: &str = "place.point";
    /// For each place: precision, a code of [`super::precision`]; name, 0 none, else a name's number
    /// and 1; a locality's number for city, state and ZIP; phone, coded (see [`super::phone`]); hours,
    /// 0 none, else a text's number and 1.
    pub const PLACE: &str = "place";
    /// Address lines joined by a blank, in place order.
    pub const PLACE_ADDRESS: &str = "place.address";
    /// Distinct hours.
    pub const HOURS: &str = "hours";

    /// Localities: ZIP as a number and 1; 0: none.
    pub const LOCALITY_ZIP: &str = "locality.zip";
    /// City: 0 none, else a city's number and 1.
    pub const LOCALITY_CITY: &str = "locality.city";
    /// State: 0 none, else a state's number and 1.
    pub const LOCALITY_STATE: &str = "locality.state";
    /// City names as shown, by their folded keys.
    pub const CITY: &str = "city";
    /// The cities' keys, ascending: what the spellings of one share.
    pub const CITY_KEY: &str = "city.key";
    /// State texts.
    pub const STATE: &str = "state";

    /// Names: those of the providers, in their order, then others that places have.
    pub const NAME: &str = "name";
    /// For each provider: NPI less 10^9, and 1, 0 none; a trait's number for kind, gender and languages;
    /// phone, coded.
    pub const PROVIDER: &str = "provider";
    /// NPIs less 10^9, ascending, aliases too.
    pub const NPI: &str = "npi";
    /// The provider of each NPI.
    pub const NPI_PROVIDER: &str = "npi.provider";
    /// Providers with further NPIs, ascending, once for each.
    pub const ALIAS_PROVIDER: &str = "alias.provider";
    /// The further NPI less 10^9.
    pub const ALIAS_NPI: &str = "alias.npi";
    /// Providers with further names, ascending, once for each.
    pub const OTHER_NAME_PROVIDER: &str = "other_name.provider";
    /// The further name.
    pub const OTHER_NAME: &str = "other_name";
    /// Providers without a valid NPI that state some other, ascending.
    pub const STATED_NPI_PROVIDER: &str = "stated_npi.provider";
    /// What they state.
    pub const STATED_NPI: &str = "stated_npi";
    /// Rows of each provider, in provider order.
    pub const PROVIDER_ROW: &str = "provider.row";
    /// Where each provider's rows begin.
    pub const PROVIDER_ROWS: &str = "provider.rows";

    /// Traits: kind, a code of [`super::kind`].
    pub const TRAIT_KIND: &str = "trait.kind";
    /// Gender: 0 not stated, else a text's number and 1.
    pub const TRAIT_GENDER: &str = "trait.gender";
    /// Genders.
    pub const GENDER: &str = "gender";
    /// First language of each trait, and the number of all.
    pub const TRAIT_LANGUAGES: &str = "trait.languages";
    /// The languages' numbers.
    pub const TRAIT_LANGUAGE: &str = "trait.language";
    /// Languages.
    pub const LANGUAGE: &str = "language";

    /// Practice locations: the provider.
    pub const ROW_PROVIDER: &str = "row.provider";
    /// The networks of its active roles, those of closed doors apart: 0 it has no such role, else the
    /// number of a row's network set and 1.
    pub const ROW_NETWORKS: &str = "row.networks";
    /// Where each place's rows begin.
    pub const ROW_PLACE: &str = "row.place";
    /// Where each row's roles begin.
    pub const ROW_ROLES: &str = "row.roles";
    /// Rows with a further place of the same address, ascending.
    pub const FURTHER_ROW: &str = "further.row";
    /// The further place's name: a name's number.
    pub const FURTHER_NAME: &str = "further.name";
    /// The further place's phone, coded.
    pub const FURTHER_PHONE: &str = "further.phone";

    /// For each role: the numbers of its specialty set, its network set and its state.
    pub const ROLE: &str = "role";
    /// Roles with a phone or hours of their own, or with none but their organization's, ascending.
    pub const CONTACT_ROLE: &str = "contact.role";
    /// Each one's phone, coded; hours, 0 none, else a text's number and 1; the organization's phone,
    /// coded, where neither role nor place nor provider has one.
    pub const CONTACT: &str = "contact";

    /// Role states: bits of [`super::flag`].
    pub const STATE_FLAGS: &str = "role_state.flags";
    /// The day from which or until which a role is inactive: days since 1970-01-01, [`super::NO_DAY`] none.
    pub const STATE_ROLE_DAY: &str = "role_state.role_day";
    /// The same of its provider.
    pub const STATE_PROVIDER_DAY: &str = "role_state.provider_day";
    /// Whether new patients are taken: the first statement of each state, and the number of all.
    pub const STATE_ACCEPTING: &str = "role_state.accepting";
    /// The network of a statement: 0 every network, else a network's number and 1.
    pub const ACCEPTING_NETWORK: &str = "accepting.network";
    /// What it states, a code of [`super::accepting`].
    pub const ACCEPTING_STATUS: &str = "accepting.status";

    /// Networks: system.
    pub const NETWORK_SYSTEM: &str = "network.system";
    /// Id inside the system.
    pub const NETWORK_ID: &str = "network.id";
    /// Label; empty: none.
    pub const NETWORK_LABEL: &str = "network.label";
    /// Active roles.
    pub const NETWORK_ROLES: &str = "network.roles";
    /// Why its part is incomplete; empty: it is complete.
    pub const NETWORK_GAP: &str = "network.gap";
    /// Network sets: a bit for each network, rounded up to bytes.
    pub const NETWORK_SET: &str = "network_set";
    /// Network sets of rows, in the same way.
    pub const ROW_NETWORK_SET: &str = "row_network_set";

    /// Specialties: the words; empty: only a code.
    pub const SPECIALTY_TEXT: &str = "specialty.text";
    /// NUCC taxonomy code; empty: none.
    pub const SPECIALTY_TAXONOMY: &str = "specialty.taxonomy";
    /// The key's number.
    pub const SPECIALTY_KEY: &str = "specialty.key";
    /// Keys, ascending: what spellings of one specialty share.
    pub const KEY: &str = "key";
    /// How people read each key.
    pub const KEY_NAME: &str = "key.name";
    /// What else leads to some of them, ascending: keys of synonyms, NUCC codes in small letters, plain
    /// words; and keys themselves, which lead to what may be meant too, or, with their own number among
    /// the others, to what is taken too.
    pub const ALIAS: &str = "key_alias";
    /// First of the keys that each leads to, and the number of all.
    pub const ALIAS_FIRST: &str = "key_alias.first";
    /// The keys' numbers.
    pub const ALIAS_KEY: &str = "key_alias.key";
    /// First specialty of each set, and the number of all.
    pub const SET_SPECIALTIES: &str = "specialty_set.first";
    /// The specialties' numbers.
    pub const SET_SPECIALTY: &str = "specialty_set";

    /// Lists of active roles by specialty key: first block of each key, and the number of all.
    pub const LIST_BLOCKS: &str = "list.blocks";
    /// First entry of each block, and the number of all.
    pub const BLOCK_ENTRY: &str = "block.entry";
    /// First row of each block.
    pub const BLOCK_ROW: &str = "block.row";
    /// Where each block's differences begin, and where the last end.
    pub const BLOCK_AT: &str = "block.at";
    /// The southwest of the box around each block's places; around the world where one has no point.
    pub const BLOCK_LOW: &str = "block.low";
    /// The northeast of that box.
    pub const BLOCK_HIGH: &str = "block.high";
    /// For each block how many rows it has, then how many of them have each network.
    pub const BLOCK_ROWS: &str = "block.rows";
    /// Differences of the rows inside blocks, LEB128.
    pub const LIST_DELTAS: &str = "list.deltas";
    /// The network set of each entry's role.
    pub const LIST_NETWORKS: &str = "list.networks";

    /// Rows with an active role of a closed-door pharmacy, ascending.
    pub const CLOSED_DOOR_ROW: &str = "closed_door.row";

    /// Rows with an active role of which the payer says two things, or that names a network which leads
    /// nowhere, ascending.
    pub const DOUBT_ROW: &str = "doubt.row";

    /// Phones that are no plain number, and places' and providers' lists of several.
    pub const PHONE_TEXT: &str = "phone.text";
    /// First text of each list, and the number of all.
    pub const PHONE_LIST: &str = "phone.list";
}

/// No day, where a day may stand.
pub const NO_DAY: i32 = i32::MIN;

/// A point, in 1e-5 degree, as columns of eight bytes hold it: the latitude below, the longitude above.
#[cfg(feature = "build")]
#[must_use]
pub fn packed_point(lat_e5: i32, lon_e5: i32) -> u64 {
    u64::from(lat_e5.cast_unsigned()) | u64::from(lon_e5.cast_unsigned()) << 32
}

/// Latitude and longitude of a packed point.
#[inline]
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "the two halves")]
pub fn unpacked_point(point: u64) -> (i32, i32) {
    ((point as u32).cast_signed(), ((point >> 32) as u32).cast_signed())
}

/// How a place's point is known.
pub mod precision {
    /// Its own position.
    pub const POINT: u32 = 0;
    /// The point of its ZIP.
    pub const ZIP: u32 = 1;
    /// Only its county is known: it has no point.
    pub const COUNTY: u32 = 2;
    /// Neither point nor county is known.
    #[cfg(feature = "build")]
    pub const UNKNOWN: u32 = 3;
}

/// Kinds of providers.
pub mod kind {
    /// A person.
    pub const INDIVIDUAL: u32 = 0;
    /// An organization.
    pub const ORGANIZATION: u32 = 1;
}

/// Codes of accepting statements.
pub mod accepting {
    /// Takes new patients.
    pub const YES: u32 = 0;
    /// Takes none.
    pub const NO: u32 = 1;
    /// Sees existing patients only.
    pub const EXISTING_ONLY: u32 = 2;
    /// Existing patients and their families.
    pub const EXISTING_AND_FAMILY: u32 = 3;

    /// Statements in their order from open to closed.
    #[must_use]
    pub const fn rank(code: u32) -> u32 {
        match code {
            YES => 0,
            EXISTING_AND_FAMILY => 1,
            EXISTING_ONLY => 2,
            _ => 3,
        }
    }
}

/// Bits of a role's state.
pub mod flag {
    /// The role is marked inactive.
    pub const ROLE_INACTIVE: u32 = 1;
    /// The provider's resource is marked inactive.
    pub const PROVIDER_INACTIVE: u32 = 2;
    /// The place's resource is marked inactive.
    pub const PLACE_INACTIVE: u32 = 4;
    /// Any of the three.
    pub const INACTIVE: u32 = ROLE_INACTIVE | PROVIDER_INACTIVE | PLACE_INACTIVE;
    /// The role names several places.
    pub const SHARED: u32 = 8;
    /// A pharmacy behind closed doors: mail, long-term care, infusion.
    pub const CLOSED_DOOR: u32 = 16;
    /// No role at all: stands for a provider that no role names.
    pub const NO_ROLE: u32 = 32;
    /// Directory type pharmacy.
    pub const PHARMACY: u32 = 64;
    /// Directory type vision.
    pub const VISION: u32 = 128;
    /// Directory type medical or dental.
    pub const MEDICAL: u32 = 256;
    /// Two versions of the role, of one date, contradict each other: the payer says both.
    pub const CONTRARY: u32 = 512;
    /// It names a network that cannot be read, or that leads nowhere.
    pub const LOST_NETWORK: u32 = 1024;
    /// The role has not begun: its day is the first, else the last.
    pub const ROLE_NOT_BEGUN: u32 = 2048;
    /// The provider has not begun: its day is the first, else the last.
    pub const PROVIDER_NOT_BEGUN: u32 = 4096;
    /// Flags of roles of which the payer's data leaves open what they answer.
    pub const DOUBT: u32 = CONTRARY | LOST_NETWORK;
    /// Flags of roles that no search finds, but as pharmacies of closed doors.
    pub const HIDDEN: u32 = INACTIVE | CLOSED_DOOR | NO_ROLE | CONTRARY;
}

/// How phones are coded: 0 none; below 2^34 the ten digits; from [`phone::LISTED`] on the number of
/// a list of texts.
pub mod phone {
    /// The first list's code.
    pub const LISTED: u64 = 1 << 34;
}
