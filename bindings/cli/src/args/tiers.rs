//! What the publisher says of tiers, as it is typed.

use clap::Args;
use coverdex_core::{Error, Result};
use coverdex_sync::tiers::TierMap;

/// What tiers mean that code and words do not explain.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TierArgs {
    /// What a tier means: its code (or code and words) = `covered`, `not_covered`, `unknown` or a level, such as
    /// `Z=specialty`; may be given several times
    #[arg(long = "tier", value_name = "TIER=MEANING")]
    pub(crate) tiers: Vec<String>,
}

impl TierArgs {
    pub(crate) fn map(&self) -> Result<TierMap> {
        let mut map = TierMap::default();
        for text in &self.tiers {
            // Words may have an equals sign, meanings have none.
            let (tier, meaning) = text.rsplit_once('=').ok_or_else(|| {
                Error::invalid(format!("tier {text:?}"), "it has no equals sign")
                    .with_hint("write it as --tier Z=covered, or --tier \"Z Ask the plan=not_covered\"")
            })?;
            map.insert(tier, meaning)?;
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_as_they_are_typed() {
        let typed = |texts: &[&str]| TierArgs { tiers: texts.iter().map(|text| (*text).to_owned()).collect() }.map();
        let map = typed(&["Z=covered", "A=B Words=not-covered"]).unwrap();
        assert_eq!(map.read("Z", None).0.status.as_str(), "covered");
        assert_eq!(map.read("A=B", Some("words")).0.status.as_str(), "not_covered");
        for (wrong, named) in
            [("Z", "tier \"Z\""), ("Z=maybe", "tiers, key \"Z\", value \"maybe\""), ("=covered", "tiers")]
        {
            assert_eq!(typed(&[wrong]).unwrap_err().subject(), named);
        }
    }
}
