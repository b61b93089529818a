//! A round of questions of every verb, drawn from a dataset that is whole, to be asked of damaged ones.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use coverdex_core::{
    Dataset, DrugSearch, Error, ErrorKind, Near, NetworkKey, NetworkKind, Npi, Plan, PlanFilter, ProviderKind,
    ProviderSearch, Result, State, Zip5, kilometers,
};

use super::{without_its_place, without_noise};

type Ask = Box<dyn Fn(&Dataset) -> Result<String> + Send + Sync>;

/// A question, and what the dataset answered that it was drawn from.
struct Question {
    text: String,
    ask: Ask,
    right: Answer,
}

/// An answer in full, or an error that belongs to the question: nothing of this name, several things.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Answered(String),
    Refused(ErrorKind, String),
}

/// Questions with their right answers.
#[derive(Default)]
pub(super) struct Round {
    questions: Vec<Question>,
}

/// What a dataset made of a round.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It does not open.
    RefusedAtOpen,
    /// So many calls failed, the others answered as the whole dataset does.
    RefusedByCalls(usize),
    /// Every answer is as before.
    Unnoticed,
    /// An answer that is another one, an error of the wrong kind, or a panic.
    Wrong(String),
}

fn answer(answered: Result<String>) -> Answer {
    match answered {
        Ok(text) => Answer::Answered(text),
        Err(error) => Answer::Refused(error.kind(), format!("{error} {:?}", error.candidates())),
    }
}

/// Whether an error says that the dataset is to blame. A manifest whose version is altered looks like one of a
/// time to come.
fn blames_the_dataset(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::DatasetDamaged => true,
        ErrorKind::DatasetTooNew => error.subject().starts_with("dataset "),
        _ => false,
    }
}

impl Round {
    fn add<T: Debug>(
        &mut self,
        dataset: &Dataset,
        text: impl Into<String>,
        ask: impl Fn(&Dataset) -> Result<T> + Send + Sync + 'static,
    ) {
        let ask: Ask =
            Box::new(move |dataset| ask(dataset).map(|answer| without_its_place(dataset, &format!("{answer:?}"))));
        let right = answer(ask(dataset));
        let text = text.into();
        let from_damage = matches!(right, Answer::Refused(ErrorKind::DatasetDamaged | ErrorKind::Io, _));
        assert!(!from_damage, "{text}: {right:?}");
        self.questions.push(Question { text, ask, right });
    }

    pub(super) fn len(&self) -> usize {
        self.questions.len()
    }

    /// Questions that a dataset answered, and those that it refused with reason.
    pub(super) fn answered_and_refused(&self) -> (usize, usize) {
        let answered = |question: &&Question| matches!(question.right, Answer::Answered(_));
        let answered = self.questions.iter().filter(answered).count();
        (answered, self.len() - answered)
    }

    /// Questions of every verb.
    pub(super) fn of(dataset: &Dataset) -> Self {
        let mut round = Self::default();
        let plans = dataset.all_plans().unwrap();
        round.about_the_dataset(dataset);
        round.about_plans(dataset, &plans);
        round.about_drugs(dataset, &plans);
        round.about_places(dataset);
        round.about_providers(dataset, &plans);
        round
    }

    fn about_the_dataset(&mut self, dataset: &Dataset) {
        self.add(dataset, "info", Dataset::info);
        self.add(dataset, "sync report", Dataset::sync_report);
        self.add(dataset, "manifest", |dataset| Ok(dataset.manifest().clone()));
        self.add(dataset, "networks", Dataset::directory_networks);
    }

    fn about_plans(&mut self, dataset: &Dataset, plans: &[Plan]) {
        self.add(dataset, "all plans", Dataset::all_plans);
        let filter = PlanFilter { text: Some("gold".to_owned()), ..PlanFilter::default() };
        self.add(dataset, "plans named gold", move |dataset| dataset.plans(&filter));
        for plan in plans.iter().take(3) {
            let id = plan.id.to_string();
            self.add(dataset, format!("plan {id}"), move |dataset| dataset.resolve_plan(&id));
        }
        self.add(dataset, "plan that is not there", |dataset| dataset.resolve_plan("H9999-999"));
        self.add(dataset, "plans in a ZIP", |dataset| {
            dataset.plans_in_zip("40507".parse().expect("a ZIP"), &PlanFilter::default())
        });
    }

