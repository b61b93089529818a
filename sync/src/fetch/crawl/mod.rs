//! Reading a payer: the pages of a query, resources by id, what changed, and what a pass proves.

pub(crate) mod byid;
pub(crate) mod changes;
pub(crate) mod generation;
pub(crate) mod offers;
pub(crate) mod paging;
pub(crate) mod proof;
pub(crate) mod session;
pub(crate) mod survey;
pub(crate) mod walk;
