# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Notes that something needs this runtime are checked by a run under the published package."""

import sys

import pytest
from _verify import published_snippets
from _verify.closure import digest
from _verify.doctest_digest import example_digest
from _verify.layout import Layout
from _verify.published_pages import record_of, replay, write_record
from _verify.tools import base_environment

PAGE = "docs/index.rst"
CODE = ">>> [1 + 1]\n[2]\n"
NOTE = ".. only-here::\n{options}\n   lists of sums.\n"
DIFFERS = {"digest": example_digest("[1 + 1]", "[2]"), "place": 0, "line": 1, "got": "[3]"}
TEST = "tests/interop/test_toy.py"


def show(project, text, *differ):
    """Insert text at the end of the page, with a record of its run."""
    project.replace(PAGE, "\n.. toctree::", f"\n{text}\n.. toctree::")
    layout = Layout.of(project.root)
    found = {"text": digest(project.file(PAGE)), "passed": 1, "skipped": {}, "differ": [*differ]}
    write_record(layout, {PAGE: found})
    assert record_of(layout.root, layout.build) == {PAGE: found}


def note(*tests):
    """Return a note, optionally naming tests."""
    return NOTE.format(options=f"   :test: {' '.join(tests)}\n" if tests else "")


def test_note_shows_what_one_gets_there(project):
    """The code and the result are shown below the note."""
    show(project, f"{CODE}\n{note()}", DIFFERS)
    project.append("docs/verification.rst", "\n.. differences::\n")
    status, output = project.build()
    assert status == 0, output
    page = project.file("build/site/index.html").read_text()
    assert "<strong>This runtime only</strong>: lists of sums." in page
    for text in (page, project.file("build/site/verification.html").read_text()):
        code = text.index('<span class="pre">+</span>')
        assert "[3]" in text[code:]
    assert "1 doctest examples of 1 pages pass under the published package too; 1 differ." in text


@pytest.mark.parametrize(
    "text", [CODE, f"{CODE}\nA\n-\n\n{note()}"], ids=["without a note", "in another section"]
)
def test_difference_without_a_note(project, text):
    """A note in a section below does not count."""
    show(project, text, DIFFERS)
    project.refused_twice("[1 + 1]: under the published package one gets: [3]; no only-here")


def test_note_of_a_section_around(project):
    """A note counts for the subsections of its section."""
    show(project, f"{note()}\nA\n-\n\n{CODE}", DIFFERS)
    status, output = project.build()
    assert status == 0, output


def test_note_before_the_title(project):
    """A note before the title counts for the whole page."""
    project.replace(PAGE, "\nToy\n===\n", f"\n{note()}\nToy\n===\n")
    show(project, CODE, DIFFERS)
    status, output = project.build()
    assert status == 0, output


@pytest.mark.parametrize("words", ["- lists of sums.", ".. lists of sums.", ".. _sums:"])
def test_note_without_a_paragraph(project, words):
    """The label needs a paragraph."""
    show(project, f"{CODE}\n.. only-here::\n\n   {words}\n", DIFFERS)
    project.refused_twice("only-here: expected a paragraph first")


def test_note_on_a_page_without_doctests(project):
    """No run can show a difference, so the note needs a test."""
    project.file("docs/more.rst").write_text(f":orphan:\n\nMore\n====\n\n{note()}")
    project.refused_twice("docs/more.rst:6: nothing in its section differs")


def test_difference_of_a_file_that_is_included(project):
    """A page shows the difference, but a note could not be in the included file."""
    project.replace("conf.py", "exclude_patterns = [", 'exclude_patterns = ["part.rst", ')
    part = project.file("docs/part.rst")
    part.write_text(CODE)
    layout = Layout.of(project.root)
    found = {"text": digest(part), "passed": 1, "skipped": {}, "differ": [DIFFERS]}
    write_record(layout, {"docs/part.rst": found})
    project.refused_twice("docs/part.rst: doctests differ, and the site has no such page")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{CODE}\n{note()}", "nothing in its section differs under the published package"),
        (note(f"{TEST}::test_other"), f"{TEST} has no test test_other"),
        (note(f"{TEST}::helper"), f"expected the name of a test, got {TEST}::helper"),
        (note("tests/test_toy.py::test_sum"), "expected FILE::TEST with a file of tests/interop"),
        ("This runtime only: sums.\n", "a note typed by hand: use only-here"),
    ],
    ids=["nothing differs", "no such test", "no test", "another folder", "by hand"],
)
def test_note_without_a_difference(project, text, why):
    """A note without a difference is outdated, or was never checked."""
    project.file(TEST).parent.mkdir()
    project.file(TEST).write_text("def test_sum():\n    pass\n\n\ndef helper():\n    pass\n")
    show(project, text)
    project.refused_twice(why)


