//! Reading a staging folder back.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use coverdex_core::{Error, ErrorKind, Result};

use super::files::Files;
use super::index::{self, Group, Sums};
use super::load::{As, load};
use super::record::{Begin, Finish, Head, Header, PageHeader, Pass, PassEnd, Place, Purpose};
use super::segment::{Segment, Walk};
use super::{MARKER, is_staging, read_marker, segment::damaged};

/// Bytes read at once with bodies, and without.
const AHEAD: [usize; 2] = [1 << 16, 1 << 12];

/// A staging folder, open for reading. It may grow meanwhile; what grows later is not seen.
#[derive(Debug)]
pub struct Staging {
    folder: PathBuf,
    source: String,
    segments: Vec<Segment>,
    live: Live,
    files: Arc<Files>,
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
    /// The same of single types, where it is newer.
    oldest_of: HashMap<String, u32>,
    /// The last generation that is looked at, if not all are.
    until: Option<u32>,
}

impl Live {
    /// Of generations up to one, if that is given.
    pub(super) fn until(generation: Option<u32>) -> Self {
        Self { until: generation, ..Self::default() }
    }

    pub(super) fn note(&mut self, header: &Header) {
        let generation = match header {
            Header::Begin(begin) => begin.generation,
            Header::Finish(finish) => finish.generation,
            Header::End(end) => end.pass.generation,
            Header::Page(page) => page.pass.generation,
        };
        if self.until.is_some_and(|until| generation > until) {
            return;
        }
        match header {
            Header::Begin(begin) => self.begun.push(begin.clone()),
            Header::Finish(finish) => {
                self.oldest = self.oldest.max(finish.oldest_live);
                for (resource_type, oldest) in &finish.oldest_of {
                    let of_type = self.oldest_of.entry(resource_type.clone()).or_default();
                    *of_type = (*oldest).max(*of_type);
                }
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

    /// Whether a pass's pages of a type are the payer's word now.
    #[must_use]
    pub fn holds(&self, resource_type: &str, pass: &Pass) -> bool {
        let oldest = self.oldest_of.get(resource_type).map_or(self.oldest, |of_type| self.oldest.max(*of_type));
        pass.generation >= oldest
            && self.until.is_none_or(|until| pass.generation <= until)
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
        Self::open_as(folder.as_ref(), None)
    }

    /// As [`open`](Self::open), as the folder was when a generation was the newest.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_until(folder: impl AsRef<Path>, generation: u32) -> Result<Self> {
        Self::open_as(folder.as_ref(), Some(generation))
    }

    fn open_as(folder: &Path, until: Option<u32>) -> Result<Self> {
        let marker = read_marker(folder)?.ok_or_else(|| {
            if is_staging(folder) {
                return damaged(&folder.join(MARKER), "it is missing");
            }
            Error::new(ErrorKind::DatasetMissing, folder.display().to_string(), "this is no staging folder")
                .with_hint("a sync writes one")
        })?;
        let files = Arc::default();
        let (segments, live) = load(folder, &files, As::Reader, Live::until(until))?.into_segments();
        Ok(Self { folder: folder.to_owned(), source: marker.source, segments, live, files })
    }

    /// What a writer has written so far.
    pub(super) fn snapshot(
        folder: &Path,
        source: &str,
        segments: Vec<Segment>,
        live: Live,
        files: &Arc<Files>,
    ) -> Self {
        let (folder, source, files) = (folder.to_owned(), source.to_owned(), Arc::clone(files));
        Self { folder, source, segments, live, files }
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

    /// The groups of pages that are the payer's word now, each for each segment that has some of it. No page is read.
    pub fn groups(&self) -> impl Iterator<Item = (&Group, &Sums)> {
        let groups = self.segments.iter().flat_map(|segment| segment.index.groups());
        groups.filter(|(group, _)| self.live.holds(&group.resource_type, &group.pass))
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
        self.live_pages_of(|_| true, wanted)
    }

    /// As [`live_pages`](Self::live_pages), without reading any body: each body is empty.
    pub fn live_headers<'a>(&'a self, wanted: impl Fn(&PageHeader) -> bool + Send + 'a) -> LivePages<'a> {
        self.live_headers_of(|_| true, wanted)
    }

    /// As [`live_pages`](Self::live_pages), of the groups that are `chosen` alone: other pages are not touched.
    pub fn live_pages_of<'a>(
        &'a self,
        chosen: impl Fn(&Group) -> bool + Send + 'a,
        wanted: impl Fn(&PageHeader) -> bool + Send + 'a,
    ) -> LivePages<'a> {
        let records = Records::new(chosen, AHEAD[0]);
        LivePages { staging: self, wanted: Box::new(wanted), records, elsewhere: None, with_bodies: true }
    }

    /// As [`live_pages_of`](Self::live_pages_of), without reading any body: each body is empty.
    pub fn live_headers_of<'a>(
        &'a self,
        chosen: impl Fn(&Group) -> bool + Send + 'a,
        wanted: impl Fn(&PageHeader) -> bool + Send + 'a,
    ) -> LivePages<'a> {
        let records = Records::new(chosen, AHEAD[1]);
        LivePages { staging: self, wanted: Box::new(wanted), records, elsewhere: None, with_bodies: false }
    }

    /// Where the pages of `chosen` groups stand that are the payer's word now. Nothing of them is read:
    /// [`page_at`](Self::page_at) does, in any thread.
    pub fn places<'a>(
        &'a self,
        chosen: impl Fn(&Group) -> bool + Send + 'a,
    ) -> impl Iterator<Item = Result<Place>> + Send + 'a {
        let mut records = Records::new(chosen, AHEAD[0]);
        std::iter::from_fn(move || records.next_place(self).transpose())
    }

    /// The page at a place, with its body.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if no page stands there.
    pub fn page_at(&self, place: Place) -> Result<(PageHeader, Vec<u8>)> {
        let mut walk = self.walk(place.segment, AHEAD[1])?;
        let head = walk.head(place.offset)?;
        let Header::Page(page) = &head.header else { return Err(walk.damage(place.offset, NO_PAGE)) };
        let body = match page.same_as {
            None => walk.body(place.offset, &head)?,
            Some(same) => {
                let mut elsewhere = self.walk(same.segment, AHEAD[1])?;
                let head = elsewhere.head(same.offset)?;
                elsewhere.body(same.offset, &head)?
            }
        };
        match head.header {
            Header::Page(page) => Ok((page, body)),
            _ => Err(walk.damage(place.offset, NO_PAGE)),
        }
    }

    /// The headers of a pass's pages, one after the other; none if they are not the payer's word now.
    pub(crate) fn into_headers_of(self, pass: &Pass) -> HeadersOf {
        let pass = pass.clone();
        HeadersOf { staging: self, records: Records::new(move |group| group.pass == pass, AHEAD[1]) }
    }

    #[cfg(test)]
    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    #[cfg(test)]
    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    fn segment(&self, number: u32) -> Result<&Segment> {
        self.segments
            .iter()
            .find(|s| s.number == number)
            .ok_or_else(|| damaged(&self.folder, &format!("segment {number} is missing")))
    }

    fn walk(&self, segment: u32, ahead: usize) -> Result<Walk> {
        Walk::at_will(self.segment(segment)?, &self.files, ahead)
    }
}

