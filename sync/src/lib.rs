//! Fetching, understanding and building: everything that writes.

pub mod build;
pub mod model;
pub mod source;
