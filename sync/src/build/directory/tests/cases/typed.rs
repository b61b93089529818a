//! What people type: names, specialties, languages, cities.

use super::*;

fn search() -> ProviderSearch {
    ProviderSearch { limit: 20, ..ProviderSearch::default() }
}

fn names(made: &Made, search: &ProviderSearch) -> Vec<String> {
    let mut names: Vec<String> = made.find(search).into_iter().map(|found| found.name).collect();
    names.sort();
    names
}

#[test]
fn names_are_found_however_they_are_written() {
    let mut payer = Payer::new();
    let stored = [
        "Sean O'Brien",
        "Una O Brien",
        "Otto Brienza",
        "Hugo St. Pierre",
        "Ian Mc Donald",
        "Ana Delacruz",
        "Zoë Løvstrøm",
        "Mary Smith-Jones, PA-C",
        "Walt Smithers Jr., MD",
        "Kim Do",
        "Kim Donovan",
        "Kim Arno",
    ];
    for (at, name) in (1..).zip(stored) {
        let person = payer.person(at, name, |_| {});
        payer.usual(person, |_| {});
    }
    let mart = payer.organization(40, "WAL-MART PHARMACY 10-1891");
    payer.role(|role| {
        role.organization = Some(mart);
        role.networks = vec![named("1")];
        role.places = vec![place(1)];
    });
    let made = payer.made();
    for (typed, want) in [
        ("o brien", &["Sean O'Brien", "Una O Brien"][..]),
        ("OBRI", &["Sean O'Brien", "Una O Brien"]),
        ("saint pie", &["Hugo St. Pierre"]),
        ("st pierre", &["Hugo St. Pierre"]),
        ("mcdon", &["Ian Mc Donald"]),
        ("de la cru", &["Ana Delacruz"]),
        ("lovstrom", &["Zoë Løvstrøm"]),
        ("smithjones", &["Mary Smith-Jones, PA-C"]),
        ("Dr. Smithers, Walt MD", &["Walt Smithers Jr., MD"]),
        ("kim do", &["Kim Do", "Kim Donovan"]),
        ("arno md", &["Kim Arno"]),
        ("walmart", &["WAL-MART PHARMACY 10-1891"]),
        ("wal mart", &["WAL-MART PHARMACY 10-1891"]),
    ] {
        assert_eq!(names(&made, &ProviderSearch { name: Some(typed.into()), ..search() }), want, "{typed}");
    }
    let near = |count_similar| {
        let search = ProviderSearch { name: Some("smihters".into()), count_similar, ..search() };
        made.try_find(&search).unwrap()
    };
    assert_eq!((near(true).total, near(true).similar_names), (0, vec!["Walt Smithers Jr., MD".to_owned()]));
    assert_eq!(near(false).similar_names, [""; 0]);
}

#[test]
fn specialties_by_code_by_other_names_and_by_plain_words() {
    let mut payer = Payer::new();
    let code =
        |text: Option<&str>, code: &str| Specialty { text: text.map(str::to_owned), taxonomy: Some(code.to_owned()) };
    for (at, name, specialty) in [
        (1, "Code", code(None, "207RC0000X")),
        (2, "Display", text("Cardiovascular Disease Physician")),
        (3, "Both", code(Some("Specialist"), "207RC0000X")),
        (4, "Pediatric", text("Pediatric Cardiology")),
        (5, "Eye", text("OPHTHALMOLOGIST")),
        (6, "Lens", text("Optometry")),
    ] {
        let person = payer.person(at, name, |_| {});
        payer.usual(person, |role| role.specialties = vec![specialty]);
    }
    let made = payer.made();
    let asked = |typed: &str| ProviderSearch { specialty: Some(typed.into()), count_similar: true, ..search() };
    assert_eq!(names(&made, &asked("207rc0000x")), ["Both", "Code", "Display"]);
    for typed in ["cardiology", "Cardiologist", "heart doctor", "Cardiovascular Disease (Cardiology)"] {
        assert_eq!(names(&made, &asked(typed)), ["Code", "Display"], "{typed}");
    }
    let heart = made.try_find(&asked("heart doctor")).unwrap();
    assert_eq!(heart.read_as, ["Cardiology"]);
    let similar: Vec<_> = heart.similar_specialties.iter().map(|of| (of.name.as_str(), of.total)).collect();
    assert_eq!(similar, [("Pediatric Cardiology", Some(1))]);
    assert_eq!(heart.results[0].specialties, ["Cardiovascular Disease (207RC0000X)"]);
    let eyes = made.try_find(&asked("eye doctor")).unwrap();
    assert_eq!((eyes.total, eyes.read_as), (2, vec!["Ophthalmology".to_owned(), "Optometry".to_owned()]));
    let refused = made.try_find(&asked("optomtry")).unwrap_err();
    assert_eq!(refused.candidates(), ["Optometry"]);
}

#[test]
fn languages_and_genders_by_code_and_cities_by_any_spelling() {
    let mut payer = Payer::new();
    for (at, city) in (10..).zip(["St. Louis", "SAINT LOUIS", "Ft Worth", "O Fallon", "St. Louis Park"]) {
        payer.place(at, Some((38.63, -90.2)), |place| {
            (place.address.city, place.address.state, place.address.zip) = (Some(city.into()), Some("MO".into()), None);
        });
        let person = payer.person(at as u64, city, |person| {
            person.languages = vec![["es-MX", "Español", "vi", "zh", "Mandarin Chinese"][at - 10].to_owned()];
            person.gender = Some(["F", "female"][at % 2].to_owned());
        });
        payer.usual(person, |role| role.places = vec![place(at)]);
    }
    let made = payer.made();
    let city = |typed: &str| names(&made, &ProviderSearch { city: Some(typed.into()), ..search() });
    assert_eq!(city("st louis"), ["SAINT LOUIS", "St. Louis"]);
    assert_eq!(city("Saint Louis, MO"), ["SAINT LOUIS", "St. Louis"]);
    assert_eq!(city("fort worth"), ["Ft Worth"]);
    assert_eq!(city("O'Fallon"), ["O Fallon"]);
    let refused = made.try_find(&ProviderSearch { city: Some("St Luis".into()), ..search() }).unwrap_err();
    assert!(refused.candidates().contains(&"SAINT LOUIS".to_owned()), "{:?}", refused.candidates());
    let speaking = |typed: &str| names(&made, &ProviderSearch { language: Some(typed.into()), ..search() });
    assert_eq!(speaking("spanish"), ["SAINT LOUIS", "St. Louis"]);
    assert_eq!(speaking("spa"), ["SAINT LOUIS", "St. Louis"]);
    assert_eq!(speaking("Tiếng Việt"), ["Ft Worth"]);
    assert_eq!(speaking("Mandarin"), ["St. Louis Park"]);
    assert_eq!(speaking("Chinese"), ["O Fallon", "St. Louis Park"]);
    assert_eq!(names(&made, &ProviderSearch { gender: Some("FEMALE".into()), ..search() }).len(), 5);
}
