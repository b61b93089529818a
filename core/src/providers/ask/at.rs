//! Who practices at an address, or is reached by a phone number.

use super::address::NearAddress;
use super::written::{AskedAddress, Written};
use crate::asked::check_lengths;
use crate::data::directory::Directory;
use crate::data::directory::layout::flag;
use crate::dataset::Dataset;
use crate::format::packed::Damaged;
use crate::origin::Origin;
use crate::page::{LARGEST_PAGE, PageToken};
use crate::phone::PhoneNumber;
use crate::providers::PracticeLocation;
use crate::{Cancel, Error, Result};

/// Results of a page where no limit is said.
const USUAL_LIMIT: usize = 20;

/// Who practices at an address, or is reached by a phone number; one of the two, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PracticingAtQuestion {
    /// A street address with its ZIP, or with city and state: `500 E Benson Blvd Ste 103, Anchorage AK 99503`, in any
    /// spelling. Without a suite the whole house is meant. A state is enough where one of its cities alone has the
    /// address.
    pub address: Option<String>,
    /// A phone number of ten digits, in any spelling; its extension plays no part.
    pub phone: Option<String>,
    /// Results at most; no page has more than 10,000.
    pub limit: usize,
    /// The page to show, as the one before it says; `None`: the first.
    pub page: Option<PageToken>,
}

impl Default for PracticingAtQuestion {
    /// Nothing asked, 20 a page.
    fn default() -> Self {
        Self { address: None, phone: None, limit: USUAL_LIMIT, page: None }
    }
}

/// Who practices there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PracticingAt {
    /// Practice locations with all their roles: those with an active role first, then by name.
    pub results: Vec<PracticeLocation>,
    /// How many there are, beyond the results too.
    pub total: u64,
    /// How many of them have an active role.
    pub total_active: u64,
    /// Results that were passed over.
    pub offset: usize,
    /// What to ask with for the results behind these; `None`: there are none.
    pub next: Option<PageToken>,
    /// The phone number as it was read.
    pub phone: Option<String>,
    /// The address as it was read.
    pub address: Option<AskedAddress>,
    /// Where nobody is there: a few addresses near it where somebody practices, the nearest first.
    pub near: Vec<NearAddress>,
    /// How the address was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

impl PracticingAtQuestion {
    fn without_page(&self) -> String {
        format!("{:?}", Self { limit: 0, page: None, ..self.clone() })
    }
}

impl Dataset {
    /// Who practices at an address, or is reached by a phone number: of the role, the place, the provider or the
    /// organization. Spellings of an address are folded as the builder folds them: `P.O. Box 9` is `PO Box 9`,
    /// `First St` is `1st St`, and a suite may stand before or behind the street.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, PracticingAtQuestion};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let found = dataset.practicing_at(&PracticingAtQuestion {
    ///     address: Some("Suite 200, 2450 South Telshor Boulevard, Las Cruces, NM 88011".to_owned()),
    ///     ..PracticingAtQuestion::default()
    /// })?;
    /// assert!(found.results.iter().any(|result| result.name == "José Núñez"));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) if neither is named, for an address without a ZIP or a state,
    /// for what is no phone number of the United States, and for a page of another question;
    /// [`Ambiguous`](crate::ErrorKind::Ambiguous) for an address without a city that several cities have, with
    /// candidates; [`NotFound`](crate::ErrorKind::NotFound) for a dataset without a directory.
    pub fn practicing_at(&self, question: &PracticingAtQuestion) -> Result<PracticingAt> {
        let directory = self.inner.directory.get()?;
        let offset = match &question.page {
            Some(page) => page.offset(self.inner.origins.all.dataset(), &question.without_page())?,
            None => 0,
        };
        let PracticesFound { mut results, total, total_active, phone, address, near, notes } =
            directory.practicing_at(question, offset, &self.cancel)?;
        self.name_counties(results.iter_mut())?;
        let end = offset.saturating_add(results.len());
        let is_more = !results.is_empty() && u64::try_from(end).is_ok_and(|end| end < total);
        let next = is_more.then(|| PageToken::issue(self.inner.origins.all.dataset(), &question.without_page(), end));
        let origin = self.origin_of_directory();
        Ok(PracticingAt { results, total, total_active, offset, next, phone, address, near, notes, origin })
    }
}

