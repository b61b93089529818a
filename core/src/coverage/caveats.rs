//! What an answer does not say, and people take it to say.

use super::{Coverage, CoverageStatus};
use crate::data::Plan;
use crate::ids::{Audience, PlanId};

/// What an answer does not say, in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Caveat {
    /// What the letters of restrictions mean.
    Restrictions,
    /// A tier is not a price.
    TierIsNoPrice,
    /// By law insulin and vaccines cost no more than so much.
    MedicareCaps,
    /// Not on this Part D list: it may be covered under Part B or by exception.
    NotOnPartDList,
    /// Not on this list: it may be covered by exception.
    NotOnList,
    /// Mail order is not stated.
    MailOrderNotStated,
    /// Directories are incomplete.
    DirectoryIncomplete,
    /// In network is not preferred cost sharing.
    CostSharing,
}

impl Caveat {
    /// The caveat as JSON shows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Restrictions => "restrictions",
            Self::TierIsNoPrice => "tier_is_no_price",
            Self::MedicareCaps => "medicare_caps",
            Self::NotOnPartDList => "not_on_part_d_list",
            Self::NotOnList => "not_on_list",
            Self::MailOrderNotStated => "mail_order_not_stated",
            Self::DirectoryIncomplete => "directory_incomplete",
            Self::CostSharing => "cost_sharing",
        }
    }

    /// The caveat in words for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Restrictions => "PA prior authorization, ST step therapy, QL quantity limit.",
            Self::TierIsNoPrice => "A tier is not a price.",
            Self::MedicareCaps => {
                "By law a month of covered insulin costs at most $35, and recommended adult vaccines in Part D $0, \
                 whatever the tier."
            }
            Self::NotOnPartDList => {
                "Not listed means not on this Part D list: the drug may be covered under Part B, or by exception."
            }
            Self::NotOnList => "Not listed means not on this drug list: the drug may be covered by exception.",
            Self::MailOrderNotStated => "Mail order: not stated.",
            Self::DirectoryIncomplete => {
                "Directories are incomplete: not being there is no proof of being out of network."
            }
            Self::CostSharing => "In network does not mean preferred cost sharing.",
        }
    }
}

/// The caveats of several answers shown together, each once.
#[derive(Clone, Debug, Default)]
pub struct Caveats {
    applying: Vec<Caveat>,
    mail_order_stated: bool,
}

impl Caveats {
    /// Adds what applies to a drug under a plan.
    pub fn coverage(&mut self, plan: &Plan, coverage: &Coverage) {
        let medicare = matches!(plan.id, PlanId::Medicare(_)) && plan.audience != Audience::Medicaid;
        if coverage.listed > 0 {
            self.add(Caveat::Restrictions);
        }
        if coverage.is_covered() {
            self.add(Caveat::TierIsNoPrice);
            self.add(Caveat::MailOrderNotStated);
            if medicare {
                self.add(Caveat::MedicareCaps);
            }
            self.mail_order_stated |= coverage.statement.mail_order.is_some();
        }
        if matches!(coverage.status, CoverageStatus::NotListed | CoverageStatus::NotCovered) {
            self.add(if medicare { Caveat::NotOnPartDList } else { Caveat::NotOnList });
        }
    }

    /// Adds what applies to an answer from the provider directory; `networks`: it says who is in which.
    pub fn directory(&mut self, networks: bool) {
        self.add(Caveat::DirectoryIncomplete);
        if networks {
            self.add(Caveat::CostSharing);
        }
    }

    /// Those that apply to all of it together, in their order.
    #[must_use]
    pub fn list(&self) -> Vec<Caveat> {
        let applies = |caveat: &Caveat| match caveat {
            Caveat::MailOrderNotStated => !self.mail_order_stated,
            Caveat::NotOnList => !self.applying.contains(&Caveat::NotOnPartDList),
            _ => true,
        };
        self.applying.iter().copied().filter(applies).collect()
    }

    fn add(&mut self, caveat: Caveat) {
        if let Err(at) = self.applying.binary_search(&caveat) {
            self.applying.insert(at, caveat);
        }
    }
}
