//! What is published is taken: whole, by what differs, from a server, a folder and a file; and rolled back.

use std::fs;

use coverdex_core::{Dataset, Store};
use coverdex_sync::publish::{DOCUMENT, Publication};
use coverdex_tests::command::{self, run};
use coverdex_tests::dataset::{copy, scratch};
use serde_json::Value;

use super::server::{Manner, Server};
use super::{PRESS, Shelf, refusal, text};

#[test]
fn a_store_is_brought_up_to_date_with_what_differs() {
    let (server, shelf) = (Server::of(&PRESS.publications[0]), Shelf::new());
    let first = shelf.update(&server.url, &[]);
    assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""), "{first:?}");
    let document = first.json();
    let files = Dataset::open(&PRESS.datasets[0]).unwrap().manifest().files.len() as u64;
    assert_eq!((&document["up_to_date"], &document["expired"]), (&false.into(), &false.into()));
    assert_eq!(document["whole"], files + 1, "the manifest too: {document}");
    assert_eq!(document["publication"]["key"], PRESS.keys.id.as_str());
    assert_eq!(document["before"], Value::Null);
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
    assert_eq!(shelf.inside(), [".lock", "CURRENT", "PUBLISHED"]);
    let asked = server.asked();
    assert_eq!(asked[0].0, "publication.json", "{asked:?}");
    assert_eq!(asked[1].0, "publication.json.minisig", "{asked:?}");
    assert!(asked.len() as u64 <= files + 3, "{asked:?}");

    // Nothing new: nothing but the document and its signature is fetched.
    let again = shelf.update(&server.url, &[]).json();
    assert_eq!((&again["up_to_date"], &again["fetched_bytes"]), (&true.into(), &0.into()), "{again}");
    assert_eq!(server.asked().len(), 2);

    server.serve(&PRESS.publications[1]);
    let second = shelf.update(&server.url, &[]);
    assert_eq!(second.code, Some(0), "{second:?}");
    let second = second.json();
    assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(2)));
    assert_eq!(second["before"]["number"], 1);
    let [unchanged, by_delta, whole] = ["unchanged", "by_delta", "whole"].map(|name| second[name].as_u64().unwrap());
    assert!(unchanged > 0 && by_delta > 0, "{second}");
    assert_eq!(unchanged + by_delta + whole, files + 1, "{second}");
    assert_eq!(server.asked().len() as u64, 2 + by_delta + whole);
    assert!(second["fetched_bytes"].as_u64() < document["fetched_bytes"].as_u64(), "{second}");

    // The same dataset, published once more: its number is noted, nothing is fetched.
    server.serve(&PRESS.publications[2]);
    let third = shelf.update(&server.url, &[]).json();
    assert_eq!(
        (&third["up_to_date"], &third["was_there"], &third["fetched_bytes"]),
        (&false.into(), &true.into(), &0.into())
    );
    assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(3)));
}

#[test]
fn what_is_rolled_back_comes_again_only_when_asked_for() {
    let (server, shelf) = (Server::of(&PRESS.publications[0]), Shelf::new());
    assert_eq!(shelf.update(&server.url, &[]).code, Some(0));
    server.serve(&PRESS.publications[1]);
    assert_eq!(shelf.update(&server.url, &[]).code, Some(0));
    let store = text(&shelf.path());
    assert_eq!(run(&["rollback", &store]).code, Some(0));
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));

    let (kind, error) = refusal(&shelf.update(&server.url, &[]));
    assert_eq!(kind, "refused");
    assert!(error.contains("number 2 was rolled back") && error.contains("--again"), "{error}");
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
    // The one that is live is no news.
    server.serve(&PRESS.publications[0]);
    assert_eq!(shelf.update(&server.url, &[]).json()["up_to_date"], true);
    server.serve(&PRESS.publications[1]);
    assert_eq!(shelf.update(&server.url, &["--again"]).code, Some(0));
    assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(2)));

    assert_eq!(run(&["rollback", &store]).code, Some(0));
    server.serve(&PRESS.publications[2]);
    let newer = shelf.update(&server.url, &[]);
    assert_eq!(newer.code, Some(0), "what is newer than what was rolled back is taken: {newer:?}");
    assert!(newer.stderr.contains("number 2 was rolled back here; 3 is newer"), "{newer:?}");
    assert!(newer.json()["remarks"][0].as_str().unwrap().contains("rolled back"));
    assert_eq!(shelf.number(), Some(3));
}

