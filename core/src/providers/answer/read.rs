//! Reading what is shown of a practice location and of a provider.

#[cfg(feature = "tables")]
use std::borrow::Cow;

use crate::Result;
use crate::cancel::Cancel;
use crate::data::directory::Directory;
use crate::data::directory::layout::{NOT_STATED, flag, kind, precision, unpacked_point};
use crate::format::packed::Damaged;
use crate::geo::Point;
use crate::ids::Zip5;
use crate::providers::search::{Filter, ProviderKind, agreed};

use super::{
    Accepting, AcceptingStatement, Inactive, InactiveDate, Location, PhoneFrom, PracticeLocation, Precision, Provider,
    ProviderQuery, ProviderRole, RoleDoubt,
};

/// What many providers have alike.
pub(crate) struct Traits {
    pub(crate) kind: ProviderKind,
    pub(crate) gender: Option<String>,
    pub(crate) languages: Vec<String>,
}

/// Phones, each once, with whose they are.
#[derive(Default)]
struct Phones {
    all: Vec<(String, PhoneFrom)>,
}

impl Phones {
    fn add(&mut self, from: PhoneFrom, phones: Vec<String>) {
        for phone in phones {
            if !self.all.iter().any(|(known, _)| *known == phone) {
                self.all.push((phone, from));
            }
        }
    }

    /// The first that can be dialed as it stands, else the first.
    fn to_call(&self) -> Option<&(String, PhoneFrom)> {
        self.all.iter().find(|(phone, _)| can_be_dialed(phone)).or_else(|| self.all.first())
    }
}

/// Whether a phone has an area code.
fn can_be_dialed(phone: &str) -> bool {
    phone.bytes().filter(u8::is_ascii_digit).count() >= 10
}

impl Directory {
    /// A row with its roles: those that fit, or all of them. Distance and county are the caller's.
    pub(crate) fn practice_location(&self, row: u32, filter: Option<&Filter<'_>>) -> Result<PracticeLocation> {
        self.error_if_damaged(self.read_practice_location(row, filter))
    }

    fn read_practice_location(&self, row: u32, filter: Option<&Filter<'_>>) -> Result<PracticeLocation, Damaged> {
        let provider = self.rows.provider.get(row)?;
        let place = self.rows.place.run_of(row)?;
        let (mut roles, mut said, mut networks) = (Vec::new(), Vec::new(), Vec::new());
        let (mut specialties, mut phones, mut last_phones) = (Vec::new(), Phones::default(), Vec::new());
        let further = self.further_places(row)?;
        let coded = [self.places.phone.wide(place)?].into_iter().chain(further.iter().map(|(_, coded)| *coded));
        let of_places: Vec<String> =
            coded.map(|coded| self.phones(coded)).collect::<Result<Vec<_>, Damaged>>()?.into_iter().flatten().collect();
        let mut at_places: Vec<String> = Vec::new();
        let all = self.roles_of(row)?;
        let flags_of_all = all.clone().map(|role| self.flags(role)).collect::<Result<Vec<_>, Damaged>>()?;
        let any_active = flags_of_all.iter().any(|flags| flags & flag::INACTIVE == 0);
        for (role, flags) in all.zip(flags_of_all) {
            let fits = match filter {
                Some(filter) => filter.role_fits(role)? || filter.closed_role_fits(role)?,
                None => true,
            };
            if !fits || flags & flag::NO_ROLE != 0 {
                continue;
            }
            let (read, organization_phone) = self.role(role, flags)?;
            if flags & flag::INACTIVE == 0 || !any_active {
                let of_role = self.networks.members(self.roles.networks.get(role)?)?;
                networks.extend(of_role.filter(|n| filter.is_none_or(|filter| filter.wanted.has(*n, flags))));
                specialties.extend(read.specialties.iter().cloned());
                match filter {
                    // Of one role the best of the wanted networks; of several roles what all of them say.
                    Some(filter) => {
                        let of_role = filter.accepting(role, flags)?;
                        said.extend((!of_role.is_empty()).then(|| filter.together(&of_role)));
                    }
                    None => said.extend(self.accepting_in(role, |_| true)?),
                }
            }
            let (of_place, own) = read.phones.iter().cloned().partition(|phone| of_places.contains(phone));
            phones.add(PhoneFrom::Role, own);
            at_places.extend::<Vec<String>>(of_place);
            last_phones.push(organization_phone);
            roles.push(read);
        }
        networks.sort_unstable();
        networks.dedup();
        specialties.sort();
        specialties.dedup();
        phones.add(PhoneFrom::Place, at_places);
        phones.add(PhoneFrom::Place, of_places);
        phones.add(PhoneFrom::Provider, self.phones(self.providers.phone.wide(provider)?)?);
        for coded in last_phones {
            phones.add(PhoneFrom::Organization, self.phones(coded)?);
        }
        let together = agreed(&said);
        let own = self.provider_facts(provider)?;
        Ok(PracticeLocation {
            npi: own.npi,
            stated_npi: own.stated_npi,
            aliases: own.aliases,
            name: own.name,
            kind: own.kind,
            gender: own.gender,
            languages: own.languages,
            location: self.location(place, further.into_iter().filter_map(|(name, _)| name).collect())?,
            specialties,
            networks: networks.into_iter().filter_map(|number| self.networks.network(number).cloned()).collect(),
            phone: phones.to_call().map(|(phone, _)| phone.clone()),
            phone_from: phones.to_call().map(|(_, from)| *from),
            phones: phones.all.into_iter().map(|(phone, _)| phone).collect(),
            distance_km: None,
            in_county: None,
            accepting: together.and_then(Accepting::of),
            shared_role: roles.iter().any(|role| role.shared),
            roles,
        })
    }

