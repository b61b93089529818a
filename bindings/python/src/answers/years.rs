//! Answers for the years that a plan may mean.

use serde::Serialize;

/// The answer for the year of the data, and the same for the plan's other years.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Years<T> {
    #[serde(flatten)]
    pub(crate) first: T,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<Years<T>>,
}

impl<T> Years<T> {
    /// Of answers by year, the first of which counts; `None` of none.
    pub(crate) fn of(answers: Vec<T>) -> Option<Self> {
        let mut answers = answers.into_iter();
        let first = answers.next()?;
        let also = answers.map(|first| Self { first, also: Vec::new() }).collect();
        Some(Self { first, also })
    }
}
