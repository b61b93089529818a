//! Who practices at an address, or is reached by a phone number.

use crate::address::{Beside, Folded, folded_text};
use crate::asked::check_lengths;
use crate::data::directory::Directory;
use crate::data::directory::layout::flag;
use crate::dataset::Dataset;
use crate::format::packed::Damaged;
use crate::geo::names;
use crate::ids::{State, Zip5};
use crate::origin::Origin;
use crate::page::{LARGEST_PAGE, PageToken};
use crate::phone::PhoneNumber;
use crate::providers::PracticeLocation;
use crate::{Cancel, Error, Result};

/// Results of a page where no limit is said.
const USUAL_LIMIT: usize = 20;

/// Words of a city's name at most.
const CITY_WORDS: usize = 6;

/// Who practices at an address, or is reached by a phone number; one of the two, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PracticingAtQuestion {
    /// A street address with its ZIP, or with city and state: `500 E Benson Blvd Ste 103, Anchorage AK 99503`, in any
    /// spelling. Without a suite the whole house is meant.
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
    /// [`NotFound`](crate::ErrorKind::NotFound) for a dataset without a directory.
    pub fn practicing_at(&self, question: &PracticingAtQuestion) -> Result<PracticingAt> {
        let directory = self.inner.directory.get()?;
        let offset = match &question.page {
            Some(page) => page.offset(self.inner.origin.dataset(), &question.without_page())?,
            None => 0,
        };
        let PracticesFound { mut results, total, total_active, phone, notes } =
            directory.practicing_at(question, offset, &self.cancel)?;
        self.name_counties(results.iter_mut())?;
        let end = offset.saturating_add(results.len());
        let is_more = !results.is_empty() && u64::try_from(end).is_ok_and(|end| end < total);
        let next = is_more.then(|| PageToken::issue(self.inner.origin.dataset(), &question.without_page(), end));
        Ok(PracticingAt { results, total, total_active, offset, next, phone, notes, origin: self.origin() })
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
        let by_address = address.as_ref().map(|address| self.rows_at(address, cancel)).transpose()?;
        let rows = match (by_phone, by_address) {
            (Some(mut rows), Some(there)) => {
                rows.retain(|row| there.binary_search(row).is_ok());
                rows
            }
            (Some(rows), None) | (None, Some(rows)) => rows,
            (None, None) => {
                return Err(Error::invalid("address", "neither an address nor a phone number is named")
                    .with_hint("name a street address with its ZIP, or a phone number of ten digits"));
            }
        };
        let shown = self.error_if_damaged(self.by_activity(rows))?;
        let page = shown.iter().skip(offset).take(question.limit.min(LARGEST_PAGE));
        let results = page.map(|(_, _, row)| self.practice_location(*row, None)).collect::<Result<_>>()?;
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let extension = phone.as_ref().and_then(PhoneNumber::extension);
        Ok(PracticesFound {
            results,
            total: count(shown.len()),
            total_active: count(shown.iter().filter(|(is_inactive, ..)| !is_inactive).count()),
            notes: extension.iter().map(|extension| format!("the extension {extension} plays no part")).collect(),
            phone: phone.map(|phone| phone.to_string()),
        })
    }
}

/// An address as it was written.
struct Written<'a> {
    /// What stands before state and ZIP: the street, and the city behind it where it is written.
    words: Vec<&'a str>,
    zip: Option<Zip5>,
    state: Option<State>,
    /// The last word of these, the last two, …, as city names are folded.
    cities: Vec<String>,
}

impl<'a> Written<'a> {
    /// Finds ZIP and state at the end of a text.
    fn read(text: &'a str) -> Result<Self> {
        let mut words: Vec<&str> = text.split([' ', ',', '\n', '\t', ';']).filter(|word| !word.is_empty()).collect();
        if words.last().is_some_and(|word| ["us", "usa", "u.s.a."].iter().any(|us| word.eq_ignore_ascii_case(us))) {
            words.pop();
        }
        let zip = words.last().and_then(|word| zip_of(word));
        if zip.is_some() {
            words.pop();
        }
        let state_of = |count: usize| {
            let (rest, end) = words.split_at_checked(words.len().checked_sub(count)?)?;
            Some((rest.len(), State::from_name(&end.join(" "))?))
        };
        let state = (1..=3).rev().find_map(state_of);
        if let Some((rest, _)) = state {
            words.truncate(rest);
        }
        if zip.is_none() && state.is_none() {
            let shown: String = text.trim().chars().take(60).collect();
            return Err(Error::invalid(format!("address {shown:?}"), "it ends with neither a ZIP nor a state")
                .with_hint("write it with its ZIP: 500 E Benson Blvd, Anchorage AK 99503"));
        }
        let cities = (1..=CITY_WORDS.min(words.len()))
            .filter_map(|count| words.get(words.len() - count..))
            .map(|words| names::key(&words.join(" ")))
            .collect();
        Ok(Self { words, zip, state: state.map(|(_, state)| state), cities })
    }
}

