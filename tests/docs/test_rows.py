# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The table of rows: which tests verify which row of the requirements, and their results."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from _verify import rows

ROOT = Path(__file__).resolve().parents[2]
# One test per outcome; the tree's digest covers this file.
TESTS = """\
# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R6
import pytest

def test_passes():
    pass

def test_fails():
    assert False

def test_skips():
    pytest.skip("no such device")

@pytest.mark.parametrize("x", ["a::b"])
def test_parametrized(x):
    pass
"""


def test_page_of_promises_has_all_rows():
    """The page's section titles are those of the rows."""
    text = (ROOT / "docs" / "promises.rst").read_text()
    titles = [f"{row} {title}" for row, title in rows.TITLES.items()]
    assert re.findall(r"^(R\d .+)\n-+$", text, re.MULTILINE) == titles


@pytest.fixture
def tree(tmp_path) -> Path:
    """A small tree with the recorder and one test file."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "_verify").symlink_to(ROOT / "docs" / "_verify")
    (tmp_path / "tests" / "cpp").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    (tmp_path / "tests" / "cpp" / "test_outcomes.py").write_text(TESTS)
    return tmp_path


def run(tree: Path, *arguments: str, session: str = "tests") -> None:
    """Run the tree's tests with recording."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    variables = {"ROWS_RECORD": str(tree / "build" / "rows" / session)}
    subprocess.run(
        [*command, "--rootdir", str(tree), str(tree / "tests"), *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
    )


def results(tree: Path) -> list[str]:
    """Return the last column of the table."""
    return [line[2] for line in rows.row_table(tree, tree / "build")]


def test_every_test_file_names_rows():
    """A test file names the rows it verifies, and these rows exist."""
    named = {name: rows.rows_of(ROOT / name) for name in rows.test_files(ROOT)}
    assert [name for name, found in named.items() if not found] == []
    assert {row for found in named.values() for row in found} <= set(rows.TITLES)


@pytest.mark.parametrize("row", ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R9"])
def test_row_is_shown_by_a_test_of_the_runtime(row):
    """Every row has a test outside tests/interop, so that ``nox -s tests machinery`` covers it."""
    files = [
        name for name in rows.test_files(ROOT) if rows.session_of(name) in ("tests", "machinery")
    ]
    assert any(row in rows.rows_of(ROOT / name) for name in files)


def test_outcomes_are_in_the_table(tree):
    """Passes, failures and skips with reasons appear in every row that the file names."""
    run(tree)
    table = rows.row_table(tree, tree / "build")
    result = "1 failed, 2 passed, 1 skipped (no such device)"
    assert table == [
        ["R1 Tensors", "tests/cpp/test_outcomes.py", result],
        ["R6 Errors", "tests/cpp/test_outcomes.py", result],
    ]


def test_tests_left_out_are_said_to_be_not_run(tree):
    """A partial run does not count as a full one, and adds to an earlier run."""
    run(tree, "-k", "passes")
    assert results(tree)[0] == "1 passed, 3 not run"
    run(tree, "-k", "skips")
    assert results(tree)[0] == "1 passed, 1 skipped (no such device), 2 not run"


def test_result_of_another_tree_is_not_shown(tree):
    """An edit discards the results, and the command to rerun the tests is named."""
    run(tree)
    (tree / "src").mkdir()
    (tree / "src" / "new.cc").write_text("int x;\n")
    assert set(results(tree)) == {"no run of this tree: nox -s tests"}


def test_pass_outranks_a_skip_of_another_session(tree):
    """A test that one session skips may run in another; a failure outranks both."""
    folder, name = tree / "build" / "rows", "tests/cpp/test_outcomes.py"
    digest = rows.made_of(tree)
    rows.write_record(
        folder / "tests", name, digest, {"a": ["skipped", "why"], "b": ["passed", ""]}
    )
    rows.write_record(folder / "interop", name, digest, {"a": ["passed", ""], "b": ["failed", ""]})
    assert results(tree)[0] == "1 failed, 1 passed"


def test_run_on_an_edited_tree_leaves_no_record(tree):
    """If the tree changes during a test run, no result is recorded."""
    with (tree / "tests" / "cpp" / "test_outcomes.py").open("a") as file:
        file.write("\ndef test_edits():\n    open(__file__, 'a').write('# edited\\n')\n")
    run(tree)
    assert not (tree / "build").exists()


def test_site_shows_the_table(project):
    """The table appears on the page with the directive."""
    project.replace("conf.py", '"_ext.verification",', '"_ext.verification",\n    "_ext.rows",')
    project.append("docs/verification.rst", "\n.. rows::\n")
    path = project.file("tests/cpp/test_outcomes.py")
    path.parent.mkdir()
    path.write_text(TESTS)
    record = {"file": "tests/cpp/test_outcomes.py", "tree": rows.made_of(project.root)}
    folder = project.file("build/rows/tests")
    folder.mkdir(parents=True)
    record["tests"] = {"test_passes": ["passed", ""]}
    (folder / "record.json").write_text(json.dumps(record))
    status, said = project.site()
    assert status == 0, said
    page = project.file("build/site/verification.html").read_text()
    assert "<summary>R6 Errors: 1 test file</summary>" in page
    assert "1 passed" in page


def test_a_folded_row_tells_what_is_amiss():
    """The folded row counts failures, and tests without a result for this tree."""
    pytest.importorskip("sphinx", reason="the site needs Python 3.11")
    from _ext.rows import grouped, in_short

    lines = [
        ["R1 Tensors", "a.py", "3 passed"],
        ["", "b.py", "1 failed, 2 passed"],
        ["", "c.py", "no run of this tree: nox -s tests"],
        ["R6 Errors", "a.py", "3 passed, 1 not run"],
        ["R7 Values", "d.py", "2 passed, 1 skipped (it failed here)"],
    ]
    assert [in_short(*each) for each in grouped(lines).items()] == [
        "R1 Tensors: 3 test files, 1 failed, 1 not run, or not all of it, on this tree",
        "R6 Errors: 1 test file, 1 not run, or not all of it, on this tree",
        "R7 Values: 1 test file",
    ]
