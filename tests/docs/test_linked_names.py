# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""Every name of the reference in the prose must be a link."""

import pytest

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _ext.linked_names import spellings, unlinked
from docutils import nodes
from docutils.core import publish_doctree
from sphinx import addnodes

NAMES = ["toy::Tensor::FromAlloc", "toy::Tensor::data", "toy.load_module", "TOY_CHECK"]
KNOWN = spellings(NAMES)


def test_spellings_of_names():
    """A name may omit leading parts; a plain word does not count as a name."""
    assert spellings(NAMES) == {
        *("toy::Tensor::FromAlloc", "Tensor::FromAlloc", "FromAlloc"),
        *("toy::Tensor::data", "Tensor::data"),
        *("toy.load_module", "load_module", "TOY_CHECK"),
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Call ``load_module``.", ["load_module"]),
        ("Call ``FromAlloc()`` and ``TOY_CHECK``.", ["FromAlloc()", "TOY_CHECK"]),
        ("The ``data`` of ``load_module(x)`` in ``other``.", []),
        ("A term\n   with ``Tensor::data``.", ["Tensor::data"]),
        ("``toy.load_module``\n===================\n\nText.", []),
        ("`load_module <https://example.org>`_", []),
    ],
)
def test_names_of_prose(text, found):
    """Titles, links, calls with arguments and other words are ignored."""
    doctree = publish_doctree(text, settings_overrides={"doctitle_xform": False})
    assert [name for _, name in unlinked(doctree, KNOWN)] == found


def test_line_is_told():
    """A name is reported with the line of its paragraph."""
    doctree = publish_doctree("Text.\n\nMore.\n\nCall ``load_module``.\n")
    assert list(unlinked(doctree, KNOWN)) == [(5, "load_module")]


@pytest.mark.parametrize("around", [addnodes.pending_xref, addnodes.desc, nodes.reference])
def test_links_and_descriptions_are_left_alone(around):
    """A role's link contains a literal too; docstrings are checked where they are written."""
    doctree = publish_doctree("Text.")
    doctree += around("", nodes.paragraph("", "", nodes.literal("", "load_module")))
    assert list(unlinked(doctree, KNOWN)) == []