/// Who practices there, as the directory alone knows it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PracticesFound {
    /// Practice locations of the page.
    pub results: Vec<PracticeLocation>,
    /// How many there are.
    pub total: u64,
    /// How many of them have an active role.
    pub total_active: u64,
    /// The phone number as it was read.
    pub phone: Option<String>,
    /// The address as it was read.
    pub address: Option<AskedAddress>,
    /// Where nobody is there: addresses near it.
    pub near: Vec<NearAddress>,
    /// How the question was read.
    pub notes: Vec<String>,
}

impl Directory {
    /// Who practices at an address, or is reached by a phone number: see [`Dataset::practicing_at`].
    ///
    /// # Errors
    /// Those of [`Dataset::practicing_at`].
    pub fn practicing_at(
        &self,
        question: &PracticingAtQuestion,
        offset: usize,
        cancel: &Cancel,
    ) -> Result<PracticesFound> {
        check_lengths([("phone number", question.phone.as_ref()), ("address", question.address.as_ref())])?;
        let phone = question.phone.as_deref().map(str::parse::<PhoneNumber>).transpose()?;
        let address = question.address.as_deref().map(Written::read).transpose()?;
        let by_phone = phone.as_ref().map(|phone| self.rows_of_phone(phone.number(), cancel)).transpose()?;
        let found = address.as_ref().map(|address| self.places_at(address, cancel)).transpose()?;
        let by_address = found.as_ref().map(|found| self.rows_at(&found.places)).transpose()?;
        let mut notes = found.as_ref().map(|found| found.notes.clone()).unwrap_or_default();
        let rows = match (by_phone, by_address) {
            (Some(mut rows), Some(there)) => {
                rows.retain(|row| there.binary_search(row).is_ok());
                if rows.is_empty() && !there.is_empty() {
                    notes.push("the address is in the directory, with other phone numbers".to_owned());
                }
                rows
            }
            (Some(rows), None) | (None, Some(rows)) => rows,
            (None, None) => {
                return Err(Error::invalid("address", "neither an address nor a phone number is named")
                    .with_hint("name a street address with its ZIP, or a phone number of ten digits"));
            }
        };
        let shown = self.error_if_damaged(self.by_activity(rows))?;
        let mut near = Vec::new();
        if let (Some(address), Some(found)) = (&address, &found) {
            if found.in_state && !shown.is_empty() {
                let of = shown.iter().map(|(_, _, row)| self.error_if_damaged(self.rows.place.run_of(*row)));
                let places = of.collect::<Result<Vec<u32>>>()?;
                self.error_if_in_several_cities(address, found, places.into_iter())?;
                notes.push("no city is named: the whole state was looked through".to_owned());
            }
            if found.places.is_empty() {
                let (all, are_more) = self.near_addresses(address, found, cancel)?;
                notes.extend(are_more.then(|| format!("more addresses are near than these {}", all.len())));
                notes.extend(all.is_empty().then(|| found.nothing_near()));
                near = all;
            }
        }
        let page = shown.iter().skip(offset).take(question.limit.min(LARGEST_PAGE));
        let results = page.map(|(_, _, row)| self.practice_location(*row, None)).collect::<Result<_>>()?;
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let extension = phone.as_ref().and_then(PhoneNumber::extension);
        notes.extend(extension.map(|extension| format!("the extension {extension} plays no part")));
        Ok(PracticesFound {
            results,
            total: count(shown.len()),
            total_active: count(shown.iter().filter(|(is_inactive, ..)| !is_inactive).count()),
            phone: phone.map(|phone| phone.to_string()),
            address: found.map(|found| found.asked),
            near,
            notes,
        })
    }

    /// Rows at places, ascending.
    fn rows_at(&self, places: &[u32]) -> Result<Vec<u32>> {
        let mut rows = Vec::new();
        for place in places {
            rows.extend(self.error_if_damaged(self.rows.place.run(*place, self.rows.count))?);
        }
        Ok(rows)
    }
}

impl Directory {
    /// Rows with a role, each with whether it has none that is active and its provider's number; sorted.
    pub(super) fn by_activity(&self, rows: Vec<u32>) -> Result<Vec<(bool, u32, u32)>, Damaged> {
        let mut shown = Vec::with_capacity(rows.len());
        for row in rows {
            let (mut has_a_role, mut is_inactive) = (false, true);
            for role in self.roles_of(row)? {
                let flags = self.flags(role)?;
                if flags & flag::NO_ROLE == 0 {
                    has_a_role = true;
                    is_inactive &= flags & flag::INACTIVE != 0;
                }
            }
            if has_a_role {
                shown.push((is_inactive, self.rows.provider.get(row)?, row));
            }
        }
        shown.sort_unstable();
        Ok(shown)
    }
}
