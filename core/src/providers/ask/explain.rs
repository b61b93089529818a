//! Why a provider is among the results of a search, or is not: each condition, and which decided.

use super::who::Resolved;
use super::{AskedNetworks, AskedProvider, ProviderText, ProvidersQuestion, refuse_empty_name};
use crate::cancel::Cancel;
use crate::data::directory::Directory;
use crate::data::directory::layout::flag;
use crate::dataset::Dataset;
use crate::explain::{Condition, SourceResource};
use crate::format::packed::Damaged;
use crate::origin::Origin;
use crate::providers::search::{Filter, Placed, looks_for_pharmacies};
use crate::providers::{Accepting, Inactive, PracticeLocation, ProviderRole, ProviderSearch, SearchPlace};
use crate::{ErrorKind, Result};

/// How a search shows a provider, or a place of its.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SearchResult {
    /// Not at all.
    NotFound,
    /// It is counted among those that may fit: the payer contradicts itself, or names a network that leads nowhere.
    InDoubt,
    /// It is counted among those whose place is not stated nearer.
    PlaceNotStated,
    /// It is listed among pharmacies that are not open to walk in.
    ClosedDoor,
    /// It is one of the results.
    Found,
}

impl SearchResult {
    /// `found`, `closed_door`, `place_not_stated`, `in_doubt` or `not_found`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::InDoubt => "in_doubt",
            Self::PlaceNotStated => "place_not_stated",
            Self::ClosedDoor => "closed_door",
            Self::Found => "found",
        }
    }
}

/// Why a provider is among the results of a search, or is not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProviderExplanation {
    /// The provider that was asked for.
    pub provider: AskedProvider,
    /// The networks that the search is about, and which of them are incomplete.
    pub asked: AskedNetworks,
    /// Where the search looks.
    pub place: SearchPlace,
    /// How the search shows it: the best of its places.
    pub result: SearchResult,
    /// The conditions of the provider itself, in their order.
    pub conditions: Vec<Condition>,
    /// Each of its places, the best result first.
    pub places: Vec<ExplainedPlace>,
    /// The payer's resources behind it; `None`: nothing was at hand to look them up in.
    pub sources: Option<Vec<SourceResource>>,
    /// How the question was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A place of a provider, and why a search shows it, or does not.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplainedPlace {
    /// The place with all roles there.
    pub practice: PracticeLocation,
    /// How the search shows it.
    pub result: SearchResult,
    /// The conditions of the place and its roles, in their order. Those of roles hold where one role has them all:
    /// each is asked of the roles that those before it leave, and of all of them once none is left.
    pub conditions: Vec<Condition>,
}

impl ProviderExplanation {
    /// The condition that decided; `None`: all hold somewhere.
    #[must_use]
    pub fn decided(&self) -> Option<&Condition> {
        let of_places = self.places.first().into_iter().flat_map(|place| &place.conditions);
        self.conditions.iter().chain(of_places).find(|condition| condition.decided)
    }

    /// The answer in words: `the search does not find it. Does it name one of the networks? no: HMO (medical)`.
    #[must_use]
    pub fn summary(&self) -> String {
        let result = match self.result {
            SearchResult::Found => "the search finds it",
            SearchResult::ClosedDoor => "the search lists it among pharmacies behind closed doors",
            SearchResult::PlaceNotStated => "the search only counts it: its place is not stated nearer",
            SearchResult::InDoubt => "the search only counts it among those in doubt",
            SearchResult::NotFound => "the search does not find it",
        };
        match self.decided() {
            Some(Condition { question, says, holds, .. }) => {
                let holds = if holds.is_none() { "nobody can tell" } else { "no" };
                format!("{result}. {question} {holds}: {says}")
            }
            None => result.to_owned(),
        }
    }
}

