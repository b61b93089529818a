//! What each fault does on the wire and in a body.

use std::collections::BTreeSet;

use super::*;

/// A server with one fault that meets all that it can meet.
fn always(fault: Fault) -> (Running, Arc<ManualClock>) {
    serve(Faults { specs: vec![FaultSpec { every: 1, ..fault.into() }], ..Faults::default() })
}

#[track_caller]
fn assert_clean(reply: &Reply) {
    assert_eq!((reply.status, reply.is_whole), (200, true), "{reply:?}");
    assert_eq!(ids(&reply.json()).len(), 20);
}

const MEDICATIONS: &str = "/api/Medication";

/// The statuses of asking again and again; 0 where no answer came.
fn statuses(running: &Running, target: &str) -> Vec<u16> {
    (0..6).map(|_| try_get(running, target).map_or(0, |reply| reply.status)).collect()
}

#[test]
fn names_are_read_back_and_say_what_they_do() {
    for fault in Fault::ALL {
        assert_eq!(fault.name().parse::<Fault>().unwrap(), *fault);
        assert!(fault.about().ends_with('.') && fault.every() > 0);
    }
    for text in ["firewall-403", "firewall-403@Practitioner+Location", "bom/7", "latency@List/10"] {
        assert_eq!(text.parse::<FaultSpec>().unwrap().to_string(), text);
    }
    assert_eq!("bom@Medication".parse::<FaultSpec>().unwrap().every, Fault::ByteOrderMark.every());
    for text in ["", "no-such", "bom/0", "bom/x", "bom@Patient"] {
        assert!(text.parse::<FaultSpec>().is_err(), "{text}");
    }
    assert!("no-such".parse::<Fault>().unwrap_err().candidates().contains(&"bom".to_owned()));
}

#[test]
fn the_readme_lists_every_fault_offer_and_need_in_its_own_words() {
    let readme = include_str!("../README.md");
    for fault in Fault::ALL {
        let ending = if fault.ending() == Ending::Same { "same" } else { "incomplete" };
        let line = format!("| `{}` | {ending} | {} |", fault.name(), fault.about());
        assert!(readme.contains(&line), "add to the table: {line}");
    }
    let offers = Offer::ALL.iter().map(|offer| (offer.name(), offer.about()));
    for (name, about) in offers.chain(Need::ALL.iter().map(|need| (need.name(), need.about()))) {
        let line = format!("| `{name}` | {about} |");
        assert!(readme.contains(&line), "add to the table: {line}");
    }
}

#[test]
fn too_many_requests_say_when_to_come_back() {
    let (running, _) = always(Fault::TooManySeconds);
    let reply = get(&running, MEDICATIONS);
    assert_eq!((reply.status, reply.json()["issue"][0]["code"].as_str()), (429, Some("throttled")));
    assert!((1..=3).contains(&reply.header("retry-after").parse::<u32>().unwrap()));
    let (running, clock) = always(Fault::TooManyDate);
    let reply = get(&running, MEDICATIONS);
    let dates: Vec<_> = (1..=3).map(|after| codec::http_date(clock.now() + Duration::from_secs(after))).collect();
    assert!(dates.contains(&reply.header("retry-after").to_owned()), "{reply:?}");
    assert_eq!(reply.header("date"), codec::http_date(clock.now()));
    assert_eq!(reply.header("date"), "Thu, 28 May 2026 20:26:40 GMT");
}

