//! Starting, counting, switching, stopping.

use std::fs;
use std::time::Instant;

use super::*;

#[test]
fn stopped_it_is_gone_and_its_port_is_free() {
    let (running, _) = serve(Faults::of([Fault::Latency]));
    let address = running.address();
    let mut kept = Connection::open(&running).unwrap();
    assert_eq!(kept.send("GET", "/api/metadata", &[], "").unwrap().status, 200);
    let shared = Arc::downgrade(&running.shared);
    running.stop();
    assert_eq!(shared.strong_count(), 0, "a thread or a connection still holds on to it");
    assert!(kept.send("GET", "/api/metadata", &[], "").is_err());
    assert!(TcpStream::connect(address).is_err());
    let options = Options { port: address.port(), ..Options::default() };
    let again = Server::start(Arc::new(small_payer()), options.clone()).unwrap();
    assert_eq!(again.address(), address);
    let taken = Server::start(Arc::new(small_payer()), options).unwrap_err();
    assert!(taken.subject().contains(&address.port().to_string()), "{taken}");
}

#[test]
fn requests_are_counted_where_they_went() {
    let (running, clock) = serve(Faults::none());
    let mut connection = Connection::open(&running).unwrap();
    let headers = [("user-agent", "coverdex/0.1"), ("authorization", "Bearer x")];
    connection.send("GET", "/api/Medication?_count=2", &headers, "").unwrap();
    clock.advance(Duration::from_secs(5));
    for target in ["/api/Medication/nowhere", "/api/Patient/1", "/favicon.ico"] {
        connection.send("GET", target, &[], "").unwrap();
    }
    let requests = running.requests();
    assert_eq!((requests.total, requests.connections, requests.most_at_once), (4, 1, 1));
    assert_eq!(requests.of(Endpoint::Search(ResourceType::Medication)), 1);
    assert_eq!(requests.of(Endpoint::Read(ResourceType::Medication)), 1);
    assert_eq!(requests.of(Endpoint::Other), 2);
    assert_eq!(
        requests.with_authorization.into_iter().collect::<Vec<_>>(),
        [(Endpoint::Search(ResourceType::Medication), 1)]
    );
    assert_eq!(requests.user_agents.into_iter().collect::<Vec<_>>(), ["", "coverdex/0.1"]);
    let log = running.log();
    assert_eq!(log.iter().map(|entry| entry.status).collect::<Vec<_>>(), [200, 404, 404, 404]);
    assert_eq!(log[0].target, "/api/Medication?_count=2");
    assert_eq!(log[1].at.duration_since(log[0].at).unwrap(), Duration::from_secs(5));
    assert_eq!(log[3].number, 3);
}

#[test]
fn the_most_at_once_is_seen() {
    let options = Options { latency: Duration::from_millis(400), ..Options::default() };
    let specs = vec!["latency/1".parse().unwrap()];
    let (running, _) = serve_with(Options { faults: Faults { specs, ..Faults::default() }, ..options });
    std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| get(&running, "/api/Medication"));
        }
    });
    assert_eq!(running.requests().most_at_once, 5);
}

#[test]
fn the_same_requests_meet_the_same_faults_in_any_order() {
    let faults = [
        Fault::TooManySeconds,
        Fault::ConnectionDropped,
        Fault::Forbidden,
        Fault::OutcomeOnce,
        Fault::TruncatedRightLength,
        Fault::Redirects,
        Fault::JunkValues,
        Fault::ByteOrderMark,
    ];
    let targets: Vec<_> = (1..60).map(|count| format!("/api/Medication?_count={count}")).collect();
    let outcome = |seed: u64, order: &[String]| -> BTreeMap<String, Vec<(u16, usize)>> {
        let (running, _) = serve(Faults::of(faults).with_seed(seed));
        let mut seen: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for _ in 0..4 {
            for target in order {
                let came = try_get(&running, target).map_or((0, 0), |reply| (reply.status, reply.body.len()));
                seen.entry(target.clone()).or_default().push(came);
            }
        }
        seen
    };
    let backwards: Vec<_> = targets.iter().rev().cloned().collect();
    let first = outcome(5, &targets);
    // The ports, of five digits mostly, are in the bodies: the lengths agree but for those.
    let statuses = |seen: &BTreeMap<String, Vec<(u16, usize)>>| -> Vec<Vec<u16>> {
        seen.values().map(|came| came.iter().map(|(status, _)| *status).collect()).collect()
    };
    assert_eq!(statuses(&first), statuses(&outcome(5, &backwards)));
    assert_ne!(statuses(&first), statuses(&outcome(6, &targets)));
}