    fn about_drugs(&mut self, dataset: &Dataset, plans: &[Plan]) {
        let texts = [
            "00093444301",
            "0143-1267-01",
            "0143-1268",
            "9047514",
            "9639595",
            "9900000",
            "lisinopril 10 mg",
            "gabapentin",
            "metfromin 500",
            "nothing of this name",
        ];
        for text in texts {
            self.add(dataset, format!("drug {text}"), move |dataset| {
                let drug = dataset.drug(text)?;
                let facts = (drug.resolution(), drug.title(), drug.candidates(), drug.notes(), drug.package());
                Ok(format!("{facts:?}"))
            });
            for plan in plans.iter().step_by(4).cloned() {
                let of_plan = plan.clone();
                self.add(dataset, format!("coverage {} {text}", plan.id), move |dataset| {
                    dataset.coverage(&of_plan, &dataset.drug(text)?)
                });
                self.add(dataset, format!("packages {} {text}", plan.id), move |dataset| {
                    dataset.package_coverage(&plan, &dataset.drug(text)?)
                });
            }
        }
        for text in ["lis", "gabapentin 300", "metfromin", "tablet", "0143-12", "9047514", "atorvastatin 2"] {
            for plan in [None, plans.first().cloned()] {
                let search =
                    DrugSearch { text: text.to_owned(), limit: 12, plan, codes: true, ..DrugSearch::default() };
                self.add(dataset, format!("search {text}"), move |dataset| dataset.search_drugs(&search));
            }
        }
    }

    fn about_places(&mut self, dataset: &Dataset) {
        for text in ["40507", "06901", "Fayette County, KY", "washington", "Doña Ana", "nowhere at all"] {
            self.add(dataset, format!("counties {text}"), move |dataset| dataset.counties(text));
        }
        self.add(dataset, "near a county", |dataset| dataset.near_county("Fayette County, KY", None));
        self.add(dataset, "near a ZIP", |dataset| dataset.near_zip("40507".parse::<Zip5>()?, None));
    }

