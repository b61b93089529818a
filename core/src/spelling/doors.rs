//! Which words say that a pharmacy serves by mail, in long-term care or at home by infusion, and that nobody
//! walks in: of specialties, of types and of names.

use super::name::name_words;

/// NUCC codes of pharmacies by mail, for long-term care and for home infusion.
pub const CLOSED_CODES: [&str; 3] = ["3336M0002X", "3336L0003X", "3336H0001X"];

/// What may follow `mail`, apart or joined to it.
const MAILED: [&str; 10] =
    ["order", "orders", "service", "services", "rx", "pharmacy", "pharmacies", "delivery", "meds", "drugs"];

/// Whether words say mail, long-term care or infusion. `Mail` alone may be a street's or a mall's; `LTC`
/// behind the word pharmacy is a company's name (`Suburban Pharmacy LTC Inc`) and says nothing.
#[must_use]
pub fn says_closed(text: &str) -> bool {
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
    fn words_of_closed_doors() {
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
    }
}
