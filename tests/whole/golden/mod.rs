//! Questions of our own, with their right answers.

mod codes;
mod directory;
mod lists;
mod long;
mod made_payer;
mod options;
mod people;
mod plans;
mod statuses;
mod texts;
mod tiers;
mod typed;
