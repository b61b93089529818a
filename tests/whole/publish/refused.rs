//! What is not what was signed, or must not follow what was here, is refused, and nothing changes.

use std::fs;
use std::path::{Path, PathBuf};

use coverdex_sync::publish::{DOCUMENT, Publication, SIGNATURE};
use coverdex_tests::command::run;
use coverdex_tests::dataset::{copy, scratch};

use super::server::{Manner, Server};
use super::{PRESS, Shelf, cut, edited, flip, refusal, text};

/// A store where the first publication is live.
fn first() -> Shelf {
    let shelf = Shelf::new();
    let ran = shelf.update(&PRESS.publications[0], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    shelf
}

/// The largest file of a folder of a publication.
fn largest(publication: &Path, folder: &str) -> PathBuf {
    let paths = fs::read_dir(publication.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    paths.max_by_key(|path| path.metadata().unwrap().len()).unwrap()
}

#[test]
fn an_altered_or_missing_byte_anywhere_is_seen() {
    let (folder, shelf) = (scratch(), first());
    let server = Server::of(&PRESS.publications[1]);
    let broken = folder.path().join("broken");
    let of = |name: &str| broken.join(name);
    let blob = largest(&PRESS.publications[1], "blobs").strip_prefix(&PRESS.publications[1]).unwrap().to_owned();
    let changes: [(&str, &str, &dyn Fn()); 9] = [
        ("json", "publication.json", &|| flip(&of(DOCUMENT), 200)),
        ("json cut", "publication.json", &|| cut(&of(DOCUMENT), 10)),
        ("signature", "publication.json", &|| flip(&of(SIGNATURE), 150)),
        ("signature cut", "publication.json", &|| cut(&of(SIGNATURE), 40)),
        ("trusted comment", "publication.json", &|| {
            let signature = fs::read_to_string(of(SIGNATURE)).unwrap();
            fs::write(of(SIGNATURE), signature.replace("publication 2", "publication 3")).unwrap();
        }),
        ("another's signature", "belong to two", &|| {
            fs::copy(PRESS.publications[0].join(SIGNATURE), of(SIGNATURE)).unwrap();
        }),
        ("another's document", "belong to two", &|| {
            fs::copy(PRESS.publications[0].join(DOCUMENT), of(DOCUMENT)).unwrap();
        }),
        ("blob", "altered", &|| flip(&broken.join(&blob), 700)),
        ("blob cut", "cut short", &|| cut(&broken.join(&blob), 1)),
    ];
    for (what, says, change) in changes {
        let _ = fs::remove_dir_all(&broken);
        copy(&PRESS.publications[1], &broken);
        let _ = fs::remove_dir_all(of("deltas"));
        change();
        let is_blob = what.starts_with("blob");
        let (kind, error) = refusal(&run(&["verify", &text(&broken), "--key", &PRESS.keys.line, "--json"]));
        assert!(kind == "dataset_damaged" && (error.contains(says) || error.contains("not there")), "{what}: {error}");
        let (kind, error) = refusal(&shelf.update(&broken, &[]));
        assert!(kind == "dataset_damaged" && error.contains(says), "{what}: {error}");
        server.serve(&broken);
        let served = shelf.update(&server.url, &[]);
        let (kind, error) = refusal(&served);
        let wanted = if what == "blob cut" { "sync" } else { "dataset_damaged" };
        assert!(kind == wanted && (is_blob || error.contains(says)), "{what}, served: {error}");
        assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)), "{what}");
    }
}

#[test]
fn a_delta_that_is_altered_is_refused_and_the_whole_file_fetched() {
    let folder = scratch();
    let broken = folder.path().join("broken");
    let changes: [fn(&Path); 3] = [|path| flip(path, 20), |path| cut(path, 1), |path| fs::remove_file(path).unwrap()];
    for (n, change) in changes.into_iter().enumerate() {
        let shelf = first();
        let _ = fs::remove_dir_all(&broken);
        copy(&PRESS.publications[1], &broken);
        change(&largest(&broken, "deltas"));
        let (kind, error) = refusal(&run(&["verify", &text(&broken), "--key", &PRESS.keys.line, "--json"]));
        assert!(kind == "dataset_damaged" && error.contains("deltas/"), "{n}: {error}");
        let ran = shelf.update(&broken, &[]);
        assert_eq!(ran.code, Some(0), "{n}: {ran:?}");
        assert!(ran.stderr.contains("the delta was refused"), "{n}: {ran:?}");
        assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(2)), "{n}");
    }
}