BLOCK = ".. literalinclude:: ../{}\n   :region: sum\n"
SNIPPET = "tests/snippets/test_toy.py"
FAILED = {"outcome": "failed", "got": "AssertionError: 3", "files": [SNIPPET]}
PASSED = {"outcome": "passed", "got": "", "files": [SNIPPET]}


def show_snippet(project, text, **outcomes):
    """Show a region of a test, with its tests' recorded outcomes."""
    path = project.file(SNIPPET)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "def test_toy(shows):\n    # [sum.begin]\n    assert 1 + 1 == 2\n    # [sum.end]\n"
        f'    shows("{SNIPPET}")\n\n\ndef test_other():\n    pass\n'
    )
    show(project, text)
    layout = Layout.of(project.root)
    found = {SNIPPET: {f"{SNIPPET}::{name}": each for name, each in outcomes.items()}}
    published_snippets.write_record(layout, found, {}, {"test_left.py": "it is left out"})
    assert project.verify()[0] == 0


def test_snippet_that_differs_without_a_note(project):
    """The differing file and region are named."""
    show_snippet(project, BLOCK.format(SNIPPET), test_toy=FAILED, test_other=PASSED)
    said = "test_toy.py [sum]: under the published package one gets: AssertionError: 3; no only-"
    project.refused_twice(said)


def test_snippet_that_differs(project):
    """The note shows the error under the published package."""
    text = f"{BLOCK.format(SNIPPET)}\n{note()}"
    show_snippet(project, text, test_toy=FAILED, test_other=PASSED)
    project.append("docs/verification.rst", "\n.. differences::\n")
    status, output = project.build()
    assert status == 0, output
    assert ">AssertionError:<" in project.file("build/site/index.html").read_text()
    text = project.file("build/site/verification.html").read_text()
    assert " and 1 tests of shown files pass under the published package too; 1 differ." in text
    assert "test_left.py (it is left out)" in text


def test_snippet_that_does_not_differ(project):
    """Only a neighbouring test differs, so the note is not true."""
    text = f"{BLOCK.format(SNIPPET)}\n{note()}"
    show_snippet(project, text, test_toy=PASSED, test_other=FAILED)
    project.refused_twice("nothing in its section differs under the published package")


def test_page_that_was_edited_since(project):
    """An edited page's doctest results are unknown, so its notes are kept."""
    show(project, f"{CODE}\n{note()}")
    project.append(PAGE, "\nMore.\n")
    assert record_of(project.root, Layout.of(project.root).build) == {}
    status, output = project.build()
    assert status == 0, output


def test_replay(tmp_path):
    """Differing output is recorded; after a crash the rest of the page still runs."""
    page = tmp_path / "docs" / "page.rst"
    page.parent.mkdir()
    examples = (
        ">>> import ctypes\n>>> two = 2\n>>> two + 1\n4\n>>> text = ctypes.string_at(0)\n"
        ">>> text\nb''\n>>> raise ValueError(\"no\")\n>>> two\n2\n"
    )
    page.write_text(examples)
    layout = Layout.of(tmp_path)
    found = replay("docs/page.rst", sys.executable, layout, tmp_path, base_environment())
    got = [(each["line"], each["got"]) for each in found["differ"]]
    assert got == [(3, "3"), (5, "crashed: SIGSEGV"), (8, "ValueError: no")]
    assert found["passed"] == 3


def test_replay_that_is_interrupted(tmp_path):
    """A record is still written, without the rest of the page."""
    page = tmp_path / "docs" / "page.rst"
    page.parent.mkdir()
    page.write_text(">>> 1\n1\n>>> raise KeyboardInterrupt\n>>> 2\n3\n")
    layout = Layout.of(tmp_path)
    with pytest.raises(RuntimeError, match=r"docs/page.rst: exit status 2"):
        replay("docs/page.rst", sys.executable, layout, tmp_path, base_environment())
