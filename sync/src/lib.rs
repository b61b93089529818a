//! Fetching, understanding and building: everything that writes.

pub mod model;
pub mod source;