#[test]
fn whom_one_does_not_trust_is_refused() {
    let shelf = first();
    let (kind, error) = refusal(&shelf.update_by(&PRESS.publications[1], &PRESS.other_keys.public, &[]));
    assert_eq!(kind, "refused");
    assert!(error.contains(&PRESS.keys.id) && error.contains(&PRESS.other_keys.id), "{error}");
    let store = text(&shelf.path());
    let second = text(&PRESS.publications[1]);
    for command in [&["install", &second, "--into", &store, "--json"][..], &["verify", &second, "--json"]] {
        let (kind, error) = refusal(&run(command));
        assert!(kind == "refused" && error.contains("nothing was proved") && error.contains("--key"), "{error}");
    }
    // Without its signature it is not signed: where a key has proved the one before, that is told.
    let folder = scratch();
    let unsigned = folder.path().join("unsigned");
    copy(&PRESS.publications[1], &unsigned);
    fs::remove_file(unsigned.join(SIGNATURE)).unwrap();
    let (kind, error) = refusal(&shelf.update(&unsigned, &[]));
    assert!(kind == "refused" && error.contains("not signed"), "{error}");
    let (kind, error) = refusal(&run(&["install", &text(&unsigned), "--into", &store, "--json"]));
    assert!(kind == "refused" && error.contains("proved by key"), "{error}");
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
    let (kind, error) =
        refusal(&run(&["install", &text(&PRESS.datasets[1]), "--into", &store, "--key", &PRESS.keys.line, "--json"]));
    assert!(kind == "refused" && error.contains("has no signature"), "{error}");
    // Said in so many words it is taken.
    let taken = run(&["install", &second, "--into", &store, "--unproved", "--json"]);
    assert_eq!((taken.code, shelf.number()), (Some(0), Some(2)), "{taken:?}");
    assert!(taken.stderr.contains("nothing proved"), "{taken:?}");
}

#[test]
fn what_is_older_or_of_another_series_is_refused_unless_named() {
    let folder = scratch();
    let shelf = first();
    assert_eq!(shelf.update(&PRESS.publications[1], &[]).code, Some(0));
    let (kind, error) = refusal(&shelf.update(&PRESS.publications[0], &[]));
    assert!(kind == "refused" && error.contains("older") && error.contains("--older 1"), "{error}");
    assert_eq!(refusal(&shelf.update(&PRESS.publications[0], &["--older", "7"])).0, "refused", "another number");
    assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(2)));
    assert_eq!(shelf.update(&PRESS.publications[0], &["--older", "1"]).code, Some(0));
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
    // What is live is not older than itself, and the newest that was here is not forgotten.
    assert_eq!(shelf.update(&PRESS.publications[0], &[]).json()["up_to_date"], true);

    let foreign =
        edited(&PRESS.publications[1], &folder.path().join("foreign"), |it| it.series = "Foxglove".to_owned());
    let (kind, error) = refusal(&shelf.update(&foreign, &[]));
    assert!(kind == "refused" && error.contains("Foxglove") && error.contains("Larkspur"), "{error}");
    assert_eq!(refusal(&shelf.update(&foreign, &["--series", "Daisy"])).0, "refused");
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
    assert_eq!(shelf.update(&foreign, &["--series", "Foxglove"]).code, Some(0));
    assert_eq!(shelf.live(), Some(1));
    let (kind, error) = refusal(&shelf.update(&PRESS.publications[0], &["--series", "Larkspur"]));
    assert!(kind == "refused" && error.contains("older"), "a detour makes nothing younger: {error}");
}

