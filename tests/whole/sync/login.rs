//! A member who logged in leaves no trace in what a sync keeps and says, and neither does what a client logs in with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use coverdex_core::ErrorKind;
use coverdex_sandbox::server::{Endpoint, Fault, Faults, Need, Options, Payer, PublishedPayer};
use coverdex_sandbox::{MadePayer, ResourceType};
use coverdex_sync::fetch::{
    Clock, Event, Login, Network, Secret, Settings, Stop, TokenEncoding, TokenEndpoint, TokenFile, member_plans,
};
use coverdex_sync::update::{FromStaging, Synced, sync_and_build};
use coverdex_tests::command::coverdex;

use super::{PAYER, Place, Rig, assert_complete, assert_same, shape};

const CALLBACK: &str = "http://127.0.0.1:8400/callback";
const MEMBER: &str = "00001";

/// The address that a browser is sent to after the member logged in.
fn log_in(rig: &Rig, login: &Login) -> String {
    let target = login.url().as_str().strip_prefix(rig.running.auth_url()).unwrap();
    let mut stream = TcpStream::connect(rig.running.address()).unwrap();
    let head = format!("GET {target}&login_hint={MEMBER} HTTP/1.1\r\nhost: sandbox\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let location = reply.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or_else(|| panic!("{reply}"));
    location.trim().to_owned()
}

#[test]
fn a_member_is_found_nowhere_after_a_sync_with_login() {
    let published = PublishedPayer::new(MadePayer::new(shape()));
    let (expected, patient) = (published.plans_of(MEMBER), published.members()[0].patient.clone());
    let coverages = published.coverages(&patient);
    let rig = Rig::of(Arc::new(published), Options::default());
    rig.set(Faults::of([Fault::TokenExpiry]));
    let settings = Settings {
        authorize_url: Some(format!("{}/auth/authorize", rig.running.auth_url())),
        token_url: Some(format!("{}/auth/token", rig.running.auth_url())),
        redirect_url: Some(CALLBACK.to_owned()),
        client_id: Some("sandbox-client".to_owned()),
        client_secret: Some(Secret::new("sandbox-secret")),
        ..rig.settings()
    };
    let config = settings.check().unwrap();
    let place = rig.place("member");
    let token_path = rig.folder.path().join("tokens.json");
    let file = TokenFile::new(&token_path, &config).unwrap();
    let endpoint = TokenEndpoint::new(&config, TokenEncoding::Form).unwrap();
    let network = || Arc::new(Network::new(&config).unwrap());
    let clock = || Arc::clone(&rig.time) as Arc<dyn Clock>;
    let mut said = String::new();

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let login = Login::begin(&config).unwrap();
        let code = login.code(&log_in(&rig, &login)).unwrap();
        let tokens = endpoint.exchange(&login, &code, clock().now()).await.unwrap();
        // A code is good once; the error says nothing of it.
        let error = endpoint.exchange(&login, &code, clock().now()).await.unwrap_err();
        file.save(&tokens).unwrap();
        // The server takes no token that came of a code: it is renewed, once.
        let plans = member_plans(config.clone(), network(), clock(), &file, &endpoint).await.unwrap();
        let mut plans: Vec<String> = plans.plans.into_iter().map(|plan| plan.plan).collect();
        plans.sort();
        assert_eq!(plans, expected);
        said += &format!("{error} {error:?} {tokens:?} {login:?} {endpoint:?} {file:?}");
    });
    assert!(rig.running.fired().contains_key(&Fault::TokenExpiry));

    let events: Arc<Mutex<String>> = Arc::default();
    let watch = {
        let events = Arc::clone(&events);
        Arc::new(move |event: &Event| events.lock().unwrap().push_str(&serde_json::to_string(event).unwrap()))
    };
    let from = FromStaging { payer: Some(PAYER), ..FromStaging::default() };
    let synced = sync_and_build(
        config.clone(),
        &place.options(),
        &place.store,
        &from,
        network(),
        clock(),
        watch,
        Stop::default(),
    )
    .unwrap();
    assert_complete(&synced, "with login");
    said += &format!("{synced:?} {config:?} {}", events.lock().unwrap());

    let requests = rig.running.requests();
    assert!(requests.with_authorization.keys().all(|to| matches!(to, Endpoint::Coverage | Endpoint::Token)));
    let mut secrets = rig.running.secrets();
    assert!(secrets.len() >= 4 && secrets.contains(&patient), "{} secrets", secrets.len());
    secrets.push("sandbox-secret".to_owned());
    for coverage in &coverages {
        for member in ["id", "subscriberId"] {
            let value = coverage.split_once(&format!("\"{member}\":\"")).unwrap().1;
            secrets.push(value.split('"').next().unwrap().to_owned());
        }
    }
    assert_found_nowhere(&secrets, &place, &said);
    // The token file is the one place, for its owner alone.
    let tokens = fs::read_to_string(&token_path).unwrap();
    assert!(!tokens.contains(&patient) && !tokens.contains("sandbox-secret"));
}

