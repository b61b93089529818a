//! Sets of ids of any size in bounded memory: sorted runs on disk, merged when read.
//!
//! A national payer names tens of millions of resources. What must exist (references) and what is
//! there (resources) meet here by the hash of type and id, each with a few bytes of payload.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use coverdex_core::{Error, Result};

/// Bytes kept in memory before a run is written: little, as several spools are open at a time.
const MEMORY: usize = if cfg!(test) { 1 << 10 } else { 2 << 20 };
/// Bytes that an entry costs beside its payload.
const ENTRY: usize = size_of::<Slot>();
/// Runs of about one size that are merged into one, so that open files stay few and nothing is
/// merged again and again.
const ALIKE: usize = if cfg!(test) { 3 } else { 16 };

/// An id's hash and its payload.
pub(crate) type Item = (u128, Vec<u8>);

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u128,
    begin: u32,
    len: u32,
}

/// A set under construction.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    slots: Vec<Slot>,
    payloads: Vec<u8>,
    /// Runs with how often they were merged, which falls from the first to the last.
    runs: Vec<(u32, File)>,
}

impl Spool {
    /// `folder` takes the runs; they have no names and vanish with the process.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), slots: Vec::new(), payloads: Vec::new(), runs: Vec::new() }
    }

    /// Adds an id. Payloads are cut off at 64 KiB: ids and validators are far shorter.
    pub(crate) fn push(&mut self, hash: u128, payload: &[u8]) -> Result<()> {
        let payload = payload.get(..payload.len().min(1 << 16)).unwrap_or_default();
        let begin = u32::try_from(self.payloads.len()).unwrap_or(u32::MAX);
        let len = u32::try_from(payload.len()).unwrap_or_default();
        self.slots.push(Slot { hash, begin, len });
        self.payloads.extend_from_slice(payload);
        if self.slots.len() * ENTRY + self.payloads.len() > MEMORY {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let items = self.sorted_memory();
        let run = self.write_run(items.into_iter().map(Ok))?;
        self.runs.push((0, run));
        while let Some((merged, _)) = self.runs.last() {
            let merged = *merged;
            let first = self.runs.partition_point(|(more, _)| *more > merged);
            if self.runs.len() - first < ALIKE {
                break;
            }
            let alike = self.runs.split_off(first).into_iter().map(|(_, run)| run).collect();
            let run = self.write_run(Sorted::merge(alike, Vec::new(), &self.folder)?)?;
            self.runs.push((merged + 1, run));
        }
        Ok(())
    }

    fn sorted_memory(&mut self) -> Vec<Item> {
        let (slots, payloads) = (std::mem::take(&mut self.slots), std::mem::take(&mut self.payloads));
        let payload =
            |slot: &Slot| payloads.get(slot.begin as usize..(slot.begin + slot.len) as usize).unwrap_or_default();
        let mut slots = slots;
        slots.sort_by(|a, b| a.hash.cmp(&b.hash).then_with(|| payload(a).cmp(payload(b))));
        slots.iter().map(|slot| (slot.hash, payload(slot).to_vec())).collect()
    }

    fn write_run(&self, items: impl Iterator<Item = Result<Item>>) -> Result<File> {
        let io = |e: std::io::Error| refused(&self.folder, &e);
        let file = tempfile::tempfile_in(&self.folder).map_err(io)?;
        let mut to = BufWriter::with_capacity(1 << 16, file);
        for item in items {
            let (hash, payload) = item?;
            to.write_all(&hash.to_le_bytes()).map_err(io)?;
            to.write_all(&u32::try_from(payload.len()).unwrap_or_default().to_le_bytes()).map_err(io)?;
            to.write_all(&payload).map_err(io)?;
        }
        to.into_inner().map_err(|e| io(e.into_error()))
    }

    /// The ids in order of hash, then payload; repeated ones stay.
    pub(crate) fn sorted(mut self) -> Result<Sorted> {
        let memory = self.sorted_memory();
        let runs = std::mem::take(&mut self.runs).into_iter().map(|(_, run)| run).collect();
        Sorted::merge(runs, memory, &self.folder)
    }
}

/// Ids in order.
pub(crate) struct Sorted {
    runs: Vec<BufReader<File>>,
    memory: std::vec::IntoIter<Item>,
    heads: BinaryHeap<Reverse<(u128, Vec<u8>, usize)>>,
    folder: PathBuf,
}

impl Sorted {
    fn merge(runs: Vec<File>, memory: Vec<Item>, folder: &Path) -> Result<Self> {
        let mut sorted = Self {
            runs: Vec::with_capacity(runs.len()),
            memory: memory.into_iter(),
            heads: BinaryHeap::new(),
            folder: folder.to_owned(),
        };
        for mut run in runs {
            run.rewind().map_err(|e| refused(folder, &e))?;
            sorted.runs.push(BufReader::with_capacity(1 << 15, run));
        }
        for source in 0..=sorted.runs.len() {
            sorted.refill(source)?;
        }
        Ok(sorted)
    }

    fn refill(&mut self, source: usize) -> Result<()> {
        let item = match self.runs.get_mut(source) {
            None => self.memory.next(),
            Some(run) => read_item(run).map_err(|e| refused(&self.folder, &e))?,
        };
        self.heads.extend(item.map(|(hash, payload)| Reverse((hash, payload, source))));
        Ok(())
    }

