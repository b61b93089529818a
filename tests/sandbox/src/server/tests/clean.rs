//! The endpoints of the API document, without faults.

use std::collections::BTreeSet;

use super::*;

#[test]
fn a_search_pages_through_all_that_is_shown_in_its_order() {
    let (running, _) = serve(Faults::none());
    let payer = small_payer();
    for kind in [
        ResourceType::MedicationKnowledge,
        ResourceType::Medication,
        ResourceType::InsurancePlan,
        ResourceType::PractitionerRole,
        ResourceType::Practitioner,
    ] {
        let expected: Vec<_> = (0..payer.count(kind))
            .filter(|index| !payer.read_by_id_only(kind, *index))
            .map(|index| payer.resource(kind, index))
            .collect();
        for count in [None, Some(1), Some(7), Some(50), Some(1000)] {
            let target = count.map_or(format!("/api/{kind}"), |count| format!("/api/{kind}?_count={count}"));
            let pages = pages(&running, &target);
            let size = count.map_or(20, |count: usize| count.min(100));
            assert_eq!(pages.len(), expected.len().div_ceil(size), "{target}");
            let entries: Vec<_> = pages.iter().flat_map(|page| page["entry"].as_array().unwrap()).collect();
            assert_eq!(entries.len(), expected.len(), "{target}");
            for (entry, json) in entries.iter().zip(&expected) {
                assert_eq!(entry["resource"], serde_json::from_str::<Value>(json).unwrap());
                let id = entry["resource"]["id"].as_str().unwrap();
                assert_eq!(entry["fullUrl"], format!("{}/api/{kind}/{id}", running.base_url()));
                assert_eq!(entry["search"]["mode"], "match");
            }
            assert!(pages.iter().all(|page| page["type"] == "searchset" && page["resourceType"] == "Bundle"));
        }
    }
}

#[test]
fn practitioners_have_a_total_and_the_offset_of_the_last_page() {
    let (running, _) = serve(Faults::none());
    let bundle = get(&running, "/api/Practitioner?_total=estimate&_count=20&_skip=40").json();
    assert_eq!(bundle["total"], 90);
    assert!(bundle["timestamp"].is_string() && bundle["meta"]["versionId"].is_string());
    let base = running.base_url();
    assert_eq!(link(&bundle, "self").unwrap(), format!("{base}/api/Practitioner?_total=estimate&_count=20&_skip=40"));
    assert_eq!(link(&bundle, "next").unwrap(), format!("{base}/api/Practitioner?_total=estimate&_count=20&_skip=60"));
    assert_eq!(link(&bundle, "last").unwrap(), format!("{base}/api/Practitioner?_total=estimate&_count=20&_skip=80"));
    let last = get(&running, "/api/Practitioner?_count=20&_skip=80").json();
    assert_eq!((ids(&last).len(), link(&last, "next")), (10, None));
    assert!(get(&running, "/api/Practitioner?_total=none").json()["total"].is_null());
    assert!(get(&running, "/api/Medication").json()["total"].is_null());
    assert_eq!(get(&running, "/api/Practitioner?_total=roughly").status, 400);
    assert_eq!(get(&running, "/api/Practitioner?_skip=-1").status, 400);
    let empty = get(&running, "/api/Practitioner?_count=0").json();
    assert_eq!((empty["total"].as_u64(), ids(&empty).len(), link(&empty, "next")), (Some(90), 0, None));
}

