//! Progress on standard error, where that is a terminal.

use std::time::Duration;

use coverdex_core::build::words::thousands;
use coverdex_sync::source::folder;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// A bar over the bytes of the folder, then a spinner while the dataset is written. It goes away
/// when dropped: what is worth keeping stands in the summary.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(super) fn new(output: Output) -> Self {
        // indicatif draws nothing where standard error is no terminal.
        let target = if output.is_json() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) =
            ProgressStyle::with_template("reading [{bar:30}] {bytes}/{total_bytes} {msg} resources, {eta} left")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message("0");
        Self { bar }
    }

    pub(super) fn reading(&self, at: folder::Progress) {
        self.bar.set_length(at.bytes_total);
        self.bar.set_position(at.bytes_read);
        self.bar.set_message(thousands(at.resources));
    }

    pub(super) fn building(&self, resources: u64) {
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            self.bar.set_style(style);
        }
        self.bar.set_message(format!("building a dataset of {} resources", thousands(resources)));
        if coverdex_sync::threads::can_start().is_ok() {
            self.bar.enable_steady_tick(Duration::from_millis(120));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