    fn about_providers(&mut self, dataset: &Dataset, plans: &[Plan]) {
        let all = ProviderSearch { limit: 400, ..ProviderSearch::default() };
        let everyone = dataset.search_providers(&all).unwrap().results;
        let networks: Vec<NetworkKey> = dataset.directory_networks().unwrap().into_iter().map(|n| n.key).collect();
        self.add(dataset, "everyone", move |dataset| dataset.search_providers(&all));
        let anybody = |limit| ProviderSearch { limit, ..ProviderSearch::default() };
        let mut searches = vec![
            ProviderSearch { name: Some("ma".to_owned()), ..anybody(15) },
            ProviderSearch { name: Some("smiht".to_owned()), count_similar: true, ..anybody(15) },
            ProviderSearch { network_kind: Some(NetworkKind::Pharmacy), ..anybody(15) },
            ProviderSearch { accepting: true, ..anybody(15) },
            ProviderSearch { gender: Some("f".to_owned()), kind: Some(ProviderKind::Individual), ..anybody(9) },
            ProviderSearch { language: Some("Spanish".to_owned()), ..anybody(9) },
            ProviderSearch { city: Some("nowhere".to_owned()), ..anybody(9) },
            ProviderSearch { specialty: Some("heart doctor".to_owned()), count_similar: true, ..anybody(9) },
            ProviderSearch { specialty: Some("pediatrition".to_owned()), ..anybody(9) },
        ];
        for found in everyone.iter().step_by(everyone.len() / 4 + 1) {
            let place = found.location.as_ref();
            let near = place.and_then(|place| place.county).map(|county| {
                let county = dataset.county(&county.to_string()).unwrap();
                Near::County { county: county.fips, center: county.point, radius_km: kilometers(60.0) }
            });
            let near = near.unwrap_or_default();
            let networks = Some(found.networks.iter().map(|network| network.key.clone()).collect());
            let specialty = found.specialties.first().cloned();
            searches.push(ProviderSearch { near, networks, specialty: specialty.clone(), ..anybody(20) });
            searches.push(ProviderSearch { near, specialty, ..anybody(0) });
            let name = Some(found.name.chars().take(4).collect());
            searches.push(ProviderSearch { name, ..anybody(10) });
            if let Some((city, state)) = place.and_then(|place| Some((place.city.clone()?, place.state.clone()?))) {
                searches.push(ProviderSearch { city: Some(city), ..anybody(10) });
                let near = State::from_name(&state).map(Near::State).unwrap_or_default();
                searches.push(ProviderSearch { near, offset: 3, ..anybody(10) });
            }
        }
        for search in searches {
            self.add(dataset, format!("providers {search:?}"), move |dataset| dataset.search_providers(&search));
        }
        let npis: Vec<Npi> = everyone.iter().filter_map(|found| found.npi).collect();
        for npi in npis.iter().step_by(npis.len() / 12 + 1).copied() {
            self.add(dataset, format!("provider {npi}"), move |dataset| dataset.provider(npi));
            for plan in plans.iter().take(2).cloned() {
                self.add(dataset, format!("standing {npi} {}", plan.id), move |dataset| {
                    dataset.plan_network_status(npi, &plan, None)
                });
            }
            for network in networks.iter().take(2) {
                self.add(dataset, format!("standing {npi} {network}"), move |dataset| {
                    dataset.network_status(npi, std::slice::from_ref(network), None)
                });
            }
        }
        let nobody = Npi::new(1_234_567_893).unwrap();
        self.add(dataset, "provider that is not there", move |dataset| dataset.provider(nobody));
        self.add(dataset, "network gaps", |dataset| dataset.network_gaps(None, None));
    }

    /// Opens a dataset and asks it everything, beginning with the question of a number: what is asked
    /// first decides what is read first.
    pub(super) fn ask(&self, path: &std::path::Path, first: usize) -> Outcome {
        let dataset = match without_noise(|| Dataset::open(path)) {
            None => return Outcome::Wrong("open panics".to_owned()),
            Some(Err(error)) if blames_the_dataset(&error) || error.kind() == ErrorKind::DatasetMissing => {
                return Outcome::RefusedAtOpen;
            }
            Some(Err(error)) => return Outcome::Wrong(format!("open: {:?}: {error}", error.kind())),
            Some(Ok(dataset)) => dataset,
        };
        let mut failed = 0;
        let (behind, before) = self.questions.split_at(first % self.len());
        for question in before.iter().chain(behind) {
            let Some(answered) = without_noise(|| (question.ask)(&dataset)) else {
                return Outcome::Wrong(format!("{}: a panic", question.text));
            };
            match answered {
                Err(error) if blames_the_dataset(&error) => failed += 1,
                answered => {
                    let answered = answer(answered);
                    if answered != question.right {
                        let shown = |answer: &Answer| format!("{answer:?}").chars().take(300).collect::<String>();
                        let (answered, right) = (shown(&answered), shown(&question.right));
                        return Outcome::Wrong(format!("{}: {answered} instead of {right}", question.text));
                    }
                }
            }
        }
        if failed == 0 { Outcome::Unnoticed } else { Outcome::RefusedByCalls(failed) }
    }

    /// Opens a crafted dataset and asks it everything: it may answer what it likes, in time and without a
    /// panic. How long it took.
    pub(super) fn ask_crafted(&self, path: &std::path::Path) -> Result<Duration, String> {
        let begun = Instant::now();
        match without_noise(|| Dataset::open(path)) {
            None => return Err("open panics".to_owned()),
            Some(Err(_)) => {}
            Some(Ok(dataset)) => {
                for question in &self.questions {
                    if without_noise(|| (question.ask)(&dataset).is_ok()).is_none() {
                        return Err(format!("{}: a panic", question.text));
                    }
                }
            }
        }
        Ok(begun.elapsed())
    }
}
