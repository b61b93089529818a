//! An update that is killed at any moment leaves what was live, and the same command goes on.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use coverdex_tests::command;
use coverdex_tests::dataset::copy;

use super::server::Server;
use super::{PRESS, Shelf, text};

const ROUNDS: u32 = 24;

fn start(server: &Server, shelf: &Shelf) -> Child {
    let mut update = command::coverdex();
    update.args(["update", "--from", &server.url, "--store", &text(&shelf.path()), "--key", &PRESS.keys.line]);
    update.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn an_update_that_is_killed_at_any_moment_leaves_what_was_live() {
    let server = Server::of(&PRESS.publications[0]);
    let shelf = Shelf::new();
    assert!(start(&server, &shelf).wait().unwrap().success());
    let first = Shelf::new();
    copy(&shelf.path(), &first.path());
    let begun = Instant::now();
    server.serve(&PRESS.publications[1]);
    assert!(start(&server, &shelf).wait().unwrap().success());
    let mut whole = begun.elapsed();
    let (mut died, mut half, mut through) = (0, 0, 0);
    for n in 0..ROUNDS {
        // The first is live; the second comes, once or twice killed.
        let shelf = Shelf::new();
        copy(&first.path(), &shelf.path());
        for again in 0..=n % 2 {
            let mut update = start(&server, &shelf);
            let part = (n * 37 + again * 11) % 100;
            std::thread::sleep(whole * part / 100 + Duration::from_micros(u64::from(n * 131 % 1_000)));
            update.kill().unwrap();
            let ended = update.wait().unwrap();
            died += u32::from(!ended.success());
            if ended.success() {
                // The machine has become quicker: kills must not all come too late.
                whole = whole * 4 / 5;
            }
            half += u32::from(shelf.inside().iter().any(|name| name.starts_with('.') && name != ".lock"));
            let (live, number) = (shelf.live().unwrap(), shelf.number().unwrap());
            assert_eq!(number, live as u64 + 1, "what is live is known by its number");
            assert!(live == 1 || !ended.success(), "an update that says it is done is live");
            through += u32::from(live == 1);
        }
        assert!(start(&server, &shelf).wait().unwrap().success(), "round {n} does not go on");
        assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(2)), "round {n}");
        assert_eq!(shelf.inside(), [".lock", "CURRENT", "PUBLISHED"], "round {n}");
    }
    assert!(died > ROUNDS / 4 && half > 3, "{died} died, {half} in the middle, {through} got through");
    crate::say(&format!("{died} updates killed, {half} in the middle, 0 stores not whole"));
}