    /// A role, and the coded phone of its organization.
    fn role(&self, role: u32, flags: u32) -> Result<(ProviderRole, u64), Damaged> {
        let contact = self.contact(role)?;
        let state = self.roles.state.get(role)?;
        let specialties = self.specialties.members(self.roles.specialties.get(role)?)?;
        let named = |number: u32| self.networks.network(number as usize).cloned();
        let statements = self.accepting(state)?;
        let read = ProviderRole {
            specialties: specialties
                .map(|number| self.specialties.shown(number).map(str::to_owned))
                .collect::<Result<_, Damaged>>()?,
            networks: self.networks.shown(self.roles.networks.get(role)?)?,
            inactive: Inactive::of(flags),
            inactive_dates: InactiveDate::of(flags, self.inactive_days(state)?),
            doubts: RoleDoubt::of(flags),
            accepting: statements
                .into_iter()
                .filter_map(|(network, code)| {
                    let new_patients = Accepting::of(code)?;
                    Some(AcceptingStatement { network: network.and_then(named), new_patients })
                })
                .collect(),
            phones: self.phones(contact.phone)?,
            hours: self.hours(contact.hours)?,
            shared: flags & flag::SHARED != 0,
            closed_door: flags & flag::CLOSED_DOOR != 0,
        };
        Ok((read, contact.organization_phone))
    }

