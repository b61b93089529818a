"""One tree of errors, with what programs need of them."""

import copy
import pickle

import coverdex
import pytest


def test_the_tree():
    kinds = [
        coverdex.InvalidInput,
        coverdex.NotFound,
        coverdex.Ambiguous,
        coverdex.DatasetMissing,
        coverdex.DatasetDamaged,
        coverdex.DatasetTooNew,
        coverdex.Refused,
        coverdex.IoError,
        coverdex.Interrupted,
        coverdex.SyncError,
    ]
    assert all(issubclass(kind, coverdex.CoverdexError) for kind in kinds)
    assert issubclass(coverdex.NotFound, LookupError)
    assert issubclass(coverdex.InvalidInput, ValueError)


def test_attributes(ds):
    with pytest.raises(coverdex.NotFound) as raised:
        ds.coverage("H9231-009", "eliquis 5 mg")
    error = raised.value
    assert error.kind == "not_found"
    assert error.subject == "plan H9231-009"
    assert "H9231-001-000-2026 Piñon Mesa Choice (HMO)" in error.candidates
    assert "did you mean" in str(error)
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is type(error)
        assert again.to_dict() == error.to_dict()


def test_ambiguous_has_candidates(ds):
    with pytest.raises(coverdex.Ambiguous) as raised:
        ds.coverage("H9231-002-2026", "atorvastatin 20 mg")
    assert len(raised.value.candidates) == 2


def test_no_dataset(tmp_path):
    with pytest.raises(coverdex.DatasetMissing) as raised:
        coverdex.open(tmp_path / "nowhere")
    assert str(tmp_path) in raised.value.file


def test_damage_is_an_error(store, tmp_path):
    import shutil

    copied = tmp_path / "store"
    shutil.copytree(store, copied)
    (database,) = copied.glob("v*/coverdex.sqlite")
    database.write_bytes(database.read_bytes()[:-4096])
    with pytest.raises(coverdex.DatasetDamaged):
        coverdex.open(copied)


def test_wrong_types_are_type_errors(ds):
    with pytest.raises(TypeError):
        ds.coverage(1, 2)
    with pytest.raises(TypeError):
        coverdex.open(1)
    with pytest.raises(coverdex.InvalidInput):
        ds.plans(county="Dona Ana County, NM", zip="88001")


def test_sources_are_looked_up_where_they_are(ds, tmp_path):
    assert ds.explain("H9231-001", "eliquis 5 mg").sources is None
    assert ds.explain_provider("2410000113").sources is None
    with pytest.raises(coverdex.IoError):
        ds.explain("H9231-001", "eliquis 5 mg", source=tmp_path / "nowhere")
    with pytest.raises(coverdex.IoError):
        ds.explain_provider("2410000113", source=tmp_path / "nowhere")


def test_plans_are_sold_at_no_point(ds):
    with pytest.raises(coverdex.InvalidInput):
        ds.plans_taking("2410000113", at=(32.31, -106.75))
    with pytest.raises(coverdex.InvalidInput):
        ds.plans_covering("eliquis 5 mg")
    with pytest.raises(coverdex.InvalidInput):
        ds.practicing_at()
