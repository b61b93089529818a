//! Publishing datasets, and taking what was published.
//!
//! A *publication* is a folder that any static web server can serve, or one file with the same content. Its document says
//! which dataset it has, as which number of which series, and where each file's bytes are, packed; a signature over the
//! document therefore proves all of it. `index-data/PUBLICATION.md` describes it for those who write another reader.
//!
//! | room | what it knows |
//! |---|---|
//! | `document` | what `publication.json` says, and what it may say |
//! | `signature` | keys, signing, and what a signature proves |
//! | `zstandard` | packing and unpacking with bounds, whole or as the difference from another file |
//! | `place` | where a publication lies: a folder, one file (`archive`), or a web server (`web`) |
//! | `pack` | from a dataset to a publication |
//! | `check` | a publication looked through without taking it |
//! | `take` | from a publication to a store's live dataset; `progress` tells how far it is |

mod archive;
mod check;
mod document;
mod hash;
mod pack;
mod place;
mod progress;
mod signature;
mod take;
mod web;
mod zstandard;

pub use check::{Checked, ProvedDataset, check, check_installed};
pub use document::{DOCUMENT, Publication, SIGNATURE};
pub use pack::{PackOptions, Packed, PackedFile, pack};
pub use place::is_publication;
pub use progress::TakeProgress;
pub use signature::{KeyPairFiles, PublicKey, Signed, Trust, generate, sign};
pub use take::{From, TakeOptions, Taken, take};
pub use web::WebOptions;
