//! Plans: which there are, what each publishes, where it is sold, through which networks.

use coverdex_core::{MedicarePlan, PlanId};

use crate::counties::{self, County};
use crate::networks::{self, Network};
use crate::quirks::Quirk;
use crate::random::Draw;
use crate::shape::Shape;

/// What a plan is and what it publishes. The first plans of a payer are one of each, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A Medicare Advantage plan with drugs and complete Lists.
    Ordinary,
    /// The same plan in the next year.
    NextYear,
    /// A stand-alone drug plan; one in two hundred of its entries is missing (or none, where it lists too few).
    DrugPlan,
    /// Medicare Advantage without drugs: neither Lists nor rows.
    NoDrugs,
    /// An employer's plan.
    Group,
    /// A special-needs plan.
    SpecialNeeds,
    /// Medicaid.
    Medicaid,
    /// Segment 001 of a plan with two.
    FirstSegment,
    /// Segment 002 of it, with another formulary.
    SecondSegment,
    /// A regional plan whose Lists name three entries in a hundred that are not there.
    Short,
    /// Rows with its id, but no List.
    RowsOnly,
    /// A type with drugs, but neither Lists nor rows.
    NothingPublished,
    /// Lists and rows, but no InsurancePlan.
    NoInsurancePlan,
    /// Without drugs, in one InsurancePlan with another.
    NoDrugsEither,
}

impl Kind {
    /// Every kind, in the order of the first plans.
    pub const ALL: [Self; 14] = [
        Self::Ordinary,
        Self::NextYear,
        Self::DrugPlan,
        Self::NoDrugs,
        Self::Group,
        Self::SpecialNeeds,
        Self::Medicaid,
        Self::FirstSegment,
        Self::SecondSegment,
        Self::Short,
        Self::RowsOnly,
        Self::NothingPublished,
        Self::NoInsurancePlan,
        Self::NoDrugsEither,
    ];

    /// Whether the plan publishes formulary rows.
    #[must_use]
    pub const fn has_rows(self) -> bool {
        !matches!(self, Self::NoDrugs | Self::NoDrugsEither | Self::NothingPublished)
    }

    /// Whether it publishes Lists.
    #[must_use]
    pub const fn has_lists(self) -> bool {
        self.has_rows() && !matches!(self, Self::RowsOnly)
    }

    /// The type code, as InsurancePlan states it.
    #[must_use]
    pub const fn type_code(self) -> &'static str {
        match self {
            Self::NoDrugs | Self::NoDrugsEither => "MA",
            Self::DrugPlan => "PDP",
            Self::Medicaid => "Medicaid",
            _ => "MA-PD",
        }
    }
}

/// Part of a service area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// The state's two letters.
    pub state: &'static str,
    /// The county, as the payer writes it; `None` for the whole state.
    pub county: Option<String>,
    /// The county's FIPS code; `None` for a state, and where the name fits none or several.
    pub fips: Option<u32>,
    /// The counties that a name without its suffix, or a former county, may mean.
    pub possible: Vec<u32>,
}

/// A plan of a made payer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its number.
    pub number: u32,
    /// What it is.
    pub kind: Kind,
    /// Its id, with the year.
    pub id: PlanId,
    /// Its name.
    pub name: String,
    /// The formulary that it shares; `None` where it publishes no rows.
    pub formulary: Option<u32>,
    /// Where it is sold, over all its resources.
    pub areas: Vec<Area>,
    /// Its networks, over all its resources, in their numbers' order.
    pub networks: Vec<u32>,
    /// Whether its type is stated.
    pub type_stated: bool,
}

/// One InsurancePlan resource: its plans, and which part of the first plan's areas and networks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InsuranceResource {
    pub(crate) plans: Vec<u32>,
    /// Of a plan that stands in two resources, the first half (0) or the second (1).
    pub(crate) half: Option<u8>,
}

