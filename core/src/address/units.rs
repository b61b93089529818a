//! Words of a line, and the units among them: suites, rooms, floors, buildings, boxes.

use crate::fold::fold_characters;

use super::words::{DIRECTIONS, JOINED, NAMED_FLOORS, NUMBERED, SMALL, STREETS, UNITS};

/// Words of names of units at most that stand behind the first at a line's end.
const MOST_BESIDE: usize = 5;

/// Letters at most of a unit's name that has no digit.
const MOST_LETTERS: usize = 4;

/// A word, and whether a hyphen or a slash alone joins it to the one before it.
struct Word {
    text: String,
    joint: Option<char>,
}

/// The words of a line, folded as names are. A unit's name is one word: `Suite 1-300` is `suite` and `1-300`,
/// `Ste A-4` is `ste` and `a4`. Where several are named, `and` is between them: `Ste A&B`, `Ste A/B`.
pub(super) fn words_of(line: &str) -> Vec<String> {
    let words = parts(line);
    let mut written: Vec<String> = Vec::with_capacity(words.len());
    let mut rest = words.as_slice();
    while let Some((word, tail)) = rest.split_first() {
        rest = tail;
        // `100 No. Main St` lies in the north.
        let text = match (word.text.as_str(), tail.first()) {
            ("no", next)
                if !next.is_some_and(|next| starts_with_digit(&next.text) || small_number(&next.text).is_some()) =>
            {
                "n".to_owned()
            }
            ("so", _) => "s".to_owned(),
            _ => word.text.clone(),
        };
        if let Some((at, _)) = grid_number(&text) {
            let (first, second) = text.split_at_checked(at).unwrap_or_default();
            written.extend([first.to_owned(), second.to_owned()]);
            continue;
        }
        let names = written.last().is_some_and(|before| is_unit(before)) && names_a_unit(&text);
        written.push(text);
        if !(names || written.last().is_some_and(|word| joined_unit(word).is_some())) {
            continue;
        }
        while let Some((next, behind)) = rest.split_first() {
            let Some(joint) = next.joint.filter(|_| names_a_unit(&next.text)) else { break };
            match written.last_mut() {
                Some(name) if joint == '-' => join(name, &next.text),
                _ => written.extend(["and".to_owned(), next.text.clone()]),
            }
            rest = behind;
        }
    }
    written
}

fn parts(line: &str) -> Vec<Word> {
    let mut plain = String::with_capacity(line.len() + 8);
    for c in line.chars() {
        match c {
            // `#300` is a unit, and the mark no letter.
            '#' => plain.push_str(" number "),
            '&' => plain.push_str(" and "),
            '\u{bc}' => plain.push_str(" 1/4 "),
            '\u{bd}' => plain.push_str(" 1/2 "),
            '\u{be}' => plain.push_str(" 3/4 "),
            _ => plain.push(c),
        }
    }
    let mut words: Vec<Word> = Vec::new();
    let (mut word, mut gap) = (String::new(), String::new());
    for c in fold_characters(&plain).into_iter().chain([' ']) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            let joint = match gap.as_str() {
                "-" | "\u{2010}" | "\u{2011}" | "\u{2013}" => Some('-'),
                "/" => Some('/'),
                _ => None,
            };
            words.push(Word { text: std::mem::take(&mut word), joint });
            gap.clear();
        }
        gap.push(c);
    }
    words
}

/// Adds what stands behind a hyphen: only between two digits and between two letters it says something.
fn join(name: &mut String, behind: &str) {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    if is_digit(name.chars().next_back()) == is_digit(behind.chars().next()) {
        name.push('-');
    }
    name.push_str(behind);
}

/// Where the second part of a number of a grid begins, and its second number: `n6w23001` is `n6` and `w23001`.
fn grid_number(word: &str) -> Option<(usize, &str)> {
    let numbered = |part: &str| part.len() > 1 && part.bytes().skip(1).all(|b| b.is_ascii_digit());
    let direction = |c: char| matches!(c, 'n' | 's' | 'e' | 'w');
    let at = word.char_indices().skip(1).find(|(_, c)| direction(*c))?.0;
    let (first, second) = word.split_at_checked(at)?;
    (first.starts_with(direction) && numbered(first) && numbered(second)).then_some((at, second))
}

/// Whether a word is the number of a house: it begins with a digit, or is one of a grid (`w23001`).
pub(super) fn is_house_number(word: &str) -> bool {
    let grid = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    starts_with_digit(word) || word.strip_prefix(['n', 's', 'e', 'w']).is_some_and(grid) || grid_number(word).is_some()
}

pub(super) fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word says that a unit follows.
pub(super) fn is_unit(word: &str) -> bool {
    unit(word).is_some()
}

fn unit(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(spelling, _)| *spelling == word).map(|(_, unit)| *unit)
}

/// A word of a unit and what is joined to it: `ste200`, `rm1-b`.
fn joined_unit(word: &str) -> Option<(&str, &str)> {
    let (unit, number) = word.split_at_checked(word.find(|c: char| c.is_ascii_digit())?)?;
    JOINED.contains(&unit).then_some((unit, number))
}

/// The same words, a unit or a kind of road and the number joined to it apart: `ste200` is `ste 200`.
pub(super) fn parted(words: Vec<String>) -> Vec<String> {
    let mut written: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let road = || {
            let (road, number) = word.split_at_checked(word.find(|c: char| c.is_ascii_digit())?)?;
            let is_name = written.last().is_some_and(|before| is_unit(before));
            (NUMBERED.contains(&road) && !is_name && number.bytes().all(|b| b.is_ascii_digit()))
                .then_some((road, number))
        };
        match joined_unit(&word).or_else(road).map(|(kind, number)| [kind.to_owned(), number.to_owned()]) {
            Some(both) => written.extend(both),
            None => written.push(word),
        }
    }
    written
}

