# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R8, R9
"""Figures of structs, drawn from a compiled program's output."""

from xml.etree import ElementTree

import pytest
from _verify.measured_layout import Column, placed, read_structs, struct_of, text_of

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _ext.layout_drawing import LEFT, ROW, WIDTH, draw
from _ext.memory_layout import RECORD, MemoryLayout

PRINTED = """$ ./layout
offset, size, field

Head: 24 bytes
   0   8  count
   8   4  type
  16   8  deleter
Value: 16 bytes
   0   4  type
   8   8  number
   8   8  text
Long: 16 bytes
   0  16  bytes
"""
STRUCTS = read_structs(PRINTED)
SVG = "{http://www.w3.org/2000/svg}"


def test_fields_are_read():
    """Each struct has its size, and its fields with their offsets."""
    assert list(STRUCTS) == ["Head", "Value", "Long"]
    assert STRUCTS["Head"].size == 24
    assert [(f.name, f.offset, f.size) for f in STRUCTS["Head"].fields] == [
        ("count", 0, 8),
        ("type", 8, 4),
        ("deleter", 16, 8),
    ]


@pytest.mark.parametrize(
    ("name", "fields", "expected"),
    [
        ("Tail", [], "expected a struct that was measured, got 'Tail'"),
        ("Value", ["word"], "Value: expected fields among type, number, text, got 'word'"),
        ("Value", [], "Value: number and text share bytes: choose one"),
    ],
)
def test_what_was_not_measured_is_refused(name, fields, expected):
    """The message names the struct, then what was expected and what was passed."""
    with pytest.raises(ValueError, match=expected):
        struct_of(STRUCTS, name, fields)


def test_output_of_something_else_is_refused():
    """A figure needs at least one struct."""
    with pytest.raises(ValueError, match="got no struct"):
        read_structs("offset, size, field\n")


def column(*parts):
    """Return a column of structs with fields that do not overlap; None is a pointer."""
    chosen = {"Value": ["type", "text"]}
    return Column("a <value>", "", [p and struct_of(STRUCTS, p, chosen.get(p, [])) for p in parts])


def test_structs_follow_each_other():
    """A struct begins where the previous one ends, or at 0 after a pointer."""
    assert [at for _, at in placed(column("Head", "Value"))] == [0, 24]
    assert [at for _, at in placed(column("Value", None, "Head", "Long"))] == [0, 0, 24]


def test_boxes_stand_where_the_bytes_do():
    """A box spans its field's bytes; a gap has its own box; a long field has two rows."""
    tree = ElementTree.fromstring(draw(column("Head", "Long"), "one"))
    boxes = [
        tuple(float(box.get(key)) for key in ("x", "width", "height"))
        for box in tree.iter(f"{SVG}rect")
    ]
    half = WIDTH / 2
    assert boxes == [
        (LEFT, WIDTH, ROW),  # count
        (LEFT, half, ROW),  # type
        (LEFT + half, half, ROW),  # the gap after it
        (LEFT, WIDTH, ROW),  # deleter
        (LEFT, WIDTH, 2 * ROW),  # bytes
    ]
    shown = [each.text for each in tree.iter(f"{SVG}text") if each.get("class") == "offset"]
    assert shown == ["0", "8", "16", "24"]


def test_text_says_what_the_drawing_shows():
    """The description lists each field with its bytes."""
    tree = ElementTree.fromstring(draw(column("Value", None, "Head"), "one"))
    assert tree.get("aria-labelledby") == "one one-text"
    assert tree.find(f"{SVG}title").text == "a <value>"
    assert tree.find(f"{SVG}desc").text == text_of(column("Value", None, "Head"))
    assert "     8 to 15  text\n" in text_of(column("Value", None, "Head"))


def test_columns_of_a_page():
    """An unindented line begins a column; parts before the first one are refused."""
    directive = MemoryLayout.__new__(MemoryLayout)
    directive.content = ["A | note", "  Value: type text", "  ->", "  Head", "B"]
    first, second = directive.columns(STRUCTS)
    assert (first.title, first.note, second.title) == ("A", "note", "B")
    assert [part and part.name for part in first.parts] == ["Value", None, "Head"]
    directive.content = ["  Head"]
    with pytest.raises(ValueError, match="expected the name of a column first, got 'Head'"):
        directive.columns(STRUCTS)


def test_site_is_drawn_from_a_record_of_a_run(request):
    """A test captures the record, so that it fails if the layout changes."""
    root = request.config.rootpath
    assert f'captured("{RECORD}"' in (root / "tests/snippets/test_abi_overview.py").read_text()
    assert read_structs((root / RECORD).read_text())["DLTensor"].size == 48
