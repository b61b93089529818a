//! Providers: where they practice, what they do there, and in which networks.
//!
//! A row is a practice location: one provider at one place, with the roles it has there. Rows are
//! numbered in county order, inside a county by place, inside a place by the provider's name; a
//! provider's number is its rank by name. `index-data/FORMAT.md` has the layout and what it was
//! measured against.
//!
//! Four rooms, each knowing only the ones before it: the directory as it lies in the file
//! ([`Directory`]), the search (filter, ranking, walk), the answers, the questions in people's words.

mod answer;
mod ask;
mod search;

#[cfg(feature = "tables")]
pub(crate) use answer::Traits;
#[cfg(feature = "tables")]
pub(crate) use search::together;

pub use answer::{
    Accepting, AcceptingStatement, Inactive, InactiveDate, Location, NetworkAnswer, NetworkGap, NetworkNames,
    NetworkStatus, PhoneFrom, PracticeLocation, Precision, Provider, ProviderQuery, ProviderRole, ProvidersFound,
    ResolvedNetwork, RoleDoubt, SimilarSpecialty,
};
#[cfg(feature = "build")]
pub use ask::PracticesFound;
pub use ask::{
    AddressDifference, AskedAddress, AskedNetworks, AskedProvider, ExplainedPlace, NearAddress, NetworkMatrix,
    NetworkMatrixPlan, NetworkMatrixQuestion, PlanStanding, PlansTaking, PracticingAt, PracticingAtQuestion,
    ProviderAnswer, ProviderExplanation, ProviderQuestion, ProviderText, ProvidersAnswer, ProvidersQuestion,
    SearchResult, Standing,
};
#[cfg(feature = "build")]
pub use search::USUAL_REACH_KM;
pub use search::{Near, ProviderKind, ProviderSearch, SearchPlace};

use crate::dataset::Dataset;
use crate::ids::{NetworkKey, NetworkKind};
use crate::plans::Network;
use crate::{Error, ErrorKind, Result};

impl Dataset {
    /// Whether the dataset has a provider directory.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert!(dataset.has_directory());
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn has_directory(&self) -> bool {
        self.inner.directory.is_there()
    }

    /// Practice locations that fit; see [`ProviderSearch`].
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, ProviderSearch};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let search = ProviderSearch {
    ///     near: dataset.near_county("Doña Ana County, NM", None)?.near,
    ///     specialty: Some("heart doctor".to_owned()),
    ///     limit: 20,
    ///     ..ProviderSearch::default()
    /// };
    /// let found = dataset.search_providers(&search)?;
    /// assert_eq!((found.total, found.results[0].name.as_str()), (1, "José Núñez"));
    /// assert_eq!(found.place_not_stated, 1); // another may practice anywhere
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) with candidates for a specialty, network, city, gender or
    /// language that the directory does not have, and for a dataset without a directory.
    pub fn search_providers(&self, search: &ProviderSearch) -> Result<ProvidersFound> {
        self.inner.directory.get()?.search(search, &self.cancel)
    }

    /// Everything known of the provider with this NPI, by any of its NPIs, and with this name if one is
    /// said; `None`: nobody states the NPI.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, ErrorKind, Npi, ProviderQuery};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let npi: Npi = "2410001657".parse()?; // stated for two people
    /// assert_eq!(dataset.provider(npi).unwrap_err().kind(), ErrorKind::Ambiguous);
    /// let provider = dataset.provider(ProviderQuery { npi, name: Some("quiana".to_owned()) })?.unwrap();
    /// assert_eq!(provider.name, "Quiana Lamont");
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`Ambiguous`](ErrorKind::Ambiguous) with candidates if several providers state the NPI,
    /// [`NotFound`](ErrorKind::NotFound) with candidates if none of them has the name, and for a dataset
    /// without a directory.
    pub fn provider(&self, query: impl Into<ProviderQuery>) -> Result<Option<Provider>> {
        self.inner.directory.get()?.provider(query, &self.cancel)
    }

    /// A provider's standing in one of these networks: a plan's, or one that was named.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, NetworkStatus, Npi};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let vision = dataset.resolve_network("300")?.network;
    /// let npi: Npi = "2410000881".parse()?;
    /// let answer = dataset.network_status(npi, &[vision.key], None)?;
    /// assert_eq!(answer.status, NetworkStatus::InNetwork);
    /// assert_eq!(answer.locations[0].name, "Ruth Goldfarb");
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) with candidates for a network that neither a plan nor the
    /// directory names, and for a dataset without a directory; [`Ambiguous`](ErrorKind::Ambiguous) with
    /// candidates if several providers state the NPI.
    pub fn network_status(
        &self,
        query: impl Into<ProviderQuery>,
        networks: &[NetworkKey],
        kind: Option<NetworkKind>,
    ) -> Result<NetworkAnswer> {
        self.inner.directory.get()?.network_status(query, networks, kind, &self.cancel)
    }

    /// The networks that plans or the directory name, by key.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let networks = dataset.directory_networks()?;
    /// let of_id = networks.iter().filter(|network| network.key.id() == "100").count();
    /// assert_eq!(of_id, 2); // a medical and a pharmacy network: an id is none without its system
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) for a dataset without a directory.
    pub fn directory_networks(&self) -> Result<Vec<Network>> {
        Ok(self.inner.directory.get()?.networks.all().cloned().collect())
    }

    /// The network that this key means in the directory.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, NetworkKey};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let key: NetworkKey = "https://pinonmesa.test/glossary/VisionNetworkID|300".parse()?;
    /// assert_eq!(dataset.directory_network(&key)?.label(), Some("Piñon Mesa Vision"));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) with candidates.
    pub fn directory_network(&self, key: &NetworkKey) -> Result<Network> {
        let networks = &self.inner.directory.get()?.networks;
        let network = networks.named(key).map(|number| networks.network(number).cloned())?;
        network.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("network {key}"), "not in the directory"))
    }

    /// Compares the directory part with its checksums.
    pub(crate) fn check_directory(&self) -> Result<()> {
        if self.has_directory() { self.inner.directory.get()?.check() } else { Ok(()) }
    }

    /// Names and bytes of the directory's sections, in their order.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let sections = dataset.directory_sizes()?;
    /// assert!(sections.iter().map(|(_, bytes)| bytes).sum::<u64>() > 0);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) for a dataset without a directory.
    pub fn directory_sizes(&self) -> Result<Vec<(String, u64)>> {
        Ok(self.inner.directory.get()?.sizes().map(|(name, bytes)| (name.to_owned(), bytes)).collect())
    }
}
