//! Numbers in the text of a phone, and what the words beside them say.

use coverdex_core::build::phone::PhoneNumber;

/// Who answers a number; those that are called first come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answers {
    /// The practice.
    #[default]
    Practice,
    /// A person at home or on the way.
    Private,
    /// It takes messages (`sms`).
    Messages,
    /// Whoever answers while the practice is closed, or another office.
    Others,
    /// A fax, a pager, a teletype or a relay: nobody.
    Machine,
}

/// What words say of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) answers: Answers,
    /// There are words that say more than what number it is.
    more: bool,
    /// There are words.
    any: bool,
}

const MACHINES: [&str; 24] = [
    "fax",
    "faxes",
    "facsimile",
    "telefax",
    "efax",
    "fx",
    "telecopier",
    "pager",
    "pagers",
    "pgr",
    "beeper",
    "beepers",
    "tty",
    "ttys",
    "tdd",
    "ttd",
    "teletype",
    "teletypewriter",
    "textphone",
    "videophone",
    "relay",
    "captel",
    "deaf",
    "impaired",
];
const OTHERS: [&str; 9] =
    ["afterhours", "answering", "emergency", "emergencies", "oncall", "night", "nights", "weekends", "billing"];
const MESSAGES: [&str; 6] = ["sms", "text", "texts", "txt", "texting", "messages"];
const PRIVATE: [&str; 10] =
    ["home", "temp", "temporary", "mobile", "cell", "cellular", "cellphone", "personal", "m", "c"];
const PLAIN: [&str; 40] = [
    "phone",
    "phones",
    "telephone",
    "tel",
    "tele",
    "ph",
    "p",
    "t",
    "o",
    "w",
    "voice",
    "office",
    "main",
    "work",
    "business",
    "clinic",
    "practice",
    "front",
    "desk",
    "reception",
    "number",
    "no",
    "line",
    "direct",
    "appointment",
    "appointments",
    "appt",
    "appts",
    "scheduling",
    "call",
    "dial",
    "toll",
    "free",
    "local",
    "or",
    "and",
    "for",
    "at",
    "x",
    "ext",
];
/// Words that stand together.
const PHRASES: [(&str, &str, Answers); 7] = [
    ("after", "hours", Answers::Others),
    ("after", "hour", Answers::Others),
    ("after", "hrs", Answers::Others),
    ("on", "call", Answers::Others),
    ("of", "hearing", Answers::Machine),
    ("hearing", "loss", Answers::Machine),
    ("hearing", "assistance", Answers::Machine),
];

impl Words {
    /// What a text beside a number says.
    pub(super) fn of(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        let mut said = Self::default();
        let (mut before, mut is_f) = ("", false);
        for word in lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            said.any = true;
            let known = [
                (MACHINES.as_slice(), Answers::Machine),
                (&OTHERS, Answers::Others),
                (&MESSAGES, Answers::Messages),
                (&PRIVATE, Answers::Private),
                (&PLAIN, Answers::Practice),
            ];
            let alone = known.iter().find(|(words, _)| words.contains(&word)).map(|(_, answers)| *answers);
            let phrase = PHRASES.iter().find(|(first, second, _)| (*first, *second) == (before, word));
            let answers = phrase.map(|(.., answers)| *answers).or(alone);
            is_f |= word == "f";
            said.more |= answers.is_none() && word != "f";
            said.answers = said.answers.max(answers.unwrap_or_default());
            before = word;
        }
        if is_f && !said.more {
            said.answers = Answers::Machine;
        }
        said
    }

    fn and(self, other: Self) -> Self {
        Self { answers: self.answers.max(other.answers), more: self.more || other.more, any: self.any || other.any }
    }
}

