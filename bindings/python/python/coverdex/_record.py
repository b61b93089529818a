"""Parts of answers that have no class of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Record:
    """Fields with their values; it cannot be changed, and equals a record with the same."""

    __slots__ = ("_values",)
    _values: dict[str, Any]

    def __init__(self, values: dict[str, Any]) -> None:
        """Take fields and their values."""
        object.__setattr__(self, "_values", values)

    @property
    def _fields(self) -> tuple[str, ...]:
        return tuple(self._values)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """Read a field."""
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no field {name!r}; there are {', '.join(self._values)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse it."""
        raise AttributeError("an answer cannot be changed")

    def __dir__(self) -> list[str]:
        """Name the fields, for completion."""
        return [*super().__dir__(), *self._values]

    def __eq__(self, other: object) -> bool:
        """Compare field by field."""
        return isinstance(other, Record) and self._values == other._values

    def __hash__(self) -> int:
        """Agree for equal records."""
        return hash(tuple(self._values.items()))

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the fields."""
        return iter(self._values)

    def __reduce__(self) -> tuple[type[Record], tuple[dict[str, Any]]]:
        """Be copied and sent to other processes."""
        return Record, (self._values,)

    def __repr__(self) -> str:
        """Show fields and values."""
        return f"Record({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

    def to_dict(self) -> dict[str, Any]:
        """Give plain dicts and lists."""
        return {name: _plain(value) for name, value in self._values.items()}


def frozen(value: Any) -> Any:  # noqa: ANN401
    """Make records of objects and tuples of lists."""
    if isinstance(value, dict):
        return Record({name: frozen(item) for name, item in value.items()})
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    return value


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
