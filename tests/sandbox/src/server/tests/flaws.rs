//! What is wrong with pages, links, dates and validators, on the wire.

use std::collections::BTreeSet;

use super::*;

/// A server with one fault that meets all that it can meet, of one type if one is named.
fn always(fault: &str, options: Options) -> (Running, Arc<ManualClock>) {
    let spec = FaultSpec { every: 1, ..fault.parse().unwrap() };
    serve_with(Options { faults: Faults { specs: vec![spec], ..Faults::default() }, ..options })
}

fn plain(fault: &str) -> Running {
    always(fault, Options::default()).0
}

fn offering(offers: &[Offer]) -> Options {
    Options { offers: offers.iter().copied().collect(), ..Options::default() }
}

const MEDICATIONS: &str = "/api/Medication";

/// The texts of an answer to a request with `If-None-Match`.
fn conditional(running: &Running, target: &str, tag: &str) -> Reply {
    Connection::open(running).unwrap().send("GET", target, &[("if-none-match", tag)], "").unwrap()
}

#[test]
fn an_order_moves_and_its_total_is_right() {
    for (fault, missed) in [("order-moves", 1), ("order-shifts", 4)] {
        let running = plain(&format!("{fault}@Practitioner"));
        let seen = all_ids(&running, "/api/Practitioner?_count=20");
        let distinct: BTreeSet<_> = seen.iter().collect();
        assert_eq!(seen.len(), 90, "{fault}");
        assert!(distinct.len() + missed <= 90, "{fault}: {} of 90", distinct.len());
        assert_eq!(get(&running, "/api/Practitioner").json()["total"], 90);
        // Pages by a cursor stay.
        assert_eq!(all_ids(&running, MEDICATIONS).into_iter().collect::<BTreeSet<_>>().len(), 45);
    }
    // Who asks for an order that is offered has one.
    let (running, _) = always("order-moves", offering(&[Offer::SortById]));
    let seen = all_ids(&running, "/api/Practitioner?_count=20&_sort=_id");
    assert!(seen.len() == 90 && seen.is_sorted());
    assert!(link(&get(&running, "/api/Practitioner?_sort=_id").json(), "self").unwrap().contains("_sort=_id"));
}

#[test]
fn a_page_is_the_last_one_before_the_end() {
    // Once.
    let running = plain("page-lost-once");
    let (lost, whole) = (get(&running, MEDICATIONS).json(), get(&running, MEDICATIONS).json());
    assert_eq!((link(&lost, "next"), &lost["total"], ids(&lost).len()), (None, &json!(45), 20));
    assert!(link(&whole, "next").is_some() && whole["total"].is_null());
    // Always, with and without a way round.
    for (fault, beyond) in [("page-lost@Medication", true), ("page-lost-skip-ignored@Medication", false)] {
        let running = plain(fault);
        let seen = all_ids(&running, MEDICATIONS);
        let last = pages(&running, MEDICATIONS).pop().unwrap();
        assert_eq!((seen.len() < 45, &last["total"]), (true, &json!(45)), "{fault}");
        let rest = ids(&get(&running, &format!("{MEDICATIONS}?_skip={}", seen.len())).json());
        assert_eq!(!seen.contains(&rest[0]), beyond, "{fault}");
    }
    let running = plain("page-lost-skip-ignored@Practitioner");
    let seen = all_ids(&running, "/api/Practitioner");
    let rest = ids(&get(&running, &format!("/api/Practitioner?_skip={}", seen.len())).json());
    assert!(seen.len() < 90 && rest == seen[..20]);
}

#[test]
fn a_page_is_cut_short() {
    let running = plain("page-cut-once");
    let (cut, whole) = (get(&running, MEDICATIONS).json(), get(&running, MEDICATIONS).json());
    assert_eq!((link(&cut, "next"), &cut["total"], ids(&cut).len()), (None, &json!(45), 10));
    assert_eq!(ids(&whole).len(), 20);
    let totals: BTreeSet<String> = (0..8)
        .map(|seed| {
            let faults = Faults { specs: vec!["page-cut@Medication".parse().unwrap()], ..Faults::default() };
            let (running, _) = serve(faults.with_seed(seed));
            let came = pages(&running, MEDICATIONS);
            assert!(came.len() < 3 && ids(came.last().unwrap()).len() == 10);
            came.last().unwrap()["total"].to_string()
        })
        .collect();
    assert_eq!(totals, BTreeSet::from(["45".to_owned(), "null".to_owned()]));
}

