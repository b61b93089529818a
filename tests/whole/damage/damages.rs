//! What may happen to a file.

use std::fs;
use std::path::Path;

use coverdex_core::build::format::{BlockChecksums, CHECKSUMS, Checksums, dataset_id};
use serde_json::{Value, json};

/// A small generator: a run can be had again by its seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.number() % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

/// What can be done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Damage {
    /// One bit flipped.
    Flip,
    /// Several bits flipped, here and there.
    Flips,
    /// Some of it zeros, as of a disk block that was never written.
    Zeros,
    /// Some of it anything.
    Noise,
    /// Two blocks in each other's place.
    Swapped,
    /// A block where another should be.
    Repeated,
    /// A byte lost, and all behind it moved.
    Shifted,
    /// A number as large as it can be, or none.
    Number,
    /// The end lost.
    Truncated,
    /// Something behind the end.
    Appended,
    /// The same file of another dataset, as long as this one.
    Foreign,
    /// The same file of another dataset.
    ForeignWhole,
    /// No file.
    Removed,
}

impl Damage {
    pub(super) const ALL: [Self; 13] = [
        Self::Flip,
        Self::Flips,
        Self::Zeros,
        Self::Noise,
        Self::Swapped,
        Self::Repeated,
        Self::Shifted,
        Self::Number,
        Self::Truncated,
        Self::Appended,
        Self::Foreign,
        Self::ForeignWhole,
        Self::Removed,
    ];

    /// A file's bytes after it happened; `None`: the file is gone. `other` is the same file of another
    /// dataset.
    pub(super) fn done_to(self, whole: &[u8], other: &[u8], random: &mut Random) -> Option<Vec<u8>> {
        let mut bytes = whole.to_vec();
        let length = bytes.len();
        let block = |random: &mut Random| {
            let size = [16, 512, 4_096, 16_384][random.below(4)].min(length / 3 + 1);
            let from = random.below(length - size + 1);
            from..from + size
        };
        match self {
            Self::Flip => bytes[random.below(length)] ^= 1 << random.below(8),
            Self::Flips => {
                for _ in 0..2 + random.below(20) {
                    bytes[random.below(length)] ^= 1 << random.below(8);
                }
            }
            Self::Zeros => bytes[block(random)].fill(0),
            Self::Noise => bytes[block(random)].fill_with(|| random.number().to_le_bytes()[3]),
            Self::Swapped => {
                let size = [64, 512, 4_096][random.below(3)].min(length / 2);
                let [a, b] = [(); 2].map(|()| random.below(length / size.max(1)) * size);
                for at in 0..size {
                    bytes.swap(a + at, b + at);
                }
            }
            Self::Repeated => {
                let from = block(random);
                let to = random.below(length - from.len() + 1);
                bytes.copy_within(from, to);
            }
            Self::Shifted => {
                bytes.remove(random.below(length));
                bytes.push(0);
            }
            Self::Number => {
                let (width, with) = ([1, 2, 4, 8][random.below(4)], [0, 0xff, 0x7f, 0x80][random.below(4)]);
                let from = random.below(length.saturating_sub(width) + 1);
                bytes[from..length.min(from + width)].fill(with);
            }
            Self::Truncated => bytes.truncate(random.below(length)),
            Self::Appended => bytes.extend((0..=random.below(5_000)).map(|_| random.number().to_le_bytes()[0])),
            Self::Foreign => {
                bytes = other.to_vec();
                bytes.resize(length, 0);
            }
            Self::ForeignWhole => bytes = other.to_vec(),
            Self::Removed => return None,
        }
        Some(bytes)
    }
}

/// Writes a changed manifest under its own, right id.
pub(super) fn reseal(dataset: &Path, change: impl FnOnce(&mut Value)) {
    let path = dataset.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    let blank = "0".repeat(64);
    manifest["dataset"] = json!(blank);
    let bytes = serde_json::to_vec_pretty(&manifest).unwrap();
    let id = dataset_id(&bytes, &blank);
    fs::write(&path, String::from_utf8(bytes).unwrap().replacen(&blank, &id, 1)).unwrap();
}

/// Gives a dataset's altered files checksums and a manifest that fit them, as who means harm would.
pub(super) fn craft(dataset: &Path) {
    let manifest: Value = serde_json::from_slice(&fs::read(dataset.join("manifest.json")).unwrap()).unwrap();
    let mut sums: Vec<Vec<u32>> = Vec::new();
    let mut lengths: Vec<u64> = Vec::new();
    for file in manifest["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        let bytes = fs::read(dataset.join(path)).unwrap_or_default();
        lengths.push(u64::try_from(bytes.len()).unwrap());
        if path != CHECKSUMS {
            let mut blocks = BlockChecksums::default();
            blocks.take(&bytes);
            sums.push(blocks.finish());
        }
    }
    let checksums = Checksums::encode(sums.iter().map(Vec::as_slice));
    fs::write(dataset.join(CHECKSUMS), &checksums).unwrap();
    reseal(dataset, |manifest| {
        for (file, length) in manifest["files"].as_array_mut().unwrap().iter_mut().zip(lengths) {
            let is_checksums = file["path"] == CHECKSUMS;
            file["length"] = json!(if is_checksums { u64::try_from(checksums.len()).unwrap() } else { length });
            if is_checksums {
                file["sha256"] = json!(sha256(&checksums));
            }
        }
    });
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest as _, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
