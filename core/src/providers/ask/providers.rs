//! Who practices near a place, in the networks of a plan.

use super::{AskedNetworks, refuse_empty_name};
use crate::dataset::Dataset;
use crate::ids::NetworkKind;
use crate::origin::Origin;
use crate::page::{LARGEST_PAGE, PageToken};
use crate::place::Place;
use crate::plans::Offered;
use crate::providers::{Near, ProviderKind, ProviderSearch, ProvidersFound, SearchPlace};
use crate::{Error, Result};

/// Results of a page where no limit is said.
const USUAL_LIMIT: usize = 20;

/// A question for providers. Specialty, networks and accepting status must hold within one active role.
///
/// ```
/// use coverdex_core::{Place, ProvidersQuestion};
///
/// let question = ProvidersQuestion {
///     plan: Some("H1234-567".to_owned()),
///     place: Some(Place::Zip("63110".to_owned())),
///     specialty: Some("heart doctor".to_owned()),
///     accepting: true,
///     ..ProvidersQuestion::default()
/// };
/// assert_eq!(question.limit, 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ProvidersQuestion {
    /// In any network of this plan, by id in any spelling or by name.
    pub plan: Option<String>,
    /// In this network, `SYSTEM|ID`; not beside a plan.
    pub network: Option<String>,
    /// In a network of this kind only.
    pub network_kind: Option<NetworkKind>,
    /// Where; `None`: anywhere, by name.
    pub place: Option<Place>,
    /// The radius in kilometers around a county's, a ZIP's or another point; `None`: 25 miles, from a county as
    /// far beyond its farthest border point.
    pub radius_km: Option<f64>,
    /// A specialty in any of its spellings, a NUCC taxonomy code, or plain words (`heart doctor`).
    pub specialty: Option<String>,
    /// Words of the provider's name, the last of which may not be typed to its end.
    pub name: Option<String>,
    /// A person or an organization.
    pub kind: Option<ProviderKind>,
    /// A gender, or its first letter.
    pub gender: Option<String>,
    /// A language: its name in English or in itself, or its code.
    pub language: Option<String>,
    /// Only those who say that they take new patients.
    pub accepting: bool,
    /// A city in any spelling; its state may stand behind a comma.
    pub city: Option<String>,
    /// Results at most; no page has more than 10,000.
    pub limit: usize,
    /// Results to pass over first; not beside `page`.
    pub offset: usize,
    /// The page to show, as the one before it says; `None`: the one from `offset` on.
    pub page: Option<PageToken>,
    /// Whether to look for what else may be meant: similar specialties are counted, and names that are spelled
    /// nearly so looked for where nobody is found. Leave it out while a text is being typed.
    pub count_similar: bool,
}

impl Default for ProvidersQuestion {
    /// Everyone, 20 a page.
    fn default() -> Self {
        Self {
            plan: None,
            network: None,
            network_kind: None,
            place: None,
            radius_km: None,
            specialty: None,
            name: None,
            kind: None,
            gender: None,
            language: None,
            accepting: false,
            city: None,
            limit: USUAL_LIMIT,
            offset: 0,
            page: None,
            count_similar: true,
        }
    }
}

/// Who was found in the networks of one plan, or in those that were named.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProvidersAnswer {
    /// The networks that the question is about, and which of them are incomplete.
    pub asked: AskedNetworks,
    /// The place as it was read.
    pub place: SearchPlace,
    /// Whether the plan is sold at the place; `None` without a plan, or where no county or ZIP is named.
    pub plan_offered: Option<Offered>,
    /// Whether it is sold in each of the place's counties, in their order; empty without a plan.
    pub offered_in: Vec<Offered>,
    /// Who was found.
    pub found: ProvidersFound,
    /// How many of those found are in the county; `None` where none was asked for.
    pub total_in_county: Option<u64>,
    /// How far the nearest is, where nobody is inside the radius.
    pub nearest_km: Option<f64>,
    /// Results that were passed over.
    pub offset: usize,
    /// What to ask with for the results behind these; `None`: there are none.
    pub next: Option<PageToken>,
    /// How plan, network and place were read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

impl ProvidersAnswer {
    /// Whether these networks' parts of the directory were received completely.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.asked.is_complete()
    }
}

impl ProvidersQuestion {
    /// What tells the question from others, whatever the page.
    fn without_page(&self) -> String {
        format!("{:?}", Self { limit: 0, offset: 0, page: None, ..self.clone() })
    }

