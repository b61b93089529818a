//! A made payer as a folder of files, in the ways in which folders come.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use coverdex_core::{Error, Result};

use crate::payer::{MadePayer, ResourceType};
use crate::random::Shuffle;

/// How files are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, a member every few thousand resources.
    Gzip,
    /// zstd, a frame every few thousand resources.
    Zstd,
}

/// How resources are put into files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// NDJSON, so many files for each type.
    ByType(u32),
    /// NDJSON, so many files of all types together, under names that say nothing.
    Mixed(u32),
    /// Search bundles of one type, so many resources each.
    Bundles(u32),
    /// A file for each resource, in a folder for each type.
    Single,
}

/// How a folder is written. The resources are the same whatever is chosen here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderOptions {
    /// Which types.
    pub types: Vec<ResourceType>,
    /// How files are packed.
    pub compression: Compression,
    /// How resources are put into files.
    pub arrangement: Arrangement,
    /// In another order than their numbers', by this key.
    pub shuffle: Option<u64>,
    /// Lines that are no JSON, at the end of the first file (NDJSON only).
    pub broken_lines: u32,
    /// Files beside the resources: a text, an empty file, a member's Coverage.
    pub other_files: bool,
    /// Threads that write; the bytes are the same with any number.
    pub threads: usize,
    /// Only so many resources of each type.
    pub at_most: u64,
}

impl Default for FolderOptions {
    /// Everything, one gzip NDJSON file for each type, in order.
    fn default() -> Self {
        Self {
            types: ResourceType::ALL.to_vec(),
            compression: Compression::Gzip,
            arrangement: Arrangement::ByType(1),
            shuffle: None,
            broken_lines: 0,
            other_files: false,
            threads: 2,
            at_most: u64::MAX,
        }
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files with resources.
    pub files: u64,
    /// Resources.
    pub resources: u64,
    /// Bytes of JSON before compression.
    pub json_bytes: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// Resources between two places where a packed file could be cut; a List is as large as hundreds of
/// other resources.
const CHUNK: u64 = 4_096;
const CHUNK_WITH_LISTS: u64 = 16;

/// Types behind each other, each in its numbers' order or all shuffled.
struct Order {
    parts: Vec<(ResourceType, u64)>,
    shuffle: Option<Shuffle>,
}

impl Order {
    fn new(parts: Vec<(ResourceType, u64)>, key: Option<u64>) -> Self {
        let total = parts.iter().map(|(_, n)| n).sum();
        Self { parts, shuffle: key.map(|key| Shuffle::new(total, key)) }
    }

    fn len(&self) -> u64 {
        self.parts.iter().map(|(_, n)| n).sum()
    }

    /// How many resources are written at once.
    fn chunk(&self) -> u64 {
        match self.parts.as_slice() {
            [(ResourceType::List, _)] => CHUNK_WITH_LISTS,
            [_] => CHUNK,
            _ => CHUNK / 4,
        }
    }

    fn at(&self, place: u64) -> Option<(ResourceType, u64)> {
        let mut left = self.shuffle.map_or(place, |shuffle| shuffle.forward(place));
        for (kind, count) in &self.parts {
            if left < *count {
                return Some((*kind, left));
            }
            left -= count;
        }
        None
    }
}

impl MadePayer {
    /// Writes the payer into a folder, which is made if it is not there; files of the same names
    /// are replaced, others are left alone. The same options give the same bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](coverdex_core::ErrorKind::Io) where the folder cannot be written.
    pub fn write_folder(&self, path: impl AsRef<Path>, options: &FolderOptions) -> Result<Written> {
        let folder = path.as_ref();
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, &e))?;
        let parts: Vec<(ResourceType, u64)> = options
            .types
            .iter()
            .map(|kind| (*kind, self.count(*kind).min(options.at_most)))
            .filter(|(kind, count)| *count > 0 || !kind.is_optional())
            .collect();
        let mut written = Written::default();
        match options.arrangement {
            Arrangement::ByType(files) => {
                for part in parts {
                    let order = Order::new(vec![part], options.shuffle);
                    for (nth, range) in split(order.len(), files).enumerate() {
                        let name = if files > 1 {
                            format!("{}-{nth:04}.ndjson", part.0.name())
                        } else {
                            format!("{}.ndjson", part.0.name())
                        };
                        self.write_lines(&folder.join(name), &order, range, options, &mut written)?;
                    }
                }
            }
            Arrangement::Mixed(files) => {
                let order = Order::new(parts, Some(options.shuffle.unwrap_or(0)));
                for (nth, range) in split(order.len(), files).enumerate() {
                    self.write_lines(
                        &folder.join(format!("part-{nth:05}.ndjson")),
                        &order,
                        range,
                        options,
                        &mut written,
                    )?;
                }
            }
            Arrangement::Bundles(size) => {
                for part in parts {
                    let order = Order::new(vec![part], options.shuffle);
                    let pages = order.len().div_ceil(u64::from(size.max(1)));
                    for page in 0..pages {
                        let range = page * u64::from(size)..((page + 1) * u64::from(size)).min(order.len());
                        let text = self.bundle(&order, range.clone());
                        let path = folder.join(format!("{}-page-{page:06}.json", part.0.name()));
                        written.resources += range.end - range.start;
                        written.json_bytes += text.len() as u64;
                        written.bytes += save(&path, options.compression, text.as_bytes())?;
                        written.files += 1;
                    }
                }
            }
            Arrangement::Single => {
                for (kind, count) in parts {
                    let inside = folder.join(kind.name());
                    fs::create_dir_all(&inside).map_err(|e| Error::io(&inside, &e))?;
                    for number in 0..count {
                        let text = self.resource(kind, number);
                        let path = inside.join(format!("{}.json", self.id(kind, number)));
                        written.json_bytes += text.len() as u64;
                        written.bytes += save(&path, options.compression, text.as_bytes())?;
                        written.files += 1;
                        written.resources += 1;
                    }
                }
            }
        }
        if options.other_files {
            other_files(folder)?;
        }
        Ok(written)
    }

