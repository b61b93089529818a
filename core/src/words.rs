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

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn separators_stand_at_the_thousands() {
        for (number, text) in
            [(0, "0"), (12, "12"), (999, "999"), (1_000, "1,000"), (33_005, "33,005"), (123_456_789, "123,456,789")]
        {
            assert_eq!(thousands(number), text);
        }
    }
}
