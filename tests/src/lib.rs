//! What tests the whole.
