//! One host's share of patience: how many requests at a time, how often, and when to keep away.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::Clock as GovernorClock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::sync::{Mutex as AsyncMutex, MutexGuard as AsyncMutexGuard, Semaphore, SemaphorePermit};

use crate::fetch::config::{Config, Rate};
use crate::fetch::http::clock::Clock;

/// Firewall pages in a row that open the breaker.
const IN_A_ROW: u32 = 3;
/// Long pauses in a row, at least, after which the host is left alone.
const PAUSES: usize = 3;

/// When requests may go to a host. Pure: times are handed in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Breaker {
    /// Long pauses in a row after which the host is left alone.
    most_pauses: u32,
    /// No request before this.
    closed_until: Duration,
    in_a_row: u32,
    pauses: u32,
    given_up: bool,
    /// Since when whatever came was of no use.
    failing_since: Option<Duration>,
}

impl Breaker {
    /// `concurrency`: so many requests may be under way. Each of them may have met a firewall's page of its own before a
    /// pause, and meet another after it, where others would pass.
    pub(crate) fn new(concurrency: usize) -> Self {
        Self {
            most_pauses: u32::try_from((concurrency + 1).max(PAUSES)).unwrap_or(u32::MAX),
            closed_until: Duration::ZERO,
            in_a_row: 0,
            pauses: 0,
            given_up: false,
            failing_since: None,
        }
    }

    /// How long a request must still wait; `None` if the host is left alone for good.
    pub(crate) fn wait(&self, now: Duration) -> Option<Duration> {
        (!self.given_up).then(|| self.closed_until.saturating_sub(now))
    }

    /// The server asked to wait: that holds for all requests.
    pub(crate) fn asked_to_wait(&mut self, now: Duration, wait: Duration) {
        self.closed_until = self.closed_until.max(now + wait);
    }

    /// A real answer came, whatever it says.
    pub(crate) fn answered(&mut self) {
        (self.in_a_row, self.pauses) = (0, 0);
    }

    /// Whether nothing came since a long pause but perhaps a firewall's pages: requests go one after the other.
    pub(crate) fn is_on_trial(&self) -> bool {
        self.pauses > 0
    }

    /// What was asked for came, or a clear no.
    pub(crate) fn useful(&mut self) {
        self.failing_since = None;
    }

    /// What came was of no use; how long that has been so.
    pub(crate) fn useless(&mut self, now: Duration) -> Duration {
        now.saturating_sub(*self.failing_since.get_or_insert(now))
    }

    /// A firewall's page came. True if a long pause begins.
    pub(crate) fn firewall(&mut self, now: Duration, pause: Duration) -> bool {
        // Pages of requests that were under way when the breaker opened count once.
        if now < self.closed_until {
            return false;
        }
        self.in_a_row += 1;
        if self.in_a_row < IN_A_ROW {
            return false;
        }
        // After the pause one more page is enough to open it again.
        self.in_a_row = IN_A_ROW - 1;
        self.pauses += 1;
        if self.pauses > self.most_pauses {
            self.given_up = true;
            return false;
        }
        self.closed_until = now + pause;
        true
    }
}

/// The fetcher's clock as the rate limiter reads it.
#[derive(Clone)]
struct Ticks(Arc<dyn Clock>);

impl GovernorClock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

type Limiter = RateLimiter<NotKeyed, InMemoryState, Ticks, NoOpMiddleware<Duration>>;

/// A host and the manners towards it.
pub(crate) struct Manners {
    clock: Arc<dyn Clock>,
    permits: Semaphore,
    limiter: Option<Limiter>,
    breaker: Mutex<Breaker>,
    /// Held by the one request that tries a host after a long pause.
    trial: AsyncMutex<()>,
    pause: Duration,
}

/// Leave to ask a host, until it is dropped: after what came was judged.
pub(crate) struct Turn<'a> {
    _permit: SemaphorePermit<'a>,
    _trial: Option<AsyncMutexGuard<'a, ()>>,
}

impl Manners {
    pub(crate) fn new(config: &Config, clock: &Arc<dyn Clock>) -> Self {
        let limiter = match config.rate {
            Rate::Off => None,
            Rate::PerSecond(rate) => Quota::with_period(Duration::from_secs_f64(1.0 / rate))
                .map(|quota| RateLimiter::direct_with_clock(quota, Ticks(Arc::clone(clock)))),
        };
        Self {
            clock: Arc::clone(clock),
            permits: Semaphore::new(config.concurrency),
            limiter,
            breaker: Mutex::new(Breaker::new(config.concurrency)),
            trial: AsyncMutex::default(),
            pause: config.pause,
        }
    }

