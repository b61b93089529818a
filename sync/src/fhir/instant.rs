//! Instants as servers write them.

use std::borrow::Cow;

use jiff::Timestamp;

/// A date and time with any number of fractional digits. A date, or a time without a zone, is read as UTC.
pub(crate) fn instant(text: &str) -> Option<Timestamp> {
    let text = nine_fractional_digits(text);
    text.parse::<Timestamp>().ok().or_else(|| {
        let moment: jiff::civil::DateTime = text.parse().ok()?;
        jiff::tz::Offset::UTC.to_timestamp(moment).ok()
    })
}

fn nine_fractional_digits(text: &str) -> Cow<'_, str> {
    let Some((head, rest)) = text.split_once('.') else { return Cow::Borrowed(text) };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match (rest.get(..9), rest.get(digits..)) {
        (Some(kept), Some(zone)) if digits > 9 => Cow::Owned(format!("{head}.{kept}{zone}")),
        _ => Cow::Borrowed(text),
    }
}
