//! A payer that changes, over its connections.

use super::*;

fn medication(id: usize, text: &str) -> Value {
    json!({"resourceType": "Medication", "id": format!("m{id}"), "code": {"text": text}})
}

/// Sixty drugs; in the second version every third is another, one of them is gone and one is new.
fn served() -> (Running, Arc<ChangingPayer>, Arc<ManualClock>) {
    let first: Vec<Value> = (0..60).map(|id| medication(id, "first")).collect();
    let mut second: Vec<Value> =
        (1..60).map(|id| medication(id, if id % 3 == 0 { "second" } else { "first" })).collect();
    second.push(medication(60, "second"));
    let clock = Arc::new(ManualClock::new(start()));
    let payer = Arc::new(ChangingPayer::new(&[first, second], start()).unwrap());
    let options = Options { clock: Arc::clone(&clock) as Arc<dyn Clock>, ..Options::default() };
    (Server::start(Arc::clone(&payer) as Arc<dyn Payer>, options).unwrap(), payer, clock)
}

fn everything(running: &Running) -> Vec<Value> {
    let entries =
        pages(running, "/api/Medication").into_iter().flat_map(|page| page["entry"].as_array().unwrap().clone());
    entries.map(|entry| entry["resource"].clone()).collect()
}

#[test]
fn a_version_follows_another_and_what_differs_is_dated() {
    let (running, payer, clock) = served();
    let before = everything(&running);
    assert_eq!(before.len(), 60);
    assert!(before.iter().all(|one| one["meta"]["lastUpdated"].as_str().unwrap() <= codec::instant(start()).as_str()));
    clock.advance(Duration::from_mins(1));
    payer.go_on(running.now());
    let after = everything(&running);
    assert_eq!((payer.version(), after.len()), (1, 60));
    for one in &after {
        let is_new = one["code"]["text"] == "second";
        let updated = one["meta"]["lastUpdated"].as_str().unwrap();
        let batch = codec::instant(running.now() - Duration::from_secs(5))..=codec::instant(running.now());
        assert_eq!(batch.contains(&updated.to_owned()), is_new, "{one}");
        let same = before.iter().find(|other| other["id"] == one["id"]);
        assert_eq!(same == Some(one), !is_new);
        assert_eq!(one["meta"]["versionId"] == "2", is_new && one["id"] != "m60");
    }
    assert!(after.iter().any(|one| one["id"] == "m60") && after.iter().all(|one| one["id"] != "m0"));
    assert!([404, 410].contains(&get(&running, "/api/Medication/m0").status));
    assert!(all_ids(&running, "/api/Medication?_id=m0").is_empty());
    // There is no third.
    payer.go_on(running.now());
    assert_eq!(payer.version(), 1);
}

#[test]
fn it_changes_behind_the_reader() {
    let (running, payer, _) = served();
    payer.go_on_at([Moment::HalfWay(ResourceType::Medication)]);
    let seen = everything(&running);
    let (early, late): (Vec<_>, Vec<_>) = seen.iter().enumerate().partition(|(nth, _)| *nth < 20);
    assert!(early.iter().all(|(_, one)| one["code"]["text"] == "first"));
    assert!(late.iter().any(|(_, one)| one["code"]["text"] == "second"));
    assert!(early.iter().any(|(_, one)| {
        get(&running, &format!("/api/Medication?_id={}", one["id"].as_str().unwrap())).text().contains("second")
    }));
}

#[test]
fn it_changes_after_so_many_requests_and_loses_what_it_is_told_to() {
    let (running, payer, _) = served();
    payer.go_on_at([Moment::After(2)]);
    let versions: Vec<usize> = (0..4)
        .map(|_| {
            get(&running, "/api/Medication");
            payer.version()
        })
        .collect();
    assert_eq!(versions, [0, 0, 1, 1]);
    payer.lose(|kind, index| kind == ResourceType::Medication && index % 2 == 0);
    assert!((29..=31).contains(&everything(&running).len()));
    payer.lose(|_, _| false);
    assert_eq!(everything(&running).len(), 60);
}

#[test]
fn what_is_no_payer_is_refused() {
    assert!(ChangingPayer::new(&[], start()).is_err());
    assert!(ChangingPayer::new(&[vec![json!({"resourceType": "Patient", "id": "p"})]], start()).is_err());
    assert!(ChangingPayer::new(&[vec![json!({"resourceType": "Medication"})]], start()).is_err());
}
