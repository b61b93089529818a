//! `coverdex providers` and `coverdex provider`.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use coverdex_core::{
    NetworkKind, PageToken, Place, PracticingAtQuestion, ProviderKind, ProviderQuestion, ProvidersQuestion, kilometers,
};

use super::drugs::SourcesArgs;

/// Whose networks a question is about.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct InNetworkArgs {
    /// In any network of this plan, by id in any spelling or by exact name
    #[arg(long, value_name = "PLAN", conflicts_with = "network")]
    pub(crate) plan: Option<String>,
    /// In this network, by system and id: the label is no key
    #[arg(long, value_name = "SYSTEM|ID")]
    pub(crate) network: Option<String>,
    /// In a network of this kind only
    #[arg(long, value_name = "KIND")]
    pub(crate) network_kind: Option<NetworkKindArg>,
}

/// What is asked of providers.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    pub(crate) networks: InNetworkArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Specialty as the directory writes it, in plain words (`heart doctor`), or a NUCC taxonomy code
    #[arg(long, value_name = "SPECIALTY")]
    pub(crate) specialty: Option<String>,
    /// Words of the provider's name; the last one may be unfinished
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// A person or an organization
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<ProviderKindArg>,
    /// Gender as the directory states it, or its first letter
    #[arg(long, value_name = "GENDER")]
    pub(crate) gender: Option<String>,
    /// Language as the directory states it
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: Option<String>,
    /// Only those who say that they take new patients
    #[arg(long)]
    pub(crate) accepting: bool,
    /// Only in this city
    #[arg(long, value_name = "CITY")]
    pub(crate) city: Option<String>,
}

/// `coverdex providers`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ProvidersArgs {
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Everyone at this address, with its ZIP or state, in any spelling; without a suite in the whole house
    #[arg(long, value_name = "TEXT")]
    pub(crate) address: Option<String>,
    /// Everyone who is reached by this phone number
    #[arg(long, value_name = "NUMBER")]
    pub(crate) phone: Option<String>,
    /// Results at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
    /// Results to pass over first
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "page")]
    pub(crate) offset: u32,
    /// The next page, as the one before it names it
    #[arg(long, value_name = "TOKEN")]
    pub(crate) page: Option<String>,
}

/// `coverdex explain provider`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExplainProviderArgs {
    /// Any NPI of the provider, or words of its name
    #[arg(value_name = "NPI|NAME")]
    pub(crate) provider: String,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) sources: SourcesArgs,
}

/// Where providers are looked for.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PlaceArgs {
    /// Everyone in this county, then those around it: `Baltimore city, MD`, or its FIPS code
    #[arg(long, value_name = "COUNTY", conflicts_with_all = ["zip", "at", "state"])]
    pub(crate) county: Option<String>,
    /// Around a ZIP
    #[arg(long, value_name = "ZIP", conflicts_with_all = ["at", "state"])]
    pub(crate) zip: Option<String>,
    /// Around a point, in degrees
    #[arg(long, value_name = "LAT,LON", allow_hyphen_values = true, conflicts_with = "state")]
    pub(crate) at: Option<String>,
    /// In a state, by name
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<String>,
    /// Radius, such as 25mi or 40km; a number alone is miles [default: 25 miles; from a county as
    /// far beyond its farthest border point]
    #[arg(long, value_name = "RADIUS", conflicts_with_all = ["within_km", "state"])]
    pub(crate) within: Option<Radius>,
    /// Radius in kilometers
    #[arg(long, value_name = "N", conflicts_with = "state", value_parser = parse_km)]
    pub(crate) within_km: Option<Radius>,
}

/// `coverdex provider`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProviderArgs {
    /// Any NPI of the provider: ten digits
    #[arg(value_name = "NPI")]
    pub(crate) npi: String,
    /// Words of its name, where several providers state the NPI
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) networks: InNetworkArgs,
}

/// A radius as it is typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Radius {
    pub(crate) km: f64,
}

