//! City names: the key that the spellings of one city share.

use super::name_words;
#[cfg(feature = "build")]
use crate::ids::State;

/// Words of city names that are written in several ways.
const SHORT: [(&str, &str); 32] = [
    ("saint", "st"),
    ("sainte", "ste"),
    ("ft", "fort"),
    ("mt", "mount"),
    ("n", "north"),
    ("s", "south"),
    ("e", "east"),
    ("w", "west"),
    ("hts", "heights"),
    ("hgts", "heights"),
    ("spgs", "springs"),
    ("spg", "spring"),
    ("bch", "beach"),
    ("vlg", "village"),
    ("twp", "township"),
    ("jct", "junction"),
    ("ctr", "center"),
    ("pk", "park"),
    ("hbr", "harbor"),
    ("isl", "island"),
    ("cy", "city"),
    ("crk", "creek"),
    ("fls", "falls"),
    ("gdns", "gardens"),
    ("grv", "grove"),
    ("hls", "hills"),
    ("lk", "lake"),
    ("mtn", "mountain"),
    ("rpds", "rapids"),
    ("vly", "valley"),
    // Either is meant by `Pt`.
    ("point", "pt"),
    ("port", "pt"),
];

/// What a short word may stand for that stands for several.
#[cfg(feature = "build")]
const POINTS: [&str; 2] = ["point", "port"];

/// What people call some cities, and their names: offered, never taken.
pub(crate) const NICKNAMES: [(&str, &str); 9] = [
    ("kc", "Kansas City"),
    ("nola", "New Orleans"),
    ("nyc", "New York"),
    ("okc", "Oklahoma City"),
    ("philly", "Philadelphia"),
    ("slc", "Salt Lake City"),
    ("stl", "St. Louis"),
    ("sanfran", "San Francisco"),
    ("vegas", "Las Vegas"),
];

/// What spellings of one city share: case, accents, punctuation and blanks do not count (`O'Fallon`,
/// `O Fallon`, `OFallon`), and of the words that are written in several ways one is taken (`St.` and
/// `Saint`, `Ft` and `Fort`, `N` and `North`). Empty for a text without a letter or digit.
#[must_use]
pub fn city_key(city: &str) -> String {
    let words = name_words(city);
    let whole = |word: &String| {
        let long = SHORT.iter().find_map(|(short, long)| (short == word).then(|| (*long).to_owned()));
        long.unwrap_or_else(|| word.clone())
    };
    words.iter().map(whole).collect()
}

/// The names that one with short words may stand for (`Silver Spg`, `Pt Pleasant`), and that of a township
/// without the word; empty for a name that is written out.
#[cfg(feature = "build")]
#[must_use]
pub fn cities_written_out(city: &str) -> Vec<String> {
    let words = name_words(city);
    let written = |points: &str| {
        let whole = |word: &String| match SHORT.iter().find(|(short, _)| short == word) {
            _ if word == "pt" => points.to_owned(),
            Some((_, long)) if *long != "pt" => (*long).to_owned(),
            _ => word.clone(),
        };
        words.iter().map(whole).collect::<Vec<_>>()
    };
    let mut all: Vec<Vec<String>> = POINTS.iter().map(|points| written(points)).collect();
    all.dedup();
    let towns = all.iter().filter_map(|words| match words.split_last() {
        Some((last, town)) if last == "township" && !town.is_empty() => Some(town.to_vec()),
        _ => None,
    });
    let towns: Vec<_> = towns.collect();
    all.extend(towns);
    all.retain(|written| *written != words);
    all.into_iter().map(|words| words.join(" ")).collect()
}

/// A city's name without its own state behind it: `St. Paul, MN`, `Austin TX`. A state written out counts
/// behind a comma alone: `Port Washington` is a city of Washington.
#[cfg(feature = "build")]
#[must_use]
pub fn city_without_state(city: &str, state: Option<State>) -> &str {
    let city = city.trim();
    let own = |tail: &str| state.is_some() && State::from_name(tail.trim()) == state;
    let letters = |(_, tail): &(&str, &str)| tail.len() == 2 && tail.bytes().all(|b| b.is_ascii_alphabetic());
    let parted = city.rsplit_once(',').or_else(|| city.rsplit_once(' ').filter(letters));
    parted
        .filter(|(name, tail)| own(tail) && name.chars().any(char::is_alphanumeric))
        .map_or(city, |(name, _)| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_are_written_out() {
        assert_eq!(cities_written_out("Silver Spg"), ["silver spring"]);
        assert_eq!(cities_written_out("Pt Pleasant"), ["point pleasant", "port pleasant"]);
        assert_eq!(cities_written_out("Cherry Hill Twp"), ["cherry hill township", "cherry hill"]);
        assert_eq!(cities_written_out("Port Arthur"), [""; 0]);
        assert_eq!(city_key("Pt St Lucie"), city_key("Port Saint Lucie"));
    }

    #[test]
    fn a_city_may_hold_its_state() {
        let bare = |city, state| city_without_state(city, State::from_name(state));
        assert_eq!(bare("St. Paul, MN", "MN"), "St. Paul");
        assert_eq!(bare("Austin TX", "TX"), "Austin");
        assert_eq!(bare("Saint Paul, Minnesota", "MN"), "Saint Paul");
        assert_eq!(bare("Kansas City, KS", "MO"), "Kansas City, KS", "another state");
        assert_eq!(bare("Port Washington", "WA"), "Port Washington");
        assert_eq!(bare("MN", "MN"), "MN");
        assert_eq!(city_without_state("Austin TX", None), "Austin TX");
    }

    #[test]
    fn spellings_of_a_city_have_one_key() {
        for same in [
            &["St. Louis", "ST LOUIS", "Saint Louis", "st.louis"][..],
            &["Ft Worth", "Fort Worth", "FT. WORTH"],
            &["Mt. Vernon", "Mount Vernon", "MT VERNON"],
            &["O'Fallon", "O Fallon", "OFallon", "O’FALLON"],
            &["N Little Rock", "North Little Rock"],
            &["Winston-Salem", "Winston Salem", "WINSTON SALEM"],
            &["DeKalb", "De Kalb"],
            &["Cañon City", "Canon City"],
            &["Shaker Hts", "Shaker Heights"],
        ] {
            let keys: Vec<String> = same.iter().map(|city| city_key(city)).collect();
            assert!(keys.windows(2).all(|pair| pair.first() == pair.last()), "{same:?}: {keys:?}");
        }
        assert_ne!(city_key("St. Louis"), city_key("St. Louis Park"));
        assert_ne!(city_key("Ste. Genevieve"), city_key("St. Genevieve"));
        assert_eq!(city_key(" . "), "");
    }
}
