# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The directive that lists the kernels' pages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = """.. SPDX-License-Identifier: Apache-2.0

.. _{name}:

{name}: a title
=====================

After this page you can {name}.
More follows.
"""


@pytest.fixture
def build(tmp_path):
    """Builds a site with pages, by name; gives the HTML of the front page, and what was said."""

    def build_site(content: str, pages: dict[str, str]) -> tuple[str, str]:
        (tmp_path / "kernels").mkdir()
        (tmp_path / "conf.py").write_text("extensions = ['_ext.kernels']\n")
        front = f"Guide\n=====\n\nSome words.\n\n.. kernels:: kernels\n\n   {content}\n"
        (tmp_path / "index.rst").write_text(front)
        for name, text in pages.items():
            (tmp_path / "kernels" / f"{name}.rst").write_text(text)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "sphinx",
                "-W",
                "-n",
                "-q",
                str(tmp_path),
                str(tmp_path / "out"),
            ],
            env={**os.environ, "PYTHONPATH": str(DOCS)},
            capture_output=True,
            text=True,
            check=False,
        )
        front = tmp_path / "out" / "index.html"
        return front.read_text() if done.returncode == 0 else "", done.stderr

    return build_site


def test_pages_stand_in_the_order_named(build):
    """Each page has a row: its title, which links to it, and its first sentence."""
    pages = {name: PAGE.format(name=name) for name in ("add", "mul")}
    html, said = build("mul\n   add", pages)
    assert html, said
    assert 0 < html.index("After this page you can mul.") < html.index("you can add.")
    assert "More follows" not in html
    assert 'href="kernels/mul.html"' in html


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ({}, "expected kernels to have add"),
        ({"sub": PAGE.format(name="sub")}, "expected sub to be named here too"),
        ({"add": "No title.\n"}, "add.rst: expected a title and then a sentence"),
    ],
)
def test_a_page_that_is_not_shown_is_an_error(build, pages, message):
    """A page that the list forgets, or that does not begin as pages do, fails the build."""
    html, said = build("add", pages)
    assert not html
    assert message in said
