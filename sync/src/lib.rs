#![doc = include_str!("../README.md")]

mod account;
pub mod build;
mod doors;
pub mod fetch;
mod fhir;
pub mod geography;
pub mod model;
pub mod publish;
pub mod source;
pub mod sources_of;
mod spool;
pub mod staging;
mod status;
pub mod threads;
pub mod tiers;
pub mod update;
