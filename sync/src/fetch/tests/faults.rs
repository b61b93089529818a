//! Each fault of real servers, alone and by random combination: what passes leaves no trace, what
//! lasts ends incomplete, is told truly, and a later run goes on.

use std::sync::atomic::{AtomicU32, Ordering};

use super::payer::{OUTCOME, PageParts, bundle, entry, status};
use super::*;

const HTML: &str = "<html><body>Access Denied. Reference #18.3f</body></html>";

type Answer = fn() -> Result<Reply, SendError>;

/// Troubles that pass, each an answer in place of the payer's.
const PASSING: [(&str, u32, Answer); 20] = [
    ("429 seconds", 2, || Ok(Reply { status: 429, retry_after: Some("30".to_owned()), ..Reply::default() })),
    ("429 date", 1, || {
        let retry_after = Some("Wed, 01 Jul 2026 00:01:00 GMT".to_owned());
        Ok(Reply { status: 429, retry_after, ..Reply::default() })
    }),
    ("429 ms", 3, || Ok(Reply { status: 429, retry_after_ms: Some("900".to_owned()), ..Reply::default() })),
    ("503 busy", 1, || Ok(Reply { status: 503, retry_after: Some("5".to_owned()), ..Reply::default() })),
    ("500 burst", 6, || status(500, OUTCOME)),
    ("502", 2, || status(502, HTML)),
    ("504", 1, || status(504, HTML)),
    ("408", 1, || status(408, "")),
    ("425", 1, || status(425, "")),
    ("423", 1, || status(423, "")),
    ("gone for a while", 12, || Err(SendError::Unreachable("connection refused".to_owned()))),
    ("reset", 1, || Err(SendError::Unreachable("connection reset".to_owned()))),
    ("slow", 1, || Err(SendError::Slow)),
    ("half a body", 2, || status(200, r#"{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"#)),
    ("nothing", 1, || status(200, "")),
    ("outcome under 200", 2, || status(200, OUTCOME)),
    ("web page under 200", 2, || status(200, HTML)),
    ("web page under 403", 4, || status(403, HTML)),
    ("quota under 200", 1, || status(200, r#"{"statusCode":403,"message":"quota"}"#)),
    ("another type", 1, || status(200, r#"{"resourceType":"Patient","id":"x"}"#)),
];

/// Where troubles strike: addresses that contain this.
const PLACES: [&str; 11] = [
    "metadata",
    "/InsurancePlan",
    "/List?",
    "/MedicationKnowledge?",
    "/MedicationKnowledge/mk0x3",
    "/Medication?",
    "/PractitionerRole",
    "/Practitioner?",
    "/Organization/",
    "/Location/",
    "ct=20",
];

/// Answers instead of the payer when the `from`th to `from + times`th matching request comes.
fn strike(
    at: &'static str,
    from: u32,
    times: u32,
    answer: Answer,
) -> impl Fn(&url::Url, &Payer) -> Option<Result<Reply, SendError>> {
    let seen = AtomicU32::new(0);
    move |url, _| {
        if !url.as_str().contains(at) {
            return None;
        }
        let n = seen.fetch_add(1, Ordering::SeqCst);
        (from..from + times).contains(&n).then(answer)
    }
}

async fn ends_like_undisturbed(payer: Payer, what: &str) {
    let folder = TempDir::new().unwrap();
    let outcome = run(&shared(payer), &options(folder.path()), "2026-07-01").await;
    assert!(outcome.complete, "{what}: {:?}", outcome.incomplete);
    let (resources, report) = undisturbed().await;
    assert_eq!(staged(folder.path()), resources, "{what}");
    assert_eq!(report_of(folder.path()), report, "{what}");
}

#[tokio::test]
async fn troubles_that_pass_leave_no_trace() {
    for (name, times, answer) in PASSING {
        for at in PLACES {
            let instead = Some(Box::new(strike(at, 0, times, answer)) as _);
            ends_like_undisturbed(Payer { instead, ..payer() }, &format!("{name} at {at}")).await;
        }
    }
}

#[tokio::test]
async fn an_expired_cursor_leaves_no_trace() {
    const EXPIRED: [Answer; 4] =
        [|| status(400, OUTCOME), || status(403, OUTCOME), || status(404, OUTCOME), || status(410, OUTCOME)];
    for answer in EXPIRED {
        for at in ["/MedicationKnowledge?", "/PractitionerRole?", "/Practitioner?", "/Medication?"] {
            for page in 1..4 {
                let seen = AtomicU32::new(0);
                let instead = move |url: &url::Url, _: &Payer| {
                    let matches = url.as_str().contains(at) && url.as_str().contains("ct=");
                    (matches && seen.fetch_add(1, Ordering::SeqCst) + 1 == page).then(answer)
                };
                let instead = Some(Box::new(instead) as _);
                ends_like_undisturbed(
                    Payer { instead, ..payer() },
                    &format!("{at} page {page}: {:?}", answer().map(|r| r.status)),
                )
                .await;
            }
        }
    }
}

/// Does something to the `n`th page that is sent, counted from 0.
fn on_page(n: u32, what: fn(&mut PageParts)) -> impl Fn(&url::Url, &mut PageParts) {
    let seen = AtomicU32::new(0);
    move |_, parts| {
        if seen.fetch_add(1, Ordering::SeqCst) == n {
            what(parts);
        }
    }
}

#[tokio::test]
async fn a_page_falsely_empty_once_leaves_no_trace() {
    for page in 0..26 {
        let twists: [fn(&mut PageParts); 2] = [
            |parts| parts.entries.clear(),
            |parts| {
                parts.entries.clear();
                parts.next = None;
            },
        ];
        for twist in twists {
            let twist = Some(Box::new(on_page(page, twist)) as _);
            ends_like_undisturbed(Payer { twist, ..payer() }, &format!("page {page}")).await;
        }
    }
}

#[tokio::test]
async fn odd_habits_leave_no_trace() {
    type Habit = fn(&url::Url, &mut PageParts);
    let habits: [(&str, Habit); 6] = [
        ("links relative to the request", |url, parts| {
            parts.next = parts.next.take().map(|next| next.replacen(url.as_str().split('?').next().unwrap(), "", 1));
        }),
        ("links relative to the host", |_, parts| {
            parts.next = parts.next.take().map(|next| next.replacen("https://fhir.example.test", "", 1));
        }),
        ("plain http in links", |_, parts| {
            parts.next = parts.next.take().map(|next| next.replacen("https:", "http:", 1));
        }),
        ("entries twice", |_, parts| {
            let twice = parts.entries.clone();
            parts.entries.extend(twice);
        }),
        ("other types in a page", |_, parts| {
            parts.entries.insert(0, r#"{"resourceType":"HealthcareService","id":"h"}"#.to_owned());
            parts.entries.push(OUTCOME.replace("error", "warning"));
        }),
        ("a wrong total", |_, parts| {
            parts.total = Some(["1", "10000", "\"12\"", "null"][parts.offset / 20 % 4].to_owned());
        }),
    ];
    for (name, habit) in habits {
        ends_like_undisturbed(Payer { twist: Some(Box::new(habit)), ..payer() }, name).await;
    }
    // Each page begins with the last entries of the one before.
    let before: Mutex<Vec<String>> = Mutex::default();
    let overlap = move |_: &url::Url, parts: &mut PageParts| {
        let mut before = before.lock().unwrap();
        let last = parts.entries.iter().rev().take(3).rev().cloned().collect();
        if parts.offset > 0 {
            parts.entries.splice(0..0, before.iter().cloned());
        }
        *before = last;
    };
    ends_like_undisturbed(Payer { twist: Some(Box::new(overlap)), ..payer() }, "overlaps").await;
    let bom = |_: &url::Url, reply: &mut Reply| {
        let body = [b"\xEF\xBB\xBF".as_slice(), &reply.body].concat();
        reply.body = body;
    };
    ends_like_undisturbed(Payer { after: Some(Box::new(bom)), ..payer() }, "a byte order mark").await;
}

#[tokio::test]
async fn page_sizes_that_are_refused_or_lied_about_leave_no_trace() {
    let count = |url: &url::Url| {
        url.query_pairs().find(|(name, _)| name == "_count").and_then(|(_, value)| value.parse::<u32>().ok())
    };
    for refusal in [400, 413, 422, 504] {
        for largest in [0, 1, 10, 25, 50] {
            let instead = move |url: &url::Url, _: &Payer| {
                count(url).is_some_and(|n| n > largest).then(|| status(refusal, OUTCOME))
            };
            let payer = Payer { instead: Some(Box::new(instead)), ..payer() };
            ends_like_undisturbed(payer, &format!("{refusal} above {largest}")).await;
        }
    }
    let empty = move |url: &url::Url, parts: &mut PageParts| {
        if count(url).is_some_and(|n| n > 30) && !url.path().ends_with("List") {
            parts.entries.clear();
            parts.next = None;
        }
    };
    ends_like_undisturbed(Payer { twist: Some(Box::new(empty)), ..payer() }, "empty above 30").await;
    let no_total = |url: &url::Url, _: &Payer| url.as_str().contains("_total").then(|| status(400, OUTCOME));
    ends_like_undisturbed(Payer { instead: Some(Box::new(no_total)), ..payer() }, "no _total").await;
    let tiny = Payer { page_cap: 3, ..payer() };
    ends_like_undisturbed(tiny, "three to a page").await;
}

#[tokio::test]
async fn what_a_server_does_not_serve_is_read_another_way() {
    let all_lists = |url: &url::Url, _: &Payer| {
        (url.path().ends_with("/List") && !url.as_str().contains("identifier")).then(|| status(400, OUTCOME))
    };
    ends_like_undisturbed(Payer { instead: Some(Box::new(all_lists)), ..payer() }, "no List of all").await;
    let no_pages = |url: &url::Url, _: &Payer| url.path().ends_with("/Practitioner").then(|| status(404, OUTCOME));
    let folder = TempDir::new().unwrap();
    let outcome =
        run(&shared(Payer { instead: Some(Box::new(no_pages)), ..payer() }), &options(folder.path()), "2026-07-01")
            .await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()), undisturbed().await.0, "each practitioner is referred to");
}

#[tokio::test]
async fn random_combinations_leave_no_trace() {
    for seed in 0..60u64 {
        let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut random = move |below: usize| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            usize::try_from(x % below as u64).unwrap()
        };
        let strikes: Vec<_> = (0..6)
            .map(|_| {
                let (_, times, answer) = PASSING[random(PASSING.len())];
                strike(PLACES[random(PLACES.len())], u32::try_from(random(4)).unwrap(), times.min(3), answer)
            })
            .collect();
        let instead = move |url: &url::Url, payer: &Payer| strikes.iter().find_map(|strike| strike(url, payer));
        let twist = on_page(u32::try_from(random(20)).unwrap(), |parts| parts.entries.clear());
        let payer = Payer { instead: Some(Box::new(instead)), twist: Some(Box::new(twist)), ..payer() };
        ends_like_undisturbed(payer, &format!("seed {seed}")).await;
    }
}

/// Runs against a payer with a lasting trouble, checks what is told, heals it and runs again.
async fn ends_incomplete(sick: Payer, part: &str, words: &str) {
    let folder = TempDir::new().unwrap();
    let outcome = run(&shared(sick), &options(folder.path()), "2026-07-01").await;
    assert!(!outcome.complete, "{part}");
    let reason = outcome.incomplete.get(part).unwrap_or_else(|| panic!("{part} in {:?}", outcome.incomplete));
    assert!(reason.contains(words), "{part}: {reason}");
    let (resources, expected) = undisturbed().await;
    // Nothing is invented, and what is told is true.
    for (name, json) in staged(folder.path()) {
        assert_eq!(resources.get(&name), Some(&json), "{name}");
    }
    let report = report_of(folder.path());
    assert!(!report.complete);
    let resource_type = part.split(['?', '/', ' ']).next().unwrap();
    for of in &report.types {
        let present = staged(folder.path()).keys().filter(|k| k.split('/').next() == Some(&of.resource_type)).count();
        assert_eq!(of.distinct, present as u64, "{}", of.resource_type);
        if of.complete {
            let undisturbed = expected.types.iter().find(|t| t.resource_type == of.resource_type).unwrap();
            assert_eq!(of.distinct, undisturbed.distinct, "{} is told complete", of.resource_type);
        }
    }
    assert!(report.types.iter().any(|t| t.resource_type == resource_type && !t.complete), "{part}");
    let outcome = run(&shared(payer()), &options(folder.path()), "2026-07-01").await;
    assert!(outcome.complete, "{part}, healed: {:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()), resources, "{part}, healed");
    assert_eq!(report_of(folder.path()), expected, "{part}, healed");
    assert_eq!(outcome.crawl.generation, 1, "it went on");
}

#[tokio::test]
async fn links_in_circles_and_to_elsewhere() {
    let to = |at: &'static str, from: usize, link: &'static str| {
        move |url: &url::Url, parts: &mut PageParts| {
            if url.path().ends_with(at) && parts.offset == from {
                parts.next = Some(link.replace("HERE", url.as_str()));
            }
        }
    };
    for (from, link, words) in [
        (20, "HERE", "in a circle"),
        (40, "https://fhir.example.test/api/PractitionerRole?_count=100&ct=20", "in a circle"),
        (40, "https://elsewhere.example.test/api/PractitionerRole?ct=60", "another host, elsewhere.example.test:443"),
        (40, "ftp://fhir.example.test/api/PractitionerRole?ct=60", "no web address, with the scheme \"ftp\""),
        (0, "http://[bad", "cannot be read"),
        (20, "", "the next link of page 2 cannot be read"),
    ] {
        let twist = Some(Box::new(to("/PractitionerRole", from, link)) as _);
        ends_incomplete(Payer { twist, ..payer() }, "PractitionerRole", words).await;
    }
    // Some entries of a page are no resources: what they were is not known.
    let holes = |url: &url::Url, parts: &mut PageParts| {
        if url.path().ends_with("/PractitionerRole") && parts.offset == 20 {
            parts.entries.iter_mut().take(5).for_each(|entry| "null".clone_into(entry));
        }
    };
    ends_incomplete(Payer { twist: Some(Box::new(holes)), ..payer() }, "PractitionerRole", "5 of ").await;
    // The cursor moves, the page stays.
    let first = payer().visible(&["Medication"])["Medication/medication0"].clone();
    let twist = move |url: &url::Url, parts: &mut PageParts| {
        if url.path().ends_with("/Medication") && parts.offset > 0 {
            parts.entries = vec![first.clone()];
            parts.next = Some(format!("{BASE}/Medication?ct={}", parts.offset + 20));
        }
    };
    ends_incomplete(Payer { twist: Some(Box::new(twist)), ..payer() }, "Medication", "in a circle").await;
}

#[tokio::test]
async fn lasting_troubles_are_told_and_a_later_run_goes_on() {
    let always = |at: &'static str, answer: Answer| Payer {
        instead: Some(Box::new(strike(at, 0, u32::MAX, answer))),
        ..payer()
    };
    let deep: Answer =
        || status(200, &format!("{{\"resourceType\":\"Bundle\",\"entry\":{}{}}}", "[".repeat(5000), "]".repeat(5000)));
    for (at, part, answer, words) in [
        ("/PractitionerRole", "PractitionerRole", (|| status(500, OUTCOME)) as Answer, "the server answers 500"),
        ("/Medication?", "Medication", || status(200, OUTCOME), "200 with an OperationOutcome (error exception)"),
        ("/Practitioner?", "Practitioner", deep, "nested too deeply"),
        (
            "/Medication?",
            "Medication",
            || Err(SendError::Packed("unexpected end of file".to_owned())),
            "the answer cannot be unpacked: unexpected end of file",
        ),
        ("ct=40", "PractitionerRole", || Err(SendError::TooLarge), "larger than allowed"),
        ("ct=60", "PractitionerRole", || status(410, OUTCOME), "refused with 410, as one before it"),
        (
            "/Location/location7",
            "Location/*",
            || status(500, OUTCOME),
            "of the ids could not be read: the server answers 500",
        ),
        (
            "/Organization/",
            "Organization/*",
            || status(401, ""),
            "12 of the ids could not be read: the server answers 401",
        ),
        (
            "/MedicationKnowledge/",
            "MedicationKnowledge/*",
            || Err(SendError::Unreachable("gone".to_owned())),
            "reading by id stopped",
        ),
        (
            "/PractitionerRole",
            "PractitionerRole",
            || Err(SendError::Unreachable("gone".to_owned())),
            "cannot be reached: gone",
        ),
        ("/InsurancePlan", "InsurancePlan", || status(403, HTML), "a firewall answers"),
        (
            "/InsurancePlan",
            "InsurancePlan",
            || Err(SendError::Redirect("it leads away".to_owned())),
            "not followed: it leads away",
        ),
    ] {
        ends_incomplete(always(at, answer), part, words).await;
    }
}

#[tokio::test]
async fn a_server_that_dies_for_good_is_gone_on_with_where_it_died() {
    for requests in [0, 1, 3, 9, 17, 30, 50, 70] {
        let seen = AtomicU32::new(0);
        let dies = move |_: &url::Url, _: &Payer| {
            (seen.fetch_add(1, Ordering::SeqCst) >= requests).then(|| Err(SendError::Unreachable("gone".to_owned())))
        };
        let folder = TempDir::new().unwrap();
        let outcome =
            run(&shared(Payer { instead: Some(Box::new(dies)), ..payer() }), &options(folder.path()), "2026-07-01")
                .await;
        assert!(!outcome.complete);
        let healthy = shared(payer());
        let outcome = run(&healthy, &options(folder.path()), "2026-07-01").await;
        assert!(outcome.complete, "{:?}", outcome.incomplete);
        let (resources, report) = undisturbed().await;
        assert_eq!(staged(folder.path()), resources, "after {requests}");
        assert_eq!(report_of(folder.path()), report, "after {requests}");
        let asked = healthy.requests();
        let (again, before) = (asked.len(), usize::try_from(requests).unwrap());
        // Nothing is kept of the two tries of what the payer does not have, nor of the two that tell what the server
        // can count: they are made again. Plans are looked at again.
        let plans = asked.iter().filter(|url| url.starts_with("InsurancePlan")).count();
        assert!(again + before <= 80 + 3 + 2 + 2 + plans, "{again} requests after {requests}");
    }
}

#[tokio::test]
async fn lists_that_move_while_entries_are_read_are_followed() {
    let sick = payer();
    let seen = AtomicU32::new(0);
    // When entries are read by id, the first plan's list gains an entry and changes one.
    let instead = move |url: &url::Url, payer: &Payer| {
        if url.as_str().contains("/MedicationKnowledge/") && seen.fetch_add(1, Ordering::SeqCst) == 0 {
            payer.change("MedicationKnowledge", |all| {
                let mut new = entry("late", PLANS[0], 78);
                new.by_id_only = true;
                all.push(new);
            });
            payer.change("List", |all| {
                all[0].json = all[0]
                    .json
                    .replace("MedicationKnowledge/mk0x0\"", "MedicationKnowledge/late\"")
                    .replace("\"versionId\":\"1\"", "\"versionId\":\"2\"");
            });
        }
        None
    };
    let payer = shared(Payer { instead: Some(Box::new(instead)), ..sick });
    let folder = TempDir::new().unwrap();
    let outcome = run(&payer, &options(folder.path()), "2026-07-01").await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    let staged = staged(folder.path());
    assert!(staged.contains_key("MedicationKnowledge/late"));
    assert_eq!(staged, payer.visible(&[]));
    // Lists that never stand still.
    let payer =
        payer_with_restless_lists("\"status\":\"current\"", |n| format!("\"status\":\"current\",\"title\":\"{n}\""));
    let folder = TempDir::new().unwrap();
    let outcome = run(&shared(payer), &options(folder.path()), "2026-07-01").await;
    assert!(outcome.incomplete["List"].contains("keep changing"), "{:?}", outcome.incomplete);
    // Those that are only dated anew at each request say the same.
    let payer = payer_with_restless_lists("\"versionId\":\"1\"", |n| format!("\"versionId\":\"{n}\""));
    let folder = TempDir::new().unwrap();
    let outcome = run(&shared(payer), &options(folder.path()), "2026-07-01").await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
}

/// The first List has something else at each request.
fn payer_with_restless_lists(what: &'static str, moved: fn(u32) -> String) -> Payer {
    let number = AtomicU32::new(2);
    let twist = move |url: &url::Url, parts: &mut PageParts| {
        if url.path().ends_with("/List") && parts.offset == 0 && !parts.entries.is_empty() {
            parts.entries[0] = parts.entries[0].replace(what, &moved(number.fetch_add(1, Ordering::SeqCst)));
        }
    };
    Payer { twist: Some(Box::new(twist)), ..payer() }
}

#[tokio::test]
async fn lists_that_ignore_the_plan_are_still_told_apart() {
    // A server that answers all Lists whatever plan is asked for, and not without a plan.
    let instead = |url: &url::Url, payer: &Payer| {
        if !url.path().ends_with("/List") {
            return None;
        }
        if !url.as_str().contains("identifier") {
            return Some(status(400, OUTCOME));
        }
        let entries = payer.visible(&["List"]).into_values().collect();
        let parts = PageParts { entries, next: None, total: None, offset: 0 };
        Some(status(200, &bundle(&parts)))
    };
    let folder = TempDir::new().unwrap();
    let outcome =
        run(&shared(Payer { instead: Some(Box::new(instead)), ..payer() }), &options(folder.path()), "2026-07-01")
            .await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    let plans: Vec<_> = report_of(folder.path()).plans.into_iter().map(|p| (p.plan, p.expected)).collect();
    let expected = [(PLANS[0], 55), (PLANS[1], 40), (PLANS[3], 0), (PLANS[2], 30)];
    assert_eq!(plans, expected.map(|(plan, count)| (plan.to_owned(), count)));
}

/// What such a server hides depends on the size of its pages: pages that are as large as before hide the same again.
#[tokio::test]
async fn a_server_that_skips_one_behind_its_first_page_hides_nothing_from_smaller_pages() {
    let roles: Vec<String> = payer().visible(&["PractitionerRole"]).into_values().collect();
    let count = roles.len();
    let instead = move |url: &url::Url, _: &Payer| {
        let query: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
        if !url.path().ends_with("/PractitionerRole") {
            return None;
        }
        if query.contains_key("_summary") {
            return Some(status(400, OUTCOME));
        }
        let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok());
        let (skip, size) = (number("_skip").unwrap_or_default(), number("_count").unwrap_or(10).min(10));
        let from = skip + usize::from(skip > 0);
        let entries = roles.iter().skip(from).take(size).cloned().collect();
        let goes_on = from + size < roles.len();
        let next = goes_on.then(|| format!("{BASE}/PractitionerRole?_count={size}&_skip={}", skip + size));
        let total = Some(roles.len().to_string());
        Some(status(200, &bundle(&PageParts { entries, next, total, offset: skip })))
    };
    let folder = TempDir::new().unwrap();
    let sick = shared(Payer { instead: Some(Box::new(instead)), ..payer() });
    let outcome = run(&sick, &options(folder.path()), "2026-07-01").await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    let came = staged(folder.path()).into_keys().filter(|name| name.starts_with("PractitionerRole/")).count();
    assert_eq!(came, count);
}
