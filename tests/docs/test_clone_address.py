# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The quickstart shows how to clone the repository, with its address if that is known."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("sphinx")

from _ext.repository import clone_address

ROOT = Path(__file__).resolve().parents[2]
CONF = """
from docutils import nodes
extensions = ["_ext.clone_address"]
def mark(app, page):
    for block in page.findall(nodes.literal_block):
        block["snippet"] = {"file": "tests/snippets/clone.sh"}
def setup(app):
    app.connect("doctree-read", mark)
"""
PAGE = "Page\n====\n\n.. literalinclude:: clone.sh\n\n.. clone-address::\n"
KNOWN = ("READTHEDOCS_GIT_CLONE_URL", "GITHUB_REPOSITORY", "GITHUB_SERVER_URL")


def built(folder: Path, **variables: str) -> str:
    """Return the text of a page that shows the commands."""
    (folder / "conf.py").write_text(CONF)
    (folder / "index.rst").write_text(PAGE)
    (folder / "clone.sh").write_text((ROOT / "tests/snippets/clone.sh").read_text())
    outer = {name: value for name, value in os.environ.items() if name not in KNOWN}
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", str(folder), str(folder / "out")],
        env={**outer, "PYTHONPATH": str(ROOT / "docs"), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return unescape(re.sub("<.*?>", "", (folder / "out" / "index.html").read_text()))


@pytest.mark.parametrize(
    ("environ", "address"),
    [
        ({}, ""),
        ({"GITHUB_REPOSITORY": "a/b"}, "https://github.com/a/b"),
        ({"GITHUB_REPOSITORY": "a/b", "GITHUB_SERVER_URL": "https://g.org"}, "https://g.org/a/b"),
        ({"READTHEDOCS_GIT_CLONE_URL": "https://g.org/k.git"}, "https://g.org/k.git"),
    ],
)
def test_address(environ, address):
    """The machine that publishes the site knows the address, for branches and tags."""
    assert clone_address(environ) == address


def test_known_address_is_in_the_command(tmp_path):
    """A reader can copy the whole command, so no further explanation is shown."""
    page = built(tmp_path, GITHUB_REPOSITORY="someone/kernels")
    assert "git clone https://github.com/someone/kernels kernel-library\n" in page
    assert '"$ADDRESS"' not in page
    assert "without the repository's address" not in page


def test_unknown_address_is_not_invented(tmp_path):
    """The command keeps its variable, and a sentence says what to set it to."""
    page = built(tmp_path)
    assert 'git clone "$ADDRESS" kernel-library\n' in page
    assert "set ADDRESS to the URL or the folder that you got the project from" in page


def test_quickstart_begins_with_the_commands():
    """Cloning and installation come first, with little text before them."""
    page = (ROOT / "docs/get_started/quickstart.rst").read_text()
    before = page[: page.index("tests/snippets/install.sh")]
    assert before.index(".. clone-address::") < before.index("tests/snippets/clone.sh")
    assert len(before.split()) < 120
