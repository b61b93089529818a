//! Equal values kept once, named by small numbers. The numbers depend on the order of arrival and
//! never reach a dataset: what is written is sorted by content.

use std::hash::{BuildHasher as _, Hash, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Values, each once; beside them five bytes or so for each.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    numbers: HashTable<u32>,
    values: Vec<T>,
    hasher: RandomState,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { numbers: HashTable::new(), values: Vec::new(), hasher: RandomState::new() }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a value.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        let Self { numbers, values, hasher } = self;
        let known = |number: &u32| values.get(*number as usize);
        let hash = |value: Option<&T>| hasher.hash_one(value);
        let entry =
            numbers.entry(hash(Some(&value)), |number| known(number) == Some(&value), |number| hash(known(number)));
        match entry {
            Entry::Occupied(number) => *number.get(),
            Entry::Vacant(place) => {
                let number = u32::try_from(values.len()).unwrap_or(u32::MAX);
                place.insert(number);
                values.push(value);
                number
            }
        }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a value that has one.
    pub(crate) fn find(&self, value: &T) -> Option<u32> {
        let same = |number: &u32| self.values.get(*number as usize) == Some(value);
        // Values are hashed as the `Option` that holds them.
        self.numbers.find(self.hasher.hash_one(Some(value)), same).copied()
    }
}

impl<T> Interner<T> {
    /// The value of a number.
    pub(crate) fn value(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)
    }

    /// All values, each at its number.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}
