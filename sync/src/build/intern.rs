//! Equal values kept once, named by small numbers. The numbers depend on the order of arrival and
//! never reach a dataset: what is written is sorted by content.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Values, each once.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    numbers: HashMap<Arc<T>, u32>,
    values: Vec<Arc<T>>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), values: Vec::new() }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a value.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let value = Arc::new(value);
        self.values.push(Arc::clone(&value));
        self.numbers.insert(value, number);
        number
    }

    /// The value of a number.
    pub(crate) fn value(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize).map(Arc::as_ref)
    }

    /// All values, each at its number.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(Arc::as_ref)
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}
