//! Which plans are meant.

use crate::ids::Audience;

/// Which plans; what is not said fits all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanFilter {
    /// Words of the name or the beginning of the id.
    pub text: Option<String>,
    /// A type code (`MA-PD`), compared without regard to case and punctuation.
    pub kind: Option<String>,
    /// Whom it is sold to.
    pub audience: Option<Audience>,
    /// Plan year.
    pub year: Option<u16>,
}
