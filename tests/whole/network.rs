//! The command against a payer on this machine: what it prints, how it ends, what it leaves behind.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use coverdex_sandbox::drugs::{self, Release, Strength};
use coverdex_sandbox::server::{Fault, FaultSpec, Faults, Options, PublishedPayer, Running, Server};
use coverdex_sandbox::{MadePayer, Package, Shape};
use coverdex_tests::command::{self, Ran, run};
use coverdex_tests::dataset::scratch;
use serde_json::Value;
use tempfile::TempDir;

/// A member whose coverage is of two plan years.
const MEMBER: &str = "00005";

fn serve(faults: Faults) -> (Running, PublishedPayer) {
    let payer = PublishedPayer::new(MadePayer::new(Shape::tiny()));
    let options = Options { faults, ..Options::default() };
    (Server::start(Arc::new(payer.clone()), options).unwrap(), payer)
}

/// A store that is not there yet.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: scratch() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn live(&self) -> Option<String> {
        fs::read_to_string(self.path("store").join("CURRENT")).ok()
    }

    /// `coverdex sync … --json` of a payer into `store`.
    fn sync(&self, base: &str, more: &[&str]) -> Ran {
        let store = self.text("store");
        run(&[&["sync", "--base-url", base, "--out", &store, "--json"], more].concat())
    }
}

/// The documents of a command that prints several, a line each.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn last(ran: &Ran) -> Value {
    lines(&ran.stdout).pop().unwrap_or_else(|| panic!("{ran:?}"))
}

/// Asks a process to end, as Ctrl-C does.
fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

