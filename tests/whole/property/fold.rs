//! Folding text twice is folding it once, whatever the text.

use coverdex_core::build::fold::{key, tokens};
use proptest::prelude::*;

/// Text from the corners of Unicode that folding touches, mixed with what people type.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        4 => "[a-zA-Z0-9 .,%/'-]{0,6}",
        2 => prop::sample::select(vec![
            "µg", "ΜG", "μ", "Μ", "½", "²", "ﬁ", "ß", "ẞ", "Æ", "ǽ", "Ø", "ø", "İ", "ı", "ŉ", "Ĳ", "㎎", "㎍", "Ⅷ", "ſ", "K",
            "É", "e\u{301}", "\u{ad}", "\u{2019}", "®", "™", "…", "1,000", ".5", "5.", "1.2.3", "00.00", "،", "٣", "ϐ", "Ω",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(super::config(4_000))]

    #[test]
    fn folding_is_idempotent(text in text()) {
        let once = key(&text);
        prop_assert_eq!(key(&once), once.clone(), "{:?}", text);
        let words: Vec<String> = tokens(&text).into_iter().map(|token| token.text).collect();
        prop_assert_eq!(words.join(" "), once);
    }

    #[test]
    fn case_marks_and_spacing_make_no_difference(text in "[a-z]{1,8}( [a-z0-9]{1,6}){0,3}") {
        let spaced = format!("  {}\t", text.replace(' ', " \u{a0} "));
        prop_assert_eq!(key(&spaced), key(&text));
        prop_assert_eq!(key(&text.to_uppercase()), key(&text));
        let marked: String = text.chars().flat_map(|c| [Some(c), c.is_alphabetic().then_some('\u{301}')]).flatten().collect();
        prop_assert_eq!(key(&marked), key(&text));
    }
}
