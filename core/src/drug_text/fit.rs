//! How what is asked for fits what is stated.

/// How a question fits a drug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Another drug.
    No,
    /// It may be meant, and must not answer: another kind of strength, a suffix that it does not carry,
    /// or something that its text leaves open.
    MayBe,
    /// All that is asked for holds, and nothing that tells drugs apart is left out.
    Same,
}

impl Fit {
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::MayBe, _) | (_, Self::MayBe) => Self::MayBe,
            _ => Self::Same,
        }
    }
}
