# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The redirects lead from old addresses to existing pages."""

from pathlib import Path

import pytest

pytest.importorskip("sphinx")

from _ext.redirects import WrongRedirect, read_redirects

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_list():
    """Each line is a redirect; comments and empty lines are ignored."""
    text = "# Why.\n\na/old -> b/new  # moved\nolder -> b/new\n"
    assert read_redirects(text) == {"a/old": "b/new", "older": "b/new"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\n", "line 1: expected old -> new, got 'a b'"),
        ("a ->\n", "line 1: expected old -> new"),
        ("a -> b\na -> c\n", "line 2: a is listed twice"),
    ],
)
def test_wrong_line(text, message):
    """An invalid line is named."""
    with pytest.raises(WrongRedirect, match=message):
        read_redirects(text)


LISTED = read_redirects((DOCS / "redirects.txt").read_text())


@pytest.mark.parametrize(("old", "new"), LISTED.items())
def test_each_leads_from_no_page_to_a_page(old, new):
    """A renamed target, or a page at a redirected address, fails here before the site is built."""
    assert (DOCS / f"{new}.rst").exists()
    assert not (DOCS / f"{old}.rst").exists()
