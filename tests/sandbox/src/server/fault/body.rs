//! What faults do to a resource and to a body.

use std::collections::BTreeMap;
use std::fmt::Write;

use flate2::{Compress, Compression, Crc, FlushCompress};
use serde_json::value::RawValue;

use super::super::catalogue::Catalogue;
use super::super::codec::mix;
use super::super::payer::place;
use super::{Active, Fault};
use crate::ResourceType;

/// A resource is at least so long under `huge-resource`.
const HUGE: usize = 25 << 20;
/// How deep the nested lists go.
const DEPTH: usize = 500_000;
/// The compression bomb is so many times [`BLOCK`] of blanks.
const BLOCKS: usize = 2048;
const BLOCK: usize = 1 << 20;

/// Members that a resource of each type may lack, and that a reader must take as lacking in these forms.
const EMPTY_MEMBERS: [&[(&str, &str)]; ResourceType::ALL.len()] = [
    // List
    &[("note", "[]"), ("date", "\"\""), ("source", "{}"), ("emptyReason", "null")],
    // MedicationKnowledge
    &[("doseForm", "{}"), ("synonym", "[]"), ("amount", "null"), ("manufacturer", "\"\"")],
    // Medication
    &[("status", "\"\""), ("form", "{}"), ("ingredient", "[]"), ("batch", "null")],
    // InsurancePlan
    &[("contact", "[]"), ("period", "{}"), ("alias", "[]"), ("ownedBy", "null"), ("type", "[]")],
    // PractitionerRole
    &[
        ("availableTime", "[]"),
        ("telecom", "null"),
        ("code", "{}"),
        ("specialty", "[]"),
        ("location", "[]"),
        ("period", "{}"),
    ],
    // Practitioner
    &[("telecom", "[]"), ("qualification", "null"), ("communication", "[]"), ("birthDate", "\"\""), ("gender", "\"\"")],
    // Organization
    &[("alias", "[]"), ("address", "[]"), ("partOf", "{}"), ("telecom", "null"), ("name", "\"\"")],
    // Location
    &[("hoursOfOperation", "null"), ("telecom", "[]"), ("position", "{}"), ("partOf", "{}"), ("description", "\"\"")],
    // OrganizationAffiliation
    &[("telecom", "[]"), ("endpoint", "null"), ("period", "{}"), ("specialty", "[]"), ("location", "[]")],
    // HealthcareService
    &[("telecom", "[]"), ("availableTime", "null"), ("coverageArea", "[]"), ("comment", "\"\""), ("photo", "{}")],
];

const UNKNOWN_MEMBERS: [&str; 4] = [
    r#""x-gateway":{"node":7,"trace":[1,[2,[3,null]],{"":""}]}"#,
    r#""_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"unknown"}]}"#,
    r#""checksum":123456789012345678901234567890.5e-3"#,
    r#""Ωmega \"quoted\" \u0000":["\ud83d\ude00",-0.0,true,false,null]"#,
];

/// The same object with further members before its own.
fn with_members(json: &str, members: &str) -> String {
    match json.trim_start().strip_prefix('{') {
        Some(rest) if !members.is_empty() => {
            let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
            format!("{{{members}{comma}{rest}")
        }
        _ => json.to_owned(),
    }
}

fn members(json: &str) -> BTreeMap<String, &RawValue> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Resource `index` as the faults make it.
pub(in super::super) fn mangle_resource(
    active: &Active,
    catalogue: &Catalogue,
    kind: ResourceType,
    index: u64,
    json: String,
) -> String {
    let key = mix(place(kind) as u64, index);
    let mut json = json;
    if active.strikes(Fault::DuplicateKeys, Some(kind), key) {
        let all = members(&json);
        let choice = usize::try_from(active.draw(Fault::DuplicateKeys, key, 1)).unwrap_or(0);
        let chosen = choice.checked_rem(all.len()).and_then(|nth| all.iter().nth(nth));
        if let Some((name, value)) = chosen {
            json = with_members(&json, &format!("{}:{}", super::super::codec::json_string(name), value.get()));
        }
    }
    if active.strikes(Fault::JunkValues, Some(kind), key) {
        let all = members(&json);
        let choice = usize::try_from(active.draw(Fault::JunkValues, key, 1) % 4).unwrap_or(0);
        let mut junk = UNKNOWN_MEMBERS.get(choice).copied().unwrap_or_default().to_owned();
        for (name, value) in EMPTY_MEMBERS.get(place(kind)).copied().unwrap_or_default() {
            if !all.contains_key(*name) {
                let _ = write!(junk, ",\"{name}\":{value}");
            }
        }
        json = with_members(&json, &junk);
    }
    if kind == ResourceType::List && active.strikes(Fault::NullInList, Some(kind), key) {
        json = json.replacen("\"entry\":[{", "\"entry\":[null,{},{", 1);
    }
    if active.is_victim(Fault::HugeResource, catalogue, kind, std::iter::once(index)) {
        active.note(Fault::HugeResource);
        json = with_members(&json, &narrative(active.draw(Fault::HugeResource, key, 1)));
    }
    json
}

