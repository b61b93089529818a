//! One time for client and server: it goes on with each request, and whoever waits has waited.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use coverdex_sandbox::server;
use coverdex_sync::fetch::{BoxFuture, Clock, Stop};
use jiff::Timestamp;

/// So much passes whenever the server looks at its clock.
const TICK: Duration = Duration::from_millis(100);

/// The server's clock.
pub(super) struct Hours {
    begin: Timestamp,
    passed: AtomicU64,
    /// The looks at the clock that are left before a sync is ended as endless.
    left: AtomicU64,
    stop: std::sync::Mutex<Stop>,
}

impl Hours {
    pub(super) fn new() -> Arc<Self> {
        let begin = super::super::BEGIN.parse().unwrap();
        Arc::new(Self {
            begin,
            passed: AtomicU64::new(0),
            left: AtomicU64::new(u64::MAX),
            stop: std::sync::Mutex::new(Stop::default()),
        })
    }

    fn passed(&self) -> Duration {
        Duration::from_nanos(self.passed.load(Ordering::SeqCst))
    }

    pub(super) fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX / 8);
        self.passed.fetch_add(by, Ordering::SeqCst);
    }

    /// After so many requests `stop` ends the sync.
    pub(super) fn limit(&self, requests: u64, stop: Stop) {
        *self.stop.lock().unwrap() = stop;
        // Twice for each request: when it comes, and for what it tells.
        self.left.store(2 * requests, Ordering::SeqCst);
    }

    /// Whether the limit was reached.
    pub(super) fn is_over(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }
}

impl server::Clock for Hours {
    fn now(&self) -> SystemTime {
        self.advance(TICK);
        let take = |left: u64| left.checked_sub(1);
        if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take) == Ok(1) {
            self.stop.lock().unwrap().stop();
        }
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.begin.as_second().unsigned_abs()) + self.passed()
    }
}

/// The client's clock: the server's, or so much ahead of it.
pub(super) struct Ahead(pub(super) Arc<Hours>, pub(super) Duration);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        self.0.begin + self.0.passed() + self.1
    }

    fn elapsed(&self) -> Duration {
        self.0.passed()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.0.advance(time);
        Box::pin(tokio::task::yield_now())
    }
}