impl FromStr for Radius {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim().to_ascii_lowercase();
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let of_unit: fn(f64) -> f64 = match text.get(number.len()..).unwrap_or_default() {
            "" | "mi" | "mile" | "miles" => kilometers,
            "km" | "kilometer" | "kilometers" => |km| km,
            _ => return Err("a radius is in miles or kilometers, such as 25mi or 40km".to_owned()),
        };
        Self::of_km(number.trim(), of_unit)
    }
}

impl Radius {
    fn of_km(number: &str, of_unit: impl Fn(f64) -> f64) -> Result<Self, String> {
        match number.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(Self { km: of_unit(number) }),
            _ => Err("a radius is a number, 0 or more, such as 25mi or 40km".to_owned()),
        }
    }
}

fn parse_km(text: &str) -> Result<Radius, String> {
    Radius::of_km(text.trim(), |km| km)
}

impl PlaceArgs {
    /// The place that was named.
    pub(crate) fn place(&self) -> Option<Place> {
        let county = self.county.clone().map(Place::County);
        let others = [self.zip.clone().map(Place::Zip), self.at.clone().map(Place::Point)];
        county.or_else(|| others.into_iter().flatten().next()).or_else(|| self.state.clone().map(Place::State))
    }

    /// The radius that was typed.
    pub(crate) fn radius_km(&self) -> Option<f64> {
        self.within.or(self.within_km).map(|radius| radius.km)
    }
}

impl ProviderArgs {
    /// What is asked of a dataset.
    pub(crate) fn question(&self) -> ProviderQuestion {
        ProviderQuestion {
            npi: self.npi.clone(),
            name: self.name.clone(),
            plan: self.networks.plan.clone(),
            network: self.networks.network.clone(),
            network_kind: self.networks.network_kind.map(Into::into),
        }
    }
}

impl SearchArgs {
    /// What is asked of a dataset.
    pub(crate) fn question(&self) -> ProvidersQuestion {
        ProvidersQuestion {
            plan: self.networks.plan.clone(),
            network: self.networks.network.clone(),
            network_kind: self.networks.network_kind.map(Into::into),
            place: self.place.place(),
            radius_km: self.place.radius_km(),
            specialty: self.specialty.clone(),
            name: self.name.clone(),
            kind: self.kind.map(Into::into),
            gender: self.gender.clone(),
            language: self.language.clone(),
            accepting: self.accepting,
            city: self.city.clone(),
            ..ProvidersQuestion::default()
        }
    }

    /// Whether anything is asked at all.
    fn asks(&self) -> bool {
        let (networks, place) = (&self.networks, &self.place);
        let named = [&networks.plan, &networks.network, &place.county, &place.zip, &place.at, &place.state];
        let sought = [&self.specialty, &self.name, &self.gender, &self.language, &self.city];
        let narrowed = self.accepting || self.kind.is_some() || networks.network_kind.is_some();
        narrowed || named.into_iter().chain(sought).any(Option::is_some)
    }

    /// What the grammar alone cannot refuse.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let place = &self.place;
        if place.radius_km().is_some() && place.county.is_none() && place.zip.is_none() && place.at.is_none() {
            return Err("a radius is around something: add --county, --zip or --at");
        }
        Ok(())
    }
}

impl ProvidersArgs {
    /// What is asked of a dataset.
    pub(crate) fn question(&self) -> ProvidersQuestion {
        ProvidersQuestion {
            limit: number(self.limit),
            offset: number(self.offset),
            page: self.page.clone().map(PageToken::new),
            ..self.search.question()
        }
    }

    /// What is asked of a dataset where an address or a phone number is named.
    pub(crate) fn at(&self) -> Option<PracticingAtQuestion> {
        let (address, phone) = (self.address.clone(), self.phone.clone());
        (address.is_some() || phone.is_some()).then(|| PracticingAtQuestion {
            address,
            phone,
            limit: number(self.limit),
            page: self.page.clone().map(PageToken::new),
        })
    }

    /// What the grammar alone cannot refuse.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.address.is_some() || self.phone.is_some() {
            if self.search.asks() || self.search.place.radius_km().is_some() || self.offset > 0 {
                return Err(
                    "an address or a phone number is asked for alone: everyone there is shown, with all networks",
                );
            }
            return Ok(());
        }
        self.search.check()?;
        if !self.search.asks() {
            return Err("name a plan or a network, and a place: --plan PLAN --county COUNTY");
        }
        Ok(())
    }
}

