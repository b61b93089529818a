//! Networks and standings in words for people.

use std::collections::BTreeSet;

use super::{Inactive, InactiveDate, NetworkAnswer, NetworkStatus};
use crate::ids::NetworkKind;
use crate::plans::Network;

/// Networks that a line names before it only counts them.
const MOST_NAMED: usize = 4;

/// How networks are named to people: by their labels, with the id too where several have one label.
#[derive(Clone, Debug, Default)]
pub struct NetworkNames {
    repeated: BTreeSet<String>,
}

impl NetworkNames {
    /// The names, where these are all networks that there are.
    #[must_use]
    pub fn new(all: &[Network]) -> Self {
        let mut seen = BTreeSet::new();
        let labels = all.iter().filter_map(|network| network.label.as_deref());
        Self { repeated: labels.filter(|label| !seen.insert(*label)).map(str::to_owned).collect() }
    }

    /// `Vision Select`, `HMO 3909`, `network 3909`.
    #[must_use]
    pub fn bare(&self, network: &Network) -> String {
        let id = network.key.id();
        match &network.label {
            Some(label) if self.repeated.contains(&**label) => format!("{label} {id}"),
            Some(label) => label.to_string(),
            None => format!("network {id}"),
        }
    }

    /// `Vision Select (vision)`.
    #[must_use]
    pub fn of(&self, network: &Network) -> String {
        match network.kind {
            NetworkKind::Unknown => self.bare(network),
            kind => format!("{} ({})", self.bare(network), kind.as_str()),
        }
    }

    /// Networks by name, further ones counted.
    #[must_use]
    pub fn list(&self, networks: &[&Network]) -> String {
        let named: Vec<String> = networks.iter().take(MOST_NAMED).map(|own| self.of(own)).collect();
        match networks.len().saturating_sub(MOST_NAMED) {
            0 if named.is_empty() => "none".to_owned(),
            0 => named.join(", "),
            more => format!("{} and {more} more", named.join(", ")),
        }
    }
}

impl NetworkAnswer {
    /// The standing in words: `in network: Vision Select (vision only)`.
    #[must_use]
    pub fn sentence(&self, names: &NetworkNames) -> String {
        let because = |words: &str| match &self.reason {
            Some(reason) => format!("{words}: {reason}"),
            None => words.to_owned(),
        };
        match self.status {
            NetworkStatus::InNetwork => {
                let shared = if self.shared_role {
                    "; the role names several places: the payer does not say that the network holds at each"
                } else {
                    ""
                };
                format!("in network: {}{shared}", in_networks(names, &self.networks))
            }
            NetworkStatus::Inactive => {
                format!(
                    "inactive: {} (else in network: {})",
                    Inactive::levels(&self.inactive, &self.inactive_dates),
                    in_networks(names, &self.networks)
                )
            }
            NetworkStatus::OtherNetworksOnly => because("in other networks only"),
            NetworkStatus::NotInDirectory => because("not in the directory"),
            NetworkStatus::NoSuchNetwork => because("no such network"),
            NetworkStatus::Unknown => because("unknown"),
        }
    }
}

/// Networks with their kinds; that all are vision is said, for a plan's members take it for care.
fn in_networks(names: &NetworkNames, networks: &[Network]) -> String {
    let vision = !networks.is_empty() && networks.iter().all(|network| network.kind == NetworkKind::Vision);
    if vision {
        format!("{} (vision only)", networks.iter().map(|own| names.bare(own)).collect::<Vec<_>>().join(", "))
    } else {
        networks.iter().map(|own| names.of(own)).collect::<Vec<_>>().join(", ")
    }
}

impl Inactive {
    /// What is inactive and since when, in words: `the role (ended 2020-12-31) and the place`.
    #[must_use]
    pub fn levels(inactive: &[Inactive], dates: &[InactiveDate]) -> String {
        let one = |level: &Inactive| {
            let of_level = dates.iter().filter(|date| date.what == *level);
            let when: Vec<String> = of_level
                .flat_map(|date| {
                    let ended = date.ended.map(|day| format!("ended {day}"));
                    ended.into_iter().chain(date.begins.map(|day| format!("begins {day}")))
                })
                .collect();
            let when = if when.is_empty() { String::new() } else { format!(" ({})", when.join(", ")) };
            format!("the {}{when}", level.as_str())
        };
        inactive.iter().map(one).collect::<Vec<_>>().join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Date, NetworkKey};

    #[test]
    fn standings_in_words() {
        let labelled = |system: &str, id: &str, label: &str| {
            let key = NetworkKey::new(&format!("https://payer.test/{system}"), id).unwrap();
            Network { kind: key.kind(), key, label: Some(label.into()) }
        };
        let vision = labelled("VisionNetworkId", "1", "Vision Select");
        let [one, other] = ["2", "3"].map(|id| labelled("MedicalNetworkId", id, "HMO"));
        let names = NetworkNames::new(&[vision.clone(), one.clone(), other.clone()]);
        let mut standing = NetworkAnswer {
            status: NetworkStatus::InNetwork,
            reason: None,
            networks: vec![vision.clone()],
            inactive: Vec::new(),
            inactive_dates: Vec::new(),
            locations: Vec::new(),
            shared_role: false,
            is_elsewhere: false,
        };
        assert_eq!(standing.sentence(&names), "in network: Vision Select (vision only)");
        standing.networks = vec![one.clone(), other, vision];
        assert_eq!(standing.sentence(&names), "in network: HMO 2 (medical), HMO 3 (medical), Vision Select (vision)");
        standing.shared_role = true;
        assert!(standing.sentence(&names).ends_with("does not say that the network holds at each"));
        standing = NetworkAnswer {
            status: NetworkStatus::Inactive,
            inactive: vec![Inactive::Role, Inactive::Place],
            inactive_dates: vec![InactiveDate {
                what: Inactive::Role,
                ended: Some(Date::from_days(18_627)),
                begins: None,
            }],
            networks: vec![one],
            ..standing
        };
        assert_eq!(
            standing.sentence(&names),
            "inactive: the role (ended 2020-12-31) and the place (else in network: HMO 2 (medical))"
        );
        standing =
            NetworkAnswer { status: NetworkStatus::Unknown, reason: Some("it is incomplete".to_owned()), ..standing };
        assert_eq!(standing.sentence(&names), "unknown: it is incomplete");
    }
}