/// All plans of a shape.
pub(crate) fn roster(shape: &Shape, networks: &[Network]) -> Vec<Plan> {
    (0..shape.plans).map(|number| plan(shape, networks, number)).collect()
}

fn plan(shape: &Shape, networks: &[Network], number: u32) -> Plan {
    let kind = Kind::ALL.get(number as usize).copied().unwrap_or(Kind::Ordinary);
    let ordinary = number as usize >= Kind::ALL.len();
    // The next year's plan, and the second segment, are their neighbor's contract.
    let root = match kind {
        Kind::NextYear | Kind::SecondSegment => number - 1,
        _ => number,
    };
    let draw = Draw::of(shape.seed ^ 0x706c, u64::from(root));
    let own = Draw::of(shape.seed ^ 0x706d, u64::from(number));
    let formularies = shape.formularies.max(1);
    let next_year = kind == Kind::NextYear || (ordinary && own.and(1).hits(300_000));
    let id = plan_id(shape, kind, root, number, shape.year + u16::from(next_year));
    let state = match kind {
        Kind::Medicaid => "KY",
        _ => draw.and(2).one_of(&counties::STATES, "IN"),
    };
    let name = name(shape, kind, state, draw);
    let mut areas = areas(shape, kind, number, state, draw);
    let mut networks = networks::of_plan(networks, kind, draw);
    let mut type_stated = !(kind.has_rows() && own.and(3).hits(shape.quirks.rate(Quirk::PlanTypeMissing)));
    if kind == Kind::NoInsurancePlan && shape.quirks.rate(Quirk::PlanWithoutInsurancePlan) > 0 {
        // Nothing says where it is sold, nor what it is.
        areas.clear();
        networks.clear();
        type_stated = false;
    }
    Plan {
        number,
        kind,
        id,
        name,
        formulary: kind.has_rows().then(|| number % formularies),
        areas,
        networks,
        type_stated,
    }
}

fn plan_id(shape: &Shape, kind: Kind, root: u32, number: u32, year: u16) -> PlanId {
    let letter = match kind {
        Kind::DrugPlan => 'S',
        Kind::Short => 'R',
        Kind::Medicaid => 'M',
        _ => 'H',
    };
    // Five plans share a contract; their packages keep them apart.
    let contract = format!("{letter}{}", 9_000 + (u64::from(root / 5) * 37 + shape.seed * 101) % 1_000);
    let pbp = match kind {
        Kind::Group => 801 + root % 150,
        _ => 1 + (root * 7) % 790,
    };
    let segment = match kind {
        Kind::FirstSegment => 1,
        Kind::SecondSegment => 2,
        _ if number as usize >= Kind::ALL.len() && number.is_multiple_of(9) => 1,
        _ => 0,
    };
    MedicarePlan::new(&contract, u16::try_from(pbp).unwrap_or(1), segment, Some(year))
        .map_or_else(|| PlanId::Other(contract), PlanId::Medicare)
}

fn name(shape: &Shape, kind: Kind, state: &str, draw: Draw) -> String {
    let payer = &shape.payer;
    let word = draw.and(4).one_of(&["Gold Plus", "Choice", "Full Access", "Community", "Value", "Harmony"], "Choice");
    match kind {
        Kind::DrugPlan => format!("{payer} Value Rx (PDP)"),
        Kind::NoDrugs | Kind::NoDrugsEither => format!("{payer} Honor {state} (PPO)"),
        Kind::Group => format!("{payer} Group Medicare (PPO)"),
        Kind::SpecialNeeds => format!("{payer} Dual Select {state} (HMO D-SNP)"),
        Kind::Medicaid => format!("{payer} Medicaid Kentucky"),
        Kind::Short => format!("{payer} Regional (Regional PPO)"),
        _ => format!("{payer} {word} {state} ({})", draw.and(5).one_of(&["HMO", "PPO", "HMO-POS"], "HMO")),
    }
}