/// The numbers of a text that can be dialed, as they are kept, and who answers them. A number with words
/// that say more keeps them.
pub(super) fn numbers(text: &str) -> Vec<(String, Answers)> {
    // Most are ten bare digits.
    if text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit()) {
        let good = can_be_dialed(text.as_bytes(), false);
        return good.then(|| (text.to_owned(), Answers::Practice)).into_iter().collect();
    }
    let found = found(text);
    let between = |at: usize| {
        let start = at.checked_sub(1).and_then(|at| found.get(at)).map_or(0, |number| number.end);
        let end = found.get(at).map_or(text.len(), |number| number.start);
        text.get(start..end).unwrap_or_default()
    };
    let last = between(found.len());
    // `314-555-0102 fax, 314-555-0101 office`: each word stands behind its number.
    let behind = found.len() > 1 && !Words::of(between(0)).any && Words::of(last).any && !Words::of(last).more;
    let mut kept = Vec::new();
    let mut inherited = Words::default();
    for (at, number) in found.iter().enumerate() {
        let (closed, before) = if at == 0 { ("", between(0)) } else { split_closed(between(at), behind) };
        let after = if at + 1 == found.len() { last } else { split_closed(between(at + 1), behind).0 };
        let own_before = Words::of(before);
        // `Fax 314-555-0102 / 314-555-0103`: a word in front holds for what follows without one.
        let joined = at > 0 && closed.is_empty() && joins(before);
        inherited = if joined { inherited } else { own_before };
        let words = own_before.and(inherited).and(Words::of(after));
        if words.answers == Answers::Machine || !number.can_be_dialed {
            continue;
        }
        let with_words = words.more || words.answers >= Answers::Messages;
        let whole = || {
            let span = text.get(number.start.checked_sub(before.len())?..number.end.checked_add(after.len())?)?;
            let trimmed = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '/' | '|' | '&' | '-');
            let span = span.trim_matches(trimmed);
            Some(span.strip_prefix("or ").or_else(|| span.strip_prefix("and ")).unwrap_or(span).to_owned())
        };
        let text = if with_words { whole() } else { Some(number.shown.clone()) };
        kept.extend(text.map(|text| (text, words.answers)));
    }
    kept
}

/// Whether a text between two numbers has nothing but signs and `or` and `and`.
fn joins(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| word.eq_ignore_ascii_case("or") || word.eq_ignore_ascii_case("and"))
}

/// What stands between two numbers: what belongs to the one before, in brackets, and to the one behind.
fn split_closed(text: &str, behind: bool) -> (&str, &str) {
    if behind {
        return (text, "");
    }
    let bracketed = text.trim_start().starts_with(['(', '[']);
    let close = text.find([')', ']']).filter(|_| bracketed).map_or(0, |at| at + 1);
    text.split_at_checked(close).unwrap_or(("", text))
}

/// A number in a text.
struct Number {
    start: usize,
    end: usize,
    /// As it stands there; in ten digits where that is not understood.
    shown: String,
    can_be_dialed: bool,
}

/// A run of digits: where it begins and ends.
type Group = (usize, usize);

fn found(text: &str) -> Vec<Number> {
    let groups = groups(text);
    let mut numbers: Vec<Number> = Vec::new();
    let mut at = 0;
    while let Some(rest) = groups.get(at..).filter(|rest| !rest.is_empty()) {
        let run = joined(text, rest);
        let taken = length(text, run);
        if taken == 0 {
            at += 1;
            continue;
        }
        let number = run.get(..taken).and_then(|groups| number(text, groups));
        at += taken;
        if let Some(number) = number {
            // The digits of the extension are none of another number.
            while groups.get(at).is_some_and(|(start, _)| *start < number.end) {
                at += 1;
            }
            numbers.push(number);
        }
    }
    numbers
}

fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, _) in text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()) {
        match groups.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => groups.push((at, at + 1)),
        }
    }
    groups
}

/// The first of the groups that only signs, such as are written in one number, hold together.
fn joined<'g>(text: &str, groups: &'g [Group]) -> &'g [Group] {
    const MOST_SIGNS: usize = 4;
    let holds = |pair: &[Group]| match pair {
        [(_, end), (start, _)] => text.get(*end..*start).is_some_and(|between| {
            between.chars().count() <= MOST_SIGNS
                && between.chars().all(|c| " -.()/_\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}".contains(c))
        }),
        _ => false,
    };
    let more = groups.windows(2).take_while(|pair| holds(pair)).count();
    groups.get(..=more).unwrap_or(groups)
}

/// How many groups from the first are one number; 0: it belongs to none.
fn length(text: &str, run: &[Group]) -> usize {
    const SHAPES: [&[usize]; 13] = [
        &[10],
        &[3, 3, 4],
        &[3, 7],
        &[6, 4],
        &[11],
        &[1, 3, 3, 4],
        &[1, 10],
        &[1, 3, 7],
        &[1, 6, 4],
        &[4, 3, 4],
        &[4, 7],
        &[7],
        &[3, 4],
    ];
    let digits = |groups: &[Group]| groups.iter().map(|(start, end)| end - start).sum::<usize>();
    let shape = |groups: &[Group]| {
        let fits = |shape: &&&[usize]| {
            let begins = groups.get(..shape.len());
            let same =
                begins.is_some_and(|begins| begins.iter().map(|(start, end)| end - start).eq(shape.iter().copied()));
            let country = begins.is_none_or(|begins| digits(begins) != 11 || first_digit(text, begins) == Some(b'1'));
            same && country
        };
        SHAPES.iter().find(fits).map_or(0, |shape| shape.len())
    };
    let abroad = run.first().is_some_and(|(start, _)| is_abroad(text, *start));
    if abroad {
        return run.len();
    }
    let found = shape(run);
    let one = matches!(digits(run), 10 | 11) && run.len() > found;
    if found > 0 && !(one && found < 3) {
        return found;
    }
    let later = (1..run.len()).any(|at| run.get(at..).is_some_and(|run| shape(run) > 0));
    let short = run.first().is_some_and(|group| is_service(text, *group));
    match (short, later) {
        (true, _) => 1,
        (false, true) if !one => 0,
        _ if digits(run) >= 7 => run.len(),
        _ => 0,
    }
}

