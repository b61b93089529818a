//! When so much is missing that absence means nothing.

/// Whether of `expected` things so many are missing that absence means nothing: more than one in a
/// hundred. It holds for the entries of a drug list and for the roles of a network.
#[must_use]
pub const fn lacks_too_many(gaps: u64, expected: u64) -> bool {
    gaps > expected / 100
}
