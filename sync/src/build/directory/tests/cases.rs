//! Cases worth a name of their own.
