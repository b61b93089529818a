//! Phones.

use serde::Deserialize;

use super::lenient::{Many, Text, elements};
use crate::model::{Period, Phone};

/// `ContactPoint`; a bare string is its value.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ContactPoint<'a> {
    #[serde(borrow)]
    system: Text<'a>,
    #[serde(borrow)]
    value: Text<'a>,
    #[serde(borrow, rename = "use")]
    usage: Text<'a>,
    #[serde(borrow)]
    rank: Text<'a>,
}

elements!(ContactPoint from value);

/// Phones that are in use, by rank, else in their order, each once. Addresses of pages
/// and mailboxes are no phones; a value without a stated system is one if it has seven digits.
pub(super) fn phones(telecom: &Many<ContactPoint<'_>>) -> Vec<Phone> {
    let mut ranked: Vec<(u32, Phone)> = Vec::new();
    for contact in telecom {
        let Some(number) = contact.value.words() else { continue };
        let digits = number.bytes().filter(u8::is_ascii_digit).count();
        let phone = contact.system.is("phone") || contact.system.is("sms");
        let unstated = contact.system.get().is_none() && digits >= 7 && !number.contains(['@', '/']);
        if digits > 0 && (phone || unstated) && !contact.usage.is("old") {
            let rank = contact.rank.get().and_then(|rank| rank.parse().ok()).unwrap_or(u32::MAX);
            let phone = Phone { number, period: Period::default() };
            if ranked.iter().all(|(_, known)| *known != phone) {
                ranked.push((rank, phone));
            }
        }
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, phone)| phone).collect()
}
