//! Fetching, understanding and building: everything that writes.

pub mod fetch;
pub mod model;
pub mod staging;
