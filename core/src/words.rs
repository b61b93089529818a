//! Words for people that every door says alike.

/// A number with separators at the thousands: `33,005`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 package`, `12 packages`.
pub(crate) fn packages(number: u32) -> String {
    if number == 1 { "1 package".to_owned() } else { format!("{} packages", thousands(number.into())) }
}

#[cfg(test)]
mod tests {
    use super::{packages, thousands};

    #[test]
    fn one_package_is_no_packages() {
        assert_eq!([packages(1), packages(0), packages(1_200)], ["1 package", "0 packages", "1,200 packages"]);
    }

    #[test]
    fn separators_stand_at_the_thousands() {
        for (number, text) in
            [(0, "0"), (12, "12"), (999, "999"), (1_000, "1,000"), (33_005, "33,005"), (123_456_789, "123,456,789")]
        {
            assert_eq!(thousands(number), text);
        }
    }
}
