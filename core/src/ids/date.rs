//! Calendar days.

use std::fmt;

/// A day of the Gregorian calendar, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date(i32);

/// Days of 400 years, after which the calendar repeats.
const CYCLE_DAYS: i64 = 146_097;

const MONTH_DAYS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl Date {
    /// The day so many days after 1970-01-01, or before it.
    #[must_use]
    pub const fn from_days(days: i32) -> Self {
        Self(days)
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub const fn days(self) -> i32 {
        self.0
    }

    /// Year, month and day of the month.
    #[must_use]
    pub fn civil(self) -> (i64, u32, u32) {
        let days = i64::from(self.0);
        // Exact or one too high: 400 years hold a whole number of days.
        let mut year = 1970 + (days * 400).div_euclid(CYCLE_DAYS) + 1;
        while first_day(year) > days {
            year -= 1;
        }
        let mut rest = days - first_day(year);
        for (month, length) in (1..).zip(MONTH_DAYS) {
            let length = length + i64::from(month == 2 && is_leap(year));
            if rest < length {
                return (year, month, u32::try_from(rest + 1).unwrap_or(1));
            }
            rest -= length;
        }
        (year, 12, 31)
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The first of January, counted from 1970-01-01.
fn first_day(year: i64) -> i64 {
    let leaps = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * (year - 1970) + leaps(year - 1) - leaps(1969)
}

impl fmt::Display for Date {
    /// `2026-01-31`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_shown_as_people_write_them() {
        for (days, want) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (58, "1970-02-28"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (18_627, "2020-12-31"),
            (18_628, "2021-01-01"),
            (-25_509, "1900-02-28"),
            (-25_508, "1900-03-01"),
            (20_785, "2026-11-28"),
        ] {
            assert_eq!(Date::from_days(days).to_string(), want);
        }
        let mut last = Date::from_days(-800_000).civil();
        for days in -799_999..800_000 {
            let next = Date::from_days(days).civil();
            assert!(last < next, "{days}");
            last = next;
        }
        let _ = (Date::from_days(i32::MIN).civil(), Date::from_days(i32::MAX).civil());
    }
}
