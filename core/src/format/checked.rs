//! Files whose blocks are compared with their checksums before anything is read from them.
//!
//! The checksums of all files stand in one file, [`CHECKSUMS`], whose SHA-256 the manifest has and
//! which is checked whole at open:
//!
//! ```text
//! magic (8) · bytes of a block (4) · bytes behind it (4) · CRC-32 (4) of each block of each file
//! ```
//!
//! Files stand in the manifest's order, their blocks in the files' order. A checksum covers its block
//! and the [`BEHIND`] bytes behind it, so that a short read needs the block alone that it begins in.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tantivy::directory::OwnedBytes;

use super::files::{State, Watch};
use super::home::Home;
use super::{Manifest, files};
use crate::{Error, Result};

/// The file of checksums.
pub const CHECKSUMS: &str = "checksums.bin";

/// First bytes of the file of checksums.
const MAGIC: [u8; 8] = *b"CvdxSums";

const HEADER_LENGTH: usize = 16;

/// Bytes of a block, as a power of two.
const BLOCK_BITS: u32 = 14;

/// Bytes of a block.
const BLOCK: usize = 1 << BLOCK_BITS;

/// Bytes behind a block that its checksum covers too.
const BEHIND: usize = 64;

/// No block, where one may stand.
const NONE: usize = usize::MAX;

/// Damaged bytes were met where something is read: a checksum does not fit, or a number points
/// nowhere. The file that they are in says which it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// What is there unless bytes are damaged.
pub(crate) trait DamagedIfNone<T> {
    /// `None` is damage.
    fn damaged_if_none(self) -> Result<T, Damaged>;
}

impl<T> DamagedIfNone<T> for Option<T> {
    #[inline]
    fn damaged_if_none(self) -> Result<T, Damaged> {
        self.ok_or(Damaged)
    }
}

/// Takes a file's bytes in pieces of any length and gives the checksums of its blocks.
#[cfg(feature = "build")]
#[derive(Debug, Default)]
pub struct BlockChecksums {
    done: Vec<u32>,
    rest: Vec<u8>,
}

#[cfg(feature = "build")]
impl BlockChecksums {
    /// The next bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(block) = self.rest.get(from..from + BLOCK + BEHIND) {
            self.done.push(crc32fast::hash(block));
            from += BLOCK;
        }
        self.rest.drain(..from);
    }

    /// The checksums of all bytes.
    #[must_use]
    pub fn finish(mut self) -> Vec<u32> {
        let last = (0..self.rest.len())
            .step_by(BLOCK)
            .filter_map(|from| self.rest.get(from..self.rest.len().min(from + BLOCK + BEHIND)).map(crc32fast::hash));
        self.done.extend(last);
        self.done
    }
}

/// The checksums of a dataset's files.
#[derive(Clone, Debug, Default)]
pub struct Checksums {
    of_files: Arc<BTreeMap<String, Arc<[u32]>>>,
    home: Home,
}

