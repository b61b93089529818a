//! The server, seen over its connections.

mod changing;
mod clean;
mod client;
mod ending;
mod faults;
mod flaws;
mod login;
mod running;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::*;
use crate::{PROFILE_COVERAGE_PLAN, ResourceType};

const GLOSSARY: &str = "https://payer.test/glossary";
const PLANS: [&str; 2] = ["H1234-001-000-2026", "H1234-002-000-2026"];
const ENTRIES: usize = 150;

/// What came back, as it came.
#[derive(Clone, Debug)]
struct Reply {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
    /// Whether the body is as long as `Content-Length` says.
    is_whole: bool,
}

impl Reply {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        if self.header("content-encoding") != "gzip" {
            return self.body.clone();
        }
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(self.body.as_slice()).read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// One connection, kept open between requests.
struct Connection(TcpStream);

impl Connection {
    fn open(running: &Running) -> std::io::Result<Self> {
        let stream = TcpStream::connect(running.address())?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        stream.set_nodelay(true)?;
        Ok(Self(stream))
    }

    fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> std::io::Result<Reply> {
        let headers: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: sandbox\r\ncontent-length: {}\r\n{}",
            body.len(),
            headers.concat()
        );
        self.0.write_all(format!("{head}\r\n{body}").as_bytes())?;
        let (mut bytes, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        let head = loop {
            if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            match self.0.read(&mut buffer)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                read => bytes.extend(&buffer[..read]),
            }
        };
        let mut body = bytes.split_off(head);
        let head = String::from_utf8(bytes).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let len: usize = headers.get("content-length").map_or(0, |len| len.parse().unwrap());
        let mut is_whole = true;
        while body.len() < len {
            match self.0.read(&mut buffer) {
                Ok(0) | Err(_) => {
                    is_whole = false;
                    break;
                }
                Ok(read) => body.extend(&buffer[..read]),
            }
        }
        Ok(Reply { status, headers, body, is_whole })
    }
}

/// A request on a connection of its own.
fn try_get(running: &Running, target: &str) -> std::io::Result<Reply> {
    Connection::open(running)?.send("GET", target, &[("accept", "application/json")], "")
}

fn get(running: &Running, target: &str) -> Reply {
    try_get(running, target).unwrap_or_else(|error| panic!("{target}: {error}"))
}

fn ids(bundle: &Value) -> Vec<String> {
    let entries = bundle["entry"].as_array().cloned().unwrap_or_default();
    entries.iter().map(|entry| entry["resource"]["id"].as_str().unwrap_or("").to_owned()).collect()
}

/// Path and query of a link.
fn link(bundle: &Value, relation: &str) -> Option<String> {
    let links = bundle["link"].as_array().unwrap();
    let link = links.iter().find(|link| link["relation"] == relation)?;
    Some(link["url"].as_str().unwrap().to_owned())
}

fn next_target(running: &Running, bundle: &Value) -> Option<String> {
    let url = link(bundle, "next")?;
    Some(url.strip_prefix(running.base_url()).unwrap_or_else(|| panic!("another host: {url}")).to_owned())
}

