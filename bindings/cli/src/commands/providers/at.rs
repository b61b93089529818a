//! Who practices at an address, or is reached by a phone number.

use coverdex_core::{
    AddressDifference, Error, ErrorKind, Network, NetworkNames, PracticeLocation, PracticingAt, PracticingAtQuestion,
    Result,
};

use crate::commands::directory::{SHARED, SHARED_LEGEND, name, npi, place_lines};
use crate::data::{Datasets, Opened};
use crate::failure::Exit;
use crate::foot::Foot;
use crate::json::{Document, PracticingAtDocument};
use crate::output::{Look, Output};
use crate::{table, words};

/// What one dataset says.
#[derive(Debug)]
struct Answer<'a> {
    opened: &'a Opened,
    names: NetworkNames,
    of: PracticingAt,
}

pub(super) fn run(datasets: &Datasets, question: &PracticingAtQuestion, output: Output) -> Result<Exit> {
    let answers = ask(datasets, question)?;
    output.answer(|| document(&answers), |look| shown(look, question, &answers, datasets.several()))?;
    let nobody = answers.iter().all(|answer| answer.of.total == 0);
    Ok(if nobody { Exit::NotThere } else { Exit::Answered })
}

/// Asks each dataset with a directory; the first says that it has none where none has one.
fn ask<'a>(datasets: &'a Datasets, question: &PracticingAtQuestion) -> Result<Vec<Answer<'a>>> {
    let none_has = datasets.all().iter().all(|opened| !opened.dataset.has_directory());
    let asked = datasets.all().iter().filter(|opened| none_has || opened.dataset.has_directory());
    let ask = |opened: &'a Opened| {
        let of = opened.dataset.practicing_at(question)?;
        let names = NetworkNames::new(&opened.dataset.directory_networks()?);
        Ok(Answer { opened, names, of })
    };
    asked.map(ask).collect()
}

