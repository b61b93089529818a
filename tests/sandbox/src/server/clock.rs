//! The time that the server goes by, so that a test need not wait for it.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

/// Where the server takes the time from: for tokens, `Retry-After` dates and absences.
///
/// Latency and slow answers are real waits of milliseconds and do not ask it.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> SystemTime;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// A clock that stands still until a test moves it. Share it with the client under test: a client
/// whose waits advance this clock sleeps through a minute in no time.
#[derive(Debug)]
pub struct ManualClock(Mutex<SystemTime>);

impl ManualClock {
    /// Stands at `start`.
    #[must_use]
    pub fn new(start: SystemTime) -> Self {
        Self(Mutex::new(start))
    }

    /// Moves on.
    pub fn advance(&self, by: Duration) {
        *super::locked(&self.0) += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        *super::locked(&self.0)
    }
}

/// A clock that runs `factor` times as fast as the machine's from the moment it is made, for
/// clients that cannot be given a clock: at 600, a minute passes in a tenth of a second.
#[derive(Clone, Copy, Debug)]
pub struct FastClock {
    start: SystemTime,
    since: Instant,
    factor: u32,
}

impl FastClock {
    /// Starts at the present time.
    #[must_use]
    pub fn new(factor: u32) -> Self {
        Self { start: SystemTime::now(), since: Instant::now(), factor }
    }
}

impl Clock for FastClock {
    fn now(&self) -> SystemTime {
        self.start + self.since.elapsed() * self.factor
    }
}
