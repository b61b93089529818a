"""How answers look: one line of text, and a table in a notebook."""

from __future__ import annotations

from enum import Enum
from html import escape
from typing import Any

MOST_ROWS = 50


def text(answer: Any) -> str:  # noqa: ANN401
    """Show an answer with the fields that say something; lists by their length."""
    shown = []
    for name in answer._fields:
        value = getattr(answer, name)
        if value is None or value == ():
            continue
        shown.append(f"{name}={_short(value)}")
    return f"{type(answer).__name__}({', '.join(shown)})"


def html(answer: Any) -> str:  # noqa: ANN401
    """Show an answer as a table: its results if it has any, else its fields."""
    rows = _rows(answer)
    if rows is None:
        body = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td>{_cell(getattr(answer, name))}</td></tr>"
            for name in answer._fields
        )
        return f"<table>{body}</table>"
    caption = f"<caption style='text-align:left'>{escape(_caption(answer))}</caption>"
    if not rows:
        return f"<table>{caption}</table>"
    names = [name for name in rows[0]._fields if any(getattr(row, name) not in (None, ()) for row in rows)]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(getattr(row, name))}</td>" for name in names) + "</tr>" for row in rows
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _rows(answer: Any) -> tuple[Any, ...] | None:  # noqa: ANN401
    for name in ("results", "plans"):
        if name in answer._fields:
            return tuple(getattr(answer, name))[:MOST_ROWS]
    return None


def _caption(answer: Any) -> str:  # noqa: ANN401
    parts = []
    for name in answer._fields:
        value = getattr(answer, name)
        if isinstance(value, (str, int, float)) and value != "":
            parts.append(f"{name}: {value}")
    return ", ".join(parts)


def _short(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, Enum):
        return repr(value.value)
    if isinstance(value, tuple) and len(value) > 3:
        return f"<{len(value)} items>"
    return repr(value)


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "<br>".join(_cell(item) for item in value)
    for name in ("summary", "display", "label", "name"):
        if hasattr(value, "_fields") and name in value._fields and getattr(value, name):
            return escape(str(getattr(value, name)))
    return escape(str(value))
