# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Regions: the named parts of a file that a page shows."""

import re
from pathlib import Path

import pytest
from _verify.regions import normalised, region, region_names

CODE = """\
#include "a.h"
// [outer.begin]
void f() {
  //! [inner]
  g();

  h();
  //! [inner]
}
// [outer.end]
# [hash.begin]
x = 1
# [hash.end]
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("outer", "void f() {\n  g();\n\n  h();\n}\n"),
        ("inner", "g();\n\nh();\n"),
        ("hash", "x = 1\n"),
    ],
)
def test_region_is_dedented_and_has_no_marker_lines(name, expected):
    """A page shows only the code, without indentation."""
    assert region(CODE, name) == expected


def test_names_come_in_the_order_of_the_file():
    """A message can list the available regions."""
    assert region_names(CODE) == ["outer", "inner", "hash"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CODE, r"region \[absent\]: expected one .* got 0 and 0 .*outer, inner, hash"),
        ("// [absent.begin]\nx\n", r"got 1 and 0"),
        ("// [absent.end]\nx\n// [absent.begin]\n", r"got 1 and 1"),
        ("// [absent.begin]\nx\n// [absent.begin]\n// [absent.end]\n", r"got 2 and 1"),
        ("//! [absent]\nx\n", r"got 0 and 0"),
        ("// [absent.begin]\n\n// [absent.end]\n", r"expected at least one line, got none"),
    ],
    ids=["missing", "not closed", "reversed", "twice", "half a pair", "empty"],
)
def test_region_that_cannot_be_shown_is_an_error(text, message):
    """A page never shows an empty block instead of code."""
    with pytest.raises(ValueError, match=message):
        region(text, "absent")


def test_comments_with_brackets_are_no_markers():
    """A line with code or further words is part of the code."""
    text = "int a[3];  // [x]\n// see [x] there\n"
    assert normalised(text) == text.strip()


def test_texts_are_compared_without_indentation_and_markers():
    """Doxygen's output matches the region it came from."""
    assert normalised("\n    // [a.begin]\n    x;  \n      y;\n\n") == "x;\n  y;"


def test_header_of_the_library_lists_its_parts():
    """The header's first comment lists every part in order, and the guide shows each by name."""
    root = Path(__file__).parents[2]
    text = (root / "examples/kernel_library/tvm_ffi_utils.h").read_text()
    listed = re.findall(r"^//   (\w+)  ", text, re.MULTILINE)
    assert listed == [name for name in region_names(text) if name != "includes"]
    pages = "".join(page.read_text() for page in (root / "docs" / "guides").rglob("*.rst"))
    shown = re.findall(r"tvm_ffi_utils\.h\n(?: +:.*\n)*? +:region: (\w+)", pages)
    assert set(listed) <= set(shown)
