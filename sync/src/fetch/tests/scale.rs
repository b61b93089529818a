//! How fast, and in how much memory: a payer that makes its resources as they are asked for.
//!
//! `cargo test --release --workspace --lib fetch::tests::scale -- --ignored --nocapture`

use std::time::Instant;

use super::payer::status;
use super::*;

/// Roles, practitioners and locations by number; organizations are a few.
struct Large {
    roles: usize,
}

const PAGE: usize = 100;

impl Large {
    fn count(&self, resource_type: &str) -> usize {
        match resource_type {
            "PractitionerRole" => self.roles,
            "Practitioner" => self.roles / 2,
            "Location" => self.roles / 4,
            _ => 0,
        }
    }

    fn resource(resource_type: &str, i: usize) -> String {
        let id = format!("{i:064x}");
        let meta = format!(r#""meta":{{"versionId":"7","lastUpdated":"2026-05-22T21:36:03.{:07}+00:00"}}"#, i % 10_000_000);
        let rest = match resource_type {
            "PractitionerRole" => format!(
                r#""active":true,"practitioner":{{"reference":"Practitioner/{:064x}"}},"location":[{{"reference":"Location/{:064x}"}}],"specialty":[{{"text":"Cardiology and something of that length"}}],"extension":[{{"url":"https://fhir.example.test/documentation/glossary/DirectoryType","valueCodeableConcept":{{"coding":[{{"code":"MedicalDental"}}]}}}}],"telecom":[{{"system":"phone","value":"305{:07}"}}]"#,
                i / 2,
                i / 4,
                i % 10_000_000
            ),
            _ => format!(r#""name":[{{"text":"Somebody Of That Name {i}","family":"Name"}}],"telecom":[{{"value":"305{:07}"}}]"#, i % 10_000_000),
        };
        format!(r#"{{"resourceType":"{resource_type}","id":"{id}",{meta},{rest}}}"#)
    }

    fn answer(&self, ask: &Ask) -> Result<Reply, SendError> {
        let resource_type = ask.url.path_segments().and_then(|mut s| s.nth(1)).unwrap_or_default().to_owned();
        if resource_type == "metadata" {
            let body = super::payer::statement(&["Location", "Organization"]);
            return Ok(Reply { status: 200, body: body.into_bytes(), ..Reply::default() });
        }
        let offset = ask.url.query_pairs().find(|(name, _)| name == "ct").map_or(0, |(_, n)| n.parse().unwrap());
        let count = self.count(&resource_type);
        if count == 0 {
            return status(404, "");
        }
        let last = (offset + PAGE).min(count);
        let entries = (offset..last).map(|i| Self::resource(&resource_type, i)).collect();
        let next = (last < count).then(|| format!("{BASE}/{resource_type}?ct={last}"));
        let parts = super::payer::PageParts { entries, next, total: None, offset };
        let body = super::payer::bundle(&parts).into_bytes();
        Ok(Reply { status: 200, body, ..Reply::default() })
    }
}

impl Transport for Large {
    fn get(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, SendError>> {
        Box::pin(async move { self.answer(&ask) })
    }
}

/// The process's largest memory so far, in MiB.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: figures, not correctness"]
async fn throughput_and_memory() {
    let mut peaks = Vec::new();
    for roles in [60_000, 1_140_000] {
        let resources = roles + roles / 2 + roles / 4;
        let folder = TempDir::new().unwrap();
        let settings = Settings { base_url: Some(BASE.to_owned()), rate: Some(Rate::Off), ..Settings::default() };
        let selection = Selection { formulary: false, ..Selection::default() };
        let options = Options { selection, ..options(folder.path()) };
        let transport: Arc<dyn Transport> = Arc::new(Large { roles });
        let began = Instant::now();
        let outcome = sync(settings.check().unwrap(), &options, transport, clock("2026-07-01"), Arc::new(|_| ()), Stop::default())
            .await
            .unwrap();
        let synced = began.elapsed().as_secs_f64();
        assert_eq!(outcome.incomplete.keys().collect::<Vec<_>>(), ["InsurancePlan"], "{:?}", outcome.incomplete);
        let report = report_of(folder.path());
        let distinct: u64 = report.types.iter().map(|t| t.distinct).sum();
        assert_eq!(distinct, resources as u64);
        let bytes: u64 = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
        let rate = f64::from(u32::try_from(resources).unwrap()) / synced;
        println!(
            "{resources} resources: {synced:.1} s, {rate:.0} a second; report after {:.1} s; staging {} MiB; peak {} MiB",
            began.elapsed().as_secs_f64(),
            bytes >> 20,
            peak_mib()
        );
        assert!(rate >= 5_000.0, "{rate:.0} resources a second");
        peaks.push(peak_mib());
    }
    assert!(peaks[1] < peaks[0] + 150, "memory stays flat: {peaks:?} MiB");
}
