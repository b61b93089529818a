"""Building a dataset, and syncing one from a payer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from . import _core
from ._core import Dataset
from ._errors import DatasetMissing, InvalidInput
from ._progress import Bar, Progress

PathLike = str | os.PathLike[str]
ShownProgress = Callable[[Progress], object] | Literal[False] | None


@dataclass(frozen=True)
class Built:
    """A dataset that was built and is live in its store."""

    folder: Path
    dataset: str
    as_of: str
    counts: Mapping[str, int]
    bytes: int
    repeats: int
    unused_tiers: tuple[str, ...]
    seconds: float

    def open(self) -> Dataset:
        """Open the dataset."""
        return _core.open(self.folder)


@dataclass(frozen=True)
class Synced:
    """How a sync ended.

    Where ``complete`` is False, ``incomplete`` says which parts were not seen and why; a dataset that was
    live before (``kept``) still is, and the same call goes on. Formularies and the directory are outcomes of their
    own: where one was seen whole, ``built`` has it as it is now, and ``former`` says which half stays as it was, and
    since when.
    """

    complete: bool
    incomplete: Mapping[str, str]
    report: Mapping[str, Any]
    crawl: Mapping[str, Any]
    built: Built | None
    kept: Path | None
    former: Mapping[str, str] | None

    def open(self) -> Dataset:
        """Open the dataset that is live now."""
        folder = self.built.folder if self.built else self.kept
        if folder is None:
            raise DatasetMissing("dataset_missing", "sync", "nothing came, and no dataset was there before")
        return _core.open(folder)


def build(
    source: PathLike,
    out: PathLike,
    *,
    payer: str | None = None,
    as_of: str | None = None,
    tiers: Mapping[str, str] | None = None,
    threads: int = 0,
    progress: ShownProgress = None,
) -> Built:
    """Build a dataset into the store ``out`` and make it the live one.

    ``source`` is a folder of FHIR resources (NDJSON, Bundles or single resources; gzip and zstd too), or the
    staging folder of a sync. ``as_of`` says when the payer's data was read; without it the newest
    ``meta.lastUpdated`` does. ``tiers`` says what the payer's tiers mean where code and words do not tell:
    ``{"Z": "covered"}``.

    ``progress`` is called with a :class:`Progress` now and then, in the calling thread; by default a bar is
    shown, and with False nothing. Ctrl-C ends the build; the former dataset stays live.
    """
    with _told(progress) as callback:
        fields = _native("build")(
            source,
            out,
            payer=payer,
            as_of=as_of,
            tiers=dict(tiers or {}),
            threads=threads,
            progress=callback,
        )
    return _built(fields)


def sync(
    base_url: str | None,
    out: PathLike,
    *,
    staging: PathLike | None = None,
    payer: str | None = None,
    plans: Iterable[str] = (),
    states: Iterable[str] = (),
    formulary: bool = True,
    directory: bool = True,
    tiers: Mapping[str, str] | None = None,
    rate: float | Literal["off"] | None = None,
    concurrency: int | None = None,
    allow_http: bool | None = None,
    token_url: str | None = None,
    client_id: str | None = None,
    client_secret: str | None = None,
    scope: str | None = None,
    api_key: str | None = None,
    api_key_header: str | None = None,
    ca: PathLike | None = None,
    client_certificate: PathLike | None = None,
    client_key: PathLike | None = None,
    settings: PathLike | None = None,
    full: bool = False,
    accept_shrink: bool = False,
    other_payer: bool = False,
    progress: ShownProgress = None,
) -> Synced:
    """Read a payer over the network, or what has changed since, and build its dataset into the store ``out``.

    What the payer answers is kept page by page in ``staging`` (``OUT.staging`` unless another folder is named):
    stopped at any point, the same call goes on. ``plans`` and ``states`` choose a part. ``settings`` is a TOML
    file with what is not said here, as the command takes it. A store whose dataset was read from another address, or
    from files, is refused unless ``other_payer`` is set.

    Where a payer wants it, ``token_url``, ``client_id``, ``client_secret`` and ``scope`` let the client log in by its
    own credentials, ``api_key`` goes into the header ``api_key_header`` (``X-API-Key``), and ``ca``,
    ``client_certificate`` and ``client_key`` are PEM files. Secrets stand in no log, error or dataset.

    ``progress`` is called with a :class:`Progress` now and then, in the calling thread; by default a line per
    resource type is shown, and with False nothing. Ctrl-C ends the sync between two pages.
    """
    store = Path(out)
    access = {
        "token_url": token_url,
        "client_id": client_id,
        "client_secret": client_secret,
        "scope": scope,
        "api_key": api_key,
        "api_key_header": api_key_header,
        "ca": ca,
        "client_certificate": client_certificate,
        "client_key": client_key,
    }
    with _told(progress) as callback:
        fields = _native("sync")(
            base_url,
            store,
            store.with_name(store.name + ".staging") if staging is None else staging,
            payer=payer,
            plans=list(plans),
            states=list(states),
            formulary=formulary,
            directory=directory,
            tiers=dict(tiers or {}),
            rate=None if rate is None else str(rate),
            concurrency=concurrency,
            allow_http=allow_http,
            access={name: str(value) for name, value in access.items() if value is not None},
            settings=settings,
            full=full,
            accept_shrink=accept_shrink,
            other_payer=other_payer,
            progress=callback,
        )
    return Synced(
        complete=fields["complete"],
        incomplete=fields["incomplete"],
        report=fields["report"],
        crawl=fields["crawl"],
        built=_built(fields["built"]) if fields["built"] else None,
        kept=fields["kept"],
        former=fields["former"],
    )


def _native(name: str) -> Callable[..., dict[str, Any]]:
    native = getattr(_core, name, None)
    if native is None:
        raise InvalidInput(
            "invalid_input",
            f"coverdex.{name}",
            "this installation of coverdex only asks datasets",
            "install coverdex-sync beside it",
        )
    function: Callable[..., dict[str, Any]] = native
    return function


def _built(fields: dict[str, Any]) -> Built:
    return Built(
        folder=Path(fields["folder"]),
        dataset=fields["dataset"],
        as_of=fields["as_of"],
        counts=fields["counts"],
        bytes=fields["bytes"],
        repeats=fields["repeats"],
        unused_tiers=tuple(fields["unused_tiers"]),
        seconds=fields["seconds"],
    )


@contextmanager
def _told(progress: ShownProgress) -> Iterator[Callable[[Progress], object] | None]:
    if progress is False:
        yield None
    elif progress is not None:
        yield progress
    else:
        bar = Bar()
        try:
            yield bar
        finally:
            bar.close()
