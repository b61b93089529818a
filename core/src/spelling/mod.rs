//! How people, organizations, specialties, languages and cities are spelled: what the builder
//! writes and what the reader looks for go through the same functions.

mod doors;
pub(crate) mod language;
mod name;
mod place;
mod specialty;

pub use doors::{CLOSED_CODES, says_closed};
pub use language::language_name;
#[cfg(feature = "build")]
pub use language::languages_in;
#[cfg(feature = "build")]
pub use name::names_index;
pub use name::{name_key, name_words};
pub(crate) use place::NICKNAMES;
pub use place::city_key;
#[cfg(feature = "build")]
pub use place::{cities_written_out, city_without_state};
pub use specialty::{specialty_key, specialty_parts, tells_a_field};

#[cfg(feature = "build")]
pub(crate) use name::beginnings;
pub(crate) use name::{Choice, LONGEST_BEGINNING, Reading, typed};
pub(crate) use specialty::without_profession;
