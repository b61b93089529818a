//! What spellings of one address share: `SUITE 300, 77 Oak Avenue` and `77 Oak Ave #300`, `P.O. Box 9` and
//! `PO Box 9`, `First St` and `1st St`.
//!
//! Words are written in their short forms (those of the US Postal Service). A unit (suite, room, building,
//! floor, box) is taken out of the line and put behind it, wherever it stands. Street types, directions and
//! numbers are never dropped: `Main St` and `Main Dr` differ, and so do `100 N Main St` and `100 Main St`.

use coverdex_core::providers::name_words;

/// Words that have a short form, and the short form.
const SHORT: [(&str, &str); 108] = [
    ("alley", "aly"),
    ("annex", "anx"),
    ("av", "ave"),
    ("aven", "ave"),
    ("avenue", "ave"),
    ("avn", "ave"),
    ("bayou", "byu"),
    ("beach", "bch"),
    ("boulevard", "blvd"),
    ("boul", "blvd"),
    ("boulv", "blvd"),
    ("branch", "br"),
    ("bridge", "brg"),
    ("brook", "brk"),
    ("bypass", "byp"),
    ("canyon", "cyn"),
    ("causeway", "cswy"),
    ("center", "ctr"),
    ("centre", "ctr"),
    ("cntr", "ctr"),
    ("circle", "cir"),
    ("circ", "cir"),
    ("commons", "cmns"),
    ("corner", "cor"),
    ("corners", "cors"),
    ("court", "ct"),
    ("cove", "cv"),
    ("creek", "crk"),
    ("crescent", "cres"),
    ("crossing", "xing"),
    ("crossroad", "xrd"),
    ("drive", "dr"),
    ("driv", "dr"),
    ("drv", "dr"),
    ("east", "e"),
    ("estate", "est"),
    ("estates", "ests"),
    ("expressway", "expy"),
    ("extension", "ext"),
    ("extn", "ext"),
    ("falls", "fls"),
    ("ferry", "fry"),
    ("field", "fld"),
    ("fields", "flds"),
    ("forest", "frst"),
    ("fort", "ft"),
    ("freeway", "fwy"),
    ("garden", "gdn"),
    ("gardens", "gdns"),
    ("gateway", "gtwy"),
    ("grove", "grv"),
    ("harbor", "hbr"),
    ("heights", "hts"),
    ("highway", "hwy"),
    ("highwy", "hwy"),
    ("hiway", "hwy"),
    ("hollow", "holw"),
    ("island", "is"),
    ("junction", "jct"),
    ("landing", "lndg"),
    ("lane", "ln"),
    ("manor", "mnr"),
    ("meadows", "mdws"),
    ("mount", "mt"),
    ("mountain", "mtn"),
    ("north", "n"),
    ("northeast", "ne"),
    ("northwest", "nw"),
    ("orchard", "orch"),
    ("parkway", "pkwy"),
    ("parkwy", "pkwy"),
    ("pky", "pkwy"),
    ("pkway", "pkwy"),
    ("place", "pl"),
    ("plaza", "plz"),
    ("plza", "plz"),
    ("point", "pt"),
    ("ridge", "rdg"),
    ("road", "rd"),
    ("route", "rte"),
    ("rt", "rte"),
    ("saint", "st"),
    ("shore", "shr"),
    ("shores", "shrs"),
    ("south", "s"),
    ("southeast", "se"),
    ("southwest", "sw"),
    ("spring", "spg"),
    ("springs", "spgs"),
    ("square", "sq"),
    ("station", "sta"),
    ("str", "st"),
    ("strt", "st"),
    ("street", "st"),
    ("summit", "smt"),
    ("terr", "ter"),
    ("terrace", "ter"),
    ("throughway", "trwy"),
    ("trail", "trl"),
    ("trce", "trce"),
    ("trace", "trce"),
    ("turnpike", "tpke"),
    ("trnpk", "tpke"),
    ("valley", "vly"),
    ("view", "vw"),
    ("village", "vlg"),
    ("vista", "vis"),
    ("west", "w"),
];

/// Words that say that a unit follows, and what stands for them: several have one meaning, and a suite, a
/// room and a bare number are not told apart.
const UNITS: [(&str, &str); 23] = [
    ("apartment", ""),
    ("apt", ""),
    ("bldg", "bldg"),
    ("bld", "bldg"),
    ("blg", "bldg"),
    ("building", "bldg"),
    ("fl", "fl"),
    ("flr", "fl"),
    ("floor", "fl"),
    ("level", "fl"),
    ("lvl", "fl"),
    ("no", ""),
    ("number", ""),
    ("pobox", "pobox"),
    ("rm", ""),
    ("room", ""),
    ("ste", ""),
    ("stes", ""),
    ("suit", ""),
    ("suite", ""),
    ("suites", ""),
    ("unit", ""),
    ("units", ""),
];

