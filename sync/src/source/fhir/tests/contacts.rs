//! Periods, phones and addresses.

use super::directory::{individual, organization, phone, place, role};
use crate::model::{Address, Period};

#[test]
fn periods() {
    let days = |period: &str| role(&format!(r#","period":{period}"#)).period;
    for (period, start, end) in [
        (r#"{"start":"1970-01-02","end":"1970-01-10"}"#, Some(1), Some(9)),
        (r#"{"start":"1970","end":"1970"}"#, Some(0), Some(364)),
        (r#"{"start":"1970-02","end":"1972-02"}"#, Some(31), Some(789)),
        // An instant is the day that it falls on in UTC.
        (r#"{"start":"1970-01-01T23:30:00-05:00","end":"1970-01-05T00:30:00+02:00"}"#, Some(1), Some(3)),
        (r#"{"start":"1970-01-02T08:00:00","end":"9999-12-31T23:59:59Z"}"#, Some(1), Some(2_932_896)),
        (r#"{"start":"soon","end":"1970-13-01"}"#, None, None),
        (r#"{"start":"12/31/1970","end":"19710101"}"#, Some(364), Some(365)),
        (r#"{"start":"1/2/1970 00:00:00","end":"13/01/1970"}"#, Some(1), None),
        (r#"{"start":"1970-02-31","end":"19701301"}"#, None, None),
        (r#""1970-01-01 to 1970-12-31""#, None, None),
        ("{}", None, None),
        ("null", None, None),
    ] {
        assert_eq!(days(period), Period { start, end }, "{period}");
    }
    let notes = |period: &str| {
        let json = super::directory::role_json(&format!(r#","period":{period}"#));
        super::noted(&json).into_iter().filter(|note| *note == super::Note::UnreadableDate).count()
    };
    let bad = r#"{"start":"2026-13-45","end":"soon"}"#;
    assert_eq!([bad, r#""2026""#, r#"{"start":"2026","end":"12/31/2026"}"#].map(notes), [2, 1, 0]);
    let extension = |name: &str| {
        format!(r#","name":"A","extension":[{{"url":"http://x.test/{name}","valuePeriod":{{"start":"1970-01-03"}}}}]"#)
    };
    assert_eq!(individual(&extension("Practitioner-Period")).period.start, Some(2));
    for name in ["org-period", "organization-period"] {
        assert_eq!(organization(&extension(name)).period.start, Some(2), "{name}");
    }
    assert_eq!(individual(&extension("other")).period, Period::default());
}

#[test]
fn phones() {
    for (telecom, want) in [
        (r#"{"system":"phone","value":6675557135}"#, vec!["6675557135"]),
        (r#""+1 (888) 555-1002""#, vec!["+1 (888) 555-1002"]),
        (
            r#"[{"value":"https://x.test/1234567"},{"system":"url","value":"5551234567"},{"system":"email","value":"a5551234567@x.test"}]"#,
            vec![],
        ),
        (r#"[{"system":"phone","value":"555-1002","use":"old"}]"#, vec![]),
        (
            r#"[{"system":"phone","value":"555-1007","rank":2},{"system":"phone","value":"555-1008","rank":1},{"system":"phone","value":"555-1007"}]"#,
            vec!["555-1008", "555-1007"],
        ),
        (r#"[{"system":"phone","value":"none"},{"system":"phone"},{},null]"#, vec![]),
        // Faxes, pagers and teletypes, however that is said.
        (r#"[{"system":"fax","value":"314-555-0101"},{"system":"pager","value":"314-555-0102"}]"#, vec![]),
        (r#"[{"system":"phone","value":"711"},{"system":"phone","value":"TTY 711"}]"#, vec![]),
        (r#"[{"system":"phone","value":"TDD: 800-555-0103"},{"system":"phone","value":"800-555-0104 (TTY)"}]"#, vec![]),
        (
            r#"[{"system":"phone","value":"Fax 314-555-0105"},{"system":"phone","value":"314-555-0106","use":"pager"}]"#,
            vec![],
        ),
        (
            r#"[{"system":"phone","value":"314-555-0107","extension":[{"url":"x/contactpoint-comment","valueString":"TTY line"}]}]"#,
            vec![],
        ),
        (r#"[{"extension":[{"url":"x/via-intermediary","valueReference":{"reference":"Organization/o"}}]}]"#, vec![]),
        // The number in front of the one for a machine is one that a person answers.
        (
            r#"[{"system":"phone","value":"800-555-0108 (TTY: 711)"},{"system":"phone","value":"314-555-0109 or fax 314-555-0110"}]"#,
            vec!["800-555-0108", "314-555-0109"],
        ),
        // Who answers comes before rank, and rank before use.
        (
            r#"[{"system":"sms","value":"3145550101","rank":1},{"system":"phone","value":"After hours 3145550102"},{"system":"phone","value":"3145550103","use":"home"},{"system":"phone","value":"3145550104"},{"system":"phone","value":"3145550105","use":"work"},{"system":"phone","value":"3145550106","rank":2}]"#,
            vec!["3145550106", "3145550105", "3145550104", "3145550103", "3145550101", "After hours 3145550102"],
        ),
        (
            r#"[{"system":"phone","value":"3145550101","extension":[{"url":"x/contactpoint-comment","valueString":"answering service"}]},{"system":"phone","value":"3145550102","use":"mobile"},{"system":"phone","value":"3145550103 / 3145550104"}]"#,
            vec!["3145550103", "3145550104", "3145550102", "3145550101"],
        ),
        (
            r#"[{"system":"phone","value":"3145550101","extension":[{"url":"x/contactpoint-extension","valueString":"12"}]}]"#,
            vec!["3145550101 x12"],
        ),
        // A word that only contains another.
        (r#"[{"system":"phone","value":"314-555-0111 x12 Patty"}]"#, vec!["314-555-0111 x12 Patty"]),
        (r#""Box office 314-555-0112""#, vec!["Box office 314-555-0112"]),
        // Placeholders.
        (r#"["0000000000","999-999-9999","123-456-7890","1-111-111-1111","+1 (000) 000-0000 x5","12345"]"#, vec![]),
    ] {
        let want: Vec<_> = want.into_iter().map(phone).collect();
        assert_eq!(role(&format!(r#","telecom":{telecom}"#)).phones, want, "{telecom}");
    }
    let ended = role(r#","telecom":[{"system":"phone","value":"314-555-0131","period":{"end":"1970-01-02"}}]"#);
    assert_eq!(ended.phones[0].period, Period { start: None, end: Some(1) });
}

#[test]
fn addresses_of_words_alone() {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    for (text, lines, city, state, zip) in [
        ("77 Text Only Rd, Clayton, MO 63105", vec!["77 Text Only Rd"], "Clayton", "MO", "63105"),
        (
            "77 Main Rd\\nSuite 2\\nClayton, MO  63105-1234",
            vec!["77 Main Rd", "Suite 2"],
            "Clayton",
            "MO",
            "63105-1234",
        ),
        ("77 Main Rd\\r\\nClayton MO 63105\\r\\nUSA", vec!["77 Main Rd"], "Clayton", "MO", "63105"),
        (
            "77 Main Rd, Ste 2, Saint Louis, Missouri 63105",
            vec!["77 Main Rd", "Ste 2"],
            "Saint Louis",
            "Missouri",
            "63105",
        ),
        ("77 Main Rd, Clayton, MO", vec!["77 Main Rd"], "Clayton", "MO", ""),
        ("77 Main Rd, Clayton, MO, 63105", vec!["77 Main Rd"], "Clayton", "MO", "63105"),
        ("1 Main St, Opp AL", vec!["1 Main St"], "Opp", "AL", ""),
        ("Clayton, MO 63105", vec![], "Clayton", "MO", "63105"),
        ("77 Saint Clair Ave St Louis, MO 63105", vec!["77 Saint Clair Ave"], "St Louis", "MO", "63105"),
        ("77 Main St NW Suite 200 Atlanta, GA 30301", vec!["77 Main St NW Suite 200"], "Atlanta", "GA", "30301"),
        ("77 Elm, MO 63105", vec!["77 Elm"], "", "MO", "63105"),
        // No state at the end.
        ("77 Main Rd", vec!["77 Main Rd"], "", "", ""),
        ("12 Elm St, Washington", vec!["12 Elm St, Washington"], "", "", ""),
        ("Behind the mill, ask for Ann", vec!["Behind the mill, ask for Ann"], "", "", ""),
    ] {
        let want = Address {
            lines: lines.into_iter().map(str::to_owned).collect(),
            city: some(city),
            state: some(state),
            zip: some(zip),
            ..Address::default()
        };
        assert_eq!(place(&format!(r#","address":{{"text":"{text}"}}"#)).address, want, "{text}");
    }
    // Words beside parts are a line.
    let both = place(r#","address":{"text":"77 Main Rd, Clayton","city":"Clayton","state":"MO"}"#).address;
    assert_eq!(
        (both.lines.as_slice(), both.city.as_deref()),
        (["77 Main Rd, Clayton".to_owned()].as_slice(), Some("Clayton"))
    );
}

#[test]
fn which_address() {
    let lines = |addresses: &str| place(&format!(r#","address":{addresses}"#)).address.lines.join(" ");
    for (addresses, want) in [
        (r#"[{"use":"billing","line":["b"]},{"line":["a"]},{"use":"work","line":["w"]}]"#, "w"),
        (r#"[{"use":"old","type":"physical","line":["o"]},{"type":"physical","line":["p"]}]"#, "p"),
        (r#"[{"use":"billing","line":["b"]},{"line":["a"]}]"#, "a"),
        (r#"[{"use":"billing","line":["b"]},{"use":"old","line":["o"]}]"#, "b"),
    ] {
        assert_eq!(lines(addresses), want, "{addresses}");
    }
    let read = organization(
        r#","name":"A","address":[{"use":"billing","line":["b"]},{"type":"postal","line":["m"]},{"line":["a"],"city":"Clayton","period":{"end":"1970-01-02"}},{}]"#,
    );
    let shown: Vec<_> = read.addresses.iter().map(|address| (address.lines.join(" "), address.period.end)).collect();
    assert_eq!(shown, [("a".to_owned(), Some(1)), ("m".to_owned(), None)]);
}

#[test]
fn addresses_abroad_have_no_american_codes() {
    let read = |address: &str| place(&format!(r#","address":{{{address}}}"#)).address;
    let paris = r#""line":["1 Rue X"],"city":"Paris","state":"TX","postalCode":"75001","country":"#;
    for abroad in ["FR", "FRA", "France", "CA", "Mexico", "250"] {
        let read = read(&format!(r#"{paris}"{abroad}""#));
        let lines = ["1 Rue X", "Paris", "TX", "75001", abroad].map(str::to_owned).to_vec();
        // A state and a ZIP of this country leave it open where the place is.
        let surely = ["CA", "Mexico"].contains(&abroad);
        assert_eq!(read, Address { lines, abroad: surely, ..Address::default() }, "{abroad}");
    }
    assert!(read(r#""city":"Paris","state":"IDF","postalCode":"75001","country":"FR""#).abroad);
    let toronto = read(r#""line":["1 King St W"],"city":"Toronto","state":"ON","postalCode":"M5H 1A1""#);
    assert_eq!((toronto.abroad, toronto.city), (true, None), "a province and its postal code");
    for american in
        ["US", "usa", "U.S.A.", "840", "001", "United States", "PR", "TX", "Texas", "Lamar County", "", "null"]
    {
        assert_eq!(read(&format!(r#"{paris}"{american}""#)).zip.as_deref(), Some("75001"), "{american}");
    }
}