#[test]
fn passing_faults_pass_within_the_patience() {
    for fault in [
        Fault::TooManySeconds,
        Fault::TooManyDate,
        Fault::ConnectionDropped,
        Fault::ConnectionReset,
        Fault::Hang,
        Fault::OutcomeOnce,
        Fault::FirewallOnce,
        Fault::Forbidden,
        Fault::TruncatedRightLength,
        Fault::TruncatedWrongLength,
        Fault::EmptyPageOnce,
    ] {
        let (running, _) = always(fault);
        let mut failures = 0;
        while failures < 9 {
            let reply = try_get(&running, MEDICATIONS);
            let is_good = |reply: &Reply| {
                let body: Option<Value> = serde_json::from_slice(&reply.bytes()).ok();
                reply.status == 200 && reply.is_whole && body.is_some_and(|body| ids(&body).len() == 20)
            };
            if reply.is_ok_and(|reply| is_good(&reply)) {
                break;
            }
            failures += 1;
        }
        assert!((1..=2).contains(&failures), "{fault}: {failures}");
        assert_eq!(running.fired()[&fault], failures, "{fault}");
        // And it does not come again.
        assert_clean(&get(&running, MEDICATIONS));
    }
    let specs = [Fault::TooManySeconds, Fault::OutcomeOnce, Fault::Forbidden, Fault::ConnectionDropped];
    let specs: Vec<_> = specs.map(|fault| FaultSpec { every: 1, ..fault.into() }).into();
    let (running, _) = serve(Faults { specs: specs.clone(), ..Faults::default() });
    assert_eq!(statuses(&running, MEDICATIONS)[3..], [200; 3]);
    assert_eq!(running.fired().values().sum::<u64>(), 3);
    running.set_faults(Faults { specs, patience: 0, ..Faults::default() });
    assert_eq!(statuses(&running, MEDICATIONS), [200; 6]);
}

#[test]
fn bursts_hit_requests_in_a_row_whatever_they_ask() {
    let (running, _) = always(Fault::ServerErrors);
    let targets: Vec<_> = (1..=16).map(|count| format!("/api/Medication?_count={count}")).collect();
    let statuses: Vec<_> = targets.iter().map(|target| get(&running, target).status).collect();
    let burst = statuses.iter().take_while(|status| **status >= 500).count();
    assert!((3..=5).contains(&burst), "{statuses:?}");
    assert!(statuses[burst..].iter().all(|status| *status == 200), "{statuses:?}");
    let kinds: BTreeSet<_> = (0..200).map(|i| get(&running, &format!("/api/Medication?_skip={i}")).status).collect();
    assert_eq!(kinds, BTreeSet::from([200, 500, 502, 503, 504]));
}

