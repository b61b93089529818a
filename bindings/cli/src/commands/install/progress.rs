//! Progress of an install or an update on standard error, where that is a terminal.

use std::time::Duration;

use coverdex_sync::publish::TakeProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// How often a spinner turns.
const TICK: Duration = Duration::from_millis(120);

/// A spinner, and a bar over bytes where these are counted. It goes away when dropped: what is worth keeping stands in
/// the answer.
#[derive(Debug)]
pub(in crate::commands) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A spinner beside what is done.
    pub(in crate::commands) fn new(output: Output, what: &'static str) -> Self {
        // indicatif draws nothing where standard error is no terminal.
        let target = if output.is_json() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let shown = Self { bar: ProgressBar::with_draw_target(None, target) };
        shown.spin(what);
        shown
    }

    /// How far a publication is.
    pub(in crate::commands) fn taking(&self, at: TakeProgress) {
        match at {
            TakeProgress::Bringing { done, total } => {
                if self.bar.length() != Some(total) {
                    let template = "fetching and unpacking [{bar:30}] {bytes}/{total_bytes}, {eta} left";
                    if let Ok(style) = ProgressStyle::with_template(template) {
                        self.bar.set_style(style.progress_chars("=> "));
                    }
                    self.bar.set_length(total);
                    self.bar.reset_eta();
                }
                self.bar.set_position(done);
            }
            TakeProgress::Checking => self.spin("checking every byte"),
        }
    }

    fn spin(&self, what: &'static str) {
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            self.bar.set_style(style);
        }
        self.bar.set_message(what);
        if coverdex_sync::threads::can_start().is_ok() {
            self.bar.enable_steady_tick(TICK);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