#[test]
fn a_folder_and_one_file_are_taken_like_a_server() {
    let folder = scratch();
    let file = text(&folder.path().join("larkspur.coverdex"));
    let from = text(&PRESS.datasets[0]);
    let packed = run(&["pack", &from, "--out", &file, "--series", "Larkspur", "--number", "1", "--json"]);
    assert_eq!(packed.code, Some(0), "{packed:?}");
    assert_eq!(packed.json()["publication"]["number"], 1);
    // Unsigned, it is taken from anybody, and that is said.
    let shelf = Shelf::new();
    let store = text(&shelf.path());
    let unproved = run(&["install", &file, "--store", &store, "--json"]);
    assert_eq!(unproved.code, Some(0), "{unproved:?}");
    assert!(unproved.stderr.contains("nothing proved"), "{unproved:?}");
    assert_eq!(unproved.json()["publication"]["key"], Value::Null);
    assert_eq!(refusal(&run(&["verify", &store, "--key", &PRESS.keys.line, "--json"])).0, "refused");

    let secret = text(&PRESS.keys.secret);
    let signed = run(&["sign", &file, "--key", &secret, "--json"]);
    assert_eq!(signed.json()["publication"]["key"], PRESS.keys.id.as_str(), "{signed:?}");
    let proved = run(&["verify", &file, "--key", &PRESS.keys.line, "--json"]);
    assert_eq!(proved.code, Some(0), "{proved:?}");
    assert_eq!(proved.json()["dataset"], packed.json()["dataset"]);
    let shelf = Shelf::new();
    let store = text(&shelf.path());
    let public = text(&PRESS.keys.public);
    let installed = run(&["install", &file, "--into", &store, "--key", &public, "--json"]);
    assert_eq!((installed.code, shelf.live()), (Some(0), Some(0)), "{installed:?}");
    assert_eq!(shelf.inside(), [".lock", "CURRENT", "PUBLISHED"]);

    // From a folder, by what differs.
    let updated = shelf.update(&PRESS.publications[1], &[]);
    assert!(updated.json()["by_delta"].as_u64().unwrap() > 0, "{updated:?}");
    assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(2)));
    // What a store keeps proves its dataset, years later.
    let proved = run(&["verify", &store, "--key", &public, "--json"]);
    assert_eq!((proved.code, &proved.json()["publication"]["number"]), (Some(0), &2.into()), "{proved:?}");
    let other = text(&PRESS.other_keys.public);
    assert_eq!(refusal(&run(&["verify", &store, "--key", &other, "--json"])).0, "refused");
    for shown in [run(&["verify", &store, "--key", &public]), run(&["verify", &file, "--key", &public])] {
        assert!(shown.stdout.contains(&format!("proved by key {}", PRESS.keys.id)), "{shown:?}");
    }
}