#[test]
fn lists_need_their_profile_and_a_plan() {
    let (running, _) = serve(Faults::none());
    let profile = codec::query_value(PROFILE_COVERAGE_PLAN);
    for target in
        ["/api/List".to_owned(), format!("/api/List?identifier={}", PLANS[0]), format!("/api/List?_profile={profile}")]
    {
        let reply = get(&running, &target);
        assert_eq!((reply.status, reply.json()["resourceType"].as_str()), (400, Some("OperationOutcome")), "{target}");
    }
    let target = format!("/api/List?_profile={profile}&identifier={}", PLANS[0]);
    let pages = pages(&running, &target);
    assert_eq!(pages.iter().flat_map(ids).count(), 8);
    assert_eq!(pages.len(), 2);
    assert!(link(&pages[0], "next").unwrap().contains("_count=5"));
    let references: BTreeSet<_> = pages
        .iter()
        .flat_map(|page| page["entry"].as_array().unwrap())
        .flat_map(|entry| entry["resource"]["entry"].as_array().unwrap())
        .map(|entry| entry["item"]["reference"].as_str().unwrap())
        .collect();
    assert_eq!(references.len(), ENTRIES / 2 + 1);
    let with_system = format!("/api/List?_profile={profile}&identifier=x%7C{}", PLANS[0]);
    assert_eq!(all_ids(&running, &with_system).len(), 8);
    assert_eq!(all_ids(&running, &format!("/api/List?_profile={profile}&identifier=H9999-001-000-2026")).len(), 0);
    assert_eq!(all_ids(&running, &format!("/api/List?_profile=other&identifier={}", PLANS[0])).len(), 0);

    let offers = BTreeSet::from([Offer::ListsByProfile]);
    let (running, _) = serve_with(Options { offers, ..Options::default() });
    assert_eq!(all_ids(&running, &format!("/api/List?_profile={profile}")).len(), 16);
}

#[test]
fn formulary_entries_by_id_by_several_ids_and_by_code() {
    let (running, _) = serve(Faults::none());
    let payer = small_payer();
    let kind = ResourceType::MedicationKnowledge;
    let id = |index| {
        let json: Value = serde_json::from_str(&payer.resource(kind, index)).unwrap();
        json["id"].as_str().unwrap().to_owned()
    };
    let hidden = id(7);
    let reply = get(&running, &format!("/api/MedicationKnowledge/{hidden}"));
    assert_eq!((reply.status, reply.json()["id"].as_str()), (200, Some(hidden.as_str())));
    assert_eq!(get(&running, "/api/MedicationKnowledge/nowhere").status, 404);
    // A search does not show what searches do not show.
    let several = format!("/api/MedicationKnowledge?_id={},{hidden},{},nowhere", id(3), id(2));
    assert_eq!(all_ids(&running, &several), [id(2), id(3)]);
    let by_code = get(&running, "/api/MedicationKnowledge?code=00000000001&_count=3&_skip=0").json();
    // Entry 7 has this code too, and is not shown.
    assert_eq!((by_code["total"].as_u64(), ids(&by_code)), (Some(3), vec![id(4), id(5), id(6)]));
    let by_code = get(&running, "/api/MedicationKnowledge?code=00000000002&_count=3&_skip=3").json();
    assert_eq!((by_code["total"].as_u64(), ids(&by_code), link(&by_code, "next")), (Some(4), vec![id(11)], None));

    let offers = BTreeSet::from([Offer::PlanSearch]);
    let (running, _) = serve_with(Options { offers: offers.clone(), ..Options::default() });
    assert_eq!(all_ids(&running, &format!("/api/MedicationKnowledge?DrugPlan={}", PLANS[1])).len(), 74);
    // What is not offered is ignored, or refused by a strict server.
    assert_eq!(all_ids(&running, &several).len(), 148);
    let (running, _) = serve_with(Options { offers, strict: true, ..Options::default() });
    assert_eq!(get(&running, &several).status, 400);
}

#[test]
fn roles_by_network_tag_and_active() {
    let (running, _) = serve(Faults::none());
    let tag = |system: &str, code: &str| codec::query_value(&format!("{GLOSSARY}/{system}|{code}"));
    let count = |target: String| all_ids(&running, &target).len();
    let medical = tag("MedicalDentalNetworkId", "10");
    let expected = (0..120).filter(|i| i % 2 == 0 && i % 3 == 0);
    assert_eq!(count(format!("/api/PractitionerRole?_tag={medical}")), expected.clone().count());
    let active = expected.filter(|i| i % 5 != 0).count();
    for size in [1, 4, 100] {
        assert_eq!(count(format!("/api/PractitionerRole?_tag={medical}&active=true&_count={size}")), active);
    }
    assert_eq!(count("/api/PractitionerRole?active=false".to_owned()), 24);
    // Spelled otherwise it is another system.
    assert_eq!(count(format!("/api/PractitionerRole?_tag={}", tag("medicaldentalnetworkid", "10"))), 0);
    let raw = get(&running, &format!("/api/PractitionerRole?_tag={GLOSSARY}/MedicalDentalNetworkId|10"));
    assert_eq!(raw.status, 400);
}

