//! How a payer lets a client or a member in, and which plans the member has.

pub(crate) mod client;
pub(crate) mod endpoint;
pub(crate) mod member;
pub(crate) mod oauth;
pub(crate) mod redirect;
pub(crate) mod tokens;
