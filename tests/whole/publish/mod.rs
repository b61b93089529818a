//! Publishing datasets and taking them, through the command and a static server on this machine: what is taken is what
//! was signed, or nothing is.

mod broken;
#[cfg(unix)]
mod forbidden;
mod killed;
mod measured;
mod refused;
mod server;
#[cfg(unix)]
mod stopped;
mod taken;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use coverdex_core::{Cancel, Dataset, Store, verify};
use coverdex_sandbox::{Compression, FolderOptions, MadePayer, Shape};
use coverdex_sync::publish::{DOCUMENT, KeyPairFiles, PackOptions, Publication, SIGNATURE, generate, pack, sign};
use coverdex_tests::command::{Ran, run};
use coverdex_tests::dataset::{build_folder, copy, scratch};
use serde_json::Value;
use tempfile::TempDir;

/// Two datasets of one payer, who changed a little, published three times: the third time as the second.
struct Press {
    _folder: TempDir,
    datasets: [PathBuf; 2],
    keys: KeyPairFiles,
    other_keys: KeyPairFiles,
    publications: [PathBuf; 3],
}

static PRESS: LazyLock<Press> = LazyLock::new(|| {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    let payer = MadePayer::new(Shape { packages: 300, listed: 250, list_size: 200, ..Shape::tiny() });
    let datasets = [0, 1].map(|n| {
        let from = at(&format!("from{n}"));
        write(&payer, &from, n * 20);
        build_folder(&from, &at(&format!("store{n}")), 2, None).unwrap().folder
    });
    let keys = generate(&at("larkspur"), None).unwrap();
    let other_keys = generate(&at("other"), None).unwrap();
    let mut former = None;
    let publications = [1, 2, 3].map(|number| {
        let out = at(&format!("public.{number}"));
        let options = PackOptions { series: "Larkspur".to_owned(), former: former.clone(), ..PackOptions::default() };
        let dataset = &datasets[usize::from(number > 1)];
        let packed = pack(dataset, &out, false, &options, &Cancel::new()).unwrap();
        assert_eq!(packed.publication.number, number);
        sign(&out, &keys.secret, &|| unreachable!("the key has no password")).unwrap();
        former = Some(out.clone());
        out
    });
    Press { datasets, keys, other_keys, publications, _folder: folder }
});

/// A payer's resources, of which one in `every` entries and roles, drawn by chance, is changed; none, for 0.
fn write(payer: &MadePayer, to: &Path, every: usize) {
    payer.write_folder(to, &FolderOptions { compression: Compression::None, ..FolderOptions::default() }).unwrap();
    if every == 0 {
        return;
    }
    for entry in fs::read_dir(to).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !["MedicationKnowledge", "PractitionerRole"].iter().any(|kind| name.starts_with(kind)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let mut drawn = 0_u64;
        let lines = text.lines().filter_map(|line| {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let draw = usize::try_from(drawn >> 33).unwrap();
            if draw.is_multiple_of(every) { changed(line, draw / every) } else { Some(line.to_owned()) }
        });
        fs::write(&path, lines.map(|line| line + "\n").collect::<String>()).unwrap();
    }
}

/// An entry with other flags; a role with another phone, or, as often, no role any more.
fn changed(line: &str, draw: usize) -> Option<String> {
    let mut resource: Value = serde_json::from_str(line).unwrap();
    if resource["resourceType"] == "PractitionerRole" {
        let phone = format!("410-555-{:04}", draw / 2 % 10_000);
        resource["telecom"] = serde_json::json!([{ "system": "phone", "value": phone }]);
        return draw.is_multiple_of(2).then(|| resource.to_string());
    }
    for extension in resource["extension"].as_array_mut().into_iter().flatten() {
        if let Some(flag) = extension["valueBoolean"].as_bool() {
            extension["valueBoolean"] = (!flag).into();
        }
    }
    Some(resource.to_string())
}

/// A store that is not there yet.
struct Shelf {
    folder: TempDir,
}

impl Shelf {
    fn new() -> Self {
        Self { folder: scratch() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// `coverdex update … --json`.
    fn update(&self, from: impl AsRef<Path>, more: &[&str]) -> Ran {
        self.update_by(from, &PRESS.keys.public, more)
    }

    fn update_by(&self, from: impl AsRef<Path>, key: &Path, more: &[&str]) -> Ran {
        let (from, store, key) = (text(from.as_ref()), text(&self.path()), text(key));
        run(&[&["update", "--from", &from, "--store", &store, "--key", &key, "--json"], more].concat())
    }

    /// Which of the two datasets is live, whole.
    fn live(&self) -> Option<usize> {
        let store = Store::open(self.path()).ok()?;
        store.live()?;
        verify(store.path()).unwrap();
        let live = Dataset::open(store.path()).unwrap().manifest().dataset.clone();
        let of = |folder: &PathBuf| Dataset::open(folder).unwrap().manifest().dataset.clone();
        Some(PRESS.datasets.iter().position(|folder| of(folder) == live).expect("neither of the two"))
    }

    /// The number of the publication that is live.
    fn number(&self) -> Option<u64> {
        Store::open(self.path()).ok()?.published().unwrap().map(|published| published.number)
    }

    /// What is in its folder, without datasets.
    fn inside(&self) -> Vec<String> {
        let names = fs::read_dir(self.path()).into_iter().flatten();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| !name.starts_with("v0-"));
        names.sort();
        names
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The error's kind and the whole document, of a command that refused.
#[track_caller]
fn refusal(ran: &Ran) -> (String, String) {
    assert_ne!(ran.code, Some(0), "{ran:?}");
    let document = ran.json();
    let error = &document["error"];
    assert!(error["hint"].is_string(), "no way out: {error}");
    (error["kind"].as_str().unwrap().to_owned(), error.to_string())
}

/// A copy of a publication with another document, which is signed.
fn edited(from: &Path, to: &Path, change: impl FnOnce(&mut Publication)) -> PathBuf {
    copy(from, to);
    let mut publication = Publication::parse(&fs::read(to.join(DOCUMENT)).unwrap()).unwrap();
    change(&mut publication);
    fs::write(to.join(DOCUMENT), publication.to_bytes().unwrap()).unwrap();
    fs::remove_file(to.join(SIGNATURE)).unwrap();
    sign(to, &PRESS.keys.secret, &|| unreachable!("the key has no password")).unwrap();
    to.to_owned()
}

/// Turns one bit of a file.
fn flip(path: &Path, at: u64) {
    let mut bytes = fs::read(path).unwrap();
    let at = usize::try_from(at).unwrap() % bytes.len();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn cut(path: &Path, by: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len().saturating_sub(by)).unwrap();
}
