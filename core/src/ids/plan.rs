//! Plan identifiers.
//!
//! Medicare: contract (a letter and four digits), plan benefit package (three), segment (three,
//! `000` if the package has none), and the year where the payer adds it: `H1234-567-000-2026`.
//! Marketplace: the fourteen-character HIOS id (issuer 5, state 2, product 3, plan 4), with a
//! two-digit variant where stated. Anything else a payer uses is kept as it is.

use std::fmt;
use std::str::FromStr;

use super::digits;
use crate::{Error, Result};

/// One plan, in one year where its id states one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlanId {
    /// A Medicare plan benefit package.
    Medicare(MedicarePlan),
    /// A marketplace plan.
    Hios(Hios),
    /// An id of no known shape, trimmed and in upper case.
    Other(String),
}

/// Contract, plan benefit package, segment and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MedicarePlan {
    contract: [u8; 5],
    /// Plan benefit package, 0–999.
    pub pbp: u16,
    /// Segment, 0–999; 0 where the package has none.
    pub segment: u16,
    /// Plan year, where the id states one.
    pub year: Option<u16>,
}

/// A marketplace plan: fourteen characters and, where stated, the variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hios {
    plan: [u8; 14],
    /// Cost-sharing variant (0 off-exchange, 1 on-exchange, 2–6 reductions, …), where stated.
    pub variant: Option<u8>,
}

/// A plan as a person names it: what is not said stays open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanQuery {
    /// A Medicare contract and package; segment and year may be open.
    Medicare {
        /// The contract, such as `H1234`.
        contract: String,
        /// Plan benefit package.
        pbp: u16,
        /// Segment, if said.
        segment: Option<u16>,
        /// Year, if said.
        year: Option<u16>,
    },
    /// A marketplace id; the variant may be open.
    Hios(Hios),
    /// Some other id, or a plan's name.
    Text(String),
}

/// Whom a plan is sold to: a hint from the package number, type and name, never a fact of the source.
///
/// ```
/// use coverdex_core::Audience;
///
/// let audience: Audience = "Special needs".parse()?;
/// assert_eq!(audience.as_str(), "special_needs");
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Audience {
    /// Anyone eligible.
    Individual,
    /// An employer's or union's members (package number 800–999).
    EmployerGroup,
    /// Special-needs plans.
    SpecialNeeds,
    /// Medicaid plans.
    Medicaid,
    /// Nothing tells.
    NotStated,
}

impl Audience {
    /// `individual`, `employer_group`, `special_needs`, `medicaid` or `not_stated`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Individual => "individual",
            Self::EmployerGroup => "employer_group",
            Self::SpecialNeeds => "special_needs",
            Self::Medicaid => "medicaid",
            Self::NotStated => "not_stated",
        }
    }
}

impl FromStr for Audience {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Individual, Self::EmployerGroup, Self::SpecialNeeds, Self::Medicaid, Self::NotStated];
        let wanted = text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        all.into_iter().find(|a| a.as_str() == wanted).ok_or_else(|| {
            Error::invalid(format!("audience {text:?}"), "no such audience")
                .with_candidates(all.map(|a| a.as_str().to_owned()))
        })
    }
}

impl MedicarePlan {
    /// From its parts; `None` where one is out of range.
    #[must_use]
    pub fn new(contract: &str, pbp: u16, segment: u16, year: Option<u16>) -> Option<Self> {
        let contract = contract_of(contract)?;
        (pbp <= 999 && segment <= 999 && year.is_none_or(is_year)).then_some(Self { contract, pbp, segment, year })
    }

    /// The contract, such as `H1234`.
    #[must_use]
    pub fn contract(&self) -> &str {
        std::str::from_utf8(&self.contract).unwrap_or_default()
    }
}

impl Hios {
    /// The fourteen characters.
    #[must_use]
    pub fn plan(&self) -> &str {
        std::str::from_utf8(&self.plan).unwrap_or_default()
    }
}

impl PlanId {
    /// Reads an id as a payer writes it. Never fails but on blanks: an id of unknown shape is kept.
    ///
    /// ```
    /// use coverdex_core::PlanId;
    ///
    /// let plan = PlanId::parse(" h1234-567-000-2026 ")?;
    /// assert_eq!(plan.to_string(), "H1234-567-000-2026");
    /// assert!(matches!(plan, PlanId::Medicare(plan) if plan.pbp == 567 && plan.year == Some(2026)));
    /// assert!(matches!(PlanId::parse("99999NM0010001")?, PlanId::Hios(_)));
    /// # Ok::<(), coverdex_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) if nothing but blanks is there.
    pub fn parse(text: &str) -> Result<Self> {
        match text.parse::<PlanQuery>()? {
            PlanQuery::Medicare { contract, pbp, segment, year } => {
                MedicarePlan::new(&contract, pbp, segment.unwrap_or(0), year)
                    .map(Self::Medicare)
                    .ok_or_else(|| Error::invalid(format!("plan {text:?}"), "a part is out of range"))
            }
            PlanQuery::Hios(hios) => Ok(Self::Hios(hios)),
            PlanQuery::Text(_) => Ok(Self::Other(text.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase())),
        }
    }