    /// Refuses a radius around a state, or around no place.
    pub(super) fn refuse_radius_around_nothing(&self) -> Result<()> {
        if self.radius_km.is_some() && matches!(self.place, None | Some(Place::State(_))) {
            return Err(Error::invalid("radius", "it is around nothing").with_hint("name a county, a ZIP or a point"));
        }
        Ok(())
    }

    /// The search in the networks that are meant, at the place that is meant.
    pub(super) fn search(&self, asked: &AskedNetworks, near: Near, offset: usize) -> ProviderSearch {
        ProviderSearch {
            near,
            networks: asked.keys(),
            network_kind: self.network_kind,
            specialty: self.specialty.clone(),
            name: self.name.clone(),
            kind: self.kind,
            gender: self.gender.clone(),
            language: self.language.clone(),
            accepting: self.accepting,
            city: self.city.clone(),
            limit: self.limit.min(LARGEST_PAGE),
            offset,
            count_similar: self.count_similar,
        }
    }
}

impl Dataset {
    /// Providers that fit: an answer for each year that the plan may mean, that of `as_of` first.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Place, ProvidersQuestion};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let question = ProvidersQuestion {
    ///     plan: Some("H9231-001-000-2026".to_owned()),
    ///     place: Some(Place::County("Doña Ana County, NM".to_owned())),
    ///     limit: 10,
    ///     ..ProvidersQuestion::default()
    /// };
    /// let first = &dataset.ask_providers(&question)?[0];
    /// assert_eq!((first.found.total, first.found.results.len()), (11, 10));
    /// let rest = &dataset.ask_providers(&ProvidersQuestion { page: first.next.clone(), ..question })?[0];
    /// assert_eq!((rest.found.results.len(), rest.next.is_none()), (1, true));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for the
    /// plan, a network, the place, a specialty, city, gender or language, and for a plan without a network of the
    /// kind; [`InvalidInput`](crate::ErrorKind::InvalidInput) for an empty name, a radius around nothing and a page
    /// of another question.
    pub fn ask_providers(&self, question: &ProvidersQuestion) -> Result<Vec<ProvidersAnswer>> {
        refuse_empty_name(question.name.as_deref())?;
        question.refuse_radius_around_nothing()?;
        let offset = match &question.page {
            Some(_) if question.offset > 0 => {
                return Err(Error::invalid("offset", "a page was named too, which says where to begin"));
            }
            Some(page) => page.offset(self.inner.origins.all.dataset(), &question.without_page())?,
            None => question.offset,
        };
        let place = self.search_place(question.place.as_ref(), question.radius_km)?;
        let (plan, network) = (question.plan.as_deref(), question.network.as_deref());
        let asked = self.asked_networks(plan, network, question.network_kind, &place.counties)?;
        asked.into_iter().map(|(asked, notes)| self.providers_answer(question, &place, offset, asked, notes)).collect()
    }

    fn providers_answer(
        &self,
        question: &ProvidersQuestion,
        place: &SearchPlace,
        offset: usize,
        asked: AskedNetworks,
        mut notes: Vec<String>,
    ) -> Result<ProvidersAnswer> {
        asked.has_a_network()?;
        notes.extend(place.note.clone());
        let mut search = question.search(&asked, place.near, offset);
        let mut found = self.search_providers(&search)?;
        search.count_similar = false;
        let total_in_county = match place.near {
            Near::County { .. } => {
                let near = place.clone().within(0.0).near;
                Some(self.search_providers(&ProviderSearch { near, limit: 0, offset: 0, ..search.clone() })?.total)
            }
            _ => None,
        };
        let nearest_km = if found.total == 0 && place.radius_km().is_some() {
            search = ProviderSearch { near: place.clone().within(f64::INFINITY).near, limit: 1, offset: 0, ..search };
            self.search_providers(&search)?.results.first().and_then(|nearest| nearest.distance_km)
        } else {
            None
        };
        let (mut plan_offered, mut offered_in) = (None, Vec::new());
        if let Some(plan) = &asked.plan {
            plan_offered = self.offered_at(plan, place)?;
            for found in &place.counties {
                offered_in.push(self.offered(plan, &[found.county.fips])?);
            }
        }
        self.name_counties(found.results.iter_mut().chain(&mut found.closed_door))?;
        let end = offset.saturating_add(found.results.len());
        let is_more = !found.results.is_empty() && u64::try_from(end).is_ok_and(|end| end < found.total);
        let next = is_more.then(|| PageToken::issue(self.inner.origins.all.dataset(), &question.without_page(), end));
        Ok(ProvidersAnswer {
            asked,
            place: place.clone(),
            plan_offered,
            offered_in,
            found,
            total_in_county,
            nearest_km,
            offset,
            next,
            notes,
            origin: self.origin_of_directory(),
        })
    }
}