    /// The phone to call for a role, by the phones of its places and the coded one of its provider;
    /// `None`: there is none.
    #[cfg(feature = "tables")]
    pub(crate) fn phone_of_role<'a>(
        &self,
        role: u32,
        of_places: &'a [String],
        of_provider: u64,
    ) -> Result<Option<Cow<'a, str>>, Damaged> {
        let contact = self.contact(role)?;
        let (of_place, own): (Vec<String>, Vec<String>) =
            self.phones(contact.phone)?.into_iter().partition(|phone| of_places.contains(phone));
        let owned = own.into_iter().chain(of_place).map(Cow::Owned);
        let mut first = None;
        for phone in owned.chain(of_places.iter().map(|phone| Cow::Borrowed(phone.as_str()))) {
            if can_be_dialed(&phone) {
                return Ok(Some(phone));
            }
            first = first.or(Some(phone));
        }
        for coded in [of_provider, contact.organization_phone] {
            for phone in self.phones(coded)? {
                if can_be_dialed(&phone) {
                    return Ok(Some(Cow::Owned(phone)));
                }
                first = first.or(Some(Cow::Owned(phone)));
            }
        }
        Ok(first)
    }

    /// A place; `None`: not stated.
    pub(crate) fn location(&self, place: u32, mut other_names: Vec<String>) -> Result<Option<Location>, Damaged> {
        let stated = self.regions.find(NOT_STATED).is_none_or(|area| !self.regions.places(area).contains(&place));
        if !stated {
            return Ok(None);
        }
        let places = &self.places;
        let name = places.name.get(place)?.checked_sub(1).map(|number| self.name(number)).transpose()?;
        let address = Some(places.address.get(place)?).filter(|address| !address.is_empty());
        let locality = places.locality.get(place)?;
        let city = self.city_of(place)?;
        let state = places.locality_state.get(locality)?.checked_sub(1);
        let state = state.map(|number| places.state.get(number)).transpose()?;
        let zip = places.locality_zip.get(locality)?.checked_sub(1).and_then(Zip5::new);
        let precision = match places.precision.get(place)? {
            precision::POINT => Precision::Point,
            precision::ZIP => Precision::Zip,
            precision::COUNTY => Precision::County,
            _ => Precision::Unknown,
        };
        let (lat_e5, lon_e5) = unpacked_point(places.point.wide(place)?);
        let point = Point { lat_e5, lon_e5 };
        other_names.retain(|other| Some(other) != name.as_ref());
        Ok(Some(Location {
            name,
            other_names,
            address,
            city,
            state,
            zip,
            county: self.regions.county_of(place),
            county_name: None,
            point: (precision < Precision::County).then_some(point),
            precision,
            hours: self.hours(places.hours.get(place)?)?,
        }))
    }

    /// What many providers have alike.
    pub(crate) fn traits(&self, of: u32) -> Result<Traits, Damaged> {
        let columns = &self.providers;
        let gender = columns.trait_gender.get(of)?.checked_sub(1);
        Ok(Traits {
            kind: if columns.trait_kind.get(of)? == kind::ORGANIZATION {
                ProviderKind::Organization
            } else {
                ProviderKind::Individual
            },
            gender: gender.map(|number| columns.gender.get(number)).transpose()?,
            languages: self.languages(of)?,
        })
    }

    /// What is known of a provider beside where it practices.
    pub(crate) fn provider_facts(&self, provider: u32) -> Result<Provider, Damaged> {
        let Traits { kind, gender, languages } = self.traits(self.providers.traits.get(provider)?)?;
        Ok(Provider {
            npi: self.npi(provider)?,
            stated_npi: self.stated_npi(provider)?,
            aliases: self.aliases(provider)?,
            name: self.name(provider)?,
            other_names: Vec::new(),
            kind,
            gender,
            languages,
            phones: Vec::new(),
            locations: Vec::new(),
        })
    }

    /// Everything known of the provider that is meant; `None`: it is not there.
    ///
    /// # Errors
    /// [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates if several providers state the NPI,
    /// [`NotFound`](crate::ErrorKind::NotFound) with candidates if none of them has the name,
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) for altered bytes.
    pub fn provider(&self, query: impl Into<ProviderQuery>, cancel: &Cancel) -> Result<Option<Provider>> {
        self.provider_of(&query.into())?.map(|provider| self.provider_numbered(provider, cancel)).transpose()
    }

    /// The city of a place; `None`: not stated.
    pub(super) fn city_of(&self, place: u32) -> Result<Option<String>, Damaged> {
        let places = &self.places;
        let coded = places.locality_city.get(places.locality.get(place)?)?;
        coded.checked_sub(1).map(|number| places.city.get(number)).transpose()
    }

    fn provider_numbered(&self, provider: u32, cancel: &Cancel) -> Result<Provider> {
        let mut known = self.error_if_damaged(self.provider_facts(provider))?;
        known.other_names = self.error_if_damaged(self.other_names(provider))?;
        known.phones =
            self.error_if_damaged(self.providers.phone.wide(provider).and_then(|coded| self.phones(coded)))?;
        for row in self.error_if_damaged(self.rows_of(provider))? {
            cancel.check()?;
            let location = self.practice_location(self.error_if_damaged(row)?, None)?;
            if !location.roles.is_empty() {
                known.locations.push(location);
            }
        }
        Ok(known)
    }
}