/// The words that are no unit, and the units: `ste 300` is `300`, `bldg a` and `2nd fl` are `bldg a` and
/// `fl 2`, `stes a and b` are `a` and `b`.
pub(super) fn without_units(words: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut line, mut units): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rest = words;
    while let Some((word, mut tail)) = rest.split_first() {
        let Some(mut kind) = unit(word) else {
            line.push(word.clone());
            rest = tail;
            continue;
        };
        let floors = if kind == "fl" { floors_before(&mut line, tail) } else { Vec::new() };
        if !floors.is_empty() {
            units.extend(floors);
            rest = tail;
            continue;
        }
        // `Suite #300`, `PO Box No. 9`: one unit.
        let after = tail;
        while let Some(next) = tail.first().and_then(|next| unit(next)) {
            kind = if kind.is_empty() { next } else { kind };
            tail = tail.get(1..).unwrap_or_default();
        }
        // `Number One Hill Road` is a house.
        let says_its_kind = !matches!(word.as_str(), "no" | "number");
        let (mut names, mut behind) = names(tail, says_its_kind, kind.ends_with("box"));
        if let [name, after @ ..] = tail
            && names.is_empty()
            && says_its_kind
            && takes_letters(word)
            && is_of_letters(name)
            && after.first().is_none_or(|next| is_unit(next))
        {
            (names, behind) = (vec![name.clone()], after);
        }
        if names.is_empty() {
            // `Medical Office Place` is a street.
            let stays = says_its_kind && (word.starts_with("of") || after.iter().any(|word| !is_unit(word)));
            let own = unit(word).filter(|own| !own.is_empty()).or(stays.then_some(word.as_str()));
            line.extend(own.map(str::to_owned));
            behind = after;
        }
        units.extend(names.into_iter().map(|name| if kind.is_empty() { name } else { format!("{kind} {name}") }));
        rest = behind;
    }
    line.retain(|word| word != "and");
    (line, units)
}

/// Whether a unit of this kind may be named by letters: `Suite XY`, `Building II`.
fn takes_letters(word: &str) -> bool {
    unit(word).is_some_and(|kind| matches!(kind, "" | "bldg" | "rm")) && !word.starts_with("of")
}

/// Whether a word at the end is a unit's name of letters, and no word of a street.
fn is_of_letters(word: &str) -> bool {
    let is_of_a_street =
        STREETS.contains(&word) || DIRECTIONS.contains(&word) || matches!(word, "ctr" | "park" | "plz");
    word.chars().count() <= MOST_LETTERS && word.chars().all(char::is_alphabetic) && word != "and" && !is_of_a_street
}

/// Floors that are named before the word: `2nd and 3rd`, `ground`. They are taken from the line.
fn floors_before(line: &mut Vec<String>, behind: &[String]) -> Vec<String> {
    let mut floors = Vec::new();
    while let Some(number) = line.last().and_then(|before| ordinal_number(before)) {
        floors.push(format!("fl {number}"));
        line.pop();
        let several = matches!(line.as_slice(), [.., before, and] if and == "and" && ordinal_number(before).is_some());
        if !several {
            break;
        }
        line.pop();
    }
    let ends = behind.first().is_none_or(|next| is_unit(next));
    if floors.is_empty()
        && ends
        && line.len() > 2
        && let Some(name) = line.pop_if(|before| NAMED_FLOORS.contains(&before.as_str()))
    {
        floors.push(format!("fl {name}"));
    }
    floors
}

/// Names of units at the beginning of some words, and the words behind them.
fn names(words: &[String], in_words: bool, is_box: bool) -> (Vec<String>, &[String]) {
    let name = |word: &String| {
        let number = small_number(word).filter(|_| in_words);
        number.or_else(|| names_a_unit(word).then(|| ordinal_number(word).unwrap_or(word).to_owned()))
    };
    let Some((mut first, mut rest)) = words.split_first().and_then(|(word, rest)| Some((name(word)?, rest))) else {
        return (Vec::new(), words);
    };
    // `Suite 300-B` at the end is `300B`.
    if let [last] = rest
        && last.chars().count() == 1
        && last.chars().all(char::is_alphabetic)
        && first.ends_with(|c: char| c.is_ascii_digit())
    {
        first.push_str(last);
        rest = &[];
    }
    let mut all = vec![first];
    let further = |word: &String| name(word).filter(|_| ordinal_number(word).is_none());
    while let [and, next, behind @ ..] = rest
        && and == "and"
        && let Some(next) = further(next)
    {
        all.push(next);
        rest = behind;
    }
    if rest.len() <= MOST_BESIDE
        && !is_box
        && let Some(beside) = rest.iter().filter(|word| *word != "and").map(further).collect::<Option<Vec<_>>>()
    {
        all.extend(beside);
        rest = &[];
    }
    (all, rest)
}

/// `2` of `2nd`, and of `2do`.
pub(super) fn ordinal_number(word: &str) -> Option<&str> {
    let endings = ["st", "nd", "rd", "th", "er", "ro", "do", "to"];
    let number = endings.iter().find_map(|ending| word.strip_suffix(ending))?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

/// `2` of `two`.
fn small_number(word: &str) -> Option<String> {
    SMALL.iter().position(|small| *small == word).map(|at| (at + 1).to_string())
}

/// Whether a word can name a unit: it has a digit, or is a single letter, or letters with a hyphen.
fn names_a_unit(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit() || c == '-') || word.chars().count() == 1
}
