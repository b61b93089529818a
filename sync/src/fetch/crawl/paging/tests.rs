use super::*;
use crate::fetch::config::Settings;

const BASE: &str = "https://fhir.example.test/api";

fn config(allow: &[&str], max_pages: u32) -> Config {
    Settings {
        base_url: Some(BASE.to_owned()),
        allow_host: allow.iter().map(|h| (*h).to_owned()).collect(),
        max_pages: Some(max_pages),
        ..Settings::default()
    }
    .check()
    .unwrap()
}

fn query() -> Query {
    Query::all_of("Practitioner")
}

fn paging(query: Query) -> Paging {
    Paging::begin(query, &Url::parse(BASE).unwrap(), Some(100), 0)
}

fn page(which: u64, next: Option<&str>) -> Came<'_> {
    Came::Page { entries: 100, which, flawed: false, next }
}

fn empty(next: Option<&str>) -> Came<'_> {
    Came::Page { entries: 0, which: 0, flawed: false, next }
}

fn incomplete(reason: &str, resumable: bool) -> Next {
    Next::Incomplete { reason: reason.to_owned(), resumable }
}

fn restart(reason: &str) -> Next {
    Next::Restart(reason.to_owned())
}

fn url(paging: &Paging) -> &str {
    paging.url().map_or("", Url::as_str)
}

