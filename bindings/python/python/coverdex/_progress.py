"""Progress of a build or a sync: what a callback is told, and the bar that is shown without one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build or a sync has come.

    ``stage`` is ``reading`` or ``building``; for a sync ``reading`` is told by resource type. ``done`` of
    ``total`` are bytes where a folder is read, else resources; ``total`` is None where nobody knows it.
    ``message`` is something to be told in words, such as a wait that the server asks for.
    """

    stage: str
    done: int = 0
    total: int | None = None
    resources: int = 0
    resource_type: str | None = None
    message: str | None = None


ProgressCallback = Callable[[Progress], object]


class Bar:
    """A line of text that is written anew on a terminal, and a line now and then elsewhere."""

    BETWEEN_FRAMES = 0.1
    BETWEEN_LINES = 10.0

    def __init__(self, stream: TextIO | None = None) -> None:
        """Write to standard error unless another stream is named."""
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = self._stream.isatty()
        self._last = 0.0
        self._width = 0
        self._types: dict[str, Progress] = {}

    def __call__(self, progress: Progress) -> None:
        """Show how far it has come, unless it was shown a moment ago."""
        if progress.message is not None:
            self._line(progress.message)
            return
        if progress.resource_type is not None:
            self._types[progress.resource_type] = progress
        now = time.monotonic()
        if now - self._last < (self.BETWEEN_FRAMES if self._is_terminal else self.BETWEEN_LINES):
            return
        self._last = now
        text = self._text(progress)
        if self._is_terminal:
            self._write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._line(text)

    def close(self) -> None:
        """Clear the line: what is worth keeping stands in the result."""
        if self._is_terminal and self._width:
            self._write("\r" + " " * self._width + "\r")
        self._width = 0

    def _text(self, progress: Progress) -> str:
        if progress.stage == "building":
            return f"building a dataset of {progress.resources:,} resources"
        if self._types:
            return "reading " + ", ".join(_of_type(name, of) for name, of in self._types.items())
        bar = ""
        if progress.total:
            filled = min(30, 30 * progress.done // progress.total)
            bar = f"[{'=' * filled}{' ' * (30 - filled)}] "
        return f"reading {bar}{progress.resources:,} resources"

    def _line(self, text: str) -> None:
        self.close()
        self._write(text + "\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _of_type(name: str, progress: Progress) -> str:
    if progress.total is None or progress.total < progress.done:
        return f"{name} {progress.done:,}"
    return f"{name} {progress.done:,} of {progress.total:,}"