impl Dataset {
    /// Why a provider is among the results of a search, or is not: an explanation for each year that the plan may
    /// mean. Limit and page play no part.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Place, ProvidersQuestion, SearchResult};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let search = ProvidersQuestion {
    ///     plan: Some("H9231-001-000-2026".to_owned()),
    ///     place: Some(Place::County("Doña Ana County, NM".to_owned())),
    ///     ..ProvidersQuestion::default()
    /// };
    /// let explanation = &dataset.explain_provider(&"Patrick O'Hara".into(), &search)?[0];
    /// assert_eq!(explanation.result, SearchResult::NotFound);
    /// println!("{}", explanation.summary()); // he is marked inactive
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// As [`Self::ask_providers`], but for a plan without networks, and a text that fits no provider or several:
    /// these are conditions that do not hold.
    pub fn explain_provider(
        &self,
        provider: &ProviderText,
        search: &ProvidersQuestion,
    ) -> Result<Vec<ProviderExplanation>> {
        refuse_empty_name(search.name.as_deref())?;
        search.refuse_radius_around_nothing()?;
        let place = self.search_place(search.place.as_ref(), search.radius_km)?;
        let (plan, network) = (search.plan.as_deref(), search.network.as_deref());
        let asked = self.asked_networks(plan, network, search.network_kind, &place.counties)?;
        asked
            .into_iter()
            .map(|(asked, mut notes)| {
                notes.extend(place.note.clone());
                self.explanation(provider, search, &place, asked, notes)
            })
            .collect()
    }

    fn explanation(
        &self,
        provider: &ProviderText,
        question: &ProvidersQuestion,
        place: &SearchPlace,
        asked: AskedNetworks,
        notes: Vec<String>,
    ) -> Result<ProviderExplanation> {
        let directory = self.inner.directory.get()?;
        let mut resolved = self.resolve_provider(provider, &place.counties)?;
        if provider.name.is_none() && question.name.is_some() && !resolved.asked.candidates.is_empty() {
            // Of several that state an NPI, the name that is searched for tells which is meant.
            let named = ProviderText { name: question.name.clone(), ..provider.clone() };
            resolved = self.resolve_provider(&named, &place.counties)?;
        }
        let mut conditions = vec![known(&resolved)];
        if asked.are_named() {
            conditions.push(networks_count(&asked));
        }
        let has_networks = asked.has_a_network().is_ok();
        if let Some(number) = resolved.number.filter(|_| has_networks) {
            let search = question.search(&asked, place.near, 0);
            let rows = directory
                .error_if_damaged(directory.rows_of(number).and_then(Iterator::collect::<Result<Vec<u32>, Damaged>>))?;
            let judge = Judge::new(directory, &search, &asked, &rows, &self.cancel)?;
            conditions.extend(judge.of_provider(rows.first().copied())?);
            let stopped = conditions.iter().any(|condition| condition.holds == Some(false));
            let placed = directory.placed(search.near, &rows)?;
            let mut places = Vec::new();
            for (row, placed) in rows.into_iter().zip(placed) {
                let mut practice = directory.practice_location(row, None)?;
                if let Placed::Near { km, is_outside } = placed {
                    practice.distance_km = km;
                    practice.in_county = matches!(place.near, crate::Near::County { .. }).then_some(!is_outside);
                }
                if !practice.roles.is_empty() {
                    places.push((row, placed, practice));
                }
            }
            self.name_counties(places.iter_mut().map(|(_, _, practice)| practice))?;
            let explained = places.into_iter().map(|(row, placed, practice)| {
                directory.error_if_damaged(judge.of_place(row, placed, practice, !stopped))
            });
            let mut explained = explained.collect::<Result<Vec<ExplainedPlace>>>()?;
            explained.sort_by_key(|place| {
                let fails = place.conditions.iter().filter(|condition| condition.holds == Some(false)).count();
                (std::cmp::Reverse(place.result), fails)
            });
            if explained.is_empty() {
                let says = "the directory names the provider, and no role of it anywhere";
                conditions.push(Condition::new("role", "Does it have a role somewhere?", says, Some(false)));
            }
            return Ok(self.explained(resolved.asked, asked, place, conditions, explained, notes));
        }
        Ok(self.explained(resolved.asked, asked, place, conditions, Vec::new(), notes))
    }

