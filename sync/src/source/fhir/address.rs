//! Addresses.

use coverdex_core::{State, Zip5};

use super::datatypes::Address;
use super::lenient::{Many, Text, words};
use super::note::Notes;
use super::reading::{MOST, Reading};
use crate::model::{self, Day};

/// Words that end the name of a street.
const STREETS: [&str; 32] = [
    "st",
    "street",
    "ave",
    "avenue",
    "rd",
    "road",
    "blvd",
    "boulevard",
    "dr",
    "drive",
    "ln",
    "lane",
    "way",
    "ct",
    "court",
    "pl",
    "place",
    "plaza",
    "plz",
    "pkwy",
    "parkway",
    "hwy",
    "highway",
    "cir",
    "circle",
    "ter",
    "terrace",
    "trl",
    "trail",
    "sq",
    "square",
    "pike",
];

/// What stands for a country where none is stated.
const NO_COUNTRY: [&str; 4] = ["null", "none", "unknown", "notapplicable"];

/// The United States and their territories by name and by ISO 3166-1 codes, letters and digits alone. `001`
/// is the world.
const AMERICAN: [&str; 48] = [
    "us",
    "usa",
    "840",
    "001",
    "1",
    "unitedstates",
    "unitedstatesofamerica",
    "theunitedstates",
    "theunitedstatesofamerica",
    "america",
    "estadosunidos",
    "pr",
    "pri",
    "630",
    "puertorico",
    "gu",
    "gum",
    "316",
    "guam",
    "vi",
    "vir",
    "850",
    "virginislands",
    "usvirginislands",
    "virginislandsus",
    "unitedstatesvirginislands",
    "as",
    "asm",
    "016",
    "americansamoa",
    "mp",
    "mnp",
    "580",
    "northernmarianaislands",
    "fm",
    "fsm",
    "583",
    "micronesia",
    "federatedstatesofmicronesia",
    "micronesiafederatedstatesof",
    "mh",
    "mhl",
    "584",
    "marshallislands",
    "pw",
    "plw",
    "585",
    "palau",
];

/// The neighbors of the United States by name and by ISO 3166-1 codes.
const NEIGHBORS: [&str; 8] = ["ca", "can", "124", "canada", "mx", "mex", "484", "mexico"];

/// The provinces and territories of Canada.
const CANADIAN: [&str; 13] = ["AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"];

/// Words that may follow them.
const DIRECTIONS: [&str; 8] = ["n", "s", "e", "w", "ne", "nw", "se", "sw"];

/// The address of a place: the first one that is a place of work and neither a former one nor one for
/// bills; else the first that is neither; else the first.
pub(super) fn of_place<'b, 'a>(addresses: &'b Many<Address<'a>>) -> Option<&'b Address<'a>> {
    let usable = || addresses.iter().filter(|address| address.is_usable());
    let for_work = |address: &&Address<'_>| {
        (address.usage.is("work") && !address.kind.is("postal"))
            || address.kind.is("physical")
            || address.kind.is("both")
    };
    usable().find(for_work).or_else(|| usable().next()).or_else(|| addresses.first())
}

/// The addresses of an organization, those that are no mere mailboxes first.
pub(super) fn of_organization(addresses: &Many<Address<'_>>, at: &mut Reading<'_>) -> Vec<model::Address> {
    let mut usable: Vec<&Address<'_>> = addresses.iter().filter(|address| address.is_usable()).collect();
    usable.sort_by_key(|address| address.kind.is("postal"));
    let mut read: Vec<model::Address> = Vec::new();
    for address in at.bounded(usable, MOST) {
        let address = address.read(&mut at.notes);
        let is_empty = address == model::Address { period: address.period, ..model::Address::default() };
        if !is_empty && !read.contains(&address) {
            read.push(address);
        }
    }
    read
}

