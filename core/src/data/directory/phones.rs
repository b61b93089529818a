//! The rows that a phone number is of.

use super::Directory;
use super::layout::phone::LISTED;
use crate::cancel::Cancel;
use crate::format::packed::{Column, Damaged};
use crate::phone::PhoneNumber;
use crate::{Error, Result};

/// Numbers that are read between two looks at whether the call was cancelled.
const STRETCH: u32 = 1 << 16;

impl Directory {
    /// Rows that have a phone with this number, whatever its extension: of the role, the place, the provider or the
    /// organization; ascending. All phones of the directory are compared: none of its sections is ordered by them.
    pub(crate) fn rows_of_phone(&self, number: u64, cancel: &Cancel) -> Result<Vec<u32>> {
        let codes = self.error_if_damaged(self.codes_of_phone(number))?;
        let (places, roles, rows) = (&self.places, &self.roles, &self.rows);
        let at = |column: &Column| {
            let mut found = Vec::new();
            let count = self.error_if_damaged(column.count())?;
            for from in (0..count).step_by(STRETCH as usize) {
                cancel.check()?;
                let stretch = from..from.saturating_add(STRETCH).min(count);
                self.error_if_damaged(fitting(column, stretch, &codes, &mut found))?;
            }
            Ok::<_, Error>(found)
        };
        let of_places = at(&places.phone)?;
        let of_providers = at(&self.providers.phone)?;
        let of_further = at(&rows.further_phone)?;
        let mut of_contacts = at(&roles.contact_phone)?;
        of_contacts.extend(at(&roles.contact_organization)?);
        let read = || {
            let mut found: Vec<u32> = Vec::new();
            for place in of_places {
                found.extend(rows.place.run(place, rows.count)?);
            }
            for provider in of_providers {
                for row in self.rows_of(provider)? {
                    found.push(row?);
                }
            }
            for further in of_further {
                found.push(rows.further_row.element(further)?);
            }
            for contact in of_contacts {
                found.push(rows.roles.run_of(roles.contact_role.element(contact)?)?);
            }
            found.sort_unstable();
            found.dedup();
            Ok(found)
        };
        self.error_if_damaged(read())
    }

    /// Codes that stand for a number: itself, and lists that have it, ascending.
    fn codes_of_phone(&self, number: u64) -> Result<Vec<u64>, Damaged> {
        let mut fits = Vec::with_capacity(self.texts.phone.len() as usize);
        for text in self.texts.phone.iter() {
            fits.push(PhoneNumber::fold(&text?).is_some_and(|phone| phone.number() == number));
        }
        let mut codes = vec![number];
        for list in 0..self.texts.phone_list.count()?.saturating_sub(1) {
            let range = self.texts.phone_list.range(list)?;
            let of_list = fits.get(range.start as usize..range.end as usize).ok_or(Damaged)?;
            if of_list.contains(&true) {
                codes.push(LISTED + u64::from(list));
            }
        }
        Ok(codes)
    }
}

/// Where a stretch of a column has one of these ascending codes.
fn fitting(column: &Column, stretch: std::ops::Range<u32>, codes: &[u64], found: &mut Vec<u32>) -> Result<(), Damaged> {
    let numbers = column.numbers(stretch.clone())?;
    for at in stretch {
        if codes.binary_search(&numbers.wide(at)?).is_ok() {
            found.push(at);
        }
    }
    Ok(())
}