    fn explained(
        &self,
        provider: AskedProvider,
        asked: AskedNetworks,
        place: &SearchPlace,
        mut conditions: Vec<Condition>,
        places: Vec<ExplainedPlace>,
        notes: Vec<String>,
    ) -> ProviderExplanation {
        // Without a place to look at, what nobody can tell decides too.
        let stops = |condition: &Condition| match condition.holds {
            None => places.is_empty(),
            Some(holds) => !holds,
        };
        if let Some(first) = conditions.iter_mut().find(|condition| stops(condition)) {
            first.decided = true;
        }
        ProviderExplanation {
            provider,
            asked,
            place: place.clone(),
            result: places.first().map_or(SearchResult::NotFound, |place| place.result),
            conditions,
            places,
            sources: None,
            notes,
            origin: self.origin_of_directory(),
        }
    }
}

fn known(resolved: &Resolved) -> Condition {
    let (asked, is_known) = (&resolved.asked, resolved.number.is_some());
    let fits_several = resolved.whose.as_ref().is_err_and(|error| error.kind() == ErrorKind::Ambiguous);
    let says = match (&asked.name, &asked.problem) {
        (Some(name), _) => {
            let npi = asked.npi.map_or_else(|| "without a valid NPI".to_owned(), |npi| format!("NPI {npi}"));
            format!("{name}, {npi}")
        }
        (None, Some(problem)) => problem.clone(),
        (None, None) => "nobody in the directory has it".to_owned(),
    };
    let details = asked.notes.iter().cloned().chain(asked.candidates.iter().map(|one| format!("may be meant: {one}")));
    // Several that fit: the directory knows them all, and the text does not tell which is meant.
    let holds = (!fits_several).then_some(is_known);
    Condition::new("known", "Does the directory know the provider?", says, holds).with_details(details)
}

fn networks_count(asked: &AskedNetworks) -> Condition {
    let question = "Which networks count?";
    let details = asked.gaps.iter().map(|gap| format!("{}: {}", asked.names.of(&gap.network), gap.reason));
    let (says, holds) = match (asked.has_a_network(), &asked.networks, asked.kind) {
        (Err(error), ..) => (error.message().to_owned(), (!asked.are_open()).then_some(false)),
        (Ok(()), None, Some(kind)) => (format!("any {} network", kind.as_str()), Some(true)),
        (Ok(()), ..) => (asked.names.list(&asked.of_kind()), Some(true)),
    };
    Condition::new("networks", question, says, holds).with_details(details)
}

/// Judges one provider's rows by the conditions of a search.
struct Judge<'d> {
    directory: &'d Directory,
    search: &'d ProviderSearch,
    asked: &'d AskedNetworks,
    all: Filter<'d>,
    has_name: Vec<u32>,
    cancel: &'d Cancel,
}

impl<'d> Judge<'d> {
    fn new(
        directory: &'d Directory,
        search: &'d ProviderSearch,
        asked: &'d AskedNetworks,
        rows: &[u32],
        cancel: &'d Cancel,
    ) -> Result<Self> {
        let all = Filter::new(directory, search, cancel)?;
        let has_name = if let Some(name) = &all.name {
            let mut ranges: Vec<_> = rows.iter().map(|row| *row..row.saturating_add(1)).collect();
            ranges.sort_by_key(|range| range.start);
            directory.names.rows(name, &ranges, usize::MAX, cancel)?
        } else {
            let mut all = rows.to_vec();
            all.sort_unstable();
            all
        };
        Ok(Self { directory, search, asked, all, has_name, cancel })
    }

