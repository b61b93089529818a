//! The provider that a text means: an NPI, or words of a name.

use crate::asked::check_lengths;
use crate::cancel::Cancel;
use crate::data::directory::Directory;
use crate::dataset::Dataset;
use crate::ids::Npi;
use crate::plans::CountyFound;
use crate::providers::answer::Whose;
use crate::providers::{ProviderKind, ProviderQuery};
use crate::spelling::name_words;
use crate::{Error, ErrorKind, Result};

/// Candidates that are named at most.
const MOST_CANDIDATES: usize = 12;

/// A provider as a person names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderText {
    /// Its NPI, or words of its name.
    pub text: String,
    /// Words of its name beside an NPI that several providers state.
    pub name: Option<String>,
}

impl From<&str> for ProviderText {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), name: None }
    }
}

/// A provider that was asked for, and whom the text was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskedProvider {
    /// As it was asked for.
    pub query: String,
    /// Its NPI: the smallest of its valid ones; `None`: it has none, or nobody was found.
    pub npi: Option<Npi>,
    /// Its name; `None`: nobody was found.
    pub name: Option<String>,
    /// A person or an organization; `None`: nobody was found.
    pub kind: Option<ProviderKind>,
    /// Who may be meant, where several fit.
    pub candidates: Vec<String>,
    /// Why it could not be read, or is not one provider.
    pub problem: Option<String>,
    /// How it was read, where it does not go without saying.
    pub notes: Vec<String>,
}

/// A provider that was looked up.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) asked: AskedProvider,
    /// Who it is, or nobody; the error where it is not one provider.
    pub(super) whose: Result<Whose>,
    pub(super) number: Option<u32>,
}

impl Dataset {
    /// The provider that a text means. Several that fit, and a text that cannot be read, are told, and are no error
    /// of the call; those in `counties` are named first.
    pub(super) fn resolve_provider(&self, who: &ProviderText, counties: &[CountyFound]) -> Result<Resolved> {
        let directory = self.inner.directory.get()?;
        let mut asked = AskedProvider {
            query: who.text.clone(),
            npi: None,
            name: None,
            kind: None,
            candidates: Vec::new(),
            problem: None,
            notes: Vec::new(),
        };
        let found = match Meant::of(who) {
            Ok(Meant::Npi(query)) => directory.provider_of(&query).map(|found| (Some(query.npi), found)),
            Ok(Meant::Name(name)) => directory.provider_named(&name, counties, &self.cancel).map(|found| (None, found)),
            Err(error) => Err(error),
        };
        match found {
            Ok((npi, found)) => {
                if let Some(number) = found {
                    directory.describe(number, npi, &mut asked)?;
                }
                Ok(Resolved { asked, whose: Ok(found.into()), number: found })
            }
            Err(error) if is_of_the_text(&error) => {
                asked.candidates = error.candidates().to_vec();
                asked.problem = Some(error.message().to_owned());
                Ok(Resolved { asked, whose: Err(error), number: None })
            }
            Err(error) => Err(error),
        }
    }
}

/// Whether an error says something of the text, and not of the dataset.
fn is_of_the_text(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::Ambiguous)
}

/// What a text is.
enum Meant {
    Npi(ProviderQuery),
    Name(String),
}

impl Meant {
    /// Without any letter it is an NPI.
    fn of(who: &ProviderText) -> Result<Self> {
        check_lengths([("provider", Some(&who.text)), ("name", who.name.as_ref())])?;
        let text = who.text.trim();
        if text.is_empty() {
            return Err(Error::invalid("provider", "it is empty").with_hint("name it by its NPI or its name"));
        }
        if text.chars().any(char::is_alphabetic) {
            return Ok(Self::Name(text.to_owned()));
        }
        Ok(Self::Npi(ProviderQuery { npi: text.parse()?, name: who.name.clone() }))
    }
}

impl Directory {
    /// The one provider with all words of a name; `None`: nobody has them. Where somebody has them all whole, those
    /// in whose names the last one only begins a word are not meant.
    fn provider_named(&self, name: &str, counties: &[CountyFound], cancel: &Cancel) -> Result<Option<u32>> {
        let wanted = self.names.typed(name, cancel)?;
        let rows = self.names.rows(&wanted, std::slice::from_ref(&(0..u32::MAX)), usize::MAX, cancel)?;
        let areas: Vec<_> = counties.iter().filter_map(|found| self.regions.find(found.county.fips.number())).collect();
        let here: Vec<_> = areas.into_iter().map(|area| self.regions.rows(area)).collect();
        let mut found: Vec<(u32, bool)> = Vec::with_capacity(rows.len());
        for row in rows {
            let provider = self.error_if_damaged(self.rows.provider.get(row))?;
            found.push((provider, !here.iter().any(|rows| rows.contains(&row))));
        }
        found.sort_unstable();
        found.dedup_by_key(|(provider, _)| *provider);
        if found.len() > 1 {
            let typed = name_words(name);
            let mut whole = Vec::new();
            for (provider, away) in &found {
                if self.has_words(*provider, &typed)? {
                    whole.push((*provider, *away));
                }
            }
            if !whole.is_empty() {
                found = whole;
            }
        }
        match found.as_slice() {
            [] => Ok(None),
            [(only, _)] => Ok(Some(*only)),
            several => {
                let count = several.len();
                found.sort_by_key(|(provider, away)| (*away, *provider));
                let candidates = found.iter().take(MOST_CANDIDATES).map(|(provider, _)| {
                    let npi = self.error_if_damaged(self.npi(*provider))?;
                    let npi = npi.map_or_else(|| "no NPI".to_owned(), |npi| npi.to_string());
                    Ok(format!("{npi} {}", self.candidate(*provider)?))
                });
                let candidates = candidates.collect::<Result<Vec<_>>>()?;
                Err(Error::new(
                    ErrorKind::Ambiguous,
                    format!("name {name:?}"),
                    format!("{count} providers have this name"),
                )
                .with_hint("name the one that is meant by its NPI")
                .with_candidates(candidates))
            }
        }
    }

    /// Whether one of a provider's names has each of these words.
    fn has_words(&self, provider: u32, typed: &[String]) -> Result<bool> {
        let mut names = self.error_if_damaged(self.other_names(provider))?;
        names.push(self.error_if_damaged(self.name(provider))?);
        let words: Vec<String> = names.iter().flat_map(|name| name_words(name)).collect();
        Ok(typed.iter().all(|typed| words.contains(typed)))
    }

    /// Fills in who a provider is.
    fn describe(&self, provider: u32, stated: Option<Npi>, asked: &mut AskedProvider) -> Result<()> {
        asked.npi = self.error_if_damaged(self.npi(provider))?;
        asked.name = Some(self.error_if_damaged(self.name(provider))?);
        let is_organization = self.is_organization(provider)?;
        asked.kind = Some(if is_organization { ProviderKind::Organization } else { ProviderKind::Individual });
        if let (Some(stated), Some(first)) = (stated, asked.npi.filter(|first| Some(*first) != stated)) {
            asked.notes.push(format!("{stated} is one of several NPIs of this provider, listed under {first}"));
        }
        Ok(())
    }
}