    /// The year that the id states.
    #[must_use]
    pub fn year(&self) -> Option<u16> {
        match self {
            Self::Medicare(plan) => plan.year,
            Self::Hios(_) | Self::Other(_) => None,
        }
    }
}

impl PlanQuery {
    /// Whether this names `plan`: what is not said fits everything.
    #[must_use]
    pub fn fits(&self, plan: &PlanId) -> bool {
        match (self, plan) {
            (Self::Medicare { contract, pbp, segment, year }, PlanId::Medicare(plan)) => {
                contract == plan.contract()
                    && *pbp == plan.pbp
                    && segment.is_none_or(|s| s == plan.segment)
                    && (year.is_none() || *year == plan.year)
            }
            (Self::Hios(query), PlanId::Hios(plan)) => {
                query.plan == plan.plan && (query.variant.is_none() || query.variant == plan.variant)
            }
            (Self::Text(text), PlanId::Other(plan)) => text.eq_ignore_ascii_case(plan),
            _ => false,
        }
    }
}

impl FromStr for PlanQuery {
    type Err = Error;

    /// Medicare in any spelling (`H1234-567-000-2026`, `H1234-567`, `h1234 567 000`, `H1234567`,
    /// `H1234-567-0`), HIOS with or without variant, else the text itself.
    fn from_str(text: &str) -> Result<Self> {
        let clean = text.trim();
        if clean.is_empty() {
            return Err(Error::invalid("plan", "the plan id is empty").with_hint("write it as H1234-567-000-2026"));
        }
        Ok(medicare(clean)
            .or_else(|| hios(clean).map(Self::Hios))
            .unwrap_or_else(|| Self::Text(clean.split_whitespace().collect::<Vec<_>>().join(" "))))
    }
}

fn is_year(year: u16) -> bool {
    (2000..=2199).contains(&year)
}

fn contract_of(text: &str) -> Option<[u8; 5]> {
    let bytes: [u8; 5] = text.as_bytes().try_into().ok()?;
    let [letter, rest @ ..] = bytes;
    (letter.is_ascii_alphabetic() && rest.iter().all(u8::is_ascii_digit)).then(|| bytes.map(|b| b.to_ascii_uppercase()))
}

fn medicare(text: &str) -> Option<PlanQuery> {
    let parts: Vec<&str> = text
        .split(|c: char| {
            c == '-' || c == '_' || c == '/' || c.is_whitespace() || ('\u{2010}'..='\u{2015}').contains(&c)
        })
        .filter(|part| !part.is_empty())
        .collect();
    let (first, mut rest) = (parts.first()?, parts.get(1..)?.to_vec());
    let contract_end = 5;
    let contract = contract_of(first.get(..contract_end)?)?;
    let glued = first.get(contract_end..)?;
    match glued.len() {
        0 => {}
        3 => rest.insert(0, glued),
        6 => {
            rest.insert(0, glued.get(3..)?);
            rest.insert(0, glued.get(..3)?);
        }
        10 => {
            rest.insert(0, glued.get(6..)?);
            rest.insert(0, glued.get(3..6)?);
            rest.insert(0, glued.get(..3)?);
        }
        _ => return None,
    }
    let number = |part: &str, longest: usize| {
        (part.len() <= longest).then(|| digits(part)).flatten().and_then(|n| u16::try_from(n).ok())
    };
    let year = |part: &str| (part.len() == 4).then(|| number(part, 4)).flatten().filter(|y| is_year(*y));
    let mut rest = rest.into_iter();
    let pbp = number(rest.next()?, 3)?;
    let (mut segment, mut stated_year) = (None, None);
    if let Some(part) = rest.next() {
        if let Some(y) = year(part) {
            stated_year = Some(y);
        } else {
            segment = Some(number(part, 3)?);
        }
    }
    if let Some(part) = rest.next() {
        if stated_year.is_some() {
            return None;
        }
        stated_year = Some(year(part)?);
    }
    if rest.next().is_some() {
        return None;
    }
    let contract = std::str::from_utf8(&contract).ok()?.to_owned();
    Some(PlanQuery::Medicare { contract, pbp, segment, year: stated_year })
}

fn hios(text: &str) -> Option<Hios> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_uppercase();
    let (head, variant) = match compact.split_once('-') {
        Some((head, variant)) => (head, Some(variant)),
        None if compact.len() == 16 => (compact.get(..14)?, compact.get(14..)),
        None => (compact.as_str(), None),
    };
    let plan: [u8; 14] = head.as_bytes().try_into().ok()?;
    let shape = plan
        .iter()
        .enumerate()
        .all(|(i, b)| if i == 5 || i == 6 { b.is_ascii_uppercase() } else { b.is_ascii_digit() });
    let variant = match variant {
        Some(v) if v.len() == 2 => Some(u8::try_from(digits(v)?).ok()?),
        Some(_) => return None,
        None => None,
    };
    shape.then_some(Hios { plan, variant })
}

impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Medicare(plan) => plan.fmt(f),
            Self::Hios(hios) => hios.fmt(f),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for MedicarePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:03}-{:03}", self.contract(), self.pbp, self.segment)?;
        self.year.map_or(Ok(()), |year| write!(f, "-{year}"))
    }
}

impl fmt::Display for Hios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plan())?;
        self.variant.map_or(Ok(()), |variant| write!(f, "-{variant:02}"))
    }
}
