use coverdex_core::{Error, ErrorKind};
use serde_json::{Value, json};

use super::*;

fn value(document: &Document) -> Value {
    serde_json::from_slice(&document.0).unwrap()
}

#[test]
fn an_error_has_its_documented_fields() {
    let error = Error::new(ErrorKind::Ambiguous, "plan H1", "two segments")
        .with_hint("name one")
        .with_candidates(["a".to_owned(), "b".to_owned()]);
    let failure = Failure::from(&error);
    assert_eq!(
        value(&Document::of(&ErrorDocument::from(&failure)).unwrap()),
        json!({"error": {
            "kind": "ambiguous", "subject": "plan H1", "message": "two segments", "hint": "name one",
            "candidates": ["a", "b"],
        }})
    );
    let bare = Failure::from(&Error::new(ErrorKind::Sync, "x", "y"));
    let error = &value(&Document::of(&ErrorDocument::from(&bare)).unwrap())["error"];
    assert_eq!((&error["hint"], &error["candidates"]), (&Value::Null, &json!([])));
}

#[cfg(feature = "sandbox")]
mod of_a_dataset {
    use coverdex_core::{DrugSearch, PlanFilter};

    use super::*;
    use crate::data::Opened;
    use crate::testing::tiny;

    fn opened() -> &'static Opened {
        &tiny().datasets.all()[0]
    }

    #[test]
    fn plans_have_their_documented_fields() {
        let plans = opened().dataset.plans(&PlanFilter::default()).unwrap();
        assert_eq!(plans.len(), tiny().payer.plans().len());
        let found = opened().dataset.find_plans(&PlanFilter::default(), None).unwrap();
        let results = found.plans.iter().collect();
        let document =
            value(&Document::of(&PlansDocument { note: None, results, area_unknown: Vec::new(), place: &[] }).unwrap());
        assert_eq!(document["area_unknown"], json!([]));
        for made in tiny().payer.plans() {
            let id = made.id.to_string();
            let results = document["results"].as_array().unwrap();
            let result = results.iter().find(|result| result["plan"] == id.as_str()).unwrap();
            for field in ["plan", "name", "type", "audience", "year", "networks", "formulary"] {
                assert!(result.get(field).is_some(), "{field}: {result}");
            }
            assert_eq!(result["formulary"], made.kind.has_rows(), "{result}");
            for network in result["networks"].as_array().unwrap() {
                assert!(network["system"].is_string() && network["id"].is_string() && network["kind"].is_string());
            }
        }
    }

    #[test]
    fn drugs_carry_coverage_only_under_a_plan() {
        let dataset = &opened().dataset;
        let package = tiny().payer.package(0).unwrap();
        let text = package.ndc11.to_string();
        let search = |plan| DrugSearch { text: text.clone(), limit: 10, plan, codes: true, ..DrugSearch::default() };
        let page = dataset.search_drugs(&search(None)).unwrap();
        let document = value(&Document::of(&DrugDocument { page: &page, also: Vec::new() }).unwrap());
        assert_eq!(document["query"], text.as_str());
        let result = &document["results"][0];
        for field in ["name", "product_ndcs", "rxcui", "ndc11", "brand", "ingredient", "strength", "form"] {
            assert!(result.get(field).is_some(), "{field}: {result}");
        }
        assert!(result.get("status").is_none() && document.get("also").is_none());
        assert!(result["ndc11"].as_array().unwrap().contains(&Value::from(text.as_str())));

        let meant = tiny().datasets.resolve_plan(&tiny().payer.plans()[0].id.to_string()).unwrap();
        let page = dataset.search_drugs(&search(Some(meant[0].plan.clone()))).unwrap();
        let document = value(&Document::of(&page).unwrap());
        let result = &document["results"][0];
        for field in [
            "status",
            "reason",
            "tier",
            "varies",
            "prior_authorization",
            "step_therapy",
            "quantity_limit",
            "listed",
            "not_on_this_list",
        ] {
            assert!(result.get(field).is_some(), "{field}: {result}");
        }
    }

    #[test]
    fn info_adds_up() {
        let sizes = opened().dataset.sizes().unwrap();
        let dataset = &opened().dataset;
        let mut info = dataset.info().unwrap();
        info.sizes = Some(sizes);
        let document = value(&Document::of(&info).unwrap());
        for field in ["dataset", "format", "as_of", "sources", "counts", "report", "sizes"] {
            assert!(document.get(field).is_some(), "{field}: {document}");
        }
        let resources = document["report"]["resources"].as_array().unwrap();
        assert!(resources.len() >= 4);
        for resource in resources {
            let of = |field: &str| resource[field].as_u64().unwrap();
            assert_eq!(of("received"), of("used") + of("folded") + of("quarantined") + of("of_no_use"), "{resource}");
        }
        // Pages of the tables and the header's share make up the database file.
        let tables = document["sizes"]["tables"].as_array().unwrap();
        let in_tables: u64 = tables.iter().map(|table| table["bytes"].as_u64().unwrap()).sum();
        let files = document["sizes"]["files"].as_array().unwrap();
        let database = files.iter().find(|file| file["path"] == "coverdex.sqlite").unwrap();
        assert_eq!(in_tables, database["bytes"].as_u64().unwrap());
    }
}
