use super::*;
use crate::testing::WIDE;

fn asked(faults: &[&str], offers: &[&str]) -> Result<Options> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    options(&SandboxArgs { faults: owned(faults), offers: owned(offers), seed: Some(7), ..SandboxArgs::default() })
}

#[test]
fn faults_and_offers_are_read_and_wrong_ones_are_named() {
    let options = asked(&["firewall-403@Practitioner/10", "bom"], &["place-search"]).unwrap();
    assert_eq!(options.faults.to_string(), "seed 7: firewall-403@Practitioner/10 bom");
    assert_eq!(options.offers, BTreeSet::from([Offer::PlaceSearch]));
    assert!(asked(&[], &[]).unwrap().offers.contains(&Offer::IdSearch));
    assert!(asked(&[], &["none"]).unwrap().offers.is_empty());
    for (faults, offers, subject) in [
        (&["nonsense"][..], &[][..], "fault nonsense"),
        (&["bom@Patient"], &[], "resource type Patient"),
        (&["bom/0"], &[], "fault bom/0"),
        (&[], &["nonsense"], "offer nonsense"),
    ] {
        let error = asked(faults, offers).unwrap_err();
        assert_eq!((error.subject(), error.candidates().is_empty() && error.hint().is_none()), (subject, false));
    }
}

#[test]
fn what_is_wanted_of_clients_is_read_and_told() {
    let needs = |names: &[&str]| {
        let needs = names.iter().map(|name| (*name).to_owned()).collect();
        options(&SandboxArgs { needs, ..SandboxArgs::default() })
    };
    assert!(needs(&[]).unwrap().needs.is_empty());
    assert_eq!(needs(&["nonsense"]).unwrap_err().subject(), "need nonsense");
    let options = needs(&["api-key", "client-login"]).unwrap();
    let running = Server::start(Arc::new(PublishedPayer::new(MadePayer::new(Shape::tiny()))), options.clone()).unwrap();
    let text = addresses(&running, &options, &[]);
    for part in ["COVERDEX_API_KEY=sandbox-key", "COVERDEX_CLIENT_CREDENTIALS=true", "client-login, api-key"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_list_has_every_fault_and_offer() {
    let (text, document) = (list(WIDE), serde_json::to_value(lists()).unwrap());
    for name in Fault::ALL.iter().map(|fault| fault.name()).chain(Offer::ALL.iter().map(|offer| offer.name())) {
        assert!(text.contains(name) && document.to_string().contains(name), "{name}");
    }
    assert_eq!(document["faults"].as_array().unwrap().len(), Fault::ALL.len());
    for need in Need::ALL {
        assert!(text.contains(need.name()) && document["needs"].to_string().contains(need.name()), "{need}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let args = SandboxArgs { from: Some("no/such/folder".into()), ..SandboxArgs::default() };
    assert_eq!(payer(&args).err().unwrap().subject(), "folder no/such/folder");
}

#[test]
fn what_to_type_names_the_addresses_of_this_server() {
    let options = Options::default();
    let running = Server::start(Arc::new(PublishedPayer::new(MadePayer::new(Shape::tiny()))), options.clone()).unwrap();
    let text = addresses(&running, &options, &["00001".to_owned()]);
    let api = running.api_url();
    for part in [format!("sync --base-url {api} "), format!("{}/auth/token", running.auth_url()), "00001".to_owned()] {
        assert!(text.contains(&part), "{part}\n{text}");
    }
}