#[test]
fn what_was_begun_goes_on_where_it_ended() {
    let (server, shelf) = (Server::of(&PRESS.publications[0]), Shelf::new());
    // Every connection breaks early: four attempts are not enough for all files, but for some bytes.
    server.behave(Manner { breaks_after: Some(3_000), ..Manner::default() });
    let mut failed = 0;
    while shelf.live().is_none() {
        let ran = shelf.update(&server.url, &[]);
        if ran.code == Some(0) {
            break;
        }
        failed += 1;
        let (kind, error) = refusal(&ran);
        assert_eq!((ran.code, kind.as_str()), (Some(4), "sync"), "{error}");
        assert!(error.contains("goes on") && shelf.inside().contains(&".fetched".to_owned()), "{error}");
        if failed == 2 {
            server.behave(Manner::default());
        }
    }
    assert_eq!((failed, shelf.live()), (2, Some(0)));
    let asked = server.asked();
    let later: Vec<_> = asked.iter().filter(|(path, from)| path.starts_with("blobs/") && *from > 0).collect();
    assert!(later.len() >= 4, "{asked:?}");
    assert!(!shelf.inside().contains(&".fetched".to_owned()));

    // A server that knows no ranges begins anew.
    let shelf = Shelf::new();
    server.behave(Manner { breaks_after: Some(3_000), ..Manner::default() });
    assert_eq!(shelf.update(&server.url, &[]).code, Some(4));
    server.behave(Manner { ignores_ranges: true, ..Manner::default() });
    let ran = shelf.update(&server.url, &[]);
    assert_eq!((ran.code, shelf.live()), (Some(0), Some(0)), "{ran:?}");

    // What was kept and is not right is thrown away.
    let shelf = Shelf::new();
    server.behave(Manner { breaks_after: Some(3_000), ..Manner::default() });
    assert_eq!(shelf.update(&server.url, &[]).code, Some(4));
    let kept: Vec<_> =
        fs::read_dir(shelf.path().join(".fetched")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for path in kept {
        super::flip(&path, 10);
    }
    server.behave(Manner::default());
    let ran = shelf.update(&server.url, &[]);
    assert_eq!((ran.code, shelf.live()), (Some(0), Some(0)), "{ran:?}");
}

#[test]
fn the_same_dataset_packs_to_the_same_bytes() {
    let folder = scratch();
    let again = folder.path().join("again");
    let (from, out) = (text(&PRESS.datasets[0]), text(&again));
    assert_eq!(run(&["pack", &from, "--out", &out, "--series", "Other"]).code, Some(0));
    let names = |of: &std::path::Path| {
        let mut names: Vec<_> =
            fs::read_dir(of.join("blobs")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&again), names(&PRESS.publications[0]));
    for name in names(&again) {
        let bytes = |of: &std::path::Path| fs::read(of.join("blobs").join(&name)).unwrap();
        assert!(bytes(&again) == bytes(&PRESS.publications[0]), "{name:?}");
    }
    // What is there is not written over, and nothing half-written stays.
    let (kind, error) = refusal(&run(&["pack", &from, "--out", &out, "--series", "Other", "--json"]));
    assert_eq!(kind, "invalid_input", "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn numbers_rise_and_a_series_stays() {
    let of = |n: usize| Publication::parse(&fs::read(PRESS.publications[n].join(DOCUMENT)).unwrap()).unwrap();
    assert_eq!([of(0).number, of(1).number, of(2).number], [1, 2, 3]);
    assert!(of(0).files.iter().all(|file| file.content.deltas.is_empty()));
    assert!(of(1).files.iter().any(|file| !file.content.deltas.is_empty()));
    assert!(of(2).files.iter().all(|file| file.content.deltas.is_empty()), "nothing differs from the second");
    let folder = scratch();
    let (from, out, former) = (text(&PRESS.datasets[1]), text(&folder.path().join("x")), text(&PRESS.publications[1]));
    let pack = |more: &[&str]| run(&[&["pack", &from, "--out", &out, "--former", &former, "--json"], more].concat());
    for (more, says) in [
        (&["--series", "Larkspur", "--number", "2"][..], "begin at 3"),
        (&["--series", "Other"], "Larkspur"),
        (&["--series", " "], "visible"),
        (&["--series", "Larkspur", "--expires", "yesterday"], "45"),
        (&["--series", "Larkspur", "--number", "9007199254740992"], "between"),
    ] {
        let (kind, error) = refusal(&pack(more));
        assert!(kind == "invalid_input" && error.contains(says), "{more:?}: {error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_locally_built_dataset_has_no_publication_and_is_followed_by_any() {
    let shelf = Shelf::new();
    let store = text(&shelf.path());
    assert_eq!(run(&["install", &text(&PRESS.datasets[1]), "--into", &store]).code, Some(0));
    assert_eq!(Store::open(&store).unwrap().published().unwrap(), None);
    assert_eq!(shelf.update(&PRESS.publications[0], &[]).code, Some(0));
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
    assert_eq!(run(&["rollback", &store]).code, Some(0));
    assert_eq!((shelf.live(), shelf.number()), (Some(1), None));
}

#[test]
fn files_that_are_shared_outlive_the_dataset_before() {
    let shelf = Shelf::new();
    for n in 0..2 {
        assert_eq!(shelf.update(&PRESS.publications[n], &[]).code, Some(0));
    }
    Store::open(shelf.path()).unwrap().remove_former().unwrap();
    assert_eq!(shelf.live(), Some(1));
    // Damage in the live dataset is seen, and mended from the publication.
    let live = Store::open(shelf.path()).unwrap().live().unwrap();
    let path = live.join("coverdex.sqlite");
    let whole = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let mended = shelf.update(&PRESS.publications[1], &[]);
    assert_eq!((mended.code, shelf.live()), (Some(0), Some(1)), "{mended:?}");
    assert!(mended.stderr.contains("is damaged"), "{mended:?}");
}

#[test]
fn keys_are_for_their_owner_and_a_password_must_be_right() {
    let folder = scratch();
    let name = text(&folder.path().join("mine"));
    assert_eq!(refusal(&run(&["keys", &name, "--json"])).0, "invalid_input", "nobody can be asked here");
    let made = run(&["keys", &name, "--no-password", "--json"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert_eq!(refusal(&run(&["keys", &name, "--no-password", "--json"])).0, "invalid_input", "it is there already");
    let public = folder.path().join("public");
    copy(&PRESS.publications[0], &public);
    let (secret, public) = (format!("{name}.key"), text(&public));
    assert_eq!(run(&["sign", &public, "--key", &secret]).code, Some(0));
    assert_eq!(run(&["verify", &public, "--key", made.json()["public_key"].as_str().unwrap()]).code, Some(0));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |mode| fs::set_permissions(&secret, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
        mode(0o644);
        let (_, error) = refusal(&run(&["sign", &public, "--key", &secret, "--json"]));
        assert!(error.contains("chmod 600"), "{error}");
        mode(0o600);
    }
    let (kind, error) = refusal(&run(&["sign", &public, "--key", &format!("{name}.pub"), "--json"]));
    assert_eq!(kind, "invalid_input", "{error}");
    // With a password, from the environment.
    let with = |password: &str, arguments: &[&str]| {
        command::coverdex().args(arguments).env("COVERDEX_KEY_PASSWORD", password).output().unwrap()
    };
    let locked = text(&folder.path().join("locked"));
    assert!(with("a long one", &["keys", &locked]).status.success());
    let sign = ["sign", &public, "--key", &format!("{locked}.key"), "--json"];
    assert_eq!(refusal(&run(&sign)).0, "invalid_input", "nobody can be asked here");
    let wrong = with("another", &sign);
    assert!(String::from_utf8_lossy(&wrong.stdout).contains("Wrong password"), "{wrong:?}");
    assert_eq!(run(&["verify", &public, "--key", made.json()["public_key"].as_str().unwrap()]).code, Some(0));
    assert!(with("a long one", &sign).status.success());
    assert_eq!(run(&["verify", &public, "--key", &format!("{locked}.pub")]).code, Some(0));
}
