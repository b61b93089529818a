"""What a clean installation must do: import, build, ask. `clean.py FOLDER STORE`; alone, without coverdex-sync, it asks
what is in the store, and says what is missing where it is to build.
"""

import sys
from importlib.util import find_spec

import coverdex

folder, store = sys.argv[1:]
if find_spec("coverdex_sync"):
    coverdex.build(folder, store, progress=False)
    can = "builds and answers"
else:
    hint = None
    try:
        coverdex.build(folder, store, progress=False)
    except coverdex.InvalidInput as error:
        hint = error.hint
    assert hint == "install coverdex-sync beside it", hint
    can = "answers"
with coverdex.open(store) as ds:
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
print(f"Python {sys.version.split()[0]}: coverdex {coverdex.__version__} {can}")
