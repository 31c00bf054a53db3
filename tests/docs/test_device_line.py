# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The first doctest of a page that uses ``device`` also sets it, for readers who paste it."""

import re
from html import unescape

import pytest

pytest.importorskip("sphinx")

from _ext.device_line import LINE, add_line
from docutils import nodes
from docutils.utils import new_document


def page_of(*children):
    """Make a page with these children."""
    page = new_document("page")
    page += children
    return page


def doctest_of(text):
    """Make a doctest block."""
    return nodes.doctest_block(text, text)


def resolved(*texts):
    """Return the page's blocks as shown."""
    page = page_of(*map(doctest_of, texts))
    add_line(None, page, "page")
    return [block.astext() for block in page.findall(nodes.doctest_block)]


def test_first_use_is_preceded_by_the_line():
    """Later blocks, and blocks without the name, are unchanged."""
    none, uses = ">>> x = tensor.device\n>>> f(device=1)", '>>> load(f"add_{device}.so")'
    assert resolved(none, uses, uses) == [none, LINE + uses, uses]


def test_page_that_sets_it_is_left_alone():
    """A page's own assignment takes precedence."""
    texts = [">>> device = 3", ">>> device\n3"]
    assert resolved(*texts) == texts


def test_numbers_of_lines_stay_true():
    """The added line gets its own block if the verification line refers to line numbers."""
    block = doctest_of(">>> f(device)\n>>> g()")
    page = page_of(block, nodes.paragraph("", "did not run: line 2 (needs a GPU)"))
    add_line(None, page, "page")
    assert [each.astext() for each in page] == [
        LINE.rstrip("\n"),
        ">>> f(device)\n>>> g()",
        "did not run: line 2 (needs a GPU)",
    ]


def test_line_is_shown_and_the_doctest_still_proved(pristine):
    """A page that needs the line shows it once; the block keeps its verification line."""
    page = unescape(re.sub("<[^>]*>", "", pristine.file("build/site/index.html").read_text()))
    assert page.count(LINE) == 1
    shown = page[page.index(LINE) :]
    assert shown.index("import ctypes") < shown.index("ran on CPU")
    assert LINE not in unescape(pristine.file("build/site/notes.html").read_text())
