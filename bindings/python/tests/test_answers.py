"""What answers are as Python objects."""

import copy
import json

import coverdex
import pytest
from coverdex import CoverageStatus

PLAN = "H9231-001-000-2026"


def answers(ds):
    found = ds.drugs("atorva", plan=PLAN)
    plans = ds.plans(county="Dona Ana County, NM")
    matrix = ds.coverage_matrix(["atorvastatin 20 mg", "eliquis 5 mg", "nothing"], county="Dona Ana County, NM")
    return [
        ds.coverage(PLAN, "atorvastatin 20 mg"),
        ds.coverage(PLAN, "gabapentin 300 mg"),
        ds.coverage(PLAN, "metoprolol 50 mg"),
        found,
        plans,
        ds.counties("88001"),
        matrix,
        ds.providers(plan="H9231-001", county="Dona Ana County, NM"),
        ds.providers(zip="88001", name="mesilla"),
        ds.provider("2410000881", plan="H9231-001"),
        ds.provider("1000000004"),
        ds.info(),
        ds.same_ingredient(PLAN, "lipitor 20 mg"),
        ds.explain(PLAN, "eliquis 5 mg"),
        ds.plans_covering("eliquis 5 mg", county="Dona Ana County, NM"),
        ds.plans_taking("José Núñez", county="Dona Ana County, NM"),
        ds.network_matrix(["José Núñez", "2410000881"], county="Dona Ana County, NM"),
        ds.compare(["eliquis 5 mg"], ["José Núñez"], county="Dona Ana County, NM", year=2026, beside=2027),
        ds.explain_provider("Patrick O'Hara", plan="H9231-001", county="Dona Ana County, NM"),
        ds.practicing_at(phone="575-555-2130"),
    ]


def nested(answer):
    yield answer
    for name in answer._fields:
        value = getattr(answer, name)
        for item in value if isinstance(value, tuple) else (value,):
            if hasattr(item, "_fields") and not isinstance(item, coverdex.Record):
                yield from nested(item)


def plain(value):
    """Dicts and lists of an answer's field; a network's document in a record of networks is the same."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value


def test_fields_are_those_of_the_document(ds):
    seen = set()
    for answer in answers(ds):
        for part in nested(answer):
            seen.add(type(part).__name__)
            document = part.to_dict()
            if type(part).__name__ == "Provider" and part.name is None:
                document["name"] = None
            fields = {name: plain(getattr(part, name)) for name in part._fields}
            if type(part).__name__ == "DrugLine":
                for name in plain(part.coverage) or {}:
                    document.pop(name, None)
            if not fields.get("also"):
                fields.pop("also", None)
            if type(part).__name__ == "Package" and not part.conflict:
                assert fields.pop("conflict") == []
            assert json.loads(json.dumps(fields)) == json.loads(json.dumps(document)), type(part).__name__
    assert seen >= {"Coverage", "Package", "Tier", "Varies", "Statement", "Candidate", "DrugPage", "DrugLine"}
    assert seen >= {"ProvidersFound", "PracticeLocation", "Role", "Provider", "Info"}
    assert seen >= {
        "PlansFound",
        "Plan",
        "Network",
        "CountiesFound",
        "County",
        "CoverageMatrix",
        "MatrixPlan",
    }


def test_answers_are_frozen_equal_and_hashable(ds):
    for one, again in zip(answers(ds), answers(ds), strict=True):
        assert one == again
        assert hash(one) == hash(again)
        assert one != object()
        assert len({one, again}) == 1
        with pytest.raises(AttributeError):
            one.status = "covered"
    assert ds.coverage(PLAN, "atorvastatin 20 mg") != ds.coverage(PLAN, "eliquis 5 mg")


def test_statuses_are_texts(ds):
    answer = ds.coverage(PLAN, "eliquis 5 mg")
    assert answer.status is CoverageStatus.COVERED
    assert answer.status == "covered"
    assert f"{answer.status}" == str(answer.status) == "covered"
    assert answer.tier.code == "3"
    assert answer.tier.level == "preferred_brand"
    assert answer.quantity_limit is None


def test_answers_show_what_they_say(ds):
    answer = ds.coverage(PLAN, "eliquis 5 mg")
    assert repr(answer).startswith(f"Coverage(plan='{PLAN}'")
    assert "status='covered'" in repr(answer)
    for shown in answers(ds):
        assert repr(shown).startswith(type(shown).__name__ + "(")
        assert shown._repr_html_().startswith("<table>")
    assert "<script>" not in ds.coverage(PLAN, "<script>alert(1)</script>")._repr_html_()


def test_pages_are_sequences(ds):
    page = ds.drugs("atorva", limit=1)
    assert len(page) == 1
    assert page[0] == page.results[0] == next(iter(page))
    assert page[-1] == page[0]
    further = ds.drugs("atorva", limit=1, page=page.next)
    assert further[0] != page[0]
    with pytest.raises(IndexError):
        page[1]
    with pytest.raises(coverdex.InvalidInput):
        ds.drugs("lipitor", limit=1, page=page.next)


def test_a_matrix_ranks_plans(ds):
    matrix = ds.coverage_matrix(["atorvastatin 20 mg", "eliquis 5 mg"], county="Dona Ana County, NM")
    assert [plan.covered for plan in matrix.plans] == sorted((plan.covered for plan in matrix.plans), reverse=True)
    assert matrix.plans[0].plan == PLAN
    assert [answer.status for answer in matrix.plans[0].answers] == ["covered", "covered"]


def test_answers_are_copied_as_what_never_changes_is(ds):
    answer = ds.coverage("H9231-001", "eliquis 5 mg")
    assert copy.copy(answer) is answer
    assert copy.deepcopy([answer])[0] is answer


@pytest.mark.parametrize(
    ("ask", "subject"),
    [
        (lambda ds: ds.drugs("a", limit=-1), "limit or offset -1"),
        (lambda ds: ds.providers(county="35013", offset=-7), "limit or offset -7"),
        (lambda ds: ds.plans(year=70_000), "year 70000"),
        (lambda ds: ds.compare(["eliquis"], plans=["H9231-001"], beside=-2026), "year -2026"),
    ],
)
def test_a_number_out_of_range_is_named(ds, ask, subject):
    with pytest.raises(coverdex.InvalidInput) as raised:
        ask(ds)
    assert raised.value.subject == subject
    with pytest.raises(TypeError, match="limit"):
        ds.drugs("a", limit="ten")
