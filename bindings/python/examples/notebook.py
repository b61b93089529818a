"""Writes counselor.ipynb from counselor.py, cell by cell; with --check it only compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPT, NOTEBOOK = HERE / "counselor.py", HERE / "counselor.ipynb"


def written() -> str:
    """The notebook's text."""
    cells = []
    for n, part in enumerate(SCRIPT.read_text(encoding="utf-8").split("# %%")[1:]):
        head, _, body = part.partition("\n")
        lines = body.strip("\n").splitlines(keepends=True)
        if "[markdown]" in head:
            lines = [line.removeprefix("# ").removeprefix("#") for line in lines]
            cells.append({"cell_type": "markdown", "id": f"cell-{n}", "metadata": {}, "source": lines})
        else:
            code = {
                "cell_type": "code",
                "execution_count": None,
                "id": f"cell-{n}",
                "metadata": {},
                "outputs": [],
            }
            cells.append(code | {"source": lines})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv[1:]:
        NOTEBOOK.write_text(written(), encoding="utf-8")
    elif NOTEBOOK.read_text(encoding="utf-8") != written():
        sys.exit("counselor.ipynb is not what counselor.py says: run notebook.py")
