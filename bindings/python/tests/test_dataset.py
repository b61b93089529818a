"""Opening, closing, threads, forks, signals."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import coverdex
import pytest

from conftest import QUESTIONS

PLAN = "H9231-001-000-2026"


def test_open_takes_any_path(store):
    class Path:
        def __fspath__(self):
            return str(store)

    for path in (store, str(store), Path(), next(store.glob("v*"))):
        with coverdex.open(path) as ds:
            assert ds.as_of == "2026-11-05T08:00:00Z"
            assert isinstance(ds.folder, pathlib.Path)
            assert len(ds.id) == 64


def test_a_closed_dataset_answers_nothing(store):
    with coverdex.open(store) as ds:
        ds.coverage(PLAN, "eliquis 5 mg")
    with pytest.raises(coverdex.InvalidInput, match="closed"):
        ds.coverage(PLAN, "eliquis 5 mg")
    ds.close()
    assert "closed" in repr(ds)


def test_threads_get_right_answers(ds):
    texts = ["atorvastatin 20 mg", "eliquis 5 mg", "gabapentin 300 mg", "warfarin 5 mg", "metoprolol 50 mg"]
    want = {text: ds.coverage(PLAN, text) for text in texts}
    pages = {text[:5]: ds.drugs(text[:5], plan=PLAN) for text in texts}
    seconds = float(os.environ.get("COVERDEX_THREADS_SECONDS", "2"))
    until = time.monotonic() + seconds
    wrong, asked = [], []

    def work(n):
        count = 0
        while time.monotonic() < until:
            text = texts[(count + n) % len(texts)]
            if ds.coverage(PLAN, text) != want[text] or ds.drugs(text[:5], plan=PLAN) != pages[text[:5]]:
                wrong.append(text)
            count += 1
        asked.append(count)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(asked) == 16
    print(f"{2 * sum(asked)} answers from 16 threads in {seconds} s")


FORKED = f"""
import os, sys, threading, coverdex
ds = coverdex.open(sys.argv[1])
want = ds.coverage("{PLAN}", "eliquis 5 mg")
stop = threading.Event()
def work():
    while not stop.is_set():
        ds.coverage("{PLAN}", "eliquis 5 mg")
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
failed = 0
for _ in range(20):
    child = os.fork()
    if child == 0:
        ok = ds.coverage("{PLAN}", "eliquis 5 mg") == want
        ds.close()
        os._exit(0 if ok else 1)
    failed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
stop.set()
for thread in threads: thread.join()
assert ds.coverage("{PLAN}", "eliquis 5 mg") == want
sys.exit(failed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_processes_answer(store):
    # Python 3.12 warns of forks of a process with threads: that is what is tried here.
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED, str(store)], timeout=120, check=False)
    assert run.returncode == 0


def test_a_token_cancels(ds):
    token = coverdex.Cancel()
    bound = ds.cancelled_by(token)
    assert bound.coverage(PLAN, "eliquis 5 mg") == ds.coverage(PLAN, "eliquis 5 mg")
    token.cancel()
    assert token.is_cancelled
    with pytest.raises(coverdex.Interrupted):
        bound.drugs("atorva")
    ds.drugs("atorva")


def test_a_signal_ends_a_long_call(ds):
    class Rang(Exception):
        pass

    def ring(_number, _frame):
        raise Rang

    drugs = ["atorvastatin 20 mg", "metformin 500 mg", "lisinopril 10 mg"] * 20_000
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        begun = time.monotonic()
        with pytest.raises(Rang):
            ds.coverage_matrix(drugs, [PLAN])
        assert time.monotonic() - begun < 2.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ds.coverage(PLAN, "eliquis 5 mg").status == "covered"


def test_other_threads_go_on(ds):
    """A call gives up the interpreter's lock: a thread that only counts goes on beside it."""
    counted = 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    ds.coverage_matrix(["atorvastatin 20 mg", "metformin 500 mg"] * 500, [PLAN])
    stop.set()
    thread.join()
    assert counted > 10


def test_memory_stays_flat(ds):
    resource = pytest.importorskip("resource")
    calls = int(os.environ.get("COVERDEX_MEMORY_CALLS", "20000"))

    def ask(n):
        for _ in range(n):
            answer = ds.coverage(PLAN, "atorvastatin 20 mg")
            assert answer.status == "covered"
            answer.packages[0].to_dict()

    ask(2_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ask(calls)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{calls} calls: {grown} KB more at most")
    assert grown < 4_000


def test_a_relative_path_stays_what_it_was(store, tmp_path, monkeypatch):
    monkeypatch.chdir(store.parent)
    with coverdex.open(store.name) as relative, coverdex.open(store.name) as unasked:
        assert relative.folder.is_absolute()
        before = relative.drugs("atorvastatin", limit=1)[0].name
        monkeypatch.chdir(tmp_path)
        assert relative.drugs("atorvastatin", limit=1)[0].name == before
        assert unasked.providers(state="NM", limit=1).total > 0


def test_another_dataset_in_its_place(store, tmp_path):
    folder = tmp_path / "bare"
    with coverdex.open(store) as live:
        shutil.copytree(live.folder, folder)
    other = coverdex.build(QUESTIONS / "payer", tmp_path / "store", as_of="2026-06-01", progress=False)
    with coverdex.open(folder) as ds:
        before = ds.id
        shutil.copytree(other.folder, folder, dirs_exist_ok=True)
        with pytest.raises(coverdex.IoError, match="replaced") as raised:
            ds.info()
        assert "open it again" in (raised.value.hint or "")
    with coverdex.open(folder) as again:
        assert again.id == other.dataset != before


# Threads of this stack are none that a system starts.
NO_THREADS = {**os.environ, "RUST_MIN_STACK": str(1 << 46)}


def test_where_no_thread_starts(store, tmp_path):
    code = (
        "import sys, coverdex\n"
        "ds = coverdex.open(sys.argv[1])\n"
        "print(len(ds.practice_locations()) > 0)\n"
        "try:\n"
        "    coverdex.build(sys.argv[2], sys.argv[3], progress=False)\n"
        "except coverdex.IoError as error:\n"
        "    print('threads' in str(error))\n"
    )
    arguments = [sys.executable, "-c", code, str(store), str(QUESTIONS / "payer"), str(tmp_path / "store")]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False, env=NO_THREADS)
    assert (ran.stdout.split(), ran.stderr) == (["True", "True"], "")
