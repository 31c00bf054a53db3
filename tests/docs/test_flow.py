# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Figures of steps: what is drawn, what is refused, and whether the code has the names in them."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _ext.flow import FlowDrawing, columns_of, files_of
from _ext.flow_drawing import CHARACTERS, WIDTH, Column, Step, draw, words_of
from docutils.core import publish_doctree

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
CONTENT = """
There
   ``f(...)`` : Python
      It calls
      the <library>.

      Passes on: x & y

   The call : your library
      It computes. It returns.
"""
COLUMN = Column(
    "There",
    (
        Step("f(...)", "Python", "It calls the <library>.", "x & y", is_code=True),
        Step("The call", "your library", "It computes. It returns."),
    ),
)
# At most as wide as the text of a page in a window of 390 pixels, whose margins take 32.
PHONE = 390 - 32
FIGURE = re.compile(r"^\.\. flow::\n((?:   .*\n|\n)+)", re.MULTILINE)
NAME = re.compile(r":(?:c|cpp|py):\w+:`~?([\w.:]+)`|``(.+?)``|Passes on: (DL\w+|TVM\w+|cuda\w+)")
CODE = (
    *("include/**/*.h", "src/*", "python/**/*.py", "python/**/*.cc", "python/**/*.h"),
    *("examples/kernel_library/*.h", "examples/kernel_library/*/*.c*"),
    *("examples/kernel_library/*/python/*/*", "examples/kernel_library/*/CMakeLists.txt"),
    *("CMakeLists.txt", "examples/kernel_library/*/pyproject.toml"),
)


def drawing(content):
    """What the directive makes of its content."""
    return FlowDrawing("", *publish_doctree(content).children)


def figures():
    """The content of each figure of the pages, with the page's name."""
    pages = sorted((ROOT / "docs").rglob("*.rst"))
    return [
        pytest.param(content, id=f"{page.stem}-{number}")
        for page in pages
        for number, content in enumerate(FIGURE.findall(page.read_text()))
    ]


def test_steps_are_read():
    """A step has a name, the place that runs it, its sentences, and what it passes on."""
    assert columns_of(drawing(CONTENT)) == [COLUMN]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("A sentence.", "expected a definition list of columns, and nothing else"),
        ("There\n   A sentence.", "There: expected a definition list of steps"),
        ("There\n   f\n      It calls.", "expected a step, the place that runs it .*, got 'f'"),
        ("There\n   f : Python\n      Passes on: x", "and what it does, got 'f'"),
    ],
)
def test_other_content_is_refused(content, expected):
    """The message names what is wrong."""
    with pytest.raises(ValueError, match=expected):
        columns_of(drawing(content))


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ("", "expected the option test, which names the tests"),
        ("tests/docs/test_flow.py::test_absent", "got tests/docs/test_flow.py::test_absent"),
        ("tests/docs/absent.py::test_it", "got tests/docs/absent.py::test_it"),
    ],
)
def test_a_figure_names_its_tests(tests, expected):
    """No test, or one that does not exist, is refused."""
    with pytest.raises(ValueError, match=expected):
        files_of(tests, ROOT)


def test_boxes_are_below_each_other():
    """They do not overlap, and everything is inside the drawing, which fits into a phone."""
    tree = ElementTree.fromstring(draw(COLUMN, "one"))
    width, height = (float(tree.get(key)) for key in ("width", "height"))
    boxes = [
        (float(box.get("y")), float(box.get("y")) + float(box.get("height")))
        for box in tree.iter(f"{SVG}rect")
    ]
    assert width <= PHONE
    assert len(boxes) == 2
    assert boxes[0][1] < boxes[1][0] < boxes[1][1] <= height
    lines = [float(each.get("y")) for each in tree.iter(f"{SVG}text")]
    assert lines == sorted(lines)
    assert lines[-1] < boxes[1][1]
    assert {box.get("class") for box in tree.iter(f"{SVG}rect")} == {"head", "body"}


def test_long_sentences_are_wrapped():
    """No line has more characters than fit."""
    step = Step("f", "tvm_ffi", "a word " * 40)
    tree = ElementTree.fromstring(draw(Column("There", (step,)), "one"))
    lines = [each.text for each in tree.iter(f"{SVG}text") if each.get("class") == "note"]
    assert len(lines) > 5
    assert max(map(len, lines)) <= CHARACTERS
    assert CHARACTERS * 7 <= WIDTH  # pixels of a character in a wide font


def test_words_say_what_the_drawing_shows():
    """A reader who does not see it has each step, with the place and what is passed on."""
    tree = ElementTree.fromstring(draw(COLUMN, "one"))
    assert tree.get("aria-labelledby") == "one one-text"
    assert tree.find(f"{SVG}title").text == "There"
    assert tree.find(f"{SVG}desc").text == words_of(COLUMN)
    assert words_of(COLUMN).splitlines() == [
        "1. f(...), Python: It calls the <library>. Passes on: x & y.",
        "2. The call, your library: It computes. It returns.",
    ]


@pytest.mark.parametrize("content", figures())
def test_figure_names_what_the_code_has(content):
    """Each function, type and file in a figure of the pages exists under that name."""
    paths = {path for glob in CODE for path in ROOT.glob(glob) if path.is_file()}
    words = {word for path in paths for word in re.findall(r"\w+", path.read_text())}
    words |= {path.name for path in paths} | {"__tvm_ffi_scale"}
    names = [next(filter(None, found)) for found in NAME.findall(content)]
    assert names
    last = {name if name in words else re.split(r"::|\.", name)[-1] for name in names}
    assert {re.sub(r"\(.*\)", "", name) for name in last} <= words


def test_pages_have_figures():
    """The guide's three, at least."""
    assert len(figures()) >= 3


def test_exported_symbol_in_the_figure():
    """The macro makes that name of the function's."""
    text = (ROOT / "include/tvm/ffi/export.h").read_text()
    assert "int __tvm_ffi_##ExportName(" in text