/// A narrative that does not compress away: a body of this size is no compression bomb.
fn narrative(seed: u64) -> String {
    let mut text = String::with_capacity(HUGE + 128);
    text.push_str(r#""text":{"status":"generated","div":"<div>"#);
    let mut number = seed;
    while text.len() < HUGE {
        number = mix(number, 1);
        let _ = write!(text, "{number:016x} ");
    }
    text.push_str("</div>\"}");
    text
}

/// An older version of a resource: another version, a `lastUpdated` in 2001, and something in it
/// different. A List lacks its last reference, unless it is its only one. What has nothing to
/// differ in is older by its `meta` alone. The text must be JSON without blanks between its tokens.
pub(in super::super) fn older(kind: ResourceType, json: &str) -> String {
    let mut json = json.replacen("\"versionId\":\"", "\"versionId\":\"0", 1);
    let mark = "\"lastUpdated\":\"";
    if let Some(at) = json.find(mark).map(|at| at + mark.len())
        && json.get(at..at + 4).is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()))
    {
        json.replace_range(at..at + 4, "2001");
    }
    match kind {
        ResourceType::MedicationKnowledge if json.contains("\"valueBoolean\":true") => {
            json.replacen("\"valueBoolean\":true", "\"valueBoolean\":false", 1)
        }
        ResourceType::MedicationKnowledge => json.replacen("\"valueBoolean\":false", "\"valueBoolean\":true", 1),
        ResourceType::PractitionerRole
        | ResourceType::Practitioner
        | ResourceType::OrganizationAffiliation
        | ResourceType::HealthcareService => json.replacen("\"active\":true", "\"active\":false", 1),
        ResourceType::InsurancePlan => json.replacen("\"name\":\"", "\"name\":\"Former ", 1),
        ResourceType::Medication => json.replacen("\"text\":\"", "\"text\":\"Former ", 1),
        ResourceType::List => without_last_entry(&json),
        ResourceType::Organization | ResourceType::Location => json,
    }
}

/// The same resource with another `meta.lastUpdated` and, if one is given, another `meta.versionId`, where it has them.
pub(in super::super) fn dated(json: &str, updated: &str, version: Option<u64>) -> String {
    let json = with_text(json, "\"lastUpdated\":\"", updated);
    version.map_or_else(|| json.clone(), |version| with_text(&json, "\"versionId\":\"", &version.to_string()))
}

/// The text with another value wherever the mark stands before one that ends with a quote.
fn with_text(json: &str, mark: &str, value: &str) -> String {
    let mut parts = json.split(mark);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.split_once('"').map_or("", |(_, rest)| rest);
        text.extend([mark, value, "\"", rest]);
    }
    text
}

fn without_last_entry(json: &str) -> String {
    let Some(start) = json.rfind(",{\"item\":") else { return json.to_owned() };
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    for (at, letter) in json.char_indices().skip_while(|(at, _)| *at <= start) {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return format!("{}{}", json.get(..start).unwrap_or(""), json.get(at + 1..).unwrap_or(""));
                }
            }
            _ => {}
        }
    }
    json.to_owned()
}

/// A body as the faults make it, before it is compressed.
pub(in super::super) struct Mangled {
    pub(in super::super) body: String,
    /// Instead of the right one; empty for none at all.
    pub(in super::super) content_type: Option<&'static str>,
}

/// The body of the answer to the request with this key.
pub(in super::super) fn mangle_body(active: &Active, kind: Option<ResourceType>, key: u64, body: String) -> Mangled {
    let mut body = body;
    if active.strikes(Fault::ValuesAsStrings, kind, key) {
        body = values_as_strings(&body);
    }
    if active.strikes(Fault::ByteOrderMark, kind, key) {
        body.insert(0, '\u{feff}');
    }
    let content_type = active.strikes(Fault::WrongContentType, kind, key).then(|| {
        let types = ["", "text/html", "text/plain", "application/octet-stream", "application/xml"];
        let choice = usize::try_from(active.draw(Fault::WrongContentType, key, 1) % 5).unwrap_or(0);
        types.get(choice).copied().unwrap_or_default()
    });
    Mangled { body, content_type }
}

/// Every number and boolean of a JSON text in quotes.
fn values_as_strings(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + 64);
    let (mut quoted, mut escaped, mut token) = (false, false, String::new());
    for letter in json.chars() {
        if !quoted && (letter.is_ascii_alphanumeric() || matches!(letter, '-' | '+' | '.')) {
            token.push(letter);
            continue;
        }
        push_token(&mut text, &mut token);
        text.push(letter);
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
    }
    push_token(&mut text, &mut token);
    text
}

fn push_token(text: &mut String, token: &mut String) {
    match token.as_str() {
        "" => {}
        "null" => text.push_str("null"),
        value => {
            text.push('"');
            text.push_str(value);
            text.push('"');
        }
    }
    token.clear();
}

