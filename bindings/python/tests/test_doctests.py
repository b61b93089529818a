"""Examples in docstrings run, those of the native half too."""

import doctest
import types

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
