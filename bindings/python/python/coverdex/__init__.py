"""A health plan's drug formulary and provider directory, answered offline."""

from ._core import Cancel, Dataset, Table, __version__, open
from ._errors import (
    Ambiguous,
    CoverdexError,
    DatasetDamaged,
    DatasetError,
    DatasetMissing,
    DatasetTooNew,
    Interrupted,
    InvalidInput,
    IoError,
    NotFound,
    SyncError,
)

__all__ = [
    "Ambiguous",
    "Cancel",
    "CoverdexError",
    "Dataset",
    "DatasetDamaged",
    "DatasetError",
    "DatasetMissing",
    "DatasetTooNew",
    "Interrupted",
    "InvalidInput",
    "IoError",
    "NotFound",
    "SyncError",
    "Table",
    "__version__",
    "open",
]
