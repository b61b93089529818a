//! An opened directory: its columns where they lie in the mapped file, and what is looked up in
//! them.

mod check;
pub(crate) mod columns;
pub(crate) mod distance;
pub mod layout;
pub(crate) mod lists;
pub(crate) mod names;
pub(crate) mod networks;
mod phones;
mod regions;
pub(crate) mod specialties;

use std::path::Path;

use crate::format::packed::{Column, Damaged, Marks, Packed, Texts};
use crate::format::{CheckedFile, Checksums, DamagedIfNone as _};
use crate::ids::{Date, Npi};
use crate::lazy::Lazy;
use crate::{Error, Result};

use columns::{ListColumns, PlaceColumns, ProviderColumns, RoleColumns, RowColumns};
use layout::{DIRECTORY_FILE, DIRECTORY_FOLDER, NO_DAY, flag, phone, section};
use names::NameIndex;
use networks::Networks;
use regions::Regions;
use specialties::Specialties;

/// Where NPIs begin; they are stored without it.
pub(crate) const NPI_BASE: u64 = 1_000_000_000;

/// The directory part of a dataset, by itself: what [`Dataset`](crate::Dataset) asks.
#[derive(Debug)]
pub struct Directory {
    packed: Packed,
    pub(crate) regions: Regions,
    pub(crate) networks: Networks,
    pub(crate) specialties: Specialties,
    pub(crate) names: NameIndex,
    pub(crate) providers: ProviderColumns,
    pub(crate) places: PlaceColumns,
    pub(crate) rows: RowColumns,
    pub(crate) roles: RoleColumns,
    pub(crate) lists: ListColumns,
    texts: SharedTexts,
    closed: Lazy<Vec<ClosedRole>>,
}

/// An active role of closed doors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosedRole {
    pub(crate) row: u32,
    pub(crate) role: u32,
    pub(crate) flags: u32,
    /// Its network set.
    pub(crate) networks: u32,
}

/// How a role is reached; phones are coded, 0: none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contact {
    /// Its own phone.
    pub(crate) phone: u64,
    /// Its own hours, as columns hold them that have 0 for none.
    pub(crate) hours: u32,
    /// Its organization's phone, where neither role nor place nor provider has one.
    pub(crate) organization_phone: u64,
}

#[derive(Debug)]
struct SharedTexts {
    name: Texts,
    hours: Texts,
    phone: Texts,
    phone_list: Column,
}

impl Directory {
    /// Opens the directory part of a dataset's folder. Nothing is read but what is small.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) or
    /// [`DatasetTooNew`](crate::ErrorKind::DatasetTooNew).
    pub fn open(folder: &Path, checksums: &Checksums) -> Result<Self> {
        let path = format!("{DIRECTORY_FOLDER}/{DIRECTORY_FILE}");
        let packed = Packed::open(CheckedFile::map_watched(folder, &path, checksums)?)?;
        let providers = ProviderColumns::read(&packed)?;
        let rows = RowColumns::read(&packed)?;
        let names = NameIndex::open(folder, checksums, rows.count)?;
        let directory = Self {
            regions: Regions::read(&packed)?,
            networks: Networks::read(&packed)?,
            specialties: Specialties::read(&packed)?,
            names,
            places: PlaceColumns::read(&packed)?,
            rows,
            roles: RoleColumns::read(&packed)?,
            lists: ListColumns::read(&packed)?,
            texts: SharedTexts {
                name: packed.texts(section::NAME)?,
                hours: packed.texts(section::HOURS)?,
                phone: packed.texts(section::PHONE_TEXT)?,
                phone_list: packed.column(section::PHONE_LIST)?,
            },
            providers,
            packed,
            closed: Lazy::default(),
        };
        if directory.fits() {
            Ok(directory)
        } else {
            Err(directory.damaged().saying("its sections do not fit each other"))
        }
    }

    /// Whether the columns of one thing are equally long and the runs are as many as their owners.
    fn fits(&self) -> bool {
        let (providers, rows, roles) = (&self.providers, &self.rows, &self.roles);
        let (places, lists) = (&self.places, &self.lists);
        let all = |columns: &[&Column], count: usize| columns.iter().all(|column| column.len() == count);
        let count = |marks: &Marks| marks.runs() as usize;
        let blocks = lists.block_row.len();
        all(&[&providers.npi, &providers.traits, &providers.phone], providers.npi.len())
            && all(&[&providers.npis, &providers.of_npi], providers.npis.len())
            && count(&providers.rows) == providers.npi.len()
            && all(&[&rows.provider, &rows.networks, &providers.row], rows.count as usize)
            && all(
                &[&places.point, &places.precision, &places.name, &places.locality, &places.phone, &places.hours],
                places.point.len(),
            )
            && places.address.len() as usize == places.point.len()
            && count(&rows.place) == places.point.len()
            && count(&rows.roles) == rows.count as usize
            && all(&[&roles.specialties, &roles.networks, &roles.state], roles.count as usize)
            && all(&[&roles.contact_phone, &roles.contact_hours, &roles.contact_organization], roles.contact_role.len())
            && all(&[&roles.flags, &roles.role_day, &roles.provider_day], roles.flags.len())
            && all(&[&rows.further_name, &rows.further_phone], rows.further_row.len())
            && all(&[&lists.block_low, &lists.block_high], blocks)
            && all(&[&lists.block_entry, &lists.block_at], blocks + 1)
            && lists.block_rows.len() == blocks * (self.networks.count() + 1)
            && self.texts.name.len() as usize >= providers.npi.len()
    }

