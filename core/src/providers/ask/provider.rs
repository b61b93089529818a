//! Everything known of one provider, and its standing in the networks of a plan.

use super::{AskedNetworks, refuse_empty_name};
use crate::asked::check_lengths;
use crate::dataset::Dataset;
use crate::ids::{NetworkKind, Npi};
use crate::origin::Origin;
use crate::providers::{NetworkAnswer, NetworkStatus, PracticeLocation, Provider, ProviderQuery};
use crate::{Error, Result};

/// A question for one provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderQuestion {
    /// Any NPI of the provider: ten digits.
    pub npi: String,
    /// Words of its name, where several providers state the NPI.
    pub name: Option<String>,
    /// The plan whose networks are meant, by id in any spelling or by name.
    pub plan: Option<String>,
    /// The network that is meant, `SYSTEM|ID`; not beside a plan.
    pub network: Option<String>,
    /// Only its networks of this kind.
    pub network_kind: Option<NetworkKind>,
}

/// What is known of a provider.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProviderAnswer {
    /// The NPI that was asked for.
    pub npi: Npi,
    /// The networks that the question is about, and which of them are incomplete.
    pub asked: AskedNetworks,
    /// The provider; `None`: the directory does not have it.
    pub provider: Option<Provider>,
    /// Its standing; `None` where neither plan nor network was named.
    pub standing: Option<NetworkAnswer>,
    /// How plan, network and NPI were read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

impl ProviderAnswer {
    /// The standing in words: `in network: Vision Select (vision only)`.
    #[must_use]
    pub fn summary(&self) -> String {
        match (&self.standing, &self.provider) {
            (Some(standing), _) => standing.sentence(&self.asked.names),
            (None, None) => "not in the directory".to_owned(),
            (None, Some(_)) => "no plan or network was named in which it could be".to_owned(),
        }
    }

    /// The standing, where this place makes the provider what it is.
    #[must_use]
    pub fn status_at(&self, practice: &PracticeLocation) -> Option<NetworkStatus> {
        self.standing.as_ref().filter(|standing| standing.locations.contains(practice)).map(|standing| standing.status)
    }

    /// Whether these networks' parts of the directory were received completely.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.asked.is_complete()
    }
}

impl Dataset {
    /// Everything known of a provider, and its standing in a plan's networks or in the one that was named: an answer
    /// for each year that the plan may mean, that of `as_of` first. One that is not there is an answer too.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, NetworkStatus, ProviderQuestion};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let question = ProviderQuestion {
    ///     npi: "2410000667".to_owned(),
    ///     plan: Some("H9231-001-000-2026".to_owned()),
    ///     ..ProviderQuestion::default()
    /// };
    /// let answer = &dataset.ask_provider(&question)?[0];
    /// let standing = answer.standing.as_ref().unwrap();
    /// assert_eq!(standing.status, NetworkStatus::Inactive);
    /// assert_eq!(standing.inactive_dates[0].ended.unwrap().to_string(), "2026-06-30");
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) for an NPI that is none, an empty name, and a kind of network
    /// without a plan or network; [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates if several providers
    /// state the NPI, [`NotFound`](crate::ErrorKind::NotFound) with candidates if none of them has the name; both
    /// for the plan and the network.
    pub fn ask_provider(&self, question: &ProviderQuestion) -> Result<Vec<ProviderAnswer>> {
        refuse_empty_name(question.name.as_deref())?;
        if question.network_kind.is_some() && question.plan.is_none() && question.network.is_none() {
            return Err(Error::invalid("network kind", "no plan is named whose networks are meant")
                .with_hint("name the plan, or leave the kind out"));
        }
        check_lengths([("NPI", Some(&question.npi))])?;
        let query = ProviderQuery { npi: question.npi.parse()?, name: question.name.clone() };
        let (plan, network) = (question.plan.as_deref(), question.network.as_deref());
        let asked = self.asked_networks(plan, network, question.network_kind, &[])?;
        asked.into_iter().map(|(asked, notes)| self.provider_answer(&query, asked, notes)).collect()
    }

    fn provider_answer(
        &self,
        query: &ProviderQuery,
        asked: AskedNetworks,
        mut notes: Vec<String>,
    ) -> Result<ProviderAnswer> {
        let npi = query.npi;
        let mut provider = self.provider(query.clone())?;
        let mut standing = match (&asked.plan, asked.keys()) {
            (Some(plan), _) => Some(self.plan_network_status(query.clone(), plan, asked.kind)?),
            (None, Some(keys)) => Some(self.network_status(query.clone(), &keys, asked.kind)?),
            (None, None) => None,
        };
        if let Some(first) = provider.as_ref().and_then(|provider| provider.npi).filter(|first| *first != npi) {
            notes.push(format!("{npi} is one of several NPIs of this provider, listed under {first}"));
        }
        let all = provider.iter_mut().flat_map(|provider| &mut provider.locations);
        self.name_counties(all.chain(standing.iter_mut().flat_map(|standing| &mut standing.locations)))?;
        Ok(ProviderAnswer { npi, asked, provider, standing, notes, origin: self.origin_of_directory() })
    }
}
