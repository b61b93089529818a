"""Whole tables, taken by pandas, polars, pyarrow and DuckDB."""

import subprocess

import coverdex
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PLAN = "H9231-001-000-2026"


def tables(ds):
    return {
        "plans": ds.plan_table(),
        "formulary": ds.formulary(PLAN),
        "practice_locations": ds.practice_locations(inactive=True),
    }


@pytest.mark.parametrize("name", ["plans", "formulary", "practice_locations"])
def test_everyone_takes_it(ds, name):
    table = tables(ds)[name]
    arrow = pa.table(table)
    assert arrow.num_rows == table.num_rows == len(table) > 0
    assert arrow.column_names == table.column_names == list(table.columns)
    arrow.validate(full=True)
    assert pa.schema(table) == arrow.schema
    frame = table.to_polars()
    assert isinstance(frame, pl.DataFrame)
    assert frame.to_dicts() == arrow.to_pylist()
    frame = table.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == len(table)
    assert list(frame.columns) == table.column_names
    assert duckdb.sql("SELECT count(*) FROM arrow").fetchall() == [(len(table),)]
    assert name in repr(table)


def test_a_formulary_says_what_coverage_says(ds):
    rows = ds.formulary(PLAN).to_pyarrow().to_pylist()
    assert rows
    for row in rows:
        if row["ndc11"] is None:
            continue
        (package,) = [p for p in ds.coverage(PLAN, row["ndc11"]).packages if p.ndc11 == row["ndc11"]]
        assert package.status == row["status"]
        assert package.reason == row["reason"]
        assert (package.tier.code if package.tier else None) == row["tier"]
        assert package.prior_authorization == row["prior_authorization"]
        assert package.quantity_limit == row["quantity_limit"]
        assert list(package.rxcui) == row["rxcui"]
    assert {row["status"] for row in rows} >= {"covered", "not_covered", "conflict", "unknown", "not_listed"}


def test_plans_say_what_plans_says(ds):
    rows = {row["plan"]: row for row in ds.plan_table().to_pyarrow().to_pylist()}
    for plan in ds.plans():
        row = rows.pop(plan.plan)
        assert row["name"] == plan.name
        assert row["networks"] == [f"{n.system}|{n.id}" for n in plan.networks]
        assert row["drugs"] == plan.drugs
    assert not rows
    assert len(ds.plan_table(year=2027)) == 1


def test_roles_are_rows_and_places_are_filters(ds):
    rows = ds.practice_locations(county="Dona Ana County, NM").to_pyarrow().to_pylist()
    assert {row["county_fips"] for row in rows} == {"35013"}
    assert all(row["inactive"] == [] for row in rows)
    duarte = [row for row in rows if "Camila Duarte" in row["name"]]
    assert len(duarte) == 2
    assert {row["accepting_new_patients"] for row in duarte} == {"yes", "no"}
    with_inactive = ds.practice_locations(county="35013", inactive=True)
    assert len(with_inactive) > len(rows)
    vision = next(row for row in duarte if row["accepting_new_patients"] == "yes")["networks"][0]
    in_vision = ds.practice_locations(network=vision).to_pyarrow().to_pylist()
    assert in_vision
    assert all(row["networks"] == [vision] for row in in_vision)
    with pytest.raises(coverdex.InvalidInput):
        ds.practice_locations(county="35013", state="NM")
    with pytest.raises(coverdex.NotFound):
        ds.practice_locations(county="Nowhere County, NM")


@pytest.mark.parametrize("name", ["plans", "formulary", "practice_locations"])
def test_the_command_writes_the_same(ds, store, tmp_path, command, name):
    file = tmp_path / "table.parquet"
    arguments = [command, "export", name, "--parquet", str(file), "--data", str(store)]
    if name == "formulary":
        arguments += ["--plan", PLAN]
    if name == "practice_locations":
        arguments += ["--inactive"]
    subprocess.run(arguments, check=True, capture_output=True)
    written = pq.read_table(file)
    mine = tables(ds)[name].to_pyarrow()
    assert written.column_names == mine.column_names
    assert written.to_pylist() == mine.to_pylist()


def test_answers_side_by_side_are_tables(ds):
    place, asked = "Dona Ana County, NM", ["atorvastatin 20 mg", "eliquis 5 mg", "nothing"]
    for answer in (ds.coverage_matrix(asked, county=place), ds.compare(asked, county=place)):
        rows = answer.table().to_pyarrow().to_pylist()
        assert len(rows) == len(answer.plans) * len(asked) > len(asked)
        one_by_one = [(plan, drug, one) for plan in answer.plans for drug, one in zip(asked, plan.answers, strict=True)]
        for row, (plan, drug, one) in zip(rows, one_by_one, strict=True):
            assert (row["plan"], row["plan_name"], row["year"], row["query"]) == (plan.plan, plan.name, plan.year, drug)
            assert (row["status"], row["reason"], row["summary"]) == (one.status, one.reason, one.summary)
            assert row["tier"] == (one.tier.code if one.tier else None)
            assert row["tier_level"] == (one.tier.level if one.tier else None)
            if one.prior_authorization is None:
                assert row["prior_authorization"] in ({"varies", "conflict", "not stated"} if one.listed else {None})
            else:
                assert row["prior_authorization"] == ("yes" if one.prior_authorization else "no")
            assert row["listed"] == one.listed
    assert {"covered", "not_found"} <= {row["status"] for row in rows}
    matrix = ds.network_matrix(["José Núñez", "nobody at all"], county=place)
    rows = matrix.table().to_pyarrow().to_pylist()
    assert len(rows) == 2 * len(matrix.plans) > 2
    standings = [one for plan in matrix.plans for one in plan.answers]
    for row, standing in zip(rows, standings, strict=True):
        assert (row["status"], row["summary"]) == (standing.network_status, standing.summary)
    assert rows[0]["npi"] == "2410000113"
    assert rows[1]["npi"] is None
