//! The columns of a directory where they lie in the mapped file.

use crate::Result;
use crate::format::FilePart;
use crate::format::packed::{Column, Damaged, Marks, Packed, Sparse, Texts};

use super::layout::section;

/// Providers, in the order of their names.
#[derive(Debug)]
pub(crate) struct ProviderColumns {
    pub(crate) npi: Column,
    pub(crate) traits: Column,
    pub(crate) phone: Column,
    pub(crate) npis: Column,
    pub(crate) of_npi: Column,
    pub(crate) alias_provider: Sparse,
    pub(crate) alias_npi: Column,
    pub(crate) other_name_provider: Sparse,
    pub(crate) other_name: Texts,
    pub(crate) stated_npi_provider: Sparse,
    pub(crate) stated_npi: Texts,
    pub(crate) row: Column,
    pub(crate) rows: Marks,
    pub(crate) trait_kind: Column,
    pub(crate) trait_gender: Column,
    pub(crate) trait_languages: Column,
    pub(crate) trait_language: Column,
    pub(crate) gender: Texts,
    pub(crate) language: Texts,
}

/// Places, in the order of areas.
#[derive(Debug)]
pub(crate) struct PlaceColumns {
    pub(crate) point: Column,
    pub(crate) precision: Column,
    pub(crate) name: Column,
    pub(crate) address: Texts,
    pub(crate) locality: Column,
    pub(crate) phone: Column,
    pub(crate) hours: Column,
    pub(crate) locality_zip: Column,
    pub(crate) locality_city: Column,
    pub(crate) locality_state: Column,
    pub(crate) city: Texts,
    pub(crate) city_key: Texts,
    pub(crate) state: Texts,
}

/// Practice locations.
#[derive(Debug)]
pub(crate) struct RowColumns {
    pub(crate) count: u32,
    pub(crate) provider: Column,
    /// 0 no role that a search finds, else the number of its network set and 1.
    pub(crate) networks: Column,
    pub(crate) place: Marks,
    pub(crate) roles: Marks,
    pub(crate) further_row: Sparse,
    pub(crate) further_name: Column,
    pub(crate) further_phone: Column,
    pub(crate) closed_door: Column,
    /// Rows with a role in doubt, ascending.
    pub(crate) doubt: Column,
}

/// Roles, row by row.
#[derive(Debug)]
pub(crate) struct RoleColumns {
    pub(crate) count: u32,
    pub(crate) specialties: Column,
    pub(crate) networks: Column,
    pub(crate) state: Column,
    pub(crate) flags: Column,
    pub(crate) accepting: Column,
    pub(crate) accepting_network: Column,
    pub(crate) accepting_status: Column,
    pub(crate) contact_role: Sparse,
    pub(crate) contact_phone: Column,
    pub(crate) contact_hours: Column,
    pub(crate) contact_organization: Column,
    pub(crate) role_day: Column,
    pub(crate) provider_day: Column,
}

/// Lists of active roles by specialty key.
#[derive(Debug)]
pub(crate) struct ListColumns {
    pub(crate) blocks: Column,
    pub(crate) block_entry: Column,
    pub(crate) block_row: Column,
    pub(crate) block_at: Column,
    pub(crate) block_low: Column,
    pub(crate) block_high: Column,
    pub(crate) block_rows: Column,
    pub(crate) deltas: FilePart,
    pub(crate) networks: Column,
}

impl ProviderColumns {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        let [npi, traits, phone] = packed.record(section::PROVIDER)?;
        let sparse = |name: &str| packed.sparse(name, npi.len());
        Ok(Self {
            traits,
            phone,
            npis: packed.column(section::NPI)?,
            of_npi: packed.column(section::NPI_PROVIDER)?,
            alias_provider: sparse(section::ALIAS_PROVIDER)?,
            alias_npi: packed.column(section::ALIAS_NPI)?,
            other_name_provider: sparse(section::OTHER_NAME_PROVIDER)?,
            other_name: packed.texts(section::OTHER_NAME)?,
            stated_npi_provider: sparse(section::STATED_NPI_PROVIDER)?,
            stated_npi: packed.texts(section::STATED_NPI)?,
            row: packed.column(section::PROVIDER_ROW)?,
            rows: packed.marks(section::PROVIDER_ROWS)?,
            trait_kind: packed.column(section::TRAIT_KIND)?,
            trait_gender: packed.column(section::TRAIT_GENDER)?,
            trait_languages: packed.column(section::TRAIT_LANGUAGES)?,
            trait_language: packed.column(section::TRAIT_LANGUAGE)?,
            gender: packed.texts(section::GENDER)?,
            language: packed.texts(section::LANGUAGE)?,
            npi,
        })
    }
}

impl PlaceColumns {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        let [precision, name, locality, phone, hours] = packed.record(section::PLACE)?;
        Ok(Self {
            point: packed.column(section::PLACE_POINT)?,
            precision,
            name,
            address: packed.texts(section::PLACE_ADDRESS)?,
            locality,
            phone,
            hours,
            locality_zip: packed.column(section::LOCALITY_ZIP)?,
            locality_city: packed.column(section::LOCALITY_CITY)?,
            locality_state: packed.column(section::LOCALITY_STATE)?,
            city: packed.texts(section::CITY)?,
            city_key: packed.texts(section::CITY_KEY)?,
            state: packed.texts(section::STATE)?,
        })
    }
}

impl RowColumns {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        let provider = packed.column(section::ROW_PROVIDER)?;
        Ok(Self {
            count: provider.count().map_err(|Damaged| packed.error())?,
            networks: packed.column(section::ROW_NETWORKS)?,
            place: packed.marks(section::ROW_PLACE)?,
            roles: packed.marks(section::ROW_ROLES)?,
            further_row: packed.sparse(section::FURTHER_ROW, provider.len())?,
            further_name: packed.column(section::FURTHER_NAME)?,
            further_phone: packed.column(section::FURTHER_PHONE)?,
            closed_door: packed.column(section::CLOSED_DOOR_ROW)?,
            doubt: packed.column(section::DOUBT_ROW)?,
            provider,
        })
    }
}

impl RoleColumns {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        let [specialties, networks, state] = packed.record(section::ROLE)?;
        let [contact_phone, contact_hours, contact_organization] = packed.record(section::CONTACT)?;
        Ok(Self {
            count: specialties.count().map_err(|Damaged| packed.error())?,
            networks,
            state,
            flags: packed.column(section::STATE_FLAGS)?,
            accepting: packed.column(section::STATE_ACCEPTING)?,
            accepting_network: packed.column(section::ACCEPTING_NETWORK)?,
            accepting_status: packed.column(section::ACCEPTING_STATUS)?,
            contact_role: packed.sparse(section::CONTACT_ROLE, specialties.len())?,
            contact_phone,
            contact_hours,
            contact_organization,
            role_day: packed.column(section::STATE_ROLE_DAY)?,
            provider_day: packed.column(section::STATE_PROVIDER_DAY)?,
            specialties,
        })
    }
}

impl ListColumns {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        Ok(Self {
            blocks: packed.column(section::LIST_BLOCKS)?,
            block_entry: packed.column(section::BLOCK_ENTRY)?,
            block_row: packed.column(section::BLOCK_ROW)?,
            block_at: packed.column(section::BLOCK_AT)?,
            block_low: packed.column(section::BLOCK_LOW)?,
            block_high: packed.column(section::BLOCK_HIGH)?,
            block_rows: packed.column(section::BLOCK_ROWS)?,
            deltas: packed.bytes(section::LIST_DELTAS)?,
            networks: packed.column(section::LIST_NETWORKS)?,
        })
    }
}
