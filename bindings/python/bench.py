"""What calls cost from Python: p50 and p99 in microseconds. `bench.py DATASET [SECONDS_OF_THREADS]`.

The same questions are asked of core by `coverdex-bench --dataset DATASET`; run both, and compare.
"""

from __future__ import annotations

import itertools
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import coverdex

CALLS = 20_000


def figure(what: str, call: Callable[[int], object], calls: int = CALLS) -> None:
    """Print p50 and p99 of a call."""
    for n in range(min(calls, 200)):
        call(n)
    times = []
    for n in range(calls):
        begun = time.perf_counter_ns()
        call(n)
        times.append(time.perf_counter_ns() - begun)
    times.sort()
    p50, p99 = times[len(times) // 2] / 1000, times[len(times) * 99 // 100] / 1000
    print(f"{what:66} {p50:10.2f} {p99:10.2f}")


def main() -> None:
    """Ask a dataset."""
    ds = coverdex.open(sys.argv[1])
    plan = next(plan.plan for plan in ds.plans() if plan.formulary)
    packages = ds.formulary(plan).to_pyarrow().column("ndc11").drop_null().to_pylist()[:5_000]
    names = [line.name for letters in ("at", "me", "li", "lo") for line in ds.drugs(letters, limit=50, codes=False)]
    typed = [name[: 3 + n % 4] for n, name in enumerate(names)]
    print(f"{'microseconds':66} {'p50':>10} {'p99':>10}")
    figure("a call that only crosses over (as_of)", lambda n: ds.as_of)
    figure("coverage by NDC, all fields", lambda n: ds.coverage(plan, packages[n % len(packages)]))
    figure(
        "coverage by NDC, and status, tier and flags read",
        lambda n: read(ds.coverage(plan, packages[n % len(packages)])),
    )
    figure("coverage by NDC, as a dict", lambda n: ds.coverage(plan, packages[n % len(packages)]).to_dict())
    figure("a page of drugs while typing, with the plan", lambda n: ds.drugs(typed[n % len(typed)], plan=plan))
    begun = time.perf_counter()
    table = ds.practice_locations(inactive=True)
    seconds = time.perf_counter() - begun
    print(f"practice locations as Arrow: {len(table):,} rows in {seconds:.2f} s")
    begun = time.perf_counter()
    rows = table.to_polars().height
    print(f"  and in polars: {rows:,} rows in {time.perf_counter() - begun:.2f} s more")
    del table
    memory(ds, plan, packages)
    threads(ds, plan, packages, float(sys.argv[2]) if len(sys.argv) > 2 else 2.0)


def read(answer: coverdex.Coverage) -> tuple[object, ...]:
    """Read what is shown first."""
    return answer.status, answer.tier, answer.prior_authorization, answer.step_therapy, answer.quantity_limit


def memory(ds: coverdex.Dataset, plan: str, packages: list[str]) -> None:
    """Print how much memory 100,000 calls leave behind."""
    for n in range(10_000):
        ds.coverage(plan, packages[n % len(packages)]).to_dict()
    before = resident()
    for n in range(100_000):
        ds.coverage(plan, packages[n % len(packages)]).to_dict()
    print(f"memory after 100,000 calls more: {(resident() - before) / 1024:+.1f} MB")


def resident() -> float:
    """Kilobytes that the process holds now."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return next(float(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    except OSError:
        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def threads(ds: coverdex.Dataset, plan: str, packages: list[str], seconds: float) -> None:
    """Print how many answers 16 threads get, and how many of them are wrong."""
    want = {ndc: ds.coverage(plan, ndc) for ndc in packages[:500]}
    wrong = itertools.count()
    counts: list[int] = []
    until = time.monotonic() + seconds

    def work(start: int) -> None:
        n = start
        while time.monotonic() < until:
            ndc = packages[n % len(want)]
            if ds.coverage(plan, ndc) != want[ndc]:
                next(wrong)
            n += 1
        counts.append(n - start)

    running = [threading.Thread(target=work, args=(n * 31,)) for n in range(16)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    print(f"16 threads for {seconds:.0f} s: {sum(counts):,} answers, {next(wrong)} wrong")


if __name__ == "__main__":
    main()
