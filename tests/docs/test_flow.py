# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Flow figures: the drawings, refused input, and whether the code contains the names shown."""

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
# At most the text width of a page in a window of 390 pixels, whose margins take 32.
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
    """Return what the directive makes of its content."""
    return FlowDrawing("", *publish_doctree(content).children)


def figures():
    """Return the content of each figure, with the page's name as its id."""
    pages = sorted((ROOT / "docs").rglob("*.rst"))
    return [
        pytest.param(content, id=f"{page.stem}-{number}")
        for page in pages
        for number, content in enumerate(FIGURE.findall(page.read_text()))
    ]


def test_steps_are_read():
    """A step has a name, a place that runs it, a description, and what it passes on."""
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
    """The message says what is wrong."""
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
    """A figure without tests, or with a nonexistent one, is refused."""
    with pytest.raises(ValueError, match=expected):
        files_of(tests, ROOT)


def test_boxes_are_below_each_other():
    """Boxes do not overlap or leave the drawing, which fits the width of a phone."""
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
    assert CHARACTERS * 7 <= WIDTH  # width of a character in a wide font, in pixels


def test_words_say_what_the_drawing_shows():
    """The description lists each step, with its place and what it passes on."""
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
    """Each function, type and file named in a figure exists."""
    paths = {path for glob in CODE for path in ROOT.glob(glob) if path.is_file()}
    words = {word for path in paths for word in re.findall(r"\w+", path.read_text())}
    words |= {path.name for path in paths} | {"__tvm_ffi_scale"}
    names = [next(filter(None, found)) for found in NAME.findall(content)]
    assert names
    last = {name if name in words else re.split(r"::|\.", name)[-1] for name in names}
    assert {re.sub(r"\(.*\)", "", name) for name in last} <= words


def test_pages_have_figures():
    """There are at least the guide's three figures."""
    assert len(figures()) >= 3


def test_exported_symbol_in_the_figure():
    """The macro forms the symbol's name from the function's."""
    text = (ROOT / "include/tvm/ffi/export.h").read_text()
    assert "int __tvm_ffi_##ExportName(" in text
