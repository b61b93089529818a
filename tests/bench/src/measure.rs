//! Taking figures: many single calls, their median and 99th percentile.

use std::time::{Duration, Instant};

/// Prints a line.
#[allow(clippy::print_stdout, reason = "a benchmark's figures are its output")]
pub(crate) fn print(line: &str) {
    println!("{line}");
}

/// How many a second.
pub(crate) fn per_second(count: u64, time: Duration) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "figures have three digits")]
    let count = count as f64;
    count / time.as_secs_f64()
}

/// The highest resident memory of this process so far, in MB; 0 where the system does not tell.
pub(crate) fn peak_memory_mb() -> f64 {
    status("VmHWM:")
}

/// The anonymous (private) memory of this process now, in MB; 0 where the system does not tell.
pub(crate) fn private_memory_mb() -> f64 {
    status("RssAnon:")
}

/// Seconds of processor time that this process used so far; 0 where the system does not tell.
pub(crate) fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // User and system time, the 12th and 13th behind the name, in hundredths of a second.
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn status(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    let kilobytes: f64 = line.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or_default();
    kilobytes / 1024.0
}

/// A percentile of times that are sorted, in microseconds.
pub(crate) fn percentile(sorted: &[Duration], share: usize) -> f64 {
    sorted.get(sorted.len() * share / 100).copied().unwrap_or_default().as_secs_f64() * 1e6
}

/// Times `calls` calls after a warm-up of a tenth, and prints median, 99th percentile and what must
/// be reached. `call` gets the number of the call and answers what it found, which is summed so that
/// nothing is optimized away and an empty benchmark is seen.
pub(crate) fn figure<E>(
    what: &str,
    must: &str,
    calls: usize,
    mut call: impl FnMut(usize) -> Result<usize, E>,
) -> Result<(), E> {
    let mut found = 0_usize;
    for number in 0..calls / 10 {
        call(number)?;
    }
    let mut times = Vec::with_capacity(calls);
    for number in 0..calls {
        let begun = Instant::now();
        found += call(number)?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    let at = |share| percentile(&times, share);
    print(&format!("{what:<58} p50 {:>9.2} µs   p99 {:>9.2} µs   must {must:<22} found {found}", at(50), at(99)));
    Ok(())
}

/// A small generator: draws must be the same in every run, and cheap beside what is measured.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of `items`.
    pub(crate) fn one<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX).max(1);
        items.get(usize::try_from((self.0 >> 33) % count).unwrap_or(0))
    }
}