    /// Name, kind, gender and language, as far as they are asked for.
    fn of_provider(&self, row: Option<u32>) -> Result<Vec<Condition>> {
        let (Some(row), search) = (row, self.search) else { return Ok(Vec::new()) };
        let practice = self.directory.practice_location(row, None)?;
        let mut conditions = Vec::new();
        if let Some(name) = &search.name {
            let question = format!("Does its name have {name:?}?");
            let holds = !self.has_name.is_empty();
            conditions.push(Condition::new("name", &question, practice.name.clone(), Some(holds)));
        }
        let none = ProviderSearch::default;
        let stated = |text: Option<&str>| text.unwrap_or("not stated").to_owned();
        let languages = Some(practice.languages.join(", ")).filter(|languages| !languages.is_empty());
        let each = [
            search.kind.map(|kind| {
                let alone = ProviderSearch { kind: Some(kind), ..none() };
                ("kind", format!("Is it of the kind {}?", kind.as_str()), practice.kind.as_str().to_owned(), alone)
            }),
            search.gender.clone().map(|gender| {
                let question = format!("Is its gender {gender}?");
                let alone = ProviderSearch { gender: Some(gender), ..none() };
                ("gender", question, stated(practice.gender.as_deref()), alone)
            }),
            search.language.clone().map(|language| {
                let question = format!("Does it speak {language}?");
                let alone = ProviderSearch { language: Some(language), ..none() };
                ("language", question, stated(languages.as_deref()), alone)
            }),
        ];
        for (name, question, says, alone) in each.into_iter().flatten() {
            let fits = Filter::new(self.directory, &alone, self.cancel)?.provider_fits(row);
            let holds = self.directory.error_if_damaged(fits)?;
            conditions.push(Condition::new(name, &question, says, Some(holds)));
        }
        Ok(conditions)
    }

    /// A place with its roles. `decides`: nothing of the provider itself has decided.
    fn of_place(
        &self,
        row: u32,
        placed: Placed,
        practice: PracticeLocation,
        decides: bool,
    ) -> Result<ExplainedPlace, Damaged> {
        let (directory, filter) = (self.directory, &self.all);
        let mut conditions = vec![self.is_near(placed, &practice)];
        let place = directory.rows.place.run_of(row)?;
        if let Some(city) = &self.search.city {
            let question = format!("Is it in the city {city}?");
            let own = practice.location.as_ref().and_then(|location| location.city.clone());
            let holds = filter.place_fits(place)?;
            conditions.push(Condition::new(
                "city",
                &question,
                own.unwrap_or_else(|| "not stated".to_owned()),
                Some(holds),
            ));
        }
        let mut roles = Vec::new();
        for role in directory.roles_of(row)? {
            if directory.flags(role)? & flag::NO_ROLE == 0 {
                roles.push(role);
            }
        }
        self.of_roles(&roles, &practice.roles, &mut conditions)?;
        let all_roles = || directory.roles_of(row);
        let is_fit = filter.row_may_fit(row)? && (filter.row_decides() || filter.any_role_fits(all_roles()?)?);
        if self.search.accepting && self.search.networks.is_none() && self.search.network_kind.is_none() {
            // Without a network every role that fits else has to say it.
            if let Some(condition) = conditions.iter_mut().find(|condition| condition.name == "accepting") {
                condition.holds = Some(condition.holds == Some(true) && is_fit);
            }
        }
        let of_provider = filter.provider_fits(row)? && self.has_name.binary_search(&row).is_ok();
        let (mut may_be_closed, mut may_fit) = (false, false);
        for role in &roles {
            may_be_closed |= filter.closed_role_fits(*role)?;
            may_fit |= filter.role_may_fit(*role)?;
        }
        let is_in_city = filter.place_fits(place)?;
        let result = match placed {
            _ if !of_provider => SearchResult::NotFound,
            Placed::Near { .. } if is_fit && is_in_city => SearchResult::Found,
            Placed::MayBeNear if is_fit && (!filter.asks_place() || filter.place_may_fit(place)?) => {
                SearchResult::PlaceNotStated
            }
            _ if may_be_closed && looks_for_pharmacies(self.search, filter) => SearchResult::ClosedDoor,
            Placed::Near { .. } if may_fit && !is_fit && is_in_city => SearchResult::InDoubt,
            Placed::MayBeNear if may_fit && !is_fit && (!filter.asks_place() || filter.place_may_fit(place)?) => {
                SearchResult::InDoubt
            }
            _ => SearchResult::NotFound,
        };
        if decides && result != SearchResult::Found {
            let first = conditions.iter().position(|condition| condition.holds == Some(false));
            let untold = || conditions.iter().position(|condition| condition.holds.is_none());
            if let Some(decided) = first.or_else(untold).and_then(|at| conditions.get_mut(at)) {
                decided.decided = true;
            }
        }
        // Who comes by mail is listed without a distance.
        let distance_km = practice.distance_km.filter(|_| result != SearchResult::ClosedDoor);
        Ok(ExplainedPlace { practice: PracticeLocation { distance_km, ..practice }, result, conditions })
    }