#[test]
fn another_dataset_under_a_number_that_was_live_is_refused_unless_named() {
    let folder = scratch();
    let pack = |name: &str, dataset: usize, number: u64| -> String {
        let out = text(&folder.path().join(name));
        let (from, number) = (text(&PRESS.datasets[dataset]), number.to_string());
        let pack = ["pack", &from, "--out", &out, "--series", "Larkspur", "--number", &number, "--expires", "9"];
        assert_eq!(run(&pack).code, Some(0));
        assert_eq!(run(&["sign", &out, "--key", &text(&PRESS.keys.secret)]).code, Some(0));
        out
    };
    let shelf = first();
    // Number 1 is live: the same dataset, signed once more, is the same; another one is not.
    assert_eq!(shelf.update(pack("same", 0, 1), &[]).json()["up_to_date"], true);
    let other = pack("other", 1, 1);
    let id = coverdex_core::Dataset::open(&PRESS.datasets[1]).unwrap().manifest().dataset.clone();
    for more in [&[][..], &["--again"], &["--older", "1"], &["--series", "Larkspur"], &["--republished", "0"]] {
        let (kind, error) = refusal(&shelf.update(&other, more));
        let says = ["another dataset", "number 1", "--republished", &id];
        assert!(kind == "refused" && says.iter().all(|words| error.contains(words)), "{more:?}: {error}");
        assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)), "{more:?}");
    }
    let ran = shelf.update(&other, &["--republished", &id]);
    assert_eq!((ran.code, shelf.live(), shelf.number()), (Some(0), Some(1), Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("was another dataset here"), "{ran:?}");
    // Now that one has the number.
    let (kind, error) = refusal(&shelf.update(&PRESS.publications[0], &[]));
    assert!(kind == "refused" && error.contains("another dataset"), "{error}");

    // The newest number is known when its dataset was rolled back and is gone.
    let shelf = first();
    assert_eq!(shelf.update(&PRESS.publications[1], &[]).code, Some(0));
    assert_eq!(run(&["rollback", &text(&shelf.path())]).code, Some(0));
    let other = pack("second", 0, 2);
    let (kind, error) = refusal(&shelf.update(&other, &["--again"]));
    assert!(kind == "refused" && error.contains("another dataset"), "{error}");
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
}

#[test]
fn what_has_expired_is_taken_with_a_warning() {
    let folder = scratch();
    let old = edited(&PRESS.publications[1], &folder.path().join("old"), |it| {
        it.expires = Some("2026-01-01T00:00:00Z".to_owned());
    });
    let shelf = Shelf::new();
    let ran = shelf.update(&old, &[]);
    assert_eq!((ran.code, shelf.live()), (Some(0), Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("expired on 2026-01-01"), "{ran:?}");
    assert_eq!(ran.json()["expired"], true);
}

#[test]
fn a_document_that_lies_of_its_files_is_refused() {
    let folder = scratch();
    let lies: [(&str, &str, fn(&mut Publication)); 5] = [
        ("more than is stated", "more than the", |it| {
            for file in &mut it.files {
                file.content.length = file.content.length.saturating_sub(1);
            }
        }),
        ("files of another dataset", "does not fit", |it| {
            it.files.pop();
        }),
        ("another dataset", "another dataset", |it| it.dataset = "0".repeat(64)),
        ("files changed about", "does not fit", |it| it.files.swap(0, 1)),
        ("a path that leads out", "does not fit", |it| it.files[0].path = "../../x".to_owned()),
    ];
    for (what, says, lie) in lies {
        let shelf = first();
        let lying = edited(&PRESS.publications[1], &folder.path().join(what), lie);
        let (kind, error) = refusal(&shelf.update(&lying, &[]));
        let is_seen = error.contains(says) || error.contains("does not fit");
        assert!(kind == "dataset_damaged" && is_seen, "{what}: {error}");
        assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)), "{what}");
    }
    // A manifest that unpacks to more than is stated is not unpacked further.
    let shelf = first();
    let bomb = edited(&PRESS.publications[1], &folder.path().join("bomb"), |it| it.manifest.length = 100);
    for (_, error) in [
        refusal(&shelf.update(&bomb, &[])),
        refusal(&run(&["verify", &text(&bomb), "--key", &PRESS.keys.line, "--json"])),
    ] {
        assert!(error.contains("more than the 100 bytes") || error.contains("longer than what it holds"), "{error}");
    }
    assert_eq!(shelf.live(), Some(0));
}

