# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The contents of the sdist; ``nox -s wheel`` builds a wheel from it."""

import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNIGNORED = ("--cached", "--others", "--exclude-standard")
FOLDERS = ("examples", "include", "python", "src")
FILES = ("CHANGELOG.md", "CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml")


def test_sdist_holds_the_sources_and_nothing_else(tmp_path, monkeypatch):
    """The sdist has all sources and examples, but no tests, pages, records or hidden files."""
    backend = pytest.importorskip("scikit_build_core.build", reason="builds the package")
    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / backend.build_sdist(str(tmp_path))) as packed:
        found = {name.partition("/")[2] for name in packed.getnames()}
    listed = subprocess.check_output(
        ["git", "ls-files", *UNIGNORED, *FOLDERS, *FILES], text=True
    ).splitlines()
    expected = {name for name in listed if not Path(name).name.startswith(".")}
    assert found == {*expected, "PKG-INFO"}
