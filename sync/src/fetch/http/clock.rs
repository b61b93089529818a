//! Time, so that tests need not wait for it.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// A future that may be kept in a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Tells time and waits.
pub trait Clock: Send + Sync + 'static {
    /// The time of day.
    fn now(&self) -> Timestamp;
    /// Time since some beginning; never goes back.
    fn elapsed(&self) -> Duration;
    /// Waits.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;
}

/// The system's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

/// A clock that stands still but when someone waits: then the time has passed at once. For tests of
/// whatever waits for minutes.
#[derive(Debug)]
pub struct FastClock {
    begin: Timestamp,
    /// The time of day does not move with it: for comparing what two runs write.
    fixed: bool,
    passed: AtomicU64,
}

impl FastClock {
    /// Begins at a time.
    #[must_use]
    pub fn at(begin: Timestamp) -> Self {
        Self { begin, fixed: false, passed: AtomicU64::new(0) }
    }

    /// As [`at`](Self::at); the time of day never changes, only [`elapsed`](Clock::elapsed) does.
    #[must_use]
    pub fn fixed_at(begin: Timestamp) -> Self {
        Self { fixed: true, ..Self::at(begin) }
    }
}

impl Clock for FastClock {
    fn now(&self) -> Timestamp {
        if self.fixed { self.begin } else { self.begin.checked_add(self.elapsed()).unwrap_or(self.begin) }
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.passed.load(Ordering::SeqCst))
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.passed.fetch_add(nanos, Ordering::SeqCst);
        Box::pin(tokio::task::yield_now())
    }
}
