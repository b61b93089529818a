//! What writes: text goes out, quirks are drawn and remembered.

use std::fmt::Write as _;

use crate::quirks::{Quirk, QuirkSet, Quirks};
use crate::random::Draw;

/// A resource while it is written.
pub(crate) struct Ink<'a> {
    pub(crate) out: &'a mut String,
    quirks: &'a Quirks,
    draw: Draw,
    shown: QuirkSet,
}

impl<'a> Ink<'a> {
    pub(crate) fn new(out: &'a mut String, quirks: &'a Quirks, key: u64) -> Self {
        Self { out, quirks, draw: Draw::of(key, 0x696e), shown: QuirkSet::default() }
    }

    /// The quirks written so far.
    pub(crate) fn shown(&self) -> QuirkSet {
        self.shown
    }

    /// A draw of this resource.
    pub(crate) fn draw(&self, what: u64) -> Draw {
        self.draw.and(what)
    }

    /// Whether this resource has a quirk; if so, it will be known to show it.
    pub(crate) fn hit(&mut self, quirk: Quirk) -> bool {
        self.hit_at(quirk, 0)
    }

    /// The same for the `nth` place in the resource where the quirk may stand.
    pub(crate) fn hit_at(&mut self, quirk: Quirk, nth: u64) -> bool {
        let hit = self.draw(0x0001_0000 + quirk as u64).and(nth).hits(self.quirks.rate(quirk));
        if hit {
            self.note(quirk);
        }
        hit
    }

    /// A quirk that the model decided on.
    pub(crate) fn note(&mut self, quirk: Quirk) {
        self.shown.insert(quirk);
    }

    pub(crate) fn raw(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    /// A JSON string.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.out.push('"');
        if text.bytes().any(|b| b == b'"' || b == b'\\' || b < b' ') {
            for c in text.chars() {
                match c {
                    '"' => self.out.push_str("\\\""),
                    '\\' => self.out.push_str("\\\\"),
                    c if c < ' ' => {
                        let _ = write!(self.out, "\\u{:04x}", u32::from(c));
                    }
                    c => self.out.push(c),
                }
            }
        } else {
            self.out.push_str(text);
        }
        self.out.push('"');
        self
    }

    /// `"key":"text"`.
    pub(crate) fn field(&mut self, key: &str, text: &str) -> &mut Self {
        self.text(key).raw(":").text(text)
    }

    pub(crate) fn number(&mut self, n: impl std::fmt::Display) -> &mut Self {
        let _ = write!(self.out, "{n}");
        self
    }

    /// `{"resourceType":…,"id":…,"meta":{…` with the meta still open behind its last member.
    pub(crate) fn open(&mut self, kind: &str, id: &str, year: u16) -> &mut Self {
        self.raw("{").field("resourceType", kind).raw(",").field("id", id).raw(",");
        if self.hit(Quirk::DuplicateKey) {
            self.field("resourceType", kind).raw(",");
        }
        self.raw("\"meta\":{\"versionId\":\"");
        let version = self.draw(1);
        if self.hit(Quirk::VersionIdIsUuid) {
            let (a, b) = (version.key(), version.and(1).key());
            let _ = write!(
                self.out,
                "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
                a >> 32,
                (a >> 16) & 0xffff,
                a & 0xfff,
                b >> 52,
                b & 0xffff_ffff_ffff
            );
        } else {
            let counter = 1 + version.below(45);
            self.number(counter);
        }
        self.raw("\"");
        if !self.hit(Quirk::LastUpdatedMissing) {
            self.raw(",\"lastUpdated\":\"");
            self.instant(year);
            self.raw("\"");
        }
        self
    }

    /// A moment in the first half of the year, in one of the spellings that payers mix.
    fn instant(&mut self, year: u16) {
        const MONTHS: [u64; 6] = [31, 28, 31, 30, 31, 30];
        let draw = self.draw(2);
        let mut day = draw.below(MONTHS.iter().sum());
        let mut month = 1;
        for days in MONTHS {
            if day < days {
                break;
            }
            day -= days;
            month += 1;
        }
        let second = draw.and(1).below(86_400);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let _ = write!(self.out, "{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}", day + 1);
        match draw.and(2).below(6) {
            0..=2 => {
                let _ = write!(self.out, ".{:07}+00:00", draw.and(3).below(10_000_000));
            }
            3 | 4 => {
                let _ = write!(self.out, ".{:03}+00:00", draw.and(3).below(1_000));
            }
            _ => {
                let _ = write!(self.out, ".{:03}-05:00", draw.and(3).below(1_000));
            }
        }
    }
}