/// Spellings of a post-office box and of numbered roads, longest first, and what stands for them.
const PHRASES: [(&[&str], &str); 27] = [
    (&["farm", "to", "market", "road"], "fm"),
    (&["farm", "to", "market"], "fm"),
    (&["post", "office", "box"], "pobox"),
    (&["post", "office", "bx"], "pobox"),
    (&["p", "o", "box"], "pobox"),
    (&["p", "o", "bx"], "pobox"),
    (&["p", "o", "b"], "pobox"),
    (&["u", "s", "highway"], "us"),
    (&["u", "s", "hwy"], "us"),
    (&["u", "s", "route"], "us"),
    (&["county", "road"], "cr"),
    (&["county", "rd"], "cr"),
    (&["co", "road"], "cr"),
    (&["co", "rd"], "cr"),
    (&["p", "obox"], "pobox"),
    (&["po", "box"], "pobox"),
    (&["po", "bx"], "pobox"),
    (&["postal", "box"], "pobox"),
    (&["state", "road"], "sr"),
    (&["state", "rd"], "sr"),
    (&["state", "route"], "sr"),
    (&["state", "rte"], "sr"),
    (&["us", "highway"], "us"),
    (&["us", "hwy"], "us"),
    (&["us", "route"], "us"),
    (&["pob"], "pobox"),
    (&["pobx"], "pobox"),
];

const ORDINALS: [&str; 19] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

/// From 20th on.
const TENS: [(&str, &str); 8] = [
    ("twenty", "twentieth"),
    ("thirty", "thirtieth"),
    ("forty", "fortieth"),
    ("fifty", "fiftieth"),
    ("sixty", "sixtieth"),
    ("seventy", "seventieth"),
    ("eighty", "eightieth"),
    ("ninety", "ninetieth"),
];

/// What spellings of the lines of one address share; empty where they hold neither letter nor digit.
pub(super) fn key(lines: &[String]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut seen: Vec<Vec<String>> = Vec::new();
    for line in lines {
        // `#300` is a unit, and the mark no letter.
        let of_line = ordinals(phrases(name_words(&line.replace('#', " unit "))));
        if !seen.contains(&of_line) {
            words.extend(of_line.iter().cloned());
            seen.push(of_line);
        }
    }
    let (mut line, mut units) = without_units(directions(words));
    units.sort_unstable();
    line.extend(units);
    line.join(" ")
}

/// The same words, phrases as what stands for them: every spelling of a post-office box is `pobox`.
fn phrases(words: Vec<String>) -> Vec<String> {
    let mut written = Vec::with_capacity(words.len());
    let mut rest = words.as_slice();
    while let Some((first, tail)) = rest.split_first() {
        let begins = |phrase: &[&str]| {
            rest.len() >= phrase.len() && rest.iter().zip(phrase.iter()).all(|(word, other)| word == other)
        };
        if let Some((phrase, short)) = PHRASES.iter().find(|(phrase, _)| begins(phrase)) {
            written.push((*short).to_owned());
            rest = rest.get(phrase.len()..).unwrap_or_default();
        } else {
            // A box at the beginning is one of the post office, and not of a rural route.
            let alone = written.is_empty() && first == "box";
            written.push(if alone { "pobox".to_owned() } else { first.clone() });
            rest = tail;
        }
    }
    written
}

/// The same words, ordinals as numbers: `first` is `1st`, `twenty first` is `21st`.
fn ordinals(words: Vec<String>) -> Vec<String> {
    let mut written: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let below_twenty = ORDINALS.iter().position(|ordinal| *ordinal == word).map(|at| at + 1);
        let tens = TENS.iter().position(|(_, ordinal)| *ordinal == word).map(|at| (at + 2) * 10);
        let Some(number) = below_twenty.or(tens) else {
            written.push(word);
            continue;
        };
        let before = written.last().and_then(|before| TENS.iter().position(|(tens, _)| tens == before));
        match before.filter(|_| number < 10) {
            Some(at) => {
                written.pop();
                written.push(ordinal((at + 2) * 10 + number));
            }
            None => written.push(ordinal(number)),
        }
    }
    written
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// The same words in their short forms, `n` and `w` side by side as `nw`.
fn directions(words: Vec<String>) -> Vec<String> {
    let mut written: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let short = SHORT.iter().find(|(long, _)| *long == word).map_or(word, |(_, short)| (*short).to_owned());
        match (written.last_mut(), short.as_str()) {
            (Some(before), "e" | "w") if matches!(before.as_str(), "n" | "s") => before.push_str(&short),
            _ => written.push(short),
        }
    }
    written
}