/// A payer with a few hundred resources.
fn small_payer() -> MemoryPayer {
    let mut payer = MemoryPayer::new();
    let mut resources = Vec::new();
    let mut add = |value: Value| resources.push(value.to_string());
    let meta = |i: usize| json!({"versionId": i.to_string(), "lastUpdated": format!("2026-03-{:02}T07:05:56.538+00:00", 1 + i % 28)});
    let id = |kind: &str, i: usize| format!("{:064x}", codec::hash(format!("{kind}{i}").as_bytes()));
    for (p, plan) in PLANS.iter().enumerate() {
        // One reference in each plan leads nowhere.
        let mut entries: Vec<_> =
            (0..ENTRIES).filter(|i| i % 2 == p).map(|i| format!("MedicationKnowledge/{}", id("mk", i))).collect();
        entries.push("MedicationKnowledge/nowhere".to_owned());
        for (l, chunk) in entries.chunks(10).enumerate() {
            let entry: Vec<_> = chunk.iter().map(|reference| json!({"item": {"reference": reference}})).collect();
            add(json!({"resourceType": "List", "id": id("list", 100 * p + l), "meta": meta(l),
                "identifier": [{"system": format!("{GLOSSARY}/PlanId"), "value": plan}], "status": "current", "mode": "snapshot", "entry": entry}));
        }
        add(json!({"resourceType": "InsurancePlan", "id": id("plan", p), "meta": meta(p), "name": format!("Plan {p}"),
            "plan": [{"identifier": [{"system": format!("{GLOSSARY}/PlanId"), "value": plan}]}]}));
    }
    for i in 0..ENTRIES {
        add(json!({"resourceType": "MedicationKnowledge", "id": id("mk", i), "meta": meta(i), "status": "active",
            "extension": [
                {"url": "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-PriorAuthorization-extension", "valueBoolean": i % 3 == 0},
                {"url": "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-PlanID-extension", "valueString": PLANS[i % 2]}],
            "code": {"coding": [{"system": format!("{GLOSSARY}/ndc11"), "code": format!("{:011}", i / 4)}], "text": format!("Drug {i} \"é\"")}}));
    }
    for i in 0..45 {
        add(
            json!({"resourceType": "Medication", "id": id("med", i), "meta": meta(i), "code": {"text": format!("Drug {i}")}}),
        );
    }
    for i in 0..120 {
        let system = if i % 2 == 0 { "MedicalDentalNetworkId" } else { "VisionNetworkID" };
        add(json!({"resourceType": "PractitionerRole", "id": id("role", i),
            "meta": {"versionId": "1", "lastUpdated": format!("2026-02-{:02}T00:00:00Z", 1 + i % 28),
                "tag": [{"system": format!("{GLOSSARY}/{system}"), "code": format!("{}", 10 + i % 3)}, {"system": "https://other.test", "code": "10"}]},
            "active": i % 5 != 0, "practitioner": {"reference": format!("Practitioner/{}", id("prac", i % 90))},
            "location": [{"reference": format!("Location/{}", id("loc", i % 30))}]}));
    }
    for i in 0..90 {
        add(
            json!({"resourceType": "Practitioner", "id": id("prac", i), "meta": meta(i), "active": true, "gender": "female",
            "identifier": [{"system": "http://hl7.org/fhir/sid/us-npi", "value": format!("1{i:09}")}], "name": [{"family": format!("Name {i}")}]}),
        );
    }
    for i in 0..30 {
        add(json!({"resourceType": "Location", "id": id("loc", i), "meta": meta(i), "name": format!("Place {i}"),
            "position": {"longitude": -85.5, "latitude": 32.25}, "managingOrganization": {"reference": format!("Organization/{}", id("org", i % 10))}}));
    }
    for i in 0..10 {
        add(
            json!({"resourceType": "Organization", "id": id("org", i), "meta": meta(i), "active": true, "name": format!("Group {i}")}),
        );
    }
    for (member, patient) in [("00001", "p-1"), ("00002", "p-2")] {
        for plan in PLANS {
            add(json!({"resourceType": "Coverage", "id": format!("cov-{patient}-{plan}"), "status": "active",
                "beneficiary": {"reference": format!("Patient/{patient}")}, "class": [{"value": plan}]}));
        }
        payer.add_member(member, patient);
    }
    for resource in &resources {
        payer.add(resource).unwrap();
    }
    for i in [7, 40] {
        payer.hide_from_searches(ResourceType::MedicationKnowledge, &id("mk", i));
    }
    payer
}

fn start() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_780_000_000)
}

/// The small payer's server with a clock that stands still.
fn serve(faults: Faults) -> (Running, Arc<ManualClock>) {
    serve_with(Options { faults, ..Options::default() })
}

fn serve_with(options: Options) -> (Running, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(start()));
    let options = Options { clock: Arc::clone(&clock) as Arc<dyn Clock>, hang: Duration::from_millis(20), ..options };
    (Server::start(Arc::new(small_payer()), options).unwrap(), clock)
}

/// All pages of a search.
fn pages(running: &Running, target: &str) -> Vec<Value> {
    let mut pages = vec![get(running, target).json()];
    while let Some(next) = next_target(running, pages.last().unwrap()) {
        assert!(pages.len() < 1000);
        pages.push(get(running, &next).json());
    }
    pages
}

fn all_ids(running: &Running, target: &str) -> Vec<String> {
    pages(running, target).iter().flat_map(ids).collect()
}