/// Feeds answers and compares what is to be done, and the address to ask for then.
fn feed(paging: &mut Paging, config: &Config, script: &[(Came<'_>, Next, &str)]) {
    for (step, (came, expected, asks)) in script.iter().enumerate() {
        assert_eq!(paging.came(*came, config), *expected, "step {step}: {came:?}");
        let asks = if asks.starts_with('?') { format!("{BASE}/Practitioner{asks}") } else { (*asks).to_owned() };
        assert_eq!(url(paging), asks, "step {step}: {came:?}");
    }
}

#[test]
fn addresses() {
    let mut query = query();
    let base = Url::parse(BASE).unwrap();
    assert_eq!(query.url(&base, None, true).as_str(), "https://fhir.example.test/api/Practitioner");
    query.params = vec![("_tag".to_owned(), "https://fhir.example.test/glossary/VisionNetworkID|12".to_owned())];
    query.optional = vec![("_total".to_owned(), "estimate".to_owned())];
    let expected = "https://fhir.example.test/api/Practitioner?_tag=https%3A%2F%2Ffhir.example.test%2Fglossary%2FVisionNetworkID%7C12\
                    &_total=estimate&_count=50";
    assert_eq!(query.url(&base, Some(50), true).as_str(), expected);
    assert!(!query.url(&base, Some(50), false).as_str().contains("_total"));
    let root = Url::parse("https://fhir.example.test").unwrap();
    assert!(query.url(&root, None, false).as_str().starts_with("https://fhir.example.test/Practitioner?_tag="));
}

#[test]
fn next_links_are_followed_as_given() {
    let config = config(&["other.example.test"], 1000);
    let mut paging = paging(query());
    assert_eq!(url(&paging), format!("{BASE}/Practitioner?_count=100"));
    feed(
        &mut paging,
        &config,
        &[
            (page(1, Some("https://fhir.example.test/api/Practitioner?ct=%5Ba%2Bb%5D")), Next::Go, "?ct=%5Ba%2Bb%5D"),
            (page(2, Some("Practitioner?_skip=20")), Next::Go, "?_skip=20"),
            (page(3, Some("?_skip=40#x")), Next::Go, "?_skip=40"),
            (page(4, Some("/api/Practitioner?_skip=60")), Next::Go, "?_skip=60"),
            (page(5, Some("/Practitioner?_skip=80")), Next::Go, "?_skip=80"),
            (page(6, Some("http://fhir.example.test/api/Practitioner?ct=7")), Next::Go, "?ct=7"),
            (page(7, Some("https://other.example.test/x?ct=8")), Next::Go, "https://other.example.test/x?ct=8"),
            (
                page(8, Some("https://fhir.example.test/api?_getpages=9")),
                Next::Go,
                "https://fhir.example.test/api?_getpages=9",
            ),
            (page(9, None), Next::Complete, ""),
        ],
    );
    assert_eq!((paging.page(), paging.attempt()), (9, 0));
}

#[test]
fn loops_and_repeats_end_the_walk() {
    let config = config(&[], 1000);
    let circle =
        |n| incomplete(&format!("next links lead in a circle: the one of page {n} was followed before"), false);
    // A leads to A.
    feed(&mut paging(query()), &config, &[(page(1, Some("?_count=100")), circle(1), "")]);
    // A leads to B leads to A.
    let script = [(page(1, Some("?ct=b")), Next::Go, "?ct=b"), (page(2, Some("?_count=100")), circle(2), "")];
    feed(&mut paging(query()), &config, &script);
    // A cursor that moves while the page stays.
    let old =
        |n| incomplete(&format!("next links lead in a circle: page {n} and the one before it came before"), false);
    feed(
        &mut paging(query()),
        &config,
        &[
            (page(1, Some("?s=1")), Next::Go, "?s=1"),
            (page(1, Some("?s=2")), Next::Go, "?s=2"),
            (page(1, Some("?s=3")), old(3), ""),
        ],
    );
    // Links that lead back under new spellings, over several pages.
    feed(
        &mut paging(query()),
        &config,
        &[
            (page(1, Some("?ct=b&n=1")), Next::Go, "?ct=b&n=1"),
            (page(2, Some("?ct=a&n=2")), Next::Go, "?ct=a&n=2"),
            (page(1, Some("?n=3&ct=b")), Next::Go, "?n=3&ct=b"),
            (page(2, Some("?n=4&ct=a")), old(4), ""),
        ],
    );
    // A page that comes twice is an overlap, no loop.
    let script = [
        (page(1, Some("?s=1")), Next::Go, "?s=1"),
        (page(1, Some("?s=2")), Next::Go, "?s=2"),
        (page(2, None), Next::Complete, ""),
    ];
    feed(&mut paging(query()), &config, &script);
}

#[test]
fn a_page_that_is_not_whole_is_asked_for_again() {
    let config = config(&[], 1000);
    let flawed = |next| Came::Page { entries: 5, which: 1, flawed: true, next };
    feed(
        &mut paging(query()),
        &config,
        &[
            (flawed(None), Next::Again, "?_count=100"),
            (page(1, Some("?ct=b")), Next::Go, "?ct=b"),
            (flawed(Some("?ct=c")), Next::Again, "?ct=b"),
            (flawed(Some("?ct=c")), Next::Again, "?ct=b"),
            (flawed(Some("?ct=c")), Next::Go, "?ct=c"),
            (page(3, None), Next::Complete, ""),
        ],
    );
    let long = format!("?ct={}", "x".repeat(1 << 20));
    let script =
        [(page(1, Some(long.as_str())), incomplete("the next link of page 1 is 1048580 bytes long", false), "")];
    feed(&mut paging(query()), &config, &script);
}

#[test]
fn links_to_elsewhere_and_junk_end_the_walk() {
    let config = config(&[], 1000);
    for (next, why) in [
        (
            "https://evil.example.test/api?ct=1",
            "leads to another host, evil.example.test:443: allow it with allow-host evil.example.test:443 if it is the payer's",
        ),
        (
            "https://fhir.example.test:8443/api?ct=1",
            "leads to another host, fhir.example.test:8443: allow it with allow-host fhir.example.test:8443 if it is the payer's",
        ),
        (
            "//evil.example.test/api?ct=1",
            "leads to another host, evil.example.test:443: allow it with allow-host evil.example.test:443 if it is the payer's",
        ),
        ("file:///etc/passwd", "leads to no web address, with the scheme \"file\""),
        ("javascript:alert(1)", "leads to no web address, with the scheme \"javascript\""),
        ("http://", "cannot be read"),
    ] {
        let expected = incomplete(&format!("the next link of page 1 {why}"), false);
        feed(&mut paging(query()), &config, &[(page(1, Some(next)), expected, "")]);
    }
    let few = self::config(&[], 2);
    let script = [
        (page(1, Some("?s=1")), Next::Go, "?s=1"),
        (page(2, Some("?s=2")), incomplete("more than 2 pages (max-pages)", false), ""),
    ];
    feed(&mut paging(query()), &few, &script);
}

#[test]
fn empty_pages_are_asked_for_again() {
    let config = config(&[], 1000);
    // Falsely empty once: first page, a later one, the last one.
    feed(
        &mut paging(query()),
        &config,
        &[
            (empty(None), Next::Again, "?_count=100"),
            (page(1, Some("?s=1")), Next::Go, "?s=1"),
            (empty(Some("?s=2")), Next::Again, "?s=1"),
            (page(2, Some("?s=2")), Next::Go, "?s=2"),
            (empty(None), Next::Again, "?s=2"),
            (page(3, None), Next::Complete, ""),
        ],
    );
    // Really empty in the middle, and at the end.
    feed(
        &mut paging(query()),
        &config,
        &[
            (page(1, Some("?s=1")), Next::Go, "?s=1"),
            (empty(Some("?s=2")), Next::Again, "?s=1"),
            (empty(Some("?s=2")), Next::Go, "?s=2"),
            (empty(None), Next::Again, "?s=2"),
            (empty(None), Next::Complete, ""),
        ],
    );
    // Empty for ever.
    feed(
        &mut paging(Query { expects_data: false, ..query() }),
        &config,
        &[
            (empty(Some("?s=1")), Next::Again, "?_count=100"),
            (empty(Some("?s=1")), Next::Go, "?s=1"),
            (empty(Some("?s=2")), Next::Again, "?s=1"),
            (empty(Some("?s=2")), Next::Go, "?s=2"),
            (empty(Some("?s=3")), Next::Again, "?s=2"),
            (empty(Some("?s=3")), incomplete("3 empty pages in a row, the last of them page 3", false), ""),
        ],
    );
    // Where there should be data, a smaller page is tried before emptiness is believed.
    feed(
        &mut paging(query()),
        &config,
        &[
            (empty(None), Next::Again, "?_count=100"),
            (empty(None), restart("the first page was empty"), "?_count=10"),
            (empty(None), Next::Again, "?_count=10"),
            (empty(None), Next::Complete, ""),
        ],
    );
    let plan = Query { expects_data: false, ..query() };
    feed(&mut paging(plan), &config, &[(empty(None), Next::Again, "?_count=100"), (empty(None), Next::Complete, "")]);
}

#[test]
fn a_refused_first_page_is_asked_for_in_smaller_ones() {
    let config = config(&[], 1000);
    let smaller = |status| restart(&format!("{status}: asked again with smaller pages"));
    for status in [400, 413, 422] {
        let mut paging = paging(query());
        feed(
            &mut paging,
            &config,
            &[
                (Came::Refused(status), smaller(status), "?_count=50"),
                (Came::Refused(status), smaller(status), "?_count=25"),
                (Came::Refused(status), smaller(status), "?_count=10"),
                (Came::Refused(status), smaller(status), "?_count=1"),
                (Came::Refused(status), smaller(status), &format!("{BASE}/Practitioner")),
                (Came::Refused(status), Next::NotServed(status), &format!("{BASE}/Practitioner")),
            ],
        );
        assert_eq!(paging.attempt(), 0, "nothing was kept");
    }
    for status in [401, 403, 404, 405, 410, 501] {
        let came = if matches!(status, 404 | 410) { Came::Gone(status) } else { Came::Refused(status) };
        feed(&mut paging(query()), &config, &[(came, Next::NotServed(status), "?_count=100")]);
    }
    // What is only tried is not insisted on.
    let base = format!("{BASE}/Practitioner");
    let probe = Query { probe: true, ..query() };
    feed(
        &mut paging(probe),
        &config,
        &[(Came::Refused(400), smaller(400), &base), (Came::Refused(400), Next::NotServed(400), &base)],
    );
    // A gateway's page for a path that it does not know is no loss of the server.
    let (probe, firewall) = (Query { probe: true, ..query() }, Trouble::Firewall(403));
    assert!(!paging(probe.clone()).is_loss(&firewall) && paging(query()).is_loss(&firewall));
    feed(&mut paging(probe), &config, &[(Came::Failed(&firewall), Next::NotServed(403), "?_count=100")]);
    // An optional parameter goes first.
    let total = Query { optional: vec![("_total".to_owned(), "estimate".to_owned())], ..query() };
    let script = [
        (Came::Refused(400), restart("400: asked again without optional parameters"), "?_count=100"),
        (page(1, None), Next::Complete, ""),
    ];
    feed(&mut paging(total), &config, &script);
}

#[test]
fn a_first_page_that_is_too_heavy_is_asked_for_in_smaller_ones() {
    let config = config(&[], 1000);
    for trouble in [Trouble::Status(504), Trouble::TooLarge, Trouble::Slow, Trouble::Wrong("nothing".to_owned())] {
        let mut paging = paging(query());
        assert!(paging.can_be_lighter());
        let expected = restart(&format!("{trouble}: asked again with smaller pages"));
        feed(
            &mut paging,
            &config,
            &[(Came::Failed(&trouble), expected, "?_count=50"), (page(1, None), Next::Complete, "")],
        );
        assert_eq!(paging.count(), Some(50), "what works is kept for the next query of the type");
    }
    let gone = Trouble::Unreachable("connection refused".to_owned());
    let expected = incomplete("the server cannot be reached: connection refused", false);
    feed(&mut paging(query()), &config, &[(Came::Failed(&gone), expected, "?_count=100")]);
}

#[test]
fn an_expired_cursor_restarts_the_query_once() {
    let config = config(&[], 1000);
    for status in [400, 403, 404, 410] {
        let came = if matches!(status, 404 | 410) { Came::Gone(status) } else { Came::Refused(status) };
        let mut paging = paging(query());
        let again = format!("the cursor of page 3 was refused with {status}");
        feed(
            &mut paging,
            &config,
            &[
                (page(1, Some("?s=1")), Next::Go, "?s=1"),
                (page(2, Some("?s=2")), Next::Go, "?s=2"),
                (came, restart(&again), "?_count=100"),
                (page(1, Some("?s=1")), Next::Go, "?s=1"),
                (page(2, Some("?s=2")), Next::Go, "?s=2"),
                (page(3, None), Next::Complete, ""),
            ],
        );
        assert_eq!((paging.attempt(), paging.page()), (1, 3), "what was kept before is superseded");
    }
    let script = [
        (page(1, Some("?s=1")), Next::Go, "?s=1"),
        (Came::Gone(410), restart("the cursor of page 2 was refused with 410"), "?_count=100"),
        (page(1, Some("?s=1")), Next::Go, "?s=1"),
        (Came::Gone(410), incomplete("the cursor of page 2 was refused with 410, as one before it", false), "?s=1"),
    ];
    feed(&mut paging(query()), &config, &script);
}

#[test]
fn troubles_on_a_later_page() {
    let config = config(&[], 1000);
    let begin = (page(1, Some("?s=1")), Next::Go, "?s=1");
    // A server that is gone: the walk may go on from here another day.
    for trouble in [Trouble::Unreachable("connection reset".to_owned()), Trouble::Throttled] {
        let stop = incomplete(&format!("page 2: {trouble}"), true);
        feed(&mut paging(query()), &config, &[begin.clone(), (Came::Failed(&trouble), stop, "?s=1")]);
    }
    // A page that is too heavy: the query in smaller pages.
    for trouble in [Trouble::TooLarge, Trouble::Slow, Trouble::Status(504)] {
        let anew = restart(&format!("page 2: {trouble}"));
        let mut paging = paging(query());
        feed(&mut paging, &config, &[begin.clone(), (Came::Failed(&trouble), anew, "?_count=50")]);
        assert_eq!(paging.attempt(), 1);
    }
    // Anything else once more from the start, then no more.
    for trouble in [Trouble::Status(500), Trouble::Wrong("an OperationOutcome".to_owned()), Trouble::Firewall(403)] {
        let words = format!("page 2: {trouble}");
        let script = [
            begin.clone(),
            (Came::Failed(&trouble), restart(&words), "?_count=100"),
            begin.clone(),
            (Came::Failed(&trouble), incomplete(&words, true), "?s=1"),
        ];
        feed(&mut paging(query()), &config, &script);
    }
    for trouble in [Trouble::TooDeep, Trouble::Redirect("it leads to another host".to_owned())] {
        let stop = incomplete(&format!("page 2: {trouble}"), false);
        feed(&mut paging(query()), &config, &[begin.clone(), (Came::Failed(&trouble), stop, "?s=1")]);
    }
}

#[test]
fn an_interrupted_walk_goes_on_and_still_knows_its_way() {
    let config = config(&[], 1000);
    let base = Url::parse(BASE).unwrap();
    let at = |query: &str| Url::parse(&format!("{BASE}/Practitioner?{query}")).unwrap();
    let asked = ["_count=100", "s=1", "s=2"].map(|q| hash64(at(q).as_str())).into_iter().collect();
    let from = Resume { attempt: 1, pages: 2, next: Some(at("s=2")), asked };
    let mut paging = Paging::resume(query(), &base, Some(100), from.clone());
    assert_eq!((paging.page(), paging.attempt()), (2, 1));
    let circle = incomplete("next links lead in a circle: the one of page 3 was followed before", false);
    feed(&mut paging, &config, &[(page(3, Some("?s=1")), circle, "")]);
    // The last page was kept, but not that it was the last.
    let paging = Paging::resume(query(), &base, Some(100), Resume { next: None, ..from });
    assert_eq!(paging.url(), None);
}
