//! Opening a staging folder: what is in each segment, what the payer's word is now, how far each pass has come.

use std::path::Path;
use std::sync::{Arc, Mutex};

use coverdex_core::Result;

use super::files::Files;
use super::index::{self, Growing, Index, Listed, Stored, Summary, TooLong};
use super::passes::Passes;
use super::reader::Live;
use super::record::{Header, Place};
use super::segment::{self, Segment, Step, Walk, damaged};

/// Bytes read at once where single records are read.
const AHEAD: usize = 1 << 12;

/// A staging folder as it was found.
#[derive(Debug)]
pub(super) struct Loaded {
    /// All but the last.
    pub(super) closed: Vec<Segment>,
    /// The last segment, where its last good record ends, and what is in it.
    pub(super) last: Option<(Segment, u64, Growing)>,
    pub(super) live: Live,
    pub(super) passes: Passes,
}

/// Who opens a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum As {
    Reader,
    /// It holds the folder, and mends indexes.
    Writer,
}

pub(super) fn load(folder: &Path, files: &Files, opener: As, live: Live) -> Result<Loaded> {
    let mut segments = segment::list(folder)?;
    let last = segments.pop();
    let mut loaded = Loaded { closed: Vec::new(), last: None, live, passes: Passes::default() };
    for mut segment in segments {
        let (index, controls) = closed(&segment, files, opener)?;
        match &index {
            Index::Stored(stored) => loaded.note(segment.number, stored.summary(), &controls),
            Index::Absent(summary) => loaded.note(segment.number, summary, &controls),
            Index::Growing(..) => {}
        }
        segment.index = index;
        loaded.closed.push(segment);
    }
    if let Some(segment) = last {
        let (growing, controls, end) = walk(&segment, files)?;
        loaded.note(segment.number, growing.summary(), &controls);
        loaded.last = Some((segment, end, growing));
    }
    if opener == As::Writer {
        loaded.read_next_links(files)?;
    }
    Ok(loaded)
}

/// Records that are no pages, with their offsets.
type Controls = Vec<(u32, Header)>;

fn closed(segment: &Segment, files: &Files, opener: As) -> Result<(Index, Controls)> {
    let mut at_will = Walk::at_will(segment, files, AHEAD)?;
    // Who may mend looks at all of it.
    if let Some(stored) = Stored::read(segment, &mut at_will, files)
        && (opener == As::Reader || stored.chosen(files, &|_| true).is_some())
        && let Some(controls) = controls(&mut at_will, stored.summary())
    {
        return Ok((Index::Stored(Arc::new(stored)), controls));
    }
    let (mut growing, controls, _) = walk(segment, files)?;
    let index = match opener {
        As::Writer => index::keep(segment, files, &mut growing),
        As::Reader => Index::Absent(Arc::new(growing.into_summary())),
    };
    Ok((index, controls))
}

/// The records that are no pages; `None` where others stand.
fn controls(walk: &mut Walk, summary: &Summary) -> Option<Controls> {
    let control = |offset: &u32| {
        let header = walk.head(u64::from(*offset)).ok()?.header;
        (!matches!(header, Header::Page(_))).then_some((*offset, header))
    };
    summary.controls.iter().map(control).collect()
}

/// Walks over all records, of the last segment with their bodies, to where the last good one ends.
fn walk(segment: &Segment, files: &Files) -> Result<(Growing, Controls, u64)> {
    let (mut walk, mut growing, mut controls) = (Walk::open(segment, files)?, Growing::default(), Vec::new());
    let end = loop {
        let (place, head) = match walk.step()? {
            Step::Record(place, head) => (place, head),
            Step::End => break walk.position(),
            Step::Torn(at) => break at,
        };
        if segment.last
            && let Step::Torn(at) = walk.check_body(place, &head)?
        {
            break at;
        }
        growing.note(&head.header, place.offset).map_err(|TooLong| damaged(&segment.path, "it is too long"))?;
        if !matches!(head.header, Header::Page(_)) {
            controls.push((u32::try_from(place.offset).unwrap_or(u32::MAX), head.header));
        }
    };
    Ok((growing, controls, end))
}

impl Loaded {
    /// Takes in a segment: groups and other records in the order in which they begin. The pages of a pass all stand
    /// before the next generation begins.
    fn note(&mut self, segment: u32, summary: &Summary, controls: &[(u32, Header)]) {
        let mut groups: Vec<_> = summary.groups.iter().collect();
        groups.sort_by_key(|listed| listed.first);
        let mut groups = groups.into_iter().peekable();
        for (offset, header) in controls {
            while let Some(listed) = groups.next_if(|listed| listed.first < *offset) {
                self.note_group(listed, segment);
            }
            self.live.note(header);
            self.passes.note_control(header, Place { segment, offset: (*offset).into() });
        }
        groups.for_each(|listed| self.note_group(listed, segment));
    }

    fn note_group(&mut self, listed: &Listed, segment: u32) {
        self.live.last_second = self.live.last_second.max(listed.sums.last_second);
        self.passes.note_group(listed, segment);
    }

    /// Where passes go on stands in their last pages.
    fn read_next_links(&mut self, files: &Files) -> Result<()> {
        let segments = || self.closed.iter().chain(self.last.iter().map(|(segment, ..)| segment));
        for state in self.passes.open() {
            let Some(last) = state.last else { continue };
            let Some(segment) = segments().find(|segment| segment.number == last.segment) else { continue };
            if let Header::Page(page) = Walk::at_will(segment, files, AHEAD)?.head(last.offset)?.header {
                state.next = page.next;
            }
        }
        Ok(())
    }

    /// As a reader sees it.
    pub(super) fn into_segments(self) -> (Vec<Segment>, Live) {
        let mut segments = self.closed;
        if let Some((segment, end, growing)) = self.last {
            let index = Index::growing(&Arc::new(Mutex::new(growing)));
            segments.push(Segment { limit: Some(end), index, ..segment });
        }
        (segments, self.live)
    }
}
