//! Writing packed files; `coverdex_core::build::format::packed` describes and reads them.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use coverdex_core::build::format::packed::{
    ELEMENTS_A_COUNT, MAGIC, MARKS_A_BLOCK, NAME_LENGTH, PADDING, TEXTS_A_BLOCK, VERSION,
};
use coverdex_core::{Error, Result};

/// A packed file in the making: sections are written one after the other.
pub(crate) struct Pack {
    file: BufWriter<File>,
    path: PathBuf,
    at: u64,
    list: Vec<u8>,
    sections: u64,
}

impl Pack {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|e| Error::io(path, &e))?;
        let mut pack = Self {
            file: BufWriter::with_capacity(1 << 20, file),
            path: path.to_owned(),
            at: 0,
            list: Vec::new(),
            sections: 0,
        };
        pack.write(&MAGIC)?;
        Ok(pack)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.at += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|e| Error::io(&self.path, &e))
    }

    fn section(&mut self, name: &str, width: usize, bytes: &[u8]) -> Result<()> {
        let mut entry = name.as_bytes().to_vec();
        if entry.len() > NAME_LENGTH {
            return Err(Error::invalid(format!("section {name}"), "its name is too long"));
        }
        entry.resize(NAME_LENGTH, 0);
        for number in [width as u64, self.at, bytes.len() as u64] {
            entry.extend(number.to_le_bytes());
        }
        self.list.extend(entry);
        self.sections += 1;
        self.write(bytes)?;
        let zeros = PADDING + bytes.len().next_multiple_of(8) - bytes.len();
        self.write([0; PADDING + 8].get(..zeros).unwrap_or(&[0; PADDING + 8]))
    }

    /// Bytes that only their reader understands.
    pub(crate) fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.section(name, 1, bytes)
    }

    /// Numbers, each as wide as the largest needs.
    pub(crate) fn column(&mut self, name: &str, numbers: impl Iterator<Item = u64> + Clone) -> Result<()> {
        let largest = numbers.clone().max().unwrap_or(0);
        self.column_of(name, width_of(largest), numbers)
    }

    /// Numbers of at most four bytes, each as wide as the largest needs.
    pub(crate) fn small(&mut self, name: &str, numbers: &[u32]) -> Result<()> {
        self.column(name, numbers.iter().map(|number| u64::from(*number)))
    }

    /// Signed numbers of four bytes.
    pub(crate) fn signed(&mut self, name: &str, numbers: impl Iterator<Item = i32>) -> Result<()> {
        self.column_of(name, 4, numbers.map(|number| u64::from(number.cast_unsigned())))
    }

    /// Numbers of a given width in bytes.
    pub(crate) fn column_of(&mut self, name: &str, width: usize, numbers: impl Iterator<Item = u64>) -> Result<()> {
        let mut bytes = Vec::with_capacity(numbers.size_hint().0 * width);
        for number in numbers {
            bytes.extend(number.to_le_bytes().iter().take(width));
        }
        self.section(name, width, &bytes)
    }

    /// Records of several numbers, each as wide as the largest at its place needs.
    pub(crate) fn record(&mut self, name: &str, count: usize, numbers: &[&dyn Fn(usize) -> u64]) -> Result<()> {
        let largest = |number: &&dyn Fn(usize) -> u64| (0..count).map(*number).max().unwrap_or(0);
        let widths: Vec<usize> = numbers.iter().map(|number| width_of(largest(number))).collect();
        let stride = widths.iter().sum();
        let mut bytes = Vec::with_capacity(count * stride);
        for at in 0..count {
            for (number, width) in numbers.iter().zip(&widths) {
                bytes.extend(number(at).to_le_bytes().iter().take(*width));
            }
        }
        self.section(name, stride, &bytes)?;
        self.column(&format!("{name}.widths"), widths.iter().map(|width| *width as u64))
    }

    /// Texts in their order, each told by what it shares with the one before.
    pub(crate) fn texts<'a>(&mut self, name: &str, texts: impl Iterator<Item = &'a str>) -> Result<()> {
        let (mut bytes, mut at, mut count) = (Vec::new(), Vec::new(), 0_u32);
        let mut before: &[u8] = &[];
        for text in texts {
            if count.is_multiple_of(TEXTS_A_BLOCK) {
                at.push(bytes.len() as u64);
                before = &[];
            }
            let text = text.as_bytes();
            let shared = before.iter().zip(text).take_while(|(a, b)| a == b).count();
            let own = text.get(shared..).unwrap_or_default();
            leb128(&mut bytes, shared as u64);
            leb128(&mut bytes, own.len() as u64);
            bytes.extend_from_slice(own);
            before = text;
            count += 1;
        }
        at.push(bytes.len() as u64);
        at.push(u64::from(count));
        self.bytes(name, &bytes)?;
        self.column(&format!("{name}.at"), at.iter().copied())
    }

    /// Bits: `starts` are the elements, ascending, at which runs begin.
    pub(crate) fn marks(&mut self, name: &str, elements: usize, starts: impl Iterator<Item = u32>) -> Result<()> {
        let mut words = vec![0_u64; elements.div_ceil(64)];
        for start in starts {
            if let Some(word) = words.get_mut(start as usize / 64) {
                *word |= 1 << (start % 64);
            }
        }
        let mut before = vec![0_u64];
        for block in words.chunks(MARKS_A_BLOCK as usize / 64) {
            let ones: u32 = block.iter().map(|word| word.count_ones()).sum();
            before.push(before.last().copied().unwrap_or(0) + u64::from(ones));
        }
        self.column_of(name, 8, words.into_iter())?;
        self.column(&format!("{name}.rank"), before.iter().copied())
    }

    /// Of `all` elements those that have a fact, ascending, each as often as it has one.
    pub(crate) fn sparse(&mut self, name: &str, all: usize, elements: &[u32]) -> Result<()> {
        let mut before = vec![0_u64];
        for run in 1..=all.div_ceil(ELEMENTS_A_COUNT as usize) as u64 {
            let end = run * u64::from(ELEMENTS_A_COUNT);
            before.push(elements.partition_point(|element| u64::from(*element) < end) as u64);
        }
        self.small(name, elements)?;
        self.column(&format!("{name}.rank"), before.iter().copied())
    }

    /// Writes the list of sections and what the file ends with.
    pub(crate) fn finish(mut self) -> Result<()> {
        let (list_at, list) = (self.at, std::mem::take(&mut self.list));
        self.write(&list)?;
        for number in [list_at, self.sections, VERSION] {
            self.write(&number.to_le_bytes())?;
        }
        self.write(&MAGIC)?;
        self.file.flush().map_err(|e| Error::io(&self.path, &e))
    }
}