impl Written<'_> {
    /// The street in a city: what stands before the city's name, and all where that may be the street's.
    fn streets(&self, city: Option<&str>) -> Vec<Folded> {
        let city = city.map(names::key);
        let count = city.and_then(|city| self.cities.iter().position(|written| *written == city)).map(|at| at + 1);
        let before = count.and_then(|count| self.words.get(..self.words.len().checked_sub(count)?));
        let all = before.into_iter().chain([self.words.as_slice()]);
        all.map(|words| folded_text(&words.join(" "), &Beside::default())).collect()
    }
}

/// A ZIP of five digits, or of nine.
fn zip_of(word: &str) -> Option<Zip5> {
    let (five, four) = word.split_once('-').unwrap_or((word, "0000"));
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    (digits(five, 5) && digits(four, 4)).then(|| five.parse().ok()).flatten()
}

/// What an address means in one locality.
struct InLocality {
    wanted: Vec<Folded>,
    city: Option<String>,
    state: Option<State>,
    zip: Option<Zip5>,
}

impl Directory {
    /// Rows at an address, ascending.
    fn rows_at(&self, address: &Written<'_>, cancel: &Cancel) -> Result<Vec<u32>> {
        let localities = self.error_if_damaged(self.localities_of(address))?;
        let mut found = Vec::new();
        let places = self.error_if_damaged(self.places.locality.count())?;
        for place in 0..places {
            if place % (1 << 16) == 0 {
                cancel.check()?;
            }
            let locality = self.error_if_damaged(self.places.locality.get(place))?;
            let Some(Some(of)) = localities.get(locality as usize) else { continue };
            if self.error_if_damaged(self.is_at(place, of))? {
                let rows = self.error_if_damaged(self.rows.place.run(place, self.rows.count))?;
                found.extend(rows);
            }
        }
        Ok(found)
    }

    fn is_at(&self, place: u32, of: &InLocality) -> Result<bool, Damaged> {
        let text = self.places.address.get(place)?;
        let beside = Beside { city: of.city.as_deref(), state: of.state, zip: of.zip };
        let own = folded_text(&text, &beside);
        Ok(!text.is_empty() && of.wanted.iter().any(|wanted| wanted.has(&own)))
    }

    /// What an address means in each locality, by number; `None`: it is not there. A locality with the ZIP is meant,
    /// one of another ZIP is not; without a ZIP the city has to be the one that is written before the state.
    fn localities_of(&self, address: &Written<'_>) -> Result<Vec<Option<InLocality>>, Damaged> {
        let places = &self.places;
        let mut all = Vec::new();
        for locality in 0..places.locality_city.count()? {
            let zip = places.locality_zip.get(locality)?.checked_sub(1).and_then(Zip5::new);
            let by_zip = match (address.zip, zip) {
                (Some(wanted), Some(own)) => Some(wanted == own),
                _ => None,
            };
            if by_zip == Some(false) {
                all.push(None);
                continue;
            }
            let city = match places.locality_city.get(locality)?.checked_sub(1) {
                Some(number) => Some(places.city.get(number)?),
                None => None,
            };
            let state = match places.locality_state.get(locality)?.checked_sub(1) {
                Some(number) => State::from_name(&places.state.get(number)?),
                None => None,
            };
            let is_city = city.as_deref().map(names::key).is_some_and(|city| address.cities.contains(&city));
            let in_state = address.state.is_none_or(|wanted| state.is_none_or(|own| own == wanted));
            let there = by_zip == Some(true) || (in_state && is_city);
            all.push(there.then(|| InLocality { wanted: address.streets(city.as_deref()), city, state, zip }));
        }
        Ok(all)
    }

    /// Rows with a role, each with whether it has none that is active and its provider's number; sorted.
    fn by_activity(&self, rows: Vec<u32>) -> Result<Vec<(bool, u32, u32)>, Damaged> {
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