    fn write_lines(
        &self,
        path: &Path,
        order: &Order,
        range: Range<u64>,
        options: &FolderOptions,
        written: &mut Written,
    ) -> Result<()> {
        let path = named(path, options.compression);
        let mut file = fs::File::create(&path).map_err(|e| Error::io(&path, &e))?;
        let threads = options.threads.max(1);
        let size = order.chunk();
        let mut next = range.start;
        while next < range.end {
            let chunks: Vec<Range<u64>> = (0..threads as u64)
                .map(|n| (next + n * size).min(range.end)..(next + (n + 1) * size).min(range.end))
                .filter(|chunk| !chunk.is_empty())
                .collect();
            next = chunks.last().map_or(range.end, |chunk| chunk.end);
            let packed: Vec<io::Result<(u64, Vec<u8>)>> = std::thread::scope(|scope| {
                let workers: Vec<_> = chunks
                    .iter()
                    .map(|chunk| {
                        let chunk = chunk.clone();
                        scope.spawn(move || {
                            let text = self.lines(order, chunk);
                            pack(options.compression, text.as_bytes()).map(|packed| (text.len() as u64, packed))
                        })
                    })
                    .collect();
                workers
                    .into_iter()
                    .map(|worker| worker.join().unwrap_or_else(|_| Err(io::Error::other("a writing thread died"))))
                    .collect()
            });
            for chunk in packed {
                let (length, packed) = chunk.map_err(|e| Error::io(&path, &e))?;
                file.write_all(&packed).map_err(|e| Error::io(&path, &e))?;
                written.json_bytes += length;
                written.bytes += packed.len() as u64;
            }
        }
        if written.files == 0 && options.broken_lines > 0 {
            let text: String = (0..options.broken_lines).map(|n| self.broken_line(order, n)).collect();
            let packed = pack(options.compression, text.as_bytes()).map_err(|e| Error::io(&path, &e))?;
            file.write_all(&packed).map_err(|e| Error::io(&path, &e))?;
            written.bytes += packed.len() as u64;
        }
        written.resources += range.end - range.start;
        written.files += 1;
        Ok(())
    }

    fn lines(&self, order: &Order, range: Range<u64>) -> String {
        let mut text = String::with_capacity(1 << 20);
        for (kind, number) in range.filter_map(|place| order.at(place)) {
            self.write(kind, number, &mut text);
            text.push('\n');
        }
        text
    }

    /// The start of a resource, as a cut file has it at its end.
    fn broken_line(&self, order: &Order, nth: u32) -> String {
        let (kind, number) = order.at(u64::from(nth)).unwrap_or((ResourceType::InsurancePlan, 0));
        let text = self.resource(kind, number);
        let half: String = text.chars().take(text.chars().count() / 2).collect();
        half + "\n"
    }

    fn bundle(&self, order: &Order, range: Range<u64>) -> String {
        let mut text = String::from("{\"resourceType\":\"Bundle\",\"type\":\"searchset\",\"entry\":[");
        let start = range.start;
        for place in range {
            let Some((kind, number)) = order.at(place) else { continue };
            if place > start {
                text.push(',');
            }
            let id = self.id(kind, number);
            let _ = write!(text, "{{\"fullUrl\":\"{}/{}/{id}\",\"resource\":", self.base(), kind.name());
            self.write(kind, number, &mut text);
            text.push_str(",\"search\":{\"mode\":\"match\"}}");
        }
        text.push_str("]}");
        text
    }
}

/// `n` cut into `parts` ranges of nearly one length.
fn split(n: u64, parts: u32) -> impl Iterator<Item = Range<u64>> {
    let parts = u64::from(parts.max(1));
    (0..parts).map(move |part| n * part / parts..n * (part + 1) / parts)
}

fn named(path: &Path, compression: Compression) -> PathBuf {
    let suffix = match compression {
        Compression::None => return path.to_owned(),
        Compression::Gzip => ".gz",
        Compression::Zstd => ".zst",
    };
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn pack(compression: Compression, bytes: &[u8]) -> io::Result<Vec<u8>> {
    match compression {
        Compression::None => Ok(bytes.to_vec()),
        Compression::Gzip => {
            let mut packer =
                flate2::write::GzEncoder::new(Vec::with_capacity(bytes.len() / 8), flate2::Compression::fast());
            packer.write_all(bytes)?;
            packer.finish()
        }
        Compression::Zstd => zstd::encode_all(bytes, 1),
    }
}

fn save(path: &Path, compression: Compression, bytes: &[u8]) -> Result<u64> {
    let path = named(path, compression);
    let packed = pack(compression, bytes).map_err(|e| Error::io(&path, &e))?;
    fs::write(&path, &packed).map_err(|e| Error::io(&path, &e))?;
    Ok(packed.len() as u64)
}

/// What lies about in folders and is no part of a payer.
fn other_files(folder: &Path) -> Result<()> {
    let coverage = "{\"resourceType\":\"Coverage\",\"id\":\"c1\",\"status\":\"active\",\"beneficiary\":{\"reference\":\"Patient/MADE-MEMBER-1\"}}\n";
    let others: [(&str, &str); 4] = [
        ("NOTES.txt", "Not a resource.\n"),
        ("empty.ndjson", ""),
        ("Coverage.ndjson", coverage),
        ("settings.json", "{\"page\":50}\n"),
    ];
    for (name, text) in others {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| Error::io(&path, &e))?;
    }
    Ok(())
}
