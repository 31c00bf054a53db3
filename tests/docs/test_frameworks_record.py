# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The table of frameworks on the site: it is shown for the tree that it was made of."""

import pytest
from _verify.frameworks import FOLDERS, NOT_RUN, record_of, table_of, write_record


@pytest.fixture
def tree(tmp_path):
    """A small tree with the record of it."""
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
    write_record(tmp_path, tmp_path / "build", {"dtypes": {"int8": {"torch": "read"}}})
    return tmp_path


@pytest.mark.parametrize("folder", FOLDERS)
def test_record_of_another_tree(tree, folder):
    """A file more, in any folder that takes part, and the record is gone."""
    assert record_of(tree, tree / "build") is not None
    (tree / folder / "more.h").write_text("")
    assert record_of(tree, tree / "build") is None


def test_no_record(tmp_path):
    """Without a run there is no record."""
    assert record_of(tmp_path, tmp_path) is None


def test_a_run_of_some_tests_keeps_what_others_found(tree):
    """The latest run of a test counts, and what it left out stays as it was found."""
    more = {"dtypes": {"int8": {"numpy": "read"}, "bool": {"torch": "read"}}}
    write_record(tree, tree / "build", more)
    found = record_of(tree, tree / "build")
    assert found == {
        "dtypes": {"int8": {"numpy": "read", "torch": "read"}, "bool": {"torch": "read"}}
    }
    write_record(tree, tree / "build", {"dtypes": {"int8": {"torch": "refused"}}})
    assert record_of(tree, tree / "build")["dtypes"]["int8"]["torch"] == "refused"


def test_what_no_test_found_says_so():
    """A cell that no test filled in is never left to the reader's guess."""
    headings, rows = table_of({"dtypes": {"int8": {"torch": "read"}}}, "dtypes")
    assert headings[:2] == ["Element type", "PyTorch"]
    assert rows == [["int8", "read", *[NOT_RUN] * 4]]


def test_errors_stand_as_they_were_said():
    """The quotes of an error are not made curly; what was read is plain text."""
    frameworks = pytest.importorskip("_ext.frameworks", reason="the site needs Sphinx")
    error = frameworks.cell_of("TypeError: got 'int4'")
    assert (error.tagname, error.astext()) == ("literal", "TypeError: got 'int4'")
    assert frameworks.cell_of("read, written") == "read, written"


def test_errors_of_the_record_may_be_shown():
    """They fill a cell of literals, which typed by hand would be code that nothing ran."""
    frameworks = pytest.importorskip("_ext.frameworks", reason="the site needs Sphinx")
    from _ext.literals import problem_of
    from docutils import nodes

    said = "TypeError: got 'int4'"
    for literal, refused in ((frameworks.cell_of(said), False), (nodes.literal(said, said), True)):
        nodes.paragraph("", "", literal)
        assert bool(problem_of(literal)) == refused
