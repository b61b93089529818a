//! Texts of questions: how long they may be.

use crate::{Error, Result};

/// Characters that a text of a question has at most: more than any name, code or address has.
const LONGEST_TEXT: usize = 1_000;

/// Refuses a text that is longer than anything that a question may mean; `what` is what it should be.
///
/// Every text goes through here before it is folded or compared: what follows then takes a bounded time. Names of
/// providers and texts of drugs have bounds of their own.
pub(crate) fn check_length(what: &str, text: &str) -> Result<()> {
    if text.len() <= LONGEST_TEXT || text.chars().nth(LONGEST_TEXT).is_none() {
        return Ok(());
    }
    let shown: String = text.trim().chars().take(40).collect();
    let why = format!("the text has more than {LONGEST_TEXT} characters, longer than anything that it may mean");
    Err(Error::invalid(format!("{what} {shown:?}…"), why).with_hint("write the name or the code alone"))
}

/// The same for texts that may be left out.
pub(crate) fn check_lengths<'t>(texts: impl IntoIterator<Item = (&'t str, Option<&'t String>)>) -> Result<()> {
    texts.into_iter().try_for_each(|(what, text)| text.map_or(Ok(()), |text| check_length(what, text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn characters_count_and_not_bytes() {
        for (letter, count, fits) in [("a", 1_000, true), ("a", 1_001, false), ("é", 1_000, true), ("é", 1_001, false)]
        {
            let checked = check_length("county", &letter.repeat(count));
            assert_eq!(checked.is_ok(), fits, "{letter} {count}");
            let Err(error) = checked else { continue };
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.subject().len() < 120 && error.message().contains("1000"), "{error}");
        }
    }
}