#[test]
fn places_are_read_by_id_and_searched_only_where_that_is_offered() {
    let (running, _) = serve(Faults::none());
    let payer = small_payer();
    for kind in [ResourceType::Organization, ResourceType::Location] {
        let json: Value = serde_json::from_str(&payer.resource(kind, 3)).unwrap();
        let target = format!("/api/{kind}/{}", json["id"].as_str().unwrap());
        assert_eq!(get(&running, &target).json(), json);
        assert_eq!(get(&running, &format!("/api/{kind}")).status, 400);
    }
    let (open, _) = serve_with(Options { offers: BTreeSet::from([Offer::PlaceSearch]), ..Options::default() });
    assert_eq!(all_ids(&open, "/api/Location").len(), 30);
    assert_eq!(all_ids(&open, "/api/Organization").len(), 10);
    // The types that the API document reads by search only.
    for kind in [ResourceType::List, ResourceType::InsurancePlan, ResourceType::PractitionerRole] {
        let json: Value = serde_json::from_str(&payer.resource(kind, 0)).unwrap();
        let target = format!("/api/{kind}/{}", json["id"].as_str().unwrap());
        assert_eq!(get(&running, &target).status, 400);
        let (all, _) = serve_with(Options { offers: BTreeSet::from([Offer::ReadAll]), ..Options::default() });
        assert_eq!(get(&all, &target).json(), json);
    }
}

