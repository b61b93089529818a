//! Building and syncing.
