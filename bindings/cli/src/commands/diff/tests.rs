use std::path::Path;
use std::sync::OnceLock;

use super::*;
use crate::output::Look;
use crate::testing::tiny;
use coverdex_core::DatasetDiff;

/// The tiny payer and itself, with all of its drugs under one plan's list taken as changes: they say what a page says.
fn of_tiny(change: impl FnOnce(&mut DiffQuestion)) -> DatasetDiff {
    let dataset = &tiny().datasets.all()[0].dataset;
    let mut question = DiffQuestion { limit: Some(5), ..DiffQuestion::default() };
    change(&mut question);
    dataset.diff(dataset, &question).unwrap()
}

#[test]
fn one_dataset_did_not_change() {
    static SAME: OnceLock<DatasetDiff> = OnceLock::new();
    let diff = SAME.get_or_init(|| of_tiny(|_| {}));
    assert!(diff.is_empty());
    for width in [60, 100, 200] {
        let text = tables::render(Look { width, color: false }, diff);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(width), "{width} columns: {widest}\n{text}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Nothing changed of what was asked") && words.contains("the same dataset"), "{text}");
    }
    assert_eq!(lines::csv(diff).unwrap().lines().count(), 1);
    let document = Document::of(diff).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&document.0).unwrap();
    assert_eq!((&document["same"], &document["plans"]["came"]), (&true.into(), &serde_json::json!([])));
}

#[test]
fn what_is_not_asked_for_is_null() {
    let document =
        |diff: &DatasetDiff| -> serde_json::Value { serde_json::from_slice(&Document::of(diff).unwrap().0).unwrap() };
    let drugs = document(&of_tiny(|question| question.without_providers = true));
    assert!(drugs["providers"].is_null() && drugs["drug_lists"].is_array());
    let providers = document(&of_tiny(|question| question.without_drugs = true));
    assert!(providers["providers"].is_object() && providers["drug_lists"].is_null());
    let network = document(&of_tiny(|question| question.network = Some(crate::testing::network(0))));
    assert!(network["plans"].is_null() && network["drug_lists"].is_null());
    assert_eq!(network["providers"]["networks"].as_array().unwrap().len(), 1);
}

#[test]
fn a_folder_that_is_no_dataset_is_named() {
    let error = Dataset::open(Path::new("no/such/folder")).unwrap_err();
    assert!(error.subject().contains("no/such/folder"), "{error}");
}