#[test]
fn a_page_has_an_error_among_its_entries() {
    let severities = |page: &Value| -> Vec<Value> {
        let entries = page["entry"].as_array().unwrap().iter();
        entries.map(|entry| entry["resource"]["issue"][0]["severity"].clone()).filter(|s| !s.is_null()).collect()
    };
    let running = plain("error-in-page-once");
    let (spoilt, whole) = (get(&running, MEDICATIONS).json(), get(&running, MEDICATIONS).json());
    let severity = severities(&spoilt).pop().unwrap();
    assert!((severity == "error" || severity == "fatal") && ids(&spoilt).len() == 11);
    assert!(severities(&whole).is_empty() && ids(&whole).len() == 20);
    let running = plain("error-in-page@Medication");
    for _ in 0..2 {
        let all = pages(&running, MEDICATIONS);
        let spoilt: Vec<_> = all.iter().filter(|page| !severities(page).is_empty()).collect();
        assert_eq!((all.len(), spoilt.len()), (3, 1));
    }
}

#[test]
fn a_bundle_is_of_another_type() {
    let running = plain("bundle-type-once");
    let (other, right) = (get(&running, MEDICATIONS).json(), get(&running, MEDICATIONS).json());
    assert!(other["type"] != "searchset" && ids(&other).len() == 10, "{other}");
    assert!(right["type"] == "searchset" && ids(&right).len() == 20);
    let running = plain("bundle-type@Medication");
    assert!(pages(&running, MEDICATIONS).iter().all(|page| page["type"] != "searchset"));
    assert_eq!(all_ids(&running, MEDICATIONS).len(), 10 + 10 + 2);
    assert_eq!(get(&running, "/api/Practitioner").json()["type"], "searchset");
}