    /// Waits for a turn; `None` if the host is left alone for good.
    pub(crate) async fn turn(&self) -> Option<Turn<'_>> {
        let permit = self.permits.acquire().await.ok()?;
        let mut trial = None;
        loop {
            let wait = self.breaker().wait(self.clock.elapsed())?;
            if !wait.is_zero() {
                self.clock.sleep(wait).await;
                continue;
            }
            let is_on_trial = self.breaker().is_on_trial();
            match &trial {
                None if is_on_trial => {
                    // Whoever tried before may have been paused or answered.
                    trial = Some(self.trial.lock().await);
                    continue;
                }
                Some(_) if !is_on_trial => trial = None,
                _ => {}
            }
            let not_yet = self.limiter.as_ref().and_then(|limiter| limiter.check().err());
            match not_yet {
                None => return Some(Turn { _permit: permit, _trial: trial }),
                Some(not_yet) => self.clock.sleep(not_yet.wait_time_from(self.clock.elapsed())).await,
            }
        }
    }

    pub(crate) fn answered(&self) {
        self.breaker().answered();
    }

    pub(crate) fn useful(&self) {
        self.breaker().useful();
    }

    /// What came was of no use; how long that has been so of all that was asked of this host.
    pub(crate) fn useless(&self) -> Duration {
        self.breaker().useless(self.clock.elapsed())
    }

    pub(crate) fn asked_to_wait(&self, wait: Duration) {
        self.breaker().asked_to_wait(self.clock.elapsed(), wait);
    }

    /// True if a long pause begins.
    pub(crate) fn firewall(&self) -> bool {
        self.breaker().firewall(self.clock.elapsed(), self.pause)
    }

    fn breaker(&self) -> std::sync::MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::config::Settings;
    use crate::fetch::http::clock::FastClock;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn three_firewall_pages_in_a_row_open_the_breaker() {
        let mut breaker = Breaker::new(1);
        assert!(!breaker.firewall(s(1), s(300)));
        assert!(!breaker.firewall(s(2), s(300)));
        breaker.answered();
        assert!(!breaker.firewall(s(3), s(300)));
        assert!(!breaker.firewall(s(4), s(300)));
        assert_eq!(breaker.wait(s(4)), Some(s(0)));
        assert!(breaker.firewall(s(5), s(300)), "the third in a row");
        assert_eq!(breaker.wait(s(5)), Some(s(300)));
        assert!(!breaker.firewall(s(6), s(300)), "it was under way");
        assert_eq!(breaker.wait(s(306)), Some(s(0)));
        // After the pause one page opens it again; a real answer ends the row.
        assert!(breaker.firewall(s(306), s(300)));
        breaker.answered();
        assert!(!breaker.firewall(s(700), s(300)));
    }

    #[test]
    fn after_three_pauses_the_host_is_left_alone() {
        let mut breaker = Breaker::new(1);
        for now in [1, 2] {
            assert!(!breaker.firewall(s(now), s(10)));
        }
        for now in [3, 14, 25] {
            assert!(breaker.firewall(s(now), s(10)));
        }
        assert!(!breaker.firewall(s(36), s(10)));
        assert_eq!(breaker.wait(s(36)), None);
    }

    #[test]
    fn a_wait_asked_for_holds_for_all_and_is_never_cut_short() {
        let mut breaker = Breaker::new(1);
        breaker.asked_to_wait(s(10), s(60));
        breaker.asked_to_wait(s(11), s(5));
        assert_eq!(breaker.wait(s(20)), Some(s(50)));
        breaker.answered();
        assert_eq!(breaker.wait(s(20)), Some(s(50)), "an answer that was under way changes nothing");
    }

    #[tokio::test]
    async fn turns_come_at_the_rate() {
        let settings =
            |rate| Settings { base_url: Some("https://a.example".to_owned()), rate: Some(rate), ..Settings::default() };
        let clock: Arc<dyn Clock> = Arc::new(FastClock::at("2026-07-01T00:00:00Z".parse().unwrap()));
        let manners = Manners::new(&settings(Rate::PerSecond(4.0)).check().unwrap(), &clock);
        for _ in 0..41 {
            drop(manners.turn().await.unwrap());
        }
        let passed = clock.elapsed().as_secs_f64();
        assert!((9.9..10.6).contains(&passed), "41 turns at 4 a second take 10 seconds, not {passed}");
        let manners = Manners::new(&settings(Rate::Off).check().unwrap(), &clock);
        for _ in 0..100 {
            drop(manners.turn().await.unwrap());
        }
        assert!((clock.elapsed().as_secs_f64() - passed).abs() < 1e-9);
    }
}
