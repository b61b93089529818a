//! Where a page of results ends, and the next begins.

use sha2::{Digest as _, Sha256};

use crate::format::hex;
use crate::{Error, Result};

/// Results that one page holds at most, whatever limit is asked for.
pub(crate) const LARGEST_PAGE: usize = 10_000;

/// What to ask with for the next page of the same question. It belongs to one dataset and one question: another
/// refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PageToken {
    text: String,
}

impl PageToken {
    /// A token from its text, as an earlier answer gave it.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, DrugSearch, PageToken};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let mut search = DrugSearch { text: "atorvastatin".to_owned(), limit: 1, ..DrugSearch::default() };
    /// let first = dataset.search_drugs(&search)?;
    /// let text = first.next.unwrap().as_str().to_owned(); // to send it to and fro
    /// search.page = Some(PageToken::new(text));
    /// let second = dataset.search_drugs(&search)?;
    /// assert_ne!(first.lines, second.lines);
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The token of the page that begins at `offset`; `question` tells one question from others.
    pub(crate) fn issue(dataset: &str, question: &str, offset: usize) -> Self {
        Self { text: format!("{}.{offset}", mark(dataset, question)) }
    }

    /// Where the page begins.
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) for a token of another dataset or question.
    pub(crate) fn offset(&self, dataset: &str, question: &str) -> Result<usize> {
        let own = self.text.rsplit_once('.').filter(|(own, _)| *own == mark(dataset, question));
        own.and_then(|(_, offset)| offset.parse().ok()).ok_or_else(|| {
            let shown: String = self.text.chars().take(40).collect();
            Error::invalid(
                format!("page token {shown:?}"),
                "it belongs to another question, or to another dataset than this one",
            )
            .with_hint("ask the question without it, from the first page on")
        })
    }
}

/// What tells a question of a dataset from others.
fn mark(dataset: &str, question: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(dataset);
    hasher.update("\n");
    hasher.update(question);
    hex(&hasher.finalize()).chars().take(24).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_of_one_question_and_dataset() {
        let token = PageToken::issue("a", "atorva", 20);
        assert_eq!(token.offset("a", "atorva"), Ok(20));
        assert!(token.offset("b", "atorva").is_err() && token.offset("a", "ator").is_err());
        assert_eq!(PageToken::new(token.as_str()).offset("a", "atorva"), Ok(20));
        for wrong in ["", ".", "20", &format!("{}x", token.as_str()), "\u{1f600}.1"] {
            assert!(PageToken::new(wrong).offset("a", "atorva").is_err(), "{wrong}");
        }
    }
}
