"""The questions that every door is asked, with their right answers."""

import json

import coverdex
import pytest

from conftest import QUESTIONS

ALL = json.loads((QUESTIONS / "questions.json").read_text(encoding="utf-8"))["questions"]


def ask(ds, verb, args):
    args = dict(args)
    if verb == "coverage":
        return [answer.to_dict() for answer in ds.coverage_by_year(**args)]
    if verb == "search_drugs":
        return ds.drugs(args.pop("text"), **args).to_dict()
    if verb == "search_providers":
        return ds.providers(**args).to_dict()
    if verb in ("provider", "network_status"):
        return ds.provider(args.pop("npi"), **args).to_dict()
    return getattr(ds, verb)(**args).to_dict()


def differences(want, got, at=""):
    """Where an answer is not what the rules of tests/questions/README.md ask for."""
    if isinstance(want, dict) and set(want) == {"contains"}:
        for n, element in enumerate(want["contains"]):
            if not any(not list(differences(element, other)) for other in got):
                yield f"{at}: contains no {n}: {element!r}"
    elif isinstance(want, dict):
        if not isinstance(got, dict):
            yield f"{at}: {got!r} is no object"
            return
        for name, value in want.items():
            if name not in got:
                yield f"{at}.{name} is not there"
            else:
                yield from differences(value, got[name], f"{at}.{name}")
    elif isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            yield f"{at}: {got!r} is not {want!r}"
            return
        for n, (a, b) in enumerate(zip(want, got, strict=True)):
            yield from differences(a, b, f"{at}[{n}]")
    elif want != got or isinstance(want, bool) != isinstance(got, bool):
        yield f"{at}: {got!r} is not {want!r}"


VERBS = {
    "plans": "plans",
    "coverage": "coverage_by_year",
    "search_drugs": "drugs",
    "search_providers": "providers",
    "provider": "provider",
    "network_status": "provider",
    "counties": "counties",
    "info": "info",
}


@pytest.mark.parametrize("question", ALL, ids=lambda question: question["id"])
def test_right_answer(ds, question):
    if not hasattr(ds, VERBS[question["verb"]]):
        pytest.fail(f"no verb {question['verb']}")
    if "error" in question:
        with pytest.raises(coverdex.CoverdexError) as raised:
            ask(ds, question["verb"], question["args"])
        got, want = raised.value.to_dict(), question["error"]
    else:
        got, want = ask(ds, question["verb"], question["args"]), question["answer"]
    assert not list(differences(want, json.loads(json.dumps(got))))


def test_there_are_many():
    assert len(ALL) >= 80