impl Address<'_> {
    fn is_usable(&self) -> bool {
        !self.usage.is("old") && !self.usage.is("billing")
    }

    /// Whether its country is stated and is neither the United States nor one of their territories, or,
    /// where none is stated, it has a province and a postal code of Canada. A state or a county that stands
    /// in the country's place is none.
    fn is_abroad(&self) -> bool {
        let Some(country) = self.country.get() else {
            let province =
                self.state.get().is_some_and(|state| CANADIAN.iter().any(|known| state.eq_ignore_ascii_case(known)));
            return province && self.postal_code.get().is_some_and(is_canadian);
        };
        let letters: String = country.chars().filter(char::is_ascii_alphanumeric).collect();
        let repeats_state = || {
            let state = self.state.get().and_then(State::from_name);
            state.is_some() && state == State::from_name(country)
        };
        let is_county = || country.to_ascii_lowercase().split(' ').any(|word| matches!(word, "county" | "parish"));
        !letters.is_empty()
            && !NO_COUNTRY.iter().chain(&AMERICAN).any(|known| letters.eq_ignore_ascii_case(known))
            && !repeats_state()
            && !is_county()
    }

    /// Whether a state and a ZIP of this country make a stated one doubtful: `Paris, TX 75001, FR`. Those of
    /// the neighbors, whose codes are the same, are believed.
    fn contradicts_its_country(&self) -> bool {
        let country: String =
            self.country.get().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
        let state = self.state.get().and_then(State::from_name);
        let zip = self.postal_code.get().and_then(Zip5::mend);
        state.is_some() && zip.is_some() && !NEIGHBORS.iter().any(|known| country.eq_ignore_ascii_case(known))
    }

    /// The address as stated. One that is words alone is parted where they end in a state.
    pub(super) fn read(&self, notes: &mut Notes) -> model::Address {
        let mut period = self.period.0.as_ref().map(|period| period.days(notes)).unwrap_or_default();
        if self.usage.is("old") {
            // When it ended is not stated.
            period.end = Some(period.end.unwrap_or(Day::MIN));
        }
        let lines: Vec<String> = self.line.iter().filter_map(Text::words).collect();
        let (city, state) = (self.city.words(), self.state.words());
        let (zip, district) = (self.postal_code.words(), self.district.words());
        if self.is_abroad() {
            // Neither its codes nor its city are to be taken for American ones.
            let mut lines = if lines.is_empty() { self.text.words().into_iter().collect() } else { lines };
            lines.extend([city, state, zip, self.country.words()].into_iter().flatten());
            let abroad = !self.contradicts_its_country();
            return model::Address { lines, period, abroad, ..model::Address::default() };
        }
        if let (true, Some(text)) = (lines.is_empty(), self.text.get()) {
            if city.is_none() && state.is_none() && zip.is_none() {
                return model::Address { district, period, ..parted(text) };
            }
            let lines = words(text).into_iter().collect();
            return model::Address { lines, city, state, zip, district, period, abroad: false };
        }
        if city.is_none() && state.is_none() && zip.is_none() {
            // They may stand in the text of the whole, or behind the street.
            let whole = self.text.get().map(str::to_owned).filter(|_| lines.len() == 1);
            let read = parted(&whole.unwrap_or_else(|| lines.join(", ")));
            if read.state.is_some() {
                let lines = if lines.len() == 1 { lines } else { read.lines };
                return model::Address { lines, district, period, ..read };
            }
        }
        model::Address { lines, city, state, zip, district, period, abroad: false }
    }
}

/// Parts an address that is words alone: `77 Main Rd, Clayton, MO 63105`, in one line or several. What
/// does not end in a state stays lines.
fn parted(text: &str) -> model::Address {
    let mut parts: Vec<String> =
        text.split(['\n', '\r']).flat_map(|line| line.split([',', ';'])).filter_map(words).collect();
    let whole = || {
        let lines = text.split(['\n', '\r']).filter_map(words).collect();
        model::Address { lines, ..model::Address::default() }
    };
    if parts.len() > 1 && parts.last().is_some_and(|last| is_country(last)) {
        parts.pop();
    }
    let Some(last) = parts.pop() else { return whole() };
    let mut end: Vec<&str> = last.split(' ').collect();
    let zip = end.last().copied().filter(|word| is_zip(word)).map(str::to_owned);
    if zip.is_some() {
        end.pop();
    }
    if end.is_empty() {
        // `…, MO, 63105`.
        let Some(before) = parts.pop() else { return whole() };
        return with_state(&before.split(' ').collect::<Vec<_>>(), zip, parts).unwrap_or_else(whole);
    }
    with_state(&end, zip, parts).unwrap_or_else(whole)
}