/// That no secret is in what a sync keeps, unpacked as well, or in what it said.
fn assert_found_nowhere(secrets: &[String], place: &Place, said: &str) {
    let mut pages = Vec::new();
    for page in coverdex_sync::staging::Staging::open(&place.staging).unwrap().pages() {
        let page = page.unwrap();
        assert!(ResourceType::ALL.iter().any(|kind| kind.name() == page.request.resource_type));
        assert_ne!(page.request.resource_type, "Coverage");
        pages.extend(page.request.url.as_bytes());
        pages.extend(page.body);
    }
    let mut kept: BTreeMap<PathBuf, Vec<u8>> = super::files(&place.staging);
    kept.extend(super::files(&place.store));
    kept.insert("pages".into(), pages);
    kept.insert("said".into(), said.as_bytes().to_vec());
    for secret in secrets {
        for (path, bytes) in &kept {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} is in {}", path.display());
        }
    }
}

const CLIENT_SECRET: &str = "0f-s3cret-of-the-client";
const API_KEY: &str = "0f-k3y-of-the-gateway";
const KEY_HEADER: &str = "X-Gateway-Key";

/// A payer that answers nobody who brings no token and no key.
fn closed() -> Rig {
    Rig::with(Options {
        needs: BTreeSet::from([Need::ClientLogin, Need::ApiKey]),
        client_secret: CLIENT_SECRET.to_owned(),
        api_key: API_KEY.to_owned(),
        api_key_header: KEY_HEADER.to_owned(),
        token_seconds: 600,
        ..Options::default()
    })
}

fn client(rig: &Rig) -> Settings {
    Settings {
        token_url: Some(format!("{}/auth/token", rig.running.auth_url())),
        client_id: Some("sandbox-client".to_owned()),
        client_secret: Some(Secret::new(CLIENT_SECRET)),
        scope: Some("Public NonPII".to_owned()),
        api_key: Some(Secret::new(API_KEY)),
        api_key_header: Some(KEY_HEADER.to_owned()),
        ..rig.settings()
    }
}

fn sync(rig: &Rig, place: &Place, settings: Settings) -> (coverdex_core::Result<Synced>, String) {
    let config = settings.check().unwrap();
    let events: Arc<Mutex<String>> = Arc::default();
    let watch = {
        let events = Arc::clone(&events);
        Arc::new(move |event: &Event| events.lock().unwrap().push_str(&serde_json::to_string(event).unwrap()))
    };
    let from = FromStaging { payer: Some(PAYER), ..FromStaging::default() };
    let network = Arc::new(Network::new(&config).unwrap());
    let clock = Arc::clone(&rig.time) as Arc<dyn Clock>;
    let synced =
        sync_and_build(config.clone(), &place.options(), &place.store, &from, network, clock, watch, Stop::default());
    let said = format!("{synced:?} {config:?} {}", events.lock().unwrap());
    (synced, said)
}

