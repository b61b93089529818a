pub(crate) mod pack;
