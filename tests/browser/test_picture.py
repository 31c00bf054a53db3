# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The picture in README.md shows the current site."""

import os
import re

import pytest
from conftest import ROOT
from picture import size_of, take, text_of

PICTURE = ROOT / "docs" / "_static" / "guide.png"
RENEW = "UPDATE_PICTURE=1 nox -s browser -- tests/browser/test_picture.py"
# Compiler versions differ between machines, and so do runs on a GPU and under emulation.
OF_A_MACHINE = re.compile(r" · ran on GPU[^·]*| · ran under emulation[^·]*|\d[\d.]*")


def same_everywhere(text):
    """Return a picture's text, without the machine-dependent parts of its last line."""
    shown, _, state = text.rpartition("\n")
    return f"{shown}\n{OF_A_MACHINE.sub('', state)}"


@pytest.fixture
def taken(reader):
    """The picture, taken again; UPDATE_PICTURE=1 writes it."""
    page = reader.new_page()
    page.goto("guides/kernel_library_guide.html")
    picture = take(page, "#anatomy-of-a-kernel")
    if os.environ.get("UPDATE_PICTURE"):
        PICTURE.write_bytes(picture)
    return picture


def test_picture_in_the_readme_is_of_this_site(taken):
    """The picture shows the guide's current text."""
    kept = PICTURE.read_bytes()
    assert same_everywhere(text_of(kept)) == same_everywhere(text_of(taken)), f"type: {RENEW}"


def test_picture_in_the_readme_has_the_size_of_this_site(taken):
    """A different picture with the same text is detected; fonts change the size slightly."""
    for kept, now in zip(size_of(PICTURE.read_bytes()), size_of(taken), strict=True):
        assert abs(kept - now) <= now / 5, f"type: {RENEW}"
