//! Fetching, understanding and building: everything that writes.

pub mod build;
pub mod geography;
pub mod model;
pub mod source;
