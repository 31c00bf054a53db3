# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The outcomes of tests of shown files under another package, and the lines they apply to."""

import sys

import pytest
from _verify.layout import Layout
from _verify.published_snippets import Snippets, find_tests, run_tests
from _verify.tools import base_environment

TESTS = """\
import pytest
# [table.begin]
CASES = [1, 2]
# [table.end]

# [helper.begin]
def helper():
    return 1
# [helper.end]

@pytest.fixture
def deep():
    # [deep.begin]
    return 2
    # [deep.end]

@pytest.fixture
def made(deep):
    # [fixture.begin]
    return 2
    # [fixture.end]

@pytest.mark.parametrize("case", CASES)
def test_cases(case):
    # [case.begin]
    assert case
    # [case.end]

def test_helper(made):
    assert helper() < made
"""


@pytest.mark.parametrize(
    ("region", "tests"),
    [
        ("table", {"test_cases"}),
        ("helper", {"test_helper"}),
        ("fixture", {"test_helper"}),
        ("deep", {"test_helper"}),
        ("case", {"test_cases"}),
        ("", {"test_cases", "test_helper"}),
    ],
)
def test_tests_of_a_region(region, tests):
    """A region's tests contain its lines, or use its definitions by name, argument or fixture."""
    assert find_tests(TESTS, region) == tests


def outcome(kind, *files):
    """Return the outcome of a test."""
    return {"outcome": kind, "got": "TypeError: no" if kind == "failed" else "", "files": [*files]}


@pytest.mark.parametrize(
    ("kinds", "got"),
    [
        (["failed"], "TypeError: no"),
        (["failed", "passed"], ""),
        (["skipped", "failed"], "TypeError: no"),
        (["skipped"], ""),
        ([], ""),
    ],
)
def test_difference_of_a_source(tmp_path, kinds, got):
    """One passing test that ran the source is enough."""
    tests = {f"t.py::test_{i}": outcome(kind, "a.cc") for i, kind in enumerate(kinds)}
    tests["t.py::test_of_another"] = outcome("failed", "b.cc")
    assert Snippets(tmp_path, {"t.py": tests}).difference("a.cc", "") == got


def test_difference_of_a_test_file(tmp_path):
    """Each case of the region's tests counts, and no other test does."""
    (tmp_path / "t.py").write_text(TESTS)
    tests = {"t.py::test_cases[1]": outcome("passed"), "t.py::test_cases[2]": outcome("failed")}
    tests["t.py::test_helper"] = outcome("passed")
    found = Snippets(tmp_path, {"t.py": tests})
    assert found.difference("t.py", "table") == "TypeError: no"
    assert found.difference("t.py", "helper") == ""


def test_run(tmp_path):
    """A failure is recorded with its error; after a crash the other tests still run."""
    path = tmp_path / "tests" / "snippets" / "test_toy.py"
    path.parent.mkdir(parents=True)
    path.write_text(
        "import ctypes, pytest\n"
        "def test_good(shows): shows('tests/snippets/test_toy.py')\n"
        "def test_bad(): raise ValueError('no\\nmore')\n"
        "def end(): ctypes.string_at(0)\n"
        "def ends(shows): end(); shows('a.py')\n"
        "def test_crash(shows): ends(shows)\n"
        "def test_crash_not(): pass\n"
        "def test_skipped(): pytest.skip('not here')\n"
        "trace = 'Traceback (most recent call last):\\n  x\\n'\n"
        "def test_program(): assert 0, trace + 'KeyError: 1\\n\\n' + trace + 'OSError: y'\n"
    )
    file = "tests/snippets/test_toy.py"
    found = run_tests(file, sys.executable, Layout.of(tmp_path), tmp_path, base_environment())
    told = {name.partition("::")[2]: (each["outcome"], each["got"]) for name, each in found.items()}
    assert told == {
        "test_good": ("passed", ""),
        "test_bad": ("failed", "ValueError: no"),
        "test_crash": ("failed", "crashed: SIGSEGV"),
        "test_crash_not": ("passed", ""),
        "test_skipped": ("skipped", ""),
        "test_program": ("failed", "AssertionError: OSError: y"),
    }
    assert found[f"{file}::test_good"]["files"] == [file]
    assert found[f"{file}::test_crash"]["files"] == ["a.py"]


def test_crash_at_the_end(tmp_path):
    """A crash may recur at exit; without an earlier crash it is an error."""
    path = tmp_path / "test_toy.py"
    where = sys.executable, Layout.of(tmp_path), tmp_path, base_environment()
    at_exit = "import atexit, ctypes\natexit.register(ctypes.string_at, 0)\ndef test_good(): pass\n"
    path.write_text(at_exit)
    with pytest.raises(RuntimeError, match=r"test_toy.py: crashed: SIGSEGV"):
        run_tests("test_toy.py", *where)
    path.write_text(at_exit + "def test_crash(): ctypes.string_at(0)\n")
    found = run_tests("test_toy.py", *where)
    assert [each["outcome"] for each in found.values()] == ["passed", "failed"]
    path.write_text("import ctypes\ndef test_crash(): ctypes.string_at(0)\n")
    found = run_tests("test_toy.py", *where)
    assert [each["got"] for each in found.values()] == ["crashed: SIGSEGV"]


def test_run_without_tests(tmp_path):
    """A file that cannot be imported proves nothing."""
    path = tmp_path / "test_toy.py"
    path.write_text("import no_such_package\n")
    with pytest.raises(RuntimeError, match=r"test_toy.py: exit status 2"):
        run_tests("test_toy.py", sys.executable, Layout.of(tmp_path), tmp_path, base_environment())
