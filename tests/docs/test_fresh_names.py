# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""C++ reference pages that are read a second time."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="Sphinx is not installed")

DOCS = Path(__file__).resolve().parents[2] / "docs"
DECLARED = "Colours\n=======\n\n.. cpp:enum:: Colour\n\n   .. cpp:enumerator:: red\n"


def build(folder):
    """Build the pages and return Sphinx's messages."""
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", folder, folder / "site"]
    environment = {"PYTHONPATH": str(DOCS), "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.stderr


def test_enumerators_stay_when_their_page_is_read_again(tmp_path):
    """A link to an enumerator resolves in the first build and after its page is edited."""
    (tmp_path / "conf.py").write_text('extensions = ["_ext.fresh_names"]\n')
    (tmp_path / "index.rst").write_text(
        "Start\n=====\n\n:cpp:enumerator:`red`\n\n.. toctree::\n\n   reference/cpp/colours\n"
    )
    page = tmp_path / "reference" / "cpp" / "colours.rst"
    page.parent.mkdir(parents=True)
    page.write_text(DECLARED)
    assert build(tmp_path) == ""
    page.write_text(DECLARED + "\nMore.\n")
    index = tmp_path / "index.rst"
    index.write_text(index.read_text() + "\nMore.\n")
    assert build(tmp_path) == ""