fn number(typed: u32) -> usize {
    usize::try_from(typed).unwrap_or(usize::MAX)
}

/// A provider's kind as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProviderKindArg {
    /// A person (NPI type 1)
    Individual,
    /// An organization (NPI type 2)
    Organization,
}

impl From<ProviderKindArg> for ProviderKind {
    fn from(kind: ProviderKindArg) -> Self {
        match kind {
            ProviderKindArg::Individual => Self::Individual,
            ProviderKindArg::Organization => Self::Organization,
        }
    }
}

/// A network's kind as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetworkKindArg {
    /// Pharmacies
    Pharmacy,
    /// Vision
    Vision,
    /// Medical and dental
    #[value(alias = "dental")]
    Medical,
}

impl From<NetworkKindArg> for NetworkKind {
    fn from(kind: NetworkKindArg) -> Self {
        match kind {
            NetworkKindArg::Pharmacy => Self::Pharmacy,
            NetworkKindArg::Vision => Self::Vision,
            NetworkKindArg::Medical => Self::Medical,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Command, CommandLine};

    fn parse(line: &[&str]) -> Result<ProvidersArgs, clap::Error> {
        let line = ["coverdex", "providers"].iter().chain(line);
        let line = CommandLine::try_parse_from(line)?;
        line.check()?;
        let Command::Providers(args) = line.command else { panic!("another command") };
        Ok(args)
    }

    #[test]
    fn a_radius_is_in_miles_or_kilometers() {
        for (text, km) in [
            ("25mi", 40.2336),
            ("25", 40.2336),
            (" 25 Miles ", 40.2336),
            ("0.5mile", 0.804_672),
            ("40km", 40.0),
            ("40.5 kilometers", 40.5),
            ("0", 0.0),
        ] {
            let radius: Radius = text.parse().unwrap();
            assert!((radius.km - km).abs() < 1e-9, "{text}: {radius:?}");
        }
        for text in ["", "mi", "-1", "inf", "NaN", "25 yards", "25m", "1e999"] {
            assert!(text.parse::<Radius>().is_err(), "{text}");
        }
        let by_number = parse(&["--county", "24510", "--within-km", "50"]).unwrap();
        assert_eq!(by_number.search.place.radius_km(), Some(50.0));
        assert_eq!(parse(&["--zip", "21201"]).unwrap().search.place.radius_km(), None);
    }

    #[test]
    fn a_point_may_lie_south_and_west() {
        let args = parse(&["--plan", "H1234-567", "--at", "-14.27,-170.7", "--within", "10mi"]).unwrap();
        assert_eq!(args.search.place.at.as_deref(), Some("-14.27,-170.7"));
    }

    #[test]
    fn what_cannot_be_asked_together_is_refused() {
        for line in [
            &[][..],
            &["--limit", "5"],
            &["--plan", "H1", "--network", "a|1"],
            &["--county", "24510", "--zip", "21201"],
            &["--county", "24510", "--state", "MD"],
            &["--zip", "21201", "--at", "39,-76"],
            &["--state", "MD", "--within", "5mi"],
            &["--plan", "H1", "--within", "5mi"],
            &["--zip", "21201", "--within", "5mi", "--within-km", "8"],
            &["--zip", "21201", "--within-km", "-8"],
            &["--zip", "21201", "--kind", "clinic"],
            &["--zip", "21201", "--network-kind", "hospital"],
            &["--zip", "21201", "--limit", "0"],
            &["--phone", "6022300777", "--zip", "21201"],
            &["--address", "9 Elm St, Rolla MO 65401", "--accepting"],
            &["--zip", "21201", "--offset", "20", "--page", "x"],
        ] {
            assert!(parse(line).is_err(), "{line:?}");
        }
        for line in [
            &["--network-kind", "dental"][..],
            &["--name", "smi"],
            &["--state", "MD"],
            &["--accepting"],
            &["--phone", "6022300777"],
        ] {
            assert!(parse(line).is_ok(), "{line:?}");
        }
    }
}
