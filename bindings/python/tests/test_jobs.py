"""Building and syncing."""

import io
import json
import os
import re
import signal
import subprocess
import time

import coverdex
import pytest

from conftest import QUESTIONS


def test_build_tells_its_progress_and_is_live(tmp_path):
    told = []
    built = coverdex.build(QUESTIONS / "payer", tmp_path / "store", payer="Piñon Mesa", progress=told.append)
    assert built.folder.is_dir()
    assert built.as_of == "2026-11-05T08:00:00Z"
    assert built.counts["plans"] > 5
    assert {progress.stage for progress in told} <= {"reading", "building"}
    assert told
    with built.open() as ds, coverdex.open(tmp_path / "store") as live:
        assert ds.id == live.id == built.dataset
        assert ds.source == "Piñon Mesa"


def test_what_the_callback_raises_ends_the_build(tmp_path):
    def refuse(_progress):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        coverdex.build(QUESTIONS / "payer", tmp_path / "store", progress=refuse)


def test_what_cannot_be_built(tmp_path):
    with pytest.raises(coverdex.IoError):
        coverdex.build(tmp_path / "nowhere", tmp_path / "store", progress=False)
    with pytest.raises(coverdex.InvalidInput):
        coverdex.build(QUESTIONS / "payer", tmp_path / "store", tiers={"Z": "what"}, progress=False)


def test_the_bar_fits_where_it_is_shown():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream in (Terminal(), io.StringIO()):
        bar = coverdex.Bar(stream)
        bar(coverdex.Progress("reading", 50, 100, 1234))
        bar(coverdex.Progress("reading", message="waiting 5 s: asked to"))
        bar.close()
        text = stream.getvalue()
        assert "1,234 resources" in text
        assert "waiting 5 s" in text
        assert text.endswith("\n")


@pytest.fixture
def sandbox(command):
    """A made payer, served."""
    process = subprocess.Popen(
        [command, "sandbox", "--port", "0", "--size", "tiny", "--json"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["base_url"]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def test_sync_reads_a_payer(sandbox, tmp_path):
    told = []
    synced = coverdex.sync(sandbox, tmp_path / "store", rate="off", progress=told.append)
    assert synced.complete
    assert synced.built is not None
    assert not synced.incomplete
    assert synced.report["complete"]
    assert {progress.resource_type for progress in told} > {"List", "Practitioner"}
    with synced.open() as ds:
        assert len(ds.plans()) > 0
    again = coverdex.build(tmp_path / "store.staging", tmp_path / "again", progress=False)
    assert again.dataset == synced.built.dataset


def test_ctrl_c_ends_a_sync_and_it_goes_on(sandbox, tmp_path):
    def interrupt(progress):
        if progress.resources > 50:
            signal.raise_signal(signal.SIGINT)

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        coverdex.sync(sandbox, tmp_path / "store", rate=50, progress=interrupt)
    assert time.monotonic() - begun < 20
    assert coverdex.sync(sandbox, tmp_path / "store", rate="off", progress=False).complete


def test_what_lets_a_client_in_is_checked_and_never_shown(tmp_path):
    def refused(kind, **access):
        with pytest.raises(kind) as raised:
            coverdex.sync("http://127.0.0.1:9/api", tmp_path / "store", progress=False, **access)
        assert "hunter2" not in f"{raised.value} {raised.value!r}"
        return str(raised.value)

    assert "api-key-header" in refused(coverdex.InvalidInput, api_key="hunter2", api_key_header="Cookie")
    assert "api-key" in refused(coverdex.InvalidInput, api_key="hunter2 ż")
    assert "no such file" in refused(coverdex.InvalidInput, ca=tmp_path / "ca.pem")
    login = {"token_url": "http://127.0.0.1:9/token", "client_id": "app", "client_secret": "hunter2"}
    assert "cannot be reached" in refused(coverdex.SyncError, **login)
    settings = tmp_path / "payer.toml"
    settings.write_text('client-secret = "hunter2"\n')
    settings.chmod(0o644)
    if os.name == "posix":
        assert "others may use it" in refused(coverdex.InvalidInput, settings=settings)


def test_nobody_is_there(tmp_path):
    with pytest.raises(coverdex.SyncError, match="cannot be reached"):
        coverdex.sync("http://127.0.0.1:9/api", tmp_path / "store", progress=False)
    assert re.match(r"\d", coverdex.__version__)