    fn is_near(&self, placed: Placed, practice: &PracticeLocation) -> Condition {
        let question = match self.search.near {
            crate::Near::County { .. } => "Is it in the county, or near enough?",
            crate::Near::Point { .. } => "Is it near enough?",
            crate::Near::State(_) => "Is it in the state?",
            crate::Near::Anywhere => "Is its place stated?",
        };
        let location = practice.location.as_ref();
        let county = location.and_then(|location| location.county_name.clone());
        let stated = || match (location, &county) {
            (None, _) => "the place is not stated".to_owned(),
            (Some(location), Some(county)) => {
                let how = if location.point.is_none() { ", its position is not known" } else { "" };
                format!("in {county}{how}")
            }
            (Some(location), None) => {
                location.state.clone().map_or_else(|| "in no known county".to_owned(), |state| format!("in {state}"))
            }
        };
        let (says, holds) = match placed {
            Placed::Near { km: Some(km), .. } => (format!("{}, {km:.1} km away", stated()), Some(true)),
            Placed::Near { km: None, .. } => (stated(), Some(true)),
            Placed::MayBeNear => (stated(), None),
            Placed::Out => {
                let km = self.search.near.center().zip(location.and_then(|location| location.point));
                let km = km.map(|(from, to)| format!(", {:.1} km away", crate::geo::haversine_km(from, to)));
                (format!("{}{}", stated(), km.unwrap_or_default()), Some(false))
            }
        };
        Condition::new("place", question, says, holds)
    }