const NO_PAGE: &str = "no page stands there: remove the index beside it, it is made anew";

/// The records of chosen groups that are live, one after the other.
struct Records<'a> {
    chosen: Box<dyn Fn(&Group) -> bool + Send + 'a>,
    next_segment: usize,
    /// The segment under way, and where its records stand that are still to come.
    here: Option<(u32, vec::IntoIter<u32>)>,
    walk: Option<Walk>,
    ahead: usize,
    failed: bool,
}

impl<'a> Records<'a> {
    fn new(chosen: impl Fn(&Group) -> bool + Send + 'a, ahead: usize) -> Self {
        Self { chosen: Box::new(chosen), next_segment: 0, here: None, walk: None, ahead, failed: false }
    }

    fn next_place(&mut self, of: &Staging) -> Result<Option<Place>> {
        while !self.failed {
            if let Some((segment, offsets)) = &mut self.here
                && let Some(offset) = offsets.next()
            {
                return Ok(Some(Place { segment: *segment, offset: offset.into() }));
            }
            let Some(segment) = of.segments.get(self.next_segment) else { break };
            self.next_segment += 1;
            let chosen = |group: &Group| of.live.holds(&group.resource_type, &group.pass) && (self.chosen)(group);
            let offsets = index::offsets(segment, &of.files, &chosen).inspect_err(|_| self.failed = true)?;
            (self.here, self.walk) = (Some((segment.number, offsets.into_iter())), None);
        }
        Ok(None)
    }

