//! Which words and codes say that a pharmacy serves by mail, in long-term care or at home by infusion, and
//! that nobody walks in: of specialties, of types and of names.

use coverdex_core::providers::name_words;

/// NUCC codes of pharmacies by mail, for long-term care and for home infusion.
pub(crate) const CLOSED_CODES: [&str; 3] = ["3336M0002X", "3336L0003X", "3336H0001X"];

/// What may follow `mail`, apart or joined to it.
const MAILED: [&str; 10] =
    ["order", "orders", "service", "services", "rx", "pharmacy", "pharmacies", "delivery", "meds", "drugs"];

/// Whether words say mail, long-term care or infusion. `Mail` alone may be a street's or a mall's; `LTC`
/// behind the word pharmacy is a company's name (`Suburban Pharmacy LTC Inc`) and says nothing.
pub(crate) fn says_closed(text: &str) -> bool {
    let words = spelled(name_words(text));
    let at = |wanted: &str| words.iter().position(|word| word == wanted);
    let has = |wanted: &str| at(wanted).is_some();
    let pair = |first: &str, second: &str| words.windows(2).any(|pair| pair == [first, second]);
    let ltc = at("ltc").is_some_and(|ltc| at("pharmacy").is_none_or(|pharmacy| ltc < pharmacy));
    let mail = at("mail").is_some_and(|at| words.get(at + 1).is_none_or(|next| MAILED.contains(&next.as_str())));
    let joined = words.iter().any(|word| word.strip_prefix("mail").is_some_and(|rest| MAILED.contains(&rest)));
    mail || joined
        || ltc
        || ["infusion", "infusions", "ltcp", "longterm"].into_iter().any(has)
        || pair("long", "term")
        || pair("home", "delivery")
        || pair("closed", "door")
}

/// Whether an organization's type, by code or in words, says so.
pub(crate) fn type_says_closed(kind: &str) -> bool {
    CLOSED_CODES.iter().any(|code| code.eq_ignore_ascii_case(kind.trim())) || says_closed(kind)
}

/// Whether an organization's type, by code or in words, says a pharmacy.
fn type_says_pharmacy(kind: &str) -> bool {
    kind.trim().starts_with("3336") || kind.to_lowercase().contains("pharm")
}

/// What a type that says closed doors says of the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ByType {
    /// Not that it is a pharmacy.
    Any,
    /// That it is a pharmacy.
    Pharmacy,
}

impl ByType {
    /// By the types of an organization; `None`: none says closed doors.
    pub(crate) fn of(types: &[String]) -> Option<Self> {
        let is_pharmacy = || types.iter().any(|kind| type_says_pharmacy(kind));
        let closed = types.iter().any(|kind| type_says_closed(kind));
        closed.then(|| if is_pharmacy() { Self::Pharmacy } else { Self::Any })
    }
}

/// Words with `L.T.C.` as one.
fn spelled(mut words: Vec<String>) -> Vec<String> {
    while let Some(at) = words.windows(3).position(|letters| letters == ["l", "t", "c"]) {
        words.splice(at..at + 3, ["ltc".to_owned()]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_codes_of_closed_doors() {
        for closed in [
            "Meadow LTC Pharmacy",
            "Meadow LTC",
            "Oak L.T.C. Pharmacy",
            "Pine Longterm Care Pharmacy",
            "Veterans Mail-Order Rx",
            "MailOrder Meds",
            "Elm MAILSERVICE Pharmacy",
            "Rx by Mail",
            "Best Infusions Inc",
        ] {
            assert!(says_closed(closed), "{closed}");
        }
        for open in [
            "Suburban Pharmacy LTC Inc",
            "Suburban Pharmacy L.T.C. Inc",
            "ALLTC Drugs",
            "Main Street Mail Plaza Pharmacy",
            "Homer Mailer Drugs",
            "Mailhot Pharmacy",
            "Mr. Mail's Pharmacy",
            "Long Island Care Drug",
        ] {
            assert!(!says_closed(open), "{open}");
        }
        assert!(type_says_closed("3336m0002x") && type_says_closed("Home Infusion Therapy Pharmacy"));
        assert!(!type_says_closed("3336C0003X") && !type_says_closed("fac"));
        assert!(type_says_pharmacy("3336l0003x") && !type_says_pharmacy("Home Infusion"));
    }
}
