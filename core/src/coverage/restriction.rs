//! A drug's restrictions over all the packages that a plan lists.

use super::{Coverage, CoverageStatus};

/// What holds of one restriction for all listed packages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Restriction {
    /// It is on every package.
    Yes,
    /// It is on no package.
    No,
    /// It is on some packages, and not on all.
    Varies,
    /// The payer's entries for a package contradict each other in it.
    Conflict,
    /// The payer does not state it, for some packages at least.
    NotStated,
}

/// The restrictions of a drug under a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Restrictions {
    /// Prior authorization.
    pub prior_authorization: Restriction,
    /// Step therapy.
    pub step_therapy: Restriction,
    /// A quantity limit.
    pub quantity_limit: Restriction,
}

impl Restriction {
    /// The word for a cell of a table.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Varies => "varies",
            Self::Conflict => "conflict",
            Self::NotStated => "not stated",
        }
    }

    /// Whether it is on some package.
    const fn is_there(self) -> bool {
        matches!(self, Self::Yes | Self::Varies)
    }

    /// Whether nobody can tell if it is on a package.
    const fn is_open(self) -> bool {
        matches!(self, Self::Conflict | Self::NotStated)
    }
}

/// What was met of one restriction on the listed packages.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is met or not, whatever the others are")]
pub(super) struct RestrictionSeen {
    yes: bool,
    no: bool,
    contrary: bool,
    unsaid: bool,
}

impl RestrictionSeen {
    /// Adds a package that says so; `is_contrary`: its entries contradict each other.
    pub(super) const fn add(&mut self, flag: Option<bool>, is_contrary: bool) {
        match flag {
            Some(true) => self.yes = true,
            Some(false) => self.no = true,
            None if is_contrary => self.contrary = true,
            None => self.unsaid = true,
        }
    }

    const fn together(self) -> Restriction {
        match self {
            Self { yes: true, no: false, contrary: false, unsaid: false } => Restriction::Yes,
            Self { yes: true, .. } => Restriction::Varies,
            Self { contrary: true, .. } => Restriction::Conflict,
            Self { no: true, unsaid: false, .. } => Restriction::No,
            _ => Restriction::NotStated,
        }
    }
}

impl Restrictions {
    pub(super) fn of(seen: [RestrictionSeen; 3]) -> Self {
        let [prior_authorization, step_therapy, quantity_limit] = seen.map(RestrictionSeen::together);
        Self { prior_authorization, step_therapy, quantity_limit }
    }

    /// Each restriction with its name, in the order in which they are told.
    pub(crate) const fn named(self) -> [(&'static str, Restriction); 3] {
        [
            ("prior authorization", self.prior_authorization),
            ("step therapy", self.step_therapy),
            ("quantity limit", self.quantity_limit),
        ]
    }
}

impl Coverage {
    /// Whether the drug is covered in all listed packages, or in some.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        matches!(self.status, CoverageStatus::Covered | CoverageStatus::Mixed)
    }

    /// Whether some package needs prior authorization or step therapy.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        self.needs_first(Restriction::is_there)
    }

    /// Whether nobody can tell if a package needs prior authorization or step therapy.
    #[must_use]
    pub fn may_be_restricted(&self) -> bool {
        !self.is_restricted() && self.needs_first(Restriction::is_open)
    }

    /// Whether something holds of what has to be met before the plan pays.
    fn needs_first(&self, holds: impl Fn(Restriction) -> bool) -> bool {
        self.restrictions.is_some_and(|own| holds(own.prior_authorization) || holds(own.step_therapy))
    }
}

/// What a plan says of several drugs, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DrugCounts {
    pub(crate) covered: u32,
    pub(crate) mixed: u32,
    pub(crate) restricted: u32,
    pub(crate) may_be_restricted: u32,
    pub(crate) unknown: u32,
}

impl DrugCounts {
    pub(crate) fn of(answers: &[Coverage]) -> Self {
        let mut counts = Self::default();
        for answer in answers {
            let status = answer.status;
            counts.covered += u32::from(status == CoverageStatus::Covered);
            counts.mixed += u32::from(status == CoverageStatus::Mixed);
            counts.restricted += u32::from(answer.is_covered() && answer.is_restricted());
            counts.may_be_restricted += u32::from(answer.is_covered() && answer.may_be_restricted());
            counts.unknown += u32::from(matches!(
                status,
                CoverageStatus::Unknown | CoverageStatus::Conflict | CoverageStatus::Ambiguous
            ));
        }
        counts
    }
}