impl Checksums {
    /// The file of checksums, of files in the manifest's order.
    #[must_use]
    pub fn encode<'a>(files: impl Iterator<Item = &'a [u32]>) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let numbers = [BLOCK, BEHIND].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(files.flatten().flat_map(|sum| sum.to_le_bytes()));
        bytes
    }

    /// The checksums of these files.
    #[cfg(feature = "build")]
    #[must_use]
    pub fn of_files(files: impl IntoIterator<Item = (String, Vec<u32>)>) -> Self {
        Self {
            of_files: Arc::new(files.into_iter().map(|(path, sums)| (path, sums.into())).collect()),
            home: Home::default(),
        }
    }

    /// Reads the checksums of a dataset, checked against its manifest.
    pub(crate) fn read(folder: &Path, manifest: &Manifest, home: &Home) -> Result<Self> {
        let entry = manifest.file(CHECKSUMS);
        let entry = entry.ok_or_else(|| Error::damaged(super::MANIFEST, format!("it names no {CHECKSUMS}")))?;
        let path = folder.join(CHECKSUMS);
        // Its length follows from those of the other files; nothing longer is read.
        let others = || manifest.files.iter().filter(|file| file.path != CHECKSUMS);
        let sums = others().try_fold(0_u64, |all, file| all.checked_add(file.length.div_ceil(BLOCK as u64)));
        let length = sums.and_then(|sums| sums.checked_mul(4)?.checked_add(HEADER_LENGTH as u64));
        let damaged = |what: &str| Error::damaged(path.display().to_string(), what);
        if length != Some(entry.length) {
            return Err(damaged("it does not have a checksum for each block"));
        }
        let bytes = files::read_hashed(folder, entry)?;
        let (header, sums) = bytes.split_at_checked(HEADER_LENGTH).unwrap_or_default();
        if header != Self::encode(std::iter::empty()) {
            return Err(damaged("it is no file of checksums of this format"));
        }
        let mut sums = sums.as_chunks::<4>().0.iter().map(|sum| u32::from_le_bytes(*sum));
        let of_files = others().map(|file| {
            let count = usize::try_from(file.length.div_ceil(BLOCK as u64)).unwrap_or(usize::MAX);
            (file.path.clone(), sums.by_ref().take(count).collect())
        });
        Ok(Self { of_files: Arc::new(of_files.collect()), home: home.clone() })
    }

    /// Those of one file, by its path inside the dataset.
    pub(crate) fn of(&self, path: &str) -> Option<Arc<[u32]>> {
        self.of_files.get(path).cloned()
    }

    /// The dataset whose files they are of.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }
}

/// A file's bytes, each block of which is compared with its checksum when it is first read.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    file: Arc<File>,
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    bytes: OwnedBytes,
    sums: Arc<[u32]>,
    /// Whether each block is known to be as it was written.
    checked: Arc<[AtomicBool]>,
    /// The block that was found altered last.
    altered: AtomicUsize,
    home: Home,
    watch: Option<Watch>,
}

impl CheckedFile {
    /// Maps a file of a dataset's folder.
    pub(crate) fn map(folder: &Path, path: &str, checksums: &Checksums) -> Result<Self> {
        Self::map_with(folder, path, checksums, |_| Ok(None))
    }

    /// The same for a file that [`Self::check_unchanged`] looks at before it is read.
    pub(crate) fn map_watched(folder: &Path, path: &str, checksums: &Checksums) -> Result<Self> {
        // Watched before it is mapped: whatever is written later is seen.
        Self::map_with(folder, path, checksums, |whole| Watch::of(whole).map(Some))
    }

    fn map_with(
        folder: &Path,
        path: &str,
        checksums: &Checksums,
        watch: impl FnOnce(&Path) -> Result<Option<Watch>>,
    ) -> Result<Self> {
        let whole = folder.join(path);
        let sums = checksums.of(path);
        let sums = sums.ok_or_else(|| Error::damaged(super::MANIFEST, format!("it does not name {path}")))?;
        let mapped = || {
            // Nothing but a file is opened.
            files::length(folder, path)?;
            let watch = watch(&whole)?;
            let mut file = Self::new(whole.clone(), files::map(folder, path)?, sums, checksums.home.clone())
                .ok_or_else(|| Error::damaged(whole.display().to_string(), "it is not as long as the manifest says"))?;
            if let Some(file) = Arc::get_mut(&mut file.file) {
                file.watch = watch;
            }
            Ok(file)
        };
        mapped().map_err(|error| checksums.home.judge(error))
    }

    fn new(path: PathBuf, bytes: OwnedBytes, sums: Arc<[u32]>, home: Home) -> Option<Self> {
        let blocks = bytes.len().div_ceil(BLOCK);
        let checked = (0..blocks).map(|_| AtomicBool::new(false)).collect();
        let file = File { path, bytes, sums, checked, altered: AtomicUsize::new(NONE), home, watch: None };
        (file.sums.len() == blocks).then_some(Self { file: Arc::new(file) })
    }

