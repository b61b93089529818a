//! A build that is killed at any moment: the former dataset still answers, and the next build succeeds.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use coverdex_core::{Dataset, verify};
use coverdex_sandbox::{Compression, FolderOptions, MadePayer, Shape};
use coverdex_tests::command;
use coverdex_tests::dataset::{build_folder, scratch};

use super::{Answers, answers};

const KILLS: u32 = 40;

fn start(from: &Path, store: &Path) -> Child {
    command::coverdex()
        .args(["build", "--from"])
        .arg(from)
        .arg("--out")
        .arg(store)
        // As the builds that it is compared with.
        .args(["--payer", "made for a test"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The first question that is answered in two ways, and both answers from where they differ on.
fn first_difference(found: &Answers, wanted: &Answers) -> String {
    let Some((asked, says)) = found.iter().find(|(asked, says)| wanted.get(*asked) != Some(*says)) else {
        return "a question was not asked".to_owned();
    };
    let (one, other) = (format!("{says:?}"), wanted.get(asked).map_or_else(String::new, |says| format!("{says:?}")));
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count().saturating_sub(40);
    let from = |text: &str| text.chars().skip(same).take(200).collect::<String>();
    format!("{asked}: …{} instead of …{}", from(&one), from(&other))
}

#[test]
fn a_build_killed_at_any_moment_leaves_a_store_that_answers() {
    let folder = scratch();
    let store = folder.path().join("store");
    // Two payers, so that each build changes what is live.
    let sources: Vec<_> = [1, 2]
        .into_iter()
        .map(|seed| {
            let from = folder.path().join(format!("from{seed}"));
            let payer = MadePayer::new(Shape { seed, packages: 700, listed: 500, list_size: 200, ..Shape::tiny() });
            payer
                .write_folder(&from, &FolderOptions { compression: Compression::None, ..FolderOptions::default() })
                .unwrap();
            from
        })
        .collect();
    let of_source: Vec<Answers> = sources
        .iter()
        .enumerate()
        .map(|(n, from)| {
            let alone = folder.path().join(format!("alone{n}"));
            build_folder(from, &alone, 2, None).unwrap();
            answers(&Dataset::open(&alone).unwrap())
        })
        .collect();
    assert_ne!(of_source[0], of_source[1]);

    // How long a whole build takes, so that kills fall all over it.
    let begun = Instant::now();
    assert!(start(&sources[0], &store).wait().unwrap().success());
    let mut whole = begun.elapsed();
    let (mut died, mut was_there, mut changed) = (0, 0, 0);
    let mut live = 0;
    for n in 0..KILLS {
        let other = 1 - live;
        let mut build = start(&sources[other], &store);
        std::thread::sleep(whole * n / (KILLS * 4 / 5) + Duration::from_micros(u64::from(n * 7_919 % 1_000)));
        build.kill().unwrap();
        let ended = build.wait().unwrap();
        died += u32::from(!ended.success());
        if ended.success() && n < KILLS / 2 {
            // The machine has become quicker: kills must not all come too late.
            whole = whole * 3 / 4;
        }
        let dataset = Dataset::open(&store).unwrap_or_else(|e| panic!("killed build {n}: {e}"));
        let answered = answers(&dataset);
        if answered == of_source[other] {
            live = other;
            changed += 1;
        } else {
            assert!(
                answered == of_source[live],
                "killed build {n}: neither the former dataset nor the next: {}",
                first_difference(&answered, &of_source[live])
            );
            assert!(!ended.success(), "a build that says it is done is live");
        }
        verify(&store).unwrap_or_else(|e| panic!("killed build {n}: {e}"));
        let unfinished = fs::read_dir(&store)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".building"));
        was_there += u32::from(unfinished.count() > 0);
    }
    assert!(died > KILLS / 4 && was_there > 3, "{died} died, {was_there} in the middle, {changed} got through");
    // The next build succeeds and clears what the dead ones left.
    assert!(start(&sources[1 - live], &store).wait().unwrap().success());
    assert_eq!(answers(&Dataset::open(&store).unwrap()), of_source[1 - live]);
    let left: Vec<String> =
        fs::read_dir(&store).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert!(
        left.iter().all(|name| !name.starts_with(".building") && !name.starts_with(".tmp")),
        "left behind: {left:?}"
    );
    assert!(left.iter().filter(|name| name.starts_with('v')).count() <= 2, "{left:?}");
}

#[test]
fn a_first_build_that_is_killed_leaves_a_store_that_can_be_built() {
    let folder = scratch();
    let from = folder.path().join("from");
    MadePayer::new(Shape::tiny()).write_folder(&from, &FolderOptions::default()).unwrap();
    for n in 0..8_u32 {
        let store = folder.path().join(format!("store{n}"));
        let mut build = start(&from, &store);
        std::thread::sleep(Duration::from_millis(u64::from(n * 9)));
        build.kill().unwrap();
        build.wait().unwrap();
        if let Ok(dataset) = Dataset::open(&store) {
            assert!(answers(&dataset).values().all(Result::is_ok));
        }
        build_folder(&from, &store, 2, None).unwrap();
        verify(&store).unwrap();
    }
}