#[test]
fn etags_of_searches_change_with_the_data_or_never() {
    let target = "/api/Medication?_count=50";
    for (options, fault, is_frozen) in
        [(offering(&[Offer::SearchEtags]), "latency/1000000", false), (Options::default(), "etag-never-changes", true)]
    {
        let (running, _) = always(fault, options);
        let tag = get(&running, target).header("etag").to_owned();
        assert!(tag.starts_with("W/\""), "{fault}");
        assert_eq!(conditional(&running, target, &tag).status, 304, "{fault}");
        assert_eq!(conditional(&running, target, "W/\"other\"").status, 200, "{fault}");
        let mut payer = small_payer();
        payer.add(r#"{"resourceType":"Medication","id":"new"}"#).unwrap();
        running.set_payer(Arc::new(payer));
        assert_eq!(conditional(&running, target, &tag).status, if is_frozen { 304 } else { 200 }, "{fault}");
        assert_eq!(get(&running, target).header("etag") == tag, is_frozen, "{fault}");
    }
    assert_eq!(get(&serve(Faults::none()).0, target).header("etag"), "");
}

#[test]
fn an_etag_of_a_reading_never_changes() {
    let running = plain("read-etag-never-changes");
    let all = all_ids(&running, "/api/Practitioner");
    let tags: BTreeSet<String> =
        all[..5].iter().map(|id| get(&running, &format!("/api/Practitioner/{id}")).header("etag").to_owned()).collect();
    assert_eq!(tags, BTreeSet::from(["W/\"1\"".to_owned()]));
    assert_eq!(conditional(&running, &format!("/api/Practitioner/{}", all[0]), "W/\"1\"").status, 304);
}

#[test]
fn a_link_leads_back_under_another_spelling_each_time() {
    for kind in ["Medication", "Practitioner", "PractitionerRole"] {
        let running = plain(&format!("next-loop-spelling@{kind}"));
        let (mut at, mut links, mut seen) = (format!("/api/{kind}?_count=10"), BTreeSet::new(), Vec::new());
        for _ in 0..40 {
            assert!(links.insert(at.clone()), "{at} came before");
            let page = get(&running, &at).json();
            seen.push(ids(&page));
            at = next_target(&running, &page).expect("the loop has an end");
        }
        assert!(seen[20..].iter().all(|ids| *ids == seen[20] && ids.len() == 10), "{kind}");
    }
}

#[test]
fn members_stand_twice() {
    let doubled = |text: &str, name: &str| text.matches(&format!("\"{name}\":")).count();
    let running = plain("keys-twice-equal");
    let reply = get(&running, "/api/Practitioner");
    assert_eq!(
        (ids(&reply.json()).len(), doubled(&reply.text(), "entry"), doubled(&reply.text(), "total")),
        (20, 2, 2)
    );
    let both: BTreeSet<_> = (1..30)
        .map(|count| get(&running, &format!("/api/Medication?_count={count}")))
        .map(|reply| doubled(&reply.text(), "resource") / ids(&reply.json()).len())
        .collect();
    // The entries stand twice anyway.
    assert_eq!(both, BTreeSet::from([2, 4]));

    // The first or the last of two is the right one, of each member.
    let running = plain("keys-twice-differ");
    let mut met = BTreeSet::new();
    for count in 4..60 {
        let reply = get(&running, &format!("/api/Practitioner?_count={count}"));
        let (text, page) = (reply.text(), reply.json());
        let right = ids(&page).iter().filter(|id| !id.is_empty()).count() == count;
        met.extend(["entry", "total", "resource"].into_iter().filter(|name| {
            let usual = if *name == "resource" { ids(&page).len() } else { 1 };
            doubled(&text, name) > usual
        }));
        met.insert(if right { "the last is right" } else { "the first is right" });
    }
    assert_eq!(met.len(), 5, "{met:?}");
}

#[test]
fn a_search_for_changes_is_taken_otherwise() {
    let since = |sign: &str| format!("/api/Medication?_lastUpdated={sign}2026-03-28T07:05:56.538Z");
    let of = |fault: &str| {
        let (running, _) = always(fault, offering(&[Offer::LastUpdated]));
        let page = get(&running, &since("ge")).json();
        (ids(&page).len(), link(&page, "self").unwrap().contains("_lastUpdated"))
    };
    assert_eq!(of("latency"), (1, true));
    assert_eq!(of("ge-as-gt"), (0, true));
    assert_eq!(of("last-updated-ignored"), (20, false));
    assert_eq!(of("last-updated-ignored-in-silence"), (20, true));
}

#[test]
fn one_resource_of_each_type_is_of_2099() {
    let running = plain("from-2099");
    for target in ["/api/Medication?_count=100", "/api/PractitionerRole?_count=100"] {
        let page = pages(&running, target);
        let entries = page.iter().flat_map(|page| page["entry"].as_array().unwrap());
        let dated: Vec<_> =
            entries.filter(|e| e["resource"]["meta"]["lastUpdated"].to_string().contains("2099")).collect();
        assert_eq!(dated.len(), 1, "{target}");
    }
}

#[test]
fn dates_of_lists_move_and_their_entries_stay() {
    let list = format!("/api/List?_profile={}&identifier={}", codec::query_value(PROFILE_COVERAGE_PLAN), PLANS[0]);
    let (running, clock) = always("list-dates-move", Options::default());
    let first = get(&running, &list).json()["entry"][0]["resource"].clone();
    clock.advance(Duration::from_secs(3));
    let second = get(&running, &list).json()["entry"][0]["resource"].clone();
    assert_eq!(first["entry"], second["entry"]);
    for member in ["lastUpdated", "versionId"] {
        assert_ne!(first["meta"][member], second["meta"][member]);
    }
}

#[test]
fn an_expired_cursor_is_refused_by_a_firewall() {
    let running = plain("cursor-expired-403-page");
    let first = get(&running, "/api/Medication?_count=5").json();
    let mut next = next_target(&running, &first).unwrap();
    let refused = loop {
        let reply = get(&running, &next);
        if reply.status != 200 {
            break reply;
        }
        next = next_target(&running, &reply.json()).expect("no cursor expired");
    };
    assert_eq!((refused.status, refused.header("content-type")), (403, "text/html; charset=utf-8"));
    assert_eq!(all_ids(&running, "/api/Medication?_count=5").len(), 45);
}

#[test]
fn a_wait_is_longer_than_any() {
    let running = plain("retry-after-huge");
    let reply = get(&running, MEDICATIONS);
    assert_eq!((reply.status, reply.header("retry-after")), (429, "18440000000000000000"));
    assert_eq!(get(&running, MEDICATIONS).status, 200);
}

#[test]
fn a_link_is_too_long_to_be_followed() {
    let running = plain("next-link-huge@Medication");
    let links: Vec<_> = [0, 20]
        .iter()
        .filter_map(|skip| link(&get(&running, &format!("{MEDICATIONS}?_skip={skip}")).json(), "next"))
        .collect();
    let huge = links.iter().find(|link| link.len() > 1 << 20).unwrap();
    let target = huge.strip_prefix(running.base_url()).unwrap();
    assert!(!try_get(&running, target).is_ok_and(|reply| reply.status == 200));
}

#[test]
fn one_in_three_is_gone_by_its_id() {
    let (running, _) = serve(Faults::of([Fault::GoneById]));
    let all = all_ids(&running, "/api/Practitioner");
    let gone: Vec<_> =
        all.iter().filter(|id| get(&running, &format!("/api/Practitioner/{id}")).status == 410).collect();
    assert!((20..40).contains(&gone.len()), "{}", gone.len());
    let by_id = format!("/api/Practitioner?_id={},{}", gone[0], gone[1]);
    assert!(all_ids(&running, &by_id).is_empty());
    assert_eq!(all.len(), 90, "searches show them");
}

#[test]
fn entries_are_nothing() {
    let list = format!("/api/List?_profile={}&identifier={}", codec::query_value(PROFILE_COVERAGE_PLAN), PLANS[0]);
    let lists = get(&plain("null-in-list"), &list).json();
    let entries = lists["entry"][0]["resource"]["entry"].as_array().unwrap();
    assert_eq!((&entries[0], &entries[1], entries.len()), (&Value::Null, &json!({}), 12));
    let page = get(&plain("entry-without-resource"), MEDICATIONS).json();
    let entries = page["entry"].as_array().unwrap();
    let without = entries.iter().filter(|entry| entry["resource"].is_null());
    assert_eq!((without.count(), entries.len()), (2, 22));
    assert!(entries.iter().all(|entry| entry["fullUrl"].is_string()));
}

#[test]
fn parameters_are_ignored_and_the_self_link_says_so() {
    let (running, _) = always("self-drops-parameter", offering(&[Offer::PlanSearch]));
    let list = format!("/api/List?_profile={}&identifier={}", codec::query_value(PROFILE_COVERAGE_PLAN), PLANS[0]);
    for (target, all) in [
        (list, 16),
        ("/api/PractitionerRole?active=true&_tag=x%7Cy".to_owned(), 120),
        (format!("/api/MedicationKnowledge?DrugPlan={}", PLANS[0]), ENTRIES - 2),
    ] {
        let page = get(&running, &target).json();
        let own = link(&page, "self").unwrap();
        assert!(["identifier", "active", "_tag", "DrugPlan"].iter().all(|name| !own.contains(name)), "{own}");
        assert_eq!(all_ids(&running, &target).len(), all, "{target}");
    }
}

#[test]
fn the_clock_is_an_hour_off() {
    for (fault, date) in
        [("clock-ahead", "Thu, 28 May 2026 21:26:40 GMT"), ("clock-behind", "Thu, 28 May 2026 19:26:40 GMT")]
    {
        let running = plain(fault);
        let reply = get(&running, MEDICATIONS);
        assert_eq!(reply.header("date"), date);
        assert_eq!(codec::http_date(running.now()), date);
        assert_eq!(reply.json()["meta"]["lastUpdated"], codec::instant(running.now()));
        assert!(running.fired()[&fault.parse().unwrap()] > 0);
    }
}

#[test]
fn whole_types_are_not_served_or_empty() {
    let kinds = BTreeSet::from([ResourceType::Medication]);
    let options = Options { not_served: kinds.clone(), ..Options::default() };
    let (running, _) = serve_with(options);
    assert_eq!(get(&running, MEDICATIONS).status, 404);
    assert!(!get(&running, "/api/metadata").text().contains("\"Medication\""));
    let (running, _) = serve_with(Options { empty: kinds, ..Options::default() });
    let page = get(&running, MEDICATIONS).json();
    assert!(page["entry"].is_null() && page["type"] == "searchset");
    assert!(get(&running, "/api/metadata").text().contains("\"Medication\""));
}

#[test]
fn how_many_there_are_is_told_or_not() {
    let (running, _) = serve_with(offering(&[Offer::CountOnly, Offer::LastUpdated]));
    let count = get(&running, "/api/Medication?_summary=count").json();
    assert_eq!((&count["total"], &count["entry"], link(&count, "next")), (&json!(45), &Value::Null, None));
    let changed = get(&running, "/api/Medication?_summary=count&_lastUpdated=ge2026-03-28").json();
    assert_eq!(changed["total"], 1);
    let (running, _) = serve_with(Options { ignored: BTreeSet::from(["_total".to_owned()]), ..Options::default() });
    let page = get(&running, "/api/Medication?_total=accurate&_summary=count").json();
    assert_eq!((&page["total"], ids(&page).len()), (&Value::Null, 20));
    let own = link(&page, "self").unwrap();
    assert!(!own.contains("_total") && !own.contains("_summary"), "{own}");
}