    /// Each id once, with the first of its payloads.
    pub(crate) fn unique(self) -> impl Iterator<Item = Result<Item>> {
        let mut last = None;
        self.filter(move |item| match item {
            Ok((hash, _)) => last.replace(*hash) != Some(*hash),
            Err(_) => true,
        })
    }
}

impl Iterator for Sorted {
    type Item = Result<Item>;

    fn next(&mut self) -> Option<Result<Item>> {
        let Reverse((hash, payload, source)) = self.heads.pop()?;
        match self.refill(source) {
            Ok(()) => Some(Ok((hash, payload))),
            Err(error) => Some(Err(error)),
        }
    }
}

fn refused(folder: &Path, error: &std::io::Error) -> Error {
    Error::io(folder, error).with_hint(
        "see that the disk has room and the staging folder may be written to: temporary files stand there too; what is staged stays, and a sync goes on with it",
    )
}

fn read_item(from: &mut impl Read) -> std::io::Result<Option<Item>> {
    let mut hash = [0; 16];
    match from.read_exact(&mut hash) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut len = [0; 4];
    from.read_exact(&mut len)?;
    let mut payload = vec![0; u32::from_le_bytes(len) as usize];
    from.read_exact(&mut payload)?;
    Ok(Some((u128::from_le_bytes(hash), payload)))
}

/// Pairs each of `wanted` with the first of `have` that has the same id.
pub(crate) fn join(
    wanted: impl Iterator<Item = Result<Item>>,
    have: impl Iterator<Item = Result<Item>>,
) -> impl Iterator<Item = Result<(Item, Option<Vec<u8>>)>> {
    let mut have = have;
    let mut head: Option<Item> = None;
    let mut begun = false;
    wanted.map(move |wanted| {
        let wanted = wanted?;
        while !begun || head.as_ref().is_some_and(|(hash, _)| *hash < wanted.0) {
            begun = true;
            head = have.next().transpose()?;
        }
        let found = head.as_ref().filter(|(hash, _)| *hash == wanted.0).map(|(_, payload)| payload.clone());
        Ok((wanted, found))
    })
}

/// Those of `wanted` that `have` has not.
pub(crate) fn missing(
    wanted: impl Iterator<Item = Result<Item>>,
    have: impl Iterator<Item = Result<Item>>,
) -> impl Iterator<Item = Result<Item>> {
    join(wanted, have).filter_map(|pair| match pair {
        Ok((item, None)) => Some(Ok(item)),
        Ok((_, Some(_))) => None,
        Err(error) => Some(Err(error)),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn spool(items: impl IntoIterator<Item = (u128, &'static str)>) -> Spool {
        let mut spool = Spool::new(&std::env::temp_dir());
        for (hash, payload) in items {
            spool.push(hash, payload.as_bytes()).unwrap();
        }
        spool
    }

    fn numbers(count: u128, step: u128) -> impl Iterator<Item = (u128, &'static str)> {
        (0..count).map(move |i| (((i * 7919) % count) * step, "payload"))
    }

    #[test]
    fn many_runs_come_back_in_order_and_once() {
        for count in [0, 1, 5, 500, 5_000] {
            let made = spool(numbers(count, 3).chain(numbers(count, 3)));
            assert!(count < 500 || !made.runs.is_empty(), "it went to disk");
            let merged: Vec<u32> = made.runs.iter().map(|(merged, _)| *merged).collect();
            assert!(merged.chunk_by(|a, b| a == b).all(|alike| alike.len() < ALIKE), "{merged:?}");
            assert!(merged.is_sorted_by(|a, b| a >= b) && (count < 5_000 || merged[0] > 1), "{merged:?}");
            let all: Vec<_> = made.sorted().unwrap().map(|i| i.unwrap().0).collect();
            assert_eq!(all.len() as u128, 2 * count);
            assert!(all.is_sorted());
            let once: Vec<_> = spool(numbers(count, 3).chain(numbers(count, 3)))
                .sorted()
                .unwrap()
                .unique()
                .map(|i| i.unwrap().0)
                .collect();
            assert_eq!(once, (0..count).map(|i| i * 3).collect::<Vec<_>>());
        }
    }

    #[test]
    fn joins_agree_with_maps() {
        let wanted: Vec<_> = numbers(700, 2).collect();
        let have: Vec<_> =
            numbers(500, 3).map(|(hash, _)| (hash, if hash % 2 == 0 { "even" } else { "odd" })).collect();
        let map: BTreeMap<_, _> = have.iter().copied().collect();
        let sorted = |items: &[(u128, &'static str)]| spool(items.iter().copied()).sorted().unwrap().unique();
        let mut pairs = 0;
        for pair in join(sorted(&wanted), sorted(&have)) {
            let ((hash, payload), found) = pair.unwrap();
            assert_eq!(payload, b"payload");
            assert_eq!(found.as_deref(), map.get(&hash).map(|p| p.as_bytes()));
            pairs += 1;
        }
        assert_eq!(pairs, 700);
        let missing: Vec<_> = missing(sorted(&wanted), sorted(&have)).map(|i| i.unwrap().0).collect();
        assert_eq!(missing, (0..700).map(|i| i * 2).filter(|h| !map.contains_key(h)).collect::<Vec<_>>());
    }

    #[test]
    fn the_smallest_payload_of_an_id_comes_first() {
        let made = spool([(5, "b"), (5, "a"), (4, "z")]);
        let once: Vec<_> = made.sorted().unwrap().unique().map(|i| i.unwrap()).collect();
        assert_eq!(once, [(4, b"z".to_vec()), (5, b"a".to_vec())]);
    }
}