#[test]
fn faults_and_payer_are_switched_while_it_runs() {
    let (running, _) = serve(Faults::of([Fault::ByteOrderMark]));
    assert_eq!(running.faults(), Faults::of([Fault::ByteOrderMark]));
    running.set_faults(Faults { specs: vec!["connection-dropped@Medication/1".parse().unwrap()], ..Faults::default() });
    assert!(try_get(&running, "/api/Medication").is_err());
    assert!(try_get(&running, "/api/Practitioner").is_ok());
    running.set_faults(Faults::none());
    assert_eq!(all_ids(&running, "/api/Medication").len(), 45);
    let mut payer = small_payer();
    payer.add(r#"{"resourceType":"Medication","id":"new"}"#).unwrap();
    running.set_payer(Arc::new(payer));
    assert_eq!(all_ids(&running, "/api/Medication").last().unwrap(), "new");
}

#[test]
fn a_folder_of_ndjson_is_served_as_it_lies() {
    let folder = std::env::temp_dir().join(format!("coverdex-sandbox-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let resource = |i: usize| format!(r#"{{"resourceType":"Medication","id":"m{i}","code":{{"text":"Drug {i}"}}}}"#);
    let plan = r#"{"resourceType":"List","id":"l1","identifier":[{"value":"H1-001-000-2026"}],"entry":[]}"#;
    fs::write(folder.join("a.ndjson"), format!("{}\n\n{plan}\n", resource(0))).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(format!("{}\r\n{}", resource(1), resource(2)).as_bytes()).unwrap();
    fs::write(folder.join("b.ndjson.gz"), gz.finish().unwrap()).unwrap();
    let coverage = r#"{"resourceType":"Coverage","id":"c","beneficiary":{"reference":"Patient/p"}}"#;
    let zst = zstd::encode_all(format!("{}\n{coverage}\n{{\"resourceType\":\"Patient\"}}", resource(3)).as_bytes(), 1);
    fs::write(folder.join("c.ndjson.zst"), zst.unwrap()).unwrap();
    fs::write(folder.join("notes.txt"), "not a resource").unwrap();
    let server =
        r#"{"glossary":"x","members":[{"member":"00001","patient":"p"}],"read_by_id_only":{"Medication":["m1","m9"]}}"#;
    fs::write(folder.join("server.json"), server).unwrap();
    let payer = MemoryPayer::from_folder(&folder).unwrap();
    assert_eq!(payer.members(), [Member { login: "00001".to_owned(), patient: "p".to_owned() }]);
    assert_eq!(payer.coverages("p"), [coverage]);
    assert_eq!(payer.lists_of("H1-001-000-2026"), [0]);
    let running = Server::start(Arc::new(payer), Options::default()).unwrap();
    assert_eq!(all_ids(&running, "/api/Medication"), ["m0", "m2", "m3"]);
    assert_eq!(get(&running, "/api/Medication/m1").text(), resource(1));

    fs::write(folder.join("d.ndjson"), "{\"resourceType\":\"Medication\"\n").unwrap();
    let error = MemoryPayer::from_folder(&folder).unwrap_err();
    assert!(error.subject().ends_with("d.ndjson, line 1"), "{error}");
    fs::remove_dir_all(&folder).unwrap();
    assert!(MemoryPayer::from_folder(&folder).is_err());
}

#[test]
fn clocks_run_as_they_should() {
    let manual = ManualClock::new(start());
    manual.advance(Duration::from_mins(1));
    assert_eq!(manual.now(), start() + Duration::from_mins(1));
    let fast = FastClock::new(1000);
    let (began, since) = (Instant::now(), fast.now());
    std::thread::sleep(Duration::from_millis(20));
    let passed = fast.now().duration_since(since).unwrap();
    assert!(passed >= Duration::from_secs(20) && passed <= began.elapsed() * 1000, "{passed:?}");
    assert!(SystemClock.now() > start());
}

#[test]
fn the_made_payer_is_served_whole_and_its_members_log_in() {
    let payer = PublishedPayer::new(crate::MadePayer::new(crate::Shape::tiny()));
    let running = Server::start(Arc::new(payer.clone()), Options::default()).unwrap();
    let kind = ResourceType::MedicationKnowledge;
    let hidden: Vec<_> = (0..payer.count(kind)).filter(|row| payer.read_by_id_only(kind, *row)).collect();
    assert!(!hidden.is_empty());
    let shown = all_ids(&running, "/api/MedicationKnowledge?_count=100");
    assert_eq!(shown.len() as u64 + hidden.len() as u64, payer.count(kind));
    let mut references = String::new();
    for plan in payer.made().plans() {
        let target = format!("/api/List?_profile={}&identifier={}", codec::query_value(PROFILE_COVERAGE_PLAN), plan.id);
        let lists = pages(&running, &target);
        assert_eq!(lists.iter().flat_map(ids).count() as u64, payer.lists_of(&plan.id.to_string()).len() as u64);
        references.extend(lists.iter().map(Value::to_string));
    }
    for row in hidden {
        let id = payer.made().id(ResourceType::MedicationKnowledge, row);
        assert!(references.contains(&id), "nothing leads to {id}");
        assert_eq!(get(&running, &format!("/api/MedicationKnowledge/{id}")).status, 200);
    }
    let members = payer.members();
    assert_eq!(members.len(), 20);
    let counts: BTreeMap<usize, usize> = members.iter().fold(BTreeMap::new(), |mut counts, member| {
        let plans = payer.plans_of(&member.login);
        let coverages = payer.coverages(&member.patient).join("\n");
        assert!(plans.iter().all(|plan| coverages.contains(plan)), "{coverages}");
        *counts.entry(plans.len()).or_default() += 1;
        counts
    });
    assert!(counts[&0] > 2 && counts[&1] > 9 && counts[&2] > 1, "{counts:?}");
}

#[test]
fn odd_resources_are_found_and_served_as_they_are() {
    let mut payer = MemoryPayer::new();
    let odd = [
        r#"{"resourceType":"List","resourceType":"List","id":"l","identifier":{"value":"P"},"entry":[]}"#,
        r#"{"resourceType":"MedicationKnowledge","id":"a","id":"a","code":{"coding":{"code":12}}}"#,
        r#"{"resourceType":"PractitionerRole","active":true,"active":true,"id":"r","meta":{"tag":[{"system":"s","code":"1"},{}]}}"#,
    ];
    for json in odd {
        payer.add(json).unwrap();
    }
    assert!(payer.add("[1]").is_err() && payer.add("{\"id\":1}").is_err());
    let running = Server::start(Arc::new(payer), Options::default()).unwrap();
    let profile = codec::query_value(PROFILE_COVERAGE_PLAN);
    for (target, json) in [
        (format!("/api/List?_profile={profile}&identifier=P"), odd[0]),
        ("/api/MedicationKnowledge?code=12".to_owned(), odd[1]),
        ("/api/PractitionerRole?_tag=s%7C1&active=true".to_owned(), odd[2]),
    ] {
        let text = get(&running, &target).text();
        assert!(text.contains(json) && text.contains("\"fullUrl\""), "{target}: {text}");
    }
}
