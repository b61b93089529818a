//! Location: a place.

use std::fmt::Write as _;

use super::{Ink, contact};
use crate::directory::places::{Place, PositionShown};
use crate::payer::{MadePayer, ResourceType};
use crate::quirks::Quirk;

/// Writes Location `number`.
pub(crate) fn location(payer: &MadePayer, number: u64, id: &str, ink: &mut Ink<'_>) {
    let Some(place) = payer.directory().place(number) else { return };
    ink.open("Location", id, payer.shape().year).raw("}");
    match place.active {
        None => ink.note(Quirk::ActiveMissing),
        Some(true) => {
            ink.raw(",\"status\":\"active\"");
        }
        Some(false) => {
            ink.note(Quirk::PlaceInactive);
            let suspended = ink.draw(401).hits(300_000);
            ink.raw(if suspended { ",\"status\":\"suspended\"" } else { ",\"status\":\"inactive\"" });
        }
    }
    ink.raw(",").field("name", &place.name);
    if ink.draw(402).hits(700_000) {
        contact::telecom(place.phone, 0, ink);
    }
    address(&place, ink);
    position(payer, &place, ink);
    if ink.hit(Quirk::PlaceHours) {
        contact::hours("hoursOfOperation", "openingTime", "closingTime", ink);
    }
    let facilities = payer.directory().facilities();
    if facilities > 0 && ink.draw(403).hits(400_000) {
        let kind = crate::directory::OrganizationKind::Facility(ink.draw(404).below(facilities));
        let mut target = String::with_capacity(64);
        payer.push_id(ResourceType::Organization, true, payer.directory().organization_number(kind), &mut target);
        ink.raw(",\"managingOrganization\":{\"reference\":\"Organization/").raw(&target).raw("\"}");
    }
    ink.raw("}");
}

fn address(place: &Place, ink: &mut Ink<'_>) {
    if !place.shows_address && !place.shows_zip {
        ink.note(Quirk::AddressMissing);
        return;
    }
    if place.zip_is_shared {
        ink.note(Quirk::ZipShared);
    }
    ink.raw(",\"address\":{");
    if place.shows_address {
        ink.raw("\"line\":[").text(&place.line).raw("],").field("city", place.city).raw(",");
        if let Some(district) = &place.district {
            ink.note(Quirk::DistrictStated);
            ink.field("district", district).raw(",");
        }
        let state = state_name(place.state).filter(|_| ink.hit(Quirk::StateInWords)).unwrap_or(place.state);
        ink.field("state", state);
        if place.shows_zip {
            ink.raw(",");
        }
    } else {
        ink.note(Quirk::OnlyZip);
    }
    if place.shows_zip {
        zip(place, ink);
    } else {
        ink.note(Quirk::ZipMissing);
    }
    ink.raw("}");
}

fn zip(place: &Place, ink: &mut Ink<'_>) {
    ink.raw("\"postalCode\":");
    let plus_four = 1 + ink.draw(411).below(9_998);
    // A lost zero and a number are what spreadsheets do to plain ZIPs.
    if place.zip < 10_000 && ink.hit(Quirk::ZipLostZero) {
        ink.raw("\"").number(place.zip).raw("\"");
    } else if place.zip >= 10_000 && ink.hit(Quirk::ZipAsNumber) {
        ink.number(place.zip);
    } else if ink.hit(Quirk::ZipWithoutHyphen) {
        let _ = write!(ink.out, "\"{:05}{plus_four:04}\"", place.zip);
    } else if ink.hit(Quirk::ZipPlusFour) {
        let _ = write!(ink.out, "\"{:05}-{plus_four:04}\"", place.zip);
    } else {
        let _ = write!(ink.out, "\"{:05}\"", place.zip);
    }
}

fn position(payer: &MadePayer, place: &Place, ink: &mut Ink<'_>) {
    let (lat, lon) = match place.position {
        PositionShown::Right => place.true_point,
        PositionShown::Missing => {
            ink.note(Quirk::PositionMissing);
            return;
        }
        PositionShown::Zero => {
            ink.note(Quirk::PositionZero);
            (0, 0)
        }
        PositionShown::Swapped => {
            ink.note(Quirk::PositionSwapped);
            (place.true_point.1, place.true_point.0)
        }
        PositionShown::Elsewhere => {
            ink.note(Quirk::PositionElsewhere);
            payer.directory().elsewhere(place)
        }
    };
    let quoted = if ink.hit(Quirk::PositionAsText) { "\"" } else { "" };
    ink.raw(",\"position\":{\"longitude\":").raw(quoted);
    degrees(lon, ink);
    ink.raw(quoted).raw(",\"latitude\":").raw(quoted);
    degrees(lat, ink);
    ink.raw(quoted).raw("}");
}

fn degrees(e5: i32, ink: &mut Ink<'_>) {
    let size = e5.unsigned_abs();
    let sign = if e5 < 0 { "-" } else { "" };
    let _ = write!(ink.out, "{sign}{}.{:05}", size / 100_000, size % 100_000);
}

fn state_name(state: &str) -> Option<&'static str> {
    Some(match state {
        "KY" => "Kentucky",
        "CA" => "California",
        "TX" => "Texas",
        "FL" => "Florida",
        "MD" => "Maryland",
        "MO" => "Missouri",
        "NY" => "New York",
        "IL" => "Illinois",
        "LA" => "Louisiana",
        "PR" => "Puerto Rico",
        _ => return None,
    })
}
