"""Examples in docstrings run, those of the native half too."""

import doctest
import re
import types
from pathlib import Path

import coverdex
import pytest


def documented():
    for name in coverdex.__all__:
        thing = getattr(coverdex, name)
        yield name, thing
        for member in vars(thing) if isinstance(thing, type) else ():
            yield f"{name}.{member}", getattr(thing, member)


@pytest.mark.parametrize(
    ("name", "text"),
    [(name, thing.__doc__) for name, thing in documented() if ">>> " in (getattr(thing, "__doc__", None) or "")],
)
def test_the_example_runs(name, text, store, ds):
    test = doctest.DocTestParser().get_doctest(text, {"coverdex": coverdex, "store": store, "ds": ds}, name, None, 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_everything_public_is_documented():
    missing = [
        name
        for name, thing in documented()
        if not (getattr(thing, "__doc__", None) or isinstance(thing, str | types.MemberDescriptorType))
        and "._" not in name
    ]
    assert not missing


def test_the_readme_lists_every_verb():
    table = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8").split("| verb of a dataset |")[1]
    listed = re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.split("\n\n")[0].splitlines()[2:]))
    methods = {name for name in vars(coverdex.Dataset) if callable(getattr(coverdex.Dataset, name)) and name[0] != "_"}
    assert sorted(listed) == sorted(methods - {"cancelled_by", "close"})