/// An address whose last words, before its ZIP, may be a state; `before` is what stands in front.
fn with_state(end: &[&str], zip: Option<String>, mut before: Vec<String>) -> Option<model::Address> {
    // A part may be a state's name, if a city stands before it: `Washington` alone is one as well as the
    // other. The end of a part is its two letters.
    let name = end.join(" ");
    let follows_city = match before.as_slice() {
        [] => false,
        [one] => !one.bytes().any(|b| b.is_ascii_digit()),
        _ => true,
    };
    let (state, rest) = if State::from_name(&name).is_some() && (name.len() == 2 || follows_city) {
        (name, &[][..])
    } else {
        let (last, rest) = end.split_last()?;
        let is_code =
            last.len() == 2 && last.bytes().all(|b| b.is_ascii_uppercase()) && State::from_name(last).is_some();
        (is_code.then(|| (*last).to_owned())?, rest)
    };
    let mut city = (!rest.is_empty()).then(|| rest.join(" "));
    if city.is_none() {
        city = before.pop();
    }
    if before.is_empty() {
        // Street and city stand in one part.
        let words = city.take()?;
        let (line, town) = street_and_city(&words);
        before.extend(line);
        city = town;
    }
    Some(model::Address { lines: before, city, state: Some(state), zip, ..model::Address::default() })
}

/// Parts `123 Main St Clayton`; without a house number all of it is the city, and where no street ends
/// the city is not known.
fn street_and_city(words: &str) -> (Option<String>, Option<String>) {
    let all: Vec<&str> = words.split(' ').collect();
    let has_digit = |word: &&str| word.bytes().any(|b| b.is_ascii_digit());
    if !all.iter().any(has_digit) {
        return (None, Some(words.to_owned()));
    }
    let is_any =
        |word: &str, of: &[&str]| of.iter().any(|known| word.trim_end_matches('.').eq_ignore_ascii_case(known));
    let street = all.iter().enumerate().skip(2).find(|(_, word)| is_any(word, &STREETS)).map(|(at, _)| at + 1);
    let number = all.iter().rposition(has_digit).map_or(0, |at| at + 1);
    let Some(mut at) = street.map(|street| street.max(number)) else { return (Some(words.to_owned()), None) };
    if all.get(at).is_some_and(|word| is_any(word, &DIRECTIONS)) {
        at += 1;
    }
    match all.split_at_checked(at) {
        Some((line, city)) if !city.is_empty() => (Some(line.join(" ")), Some(city.join(" "))),
        _ => (Some(words.to_owned()), None),
    }
}

/// Whether a postal code is one of Canada: `M5H 1A1`.
fn is_canadian(code: &str) -> bool {
    let signs: Vec<char> = code.chars().filter(char::is_ascii_alphanumeric).collect();
    signs.len() == 6
        && signs.iter().zip(0..).all(|(c, at)| if at % 2 == 0 { c.is_ascii_alphabetic() } else { c.is_ascii_digit() })
}

fn is_zip(word: &str) -> bool {
    let (five, four) = word.split_once('-').unwrap_or((word, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    digits(five)
        && digits(four)
        && matches!((five.len(), four.len()), (5, 0 | 4) | (9, 0))
        && five.parse::<Zip5>().is_ok()
}

fn is_country(words: &str) -> bool {
    let letters: String = words.chars().filter(char::is_ascii_alphabetic).collect();
    ["US", "USA", "UnitedStates", "UnitedStatesofAmerica"].iter().any(|known| letters.eq_ignore_ascii_case(known))
}
