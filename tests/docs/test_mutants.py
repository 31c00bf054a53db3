# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The session that plants bugs: its patches apply, and it says which of them no test catches."""

import subprocess
from pathlib import Path

import pytest
from _setup import mutants

PATCHES = sorted(mutants.MUTANTS.glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_each_patch_applies_and_names_a_test(patch):
    """Who edits the lines of a patch, or moves a test, edits the patch."""
    command = ["git", "apply", "--check", str(patch)]
    done = subprocess.run(command, cwd=mutants.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (mutants.ROOT / mutants.words_of(patch)[0]).exists()


@pytest.fixture
def tree(tmp_path) -> Path:
    """A project of one file and its test, and a patch that makes 2 of 1."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "one.txt").write_text("1\n")
    (tmp_path / "bug.patch").write_text(
        "Caught by: tests/test_one.py -k one\n"
        "--- a/examples/one.txt\n+++ b/examples/one.txt\n@@ -1 +1 @@\n-1\n+2\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("line", "caught", "said"),
    [
        ("    assert open('examples/one.txt').read() == '1\\n'\n", True, "AssertionError"),
        ("    pass\n", False, "1 passed"),
        ("    assert False\n", False, "fails without the patch: assert False"),
        ("    if '2' in open('examples/one.txt').read(): __import__('os')._exit(3)\n", False, ""),
    ],
)
def test_a_mutant_is_caught_only_by_a_test_that_fails(tree, line, caught, said):
    """A test that passes, that fails before, or that ends the process does not catch it."""
    (tree / "tests" / "test_one.py").write_text(f"def test_one():\n{line}")
    found, words = mutants.judge(tree / "bug.patch", "", tree)
    assert found == caught
    assert said in words


def test_a_patch_without_its_test_is_named(tmp_path):
    """The first line says which test there is to run."""
    patch = tmp_path / "bug.patch"
    patch.write_text("--- a/x\n")
    with pytest.raises(ValueError, match=r"bug.patch: expected a first line 'Caught by: TEST"):
        mutants.words_of(patch)


def test_a_patch_that_does_not_apply_is_named(tree):
    """Nothing is caught by a patch of lines that are gone."""
    (tree / "tests" / "test_one.py").write_text("def test_one():\n    pass\n")
    (tree / "examples" / "one.txt").write_text("3\n")
    caught, words = mutants.judge(tree / "bug.patch", "", tree)
    assert not caught
    assert words.startswith("does not apply: error: patch failed: examples/one.txt:1")
