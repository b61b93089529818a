# %% [markdown]
# # A counselor, an analyst and two datasets
#
# `COVERDEX_DATA` names a dataset or a store, `COVERDEX_LATER` one of the same payer that was built later. Where they
# are not set, the payer of `tests/questions` is built, and once more after some of its entries were changed.

# %%
from __future__ import annotations

import os
import tempfile
from pathlib import Path

import coverdex
import polars as pl

here = Path(globals().get("__file__", "counselor.ipynb")).resolve().parent
work = Path(tempfile.mkdtemp())


def build_earlier_and_later() -> tuple[Path, Path]:
    """Build the payer as it is, and as it might be half a year later."""
    questions = next(up for up in (here, *here.parents) if (up / "tests" / "questions").is_dir())
    payer = questions / "tests" / "questions" / "payer"
    later = work / "payer"
    later.mkdir()
    for file in payer.iterdir():
        text = file.read_text(encoding="utf-8")
        if file.name == "entries.ndjson":
            lines = text.splitlines(keepends=True)
            # Every fifth entry is gone; Preferred Brand becomes Specialty.
            text = "".join(line for n, line in enumerate(lines) if n % 5)
            text = text.replace("Preferred Brand", "Specialty Tier").replace('"code":"3"', '"code":"5"')
        (later / file.name).write_text(text, encoding="utf-8")
    stores = work / "earlier", work / "later"
    coverdex.build(payer, stores[0], progress=False)
    coverdex.build(later, stores[1], progress=False)
    return stores


if "COVERDEX_DATA" in os.environ and "COVERDEX_LATER" in os.environ:
    earlier_store, later_store = Path(os.environ["COVERDEX_DATA"]), Path(os.environ["COVERDEX_LATER"])
else:
    earlier_store, later_store = build_earlier_and_later()

earlier, later = coverdex.open(earlier_store), coverdex.open(later_store)
earlier

# %% [markdown]
# ## What a client takes, under every plan of the county
#
# A drug that is ambiguous or not found is a row of the table, and says so.

# %%
county = "Doña Ana County, NM"
takes = ["atorvastatin 20 mg", "eliquis 5 mg", "metformin 500 mg", "warfarin 5 mg"]
matrix = earlier.coverage_matrix(takes, county=county)
table = pl.DataFrame(
    {
        "drug": takes,
        **{plan.plan: [answer.summary for answer in plan.answers] for plan in matrix.plans},
    }
)
print(f"{matrix.ranked_by}; {matrix.other_audiences} plans are sold to others; as of {matrix.as_of}")
table

# %%
for drug in matrix.drugs:
    print(f"{drug.query}: read as {drug.read_as or 'nothing'}")

# %% [markdown]
# ## Providers by county
#
# A row is a role of a provider at a place: count providers, not rows.

# %%
roles = earlier.practice_locations().to_polars()
by_county = (
    roles.filter(pl.col("county_fips").is_not_null())
    .group_by("county_fips")
    .agg(
        pl.col("npi").n_unique().alias("providers"),
        pl.col("lat").mean(),
        pl.col("lon").mean(),
    )
    .sort("providers", descending=True)
)
by_county

# %%
try:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    print("without matplotlib there is no map")
else:
    located = by_county.drop_nulls()
    figure, axes = plt.subplots(figsize=(8, 5))
    axes.scatter(located["lon"], located["lat"], s=40 * located["providers"].to_numpy(), alpha=0.5)
    for fips, lat, lon in located.select("county_fips", "lat", "lon").iter_rows():
        axes.annotate(earlier.counties(fips)[0].name, (lon, lat))
    axes.set(xlabel="longitude", ylabel="latitude", title=f"Providers by county, as of {earlier.as_of[:10]}")
    figure.savefig(work / "providers.png")
    plt.close(figure)

# %% [markdown]
# ## What changed
#
# The same formulary in both datasets, joined by package.

# %%
plan = matrix.plans[0].plan
columns = ["ndc11", "name", "strength", "status", "tier_display", "prior_authorization"]
before = earlier.formulary(plan).to_polars().select(columns).drop_nulls("ndc11")
after = later.formulary(plan).to_polars().select(columns).drop_nulls("ndc11")
joined = before.join(after, on="ndc11", how="full", suffix="_later", coalesce=True)
changed = joined.filter(
    pl.col("status").ne_missing(pl.col("status_later"))
    | pl.col("tier_display").ne_missing(pl.col("tier_display_later"))
).select("ndc11", "name", "status", "status_later", "tier_display", "tier_display_later")
print(f"{plan}: {len(changed)} of {len(joined)} packages changed")
changed

# %%
earlier.close()
later.close()
