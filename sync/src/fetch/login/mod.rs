//! How a payer lets a member in, and which plans the member has.

pub(crate) mod member;
pub(crate) mod oauth;
pub(crate) mod tokens;
