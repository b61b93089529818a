//! The questions as calls of core.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use coverdex_core::{
    Audience, Cancel, ComparisonQuestion, CoverageExplanation, Dataset, DrugSearch, Error, ErrorKind, MatrixQuestion,
    NetworkMatrixQuestion, OptionsQuestion, PageToken, Place, PlanFilter, PracticingAtQuestion, ProviderQuestion,
    ProviderText, ProvidersQuestion, Result,
};
use coverdex_sync::sources_of::{DrugSought, ProviderSought, sources_of_drug, sources_of_provider};
use coverdex_tests::questions::{Question, all, payer};
use serde_json::{Value, json};

use super::{ask_all, made};

/// Drugs that a search shows where no limit is said.
const DRUGS_SHOWN: usize = 10;

/// The document of answers to one question: the first, and the others of a plan's further years beside it.
fn with_also(answers: &[Value]) -> Value {
    let (first, also) = answers.split_first().unwrap();
    let mut document = first.clone();
    if !also.is_empty() {
        document["also"] = json!(also);
    }
    document
}

fn owned(question: &Question, name: &str) -> Option<String> {
    question.text(name).map(str::to_owned)
}

/// A text that the verb cannot do without.
fn needed(question: &Question, name: &str) -> String {
    owned(question, name).unwrap_or_else(|| panic!("{}: {name} is not said", question.id))
}

/// A number among the arguments.
fn number<N: TryFrom<u64, Error: std::fmt::Debug>>(question: &Question, name: &str) -> Option<N> {
    question.args.get(name).map(|value| value.as_u64().unwrap().try_into().unwrap())
}

