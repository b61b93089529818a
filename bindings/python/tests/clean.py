"""What a clean installation must do: import, build, ask. `clean.py FOLDER STORE`."""

import sys

import coverdex

built = coverdex.build(sys.argv[1], sys.argv[2], progress=False)
with built.open() as ds:
    answer = ds.coverage("H9231-001-000-2026", "eliquis 5 mg")
    assert answer.status is coverdex.CoverageStatus.COVERED, answer
    assert len(ds.plans()) > 5
    assert ds.formulary("H9231-001-000-2026").num_rows > 5
    candidates: tuple[str, ...] = ()
    try:
        ds.coverage("H9231-009", "eliquis 5 mg")
    except coverdex.NotFound as error:
        candidates = error.candidates
    assert candidates
print(f"Python {sys.version.split()[0]}: coverdex {coverdex.__version__} answers")
