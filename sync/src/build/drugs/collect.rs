//! Taking in what the sources say of drugs and plans, in any order and from several threads.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use coverdex_core::PlanId;
use coverdex_core::Result;
use sha2::{Digest as _, Sha256};

use super::areas;
use crate::build::intern::Interner;
use crate::build::shelves::{Fields, Record, Shelves};
use crate::model::{
    AreaReference, Content, DrugFacts, DrugList, EntryState, Fact, FormularyEntry, PlanFacts, Received, ResourceKind,
    ServiceArea, SourceId, Stamp, Tier,
};

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// Shelves that resources and references are spread over, by the first byte of their identity.
const SHELVES: usize = 256;

/// What an entry says beside its drug and its plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct EntryTerms {
    pub(super) tiers: Vec<Tier>,
    pub(super) prior_authorization: Option<bool>,
    pub(super) step_therapy: Option<bool>,
    pub(super) quantity_limit: Option<bool>,
    pub(super) mail_order: Option<bool>,
    pub(super) inactive: bool,
}

/// A MedicationKnowledge or a Medication, in few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrugRecord {
    pub(super) source: u128,
    pub(super) stamp: i64,
    /// The number of its version and 1; 0: it has none.
    pub(super) number: u64,
    /// True for a MedicationKnowledge.
    pub(super) is_entry: bool,
    /// Number of its [`DrugFacts`]; [`NONE`]: not understood.
    pub(super) drug: u32,
    /// Number of its plan; [`NONE`]: names none.
    pub(super) plan: u32,
    /// Number of its [`EntryTerms`], or of the reason why it was not understood.
    pub(super) terms: u32,
    /// Quarantined, or of no use.
    pub(super) quarantined: bool,
}

impl Record for DrugRecord {
    const LENGTH: usize = 46;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.source.to_le_bytes());
        bytes.extend(self.stamp.to_le_bytes());
        bytes.extend(self.number.to_le_bytes());
        bytes.push(u8::from(self.is_entry));
        bytes.push(u8::from(self.quarantined));
        bytes.extend(self.drug.to_le_bytes());
        bytes.extend(self.plan.to_le_bytes());
        bytes.extend(self.terms.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            source: fields.u128(),
            stamp: fields.i64(),
            number: fields.u64(),
            is_entry: fields.u8() == 1,
            quarantined: fields.u8() == 1,
            drug: fields.u32(),
            plan: fields.u32(),
            terms: fields.u32(),
        }
    }
}

/// A List's reference to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    pub(super) target: u128,
    /// Number of the List.
    pub(super) list: u32,
}

impl Record for Reference {
    const LENGTH: usize = 20;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.target.to_le_bytes());
        bytes.extend(self.list.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Self {
        Self { target: fields.u128(), list: fields.u32() }
    }
}

/// A version of a resource that is kept whole.
#[derive(Clone, Debug)]
pub(super) struct Version<T> {
    pub(super) source: SourceId,
    pub(super) stamp: Stamp,
    /// The number of the version, where it has one: of two of one date the higher counts.
    pub(super) number: Option<u64>,
    /// Whether what it says is known.
    pub(super) readable: bool,
    /// Settles which of two versions of one date and number is taken, whatever came first.
    pub(super) tie: [u8; 32],
    pub(super) content: std::result::Result<T, Refused>,
}

/// Why a resource gives nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) quarantined: bool,
    pub(super) reason: String,
}

/// Everything that was said of drugs and plans.
pub(super) struct Said {
    pub(super) drugs: Interner<DrugFacts>,
    pub(super) terms: Interner<EntryTerms>,
    pub(super) plans: Interner<PlanId>,
    pub(super) reasons: Interner<String>,
    pub(super) records: Shelves<DrugRecord>,
    pub(super) references: Shelves<Reference>,
    /// Lists without their entries, which are among the references.
    pub(super) lists: Vec<Version<DrugList>>,
    pub(super) offers: Vec<Version<Vec<PlanFacts>>>,
    /// What each Location is as a service area, by its newest version.
    pub(super) areas: HashMap<SourceId, (Stamp, Option<u64>, ServiceArea)>,
}

/// Collects facts about drugs and plans.
pub(crate) struct Collector(Mutex<Said>);

