//! Texts that are longer than anything that they may mean are refused at once, whatever they should be.

use coverdex_core::{
    Dataset, ErrorKind, Place, PlanFilter, PracticingAtQuestion, ProviderQuestion, ProviderSearch, ProvidersQuestion,
    Result,
};
use coverdex_tests::Made;

type Question = (&'static str, fn(&Dataset, String) -> Result<()>);

fn provider(dataset: &Dataset, fill: impl FnOnce(&mut ProviderSearch)) -> Result<()> {
    let mut search = ProviderSearch::default();
    fill(&mut search);
    dataset.search_providers(&search).map(drop)
}

fn near(dataset: &Dataset, place: Place) -> Result<()> {
    dataset.ask_providers(&ProvidersQuestion { place: Some(place), ..ProvidersQuestion::default() }).map(drop)
}

fn at(dataset: &Dataset, question: &PracticingAtQuestion) -> Result<()> {
    dataset.practicing_at(question).map(drop)
}

const QUESTIONS: &[Question] = &[
    ("plan", |d, text| d.resolve_plan(&text).map(drop)),
    ("plan of a drug", |d, text| d.coverage_answers(&text, "lisinopril", None).map(drop)),
    ("plan filter", |d, text| d.plans(&PlanFilter { text: Some(text), ..PlanFilter::default() }).map(drop)),
    ("plan type", |d, text| d.plans(&PlanFilter { kind: Some(text), ..PlanFilter::default() }).map(drop)),
    ("county", |d, text| d.county(&text).map(drop)),
    ("counties", |d, text| d.counties(&text).map(drop)),
    ("plans of a ZIP", |d, text| d.find_plans(&PlanFilter::default(), Some(&Place::Zip(text))).map(drop)),
    ("near a county", |d, text| near(d, Place::County(text))),
    ("near a ZIP", |d, text| near(d, Place::Zip(text))),
    ("near a point", |d, text| near(d, Place::Point(text))),
    ("in a state", |d, text| near(d, Place::State(text))),
    ("network", |d, text| d.resolve_network(&text).map(drop)),
    ("specialty", |d, text| provider(d, |search| search.specialty = Some(text))),
    ("name", |d, text| provider(d, |search| search.name = Some(text))),
    ("gender", |d, text| provider(d, |search| search.gender = Some(text))),
    ("language", |d, text| provider(d, |search| search.language = Some(text))),
    ("city", |d, text| provider(d, |search| search.city = Some(text))),
    ("NPI", |d, npi| d.ask_provider(&ProviderQuestion { npi, ..ProviderQuestion::default() }).map(drop)),
    ("address", |d, text| at(d, &PracticingAtQuestion { address: Some(text), ..PracticingAtQuestion::default() })),
    ("phone", |d, text| at(d, &PracticingAtQuestion { phone: Some(text), ..PracticingAtQuestion::default() })),
];

#[test]
fn long_texts_are_refused_at_once() {
    let made = Made::folder(&coverdex_tests::questions::payer());
    let dataset = &made.dataset;
    for part in ["a", "ab ", "é", "1", "Travis County, TX ", "1,", "a|b", ", "] {
        let text = part.repeat(4_000_000 / part.len());
        for (what, ask) in QUESTIONS {
            let begun = std::time::Instant::now();
            let error = ask(dataset, text.clone()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{what} of {part:?}");
            assert!(error.to_string().len() < 500, "{what} of {part:?}: {} bytes", error.to_string().len());
            assert!(begun.elapsed().as_millis() < 500, "{what} of {part:?}: {:?}", begun.elapsed());
        }
        let drug = dataset.drug(&text).unwrap();
        assert!(drug.problem().is_some_and(|problem| problem.len() < 500), "{part:?}");
    }
    // What may be meant is looked for.
    for (what, ask) in QUESTIONS {
        let begun = std::time::Instant::now();
        let _ = ask(dataset, "ab ".repeat(333));
        assert!(begun.elapsed().as_secs() < 5, "{what}: {:?}", begun.elapsed());
    }
}
