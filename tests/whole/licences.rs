//! Licences and second versions of all dependencies, against deny.toml.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Every package that any platform's build may use; where crates of other platforms cannot be had,
/// those of this one.
fn packages() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let metadata = |arguments: &[&str]| -> Result<Vec<Value>, String> {
        let output = Command::new(&cargo)
            .args(["metadata", "--locked", "--format-version", "1"])
            .args(arguments)
            .current_dir(root())
            .output()
            .map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        let mut document: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
        match document["packages"].take() {
            Value::Array(packages) => Ok(packages),
            other => Err(format!("no packages: {other}")),
        }
    };
    let host = || {
        let version = Command::new("rustc").arg("-vV").output().map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&version.stdout).into_owned();
        text.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned)).ok_or(text)
    };
    metadata(&["--offline"])
        .or_else(|_| metadata(&[]))
        .or_else(|why| {
            crate::say(&format!("NOT RUN: licences of other platforms' dependencies: {why}"));
            metadata(&["--offline", "--filter-platform", &host()?])
        })
        .unwrap()
}

fn settings() -> toml::Table {
    fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap()
}

/// Whether an SPDX expression can be met by licences that are allowed. `/` is how older crates write OR.
fn is_met(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let met = any_of(&mut rest, allowed);
    assert!(rest.is_empty(), "not understood: {expression:?} from {rest:?}");
    met
}

fn any_of(rest: &mut &[&str], allowed: &BTreeSet<&str>) -> bool {
    let mut met = all_of(rest, allowed);
    while let ["OR", after @ ..] = rest {
        *rest = after;
        met |= all_of(rest, allowed);
    }
    met
}

fn all_of(rest: &mut &[&str], allowed: &BTreeSet<&str>) -> bool {
    let mut met = one(rest, allowed);
    while let ["AND", after @ ..] = rest {
        *rest = after;
        met &= one(rest, allowed);
    }
    met
}

fn one(rest: &mut &[&str], allowed: &BTreeSet<&str>) -> bool {
    match *rest {
        ["(", after @ ..] => {
            *rest = after;
            let met = any_of(rest, allowed);
            let [")", after @ ..] = *rest else { panic!("no closing bracket before {rest:?}") };
            *rest = after;
            met
        }
        [licence, "WITH", exception, after @ ..] => {
            *rest = after;
            allowed.contains(format!("{licence} WITH {exception}").as_str())
        }
        [licence, after @ ..] => {
            *rest = after;
            allowed.contains(licence)
        }
        [] => panic!("an expression that ends too early"),
    }
}

#[test]
fn expressions_are_understood() {
    let allowed = BTreeSet::from(["MIT", "Apache-2.0", "ISC"]);
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("MIT/Apache-2.0", true),
        ("Apache-2.0 / MPL-2.0", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND ISC", true),
        ("MIT OR GPL-3.0 AND ISC", true),
        ("(MIT OR ISC) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception", false),
        ("Apache-2.0 WITH LLVM-exception OR MIT", true),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed() {
    let settings = settings();
    let allowed: BTreeSet<&str> =
        settings["licenses"]["allow"].as_array().unwrap().iter().map(|licence| licence.as_str().unwrap()).collect();
    let packages = packages();
    assert!(packages.len() > 50, "{}", packages.len());
    let mut refused = Vec::new();
    for package in &packages {
        let named = format!("{} {}", package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        match package["license"].as_str() {
            Some(expression) if is_met(expression, &allowed) => {}
            Some(expression) => refused.push(format!("{named}: {expression}")),
            None => refused.push(format!("{named}: states no licence")),
        }
    }
    assert!(refused.is_empty(), "licences that deny.toml does not allow: {refused:#?}");
    // What is ours says what it is.
    let ours = packages.iter().filter(|package| package["source"].is_null());
    assert!(ours.clone().count() >= 5);
    for package in ours {
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{}", package["name"]);
    }
}

#[test]
fn second_versions_are_known_and_have_a_reason() {
    let settings = settings();
    let skipped: BTreeMap<&str, &str> = settings["bans"]["skip"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["crate"].as_str().unwrap(), entry["reason"].as_str().unwrap_or_default()))
        .collect();
    assert!(skipped.values().all(|reason| reason.len() > 3), "a reason is missing: {skipped:?}");
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        let text = |field: &str| package[field].as_str().unwrap().to_owned();
        versions.entry(text("name")).or_default().insert(text("version"));
    }
    let is_skipped = |name: &str, version: &String| skipped.contains_key(format!("{name}@{version}").as_str());
    let unknown: Vec<(&String, Vec<&String>)> = versions
        .iter()
        .map(|(name, all)| (name, all.iter().filter(|version| !is_skipped(name, version)).collect::<Vec<_>>()))
        .filter(|(_, left)| left.len() > 1)
        .collect();
    assert!(unknown.is_empty(), "several versions of a crate: {unknown:?}");
    let needed = |entry: &&&str| {
        let (name, version) = entry.split_once('@').unwrap();
        versions.get(name).is_some_and(|all| all.len() > 1 && all.contains(version))
    };
    let stale: Vec<&&str> = skipped.keys().filter(|entry| !needed(entry)).collect();
    assert!(stale.is_empty(), "not needed in deny.toml any more: {stale:?}");
}

/// The reader that a phone links writes nothing, knows no network and waits for nothing.
#[test]
fn the_reader_links_no_network_and_no_async() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "tree",
            "--locked",
            "--offline",
            "-p",
            "coverdex-core",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains("tantivy") && names.contains("coverdex-core"), "{names:?}");
    for banned in
        ["tokio", "reqwest", "hyper", "rustls", "axum", "async-std", "clap", "coverdex-sync", "flate2", "zstd"]
    {
        assert!(!names.contains(banned), "coverdex-core links {banned}");
    }
}