impl Collector {
    /// `folder` takes what does not fit in memory.
    pub(crate) fn new(folder: &Path) -> Self {
        Self(Mutex::new(Said {
            drugs: Interner::default(),
            terms: Interner::default(),
            plans: Interner::default(),
            reasons: Interner::default(),
            records: Shelves::new(SHELVES, folder),
            references: Shelves::new(SHELVES, folder),
            lists: Vec::new(),
            offers: Vec::new(),
            areas: HashMap::new(),
        }))
    }

    /// Takes resources of the drug half; others are passed over.
    pub(crate) fn take(&self, batch: Vec<Received>) -> Result<()> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for received in batch {
            said.take(received)?;
        }
        Ok(())
    }

    pub(super) fn into_said(self) -> Said {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn shelf(source: u128) -> usize {
    usize::from(source.to_be_bytes()[0])
}

fn refused(content: Content) -> std::result::Result<Fact, Refused> {
    match content {
        Content::Fact(fact) => Ok(fact),
        Content::Quarantined(reason) => Err(Refused { quarantined: true, reason }),
        Content::OfNoUse(reason) => Err(Refused { quarantined: false, reason }),
    }
}

impl Said {
    /// The area that a reference means: that of its Location, else its words.
    pub(super) fn area(&self, reference: &AreaReference) -> Option<ServiceArea> {
        let known = self.areas.get(&reference.place).map(|(_, _, area)| area.clone());
        known.or_else(|| Some(ServiceArea { state: None, county: Some(reference.words.clone()?) }))
    }

    fn take(&mut self, received: Received) -> Result<()> {
        let Received { kind, source, updated: stamp, version, content, .. } = received;
        match kind {
            ResourceKind::FormularyEntry | ResourceKind::Drug => {
                self.take_drug(kind, source, (stamp, version), content)
            }
            ResourceKind::DrugList => self.take_list(source, (stamp, version), content),
            ResourceKind::Plan => {
                let content = match refused(content) {
                    Ok(Fact::Plans(plans)) => Ok(plans),
                    Ok(_) => return Ok(()),
                    Err(refused) => Err(refused),
                };
                let tie = Sha256::digest(format!("{content:?}")).into();
                let readable = content.is_ok();
                self.offers.push(Version { source, stamp, number: version, readable, tie, content });
                Ok(())
            }
            ResourceKind::Place => {
                if let Content::Fact(Fact::Place(place)) = content
                    && let Some(area) = areas::of_place(&place)
                {
                    let known = self.areas.entry(source).or_insert_with(|| (stamp, version, area.clone()));
                    let this = (stamp, version, area);
                    if *known < this {
                        *known = this;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn take_drug(
        &mut self,
        kind: ResourceKind,
        source: SourceId,
        (stamp, number): (Stamp, Option<u64>),
        content: Content,
    ) -> Result<()> {
        let is_entry = kind == ResourceKind::FormularyEntry;
        let mut record = DrugRecord {
            source: source.0,
            stamp: stamp.0.unwrap_or(i64::MIN),
            number: number.map_or(0, |number| number.saturating_add(1)),
            is_entry,
            drug: NONE,
            plan: NONE,
            terms: NONE,
            quarantined: false,
        };
        match refused(content) {
            Ok(Fact::FormularyEntry(entry)) => {
                let (terms, plan, drug) = split_entry(entry);
                record.terms = self.terms.number(terms);
                record.plan = plan.map_or(NONE, |plan| self.plans.number(plan));
                record.drug = self.drugs.number(drug);
            }
            Ok(Fact::Drug(drug)) => record.drug = self.drugs.number(drug),
            Ok(_) => return Ok(()),
            Err(refused) => {
                record.quarantined = refused.quarantined;
                record.terms = self.reasons.number(refused.reason);
            }
        }
        self.records.put(shelf(source.0), &record)
    }

    fn take_list(&mut self, source: SourceId, (stamp, version): (Stamp, Option<u64>), content: Content) -> Result<()> {
        let content = match refused(content) {
            Ok(Fact::DrugList(mut list)) => {
                let mut entries = std::mem::take(&mut list.entries);
                entries.sort_unstable();
                entries.dedup();
                let number = u32::try_from(self.lists.len()).unwrap_or(NONE);
                let mut tie = Sha256::new();
                tie.update(format!("{list:?}"));
                for entry in &entries {
                    tie.update(entry.0.to_be_bytes());
                    self.references.put(shelf(entry.0), &Reference { target: entry.0, list: number })?;
                }
                let readable = list.lost.is_none();
                let tie = tie.finalize().into();
                self.lists.push(Version { source, stamp, number: version, readable, tie, content: Ok(list) });
                return Ok(());
            }
            Ok(_) => return Ok(()),
            Err(refused) => refused,
        };
        let tie = Sha256::digest(format!("{content:?}")).into();
        self.lists.push(Version { source, stamp, number: version, readable: false, tie, content: Err(content) });
        Ok(())
    }
}

fn split_entry(entry: FormularyEntry) -> (EntryTerms, Option<PlanId>, DrugFacts) {
    let terms = EntryTerms {
        tiers: entry.tiers,
        prior_authorization: entry.prior_authorization,
        step_therapy: entry.step_therapy,
        quantity_limit: entry.quantity_limit,
        mail_order: entry.mail_order,
        inactive: entry.state == EntryState::Inactive,
    };
    (terms, entry.plan, entry.drug)
}

/// The version of a resource that counts.
pub(super) struct Newest<'a, T> {
    /// Its number among all versions.
    pub(super) at: usize,
    pub(super) version: &'a Version<T>,
    /// Others of its date and number that can be read and say something else: none of them is the newest.
    pub(super) rivals: Vec<&'a Version<T>>,
}

/// Of several versions of each resource the newest, by identity; the second value counts the others.
pub(super) fn newest<T>(versions: &[Version<T>]) -> (Vec<Newest<'_, T>>, u64) {
    let mut order: Vec<(usize, &Version<T>)> = versions.iter().enumerate().collect();
    // Of two of one date and number the one that can be read, whatever came first.
    order.sort_by_key(|(_, version)| (version.source, version.stamp, version.readable, version.tie));
    let kept: Vec<Newest<'_, T>> = order
        .chunk_by(|a, b| a.1.source == b.1.source)
        .filter_map(|same| {
            let stamp = same.last()?.1.stamp;
            let of_date = || same.iter().filter(|(_, version)| version.stamp == stamp);
            let highest = of_date().filter_map(|(_, version)| version.number).max();
            // A version without a number is neither older nor newer than one of the same date.
            let last = || of_date().filter(|(_, version)| version.number.is_none() || version.number == highest);
            let (at, version) = last().next_back()?;
            let is_rival = |other: &Version<T>| other.readable && other.tie != version.tie;
            let mut rivals: Vec<&Version<T>> =
                last().map(|(_, other)| *other).filter(|other| is_rival(other)).collect();
            rivals.dedup_by_key(|rival| rival.tie);
            Some(Newest { at: *at, version, rivals })
        })
        .collect();
    let repeats = (versions.len() - kept.len()) as u64;
    (kept, repeats)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(stamp: i64, number: Option<u64>, tie: u8) -> Version<()> {
        let (source, stamp, content) = (SourceId(1), Stamp(Some(stamp)), Ok(()));
        Version { source, stamp, number, readable: true, tie: [tie; 32], content }
    }

    #[test]
    fn of_one_date_the_higher_number_counts() {
        for (versions, kept, rivals) in [
            (vec![version(1, Some(9), 9), version(2, Some(1), 1)], 1, 0),
            (vec![version(2, Some(10), 1), version(2, Some(9), 9)], 0, 0),
            (vec![version(2, Some(9), 9), version(2, Some(9), 8), version(2, Some(3), 7)], 0, 1),
            (vec![version(2, None, 9), version(2, Some(4), 8), version(2, Some(5), 7)], 0, 1),
            (vec![version(2, Some(5), 7), version(2, Some(5), 7)], 1, 0),
        ] {
            let (newest, _) = newest(&versions);
            let only = &newest[0];
            assert_eq!(
                (newest.len(), only.version.tie, only.rivals.len()),
                (1, versions[kept].tie, rivals),
                "{versions:?}"
            );
        }
    }
}