fn document(answers: &[Answer<'_>]) -> Result<Document> {
    let mut lists = answers.iter().map(|answer| &answer.of);
    match lists.next() {
        Some(list) => Document::of(&PracticingAtDocument { list, also: lists.collect() }),
        None => Err(Error::new(ErrorKind::DatasetMissing, "providers", "no dataset to answer from")),
    }
}

fn shown(look: Look, question: &PracticingAtQuestion, answers: &[Answer<'_>], several: bool) -> String {
    let blocks: Vec<String> = answers.iter().map(|answer| render(look, question, answer, several)).collect();
    blocks.join("\n")
}

fn render(look: Look, question: &PracticingAtQuestion, answer: &Answer<'_>, several: bool) -> String {
    let address = question.address.as_ref().map(|address| format!("At {}", address.trim()));
    let phone = answer.of.phone.as_ref().map(|phone| format!("Phone {phone}"));
    let asked: Vec<String> = address.into_iter().chain(phone).collect();
    let mut text = table::wrap(look, &words::shown(&asked.join(" · ")), "  ");
    let results = &answer.of.results;
    if results.is_empty() && answer.of.total > 0 {
        text += &table::wrap(look, "Nothing from here on.", "  ");
    } else if results.is_empty() {
        text += &table::wrap(look, "Nobody is listed there.", "  ");
        text += &near(look, &answer.of);
    } else {
        let mut grid = table::grid(look, &["Provider", "Place", "Networks", "Phone"]);
        for practice in results {
            let phones = if practice.phones.is_empty() { "not stated".to_owned() } else { practice.phones.join("\n") };
            grid.add_row([
                table::text(who(practice)),
                table::text(place_lines(practice).join("\n")),
                table::text(networks(answer, practice)),
                table::text(phones),
            ]);
        }
        table::unbroken(&mut grid, 3);
        text += &table::render(&grid);
        text += &table::wrap(look, &count(&answer.of), "  ");
    }
    let mut foot = Foot::default();
    foot.dataset(answer.opened, several);
    for note in &answer.of.notes {
        foot.note(note.clone());
    }
    if results.iter().any(|practice| practice.shared_role) {
        foot.note(SHARED_LEGEND);
    }
    foot.directory(true);
    text + &foot.render(look)
}

/// How the address was read, and which addresses near it somebody practices at.
fn near(look: Look, of: &PracticingAt) -> String {
    let read = of.address.as_ref().map(|address| format!("Read as {}.", address.summary()));
    let mut text = read.map(|read| table::wrap(look, &words::shown(&read), "  ")).unwrap_or_default();
    if !of.near.is_empty() {
        text += &table::wrap(look, "Near it:", "  ");
    }
    for near in &of.near {
        let differs = match near.difference {
            AddressDifference::Unit => "another unit of the house",
            AddressDifference::Zip => "another ZIP",
            AddressDifference::Street => "a street of that name",
            AddressDifference::Number => "another number",
            _ => near.difference.as_str(),
        };
        let count = words::count(near.practice_locations, "practice location", "practice locations");
        text += &table::wrap(look, &words::shown(&format!("- {} ({differs}; {count})", near.label())), "  ");
    }
    text
}

/// Name, NPI and specialties.
fn who(practice: &PracticeLocation) -> String {
    let mark = if practice.shared_role { format!(" {SHARED}") } else { String::new() };
    let mut lines = vec![format!("{}{mark}", name(&practice.name)), npi(practice.npi, practice.stated_npi.as_deref())];
    if !practice.specialties.is_empty() {
        lines.push(practice.specialties.join("; "));
    }
    lines.join("\n")
}

/// The networks of its active roles; of inactive ones where none is active, which is said.
fn networks(answer: &Answer<'_>, practice: &PracticeLocation) -> String {
    let networks: Vec<&Network> = practice.networks.iter().collect();
    let listed = if networks.is_empty() { "no network".to_owned() } else { answer.names.list(&networks) };
    if is_active(practice) { listed } else { format!("inactive\n({listed})") }
}

fn is_active(practice: &PracticeLocation) -> bool {
    practice.roles.iter().any(|role| role.inactive.is_empty())
}

fn count(of: &PracticingAt) -> String {
    let passed_over = u64::try_from(of.offset).unwrap_or(u64::MAX);
    let last = passed_over + of.results.len() as u64;
    let range = format!("{}–{}", words::thousands(passed_over + 1), words::thousands(last));
    let all = words::count(of.total, "practice location", "practice locations");
    let active = if of.total_active < of.total {
        format!(", {} with an active role", words::thousands(of.total_active))
    } else {
        String::new()
    };
    match &of.next {
        Some(next) => format!("{range} of {all}{active}. More: --page {}", next.as_str()),
        None if passed_over > 0 => format!("{range} of {all}{active}."),
        None => format!("{all}{active}."),
    }
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::testing::{WIDE, tiny};

    fn json(question: &PracticingAtQuestion) -> Value {
        serde_json::from_slice(&document(&ask(&tiny().datasets, question).unwrap()).unwrap().0).unwrap()
    }

    #[test]
    fn who_is_reached_by_a_phone_is_there_by_its_address_too() {
        let dataset = &tiny().datasets.all()[0].dataset;
        let search = coverdex_core::ProviderSearch { limit: 400, ..Default::default() };
        let mut seen = 0;
        for practice in dataset.search_providers(&search).unwrap().results {
            let (Some(phone), Some(location)) = (&practice.phone, &practice.location) else { continue };
            let (Some(address), Some(zip)) = (&location.address, location.zip) else { continue };
            let question = PracticingAtQuestion { phone: Some(phone.clone()), limit: 10_000, ..Default::default() };
            let Ok(by_phone) = dataset.practicing_at(&question) else { continue };
            let same = |other: &PracticeLocation| {
                other.npi == practice.npi && other.location.as_ref().is_some_and(|l| l.id() == location.id())
            };
            assert!(by_phone.results.iter().any(same), "{phone}: {practice:?}");
            let question = PracticingAtQuestion {
                address: Some(format!("{address}, {zip}")),
                limit: 10_000,
                ..Default::default()
            };
            let by_address = dataset.practicing_at(&question).unwrap();
            assert!(by_address.results.iter().any(same), "{address}: {practice:?}");
            for width in [80, 120] {
                let look = Look { width, color: false };
                let text = shown(look, &question, &ask(&tiny().datasets, &question).unwrap(), false);
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= usize::from(width), "{widest}\n{text}");
            }
            seen += 1;
            if seen > 40 {
                break;
            }
        }
        assert!(seen > 20, "{seen}");
    }

    #[test]
    fn an_address_near_one_of_nobody_is_shown_and_found() {
        let dataset = &tiny().datasets.all()[0].dataset;
        let search = coverdex_core::ProviderSearch { limit: 400, ..Default::default() };
        let mut seen = 0;
        for practice in dataset.search_providers(&search).unwrap().results {
            let Some(location) = &practice.location else { continue };
            let (Some(address), Some(zip)) = (&location.address, location.zip) else { continue };
            let ask_for = |address: String| PracticingAtQuestion { address: Some(address), ..Default::default() };
            let question = ask_for(format!("{address} Unit 98765, {zip}"));
            let found = dataset.practicing_at(&question).unwrap();
            if found.near.is_empty() {
                continue;
            }
            let text =
                shown(Look { width: 120, color: false }, &question, &ask(&tiny().datasets, &question).unwrap(), false);
            assert!(text.contains("Near it:"), "{text}");
            for near in &found.near {
                assert!(text.contains(&near.address), "{text}");
                let there = dataset.practicing_at(&ask_for(near.label())).unwrap();
                assert!(there.total >= near.practice_locations, "{}: {there:?}", near.label());
            }
            seen += 1;
        }
        assert!(seen > 10, "{seen}");
    }

    #[test]
    fn the_documented_fields_are_there() {
        let question = PracticingAtQuestion { phone: Some("(202) 555-0199".to_owned()), ..Default::default() };
        let document = json(&question);
        for field in
            ["phone", "address", "total", "total_active", "offset", "results", "near", "as_of", "notes", "next"]
        {
            assert!(document.get(field).is_some(), "{field}: {document}");
        }
        let text = shown(WIDE, &question, &ask(&tiny().datasets, &question).unwrap(), false);
        assert!(text.contains("Phone (202) 555-0199"), "{text}");
        let question =
            PracticingAtQuestion { address: Some("1 Nowhere Rd Ste 5, 10001".to_owned()), ..Default::default() };
        let text = shown(WIDE, &question, &ask(&tiny().datasets, &question).unwrap(), false);
        assert!(text.contains("Read as number 1, street NOWHERE RD, unit 5, ZIP 10001."), "{text}");
    }
}