/// A bundle whose entries are lists within lists: well-formed, and the death of a reader that
/// goes down by calling itself.
pub(in super::super) fn nesting_bomb() -> String {
    let open = r#"{"resourceType":"Bundle","type":"searchset","entry":"#;
    format!("{open}{}{}}}", "[".repeat(DEPTH), "]".repeat(DEPTH))
}

/// A gzip body of two megabytes that unpacks to two GiB: a bundle with blanks between its brackets.
pub(in super::super) fn compression_bomb() -> Vec<u8> {
    let (open, close) = (br#"{"resourceType":"Bundle","type":"searchset","entry":["#, b"]}");
    let blanks = vec![b' '; BLOCK];
    let mut deflate = Compress::new(Compression::best(), false);
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    // A full flush ends on a byte and forgets what came before: such a piece can be repeated.
    for (input, flush) in [
        (open.as_slice(), FlushCompress::Full),
        (blanks.as_slice(), FlushCompress::Full),
        (close.as_slice(), FlushCompress::Finish),
    ] {
        let mut output = Vec::with_capacity(BLOCK);
        if deflate.compress_vec(input, &mut output, flush).is_err() {
            return Vec::new();
        }
        pieces.push(output);
    }
    let crc_of = |bytes: &[u8]| {
        let mut crc = Crc::new();
        crc.update(bytes);
        crc
    };
    let (mut crc, block) = (crc_of(open), crc_of(&blanks));
    for _ in 0..BLOCKS {
        crc.combine(&block);
    }
    crc.combine(&crc_of(close));
    let [open_piece, blank_piece, close_piece] = pieces.as_slice() else { return Vec::new() };
    let mut bomb = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    bomb.extend(open_piece);
    for _ in 0..BLOCKS {
        bomb.extend(blank_piece);
    }
    bomb.extend(close_piece);
    bomb.extend(crc.sum().to_le_bytes());
    bomb.extend(crc.amount().to_le_bytes());
    bomb
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn values_become_strings_and_strings_and_nulls_stay() {
        let json = r#"{"a":true,"b":[1,-2.5e+3,null,false],"c":"true 1 \" 2 \\","d":{"n":0},"e":null}"#;
        let expected = r#"{"a":"true","b":["1","-2.5e+3",null,"false"],"c":"true 1 \" 2 \\","d":{"n":"0"},"e":null}"#;
        assert_eq!(values_as_strings(json), expected);
    }

    #[test]
    fn a_list_loses_its_last_reference_and_nothing_else() {
        let json = r#"{"resourceType":"List","id":"x","meta":{"versionId":"9","lastUpdated":"2026-03-06T07:05:56.538+00:00"},"entry":[{"item":{"reference":"MedicationKnowledge/a"}},{"item":{"reference":"MedicationKnowledge/b}"}}],"mode":"snapshot"}"#;
        let expected = r#"{"resourceType":"List","id":"x","meta":{"versionId":"09","lastUpdated":"2001-03-06T07:05:56.538+00:00"},"entry":[{"item":{"reference":"MedicationKnowledge/a"}}],"mode":"snapshot"}"#;
        assert_eq!(older(ResourceType::List, json), expected);
        assert_eq!(older(ResourceType::List, expected).matches("MedicationKnowledge/a").count(), 1);
    }

    #[test]
    fn a_resource_is_dated_anew_wherever_it_is_dated() {
        let json = r#"{"id":"x","meta":{"versionId":"9","lastUpdated":"2026-03-06"},"meta":{"lastUpdated":"2026"}}"#;
        let expected = r#"{"id":"x","meta":{"versionId":"12","lastUpdated":"2099"},"meta":{"lastUpdated":"2099"}}"#;
        assert_eq!(dated(json, "2099", Some(12)), expected);
        assert_eq!(dated(r#"{"id":"x"}"#, "2099", None), r#"{"id":"x"}"#);
    }

    #[test]
    fn junk_leaves_the_resource_well_formed_with_its_own_members() {
        for junk in UNKNOWN_MEMBERS {
            let json = with_members(r#"{"id":"x"}"#, junk);
            let value: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(value["id"], "x");
            assert_eq!(value.as_object().unwrap().len(), 2);
            assert!(serde_json::from_str::<serde_json::Value>(&with_members("{}", junk)).is_ok());
        }
    }

    #[test]
    fn the_compression_bomb_is_one_whole_gzip_stream() {
        let bomb = compression_bomb();
        assert!(bomb.len() < 4 << 20, "{} bytes", bomb.len());
        let mut decoder = flate2::read::GzDecoder::new(bomb.as_slice());
        let (mut block, mut total, mut others) = (vec![0; BLOCK], 0_usize, 0_usize);
        loop {
            let read = decoder.read(&mut block).unwrap();
            if read == 0 {
                break;
            }
            total += read;
            others += block[..read].iter().filter(|byte| **byte != b' ').count();
        }
        assert_eq!(total, BLOCKS * BLOCK + others);
        assert!(others > 50);
    }
}