    /// Bytes that are as they are written, for who has just written them.
    #[cfg(feature = "build")]
    #[must_use]
    pub fn written(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        let mut sums = BlockChecksums::default();
        sums.take(&bytes);
        let blocks = bytes.len().div_ceil(BLOCK);
        let file = File {
            path: path.into(),
            bytes: OwnedBytes::new(bytes),
            sums: sums.finish().into(),
            checked: (0..blocks).map(|_| AtomicBool::new(false)).collect(),
            altered: AtomicUsize::new(NONE),
            home: Home::default(),
            watch: None,
        };
        Self { file: Arc::new(file) }
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.file.bytes.len()
    }

    /// Whether there is none.
    #[cfg(feature = "build")]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.file.bytes.is_empty()
    }

    /// A part of it; `None` if it lies outside.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<FilePart> {
        let inside = range.start <= range.end && range.end <= self.len();
        let bytes = inside.then(|| self.file.bytes.slice(range.clone()))?;
        Some(FilePart { bytes, from: range.start, checked: Arc::clone(&self.file.checked), file: self.clone() })
    }

    /// Compares the blocks that these bytes are in with their checksums.
    pub(crate) fn check(&self, range: Range<usize>) -> Result<(), Damaged> {
        if range.is_empty() {
            return Ok(());
        }
        // What lies behind the last block's first bytes is covered by the block before.
        let last = range.end.saturating_sub(BEHIND).max(range.start) >> BLOCK_BITS;
        for block in range.start >> BLOCK_BITS..=last {
            if !self.file.checked.get(block).is_some_and(|checked| checked.load(Ordering::Relaxed)) {
                self.check_block(block)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn check_block(&self, block: usize) -> Result<(), Damaged> {
        let file = &self.file;
        let from = block << BLOCK_BITS;
        let bytes = file.bytes.get(from..file.bytes.len().min(from + BLOCK + BEHIND)).ok_or(Damaged)?;
        if file.sums.get(block) != Some(&crc32fast::hash(bytes)) {
            file.altered.store(block, Ordering::Relaxed);
            return Err(Damaged);
        }
        if let Some(checked) = file.checked.get(block) {
            checked.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// All bytes.
    pub(crate) fn bytes(&self) -> &OwnedBytes {
        &self.file.bytes
    }

    /// Compares every block with its checksum, whether it was before or not.
    pub(crate) fn check_all(&self) -> Result<(), Damaged> {
        (0..self.len().div_ceil(BLOCK)).try_for_each(|block| self.check_block(block))
    }

    /// An error where the file was written to since it was opened and is not as it was: what was read of it since
    /// may be another dataset's. Compares its bytes again only if it was written to.
    #[inline]
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        match self.file.watch.as_ref().and_then(Watch::changed_lately) {
            None => Ok(()),
            Some(state) => self.check_again(state),
        }
    }

    #[cold]
    fn check_again(&self, state: State) -> Result<()> {
        // Who reads what was cut off of a mapped file is ended by the system.
        let is_as_long = state.0 == self.len() as u64;
        let Some(watch) = self.file.watch.as_ref().filter(|_| is_as_long) else {
            return Err(self.file.home.replaced());
        };
        self.check_all().map_err(|Damaged| self.file.home.replaced())?;
        watch.accept(state);
        Ok(())
    }

    /// What to say of the file where damaged bytes were met.
    #[must_use]
    pub fn error(&self) -> Error {
        if self.file.watch.as_ref().and_then(Watch::changed).is_some() {
            return self.file.home.replaced();
        }
        let what = match self.file.altered.load(Ordering::Relaxed) {
            NONE => "its content was altered: a number points nowhere".to_owned(),
            block => {
                let from = block << BLOCK_BITS;
                let to = self.len().min(from + BLOCK + BEHIND);
                format!("its content was altered: bytes {from} to {to} do not fit their checksum")
            }
        };
        self.file.home.judge(Error::damaged(self.file.path.display().to_string(), what))
    }
}

/// A part of a checked file.
#[derive(Clone, Debug)]
pub(crate) struct FilePart {
    bytes: OwnedBytes,
    /// Where it begins in the file.
    from: usize,
    checked: Arc<[AtomicBool]>,
    file: CheckedFile,
}

impl FilePart {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The same without its first bytes; nothing if there are not so many.
    pub(crate) fn behind(&self, skipped: usize) -> Self {
        let skipped = skipped.min(self.bytes.len());
        Self { bytes: self.bytes.slice(skipped..self.bytes.len()), from: self.from + skipped, ..self.clone() }
    }

    /// The eight bytes from `at` on.
    #[inline]
    pub(crate) fn word(&self, at: usize) -> Result<u64, Damaged> {
        let word = self.bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(Damaged)?;
        self.check_short(at)?;
        Ok(u64::from_le_bytes(*word))
    }

    /// Checks what begins at `at` and is no longer than [`BEHIND`].
    #[inline]
    pub(crate) fn check_short(&self, at: usize) -> Result<(), Damaged> {
        let at = self.from + at;
        match self.checked.get(at >> BLOCK_BITS) {
            Some(checked) if checked.load(Ordering::Relaxed) => Ok(()),
            _ => self.file.check_block(at >> BLOCK_BITS),
        }
    }

    /// Bytes in a range.
    #[inline]
    pub(crate) fn slice(&self, range: Range<usize>) -> Result<&[u8], Damaged> {
        let bytes = self.bytes.get(range.clone()).ok_or(Damaged)?;
        if bytes.len() <= BEHIND {
            if !bytes.is_empty() {
                self.check_short(range.start)?;
            }
        } else {
            self.file.check(self.from + range.start..self.from + range.end)?;
        }
        Ok(bytes)
    }

    /// All of its bytes, checked.
    pub(crate) fn into_checked(self) -> Result<OwnedBytes, Damaged> {
        self.slice(0..self.bytes.len())?;
        Ok(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|at| u8::try_from(at * at % 251).unwrap()).collect()
    }

    #[test]
    fn checksums_do_not_depend_on_how_the_bytes_come() {
        for length in [0, 1, BEHIND, BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + BEHIND, 3 * BLOCK + BEHIND + 5] {
            let bytes = bytes(length);
            let mut whole = BlockChecksums::default();
            whole.take(&bytes);
            let mut parts = BlockChecksums::default();
            bytes.chunks(1_000).for_each(|part| parts.take(part));
            let whole = whole.finish();
            assert_eq!(whole, parts.finish());
            assert_eq!(whole.len(), length.div_ceil(BLOCK));
        }
    }

    #[test]
    fn an_altered_byte_is_met_by_every_read_of_it_and_by_no_other() {
        let length = 3 * BLOCK + 100;
        let right = CheckedFile::written("right", bytes(length));
        for at in [0, 7, BLOCK - 1, BLOCK, BLOCK + BEHIND - 1, BLOCK + BEHIND, 2 * BLOCK + 7, length - 1] {
            let mut altered = bytes(length);
            altered[at] ^= 1;
            let sums = Arc::clone(&right.file.sums);
            let file = CheckedFile::new("altered".into(), OwnedBytes::new(altered), sums, Home::default()).unwrap();
            let part = file.part(0..length).unwrap();
            for from in (0..length - 8).step_by(5).chain([at.saturating_sub(7), at.min(length - 8)]) {
                let meets = (from..from + 8).contains(&at);
                let read = part.word(from);
                assert!(!meets || read.is_err(), "{at} {from}");
                let touches_its_block = (from >> BLOCK_BITS..=(from + 7) >> BLOCK_BITS)
                    .any(|block| (block << BLOCK_BITS..(block << BLOCK_BITS) + BLOCK + BEHIND).contains(&at));
                assert_eq!(read.is_err(), touches_its_block && read.is_err(), "{at} {from}");
                for long in [1, 100, BLOCK, 2 * BLOCK] {
                    let range = from..(from + long).min(length);
                    assert!(!range.contains(&at) || part.slice(range.clone()).is_err(), "{at} {range:?}");
                }
            }
            assert!(file.check_all().is_err());
            assert!(file.error().message().contains("checksum"), "{}", file.error());
        }
        assert_eq!(right.check_all(), Ok(()));
        assert_eq!(right.part(0..length).unwrap().slice(length..length + 1), Err(Damaged));
        assert!(right.part(0..length + 1).is_none());
    }
}