    fn next(&mut self, of: &Staging) -> Result<Option<(Place, Head)>> {
        let Some(place) = self.next_place(of)? else { return Ok(None) };
        let head = self.head(of, place).inspect_err(|_| self.failed = true)?;
        Ok(Some((place, head)))
    }

    fn head(&mut self, of: &Staging, place: Place) -> Result<Head> {
        let head = self.walk(of, place)?.head(place.offset)?;
        let is_chosen = match &head.header {
            Header::Page(page) => of.live.holds(&page.resource_type, &page.pass) && (self.chosen)(&Group::of(page)),
            _ => false,
        };
        // An index may fit its segment for all that can be seen, and be of another.
        if is_chosen { Ok(head) } else { Err(self.walk(of, place)?.damage(place.offset, NO_PAGE)) }
    }

    fn walk(&mut self, of: &Staging, place: Place) -> Result<&mut Walk> {
        match &mut self.walk {
            Some(walk) => Ok(walk),
            none => Ok(none.insert(of.walk(place.segment, self.ahead)?)),
        }
    }
}

/// Iterator over the headers of one pass.
pub(crate) struct HeadersOf {
    staging: Staging,
    records: Records<'static>,
}

impl HeadersOf {
    /// The first page comes next.
    pub(crate) fn begin_anew(&mut self) {
        (self.records.next_segment, self.records.here, self.records.walk) = (0, None, None);
    }
}

impl Iterator for HeadersOf {
    type Item = Result<(PageHeader, Place)>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.records.next(&self.staging).transpose()? {
            Ok((place, Head { header: Header::Page(page), .. })) => Some(Ok((page, place))),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        }
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
    records: Records<'a>,
    /// An open segment for bodies that stand elsewhere: they mostly follow one another.
    elsewhere: Option<Walk>,
    with_bodies: bool,
}

impl LivePages<'_> {
    fn step(&mut self) -> Result<Option<(PageHeader, Place, Vec<u8>)>> {
        while let Some((place, head)) = self.records.next(self.staging)? {
            let Header::Page(header) = &head.header else { continue };
            if !(self.wanted)(header) {
                continue;
            }
            let body = if self.with_bodies { self.body(place, &head, header.same_as)? } else { Vec::new() };
            let Header::Page(header) = head.header else { continue };
            return Ok(Some((header, place, body)));
        }
        Ok(None)
    }

    fn body(&mut self, place: Place, head: &Head, same_as: Option<Place>) -> Result<Vec<u8>> {
        let Some(same) = same_as else {
            return self.records.walk(self.staging, place)?.body(place.offset, head);
        };
        let walk = match &mut self.elsewhere {
            Some(walk) if walk.segment() == same.segment => walk,
            other => other.insert(self.staging.walk(same.segment, AHEAD[0])?),
        };
        let head = walk.head(same.offset)?;
        walk.body(same.offset, &head)
    }
}

impl Iterator for LivePages<'_> {
    type Item = Result<(PageHeader, Place, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step().transpose();
        self.records.failed |= matches!(step, Some(Err(_)));
        step
    }
}
