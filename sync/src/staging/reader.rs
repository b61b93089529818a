//! Reading a staging folder back.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use coverdex_core::{Error, ErrorKind, Result};

use super::record::{self, Begin, Finish, Head, Header, PageHeader, Pass, PassEnd, Place, Purpose};
use super::segment::{self, Segment, Step, Walk};
use super::writer::PassState;
use super::{MARKER, is_staging, read_marker, segment::damaged};

/// A staging folder, open for reading. It may grow meanwhile; what grows later is not seen.
#[derive(Debug)]
pub struct Staging {
    folder: PathBuf,
    source: String,
    segments: Vec<Segment>,
    live: Live,
}

/// What is known from the headers alone: which pages are the payer's word now.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Generations begun, in order.
    pub begun: Vec<Begin>,
    /// Generations ended, in order; one that was taken up again may be here more than once.
    pub finished: Vec<Finish>,
    /// The last complete pass of each query.
    complete: HashMap<String, (u32, u32)>,
    /// How each pass of the newest generation of its query ended, last word first to last.
    pub ends: BTreeMap<String, PassEnd>,
    /// When the last page came, in seconds since 1970 by the reader's clock.
    pub last_second: i64,
    oldest: u32,
}

impl Live {
    pub(super) fn note(&mut self, header: &Header) {
        match header {
            Header::Begin(begin) => self.begun.push(begin.clone()),
            Header::Finish(finish) => {
                self.oldest = self.oldest.max(finish.oldest_live);
                self.finished.push(finish.clone());
            }
            Header::End(end) => {
                if end.complete {
                    let at = (end.pass.generation, end.pass.attempt);
                    let newest = self.complete.entry(end.pass.query.clone()).or_insert(at);
                    *newest = at.max(*newest);
                }
                self.ends.insert(end.pass.query.clone(), end.clone());
            }
            Header::Page(page) => self.last_second = page.second,
        }
    }

    /// Whether a pass's pages are the payer's word now.
    #[must_use]
    pub fn holds(&self, pass: &Pass) -> bool {
        pass.generation >= self.oldest
            && self.complete.get(&pass.query).is_none_or(|newest| (pass.generation, pass.attempt) >= *newest)
    }

    /// The pages of generations before this one are dead.
    #[must_use]
    pub fn oldest_generation(&self) -> u32 {
        self.oldest
    }
}

/// The request that brought a page. There is no method: all of them are GET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Relative to the base address where it lies below it.
    pub url: String,
    /// The resource type asked for.
    pub resource_type: String,
    /// Why it was asked for.
    pub purpose: Purpose,
    /// HTTP status.
    pub status: u16,
}

/// A page as it came.
#[derive(Clone, PartialEq, Eq)]
pub struct Page {
    /// What brought it.
    pub request: Request,
    /// The body, byte for byte: a Bundle, or one resource.
    pub body: Vec<u8>,
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("request", &self.request).field("bytes", &self.body.len()).finish()
    }
}

impl Staging {
    /// Opens a folder and reads the headers of its pages.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetMissing`] if the folder is none of staging,
    /// [`ErrorKind::DatasetDamaged`] if it is not as it was written,
    /// [`ErrorKind::DatasetTooNew`] if a newer Coverdex wrote it. A torn tail is no damage.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        let marker = read_marker(folder)?.ok_or_else(|| {
            if is_staging(folder) {
                return damaged(&folder.join(MARKER), "it is missing");
            }
            Error::new(ErrorKind::DatasetMissing, folder.display().to_string(), "this is no staging folder")
                .with_hint("a sync writes one")
        })?;
        let mut segments = segment::list(folder)?;
        let mut live = Live::default();
        for segment in &mut segments {
            let mut walk = Walk::open(segment)?;
            let end = loop {
                let Step::Record(place, head) = walk.step()? else { break walk.position() };
                if segment.last && matches!(walk.check_body(place, &head)?, Step::Torn(_)) {
                    break place.offset;
                }
                live.note(&head.header);
            };
            segment.limit = Some(end);
        }
        segments.retain(|s| s.limit != Some(0));
        Ok(Self { folder: folder.to_owned(), source: marker.source, segments, live })
    }

    /// What a writer has written so far.
    pub(super) fn snapshot(folder: &Path, source: &str, segments: Vec<Segment>, live: Live) -> Self {
        Self { folder: folder.to_owned(), source: source.to_owned(), segments, live }
    }

    /// The base address that the pages came from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// When the payer's data was read (RFC 3339): the beginning of the last complete reading, or of
    /// the first one if none is complete yet.
    #[must_use]
    pub fn as_of(&self) -> Option<&str> {
        let complete = self.live.finished.iter().rev().find(|f| f.complete).map(|f| f.generation);
        let begun = match complete {
            Some(generation) => self.live.begun.iter().find(|b| b.generation == generation),
            None => self.live.begun.first(),
        };
        begun.map(|b| b.as_of.as_str())
    }

    /// What the headers tell.
    #[must_use]
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// The pages with a body that are the payer's word now, in the order they came. The order means
    /// nothing: passes run side by side.
    #[must_use]
    pub fn pages(&self) -> Pages<'_> {
        self.pages_if(|_| true)
    }

    /// As [`pages`](Self::pages); `wanted` chooses before bodies are read.
    pub fn pages_if<'a>(&'a self, wanted: impl Fn(&PageHeader) -> bool + Send + 'a) -> Pages<'a> {
        Pages(self.live_pages(wanted))
    }

    /// As [`pages`](Self::pages), with all that the header says, also of answers without a body
    /// (404, 410); `wanted` chooses before bodies are read.
    pub fn live_pages<'a>(&'a self, wanted: impl Fn(&PageHeader) -> bool + Send + 'a) -> LivePages<'a> {
        LivePages {
            staging: self,
            wanted: Box::new(wanted),
            next_segment: 0,
            walk: None,
            elsewhere: None,
            with_bodies: true,
            failed: false,
        }
    }

    /// As [`live_pages`](Self::live_pages), without reading any body: each body is empty.
    pub fn live_headers<'a>(&'a self, wanted: impl Fn(&PageHeader) -> bool + Send + 'a) -> LivePages<'a> {
        LivePages { with_bodies: false, ..self.live_pages(wanted) }
    }

    /// The headers of a pass's pages, found from its first page on and no further than its last.
    pub(crate) fn headers_of(&self, state: &PassState) -> Result<Vec<(PageHeader, Place)>> {
        let Some(first) = state.first else { return Ok(Vec::new()) };
        let mut pages = self.live_headers(|page| page.pass == state.pass);
        pages.begin_at(first)?;
        pages.take(state.pages as usize).map(|page| page.map(|(header, place, _)| (header, place))).collect()
    }

    fn segment(&self, number: u32) -> Result<&Segment> {
        self.segments
            .iter()
            .find(|s| s.number == number)
            .ok_or_else(|| damaged(&self.folder, &format!("segment {number} is missing")))
    }
}

