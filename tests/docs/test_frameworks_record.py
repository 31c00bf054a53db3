# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The table of frameworks is shown only for the tree that it was recorded from."""

import pytest
from _verify.frameworks import FOLDERS, NOT_RUN, record_of, table_of, write_record


@pytest.fixture
def tree(tmp_path):
    """A small tree with its record."""
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
    write_record(tmp_path, tmp_path / "build", {"dtypes": {"int8": {"torch": "read"}}})
    return tmp_path


@pytest.mark.parametrize("folder", FOLDERS)
def test_record_of_another_tree(tree, folder):
    """A new file in any folder that takes part invalidates the record."""
    assert record_of(tree, tree / "build") is not None
    (tree / folder / "more.h").write_text("")
    assert record_of(tree, tree / "build") is None


def test_no_record(tmp_path):
    """Without a run there is no record."""
    assert record_of(tmp_path, tmp_path) is None


def test_a_run_of_some_tests_keeps_what_others_found(tree):
    """Each test's latest result counts; results of tests that were left out are kept."""
    more = {"dtypes": {"int8": {"numpy": "read"}, "bool": {"torch": "read"}}}
    write_record(tree, tree / "build", more)
    found = record_of(tree, tree / "build")
    assert found == {
        "dtypes": {"int8": {"numpy": "read", "torch": "read"}, "bool": {"torch": "read"}}
    }
    write_record(tree, tree / "build", {"dtypes": {"int8": {"torch": "refused"}}})
    assert record_of(tree, tree / "build")["dtypes"]["int8"]["torch"] == "refused"


def test_what_no_test_found_says_so():
    """A cell that no test filled in says so."""
    headings, rows = table_of({"dtypes": {"int8": {"torch": "read"}}}, "dtypes")
    assert headings[:2] == ["Element type", "PyTorch"]
    assert rows == [["int8", "read", *[NOT_RUN] * 4]]


def test_errors_stand_as_they_were_said():
    """An error's quotes are not made typographic; a successful result is plain text."""
    frameworks = pytest.importorskip("_ext.frameworks", reason="the site needs Sphinx")
    error = frameworks.cell_of("TypeError: got 'int4'")
    assert (error.tagname, error.astext()) == ("literal", "TypeError: got 'int4'")
    assert frameworks.cell_of("read, written") == "read, written"


def test_errors_of_the_record_may_be_shown():
    """Recorded errors are literals, which would be refused as unverified code if typed by hand."""
    frameworks = pytest.importorskip("_ext.frameworks", reason="the site needs Sphinx")
    from _ext.literals import problem_of
    from docutils import nodes

    said = "TypeError: got 'int4'"
    for literal, refused in ((frameworks.cell_of(said), False), (nodes.literal(said, said), True)):
        nodes.paragraph("", "", literal)
        assert bool(problem_of(literal)) == refused