#[test]
fn connections_end_as_they_are_said_to() {
    let kind = |result: std::io::Result<Reply>| result.err().map(|error| error.kind());
    let (running, _) = always(Fault::ConnectionDropped);
    assert_eq!(kind(try_get(&running, MEDICATIONS)), Some(std::io::ErrorKind::UnexpectedEof));

    let (running, _) = always(Fault::ConnectionReset);
    let (mut before, mut midway) = (0, 0);
    for count in 1..=20 {
        match try_get(&running, &format!("/api/MedicationKnowledge?_count={count}")) {
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => before += 1,
            Ok(reply) if !reply.is_whole => midway += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(before > 0 && midway > 0, "{before} {midway}");

    let (running, _) = always(Fault::ConnectionSilentlyClosed);
    let mut connection = Connection::open(&running).unwrap();
    let first = connection.send("GET", MEDICATIONS, &[], "").unwrap();
    assert_clean(&first);
    assert_eq!(first.header("connection"), "");
    assert_eq!(kind(connection.send("GET", MEDICATIONS, &[], "")), Some(std::io::ErrorKind::UnexpectedEof));
    assert_clean(&get(&running, MEDICATIONS));
    assert_eq!(running.fired()[&Fault::ConnectionSilentlyClosed], 1);

    let (running, _) = always(Fault::Hang);
    let since = std::time::Instant::now();
    assert_eq!(kind(try_get(&running, MEDICATIONS)), Some(std::io::ErrorKind::UnexpectedEof));
    assert!(since.elapsed() >= Duration::from_millis(20));
}

#[test]
fn truncated_bodies_tell_one_length_or_the_other() {
    let whole = get(&serve(Faults::none()).0, MEDICATIONS).body.len();
    let (running, _) = always(Fault::TruncatedRightLength);
    let reply = get(&running, MEDICATIONS);
    assert_eq!(reply.header("content-length"), whole.to_string());
    assert_eq!((reply.body.len(), reply.is_whole), (whole / 2, false));
    let (running, _) = always(Fault::TruncatedWrongLength);
    let reply = get(&running, MEDICATIONS);
    assert_eq!((reply.body.len(), reply.is_whole, reply.status), (whole / 2, true, 200));
    assert!(serde_json::from_slice::<Value>(&reply.body).is_err());
    // Also when it is compressed, gzip is whole and JSON is not.
    let target = "/api/Medication?_count=30";
    let packed = Connection::open(&running).unwrap().send("GET", target, &[("accept-encoding", "gzip")], "").unwrap();
    assert!(
        packed.is_whole && packed.text().starts_with('{') && serde_json::from_str::<Value>(&packed.text()).is_err()
    );
}

#[test]
fn slow_answers_are_whole() {
    for fault in [Fault::SlowDrip, Fault::Latency] {
        let (running, _) = always(fault);
        let since = std::time::Instant::now();
        assert_clean(&get(&running, MEDICATIONS));
        // 40 pieces with pauses of 2 ms; half of 20 ms at least.
        let least = if fault == Fault::SlowDrip { 70 } else { 10 };
        assert!(since.elapsed() >= Duration::from_millis(least), "{fault} {:?}", since.elapsed());
    }
}

#[test]
fn a_cursor_expires_once_in_a_search_and_for_good() {
    for (fault, status) in [
        (Fault::CursorExpired400, 400),
        (Fault::CursorExpired403, 403),
        (Fault::CursorExpired404, 404),
        (Fault::CursorExpired410, 410),
    ] {
        let (running, _) = always(fault);
        for target in ["/api/PractitionerRole?_count=10", "/api/PractitionerRole?active=true&_count=10", MEDICATIONS] {
            let (mut at, mut followed) = (target.to_owned(), Vec::new());
            let refused = loop {
                let reply = get(&running, &at);
                if reply.status != 200 {
                    break reply;
                }
                followed.push(at);
                at = next_target(&running, &reply.json()).expect("no cursor expired");
            };
            assert_eq!((refused.status, refused.json()["resourceType"].as_str()), (status, Some("OperationOutcome")));
            // Asking again does not help, nor do the other cursors of that pass.
            assert_eq!(get(&running, &at).status, status);
            assert!(followed[1..].iter().all(|target| get(&running, target).status == status));
            // A new pass has new cursors and comes to its end.
            let seen = all_ids(&running, target);
            assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len());
            assert!(!followed[1..].contains(&next_target(&running, &get(&running, target).json()).unwrap()));
        }
    }
}

#[test]
fn pages_overlap_and_entries_double_and_nothing_is_lost() {
    let expected = all_ids(&serve(Faults::none()).0, "/api/PractitionerRole");
    for fault in [Fault::OverlappingPages, Fault::Duplicates, Fault::ForeignResources] {
        let (running, _) = always(fault);
        for (kind, size) in
            [("PractitionerRole", 20), ("PractitionerRole", 1), ("PractitionerRole", 2), ("Practitioner", 7)]
        {
            let ids = all_ids(&running, &format!("/api/{kind}?_count={size}"));
            let distinct: BTreeSet<_> = ids.iter().filter(|id| id.len() == 64).collect();
            let expected = if kind == "Practitioner" { 90 } else { expected.len() };
            assert_eq!(distinct.len(), expected, "{fault} {kind} {size}");
            assert!(ids.len() > expected || (fault == Fault::OverlappingPages && size == 1), "{fault} {kind} {size}");
        }
    }
    let (running, _) = always(Fault::ForeignResources);
    let bundle = get(&running, MEDICATIONS).json();
    let kinds: BTreeSet<_> = bundle["entry"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["resource"]["resourceType"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, BTreeSet::from(["Endpoint", "HealthcareService", "Medication", "OperationOutcome"]));
}

#[test]
fn what_comes_instead_of_an_answer() {
    let (running, _) = always(Fault::EmptyPageOnce);
    let empty = get(&running, MEDICATIONS).json();
    assert_eq!(
        (empty["resourceType"].as_str(), &empty["entry"], link(&empty, "next")),
        (Some("Bundle"), &Value::Null, None)
    );
    // A reading by id has no page to be empty.
    let target = format!("/api/Medication/{}", ids(&get(&running, MEDICATIONS).json())[0]);
    assert_eq!(get(&running, &target).json()["resourceType"], "Medication");

    let (running, _) = always(Fault::OutcomeOnce);
    let others: BTreeSet<_> = (1..20)
        .map(|count| get(&running, &format!("{MEDICATIONS}?_count={count}")))
        .map(|reply| (reply.status, reply.json()["resourceType"].as_str().unwrap_or("none").to_owned()))
        .collect();
    assert_eq!(others, BTreeSet::from([(200, "OperationOutcome".to_owned()), (200, "none".to_owned())]));

    for (fault, status) in [(Fault::FirewallOnce, 200), (Fault::Forbidden, 403)] {
        let reply = get(&always(fault).0, MEDICATIONS);
        assert_eq!((reply.status, reply.header("content-type")), (status, "text/html; charset=utf-8"));
        assert!(reply.text().starts_with("<html>"));
    }
}

#[test]
fn bodies_are_right_in_odd_clothes() {
    let clean = serve(Faults::none()).0;
    let expected = ids(&get(&clean, MEDICATIONS).json());
    let (running, _) = always(Fault::ByteOrderMark);
    let reply = get(&running, MEDICATIONS);
    assert_eq!(reply.body[..3], [0xef, 0xbb, 0xbf]);
    assert_eq!(ids(&serde_json::from_slice(&reply.body[3..]).unwrap()), expected);

    let (running, _) = always(Fault::WrongContentType);
    let types: BTreeSet<_> = (1..40)
        .map(|count| get(&running, &format!("/api/Medication?_count={count}")).header("content-type").to_owned())
        .collect();
    assert_eq!(types.len(), 5);
    assert!(types.contains("") && types.contains("text/html"));
    assert_eq!(ids(&get(&running, MEDICATIONS).json()), expected);

    let (running, _) = always(Fault::ValuesAsStrings);
    let role = get(&running, "/api/PractitionerRole").json()["entry"][0]["resource"].clone();
    assert_eq!(role["active"], "false");
    assert!(get(&running, "/api/Practitioner").json()["total"] == "90");

    let (running, _) = always(Fault::DuplicateKeys);
    let text = get(&running, MEDICATIONS).text();
    let doubled = |name: &str| text.matches(&format!("{{\"{name}\":")).count();
    assert!(
        ["resourceType", "id", "meta", "code"].iter().map(|name| doubled(name)).filter(|count| *count > 0).count() > 1
    );
    let (_, first) = text.split_once("\"resource\":{").unwrap();
    let name = first.split('"').nth(1).unwrap();
    let (first, _) = first.split_once("\"search\"").unwrap();
    assert!(first.matches(&format!("\"{name}\":")).count() >= 2);
    assert_eq!(ids(&get(&running, MEDICATIONS).json()), expected);

    let (running, _) = always(Fault::JunkValues);
    let junk = get(&running, MEDICATIONS).json();
    assert_eq!(ids(&junk), expected);
    let resource = &junk["entry"][0]["resource"];
    assert_eq!((&resource["ingredient"], &resource["form"], &resource["status"]), (&json!([]), &json!({}), &json!("")));
}

#[test]
fn totals_lie_and_next_links_are_relative() {
    let wrong: BTreeSet<_> = (0..40)
        .map(|seed| {
            let (running, _) = serve(Faults::of([Fault::WrongTotal]).with_seed(seed));
            get(&running, "/api/Practitioner?_count=10").json()["total"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(wrong, BTreeSet::from([0, 10, 45, 277]));
    let (running, _) = always(Fault::RelativeNext);
    let links: Vec<_> = (1..30)
        .map(|count| link(&get(&running, &format!("/api/Medication?_count={count}")).json(), "next").unwrap())
        .collect();
    assert!(links.iter().all(|link| link.starts_with("/api/Medication?") || link.starts_with("?_count=")), "{links:?}");
    assert!(links.iter().any(|link| link.starts_with('?')) && links.iter().any(|link| link.starts_with('/')));
}

#[test]
fn counts_and_totals_may_be_refused() {
    let of = |fault, target: &str| get(&always(fault).0, target);
    assert_eq!(of(Fault::CountRefused, "/api/Medication?_count=26").status, 400);
    assert_eq!(ids(&of(Fault::CountRefused, "/api/Medication?_count=25").json()).len(), 25);
    assert_eq!(ids(&of(Fault::CountCapped, "/api/Medication?_count=40").json()).len(), 25);
    assert_eq!(ids(&of(Fault::CountEmpty, "/api/Medication?_count=40").json()).len(), 0);
    assert_eq!(of(Fault::TotalRefused, "/api/Practitioner?_total=estimate").status, 400);
    assert_eq!(of(Fault::TotalRefused, "/api/Practitioner").status, 200);
}

#[test]
fn one_resource_is_huge_in_its_page_and_by_its_id() {
    let (running, _) = serve(Faults { specs: vec!["huge-resource@Medication".parse().unwrap()], ..Faults::default() });
    let sizes: Vec<_> = pages(&running, MEDICATIONS).iter().map(|page| page.to_string().len()).collect();
    assert_eq!(sizes.iter().filter(|size| **size > 25 << 20).count(), 1, "{sizes:?}");
    // It is no bomb: gzip makes it half as long, not a thousandth.
    let mut connection = Connection::open(&running).unwrap();
    let packed = connection.send("GET", "/api/Medication?_count=100", &[("accept-encoding", "gzip")], "").unwrap();
    assert!(packed.body.len() > 8 << 20, "{}", packed.body.len());
}

#[test]
fn the_server_is_gone_for_a_minute_and_comes_back_to_its_port() {
    let (running, clock) = always(Fault::GoneAMinute);
    let mut kept = Connection::open(&running).unwrap();
    assert_eq!(kept.send("GET", MEDICATIONS, &[], "").unwrap().status, 200);
    let left = (0..40).position(|_| try_get(&running, MEDICATIONS).is_err()).expect("it never left");
    assert!((6..20).contains(&left), "{left}");
    let is_away = || try_get(&running, MEDICATIONS).is_err();
    assert!(kept.send("GET", MEDICATIONS, &[], "").is_err());
    clock.advance(Duration::from_secs(59));
    assert!((0..5).all(|_| is_away()));
    // Back at once: a client whose clock does not wait need not either.
    clock.advance(Duration::from_secs(1));
    assert!(!is_away());
    // Once only.
    assert!((0..50).all(|_| get(&running, MEDICATIONS).status == 200));
    assert_eq!(running.fired()[&Fault::GoneAMinute], 1);
}

#[test]
fn redirects_stay_on_the_host_and_lead_to_the_answer() {
    let (running, _) = always(Fault::Redirects);
    let statuses: BTreeSet<_> = (1..40)
        .map(|count| {
            let reply = get(&running, &format!("/api/Medication?_count={count}"));
            let location = reply.header("location");
            assert_eq!(location, format!("/moved/api/Medication?_count={count}"));
            assert_eq!(ids(&get(&running, location).json()).len(), count);
            reply.status
        })
        .collect();
    assert_eq!(statuses, BTreeSet::from([301, 302, 303, 307, 308]));
    assert_eq!(running.requests().of(Endpoint::Other), 0);
}

#[test]
fn the_other_host_answers_who_is_led_astray_and_tells_on_them() {
    let spec = |text: &str| Faults { specs: vec![text.parse().unwrap()], ..Faults::default() };
    let (running, _) = serve(spec("off-host-next@Medication"));
    let next = link(&get(&running, MEDICATIONS).json(), "next").unwrap();
    let target = next.strip_prefix(running.other_url()).unwrap();
    assert!(next_target(&running, &get(&running, "/api/PractitionerRole").json()).is_some());
    let port = running.other_url().rsplit(':').next().unwrap().parse::<u16>().unwrap();
    let mut astray = Connection(TcpStream::connect(("127.0.0.1", port)).unwrap());
    let page = astray.send("GET", target, &[("authorization", "Bearer secret")], "").unwrap().json();
    assert_eq!(ids(&page).len(), 20);
    let requests = running.requests();
    assert_eq!((requests.total, requests.other_host, requests.other_host_with_authorization), (2, 1, 1));

    running.set_faults(spec("off-host-redirect@Medication"));
    let redirected: Vec<_> =
        (0..3).map(|page| get(&running, &format!("/api/Medication?_skip={}", 20 * page))).collect();
    let away: Vec<_> = redirected.iter().filter(|reply| reply.status == 307).collect();
    assert_eq!(away.len(), 1);
    assert!(away[0].header("location").starts_with(running.other_url()));
}

#[test]
fn loops_go_round_in_ones_and_in_twos() {
    for (kind, size) in [("PractitionerRole", 10), ("Practitioner", 10), ("Medication", 7)] {
        for (fault, period) in [("next-loop-self", 1), ("next-loop-pair", 2)] {
            let specs = vec![format!("{fault}@{kind}").parse().unwrap()];
            let (running, _) = serve(Faults { specs, ..Faults::default() });
            let (mut at, mut seen) = (format!("/api/{kind}?_count={size}"), Vec::new());
            for _ in 0..30 {
                let page = get(&running, &at).json();
                seen.push(ids(&page));
                at = next_target(&running, &page).expect("the loop has an end");
            }
            let (tail, again) = (&seen[20..28], &seen[20 + period..28 + period]);
            assert_eq!(tail, again, "{fault} {kind}");
            assert_eq!(tail.iter().collect::<BTreeSet<_>>().len(), period, "{fault} {kind}");
        }
    }
}

#[test]
fn one_resource_breaks_its_page_and_its_reading() {
    for fault in ["permanent-failure", "nesting-bomb"] {
        let (running, _) =
            serve(Faults { specs: vec![format!("{fault}@Medication").parse().unwrap()], ..Faults::default() });
        let is_broken = |target: &str| {
            let reply = get(&running, target);
            reply.status == 500
                || reply.body.starts_with(br#"{"resourceType":"Bundle","type":"searchset","entry":[[[["#)
        };
        let broken =
            (0..45).filter(|skip| is_broken(&format!("/api/Medication?_count=1&_skip={skip}"))).collect::<Vec<_>>();
        assert_eq!(broken.len(), 1, "{fault}");
        assert!(is_broken(&format!("/api/Medication?_count=1&_skip={}", broken[0])));
        let payer = small_payer();
        let json: Value = serde_json::from_str(&payer.resource(ResourceType::Medication, broken[0])).unwrap();
        assert!(is_broken(&format!("/api/Medication/{}", json["id"].as_str().unwrap())));
        running.set_faults(Faults::none());
        assert!(!is_broken(&format!("/api/Medication?_count=1&_skip={}", broken[0])));
    }
}

#[test]
fn the_compression_bomb_is_for_those_who_take_gzip() {
    let (running, _) =
        serve(Faults { specs: vec!["compression-bomb@Medication".parse().unwrap()], ..Faults::default() });
    let mut connection = Connection::open(&running).unwrap();
    let mut bombs = 0;
    for skip in [0, 20, 40] {
        let target = format!("/api/Medication?_skip={skip}");
        assert_eq!(get(&running, &target).status, 200);
        let reply = connection.send("GET", &target, &[("accept-encoding", "gzip")], "").unwrap();
        let mut unpacked = flate2::read::GzDecoder::new(reply.body.as_slice()).take(100 << 20);
        if std::io::copy(&mut unpacked, &mut std::io::sink()).unwrap() == 100 << 20 {
            assert!(reply.body.len() < 4 << 20);
            bombs += 1;
        }
    }
    assert_eq!((bombs, running.fired()[&Fault::CompressionBomb]), (1, 1));
}

#[test]
fn resources_vanish_when_a_pass_is_half_done() {
    let (running, _) = serve(Faults { specs: vec!["shrinking@Practitioner".parse().unwrap()], ..Faults::default() });
    let before = get(&running, "/api/Practitioner?_count=100").json();
    assert_eq!(before["total"], 90);
    let seen = all_ids(&running, "/api/Practitioner?_count=10");
    let after = all_ids(&running, "/api/Practitioner?_count=10");
    assert!(after.len() < 80 && after.len() > 40, "{}", after.len());
    // Offsets moved under the pass: it saw some that are gone and missed some that are not.
    assert!(after.iter().any(|id| !seen.contains(id)) && seen.iter().any(|id| !after.contains(id)));
    let gone = ids(&before).into_iter().filter(|id| !after.contains(id)).collect::<Vec<_>>();
    assert_eq!(gone.len(), 90 - after.len());
    let statuses: BTreeSet<_> =
        gone.iter().map(|id| get(&running, &format!("/api/Practitioner/{id}")).status).collect();
    assert_eq!(statuses, BTreeSet::from([404, 410]));
    assert_eq!(get(&running, "/api/Practitioner").json()["total"], after.len());
}

#[test]
fn newer_versions_come_out_when_a_pass_is_half_done() {
    let (running, _) = always(Fault::Changing);
    let payer = small_payer();
    let kind = ResourceType::MedicationKnowledge;
    let truth: Value = serde_json::from_str(&payer.resource(kind, 0)).unwrap();
    let by_id = format!("/api/{kind}/{}", truth["id"].as_str().unwrap());
    let old = get(&running, &by_id).json();
    assert!(old["meta"]["lastUpdated"].as_str().unwrap().starts_with("2001-"));
    assert_ne!(old["extension"][0], truth["extension"][0]);
    let list = format!("/api/List?_profile={}&identifier={}", codec::query_value(PROFILE_COVERAGE_PLAN), PLANS[0]);
    let references = || {
        let lists = pages(&running, &list);
        let entries = lists.iter().flat_map(|page| page["entry"].as_array().unwrap().clone());
        entries.map(|list| list["resource"]["entry"].as_array().unwrap().len()).sum::<usize>()
    };
    let before = references();
    let seen = pages(&running, &format!("/api/{kind}?_count=50"));
    assert_eq!(seen.iter().flat_map(ids).count(), 2 * 148);
    let newest = seen.last().unwrap()["entry"].as_array().unwrap().last().unwrap()["resource"].clone();
    assert!(newest["meta"]["lastUpdated"].as_str().unwrap().starts_with("2026-"));
    assert_eq!(get(&running, &by_id).json(), truth);
    // Each List has its last reference again.
    assert_eq!(references(), before + 8);
    assert_eq!(before + 8, ENTRIES / 2 + 1);
}

#[test]
fn what_has_no_time_has_no_older_version() {
    let mut payer = MemoryPayer::new();
    for i in 0..150 {
        let meta = if i % 2 == 0 { "" } else { r#","meta":{"lastUpdated":"2026-01-01T00:00:00Z"}"# };
        payer.add(&format!(r#"{{"resourceType":"Medication","id":"m{i}"{meta},"code":{{"text":"Drug"}}}}"#)).unwrap();
    }
    let faults = Faults { specs: vec!["changing/1".parse().unwrap()], ..Faults::default() };
    let running = Server::start(Arc::new(payer), Options { faults, ..Options::default() }).unwrap();
    let ids = all_ids(&running, MEDICATIONS);
    assert_eq!(ids.len(), 150 + 75);
    assert!(ids[150..].iter().all(|id| id.trim_start_matches('m').parse::<u32>().unwrap() % 2 == 1));
}