/// Iterator over the pages of a staging folder.
pub struct Pages<'a>(LivePages<'a>);

impl Iterator for Pages<'_> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.0.next()? {
                Ok((_, _, body)) if body.is_empty() => {}
                Ok((header, _, body)) => {
                    let PageHeader { url, resource_type, purpose, status, .. } = header;
                    return Some(Ok(Page { request: Request { url, resource_type, purpose, status }, body }));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Iterator over headers, places and bodies.
pub struct LivePages<'a> {
    staging: &'a Staging,
    wanted: Box<dyn Fn(&PageHeader) -> bool + Send + 'a>,
    next_segment: usize,
    walk: Option<Walk>,
    /// An open segment for bodies that stand elsewhere: they mostly follow one another.
    elsewhere: Option<Walk>,
    with_bodies: bool,
    failed: bool,
}

impl LivePages<'_> {
    /// Leaves out what stands before a place.
    fn begin_at(&mut self, place: Place) -> Result<()> {
        let index = self.staging.segments.iter().position(|s| s.number == place.segment);
        if let Some((index, segment)) = index.and_then(|i| Some((i, self.staging.segments.get(i)?))) {
            let mut walk = Walk::open(segment)?;
            walk.begin_at(place.offset);
            (self.next_segment, self.walk) = (index + 1, Some(walk));
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<(PageHeader, Place, Vec<u8>)>> {
        loop {
            let Some(walk) = &mut self.walk else {
                let Some(segment) = self.staging.segments.get(self.next_segment) else { return Ok(None) };
                self.next_segment += 1;
                self.walk = Some(Walk::open(segment)?);
                continue;
            };
            let Step::Record(place, head) = walk.step()? else {
                self.walk = None;
                continue;
            };
            let Header::Page(header) = &head.header else { continue };
            if !self.staging.live.holds(&header.pass) || !(self.wanted)(header) {
                continue;
            }
            let body = if self.with_bodies { self.body(place, &head)? } else { Vec::new() };
            let Header::Page(header) = head.header else { continue };
            return Ok(Some((header, place, body)));
        }
    }

    fn body(&mut self, place: Place, head: &Head) -> Result<Vec<u8>> {
        if let Header::Page(PageHeader { same_as: Some(same), .. }) = &head.header {
            if self.elsewhere.as_ref().is_none_or(|w| w.segment() != same.segment) {
                self.elsewhere = Some(Walk::open(self.staging.segment(same.segment)?)?);
            }
            return self.elsewhere.as_mut().map_or_else(|| Ok(Vec::new()), |walk| Ok(walk.at(*same)?.1));
        }
        let Some(walk) = &mut self.walk else { return Ok(Vec::new()) };
        let stored = walk.stored(place, head)?;
        record::unpack(&stored, head).map_err(|why| walk.damage(place.offset, why))
    }
}

impl Iterator for LivePages<'_> {
    type Item = Result<(PageHeader, Place, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step().transpose();
        self.failed = matches!(step, Some(Err(_)));
        step
    }
}
