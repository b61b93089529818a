//! New patients: what a role, its place and other roles say.

use coverdex_core::{Accepting as Shown, ProviderSearch};

use super::{MIAMI, Payer, in_county, named, network, npi, place};
use crate::model::{Accepting, AcceptingPatients, Content, Fact, NetworkClaim, Received};

#[test]
fn what_a_role_says_of_one_network_outweighs_what_it_says_of_all() {
    let mut payer = Payer::new();
    let ann = payer.person(1, "Ann", |_| {});
    payer.usual(ann, |role| {
        role.networks = vec![named("1"), named("2")];
        let of = |status, from_network| AcceptingPatients { status, from_network };
        role.accepting = vec![of(Accepting::No, None), of(Accepting::Yes, Some(NetworkClaim::Key(network("2"))))];
    });
    let bo = payer.person(2, "Bo", |_| {});
    payer.usual(bo, |_| {});
    let made = payer.made();
    let accepting = |id: &str| {
        let search = ProviderSearch { networks: Some(vec![network(id)]), ..in_county(MIAMI) };
        made.find(&search).into_iter().map(|found| found.accepting).collect::<Vec<_>>()
    };
    assert_eq!(accepting("1"), [Some(Shown::No), None]);
    assert_eq!(accepting("2"), [Some(Shown::Yes)]);
    let only = |id: &str| {
        let search = ProviderSearch { networks: Some(vec![network(id)]), accepting: true, ..in_county(MIAMI) };
        made.find(&search).len()
    };
    assert_eq!((only("1"), only("2")), (0, 1));
    let whatever = ProviderSearch { accepting: true, ..in_county(MIAMI) };
    assert_eq!(made.find(&whatever).len(), 0, "the patient may be of the network that is refused");
}

#[test]
fn another_role_that_refuses_outweighs_one_that_accepts_where_no_network_is_asked_for() {
    let of = |status, network: Option<&str>| {
        let from_network = network.map(|id| NetworkClaim::Key(self::network(id)));
        vec![AcceptingPatients { status, from_network }]
    };
    let mut payer = Payer::new();
    for (at, other) in [(1, Some(Accepting::No)), (2, Some(Accepting::Yes)), (3, None)] {
        let person = payer.person(at, "Ann", |_| {});
        payer.usual(person, |role| role.accepting = of(Accepting::Yes, None));
        payer.usual(person, |role| {
            role.networks = vec![named("2")];
            role.accepting = other.map(|status| of(status, None)).unwrap_or_default();
        });
    }
    // The place answers for the network of which the role is silent.
    payer.place(4, Some((25.77, -80.2)), |place| place.accepting = of(Accepting::Yes, Some("2")));
    let person = payer.person(4, "Ann", |_| {});
    payer.usual(person, |role| {
        role.networks = vec![named("1"), named("2")];
        role.places = vec![place(4)];
        role.accepting = of(Accepting::No, Some("1"));
    });
    let made = payer.made();
    let found = |networks: Option<&str>| {
        let networks = networks.map(|id| vec![network(id)]);
        let found = made.find(&ProviderSearch { networks, accepting: true, ..in_county(MIAMI) });
        let mut npis: Vec<_> = found.iter().map(|found| found.npi.unwrap()).collect();
        npis.sort_unstable();
        npis
    };
    assert_eq!(found(None), [npi(2), npi(3)]);
    assert_eq!(found(Some("1")), [npi(1), npi(2), npi(3)]);
    assert_eq!(found(Some("2")), [npi(2), npi(4)]);
}

#[test]
fn a_statement_may_name_its_network_by_an_organization_of_no_stated_type() {
    let mut payer = Payer::new();
    let source = payer.organization(30, "Network One");
    if let Some(Received { content: Content::Fact(Fact::Organization(facts)), .. }) = payer.resources.last_mut() {
        facts.npis.clear();
        facts.network_keys = vec![network("1")];
    }
    let ann = payer.person(1, "Ann", |_| {});
    payer.usual(ann, |role| {
        role.networks = vec![named("1"), named("2")];
        let from_network = Some(NetworkClaim::Reference(source));
        role.accepting = vec![AcceptingPatients { status: Accepting::No, from_network }];
    });
    let made = payer.made();
    let accepting = |id: &str| {
        let search = ProviderSearch { networks: Some(vec![network(id)]), ..in_county(MIAMI) };
        made.find(&search).into_iter().map(|found| found.accepting).collect::<Vec<_>>()
    };
    assert_eq!((accepting("1"), accepting("2")), (vec![Some(Shown::No)], vec![None]));
}
