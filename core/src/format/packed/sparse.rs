//! Facts that few elements have.

use std::ops::Range;

use super::Column;

/// Elements that one count covers.
pub const ELEMENTS_A_COUNT: u32 = 256;

/// The elements that have a fact, ascending, each as often as it has one.
#[derive(Clone, Debug)]
pub struct Sparse {
    elements: Column,
    /// Facts before each run of [`ELEMENTS_A_COUNT`] elements, and all of them.
    before: Column,
}

impl Sparse {
    /// `all` is how many elements there are, those without a fact too.
    pub(super) fn new(elements: Column, before: Column, all: usize) -> Option<Self> {
        let runs = all.div_ceil(ELEMENTS_A_COUNT as usize);
        let last = before.get(u32::try_from(runs).ok()?)?;
        (before.len() == runs + 1 && last as usize == elements.len()).then_some(Self { elements, before })
    }

    /// How many facts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The facts of an element; `None` behind the last element.
    #[must_use]
    pub fn of(&self, element: u32) -> Option<Range<u32>> {
        let run = element / ELEMENTS_A_COUNT;
        let (from, to) = (self.before.get(run)?, self.before.get(run + 1)?);
        let from = self.elements.partition(from, to, |other| other >= u64::from(element));
        let mut end = from;
        while end < to && self.elements.get(end) == Some(element) {
            end += 1;
        }
        Some(from..end)
    }
}
