//! Small codings: hashes that decide, base64, dates of HTTP and FHIR.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use url::form_urlencoded;

/// 64 bits that depend on every byte: FNV-1a, then a finalizer, since decisions use the low bits.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let sum = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    mix(sum, 0)
}

/// 64 bits that depend on both numbers (the finalizer of splitmix64).
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut z = a ^ b.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn encode(bytes: &[u8], alphabet: &[u8; 64], padded: bool) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().enumerate().fold(0_u32, |word, (i, byte)| word | u32::from(*byte) << (16 - 8 * i));
        for i in 0..=chunk.len() {
            let six = usize::try_from(word >> (18 - 6 * i) & 63).unwrap_or(0);
            text.extend(alphabet.get(six).map(|letter| char::from(*letter)));
        }
        if padded {
            text.extend(std::iter::repeat_n('=', 3 - chunk.len()));
        }
    }
    text
}

/// Base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    encode(bytes, STANDARD, true)
}

/// Base64 for addresses, without padding.
pub(super) fn base64_url(bytes: &[u8]) -> String {
    encode(bytes, URL_SAFE, false)
}

/// Bytes of a base64 text in either alphabet, padded or not.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut word, mut bits) = (0_u32, 0_u32);
    for letter in text.bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        word = (word << 6 | u32::from(six)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(word >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// A value as it stands in a query: everything but unreserved letters percent-encoded.
pub(super) fn query_value(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The name and value pairs of a query or of a form.
pub(super) fn query_pairs(raw: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(raw.as_bytes()).into_owned().collect()
}

/// A text as a JSON string, quotes included.
pub(super) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What `read` finds in a resource, also where a member comes twice, which typed readers refuse.
pub(super) fn tolerant<T>(json: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    read(json).or_else(|| {
        let value: serde_json::Value = serde_json::from_str(json).ok()?;
        read(&value.to_string())
    })
}

/// The elements of a list, or the one thing that stands where a list should.
pub(super) fn elements(value: &serde_json::Value) -> &[serde_json::Value] {
    match value {
        serde_json::Value::Array(values) => values,
        serde_json::Value::Null => &[],
        value => std::slice::from_ref(value),
    }
}

fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// `2026-03-06T07:05:56.538Z`, the instant of FHIR.
pub(super) fn instant(time: SystemTime) -> String {
    format!("{:.3}", timestamp(time))
}

/// `Fri, 06 Mar 2026 07:05:56 GMT`, the only date that HTTP headers may carry today.
pub(super) fn http_date(time: SystemTime) -> String {
    jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&timestamp(time)).unwrap_or_default()
}

/// Nanoseconds since 1970 of a FHIR date or instant; a date alone means its first moment in UTC.
pub(super) fn nanoseconds(text: &str) -> Option<i128> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_nanosecond());
    }
    let date: jiff::civil::Date = text.parse().ok()?;
    let midnight = date.to_datetime(jiff::civil::Time::midnight());
    Some(jiff::tz::TimeZone::UTC.to_timestamp(midnight).ok()?.as_nanosecond())
}

/// Whole seconds since 1970.
pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
