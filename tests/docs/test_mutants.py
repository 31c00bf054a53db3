# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The session that plants bugs: its patches apply, and it reports those that no test catches."""

import subprocess
from pathlib import Path

import pytest
from _setup import mutant_runtime, mutants

PATCHES = sorted(mutants.MUTANTS.glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_each_patch_applies_and_names_a_test(patch):
    """An edit to a patch's lines, or a moved test, requires updating the patch."""
    command = ["git", "apply", "--check", str(patch)]
    done = subprocess.run(command, cwd=mutants.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (mutants.ROOT / mutants.words_of(patch)[0]).exists()


@pytest.fixture
def tree(tmp_path) -> Path:
    """A project with one file and its test, and a patch that changes 1 to 2."""
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
    """A test that passes, that already failed, or that ends the process does not catch it."""
    (tree / "tests" / "test_one.py").write_text(f"def test_one():\n{line}")
    found, words = mutants.judge(tree / "bug.patch", "", tree)
    assert found == caught
    assert said in words


def test_a_patch_without_its_test_is_named(tmp_path):
    """The first line must name the test to run."""
    patch = tmp_path / "bug.patch"
    patch.write_text("--- a/x\n")
    with pytest.raises(ValueError, match=r"bug.patch: expected a first line 'Caught by: TEST"):
        mutants.words_of(patch)


def test_a_patch_that_does_not_apply_is_named(tree):
    """A patch whose lines are gone catches nothing."""
    (tree / "tests" / "test_one.py").write_text("def test_one():\n    pass\n")
    (tree / "examples" / "one.txt").write_text("3\n")
    caught, words = mutants.judge(tree / "bug.patch", "", tree)
    assert not caught
    assert words.startswith("does not apply: error: patch failed: examples/one.txt:1")


@pytest.fixture
def runtime(tree, monkeypatch) -> Path:
    """The same project, whose file is built into a package by copying it."""
    (tree / "src").mkdir()
    (tree / "src" / "one.txt").write_text("1\n")
    patch = (tree / "bug.patch").read_text()
    (tree / "bug.patch").write_text(patch.replace("/examples/", "/src/"))

    def build(folder: Path) -> str:
        text = (folder / "src" / "one.txt").read_text()
        (folder / mutants.PACKAGE).mkdir(parents=True, exist_ok=True)
        (folder / mutants.PACKAGE / "built.py").write_text(f"value = {text}")
        return "" if text.strip().isdigit() else f"the package cannot be built: {text.strip()}"

    monkeypatch.setattr(mutants, "install_package", build)
    monkeypatch.setattr(mutants, "build_again", build)
    return tree


@pytest.mark.parametrize(
    ("line", "caught", "said"),
    [
        ("    assert built.value == 1\n", True, "assert 2 == 1"),
        ("    assert built.value\n", False, "1 passed"),
        ("    assert built.value == 2\n", False, "fails without the patch: assert 1 == 2"),
        ("    if built.value == 2: __import__('os').abort()\n", False, ""),
    ],
)
def test_a_mutant_of_the_runtime_is_built(runtime, line, caught, said):
    """A mutant's test sees a package with the bug, and the next test one without it."""
    (runtime / "tests" / "test_one.py").write_text(f"import built\ndef test_one():\n{line}")
    patch = runtime / "bug.patch"
    assert mutants.changes_runtime(patch)
    for found, words in mutants.judge_runtime([patch, patch], "", runtime):
        assert found == caught
        assert said in words
    tree = runtime / "build" / "mutants" / "tree"
    assert (tree / "src" / "one.txt").read_text() == "1\n"


def test_a_mutant_that_cannot_be_built_is_not_caught(runtime):
    """A mutant that does not compile is not caught; a patch that does not apply is reported too."""
    (runtime / "tests" / "test_one.py").write_text("def test_one():\n    pass\n")
    broken, stale = runtime / "broken.patch", runtime / "stale.patch"
    text = (runtime / "bug.patch").read_text()
    broken.write_text(text.replace("+2", "+two"))
    stale.write_text(text.replace("-1\n+2", "-3\n+2"))
    verdicts = [*mutants.judge_runtime([broken, stale], "", runtime)]
    assert verdicts[0] == (False, "the package cannot be built: two")
    assert verdicts[1][0] is False
    assert verdicts[1][1].startswith("does not apply: error: patch failed: src/one.txt:1")


def test_a_source_of_tests_that_does_not_compile_catches_nothing(tree):
    """The compiler stops before anything is tested."""
    words = (
        "import pytest\ndef test_one():\n    pytest.fail('a.cc does not compile: error', False)\n"
    )
    (tree / "tests" / "test_one.py").write_text(words)
    assert mutants.judge(tree / "bug.patch", "", tree)[1].startswith(
        "fails without the patch: does"
    )


def test_only_what_differs_is_written(tmp_path):
    """Unchanged files are not rewritten, to avoid recompiling everything."""
    root, tree = tmp_path / "root", tmp_path / "tree"
    for name in ("same", "changed", "new"):
        (root / "src").mkdir(parents=True, exist_ok=True)
        (root / "src" / name).write_text(name)
    mutant_runtime.refresh(tree, root, ("src", "missing"))
    same = (tree / "src" / "same").stat()
    (tree / "src" / "changed").write_text("patched")
    (tree / "src" / "of the patch").write_text("")
    (tree / "src" / "new").unlink()
    mutant_runtime.refresh(tree, root, ("src", "missing"))
    assert sorted(path.name for path in (tree / "src").iterdir()) == ["changed", "new", "same"]
    assert (tree / "src" / "changed").read_text() == "changed"
    assert (tree / "src" / "same").stat().st_mtime_ns == same.st_mtime_ns