#[test]
fn one_file_that_is_altered_or_cut_anywhere_is_refused() {
    let folder = scratch();
    let file = folder.path().join("one.coverdex");
    let (from, name) = (text(&PRESS.datasets[1]), text(&file));
    assert_eq!(run(&["pack", &from, "--out", &name, "--series", "Larkspur", "--number", "2"]).code, Some(0));
    assert_eq!(run(&["sign", &name, "--key", &text(&PRESS.keys.secret)]).code, Some(0));
    let shelf = first();
    let whole = fs::read(&file).unwrap();
    let broken = folder.path().join("broken.coverdex");
    let length = whole.len();
    let (mut refused, mut same) = (0, 0);
    for at in (0..24).map(|n| n * length / 24 + n * 131 % 512) {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        fs::write(&broken, bytes).unwrap();
        let ran = run(&["verify", &text(&broken), "--key", &PRESS.keys.line, "--json"]);
        if ran.code == Some(0) {
            // Padding of the archive, which is no part of what was signed.
            same += 1;
        } else {
            refused += 1;
            refusal(&ran);
        }
    }
    assert!(refused > 15, "{refused} refused, {same} of no use");
    for rest in [0, 100, 511, 600, length / 2, length - 2_000] {
        fs::write(&broken, &whole[..rest]).unwrap();
        let ran = shelf.update(&broken, &[]);
        refusal(&ran);
        assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)), "{rest} of {length}");
    }
}

#[test]
fn servers_that_behave_badly_change_nothing() {
    let shelf = first();
    let server = Server::of(&PRESS.publications[1]);
    for (manner, kind) in [
        (Manner { status: Some("403 Forbidden"), ..Manner::default() }, "sync"),
        (Manner { status: Some("404 Not Found"), ..Manner::default() }, "dataset_missing"),
        (Manner { status: Some("503 Service Unavailable"), ..Manner::default() }, "sync"),
        (Manner { redirect: Some("http://127.0.0.1:9".to_owned()), ..Manner::default() }, "sync"),
        (Manner { redirect: Some(String::new()), ..Manner::default() }, "sync"),
        (Manner { sends_more: true, ..Manner::default() }, "dataset_damaged"),
    ] {
        server.behave(manner.clone());
        let (got, error) = refusal(&shelf.update(&server.url, &[]));
        assert_eq!(got, kind, "{manner:?}: {error}");
        assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)), "{manner:?}");
    }
    server.behave(Manner { redirect: Some("http://example.test".to_owned()), ..Manner::default() });
    assert!(refusal(&shelf.update(&server.url, &[])).1.contains("another host"));
    for wrong in ["http://example.test/x", "https://", "https://user:secret@example.test/"] {
        let (kind, error) = refusal(&shelf.update(wrong, &[]));
        assert!(kind == "invalid_input" && !error.contains("secret"), "{wrong}: {error}");
    }
    assert_eq!(refusal(&shelf.update("http://127.0.0.1:9/nobody", &[])).0, "sync");
    // A file that is gone meanwhile.
    let folder = scratch();
    let gone = folder.path().join("gone");
    copy(&PRESS.publications[1], &gone);
    fs::remove_dir_all(gone.join("blobs")).unwrap();
    fs::remove_dir_all(gone.join("deltas")).unwrap();
    server.behave(Manner::default());
    server.serve(&gone);
    let (kind, error) = refusal(&shelf.update(&server.url, &[]));
    assert!(kind == "sync" && error.contains("published anew"), "{error}");
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
}
