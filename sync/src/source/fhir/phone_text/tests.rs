use super::*;

fn read(text: &str) -> Vec<String> {
    let mut numbers = numbers(text);
    numbers.sort_by_key(|(_, answers)| *answers);
    numbers.into_iter().map(|(number, _)| number).collect()
}

#[test]
fn numbers_that_nobody_can_dial() {
    for text in [
        "314-000-0000",
        "314-999-9999",
        "000-555-0199",
        "999-555-0199",
        "114-555-0199",
        "314-155-0199",
        "911-555-0199",
        "222-222-2222",
        "1 (555) 555-5555",
        "9876543210",
        "XXX-XXX-XXXX",
        "Call office",
        "0",
        "314555020",
        "31455502",
        "24 hours",
        "1-800-FLOWERS",
    ] {
        assert_eq!(read(text), Vec::<String>::new(), "{text}");
    }
    for text in ["3145550100", "1-314-555-0199", "(314) 555-1212", "555-0101", "+44 20 7946 0958", "314 555 0101 x12"] {
        assert_eq!(read(text), [text], "{text}");
    }
}

#[test]
fn words_say_who_answers() {
    for text in [
        "f: 3145550200",
        "F 314-555-0200",
        "3145550200 (f)",
        "Facsimile 314-555-0200",
        "Beeper 314-555-0200",
        "Hearing impaired 800-555-0100",
        "Deaf/hard of hearing: 800-555-0100",
        "800-555-0100 (relay service)",
        "relay 711",
        "TTY: 800-555-0100 or 711",
        "Fax 314-555-0200 / 314-555-0202",
        "800-555-0100 TTY/TDD",
    ] {
        assert_eq!(read(text), Vec::<String>::new(), "{text}");
    }
    for (text, want) in [
        ("Phone 3145550201 Fax 3145550200", vec!["3145550201"]),
        ("Fax: 3145550200 Phone: 3145550201", vec!["3145550201"]),
        ("3145550200 fax, 3145550201 office", vec!["3145550201"]),
        ("314-555-0200 (fax) 314-555-0201", vec!["314-555-0201"]),
        ("800-555-0108 (TTY: 711)", vec!["800-555-0108"]),
        ("P: (314) 555-0201 ext. 5", vec!["(314) 555-0201 ext. 5"]),
        ("3145550201 / 3145550202", vec!["3145550201", "3145550202"]),
        ("602/230-0777", vec!["602/230-0777"]),
        ("314-555-0201, ext 5; 314-555-0202", vec!["314-555-0201, ext 5", "314-555-0202"]),
        ("After hours 3145550200 office 3145550201", vec!["3145550201", "After hours 3145550200"]),
        ("Suite 100 314-555-0201", vec!["Suite 100 314-555-0201"]),
        ("Hearing Center 314-555-0201", vec!["Hearing Center 314-555-0201"]),
        ("(314)\u{2011}555\u{2011}0201", vec!["(314) 555-0201"]),
        ("31 45 55 02 01", vec!["31 45 55 02 01"]),
        ("(314-555-0201)", vec!["314-555-0201"]),
        ("tel:+1-602-230-0777;ext=12", vec!["+1-602-230-0777;ext=12"]),
    ] {
        assert_eq!(read(text), want, "{text}");
    }
}