    /// Compares the packed file with its checksums, and what is derived in it with what it is derived
    /// from, and walks the index of names.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged), naming what differs.
    pub fn check(&self) -> Result<()> {
        self.packed.verify()?;
        self.check_derived()?;
        self.names.check()
    }

    /// An error where the packed file was written to since it was opened: the other files may have been too.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        self.packed.check_unchanged()
    }

    /// Names and lengths of the packed file's sections.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.packed.sizes()
    }

    /// What was read, or an error that names the file and what is damaged.
    #[inline]
    pub(crate) fn error_if_damaged<T>(&self, read: Result<T, Damaged>) -> Result<T> {
        read.map_err(|Damaged| self.damaged())
    }

    #[cold]
    pub(crate) fn damaged(&self) -> Error {
        self.packed.error()
    }

    /// The providers that state this NPI, each with whether it is one of its own.
    pub(crate) fn providers_of(&self, npi: Npi) -> Result<Vec<(u32, bool)>, Damaged> {
        let npis = &self.providers.npis;
        let Some(wanted) = npi.number().checked_sub(NPI_BASE) else { return Ok(Vec::new()) };
        let end = npis.count()?;
        let mut found = Vec::new();
        let mut at = npis.partition(0, end, |other| other >= wanted)?;
        while at < end && npis.wide(at)? == wanted {
            let provider = self.providers.of_npi.get(at)?;
            let is_own = self.npi(provider)? == Some(npi) || self.aliases(provider)?.contains(&npi);
            found.push((provider, is_own));
            at += 1;
        }
        Ok(found)
    }

    /// A provider's NPI: the smallest of its own.
    pub(crate) fn npi(&self, provider: u32) -> Result<Option<Npi>, Damaged> {
        match self.providers.npi.wide(provider)?.checked_sub(1) {
            Some(coded) => npi(coded).map(Some),
            None => Ok(None),
        }
    }

    /// A provider's further NPIs.
    pub(crate) fn aliases(&self, provider: u32) -> Result<Vec<Npi>, Damaged> {
        let columns = &self.providers;
        columns.alias_provider.of(provider)?.map(|at| npi(columns.alias_npi.wide(at)?)).collect()
    }

    /// What a provider without an NPI of its own states in its place.
    pub(crate) fn stated_npi(&self, provider: u32) -> Result<Option<String>, Damaged> {
        let columns = &self.providers;
        columns.stated_npi_provider.of(provider)?.next().map(|at| columns.stated_npi.get(at)).transpose()
    }

    /// A provider's further names.
    pub(crate) fn other_names(&self, provider: u32) -> Result<Vec<String>, Damaged> {
        let columns = &self.providers;
        columns.other_name_provider.of(provider)?.map(|at| columns.other_name.get(at)).collect()
    }

    /// A name; those of the providers come first, in their order.
    pub(crate) fn name(&self, number: u32) -> Result<String, Damaged> {
        self.texts.name.get(number)
    }

    /// As [`Self::name`], into a buffer of the caller's.
    #[cfg(feature = "tables")]
    pub(crate) fn read_name(&self, number: u32, into: &mut String) -> Result<(), Damaged> {
        self.texts.name.read(number, into)
    }

    /// The hours of a number as columns hold it that have 0 for none.
    pub(crate) fn hours(&self, coded: u32) -> Result<Option<String>, Damaged> {
        coded.checked_sub(1).map(|number| self.texts.hours.get(number)).transpose()
    }

    /// Languages of a trait.
    pub(crate) fn languages(&self, of: u32) -> Result<Vec<String>, Damaged> {
        self.language_numbers(of)?.into_iter().map(|number| self.providers.language.get(number)).collect()
    }

    /// Language numbers of a trait.
    pub(crate) fn language_numbers(&self, of: u32) -> Result<Vec<u32>, Damaged> {
        let columns = &self.providers;
        let range = columns.trait_languages.range(of)?;
        if range.len() > columns.language.len() as usize {
            return Err(Damaged);
        }
        range.map(|at| columns.trait_language.get(at)).collect()
    }

    /// Rows of a provider.
    pub(crate) fn rows_of(&self, provider: u32) -> Result<impl Iterator<Item = Result<u32, Damaged>> + '_, Damaged> {
        let run = self.providers.rows.run(provider, self.rows.count)?;
        Ok(run.map(|at| self.providers.row.get(at)))
    }

    /// Phones that a coded number stands for, as people read them.
    pub(crate) fn phones(&self, coded: u64) -> Result<Vec<String>, Damaged> {
        let Some(list) = coded.checked_sub(phone::LISTED) else {
            return Ok(if coded == 0 { Vec::new() } else { vec![shown_phone(coded)] });
        };
        let list = u32::try_from(list).ok().damaged_if_none()?;
        self.texts.phone_list.range(list)?.map(|at| self.texts.phone.get(at)).collect()
    }

    /// Names and coded phones of the further places that a row has at its address.
    pub(crate) fn further_places(&self, row: u32) -> Result<Vec<(Option<String>, u64)>, Damaged> {
        let rows = &self.rows;
        let further = |at| {
            let name = rows.further_name.get(at)?.checked_sub(1).map(|name| self.name(name)).transpose()?;
            Ok((name, rows.further_phone.wide(at)?))
        };
        rows.further_row.of(row)?.map(further).collect()
    }

    /// How a role is reached.
    pub(crate) fn contact(&self, role: u32) -> Result<Contact, Damaged> {
        let roles = &self.roles;
        let Some(at) = roles.contact_role.of(role)?.next() else { return Ok(Contact::default()) };
        Ok(Contact {
            phone: roles.contact_phone.wide(at)?,
            hours: roles.contact_hours.get(at)?,
            organization_phone: roles.contact_organization.wide(at)?,
        })
    }

    /// The day from which or until which a state's role and its provider are inactive, where one is
    /// known.
    pub(crate) fn inactive_days(&self, state: u32) -> Result<(Option<Date>, Option<Date>), Damaged> {
        let day = |column: &Column| {
            let day = column.signed(state)?;
            Ok((day != NO_DAY).then(|| Date::from_days(day)))
        };
        Ok((day(&self.roles.role_day)?, day(&self.roles.provider_day)?))
    }

    /// What a state says of new patients: (network or none for all, code).
    pub(crate) fn accepting(&self, state: u32) -> Result<Vec<(Option<u32>, u32)>, Damaged> {
        let roles = &self.roles;
        let statement = |at| Ok((roles.accepting_network.get(at)?.checked_sub(1), roles.accepting_status.get(at)?));
        roles.accepting.range(state)?.map(statement).collect()
    }

    /// What a role says of new patients in each of its networks that are wanted, and of all if it has
    /// none: what it says of a network outweighs what it says of all. `None`: it says several things.
    pub(crate) fn accepting_in(&self, role: u32, wanted: impl Fn(usize) -> bool) -> Result<Vec<Option<u32>>, Damaged> {
        let statements = self.accepting(self.roles.state.get(role)?)?;
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        let of = |network: Option<u32>| {
            let mut codes = statements.iter().filter(|(of, _)| *of == network).map(|(_, code)| *code);
            let first = codes.next()?;
            Some(codes.all(|code| code == first).then_some(first))
        };
        let mut networks = self.networks.members(self.roles.networks.get(role)?)?.peekable();
        if networks.peek().is_none() {
            return Ok(of(None).into_iter().collect());
        }
        let said = |network: usize| of(u32::try_from(network).ok()).or_else(|| of(None));
        Ok(networks.filter(|network| wanted(*network)).filter_map(said).collect())
    }

    /// The roles of a row.
    #[inline]
    pub(crate) fn roles_of(&self, row: u32) -> Result<std::ops::Range<u32>, Damaged> {
        self.rows.roles.run(row, self.roles.count)
    }

    /// A role, if it is an active one of closed doors; the row it is of is not filled in.
    pub(crate) fn closed_role(&self, role: u32) -> Result<Option<ClosedRole>, Damaged> {
        let flags = self.flags(role)?;
        if flags & (flag::INACTIVE | flag::CLOSED_DOOR) != flag::CLOSED_DOOR {
            return Ok(None);
        }
        Ok(Some(ClosedRole { row: 0, role, flags, networks: self.roles.networks.get(role)? }))
    }

    /// The active roles of closed doors, by row: they lie all over the directory, and every search for
    /// pharmacies asks them all.
    pub(crate) fn closed_roles(&self) -> Result<&[ClosedRole]> {
        let read = || {
            let mut all = Vec::new();
            for row in self.rows.closed_door.all()? {
                for role in self.roles_of(row)? {
                    all.extend(self.closed_role(role)?.map(|closed| ClosedRole { row, ..closed }));
                }
            }
            Ok(all)
        };
        self.closed.get(|| self.error_if_damaged(read())).map(Vec::as_slice)
    }

    /// A role's flags.
    #[inline]
    pub(crate) fn flags(&self, role: u32) -> Result<u32, Damaged> {
        self.roles.flags.get(self.roles.state.get(role)?)
    }
}

/// The NPI that a number less [`NPI_BASE`] stands for.
fn npi(coded: u64) -> Result<Npi, Damaged> {
    coded.checked_add(NPI_BASE).and_then(Npi::new).damaged_if_none()
}

/// Ten digits as people write a phone number.
fn shown_phone(number: u64) -> String {
    crate::phone::PhoneNumber::from_number(number, None).map_or_else(|| number.to_string(), |phone| phone.to_string())
}