fn areas(shape: &Shape, kind: Kind, number: u32, state: &'static str, draw: Draw) -> Vec<Area> {
    let statewide = |state| Area { state, county: None, fips: None, possible: Vec::new() };
    let rate = |quirk| shape.quirks.rate(quirk) > 0;
    match kind {
        Kind::DrugPlan | Kind::Medicaid | Kind::Short if rate(Quirk::StatewideArea) => vec![statewide(state)],
        // Sold in the whole table, so that each county's spellings are met.
        Kind::Group => counties::ALL.iter().map(|county| area(shape, number, county)).collect(),
        _ => {
            let mut here: Vec<&County> = counties::ALL.iter().filter(|c| c.state == state).collect();
            let count = here.len();
            let first = usize::try_from(draw.and(6).below(count as u64)).unwrap_or(0);
            here.rotate_left(first.min(count));
            here.truncate(8);
            let mut areas: Vec<Area> = here.into_iter().map(|county| area(shape, number, county)).collect();
            if kind == Kind::NothingPublished && rate(Quirk::CountyUnknown) {
                areas.push(Area {
                    state: "OH",
                    county: Some("Nowhere County".to_owned()),
                    fips: None,
                    possible: Vec::new(),
                });
            }
            if kind == Kind::FirstSegment {
                areas.extend(in_doubt(rate(Quirk::CountyHomonym), rate(Quirk::CountyFormer)));
            }
            areas
        }
    }
}

/// Names that careful readers may take for one county or another.
fn in_doubt(homonyms: bool, former: bool) -> Vec<Area> {
    const HOMONYMS: [(&str, &str, &[u32]); 3] = [
        ("MD", "Baltimore", &[24_005, 24_510]),
        ("MO", "St. Louis", &[29_189, 29_510]),
        ("VA", "RICHMOND", &[51_159, 51_760]),
    ];
    const FORMER: [(&str, &str, &[u32]); 2] =
        [("CT", "Hartford", &[9_110, 9_140, 9_160]), ("CT", "New Haven County", &[9_140, 9_170])];
    let homonyms = HOMONYMS.iter().filter(|_| homonyms);
    let all = homonyms.chain(FORMER.iter().filter(|_| former));
    all.map(|(state, county, possible)| Area {
        state,
        county: Some((*county).to_owned()),
        fips: None,
        possible: possible.to_vec(),
    })
    .collect()
}

fn area(shape: &Shape, plan: u32, county: &County) -> Area {
    let draw = Draw::of(shape.seed ^ 0x6172_6561, u64::from(plan)).and(u64::from(county.code()));
    let spelled = if draw.hits(shape.quirks.rate(Quirk::CountySpelling)) {
        county.spelled(draw.and(1).key())
    } else {
        county.full_name()
    };
    Area { state: county.state, county: Some(spelled), fips: Some(county.code()), possible: Vec::new() }
}

/// Which plans stand in which InsurancePlan resource.
pub(crate) fn insurance_resources(shape: &Shape, plans: &[Plan]) -> Vec<InsuranceResource> {
    let several_in_one = shape.quirks.rate(Quirk::SeveralPlansInOne) > 0;
    let in_several = shape.quirks.rate(Quirk::PlanInSeveral) > 0;
    let hidden = shape.quirks.rate(Quirk::PlanWithoutInsurancePlan) > 0;
    let either = plans.iter().find(|p| p.kind == Kind::NoDrugsEither).map(|p| p.number);
    let mut resources = Vec::with_capacity(plans.len() + 1);
    for plan in plans {
        let plans = match plan.kind {
            Kind::NoInsurancePlan if hidden => continue,
            Kind::NoDrugsEither if several_in_one => continue,
            Kind::NoDrugs if several_in_one => std::iter::once(plan.number).chain(either).collect(),
            _ => vec![plan.number],
        };
        if plan.number == 0 && in_several {
            resources.push(InsuranceResource { plans: plans.clone(), half: Some(0) });
            resources.push(InsuranceResource { plans, half: Some(1) });
        } else {
            resources.push(InsuranceResource { plans, half: None });
        }
    }
    resources
}
