//! Fetching, understanding and building: everything that writes.

pub mod geography;
pub mod model;
