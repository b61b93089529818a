//! A payer that is handed to the project from outside: its questions, asked of datasets built from it
//! by the script that comes with it.
//!
//! `COVERDEX_PAYER` names a folder that holds `small` and `full`, `COVERDEX_CHECK` the script,
//! `COVERDEX_KINDS` the kinds of questions (`ab` if not said). Where they are not there, nothing is
//! checked, and that is said.

use std::path::{Path, PathBuf};
use std::process::Command;

use coverdex_tests::command::{self, run};
use coverdex_tests::dataset::scratch;

/// Where a setting leads: what the environment says, else a place beside the workspace.
fn place(variable: &str, beside: &str) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let path = std::env::var_os(variable).map_or_else(|| root.join(beside), PathBuf::from);
    if path.exists() { Ok(path) } else { Err(format!("no {}: {variable} names another place", path.display())) }
}

fn check(snapshot: &str) {
    let places = place("COVERDEX_PAYER", "../shared/payer")
        .and_then(|payer| Ok((payer, place("COVERDEX_CHECK", "../shared/check/answers.py")?)))
        .and_then(|(payer, script)| {
            let snapshot = payer.join(snapshot);
            if snapshot.is_dir() { Ok((snapshot, script)) } else { Err(format!("no {}", snapshot.display())) }
        })
        .and_then(|places| {
            let python = Command::new("python3").arg("--version").output();
            python.map(|_| places).map_err(|e| format!("python3 does not start: {e}"))
        });
    let (snapshot, script) = match places {
        Ok(places) => places,
        Err(why) => {
            crate::say(&format!("NOT RUN: the questions of the handed payer ({snapshot}): {why}"));
            return;
        }
    };
    let kinds = std::env::var("COVERDEX_KINDS").unwrap_or_else(|_| "ab".to_owned());
    let folder = scratch();
    let store = folder.path().join("store").display().to_string();
    let built = run(&["build", "--json", "--from", &snapshot.display().to_string(), "--out", &store]);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let output = Command::new("python3")
        .arg(&script)
        .arg("--coverdex")
        .arg(command::executable().unwrap())
        .args(["--data", &store, "--kinds", &kinds, "--snapshot"])
        .arg(&snapshot)
        .output()
        .unwrap();
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    crate::say(&format!(
        "handed payer, {}: {}",
        snapshot.display(),
        said.lines().take(8).collect::<Vec<_>>().join("; ")
    ));
    assert!(output.status.success(), "{said}\n{complained}");
}

#[test]
fn the_small_snapshot_is_answered_right() {
    check("small");
}

#[test]
fn the_full_snapshot_is_answered_right() {
    check("full");
}
