//! Which provider an NPI means: several may state it.

use crate::asked::check_lengths;
use crate::data::directory::Directory;
use crate::data::directory::layout::kind;
use crate::ids::Npi;
use crate::spelling::name_words;
use crate::{Error, ErrorKind, Result};

/// Candidates that an error names at most.
const MOST_CANDIDATES: usize = 12;

/// A provider by NPI, and by words of its name where several state that NPI.
///
/// ```
/// use coverdex_core::ProviderQuery;
///
/// let npi = "1245319599".parse()?;
/// let alone = ProviderQuery::from(npi);
/// let named = ProviderQuery { npi, name: Some("ann lee".to_owned()) };
/// assert_ne!(alone, named);
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderQuery {
    /// Any NPI that it states.
    pub npi: Npi,
    /// Words of its name, each of which a word of one of its names begins with.
    pub name: Option<String>,
}

impl From<Npi> for ProviderQuery {
    fn from(npi: Npi) -> Self {
        Self { npi, name: None }
    }
}

impl Directory {
    /// The provider that is meant; `None`: nobody states the NPI.
    ///
    /// An organization that has the NPI for its own is meant before those who state it beside their own.
    /// Where a person has it, or one who has no other states it, they are candidates.
    ///
    /// # Errors
    /// [`Ambiguous`](ErrorKind::Ambiguous) with candidates if several state it,
    /// [`NotFound`](ErrorKind::NotFound) with candidates if none of them has this name.
    pub(crate) fn provider_of(&self, query: &ProviderQuery) -> Result<Option<u32>> {
        check_lengths([("name", query.name.as_ref())])?;
        let all = self.error_if_damaged(self.providers_of(query.npi))?;
        let mut fitting = all.clone();
        if let Some(name) = &query.name {
            let typed = name_words(name);
            fitting.clear();
            for (provider, is_own) in &all {
                if self.is_called(*provider, &typed)? {
                    fitting.push((*provider, *is_own));
                }
            }
        }
        let mut owners = fitting.iter().filter(|(_, is_own)| *is_own);
        let owner = owners.next().filter(|_| owners.next().is_none());
        match (fitting.as_slice(), owner) {
            ([], _) if all.is_empty() => Ok(None),
            ([(only, _)], _) => Ok(Some(*only)),
            (all, Some((owner, _))) if self.is_organization(*owner)? && self.all_have_npis(all)? => Ok(Some(*owner)),
            ([], _) => {
                Err(self.refused(query, ErrorKind::NotFound, "no provider that states it has this name", &all)?)
            }
            (several, _) => {
                let why = format!("{} providers state this NPI", several.len());
                Err(self.refused(query, ErrorKind::Ambiguous, &why, several)?)
            }
        }
    }

    fn refused(&self, query: &ProviderQuery, kind: ErrorKind, why: &str, all: &[(u32, bool)]) -> Result<Error> {
        let candidates = all.iter().take(MOST_CANDIDATES).map(|(provider, _)| self.candidate(*provider));
        let mut candidates = candidates.collect::<Result<Vec<_>>>()?;
        let alike: Vec<bool> =
            candidates.iter().map(|one| candidates.iter().filter(|other| *other == one).count() > 1).collect();
        let hint = if alike.iter().all(|alike| *alike) {
            "search for it by name near its place: each result says its networks"
        } else {
            "say which by words of its name"
        };
        for ((candidate, (provider, _)), _) in candidates.iter_mut().zip(all).zip(alike).filter(|(_, alike)| *alike) {
            if let Some(street) = self.street_of(*provider)? {
                *candidate = format!("{candidate}, {street}");
            }
        }
        Ok(Error::new(kind, format!("NPI {}", query.npi), why).with_hint(hint).with_candidates(candidates))
    }

    /// The street of a provider's first place that states one.
    fn street_of(&self, provider: u32) -> Result<Option<String>> {
        for row in self.error_if_damaged(self.rows_of(provider))? {
            if let Some(street) =
                self.practice_location(self.error_if_damaged(row)?, None)?.location.and_then(|place| place.address)
            {
                return Ok(Some(street));
            }
        }
        Ok(None)
    }

    /// Whether each typed word begins a word of one of a provider's names.
    fn is_called(&self, provider: u32, typed: &[String]) -> Result<bool> {
        let mut names = self.error_if_damaged(self.other_names(provider))?;
        names.push(self.error_if_damaged(self.name(provider))?);
        let words: Vec<String> = names.iter().flat_map(|name| name_words(name)).collect();
        Ok(typed.iter().all(|typed| words.iter().any(|word| word.starts_with(typed.as_str()))))
    }

    fn all_have_npis(&self, all: &[(u32, bool)]) -> Result<bool> {
        for (provider, _) in all {
            if self.error_if_damaged(self.npi(*provider))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn is_organization(&self, provider: u32) -> Result<bool> {
        let of = self.error_if_damaged(self.providers.traits.get(provider))?;
        Ok(self.error_if_damaged(self.providers.trait_kind.get(of))? == kind::ORGANIZATION)
    }

    /// Name, kind and city.
    pub(crate) fn candidate(&self, provider: u32) -> Result<String> {
        let name = self.error_if_damaged(self.name(provider))?;
        let name = if name.is_empty() { "without a name".to_owned() } else { name };
        let kind = if self.is_organization(provider)? { "organization" } else { "individual" };
        for row in self.error_if_damaged(self.rows_of(provider))? {
            let place = self.error_if_damaged(row.and_then(|row| self.rows.place.run_of(row)))?;
            if let Some(city) = self.error_if_damaged(self.city_of(place))? {
                return Ok(format!("{name}, {kind}, {city}"));
            }
        }
        Ok(format!("{name}, {kind}"))
    }
}
