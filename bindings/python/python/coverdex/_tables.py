"""Handing a table to other packages, each of which takes Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._core import Table


def to_pandas(table: Table) -> Any:  # noqa: ANN401
    """Read a table into a pandas DataFrame."""
    import pandas as pd

    if hasattr(pd.DataFrame, "from_arrow"):
        return pd.DataFrame.from_arrow(table)
    return to_pyarrow(table).to_pandas()


def to_polars(table: Table) -> Any:  # noqa: ANN401
    """Read a table into a polars DataFrame."""
    import polars as pl

    return pl.DataFrame(table)


def to_pyarrow(table: Table) -> Any:  # noqa: ANN401
    """Read a table into a pyarrow Table."""
    import pyarrow as pa

    return pa.table(table)
