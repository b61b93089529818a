"""The questions that every door is asked, with their right answers."""

import json

import coverdex
import pytest

from conftest import QUESTIONS

ALL = json.loads((QUESTIONS / "questions.json").read_text(encoding="utf-8"))["questions"]


# The method for each verb. Those of BY_YEAR are wanted as a list, an answer for each year that the plan means.
VERBS = {
    "compare": "compare",
    "counties": "counties",
    "coverage": "coverage_by_year",
    "coverage_matrix": "coverage_matrix",
    "explain_coverage": "explain",
    "explain_provider": "explain_provider",
    "info": "info",
    "network_matrix": "network_matrix",
    "network_status": "provider",
    "plans": "plans",
    "plans_covering": "plans_covering",
    "plans_taking": "plans_taking",
    "practicing_at": "practicing_at",
    "provider": "provider",
    "same_ingredient": "same_ingredient",
    "search_drugs": "drugs",
    "search_providers": "providers",
}
BY_YEAR = {"explain_coverage", "explain_provider", "same_ingredient"}


def ask(ds, verb, args):
    args = dict(args)
    if isinstance(args.get("page"), dict):
        former = ask(ds, verb, args["page"])
        args["page"] = (former[0] if isinstance(former, list) else former)["next"]
        assert args["page"], "there is no further page"
    if args.pop("sources", False):
        args["source"] = QUESTIONS / "payer"
    answer = getattr(ds, VERBS[verb])(**args)
    if isinstance(answer, list):
        return [one.to_dict() for one in answer]
    document = answer.to_dict()
    if verb in BY_YEAR:
        also = document.pop("also", [])
        return [document, *also]
    return document


def differences(want, got, at=""):
    """Where an answer is not what the rules of tests/questions/README.md ask for."""
    if isinstance(want, dict) and set(want) == {"contains"}:
        if not isinstance(got, list):
            yield f"{at}: {got!r} is no list"
            return
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


@pytest.mark.parametrize("question", ALL, ids=lambda question: question["id"])
def test_right_answer(ds, question):
    if "error" in question:
        with pytest.raises(coverdex.CoverdexError) as raised:
            ask(ds, question["verb"], question["args"])
        got, want = raised.value.to_dict(), question["error"]
    else:
        got, want = ask(ds, question["verb"], question["args"]), question["answer"]
    assert not list(differences(want, json.loads(json.dumps(got))))


def test_every_verb_is_asked():
    assert {question["verb"] for question in ALL} == set(VERBS)
    assert len({question["id"] for question in ALL}) == len(ALL)


def test_what_differs_is_seen():
    assert list(differences({"a": [1]}, {"a": [1], "b": 2})) == []
    for want, got in [
        ({"a": 1}, {}),
        ({"a": None}, {}),
        ([1], [1, 2]),
        (True, 1),
        ({"contains": [{"a": 1}]}, [{"a": 2}]),
        ({"contains": ["a"]}, "a"),
        ("É", "E\u0301"),
    ]:
        assert list(differences(want, got)), (want, got)
