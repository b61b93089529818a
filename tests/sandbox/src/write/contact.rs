//! Phones and hours.

use super::Ink;
use crate::quirks::Quirk;

/// `,"telecom":[…]` with a phone and sometimes a fax.
pub(crate) fn telecom(phone: u64, nth: u64, ink: &mut Ink<'_>) {
    ink.raw(",\"telecom\":[{\"system\":\"phone\",\"value\":\"");
    let written = spelled(phone, nth, ink);
    ink.raw(&written).raw("\",\"use\":\"work\"}");
    if ink.draw(300 + nth).hits(200_000) {
        ink.raw(",{\"system\":\"fax\",\"value\":\"").number(phone ^ 1).raw("\",\"use\":\"work\"}");
    }
    ink.raw("]");
}

fn spelled(phone: u64, nth: u64, ink: &mut Ink<'_>) -> String {
    let (area, exchange, line) = (phone / 10_000_000, phone / 10_000 % 1_000, phone % 10_000);
    if !ink.hit_at(Quirk::PhoneFormat, nth) {
        return format!("{phone}");
    }
    match ink.draw(310 + nth).below(7) {
        0 => format!("({area}) {exchange}-{line:04}"),
        1 => format!("{area}-{exchange}-{line:04}"),
        2 => format!("+1 ({area}) {exchange}-{line:04}"),
        3 => format!("1{phone}"),
        4 => format!("{area}.{exchange}.{line:04}"),
        5 => format!("tel:+1-{area}-{exchange}-{line:04}"),
        _ => format!("{area}-{exchange}-{line:04} x12"),
    }
}

/// Opening hours as an array under `key`, with the names that roles or places use for its times.
pub(crate) fn hours(key: &str, opens: &str, closes: &str, ink: &mut Ink<'_>) {
    ink.raw(",\"").raw(key).raw("\":[");
    match ink.draw(320).below(10) {
        0 => {
            ink.raw("{\"daysOfWeek\":[\"mon\",\"tue\",\"wed\",\"thu\",\"fri\",\"sat\",\"sun\"],\"allDay\":true}");
        }
        1 => {
            for (nth, days) in ["\"mon\",\"wed\"", "\"tue\",\"thu\""].into_iter().enumerate() {
                ink.raw(if nth > 0 { "," } else { "" }).raw("{\"daysOfWeek\":[").raw(days).raw("],\"");
                ink.raw(opens).raw("\":\"09:00:00\",\"").raw(closes).raw("\":\"12:30:00\"}");
            }
        }
        _ => {
            let late = ink.hit(Quirk::PastMidnight);
            ink.raw("{\"daysOfWeek\":[\"mon\",\"tue\",\"wed\",\"thu\",\"fri\"],\"").raw(opens);
            ink.raw(if late { "\":\"18:00:00\",\"" } else { "\":\"08:00:00\",\"" }).raw(closes);
            ink.raw(if late { "\":\"02:00:00\"}" } else { "\":\"17:00:00\"}" });
        }
    }
    ink.raw("]");
}
