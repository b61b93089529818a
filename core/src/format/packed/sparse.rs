//! Facts that few elements have.

use std::ops::Range;

use super::Column;
use crate::format::checked::Damaged;

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
    pub(super) fn new(elements: Column, before: Column, all: usize) -> Result<Self, Damaged> {
        let runs = u32::try_from(all.div_ceil(ELEMENTS_A_COUNT as usize)).map_err(|_| Damaged)?;
        let last = before.get(runs)?;
        let fits = before.len() == runs as usize + 1 && last as usize == elements.len();
        if fits { Ok(Self { elements, before }) } else { Err(Damaged) }
    }

    /// How many facts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there is none.
    #[cfg(feature = "build")]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The element that a fact is of.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are, and behind the last fact.
    pub fn element(&self, fact: u32) -> Result<u32, Damaged> {
        self.elements.get(fact)
    }

    /// The facts of an element.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are, and behind the last element.
    pub fn of(&self, element: u32) -> Result<Range<u32>, Damaged> {
        let run = self.before.range(element / ELEMENTS_A_COUNT)?;
        let from = self.elements.partition(run.start, run.end, |other| other >= u64::from(element))?;
        let mut end = from;
        while end < run.end && self.elements.get(end)? == element {
            end += 1;
        }
        Ok(from..end)
    }
}