/// A list of texts among the arguments; none where it is not given.
fn texts(question: &Question, name: &str) -> Vec<String> {
    let list = question.args.get(name).map(|value| value.as_array().unwrap().as_slice()).unwrap_or_default();
    list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn is_true(question: &Question, name: &str) -> bool {
    question.args.get(name).is_some_and(|value| value.as_bool().unwrap())
}

/// A word of a fixed list: a kind, an audience.
fn word<W: std::str::FromStr<Err = Error>>(question: &Question, name: &str) -> Result<Option<W>> {
    question.text(name).map(str::parse).transpose()
}

fn audience(question: &Question) -> Result<Option<Audience>> {
    word(question, "audience")
}

fn providers(question: &Question) -> Vec<ProviderText> {
    texts(question, "providers").iter().map(|text| ProviderText::from(text.as_str())).collect()
}

/// The place that a question names.
fn place(question: &Question) -> Option<Place> {
    let kinds: [(&str, fn(String) -> Place); 4] =
        [("county", Place::County), ("zip", Place::Zip), ("at", Place::Point), ("state", Place::State)];
    kinds.into_iter().find_map(|(name, kind)| owned(question, name).map(kind))
}

/// The page that a question asks for.
fn page(dataset: &Dataset, question: &Question) -> Result<Option<PageToken>> {
    let text = question.page(|former| ask(dataset, former))?;
    Ok(text.map(PageToken::new))
}

fn plans(dataset: &Dataset, question: &Question) -> Result<Value> {
    let filter = PlanFilter {
        text: owned(question, "text"),
        kind: owned(question, "type"),
        audience: audience(question)?,
        year: number(question, "year"),
    };
    Ok(json!(dataset.find_plans(&filter, place(question).as_ref())?))
}

fn coverage(dataset: &Dataset, question: &Question) -> Result<Value> {
    let (plan, drug) = (needed(question, "plan"), needed(question, "drug"));
    Ok(json!(dataset.coverage_answers(&plan, &drug, place(question).as_ref())?))
}

fn coverage_matrix(dataset: &Dataset, question: &Question) -> Result<Value> {
    let asked = MatrixQuestion {
        drugs: texts(question, "drugs"),
        plans: texts(question, "plans"),
        place: place(question),
        year: number(question, "year"),
        audience: audience(question)?,
    };
    Ok(json!(dataset.coverage_matrix(&asked)?))
}

fn compare(dataset: &Dataset, question: &Question) -> Result<Value> {
    let asked = ComparisonQuestion {
        drugs: texts(question, "drugs"),
        providers: providers(question),
        plans: texts(question, "plans"),
        place: place(question),
        year: number(question, "year"),
        beside: number(question, "beside"),
        audience: audience(question)?,
    };
    Ok(json!(dataset.compare(&asked)?))
}

fn network_matrix(dataset: &Dataset, question: &Question) -> Result<Value> {
    let asked = NetworkMatrixQuestion {
        providers: providers(question),
        plans: texts(question, "plans"),
        place: place(question),
        year: number(question, "year"),
        audience: audience(question)?,
        network_kind: word(question, "network_kind")?,
    };
    Ok(json!(dataset.network_matrix(&asked)?))
}

fn plans_covering(dataset: &Dataset, question: &Question) -> Result<Value> {
    let (drug, place) = (needed(question, "drug"), place(question).unwrap());
    Ok(json!(dataset.plans_covering(&drug, &place, number(question, "year"), audience(question)?)?))
}

fn plans_taking(dataset: &Dataset, question: &Question) -> Result<Value> {
    let (text, place) = (needed(question, "provider"), place(question).unwrap());
    let (year, kind) = (number(question, "year"), word(question, "network_kind")?);
    let provider = ProviderText { text, name: owned(question, "name") };
    Ok(json!(dataset.plans_taking(&provider, &place, year, audience(question)?, kind)?))
}

fn practicing_at(dataset: &Dataset, question: &Question) -> Result<Value> {
    let mut asked = PracticingAtQuestion {
        address: owned(question, "address"),
        phone: owned(question, "phone"),
        page: page(dataset, question)?,
        ..PracticingAtQuestion::default()
    };
    asked.limit = number(question, "limit").unwrap_or(asked.limit);
    Ok(json!(dataset.practicing_at(&asked)?))
}

fn search_drugs(dataset: &Dataset, question: &Question) -> Result<Value> {
    let plans = match question.text("plan") {
        Some(text) => dataset.resolve_plan(text)?.into_iter().map(|resolved| Some(resolved.plan)).collect(),
        None => vec![None],
    };
    let token = page(dataset, question)?;
    let search = |plan| {
        let search = DrugSearch {
            text: needed(question, "text"),
            limit: number(question, "limit").unwrap_or(DRUGS_SHOWN),
            plan,
            codes: true,
            page: token.clone(),
        };
        Ok(json!(dataset.search_drugs(&search)?))
    };
    Ok(with_also(&plans.into_iter().map(search).collect::<Result<Vec<Value>>>()?))
}

fn same_ingredient(dataset: &Dataset, question: &Question) -> Result<Value> {
    let mut asked = OptionsQuestion::new(needed(question, "plan"), needed(question, "drug"));
    asked.place = place(question);
    asked.not_listed = is_true(question, "not_listed");
    asked.limit = number(question, "limit").unwrap_or(asked.limit);
    asked.page = page(dataset, question)?;
    Ok(json!(dataset.same_ingredient(&asked)?))
}

fn explain_coverage(dataset: &Dataset, question: &Question) -> Result<Value> {
    let (plan, drug) = (needed(question, "plan"), needed(question, "drug"));
    let mut explained = dataset.explain_coverage(&plan, &drug, place(question).as_ref())?;
    if is_true(question, "sources") {
        explained.iter_mut().try_for_each(look_up_sources)?;
    }
    Ok(json!(explained))
}

/// Fills in the payer's resources from the folder that the dataset was built from.
fn look_up_sources(explanation: &mut CoverageExplanation) -> Result<()> {
    let codes = &explanation.codes;
    let sought = DrugSought {
        packages: codes.ndc11.clone(),
        products: codes.products.clone(),
        rxcuis: codes.rxcui.clone(),
        plan: Some(explanation.answer.plan.clone()),
    };
    explanation.sources = Some(sources_of_drug(&payer(), &sought, &Cancel::new())?);
    Ok(())
}

/// The search that a question asks, or asks about.
fn providers_question(dataset: &Dataset, question: &Question) -> Result<ProvidersQuestion> {
    let mut asked = ProvidersQuestion {
        plan: owned(question, "plan"),
        network: owned(question, "network"),
        network_kind: word(question, "network_kind")?,
        place: place(question),
        radius_km: question.args.get("within_km").map(|km| km.as_f64().unwrap()),
        specialty: owned(question, "specialty"),
        name: owned(question, "name"),
        kind: word(question, "kind")?,
        gender: owned(question, "gender"),
        language: owned(question, "language"),
        accepting: is_true(question, "accepting"),
        city: owned(question, "city"),
        page: page(dataset, question)?,
        ..ProvidersQuestion::default()
    };
    asked.limit = number(question, "limit").unwrap_or(asked.limit);
    asked.offset = number(question, "offset").unwrap_or(asked.offset);
    Ok(asked)
}

fn search_providers(dataset: &Dataset, question: &Question) -> Result<Value> {
    let answers = dataset.ask_providers(&providers_question(dataset, question)?)?;
    Ok(with_also(&answers.iter().map(|answer| json!(answer)).collect::<Vec<_>>()))
}

fn explain_provider(dataset: &Dataset, question: &Question) -> Result<Value> {
    let provider = ProviderText::from(needed(question, "provider").as_str());
    let mut explained = dataset.explain_provider(&provider, &providers_question(dataset, question)?)?;
    if is_true(question, "sources") {
        for explanation in &mut explained {
            let aliases = explanation.places.iter().flat_map(|place| place.practice.aliases.iter().copied());
            let npis = explanation.provider.npi.into_iter().chain(aliases).collect();
            let plans = explanation.asked.plan.iter().map(|plan| plan.id.clone()).collect();
            let sought = ProviderSought { npis, plans };
            explanation.sources = Some(sources_of_provider(&payer(), &sought, &Cancel::new())?);
        }
    }
    Ok(json!(explained))
}

/// Everything known of a provider, and its standing where a plan or a network is named.
fn provider(dataset: &Dataset, question: &Question) -> Result<Value> {
    let asked = ProviderQuestion {
        npi: needed(question, "npi"),
        name: owned(question, "name"),
        plan: owned(question, "plan"),
        network: owned(question, "network"),
        network_kind: word(question, "network_kind")?,
    };
    let answers = dataset.ask_provider(&asked)?;
    Ok(with_also(&answers.iter().map(|answer| json!(answer)).collect::<Vec<_>>()))
}

fn ask(dataset: &Dataset, question: &Question) -> Result<Value> {
    let function = match question.verb.as_str() {
        "compare" => compare,
        "counties" => {
            |dataset: &Dataset, question: &Question| Ok(json!(dataset.find_counties(&needed(question, "text"))?))
        }
        "coverage" => coverage,
        "coverage_matrix" => coverage_matrix,
        "explain_coverage" => explain_coverage,
        "explain_provider" => explain_provider,
        "info" => |dataset: &Dataset, _: &Question| Ok(json!(dataset.info()?)),
        "network_matrix" => network_matrix,
        "network_status" | "provider" => provider,
        "plans" => plans,
        "plans_covering" => plans_covering,
        "plans_taking" => plans_taking,
        "practicing_at" => practicing_at,
        "same_ingredient" => same_ingredient,
        "search_drugs" => search_drugs,
        "search_providers" => search_providers,
        verb => panic!("no function for the verb {verb}"),
    };
    function(dataset, question)
}

/// `{"error":{…}}`.
fn refused(error: &Error) -> Value {
    json!({ "error": {
        "kind": error.kind().as_str(),
        "subject": error.subject(),
        "message": error.message(),
        "hint": error.hint(),
        "candidates": error.candidates(),
    } })
}

/// The exit code that the command has for a kind of error.
fn exit_of(kind: ErrorKind) -> i32 {
    match kind {
        ErrorKind::InvalidInput => 2,
        ErrorKind::NotFound | ErrorKind::Ambiguous => 1,
        _ => 3,
    }
}

#[test]
fn through_rust() {
    let dataset = &made().dataset;
    ask_all("Rust", Some, |question| match ask(dataset, question) {
        Ok(answer) => (answer, None),
        Err(error) => (refused(&error), Some(exit_of(error.kind()))),
    });
}

/// A token that is cancelled when it is looked at for the so-manieth time, and how often it was.
fn cancelled_at(look: usize) -> (Cancel, Arc<AtomicUsize>) {
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looks);
    (Cancel::asking(move || counted.fetch_add(1, Ordering::Relaxed) + 1 >= look), looks)
}

#[test]
fn a_call_ends_at_whichever_look_it_is_cancelled() {
    let dataset = &made().dataset;
    let mut looks: BTreeMap<String, usize> = BTreeMap::new();
    for question in all() {
        let right = ask(dataset, &question).map_err(|error| error.to_string());
        let (never, looked) = cancelled_at(usize::MAX);
        let answered = ask(&dataset.cancelled_by(&never), &question).map_err(|error| error.to_string());
        assert_eq!(answered, right, "{}", question.id);
        let count = looked.load(Ordering::Relaxed);
        for look in [1, count / 2, count].into_iter().filter(|look| (1..=count).contains(look)) {
            let ended = ask(&dataset.cancelled_by(&cancelled_at(look).0), &question).map_err(|error| error.kind());
            assert_eq!(ended, Err(ErrorKind::Interrupted), "{}: look {look} of {count}", question.id);
        }
        let most = looks.entry(question.verb).or_default();
        *most = count.max(*most);
    }
    crate::say(&format!("most looks at the token in a call: {looks:?}"));
    let never: Vec<&String> = looks.iter().filter(|(_, count)| **count == 0).map(|(verb, _)| verb).collect();
    assert!(never.is_empty(), "calls that never look at their token: {never:?}");
}
