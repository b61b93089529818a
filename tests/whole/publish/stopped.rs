//! An update or an install that is stopped by Ctrl-C ends soon, says how to go on, and leaves what was live.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use coverdex_tests::command;

use super::server::{Manner, Server};
use super::{PRESS, Shelf, text};

/// Starts the command, has it stopped once `is_under_way`, and gives what it said.
fn stopped(arguments: &[&str], is_under_way: impl Fn() -> bool) -> Output {
    let mut started = command::coverdex();
    started.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = started.spawn().unwrap();
    let begun = Instant::now();
    while !is_under_way() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not get under way");
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = Instant::now();
    let pressed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(pressed.success());
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(10), "it goes on for {:?}", asked.elapsed());
    output
}

/// Bytes of what was fetched in part.
fn fetched(shelf: &Shelf) -> u64 {
    let files = fs::read_dir(shelf.path().join(".fetched")).into_iter().flatten().flatten();
    let files = files.filter(|file| file.path().extension().is_some_and(|end| end == "part"));
    files.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
}

#[test]
fn an_update_that_is_stopped_says_how_to_go_on() {
    let server = Server::of(&PRESS.publications[0]);
    let shelf = Shelf::new();
    let (store, url) = (text(&shelf.path()), server.url.clone());
    let update = ["update", "--from", &url, "--store", &store, "--key", &PRESS.keys.line];
    // First nothing is live, then the first publication is.
    for (number, before) in [(0, None), (1, Some(0))] {
        server.serve(&PRESS.publications[number]);
        // Less than half of the smallest file that differs.
        server.behave(Manner { stalls_after: Some(40), ..Manner::default() });
        for is_json in [false, true] {
            let arguments = [&update[..], if is_json { &["--json"] } else { &[] }].concat();
            let there = fetched(&shelf);
            let ended = stopped(&arguments, || fetched(&shelf) > there);
            let [out, err] = [&ended.stdout, &ended.stderr].map(|said| String::from_utf8_lossy(said).into_owned());
            assert_eq!(ended.status.code(), Some(4), "{out} {err}");
            let said = if is_json { &out } else { &err };
            let is_live = if before.is_some() { "is live as before" } else { "no dataset is live in it yet" };
            for words in ["stopped", is_live, "goes on where this one ended", &store] {
                assert!(said.contains(words), "{words}: {out} {err}");
            }
            assert_eq!(is_json, out.contains("\"kind\":\"interrupted\""), "{out} {err}");
            assert_eq!(is_json, !err.contains("Stopping."), "{out} {err}");
            assert_eq!(shelf.live(), before);
            assert!(fetched(&shelf) > there, "what came is kept");
            assert!(!shelf.inside().contains(&".building-dataset".to_owned()), "{:?}", shelf.inside());
        }
        server.behave(Manner::default());
        server.asked();
        let ran = command::run(&update);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(shelf.live(), Some(number));
        let asked = server.asked();
        assert!(asked.iter().any(|(_, from)| *from > 0), "what had come is not asked for again: {asked:?}");
    }
}
