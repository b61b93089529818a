"""Which native module is chosen, and what is said where none fits."""

import shutil
import subprocess
import sys
from pathlib import Path

import coverdex
import pytest

NATIVE = Path(coverdex._native.__file__)
SHOW = "import coverdex; import coverdex._core; print(coverdex._core.__version__, coverdex._core.kind)"
OWN = "__version__ = '1.2.3'\nkind = 'own'\n"
WHOLE = "__version__ = '1.2.3'\nkind = 'whole'\n"


@pytest.fixture
def place(tmp_path):
    """Puts packages of made modules into a folder, and imports them in a process of its own."""

    class Place:
        def put(self, own=None, sync=None, version=None):
            self._put("coverdex", own)
            (tmp_path / "coverdex" / "__init__.py").write_text(
                "from . import _native\nfrom ._core import __version__\n"
            )
            shutil.copy(NATIVE, tmp_path / "coverdex")
            if sync is not None:
                self._put("coverdex_sync", sync)
                (tmp_path / "coverdex_sync" / "__init__.py").touch()
            if version is not None:
                info = tmp_path / f"coverdex-{version}.dist-info"
                info.mkdir()
                (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: coverdex\nVersion: {version}\n")
            return self

        def _put(self, package, core):
            (tmp_path / package).mkdir()
            if core is not None:
                (tmp_path / package / "_core.py").write_text(core)

        def run(self):
            # Nothing that is installed is seen.
            code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {SHOW}"
            ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
            return ran.stdout.strip() if ran.returncode == 0 else ran.stderr.strip().splitlines()[-1]

        folder = tmp_path

    return Place()


def test_the_module_that_is_installed_is_chosen(place):
    assert place.put(OWN).run() == "1.2.3 own"


@pytest.mark.parametrize("version", ["1.2.3", None])
def test_that_of_coverdex_sync_is_chosen_with_and_without_metadata(place, version):
    assert place.put(OWN, WHOLE, version).run() == "1.2.3 whole"


@pytest.mark.parametrize("version", ["1.2.4", None])
def test_versions_that_differ_are_told(place, version):
    said = place.put(OWN.replace("1.2.3", "1.2.4"), WHOLE, version).run()
    assert said.startswith("ImportError: coverdex-sync 1.2.3 does not fit coverdex 1.2.4: install both")


def test_a_folder_of_its_name_is_not_coverdex_sync(place):
    place.put(OWN)
    (place.folder / "coverdex_sync").mkdir()
    assert place.run() == "1.2.3 own"
    (place.folder / "coverdex_sync" / "__init__.py").touch()
    assert place.run() == "1.2.3 own"


def test_modules_without_a_version_are_told(place):
    said = place.put("kind = 'own'\n").run()
    assert said.startswith("ImportError: coverdex's native module says no version: install coverdex again")


def test_coverdex_sync_without_a_version_is_told(place):
    said = place.put(OWN, "kind = 'whole'\n", "1.2.3").run()
    assert said.startswith("ImportError: coverdex-sync of no version does not fit coverdex 1.2.3: install both")


def test_what_is_not_built_says_what_to_install(place):
    said = place.put().run()
    assert said.startswith("ImportError: coverdex's native module is not in ")
    assert "pip install coverdex" in said


def test_what_cannot_be_loaded_says_what_to_install(place):
    said = place.put(OWN, "raise ImportError('undefined symbol: x')\n", "1.2.3").run()
    assert said.startswith("ImportError: coverdex-sync cannot be loaded (undefined symbol: x): install it again")
