# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""After an edit or a failure, a run repeats only what changed or failed."""

import os

import pytest

PAGE = "docs/index.rst"
NOTES = "docs/notes.md"
GREET = "docs/greet.sh"
KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
SHOWN = "tests/snippets/test_shown_files.py"


@pytest.fixture
def verified(project):
    """The project, verified in place, as its compiler is in the same folder."""
    status, output = project.verify()
    assert status == 0, output
    return project


def ran(output):
    """Return the line that says what was run."""
    (line,) = (line for line in output.splitlines() if line.startswith("ran ") and " of " in line)
    return line


def test_run_without_changes_repeats_nothing(verified):
    """No examples, pages or tests run again, and earlier results stay valid."""
    status, output = verified.build()
    assert status == 0, output
    assert "libraries: 0 compiled, 2 unchanged" in output
    assert ran(output).startswith("ran 0 of ")
    assert verified.site()[0] == 0


@pytest.mark.parametrize(
    ("file", "text", "names"),
    [
        (PAGE, "\nA sentence.\n", [f"{PAGE} on cpu"]),
        (NOTES, "\nA sentence.\n", [f"{NOTES} on cpu"]),
        (GREET, "\n", [f"{SHOWN} on cpu"]),
        (KERNEL, "// changed\n", [f"{each} on cpu" for each in (PAGE, KERNEL, SHOWN)]),
    ],
)
def test_edit_repeats_what_is_made_of_it(verified, file, text, names):
    """Only pages, tests and kernels that depend on the edited file run again."""
    verified.append(file, text)
    status, output = verified.build()
    assert status == 0, output
    assert ran(output).partition(": ")[2].split(", ") == names


def test_failure_is_repeated_alone(verified):
    """After a page is broken, and again after it is repaired, only that page runs."""
    for old, new, good in (("2\n```", "3\n```", False), ("3\n```", "2\n```", True)):
        verified.replace(NOTES, old, new)
        status, output = verified.build()
        assert (status == 0) == good, output
        assert ran(output).endswith(f"tests: {NOTES} on cpu")


def test_program_that_appears_lets_everything_run_again(verified, tmp_path):
    """A test that was skipped for lack of the program must not stay skipped."""
    (tmp_path / "cuobjdump").write_text("#!/bin/sh\n")
    (tmp_path / "cuobjdump").chmod(0o755)
    status, output = verified.verify(PATH=f"{os.environ['PATH']}{os.pathsep}{tmp_path}")
    assert status == 0, output
    assert not ran(output).startswith("ran 0 of ")


def test_file_that_a_test_reads_is_an_input(verified):
    """Undeclared files count too, whether opened or passed to a program."""
    for name in ("opened", "given"):
        (verified.file("docs") / f"{name}.txt").write_text("1")
    verified.append(
        SHOWN,
        """

def test_reads(shows):
    import pathlib

    shows("docs/greet.sh")
    assert pathlib.Path("docs/opened.txt").read_text()
    subprocess.run(["cat", "docs/given.txt"], check=True)
""",
    )
    assert verified.build()[0] == 0
    for name in ("opened", "given"):
        assert ran(verified.verify()[1]).startswith("ran 0 of ")
        verified.append(f"docs/{name}.txt", "2")
        assert ran(verified.verify()[1]).endswith(f"tests: {SHOWN} on cpu")


def test_edit_while_a_test_runs_fails_it(verified):
    """The tree no longer holds what the test read at its start."""
    verified.append(
        SHOWN,
        """

def test_edits(shows):
    import pathlib

    shows("docs/greet.sh")
    assert pathlib.Path("docs/opened.txt").read_text() == "1"
    pathlib.Path("docs/opened.txt").write_text("2")
""",
    )
    verified.file("docs/opened.txt").write_text("1")
    status, output = verified.verify()
    assert status != 0
    assert "edited while it ran: docs/opened.txt" in output


def test_new_file_beside_the_tests_repeats_them(verified):
    """A test may read the file without being traced."""
    verified.file("tests/snippets/new.txt").write_text("1")
    assert ran(verified.verify()[1]).endswith(f"tests: {SHOWN} on cpu")