fn first_digit(text: &str, groups: &[Group]) -> Option<u8> {
    text.as_bytes().get(groups.first()?.0).copied()
}

/// Whether a number begins here that has another country's code.
fn is_abroad(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end_matches(['(', ' ']);
    let digits = text.get(start..).unwrap_or_default();
    before.ends_with('+') && !digits.starts_with('1') || digits.starts_with("011")
}

/// `711` and its like: three digits that are dialed as they stand.
fn is_service(text: &str, (start, end): Group) -> bool {
    matches!(text.as_bytes().get(start..end), Some([b'2'..=b'9', b'1', b'1']))
}

/// The number that these groups are, with its extension.
fn number(text: &str, groups: &[Group]) -> Option<Number> {
    let ((first, _), (_, mut end)) = (*groups.first()?, *groups.last()?);
    let mut start = first;
    // What opens it: `+`, `(`.
    while let Some(before) = text.get(..start).and_then(|before| before.chars().next_back()) {
        if !matches!(before, '(' | '+') || text.get(end..).is_some_and(|after| before == '(' && after.starts_with(')'))
        {
            break;
        }
        start -= before.len_utf8();
    }
    let digits: Vec<u8> =
        groups.iter().filter_map(|(start, end)| text.as_bytes().get(*start..*end)).flatten().copied().collect();
    let abroad = is_abroad(text, first);
    let extension = if digits.len() >= 7 { extension(text, end) } else { None };
    end = extension.map_or(end, |(end, _)| end);
    let stated = text.get(start..end)?;
    let shown = if PhoneNumber::fold(stated).is_some() || abroad {
        stated.to_owned()
    } else {
        let national = digits.strip_prefix(b"1").filter(|rest| rest.len() == 10).unwrap_or(&digits);
        let value = std::str::from_utf8(national).ok()?.parse().ok();
        let folded = value.and_then(|value| PhoneNumber::from_number(value, extension.map(|(_, digits)| digits)));
        folded.map_or_else(|| stated.to_owned(), |folded| folded.to_string())
    };
    Some(Number { start, end, shown, can_be_dialed: can_be_dialed(&digits, abroad) })
}

/// Where the extension behind a number ends, and its digits.
fn extension(text: &str, end: usize) -> Option<(usize, &str)> {
    const MOST: usize = 8;
    let rest = text.get(end..)?;
    let from = rest.trim_start_matches([' ', ',', ';', '(', '.']);
    let lower = from.get(..from.len().min(9)).unwrap_or(from);
    let marks = ["extension", "extn", "ext", "ex", "x", "#"];
    let mark = marks.iter().find(|mark| lower.get(..mark.len()).is_some_and(|it| it.eq_ignore_ascii_case(mark)))?;
    let behind = from.get(mark.len()..)?.trim_start_matches([' ', '.', ':', '=', '#']);
    let length = behind.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, after) = behind.split_at_checked(length)?;
    let fits = (1..=MOST).contains(&length) && !after.starts_with(|c: char| c.is_alphanumeric());
    fits.then(|| (text.len() - after.len(), digits))
}

/// Whether these digits are a number, and not those of a placeholder.
fn can_be_dialed(digits: &[u8], abroad: bool) -> bool {
    const COUNTED: [&[u8]; 3] = [b"9876543210", b"2345678901", b"2345678"];
    let same = |digits: &[u8]| digits.windows(2).all(|pair| pair.first() == pair.last());
    if abroad {
        return digits.len() >= 8 && !same(digits);
    }
    let national = digits.strip_prefix(b"1").filter(|rest| rest.len() == 10).unwrap_or(digits);
    let (area, local) = match national.len() {
        10 => national.split_at(3),
        7 => (b"200".as_slice(), national),
        _ => return false,
    };
    let is_area = matches!(area, [b'2'..=b'9', second, third] if (second, third) != (&b'1', &b'1')) && area != b"999";
    is_area && local.first().is_some_and(|digit| *digit >= b'2') && !same(local) && !COUNTED.contains(&national)
}

#[cfg(test)]
mod tests;