#[test]
fn a_client_that_logs_in_gets_the_same_dataset_and_its_secrets_are_found_nowhere() {
    let open = Rig::new();
    let expected = open.place("open");
    assert_complete(&open.sync(&expected), "open");

    // The first token is refused, requests are redirected, waits outlast the token, and links lead astray.
    let rig = closed();
    rig.set(Faults::of([Fault::TokenExpiry, Fault::Redirects, Fault::TooManySeconds, Fault::ServerErrors]));
    let place = rig.place("closed");
    let (synced, mut said) = sync(&rig, &place, client(&rig));
    assert_complete(&synced.unwrap(), "closed");
    assert_same(&place.dataset(), &expected.dataset(), "closed");
    let fired = rig.running.fired();
    assert!(fired.contains_key(&Fault::TokenExpiry) && fired.contains_key(&Fault::Redirects), "{fired:?}");
    let requests = rig.running.requests();
    assert!((2..=20).contains(&requests.of(Endpoint::Token)), "{}", requests.of(Endpoint::Token));
    assert_eq!(requests.of(Endpoint::Coverage), 0);

    let astray = rig.place("astray");
    rig.set(Faults::of([Fault::OffHostNext, Fault::OffHostRedirect]));
    let other = rig.running.other_url().strip_prefix("http://").unwrap().to_owned();
    for allow_host in [vec![], vec![other]] {
        said += &sync(&rig, &astray, Settings { allow_host, ..client(&rig) }).1;
    }
    let requests = rig.running.requests();
    assert!(requests.other_host > 0, "what is allowed is asked");
    assert_eq!(requests.other_host_with_authorization, 0, "without token and key");

    let mut secrets = rig.running.secrets();
    assert!(secrets.len() >= 2);
    secrets.extend([CLIENT_SECRET, API_KEY].map(str::to_owned));
    assert_found_nowhere(&secrets, &place, &said);
    assert_found_nowhere(&secrets, &astray, "");
}

#[test]
fn a_login_that_is_refused_ends_the_sync_at_once_and_a_right_one_goes_on() {
    let rig = closed();
    let place = rig.place("refused");
    let wrong = Settings { client_secret: Some(Secret::new("wr0ng")), ..client(&rig) };
    let (synced, said) = sync(&rig, &place, wrong);
    let error = synced.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Sync, "it refuses the client's login: invalid_client"));
    assert!(error.subject().starts_with("token-url ") && error.hint().unwrap().contains("client-secret"), "{error:?}");
    assert!(!said.contains("wr0ng"));
    // Header and body were tried, and nothing else was asked for.
    assert_eq!((rig.running.requests().total, rig.running.requests().of(Endpoint::Token)), (2, 2));

    let (synced, _) = sync(&rig, &place, client(&rig));
    assert_complete(&synced.unwrap(), "after a refusal");
}

/// The command itself: files of secrets, standard output, the JSON and what it remarks.
#[test]
fn the_command_says_no_secret() {
    let rig = closed();
    let place = rig.place("command");
    let file = |name: &str, secret: &str| {
        let path = rig.folder.path().join(name);
        fs::write(&path, format!("{secret}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }
        path
    };
    let (secret, key) = (file("secret", CLIENT_SECRET), file("key", API_KEY));
    let run = |secret: &PathBuf, more: &[&str]| {
        let mut command = coverdex();
        command.args(["sync", "--base-url", &rig.running.api_url(), "--rate", "off", "--formulary", "--out"]);
        command.arg(&place.store).arg("--staging").arg(&place.staging);
        command.args(["--token-url", &format!("{}/auth/token", rig.running.auth_url())]);
        command.args(["--client-id", "sandbox-client", "--api-key-header", KEY_HEADER]);
        command.arg("--client-secret-file").arg(secret).arg("--api-key-file").arg(&key).args(more);
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    };
    let mut all = String::new();
    for (more, code) in [(&["--dry-run"][..], 0), (&["--json"], 0), (&[], 0), (&["--full"], 0)] {
        let (status, said) = run(&secret, more);
        assert_eq!(status, Some(code), "{more:?}: {said}");
        all += &said;
    }
    let (status, said) = run(&file("wrong", "wr0ng"), &["--json"]);
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("invalid_client") && said.contains("client-secret"), "{said}");
    all += &said;
    let mut secrets = rig.running.secrets();
    secrets.extend([CLIENT_SECRET, API_KEY, "wr0ng"].map(str::to_owned));
    assert_found_nowhere(&secrets, &place, &all);
}