/// The words that are no unit, and the units: `ste 300` is `300`, `bldg a` and `2nd fl` are `bldg a` and
/// `fl 2`.
fn without_units(words: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut line, mut units): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let unit = |word: &String| UNITS.iter().find(|(spelling, _)| spelling == word).map(|(_, unit)| *unit);
    let mut rest = words.as_slice();
    while let Some((word, mut tail)) = rest.split_first() {
        let Some(mut kind) = unit(word) else {
            line.push(word.clone());
            rest = tail;
            continue;
        };
        // `Suite #300`, `PO Box No. 9`: one unit.
        while let Some(next) = tail.first().and_then(unit) {
            kind = if kind.is_empty() { next } else { kind };
            tail = tail.get(1..).unwrap_or_default();
        }
        let floor = line.last().filter(|_| kind == "fl").and_then(|before| ordinal_number(before)).map(str::to_owned);
        if let Some(number) = floor {
            line.pop();
            units.push(format!("{kind} {number}"));
        } else if let Some((name, behind)) = tail.split_first().filter(|(name, _)| names_a_unit(name)) {
            let mut name = ordinal_number(name).unwrap_or(name).to_owned();
            tail = behind;
            // `Suite 300-B` at the end is `300B`.
            if let [last] = tail
                && last.chars().count() == 1
                && last.chars().all(char::is_alphabetic)
                && name.ends_with(|c: char| c.is_ascii_digit())
            {
                name.push_str(last);
                tail = &[];
            }
            units.push(if kind.is_empty() { name } else { format!("{kind} {name}") });
        } else if !kind.is_empty() {
            line.push(kind.to_owned());
        }
        rest = tail;
    }
    (line, units)
}

/// `2` of `2nd`.
fn ordinal_number(word: &str) -> Option<&str> {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending))?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

/// Whether a word can name a unit: it has a digit, or is a single letter.
fn names_a_unit(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit()) || word.chars().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(line: &str) -> String {
        key(&line.split('/').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn spellings_of_one_address_are_one() {
        for group in [
            &["500 E Benson Blvd/Ste 103", "500 EAST BENSON BOULEVARD, SUITE 103", "500 E. Benson Blvd. #103"][..],
            &["77 Oak Ave Suite 300", "SUITE 300, 77 Oak Ave", "Ste #300/77 Oak Avenue", "77 Oak Av Unit 300"],
            &["#300, 77 Oak Ave", "77 Oak Ave. # 300", "77 Oak Ave 300", "77 Oak Ave/77 Oak Ave/Rm 300"],
            &["PO Box 100", "P.O. Box 100", "P O Box 100", "P. O. BOX 100", "POB 100", "Post Office Box 100"],
            &["PO Box #100", "P.O.Box 100", "PO Box No. 100", "Box 100", "POBox 100"],
            &["12 First St", "12 1st Street", "12 FIRST STREET"],
            &["12 Twelfth Ave", "12 12th Ave"],
            &["12 W Twenty-First St", "12 West 21st St", "12 WEST TWENTY FIRST STREET"],
            &["9 Elm St Bldg A", "9 Elm St, Building A", "Bldg. A/9 Elm St"],
            &["9 Elm St 2nd Floor", "9 Elm St Second Floor", "9 Elm St Fl 2", "FLOOR 2, 9 Elm St", "9 Elm St 2nd Fl"],
            &["9 Elm St Bldg A Ste 4", "Suite 4/9 Elm St/Building A"],
            &["100 Main St N.W.", "100 Main Street NW", "100 Main St Northwest", "100 Main St North West"],
            &["77 Oak Ave Ste 300-B", "77 Oak Ave #300B", "Suite 300B, 77 Oak Ave"],
            &["500 US Highway 40", "500 U.S. Hwy 40", "500 US 40"],
            &["500 State Road 7", "500 SR 7", "500 State Rd. 7"],
            &["500 County Road 12", "500 Co Rd 12", "500 CR 12"],
        ] {
            let [first, others @ ..] = group else { panic!("{group:?}") };
            for other in others {
                assert_eq!(folded(other), folded(first), "{other} and {first}");
            }
        }
    }

    #[test]
    fn other_addresses_differ() {
        let all = [
            "100 Main St",
            "100 N Main St",
            "100 S Main St",
            "100 Main Dr",
            "100 Main St Ste 1",
            "100 Main St Ste 2",
            "100 Main St Ste B",
            "100 Main St Bldg 1",
            "100 Main St Bldg 2",
            "100 Main St Fl 1",
            "100 Main St NW",
            "PO Box 100",
            "PO Box 101",
            "RR 1 Box 100",
            "100 1st St",
            "100 First Ave",
            "246 SW California St",
            "0246 SW California St",
        ];
        for (at, a) in all.iter().enumerate() {
            for b in all.iter().skip(at + 1) {
                assert_ne!(folded(a), folded(b), "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_line_without_letters_and_digits_says_nothing() {
        assert_eq!(folded(" - / . "), "");
        assert_eq!(folded("Suite"), "");
    }
}
