//! Payer networks.

use crate::plans::Kind;
use crate::random::Draw;

/// What a network is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NetworkUse {
    /// Pharmacies.
    Pharmacy,
    /// Vision.
    Vision,
    /// Medical and dental.
    Medical,
}

impl NetworkUse {
    /// The last part of the identifier system, in the payer's mixed spelling.
    #[must_use]
    pub const fn system(self) -> &'static str {
        match self {
            Self::Pharmacy => "PharmacyNetworkId",
            Self::Vision => "VisionNetworkID",
            Self::Medical => "MedicalDentalNetworkId",
        }
    }

    /// The same in the other spelling, which means the same.
    #[must_use]
    pub const fn other_system(self) -> &'static str {
        match self {
            Self::Pharmacy => "PharmacyNetworkID",
            Self::Vision => "VisionNetworkId",
            Self::Medical => "MedicalDentalNetworkID",
        }
    }
}

/// A network: keyed by system and id; two networks may share an id or a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Its number.
    pub number: u32,
    /// What it is for.
    pub purpose: NetworkUse,
    /// The id inside its system.
    pub id: String,
    /// Its usual label.
    pub label: String,
}

/// The networks of a shape: pharmacies, vision, then medical ones. The second pharmacy network and
/// the first medical one share their id, the first two medical ones their label.
pub(crate) fn all(count: u32) -> Vec<Network> {
    let labels = ["Medicare HMO", "Medicare HMO", "Medicare PPO", "National PPO", "Medicaid", "PFFS"];
    (0..count.max(3))
        .map(|number| {
            let (purpose, id, label) = match number {
                0 => (NetworkUse::Pharmacy, 3_061, "National Pharmacy Network".to_owned()),
                1 => (NetworkUse::Vision, 1_395, "Vision Select".to_owned()),
                2 => (NetworkUse::Medical, 7_164, "Medicare HMO".to_owned()),
                3 => (NetworkUse::Pharmacy, 7_164, "Preferred Retail Pharmacy".to_owned()),
                n => {
                    let label = labels.get((n as usize - 3) % labels.len()).copied().unwrap_or("Medicare PPO");
                    (NetworkUse::Medical, 3_900 + n * 13 % 4_000, label.to_owned())
                }
            };
            Network { number, purpose, id: id.to_string(), label }
        })
        .collect()
}

/// The networks of a plan, in their numbers' order: a stand-alone drug plan has pharmacies only.
pub(crate) fn of_plan(all: &[Network], kind: Kind, draw: Draw) -> Vec<u32> {
    let of = |purpose| all.iter().filter(move |n| n.purpose == purpose).map(|n| n.number).collect::<Vec<u32>>();
    let pick = |purpose, salt| {
        let these = of(purpose);
        draw.and(salt).one_of(&these, 0)
    };
    let mut networks = vec![pick(NetworkUse::Pharmacy, 11)];
    match kind {
        Kind::DrugPlan => {}
        Kind::Medicaid => networks.push(pick(NetworkUse::Medical, 12)),
        _ => {
            networks.push(pick(NetworkUse::Medical, 12));
            if draw.and(13).hits(700_000) {
                networks.push(pick(NetworkUse::Vision, 14));
            }
            if draw.and(15).hits(200_000) {
                networks.push(pick(NetworkUse::Medical, 16));
            }
        }
    }
    networks.sort_unstable();
    networks.dedup();
    networks
}