fn spawn(arguments: &[&str]) -> Child {
    let mut command = command::coverdex();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// What a process prints until it ends; it must.
fn end(mut child: Child) -> Ran {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_mins(10) {
            child.kill().unwrap();
            panic!("it does not end: {:?}", child.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_payer_is_read_built_and_asked_and_built_again_without_it() {
    let (server, _) = serve(Faults::none());
    let (place, base) = (Place::new(), server.api_url());
    let costs = place.sync(&base, &["--dry-run"]);
    assert_eq!((costs.code, place.live()), (Some(0), None), "{costs:?}");
    assert!(costs.json()["requests"].as_u64().unwrap() > 10, "{costs:?}");
    assert!(!place.path("store.staging").exists(), "a dry run keeps nothing");

    let synced = place.sync(&base, &["--rate", "off", "--payer", "Larkspur"]);
    assert_eq!((synced.code, synced.stderr.as_str()), (Some(0), ""), "{synced:?}");
    let events = lines(&synced.stdout);
    for kind in ["chose", "page", "to_read", "read", "ended"] {
        assert!(events.iter().any(|event| event["event"] == kind), "{kind}");
    }
    let done = last(&synced);
    assert_eq!((&done["event"], &done["complete"], &done["stopped"]), (&"done".into(), &true.into(), &false.into()));
    assert!(done["crawl"]["requests"].as_u64().unwrap() <= server.requests().total);

    let store = place.text("store");
    let info = run(&["info", "--json", "--data", &store]).json();
    assert_eq!(info["dataset"], done["dataset"]["dataset"]);
    assert_eq!(info["sync"]["complete"], true, "{}", info["sync"]);
    assert_eq!((&info["sources"][0]["name"], &info["sources"][0]["kind"]), (&"Larkspur".into(), &"fhir".into()));
    let table = run(&["info", "--data", &store]);
    assert!(table.stdout.contains("What the payer has, and what came"), "{}", table.stdout);
    let plans = run(&["plans", "--json", "--data", &store]).json();
    assert!(plans["results"].as_array().unwrap().len() > 10);

    server.stop();
    let again = place.text("again");
    let staging = place.text("store.staging");
    let built = run(&["build", "--from", &staging, "--out", &again, "--payer", "Larkspur", "--json"]);
    assert_eq!(built.code, Some(0), "{built:?}");
    assert_eq!(built.json()["dataset"], info["dataset"], "the same resources, the same dataset");
    // A dataset names its payer among its sources, and not again in the report.
    let mut report = built.json()["sync"].clone();
    assert!(report.as_object_mut().unwrap().remove("source").is_some());
    assert_eq!(report, info["sync"]);
}

/// Pages of a type lead to another host.
fn leading_away(kind: &str) -> Faults {
    let fault = FaultSpec { kinds: [kind.parse().unwrap()].into(), ..Fault::OffHostNext.into() };
    Faults { specs: vec![fault], ..Faults::none() }
}

#[test]
fn what_is_incomplete_is_named_and_the_former_dataset_stays_live() {
    let (server, _) = serve(Faults::none());
    let (place, base) = (Place::new(), server.api_url());
    let half = ["--rate", "off", "--formulary"];
    assert_eq!(place.sync(&base, &half).code, Some(0));
    let live = place.live();
    assert!(live.is_some());
    server.set_faults(leading_away("Medication"));
    let failed = place.sync(&base, &half);
    assert_eq!((failed.code, place.live()), (Some(4), live), "{failed:?}");
    let done = last(&failed);
    assert_eq!((&done["complete"], &done["dataset"]), (&false.into(), &Value::Null));
    let why = done["incomplete"]["Medication"].as_str().unwrap();
    assert!(why.contains("another host"), "{}", done["incomplete"]);
    let store = place.text("store");
    let told = run(&["sync", "--base-url", &base, "--out", &store, "--rate", "off", "--formulary"]);
    assert_eq!(told.code, Some(4));
    for part in ["Medication: ", "still is", "the same command goes on"] {
        assert!(told.stdout.contains(part), "{part}\n{}", told.stdout);
    }
    server.set_faults(Faults::none());
    assert_eq!(place.sync(&base, &half).code, Some(0), "and goes on when the payer is well again");
}

#[test]
fn a_half_that_is_incomplete_stays_and_the_other_is_new() {
    let (server, _) = serve(Faults::none());
    let (place, base) = (Place::new(), server.api_url());
    assert_eq!(place.sync(&base, &["--rate", "off"]).code, Some(0));
    let live = place.live();
    let info = || run(&["info", "--json", "--data", &place.text("store")]).json();
    let before = info()["as_of"].clone();
    server.set_faults(leading_away("Medication"));
    let joined = place.sync(&base, &["--rate", "off"]);
    assert_eq!(joined.code, Some(4), "{joined:?}");
    assert_ne!(place.live(), live);
    let done = last(&joined);
    assert!(done["incomplete"]["Medication"].as_str().unwrap().contains("another host"), "{}", done["incomplete"]);
    assert_eq!(done["dataset"]["former"], serde_json::json!({"half": "formulary", "as_of": before}), "{done}");
    let info = info();
    assert_eq!((&info["as_of"], &info["part_times"]["drugs"]), (&before, &before));
    assert_ne!(info["part_times"]["directory"], before);
    let store = place.text("store");
    let told = run(&["sync", "--base-url", &base, "--out", &store, "--rate", "off"]);
    for part in ["Medication: ", "The formulary stays", "the same command goes on", "drugs as of ", "directory as of "]
    {
        assert!(told.stdout.contains(part), "{part}\n{}", told.stdout);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_cleanly_and_the_same_command_goes_on() {
    let (server, _) = serve(Faults::none());
    let (place, base) = (Place::new(), server.api_url());
    let (store, staging) = (place.text("store"), place.text("store.staging"));
    let slow = ["sync", "--base-url", &base, "--out", &store, "--rate", "20", "--json"];
    let mut child = spawn(&slow);
    let mut first = String::new();
    // Beyond the first page there is something to go on with.
    let mut said = BufReader::new(child.stdout.take().unwrap());
    while !first.contains("\"page\"") {
        first.clear();
        assert!(said.read_line(&mut first).unwrap() > 0, "it ended early");
    }
    let held = run(&slow);
    assert_eq!(held.code, Some(4), "{held:?}");
    assert_eq!(last(&held)["error"]["subject"], staging.as_str(), "two syncs cannot hold one folder: {held:?}");
    interrupt(&child);
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let ended = end(child);
    assert_eq!(ended.code, Some(4), "{rest}");
    let done = lines(&rest).pop().unwrap();
    assert_eq!((&done["event"], &done["stopped"]), (&"done".into(), &true.into()), "{done}");
    // There was no dataset: one of what came is there now, and says that it is not whole.
    let first = place.live();
    let info = run(&["info", "--json", "--data", &store]).json();
    assert_eq!(info["sync"]["complete"], false, "{}", info["sync"]);
    assert!(run(&["info", "--data", &store]).stdout.contains("sync: it was stopped"));
    let asked = server.requests().total;
    assert_eq!(place.sync(&base, &["--rate", "off"]).code, Some(0));
    assert_ne!(place.live(), first);
    let place_of_its_own = Place::new();
    let before = server.requests().total;
    assert_eq!(place_of_its_own.sync(&base, &["--rate", "off"]).code, Some(0));
    let whole = server.requests().total - before;
    assert!(before - asked < whole, "what was read is not read again: {} of {whole}", before - asked);
}

#[test]
fn wrong_input_names_the_thing_and_the_way_out() {
    let place = Place::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (closed, store) = (format!("http://{free}/api"), place.text("store"));
    let file = |name: &str, bytes: &[u8]| {
        fs::write(place.path(name), bytes).unwrap();
        place.text(name)
    };
    let (junk, unknown) = (file("junk.toml", b"base-url = \"\xff\""), file("unknown.toml", b"base-uri = \"x\""));
    let missing = place.text("missing.toml");
    fs::create_dir(place.path("other")).unwrap();
    file("other/letter.txt", b"dear");
    let other = place.text("other");
    let to = |base: &'static str| ["sync", "--base-url", base, "--out", &store].map(str::to_owned).to_vec();
    let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for (arguments, code, kind, subject) in [
        (to("nonsense"), 2, "invalid_input", "base-url \"nonsense\""),
        (to("http://fhir.example.com/api"), 2, "invalid_input", "base-url \"http://fhir.example.com/api\""),
        (to("https://me:word@fhir.example.com/api"), 2, "invalid_input", "base-url"),
        (of(&["sync", "--out", &store]), 2, "invalid_input", "base-url"),
        (of(&["sync", "--base-url", &closed]), 2, "usage", ""),
        (of(&["sync", "--base-url", &closed, "--out", &store]), 4, "sync", "base-url"),
        (of(&["sync", "--base-url", &closed, "--out", &store, "--dry-run"]), 4, "sync", "base-url"),
        (of(&["sync", "--base-url", &closed, "--out", &other]), 2, "invalid_input", "store"),
        (of(&["sync", "--base-url", &closed, "--out", &store, "--rate", "often"]), 2, "usage", "--rate"),
        (
            of(&["sync", "--base-url", &closed, "--out", &store, "--concurrency", "0"]),
            2,
            "invalid_input",
            "concurrency",
        ),
        (of(&["sync", "--base-url", &closed, "--out", &store, "--state", "Florida"]), 2, "invalid_input", "state"),
        (of(&["sync", "--base-url", &closed, "--out", &store, "--plan", " "]), 2, "invalid_input", "plan"),
        (of(&["sync", "--out", &store, "--config", &missing]), 2, "invalid_input", "settings file"),
        (of(&["sync", "--out", &store, "--config", &junk]), 2, "invalid_input", "settings file"),
        (of(&["sync", "--out", &store, "--config", &unknown]), 2, "invalid_input", "settings file"),
        (of(&["sandbox", "--fault", "nonsense"]), 2, "invalid_input", "fault nonsense"),
        (of(&["sandbox", "--offer", "nonsense"]), 2, "invalid_input", "offer nonsense"),
        (of(&["sandbox", "--from", &missing]), 2, "invalid_input", "folder"),
        (of(&["login", "--base-url", &closed]), 2, "invalid_input", "token-url"),
        (
            of(&[
                "my-plans",
                "--base-url",
                &closed,
                "--token-url",
                &closed,
                "--client-id",
                "x",
                "--token-file",
                &missing,
            ]),
            4,
            "sync",
            "login",
        ),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["--json"]).collect();
        let ran = run(&arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        let error = last(&ran)["error"].clone();
        assert_eq!(error["kind"], kind, "{arguments:?}: {error}");
        assert!(error["subject"].as_str().unwrap().starts_with(subject), "{arguments:?}: {error}");
        assert!(!error.to_string().contains("word@"), "{error}");
    }
    assert!(place.live().is_none());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = run(&["sandbox", "--port", &port, "--json"]);
    assert_eq!((ran.code, last(&ran)["error"]["kind"].as_str()), (Some(3), Some("io")), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn the_sandbox_serves_until_it_is_asked_to_end() {
    let faults = run(&["sandbox", "--fault", "list", "--json"]).json();
    assert_eq!(faults["faults"].as_array().unwrap().len(), Fault::ALL.len());
    let mut child = spawn(&["sandbox", "--port", "0", "--size", "tiny", "--fault", "bom", "--json"]);
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    said.read_line(&mut first).unwrap();
    let serving: Value = serde_json::from_str(&first).unwrap();
    let base = serving["base_url"].as_str().unwrap();
    let place = Place::new();
    assert_eq!(place.sync(base, &["--rate", "off", "--formulary"]).code, Some(0));
    interrupt(&child);
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!(end(child).code, Some(0));
    let stopped = lines(&rest).pop().unwrap();
    assert!(stopped["requests"].as_u64().unwrap() > 50 && stopped["fired"]["bom"].as_u64().unwrap() > 10, "{stopped}");
    assert!(
        TcpStream::connect(base.trim_start_matches("http://").trim_end_matches("/api")).is_err(),
        "nothing is left"
    );
}

/// Where a server sends a browser.
fn redirected(address: &str) -> String {
    let rest = address.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let location =
        answer.lines().find_map(|line| line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("location")));
    location.unwrap_or_else(|| panic!("{answer}")).1.to_owned()
}

/// The settings that a member logs in with; the secret stands in the file.
fn settings(place: &Place, server: &Running) -> String {
    let options = Options::default();
    let (api, auth) = (server.api_url(), server.auth_url());
    let (redirect, id, secret) = (&options.redirect_uris[0], &options.client_id, &options.client_secret);
    let text = format!(
        "base-url = \"{api}\"\nauthorize-url = \"{auth}/auth/authorize\"\ntoken-url = \"{auth}/auth/token\"\n\
         redirect-url = \"{redirect}\"\nclient-id = \"{id}\"\nclient-secret = \"{secret}\"\n\
         token-file = \"{}\"\n",
        place.text("mine/tokens.json")
    );
    fs::write(place.path("payer.toml"), text).unwrap();
    // It holds a secret.
    #[cfg(unix)]
    fs::set_permissions(place.path("payer.toml"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    place.text("payer.toml")
}

#[test]
fn a_member_logs_in_finds_the_plan_and_logs_out() {
    let (server, payer) = serve(Faults::of([Fault::TokenExpiry]));
    let place = Place::new();
    let config = settings(&place, &server);
    let tokens = place.path("mine/tokens.json");
    let before = run(&["my-plans", "--config", &config, "--json"]);
    assert_eq!((before.code, last(&before)["error"]["kind"].as_str()), (Some(4), Some("sync")), "{before:?}");

    let mut child = spawn(&["login", "--config", &config, "--no-browser", "--json"]);
    let mut asked = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.trim_start().starts_with("http") {
        line.clear();
        assert!(asked.read_line(&mut line).unwrap() > 0, "no address to log in at");
    }
    let came_back = redirected(&format!("{}&login_hint={MEMBER}", line.trim()));
    writeln!(child.stdin.take().unwrap(), "{came_back}").unwrap();
    let login = end(child);
    assert_eq!(login.code, Some(0), "{login:?}");
    assert_eq!(lines(&login.stdout)[0]["logged_in"], true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&tokens).unwrap().permissions().mode() & 0o777, 0o600, "for the owner alone");
    }

    let mine = run(&["my-plans", "--config", &config, "--json"]);
    assert_eq!(mine.code, Some(0), "{mine:?}");
    let plans: Vec<String> =
        mine.json()["plans"].as_array().unwrap().iter().map(|p| p["plan"].as_str().unwrap().to_owned()).collect();
    assert_eq!(plans, payer.plans_of(MEMBER));
    let table = run(&["my-plans", "--config", &config]);
    assert!(table.stdout.contains(&plans[0]), "{table:?}");

    // Synced by somebody who is logged in: nothing of a member is anywhere.
    let synced = run(&["sync", "--config", &config, "--out", &place.text("store"), "--rate", "off", "--json"]);
    assert_eq!(synced.code, Some(0), "{synced:?}");
    let secrets = [server.secrets(), vec![Options::default().client_secret]].concat();
    let printed = [login, mine, table, synced, before].map(|ran| ran.stdout + &ran.stderr).concat();
    for secret in &secrets {
        assert!(!printed.contains(secret), "a secret was printed");
        for folder in ["store", "store.staging"] {
            assert_eq!(holding(&place.path(folder), secret), None, "a secret was kept");
        }
    }

    let logout = run(&["logout", "--config", &config, "--json"]);
    assert_eq!((logout.json()["was_logged_in"].as_bool(), tokens.exists()), (Some(true), false));
    assert_eq!(run(&["logout", "--config", &config]).code, Some(0), "twice does no harm");
}

#[test]
fn an_answer_of_another_login_is_refused() {
    let (server, _) = serve(Faults::none());
    let place = Place::new();
    let config = settings(&place, &server);
    for (pasted, code) in [("http://127.0.0.1:8400/callback?code=1&state=2\n", 4), ("\n", 2), ("", 2)] {
        let mut child = spawn(&["login", "--config", &config, "--no-browser", "--json"]);
        child.stdin.take().unwrap().write_all(pasted.as_bytes()).unwrap();
        let ran = end(child);
        assert_eq!((ran.code, place.path("mine/tokens.json").exists()), (Some(code), false), "{ran:?}");
    }
}

/// A file that holds some words as they are.
fn holding(folder: &Path, words: &str) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if let Some(found) = holding(&path, words) {
                return Some(found);
            }
        } else if fs::read(&path).unwrap().windows(words.len()).any(|window| window == words.as_bytes()) {
            return Some(path);
        }
    }
    None
}

/// The README's first command: both tables, each with what it must show.
#[test]
fn the_demo_answers_a_counselor_and_a_patient() {
    let place = Place::new();
    let ran = run(&["demo", "--out", &place.text("store"), "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let demo = last(&ran);
    let answers = demo["answers"].as_array().unwrap();
    let plans: std::collections::BTreeSet<&str> = answers.iter().map(|a| a["plan"].as_str().unwrap()).collect();
    assert!(plans.len() >= 3 && answers.len() == plans.len() * 8, "{plans:?}");
    for status in ["covered", "not_covered", "not_listed"] {
        assert!(answers.iter().any(|answer| answer["status"] == status), "{status}");
    }
    for (query, base, strength, form, release) in [
        ("atorvastatin 20 mg", "ATORVASTATIN", "20 mg", "tablet", Release::Immediate),
        ("metformin 500 mg", "METFORMIN", "500 mg", "tablet", Release::Immediate),
        ("Lisinopril 10mg tablets", "LISINOPRIL", "10 mg", "tablet", Release::Immediate),
        ("eliquis 5 mg", "APIXABAN", "5 mg", "tablet", Release::Immediate),
        ("lantus solostar", "INSULIN GLARGINE", "100 unit/mL", "injection", Release::Immediate),
        ("gabapentin 300", "GABAPENTIN", "300 mg", "capsule", Release::Immediate),
        ("omeprazole dr 20 mg capsule", "OMEPRAZOLE", "20 mg", "capsule", Release::Delayed),
        ("januvia 100 mg", "SITAGLIPTIN", "100 mg", "tablet", Release::Immediate),
    ] {
        let asked: Vec<&Value> = answers.iter().filter(|answer| answer["query"] == query).collect();
        assert_eq!(asked.len(), plans.len(), "{query}");
        let packages = asked.iter().flat_map(|answer| answer["packages"].as_array().unwrap());
        for ndc in packages.filter_map(|package| package["ndc11"].as_str()) {
            // What answers is what was asked for, by its fields, whatever the payer calls it.
            let package = drugs::find(ndc.parse().unwrap()).and_then(Package::of).unwrap();
            let facts = package.facts().unwrap();
            let worth = Strength::parse(strength).unwrap().worth();
            assert_eq!(facts.content(), [(base, worth)], "{query}: {package:?}");
            assert_eq!((facts.form.as_str(), facts.release), (form, release), "{query}: {package:?}");
        }
    }
    let standings = demo["standings"].as_array().unwrap();
    assert_eq!(standings.len(), plans.len() * 2, "a doctor and a pharmacy by plan");
    for status in ["in_network", "other_networks_only"] {
        assert!(standings.iter().any(|standing| standing["network_status"] == status), "{status}");
    }
    assert!(!demo["next_year"]["changes"].as_array().unwrap().is_empty());
    let found = demo["providers"]["results"].as_array().unwrap();
    assert!(found.iter().any(|result| result["phone"].is_string() && result["distance_km"].is_number()), "{found:?}");
    assert!(found.iter().any(|result| result["accepting_new_patients"] == "yes"));
    for command in demo["next"].as_array().unwrap() {
        let words = command.as_str().unwrap();
        let status = Command::new("sh").args(["-c", words]).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "{words}");
    }
}
