//! How far each pass has come.

use std::collections::HashMap;

use super::index::Listed;
use super::record::{Header, PageHeader, Pass, PassEnd, Place};

/// How far a pass has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassState {
    /// Which pass.
    pub pass: Pass,
    /// Where its first page stands.
    pub first: Option<Place>,
    /// Where its last page stands.
    pub last: Option<Place>,
    /// How many pages it has.
    pub pages: u32,
    /// Entries of its pages, repeated ones included.
    pub entries: u64,
    /// How many more that are no resource.
    pub unreadable: u64,
    /// How many of its pages may not hold all that they should.
    pub flawed: u64,
    /// Where it goes on: the last page's next link.
    pub next: Option<String>,
    /// How it ended, if it did.
    pub end: Option<PassEnd>,
}

impl PassState {
    fn new(pass: &Pass) -> Self {
        Self {
            pass: pass.clone(),
            first: None,
            last: None,
            pages: 0,
            entries: 0,
            unreadable: 0,
            flawed: 0,
            next: None,
            end: None,
        }
    }
}

/// The passes that count for a sync.
#[derive(Debug, Default)]
pub(super) struct Passes {
    /// The newest pass over each query in the newest generation.
    newest: HashMap<String, PassState>,
    /// The last complete pass over each query before the newest generation.
    former: HashMap<String, PassState>,
}

impl Passes {
    pub(super) fn state(&self, query: &str) -> Option<&PassState> {
        self.newest.get(query)
    }

    pub(super) fn former(&self, query: &str) -> Option<&PassState> {
        self.former.get(query)
    }

    /// Takes in a record that was written.
    pub(super) fn note(&mut self, header: &Header, place: Place) {
        match header {
            Header::Page(page) => self.note_page(page, place),
            other => self.note_control(other, place),
        }
    }

    fn note_page(&mut self, page: &PageHeader, place: Place) {
        let state = self.of(&page.pass);
        state.first.get_or_insert(place);
        state.last = Some(place);
        state.pages += 1;
        state.entries += u64::from(page.entries);
        state.unreadable += u64::from(page.unreadable);
        state.flawed += u64::from(page.flaw.is_some());
        state.next.clone_from(&page.next);
        state.end = None;
    }

    /// Takes in a record that is no page.
    pub(super) fn note_control(&mut self, header: &Header, place: Place) {
        match header {
            Header::Begin(_) => {
                let complete = |state: &PassState| state.end.as_ref().is_some_and(|end| end.complete);
                self.former.extend(self.newest.drain().filter(|(_, state)| complete(state)));
            }
            Header::End(end) => {
                let state = self.of(&end.pass);
                // Of a group of pages the last may have been taken in before.
                if state.last < Some(place) {
                    state.end = Some(end.clone());
                }
            }
            Header::Finish(_) | Header::Page(_) => {}
        }
    }

    /// Takes in a group of pages of a segment, at the place of its first. What the last page says is not known then.
    pub(super) fn note_group(&mut self, listed: &Listed, segment: u32) {
        let place = |offset: u32| Some(Place { segment, offset: offset.into() });
        let state = self.of(&listed.group.pass);
        state.first = state.first.or(place(listed.first));
        state.last = state.last.max(place(listed.last));
        state.pages = state.pages.saturating_add(u32::try_from(listed.sums.pages).unwrap_or(u32::MAX));
        state.entries += listed.sums.entries;
        state.unreadable += listed.sums.unreadable;
        state.flawed += listed.sums.flawed;
        state.end = None;
    }

    /// The passes that may go on, to be told what their last pages say.
    pub(super) fn open(&mut self) -> impl Iterator<Item = &mut PassState> {
        self.newest.values_mut().filter(|state| state.end.as_ref().is_none_or(|end| !end.complete))
    }

    /// The state of a pass, or of the newer one over the same query.
    fn of(&mut self, pass: &Pass) -> &mut PassState {
        let state = self.newest.entry(pass.query.clone()).or_insert_with(|| PassState::new(pass));
        if state.pass < *pass {
            *state = PassState::new(pass);
        }
        state
    }
}
