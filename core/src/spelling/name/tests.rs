use super::*;

#[test]
fn names_fold_into_words() {
    assert_eq!(name_words("O'Brien-Núñez, M.D."), ["obrien", "nunez", "m", "d"]);
    assert_eq!(name_words("24 Hour 3M Clinic"), ["24", "hour", "3m", "clinic"]);
    assert_eq!(name_words("Zoë Løvstrøm, Łukasz Weiß-Æbler"), ["zoe", "lovstrom", "lukasz", "weiss", "aebler"]);
    assert!(name_words(" -- ").is_empty());
    assert_eq!(beginnings("kröger").collect::<Vec<_>>(), ["k", "kr", "krö", "krög"]);
    assert_eq!(beginnings("lengthy").last(), Some("leng"));
}

#[test]
fn other_spellings_of_a_stored_name_are_indexed() {
    for (name, is_organization, want) in [
        ("Hugo St. Pierre", false, &["hugo", "pierre", "saint", "st", "stpierre"][..]),
        ("Ana De La Cruz", false, &["ana", "cruz", "de", "delacruz", "la"]),
        ("Mary Smith-Jones, PA-C", false, &["jones", "mary", "smith", "smithjones"]),
        ("Walt Smithers Jr., MD, FACP", false, &["jr", "smithers", "walt"]),
        ("Smithers, Walt, Ph.D.", false, &["smithers", "walt"]),
        ("Kim, Do", false, &["do", "kim"]),
        ("Kim Do", false, &["do", "kim"]),
        ("MAI THI DO", false, &["do", "mai", "thi"]),
        ("RITE AID CORP", true, &["aid", "corp", "rite", "riteaid"]),
        ("CVS/PHARMACY #1234", true, &["1234", "cvs", "cvspharmacy", "pharmacy"]),
        ("U.S. Renal Care", true, &["care", "renal", "s", "u", "us"]),
        ("Mount Sinai, MD, PC", true, &["md", "mount", "mountsinai", "mt", "pc", "sinai"]),
    ] {
        assert_eq!(names_index(name, is_organization), want, "{name}");
    }
}

fn words_of(text: &str) -> Vec<String> {
    let typed = typed(text).unwrap();
    typed
        .choices
        .iter()
        .flat_map(|choice| &choice.readings)
        .map(|reading| format!("{}{}", reading.words.join(" "), if reading.open { "*" } else { "" }))
        .collect()
}

#[test]
fn titles_and_credentials_are_dropped_from_what_was_typed() {
    for (text, want) in [
        ("dr dewalt", &["dewalt*"][..]),
        ("Dr. Walt Smithers, M.D.", &["walt smithers", "waltsmithers"]),
        ("Roe PA-C", &["roe"]),
        ("dr", &["dr*"]),
        ("smithers jr", &["smithers jr*", "smithers"]),
        ("md", &["md*"]),
    ] {
        assert_eq!(words_of(text), want, "{text}");
    }
    assert_eq!(typed("kim do").unwrap().literal.unwrap().readings[0].words, ["kim", "do"]);
    assert_eq!(typed("dr smith").unwrap().literal, None);
    assert_eq!(typed(" - "), None);
}

#[test]
fn neighbors_are_read_joined() {
    for (text, want) in [
        ("o br", &["o br*", "obr*"][..]),
        ("de la cru", &["de la cru*", "delacru*"]),
        ("saint pie", &["saint pie*", "stpie*"]),
        ("wal mart", &["wal mart*", "walmart"]),
        ("jo smi", &["jo smi*"]),
        ("smith-jones", &["smith jones*", "smithjones*"]),
    ] {
        assert_eq!(words_of(text), want, "{text}");
    }
}
