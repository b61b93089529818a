"""Chooses the native module: that of coverdex-sync, which builds and syncs too, where it is installed."""

from __future__ import annotations

import sys
from importlib import import_module, metadata


def _choose() -> None:
    try:
        whole = import_module("coverdex_sync._core")
    except ModuleNotFoundError as error:
        if error.name != "coverdex_sync":
            raise
        return
    own = metadata.version("coverdex")
    if whole.__version__ != own:
        raise ImportError(f"coverdex-sync {whole.__version__} does not fit coverdex {own}: install both in one version")
    sys.modules["coverdex._core"] = whole


_choose()
