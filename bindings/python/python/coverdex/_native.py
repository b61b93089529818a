"""Chooses the native module: that of coverdex-sync, which builds and syncs too, where it is installed."""

from __future__ import annotations

import sys
from importlib import import_module, metadata
from types import ModuleType


def _own() -> ModuleType:
    try:
        return import_module("coverdex._core")
    except ModuleNotFoundError as error:
        if error.name != "coverdex._core":
            raise
        folder = __file__.rpartition("_native")[0]
        raise ImportError(
            f"coverdex's native module is not in {folder}: install the package (pip install coverdex), and "
            "start Python where no folder named coverdex lies before it on the path"
        ) from error


def _version(module: ModuleType) -> str:
    version = getattr(module, "__version__", None)
    return version if isinstance(version, str) else "of no version"


def _of_sync() -> ModuleType | None:
    try:
        return import_module("coverdex_sync._core")
    except ModuleNotFoundError as error:
        # Not installed; or only a folder of its name is on the path, such as its sources.
        if error.name in ("coverdex_sync", "coverdex_sync._core"):
            return None
        raise
    except ImportError as error:
        raise ImportError(
            f"coverdex-sync cannot be loaded ({error}): install it again "
            "(pip install --force-reinstall coverdex-sync), or remove it"
        ) from error


def _choose() -> None:
    whole = _of_sync()
    if whole is None:
        own = _own()
        if _version(own) == "of no version":
            raise ImportError("coverdex's native module says no version: install coverdex again, whole")
        return
    try:
        version = metadata.version("coverdex")
    except metadata.PackageNotFoundError:
        # Copied here without what an installer writes beside it: its own module knows.
        version = _version(_own())
    if _version(whole) != version:
        raise ImportError(
            f"coverdex-sync {_version(whole)} does not fit coverdex {version}: install both in one version "
            "(pip install --upgrade coverdex coverdex-sync)"
        )
    sys.modules["coverdex._core"] = whole
    # For `import coverdex._core`, which looks for it here.
    sys.modules["coverdex"]._core = whole  # type: ignore[attr-defined]


_choose()
