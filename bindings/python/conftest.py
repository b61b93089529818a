"""A dataset of the payer of tests/questions, built once, and given to doctests as `store` and `ds`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverdex
import pytest

QUESTIONS = Path(__file__).parents[2] / "tests" / "questions"


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the dataset."""
    out = tmp_path_factory.mktemp("data") / "store"
    coverdex.build(QUESTIONS / "payer", out, progress=False)
    return out


@pytest.fixture(scope="session")
def ds(store: Path) -> Iterator[coverdex.Dataset]:
    """The dataset, open."""
    with coverdex.open(store) as dataset:
        yield dataset


@pytest.fixture(scope="session")
def command() -> str:
    """The command, as `tests/run python` built it."""
    path = os.environ.get("COVERDEX_COMMAND")
    assert path, "COVERDEX_COMMAND names no command: run tests/run python"
    return path


@pytest.fixture(autouse=True)
def _namespace(doctest_namespace: dict[str, Any], store: Path, ds: coverdex.Dataset, tmp_path: Path) -> None:
    doctest_namespace.update(store=store, ds=ds, coverdex=coverdex, folder=tmp_path, payer=QUESTIONS / "payer")