#[test]
fn affiliations_are_offered_where_the_payer_has_them() {
    let stated = |running: &Running| {
        let statement = get(running, "/api/metadata").json();
        let resources = statement["rest"][0]["resource"].as_array().unwrap().clone();
        resources.into_iter().map(|of| of["type"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let (without, _) = serve(Faults::none());
    let made = crate::MadePayer::new(crate::Shape::affiliated());
    let with = Server::start(Arc::new(PublishedPayer::new(made.clone())), Options::default()).unwrap();
    for kind in [ResourceType::OrganizationAffiliation, ResourceType::HealthcareService] {
        assert!(stated(&with).contains(kind.name()) && !stated(&without).contains(kind.name()));
        let ids: Vec<String> = (0..made.count(kind)).map(|number| made.id(kind, number)).collect();
        assert_eq!(all_ids(&with, &format!("/api/{kind}?_count=4")), ids);
        let json: Value = serde_json::from_str(&made.resource(kind, 2)).unwrap();
        let target = format!("/api/{kind}/{}", ids[2]);
        assert_eq!(get(&with, &target).json(), json);
        assert_eq!((get(&without, &format!("/api/{kind}")).status, get(&without, &target).status), (404, 404));
    }
}

#[test]
fn changes_since_a_time_and_versions_that_are_known() {
    let offers = BTreeSet::from([Offer::LastUpdated, Offer::ConditionalReads]);
    let (running, _) = serve_with(Options { offers, ..Options::default() });
    let since = all_ids(&running, "/api/Practitioner?_lastUpdated=ge2026-03-27&_count=2");
    assert_eq!(since.len(), (0..90).filter(|i| i % 28 >= 26).count());
    let between = all_ids(&running, "/api/Medication?_lastUpdated=gt2026-03-02&_lastUpdated=lt2026-03-03T12:00:00Z");
    assert_eq!(between.len(), (0..45).filter(|i| (1..=2).contains(&(i % 28))).count());
    assert_eq!(get(&running, "/api/Medication?_lastUpdated=yesterday").status, 400);

    let target = format!("/api/Practitioner/{}", all_ids(&running, "/api/Practitioner")[4]);
    let reply = get(&running, &target);
    assert_eq!(reply.header("etag"), "W/\"4\"");
    let mut connection = Connection::open(&running).unwrap();
    let known = connection.send("GET", &target, &[("if-none-match", "W/\"4\"")], "").unwrap();
    assert_eq!((known.status, known.body.len()), (304, 0));
    let other = connection.send("GET", &target, &[("if-none-match", "W/\"3\"")], "").unwrap();
    assert_eq!(other.status, 200);
    let (plain, _) = serve(Faults::none());
    assert_eq!(get(&plain, &target).header("etag"), "");
}

#[test]
fn cursors_are_for_their_search_alone() {
    let (running, _) = serve(Faults::none());
    let bundle = get(&running, "/api/PractitionerRole?active=true").json();
    let next = next_target(&running, &bundle).unwrap();
    assert_eq!(get(&running, &next).status, 200);
    for wrong in [
        next.replace("active=true", "active=false"),
        next.replace("ct=", "ct=AA"),
        next.replace("%3D", "").replace("ct=f", "ct=g"),
    ] {
        assert_eq!(get(&running, &wrong).status, 400, "{wrong}");
    }
}

#[test]
fn gzip_for_those_who_take_it() {
    let (running, _) = serve(Faults::none());
    let mut connection = Connection::open(&running).unwrap();
    let mut send =
        |coding: &str| connection.send("GET", "/api/Medication", &[("accept-encoding", coding)], "").unwrap();
    let (plain, packed, refused) = (send("identity"), send("br, gzip;q=0.8"), send("gzip;q=0"));
    assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "gzip"));
    assert!(packed.body.len() * 2 < plain.body.len());
    assert_eq!(ids(&plain.json()), ids(&packed.json()));
    assert_eq!(refused.header("content-encoding"), "");
}

#[test]
fn http_is_refused_in_its_own_words() {
    let (running, _) = serve(Faults::none());
    let mut connection = Connection::open(&running).unwrap();
    let mut send = |method: &str, target: &str, accept: &str| {
        connection.send(method, target, &[("accept", accept)], "").unwrap().status
    };
    assert_eq!(send("POST", "/api/Medication", "application/json"), 405);
    assert_eq!(send("GET", "/api/Medication", "text/html"), 406);
    assert_eq!(send("GET", "/api/Medication", "application/fhir+json"), 200);
    assert_eq!(send("GET", "/api/Patient", "application/json"), 404);
    assert_eq!(send("GET", "/", "*/*"), 404);
    assert_eq!(send("GET", &format!("/api/Medication?_id={}", "x".repeat(9000)), "*/*"), 414);
}

#[test]
fn the_capability_statement_lists_what_is_offered_and_no_more() {
    let described = |options: Options| {
        let (running, _) = serve_with(options);
        let statement = get(&running, "/api/metadata").json();
        assert_eq!(statement["resourceType"], "CapabilityStatement");
        let resources = statement["rest"][0]["resource"].as_array().unwrap().clone();
        let of = |kind: &str| resources.iter().find(|resource| resource["type"] == kind).unwrap().clone();
        let names = |resource: &Value| -> Vec<String> {
            let parameters = resource["searchParam"].as_array().cloned().unwrap_or_default();
            parameters.iter().map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect()
        };
        (names(&of("MedicationKnowledge")), of("Location"), get(&running, "/api/.well-known/smart-configuration"))
    };
    let (names, location, smart) = described(Options::default());
    assert_eq!(names, ["_id", "code"]);
    assert_eq!(location["interaction"], json!([{"code": "read"}]));
    assert_eq!(smart.status, 404);
    let (names, location, smart) =
        described(Options { offers: Offer::ALL.iter().copied().collect(), ..Options::default() });
    assert_eq!(names, ["DrugPlan", "_id", "_lastUpdated", "_sort", "_summary", "code"]);
    assert_eq!(location["interaction"], json!([{"code": "read"}, {"code": "search-type"}]));
    assert_eq!(smart.json()["code_challenge_methods_supported"], json!(["S256"]));
}