    /// What is asked of a role: each condition of the roles that those before it leave.
    fn of_roles(&self, roles: &[u32], shown: &[ProviderRole], conditions: &mut Vec<Condition>) -> Result<(), Damaged> {
        let (directory, filter) = (self.directory, &self.all);
        let both: Vec<(u32, u32, &ProviderRole)> = roles
            .iter()
            .zip(shown)
            .map(|(role, shown)| Ok((*role, directory.flags(*role)?, shown)))
            .collect::<Result<_, Damaged>>()?;
        let mut left = both.clone();
        // A plan of whose networks some cannot be read may have any network.
        let names_more = self.asked.plan.as_ref().map_or(0, |plan| plan.lost_networks) > 0;
        let mut ask = |name: &str,
                       question: String,
                       fits: &dyn Fn(u32, u32) -> Result<bool, Damaged>,
                       says: &dyn Fn(&ProviderRole) -> String| {
            let of = if left.is_empty() { both.clone() } else { left.clone() };
            let mut fitting = Vec::new();
            for one in &of {
                if fits(one.0, one.1)? {
                    fitting.push(*one);
                }
            }
            let mut said: Vec<String> = Vec::new();
            for (_, _, role) in if fitting.is_empty() { &of } else { &fitting } {
                let text = says(role);
                if !said.contains(&text) {
                    said.push(text);
                }
            }
            let may_name = |flags: u32| names_more || flags & flag::LOST_NETWORK != 0;
            let is_open = name == "network" && of.iter().any(|(_, flags, _)| may_name(*flags));
            let holds = (!fitting.is_empty() || !is_open).then_some(!fitting.is_empty());
            if !left.is_empty() {
                left = fitting;
            }
            conditions.push(Condition::new(name, &question, said.join("; "), holds));
            Ok(())
        };
        ask("active", "Is a role there active?".to_owned(), &|_, flags| Ok(flags & flag::INACTIVE == 0), &activity)?;
        if self.asked.are_named() {
            let says = |role: &ProviderRole| {
                let networks: Vec<_> = role.networks.iter().collect();
                let lost = role.doubts.contains(&crate::RoleDoubt::LostNetwork);
                let lost = lost.then(|| "a network that cannot be read, or that leads nowhere".to_owned());
                let named = (!networks.is_empty()).then(|| self.asked.names.list(&networks));
                let all: Vec<String> = named.into_iter().chain(lost).collect();
                if all.is_empty() { "no network".to_owned() } else { all.join(" and ") }
            };
            ask(
                "network",
                "Does it name one of the networks?".to_owned(),
                &|role, flags| filter.networks_fit(role, flags),
                &says,
            )?;
        }
        if let Some(specialty) = &self.search.specialty {
            let says = |role: &ProviderRole| match role.specialties.as_slice() {
                [] => "no specialty is stated".to_owned(),
                some => some.join(", "),
            };
            ask(
                "specialty",
                format!("Does it have the specialty {specialty}?"),
                &|role, _| filter.specialty_fits(role),
                &says,
            )?;
        }
        if self.search.accepting {
            ask(
                "accepting",
                "Does it take new patients?".to_owned(),
                &|role, flags| filter.accepting_fits(role, flags),
                &accepting,
            )?;
        }
        if both.iter().any(|(_, flags, _)| flags & flag::CLOSED_DOOR != 0) {
            let says = |role: &ProviderRole| {
                let closed = "a mail, long-term care or infusion pharmacy";
                (if role.closed_door { closed } else { "open" }).to_owned()
            };
            ask("open_door", "Can one walk in?".to_owned(), &|_, flags| Ok(flags & flag::CLOSED_DOOR == 0), &says)?;
        }
        if both.iter().any(|(_, flags, _)| flags & flag::CONTRARY != 0) {
            let says = |role: &ProviderRole| {
                let both = "two versions of one date contradict each other";
                (if role.doubts.contains(&crate::RoleDoubt::Contrary) { both } else { "the payer says one thing" })
                    .to_owned()
            };
            ask(
                "certain",
                "Does the payer say one thing only?".to_owned(),
                &|_, flags| Ok(flags & flag::CONTRARY == 0),
                &says,
            )?;
        }
        Ok(())
    }
}

fn activity(role: &ProviderRole) -> String {
    if role.inactive.is_empty() {
        "active, or not stated".to_owned()
    } else {
        format!("inactive: {}", Inactive::levels(&role.inactive, &role.inactive_dates))
    }
}

fn accepting(role: &ProviderRole) -> String {
    let said: Vec<String> = role
        .accepting
        .iter()
        .map(|said| {
            let of = said.network.as_ref().and_then(crate::Network::label).map(|label| format!(" ({label})"));
            let what = match said.new_patients {
                Accepting::Yes => "yes",
                Accepting::ExistingAndFamily => "existing patients and their families",
                Accepting::ExistingOnly => "existing patients only",
                Accepting::No => "no",
            };
            format!("{what}{}", of.unwrap_or_default())
        })
        .collect();
    if said.is_empty() { "not stated".to_owned() } else { said.join(", ") }
}
