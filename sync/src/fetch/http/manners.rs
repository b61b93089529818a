//! One host's share of patience: how many requests at a time, how often, and when to keep away.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::Clock as GovernorClock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::fetch::config::{Config, Rate};
use crate::fetch::http::clock::Clock;

/// Firewall pages in a row that open the breaker.
const IN_A_ROW: u32 = 3;
/// Long pauses in a row after which the host is left alone.
const PAUSES: u32 = 3;

/// When requests may go to a host. Pure: times are handed in.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Breaker {
    /// No request before this.
    closed_until: Duration,
    in_a_row: u32,
    pauses: u32,
    /// How often the breaker opened: requests of one round were sent between two pauses.
    round: u32,
    given_up: bool,
    /// Since when whatever came was of no use.
    failing_since: Option<Duration>,
}

impl Breaker {
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

    /// What was asked for came, or a clear no.
    pub(crate) fn useful(&mut self) {
        self.failing_since = None;
    }

    /// What came was of no use; how long that has been so.
    pub(crate) fn useless(&mut self, now: Duration) -> Duration {
        now.saturating_sub(*self.failing_since.get_or_insert(now))
    }

    /// A firewall's page came for a request of a round. True if a long pause begins.
    pub(crate) fn firewall(&mut self, now: Duration, pause: Duration, round: u32) -> bool {
        // Pages of requests that were under way when the breaker opened count once.
        if now < self.closed_until || round < self.round {
            return false;
        }
        self.in_a_row += 1;
        if self.in_a_row < IN_A_ROW {
            return false;
        }
        // Requests that met a page of their own before the pause may meet another where others would pass: it takes as
        // many again.
        self.in_a_row = 0;
        self.pauses += 1;
        if self.pauses > PAUSES {
            self.given_up = true;
            return false;
        }
        self.round += 1;
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
    pause: Duration,
}

/// Leave to ask a host, until it is dropped: after what came was judged.
pub(crate) struct Turn<'a> {
    _permit: SemaphorePermit<'a>,
    /// Between which pauses the request is sent.
    pub(crate) round: u32,
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
            breaker: Mutex::default(),
            pause: config.pause,
        }
    }

    /// Waits for a turn; `None` if the host is left alone for good.
    pub(crate) async fn turn(&self) -> Option<Turn<'_>> {
        let permit = self.permits.acquire().await.ok()?;
        loop {
            let wait = self.breaker().wait(self.clock.elapsed())?;
            if !wait.is_zero() {
                self.clock.sleep(wait).await;
                continue;
            }
            let not_yet = self.limiter.as_ref().and_then(|limiter| limiter.check().err());
            match not_yet {
                None => return Some(Turn { _permit: permit, round: self.breaker().round }),
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
    pub(crate) fn firewall(&self, round: u32) -> bool {
        self.breaker().firewall(self.clock.elapsed(), self.pause, round)
    }

    /// Whether the host is left alone for good: a firewall answered for everything.
    pub(crate) fn is_left_alone(&self) -> bool {
        self.breaker().given_up
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
        let mut breaker = Breaker::default();
        assert!(!breaker.firewall(s(1), s(300), breaker.round));
        assert!(!breaker.firewall(s(2), s(300), breaker.round));
        breaker.answered();
        assert!(!breaker.firewall(s(3), s(300), breaker.round));
        assert!(!breaker.firewall(s(4), s(300), breaker.round));
        assert_eq!(breaker.wait(s(4)), Some(s(0)));
        assert!(breaker.firewall(s(5), s(300), breaker.round), "the third in a row");
        assert_eq!(breaker.wait(s(5)), Some(s(300)));
        assert!(!breaker.firewall(s(6), s(300), breaker.round), "it was under way");
        assert_eq!(breaker.wait(s(306)), Some(s(0)));
        // After the pause it takes as many again; a real answer ends the row.
        for now in [306, 307] {
            assert!(!breaker.firewall(s(now), s(300), breaker.round));
        }
        assert!(breaker.firewall(s(308), s(300), breaker.round));
        breaker.answered();
        assert!(!breaker.firewall(s(700), s(300), breaker.round));
    }

    #[test]
    fn pages_of_one_round_count_as_one_however_late_they_come() {
        let mut breaker = Breaker::default();
        for now in 1..=3 {
            breaker.firewall(s(now), s(10), 0);
        }
        for late in 0..20 {
            assert!(!breaker.firewall(s(100 + late), s(10), 0), "sent before the pause");
        }
        assert!(!breaker.firewall(s(200), s(10), 1), "the first of the next round");
    }

    #[test]
    fn after_three_pauses_the_host_is_left_alone() {
        let mut breaker = Breaker::default();
        for now in [3, 20, 40] {
            assert!(!breaker.firewall(s(now - 2), s(10), breaker.round));
            assert!(!breaker.firewall(s(now - 1), s(10), breaker.round));
            assert!(breaker.firewall(s(now), s(10), breaker.round));
        }
        for now in [60, 61, 62] {
            assert_eq!(breaker.wait(s(now)), Some(s(0)));
            assert!(!breaker.firewall(s(now), s(10), breaker.round));
        }
        assert_eq!(breaker.wait(s(63)), None);
    }

    #[test]
    fn a_wait_asked_for_holds_for_all_and_is_never_cut_short() {
        let mut breaker = Breaker::default();
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