/// Bytes that a number needs, at least one.
fn width_of(number: u64) -> usize {
    (64 - number.leading_zeros()).div_ceil(8).max(1) as usize
}

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn leb128(bytes: &mut Vec<u8>, mut number: u64) {
    while let high @ 1.. = number >> 7 {
        bytes.push((number & 127) as u8 | 128);
        number = high;
    }
    bytes.push((number & 127) as u8);
}

#[cfg(test)]
mod tests {
    use coverdex_core::ErrorKind;
    use coverdex_core::build::format::CheckedFile;
    use coverdex_core::build::format::packed::{Damaged, Packed};

    use super::*;

    fn bytes() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("packed");
        let mut pack = Pack::create(&path).unwrap();
        pack.small("narrow", &[1, 255, 0]).unwrap();
        pack.small("three bytes", &[1, 65_536]).unwrap();
        pack.column("five bytes", [1_u64 << 38, 3].into_iter()).unwrap();
        pack.signed("signed", [-1, 5, i32::MIN].into_iter()).unwrap();
        pack.small("empty", &[]).unwrap();
        pack.texts("texts", texts().iter().map(String::as_str)).unwrap();
        pack.texts("no texts", std::iter::empty()).unwrap();
        pack.marks("marks", 3_000, starts().into_iter()).unwrap();
        pack.sparse("sparse", 1_000, &sparse()).unwrap();
        pack.record("record", 3, &[&|at| at as u64, &|at| 1 << (30 + at), &|_| 7]).unwrap();
        pack.bytes("bytes", b"any").unwrap();
        pack.finish().unwrap();
        std::fs::read(&path).unwrap()
    }

    fn texts() -> Vec<String> {
        let mut texts: Vec<String> = (0..100).map(|n| format!("Ärzte {}", n * n)).collect();
        texts.sort();
        texts
    }

    fn starts() -> Vec<u32> {
        (0..3_000)
            .filter(|n| *n == 0 || n % 7 == 3 || (1_000..1_100).contains(n))
            .filter(|n| !(1_500..2_400).contains(n))
            .collect()
    }

    fn sparse() -> Vec<u32> {
        vec![0, 5, 5, 255, 256, 600, 600, 600, 999]
    }

    #[test]
    fn what_is_written_is_read() {
        let packed = Packed::open(CheckedFile::written("test", bytes())).unwrap();
        packed.verify().unwrap();
        let column = |name: &str| packed.numbers(name).unwrap();
        assert_eq!(column("narrow"), [1, 255, 0]);
        assert_eq!(column("three bytes"), [1, 65_536]);
        assert_eq!(packed.column("five bytes").unwrap().wide(0), Ok(1 << 38));
        let signed = packed.column("signed").unwrap();
        assert_eq!([signed.signed(0), signed.signed(1), signed.signed(2)], [Ok(-1), Ok(5), Ok(i32::MIN)]);
        assert_eq!(signed.get(3), Err(Damaged));
        let [first, second, third] = packed.record("record").unwrap();
        for at in 0..3 {
            assert_eq!([&first, &second, &third].map(|c| c.wide(at)), [u64::from(at), 1 << (30 + at), 7].map(Ok));
        }
        assert_eq!([&first, &second, &third].map(|column| column.wide(3)), [Err(Damaged); 3]);
        assert_eq!(packed.record::<2>("record").unwrap_err().kind(), ErrorKind::DatasetDamaged);
        assert_eq!(column("empty"), [0_u32; 0]);
        let bytes = packed.column("bytes").unwrap();
        assert_eq!(bytes.all().unwrap(), b"any".map(u32::from));
        assert_eq!((1..3).map(|at| bytes.numbers(1..3).unwrap().get(at)).collect::<Vec<_>>(), [Ok(110), Ok(121)]);
        assert_eq!([bytes.numbers(1..4).err(), bytes.numbers(1..1).err()], [Some(Damaged), None]);
        assert!(packed.texts("no texts").unwrap().is_empty());
        assert_eq!(packed.column("absent").unwrap_err().kind(), ErrorKind::DatasetDamaged);
    }

    #[test]
    fn texts_are_read_and_found() {
        let packed = Packed::open(CheckedFile::written("test", bytes())).unwrap();
        let (read, want) = (packed.texts("texts").unwrap(), texts());
        assert_eq!(read.iter().collect::<Result<Vec<_>, _>>().unwrap(), want);
        for (index, text) in (0..).zip(&want) {
            assert_eq!(read.get(index).as_ref(), Ok(text));
            assert_eq!(read.find(|other| other.cmp(text.as_bytes())), Ok(Some(index)));
        }
        assert_eq!(read.get(100), Err(Damaged));
        for absent in ["", "Ärzte 2", "zzz"] {
            assert_eq!(read.find(|other| other.cmp(absent.as_bytes())), Ok(None), "{absent}");
        }
    }

    #[test]
    fn marks_count_and_select() {
        let packed = Packed::open(CheckedFile::written("test", bytes())).unwrap();
        let (marks, starts) = (packed.marks("marks").unwrap(), starts());
        assert_eq!(marks.runs() as usize, starts.len());
        for (run, start) in (0..).zip(&starts) {
            let end = starts.get(run as usize + 1).copied().unwrap_or(3_000);
            assert_eq!(marks.run(run, 3_000), Ok(*start..end));
            for element in *start..end {
                assert_eq!(marks.run_of(element), Ok(run));
                assert_eq!(marks.end_of(element, 3_000), Ok(end));
                assert_eq!(marks.is_marked(element), Ok(element == *start));
            }
        }
        assert_eq!(marks.start(marks.runs()), Err(Damaged));
    }

    #[test]
    fn facts_that_few_have_are_found() {
        let packed = Packed::open(CheckedFile::written("test", bytes())).unwrap();
        let facts = packed.sparse("sparse", 1_000).unwrap();
        assert_eq!(facts.len(), sparse().len());
        for element in 0..1_000 {
            let has: Vec<u32> = (0..).zip(sparse()).filter(|(_, own)| *own == element).map(|(at, _)| at).collect();
            assert_eq!(facts.of(element).unwrap().collect::<Vec<_>>(), has, "{element}");
        }
        assert_eq!(facts.of(2_000), Err(Damaged));
        assert_eq!(packed.sparse("sparse", 2_000).unwrap_err().kind(), ErrorKind::DatasetDamaged);
    }

    /// As [`CheckedFile`] sees to it that altered bytes are not read, these have checksums of their own.
    #[test]
    fn crafted_bytes_are_no_panic() {
        let whole = bytes();
        for length in 0..whole.len() {
            let cut = CheckedFile::written("test", whole.get(..length).unwrap().to_vec());
            assert_eq!(Packed::open(cut).unwrap_err().kind(), ErrorKind::DatasetDamaged, "cut at {length}");
        }
        let version_at = whole.len() - 16;
        for (at, with) in (0..whole.len()).flat_map(|at| [(at, 0x40), (at, 0xff)]) {
            let mut altered = whole.clone();
            *altered.get_mut(at).unwrap() ^= with;
            match Packed::open(CheckedFile::written("test", altered)) {
                Ok(packed) => read_all(&packed),
                Err(error) if (version_at..version_at + 8).contains(&at) => {
                    assert_eq!(error.kind(), ErrorKind::DatasetTooNew);
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::DatasetDamaged),
            }
        }
    }

    fn read_all(packed: &Packed) {
        if let Ok(texts) = packed.texts("texts") {
            let _ = (texts.iter().count(), texts.get(50), texts.find(|other| other.cmp(b"\xc3\x84rzte 81")));
        }
        if let Ok(columns) = packed.record::<3>("record") {
            let _ = columns.map(|column| (column.wide(2), column.all()));
        }
        if let Ok(facts) = packed.sparse("sparse", 1_000) {
            let _ = (facts.of(5), facts.of(999));
        }
        if let Ok(marks) = packed.marks("marks") {
            let _ = (marks.run_of(2_900), marks.start(300), marks.end_of(2_900, 3_000), marks.runs());
            for run in [0, 1, marks.runs() / 2, marks.runs().saturating_sub(1), u32::MAX] {
                let _ = marks.run(run, 3_000);
            }
        }
    }
}
