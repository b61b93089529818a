//! How far a sync has come with each resource type.

use std::collections::BTreeMap;

use crate::fetch::Event;

/// How far one resource type has come, told by the events about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeTally {
    /// Entries by query; a pass that begins anew begins at none.
    queries: BTreeMap<String, u64>,
    /// How many each query says there are.
    totals: BTreeMap<String, u64>,
    to_read: u64,
    /// Read by id in former rounds, and in this one.
    read_before: u64,
    read: u64,
}

impl TypeTally {
    /// Takes an event about the type.
    pub fn note(&mut self, event: &Event) {
        match event {
            Event::Page { query, entries, total, .. } => {
                self.queries.insert(query.clone(), *entries);
                if let Some(total) = total {
                    self.totals.insert(query.clone(), *total);
                }
            }
            Event::ToRead { count, .. } => {
                self.to_read += count;
                self.read_before += std::mem::take(&mut self.read);
            }
            Event::Read { count, .. } => self.read = *count,
            Event::Restart { query, .. } => {
                self.queries.insert(query.clone(), 0);
            }
            _ => {}
        }
    }

    /// Resources that came.
    #[must_use]
    pub fn came(&self) -> u64 {
        self.queries.values().sum::<u64>() + self.read_before + self.read
    }

    /// How many there are, if that is known and can be: a server's total is a hint.
    #[must_use]
    pub fn expected(&self) -> Option<u64> {
        let totals: Option<u64> = self.queries.keys().map(|query| self.totals.get(query)).sum();
        totals.map(|totals| totals + self.to_read).filter(|expected| *expected > 0 && *expected >= self.came())
    }
}

impl Event {
    /// The resource type that the event is about; queries begin with it.
    #[must_use]
    pub fn resource_type(&self) -> Option<&str> {
        match self {
            Self::Page { resource_type, .. }
            | Self::ToRead { resource_type, .. }
            | Self::Read { resource_type, .. } => Some(resource_type),
            Self::Restart { query, .. } => query.split(['?', '/', ' ']).next(),
            _ => None,
        }
    }

    /// What it says to people, if it is worth a line.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        match self {
            Self::Chose { what } => Some(what.clone()),
            Self::Waiting { reason, seconds } => Some(format!("waiting {seconds} s: {reason}")),
            Self::Restart { query, reason } => Some(format!("{query} begins anew: {reason}")),
            Self::Ended { query, complete: false, reason } => {
                Some(format!("{query} is incomplete: {}", reason.as_deref().unwrap_or("no reason is known")))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(query: &str, entries: u64, total: Option<u64>) -> Event {
        let resource_type = "Practitioner".to_owned();
        Event::Page { resource_type, query: query.to_owned(), pages: 1, entries, total }
    }

    fn read(count: u64) -> Event {
        Event::Read { resource_type: "Practitioner".to_owned(), count }
    }

    fn to_read(count: u64) -> Event {
        Event::ToRead { resource_type: "Practitioner".to_owned(), count }
    }

    fn after(events: &[Event]) -> (u64, Option<u64>) {
        let mut tally = TypeTally::default();
        for event in events {
            tally.note(event);
        }
        (tally.came(), tally.expected())
    }

    #[test]
    fn pages_and_readings_add_up() {
        assert_eq!(after(&[page("a", 20, Some(90)), page("a", 40, Some(90))]), (40, Some(90)));
        assert_eq!(after(&[page("a", 20, None)]), (20, None));
        assert_eq!(after(&[page("a", 90, Some(90)), to_read(10), read(4)]), (94, Some(100)));
        assert_eq!(after(&[to_read(10), read(10), to_read(5), read(2)]), (12, Some(15)));
        assert_eq!(after(&[page("a", 20, Some(20)), page("b", 30, None)]), (50, None), "one of two is not known");
    }

    #[test]
    fn what_begins_anew_counts_anew_and_totals_are_hints() {
        let restart = Event::Restart { query: "a".to_owned(), reason: "expired".to_owned() };
        assert_eq!(after(&[page("a", 60, Some(90)), restart, page("a", 20, Some(90))]), (20, Some(90)));
        assert_eq!(after(&[page("a", 60, Some(20))]), (60, None), "more came than there are");
        assert_eq!(after(&[page("a", 60, Some(0))]), (60, None));
    }

    #[test]
    fn queries_name_their_type() {
        let restart = |query: &str| Event::Restart { query: query.to_owned(), reason: String::new() };
        assert_eq!(restart("PractitionerRole?_tag=a").resource_type(), Some("PractitionerRole"));
        assert_eq!(restart("Location").resource_type(), Some("Location"));
        assert_eq!(Event::Chose { what: "x".to_owned() }.resource_type(), None);
    }
}
