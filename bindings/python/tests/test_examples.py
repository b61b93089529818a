"""The worked example runs, as script and as notebook."""

import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_script_runs():
    run = subprocess.run([sys.executable, EXAMPLES / "counselor.py"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "packages changed" in run.stdout
    assert ": 0 of" not in run.stdout


def test_the_notebook_is_the_script():
    subprocess.run([sys.executable, EXAMPLES / "notebook.py", "--check"], check=True)


def test_the_notebook_runs():
    book = nbformat.read(EXAMPLES / "counselor.ipynb", as_version=4)
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    shown = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("text/html" in output.get("data", {}) for output in shown)
