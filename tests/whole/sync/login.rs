//! A member who logged in leaves no trace in what a sync keeps and says.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use coverdex_sandbox::server::{Endpoint, Fault, Faults, Options, Payer, PublishedPayer};
use coverdex_sandbox::{MadePayer, ResourceType};
use coverdex_sync::fetch::{
    Clock, Event, Login, Network, Secret, Settings, Stop, TokenEncoding, TokenEndpoint, TokenFile, member_plans,
};
use coverdex_sync::update::{FromStaging, sync_and_build};

use super::{PAYER, Rig, assert_complete, shape};

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
        let login = Login::begin(&config, false).unwrap();
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
    let mut pages = Vec::new();
    for page in coverdex_sync::staging::Staging::open(&place.staging).unwrap().pages() {
        let page = page.unwrap();
        assert!(ResourceType::ALL.iter().any(|kind| kind.name() == page.request.resource_type));
        assert_ne!(page.request.resource_type, "Coverage");
        pages.extend(page.request.url.as_bytes());
        pages.extend(page.body);
    }
    let mut kept = super::files(&place.staging);
    kept.extend(super::files(&place.store));
    kept.insert("pages".into(), pages);
    kept.insert("said".into(), said.into_bytes());
    for secret in secrets {
        for (path, bytes) in &kept {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} is in {}", path.display());
        }
    }
    // The token file is the one place, for its owner alone.
    let tokens = fs::read_to_string(&token_path).unwrap();
    assert!(!tokens.contains(&patient) && !tokens.contains("sandbox-secret"));
}
