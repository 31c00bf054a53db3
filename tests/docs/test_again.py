# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A receipt can be repeated: what it records runs again, and what differs is printed."""

import json

import pytest

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
RAN = "examples.kernel_library.scale.scale_kernel.cc--ran-on-CPU--cpu.json"
PAGE = "docs.index.rst--ran-on-CPU--cpu.json"
SHOWN = "docs.greet.sh-by-tests.snippets.test_shown_files.py--ran-on-CPU--cpu.json"
ALL = [RAN, PAGE, SHOWN, "examples.kernel_library.scale.scale_kernel.cu--compiled--cpu.json"]


def receipts(project):
    """All receipts, each with its text."""
    return {path: path.read_text() for path in project.file("build/receipts").iterdir()}


@pytest.mark.parametrize("name", ALL)
def test_the_same_files_give_the_same(project, name):
    """A kernel, a page, a script that a test runs, and a compilation; nothing is recorded."""
    before = receipts(project)
    status, said = project.verify("--repeat", name)
    assert status == 0, said
    assert "passed again; the " in said
    assert receipts(project) == before


def test_a_file_that_was_edited(project):
    """It may pass, but it is no repetition: the receipt spoke of another text."""
    project.replace(KERNEL, "x[i] * factor", "factor * x[i]")
    status, said = project.verify("--repeat", RAN)
    assert status == 1
    assert f"edited since: {KERNEL}" in said


def test_a_run_that_fails_now(project):
    """The end of its output is printed."""
    project.replace(KERNEL, "x[i] * factor", "x[i] + factor")
    status, said = project.verify("--repeat", RAN)
    assert status == 1
    assert "passed; now it does not" in said
    assert "AssertionError" in said


@pytest.mark.parametrize(
    ("name", "field", "value", "told"),
    [
        (RAN, "ran", {KERNEL: ["0-99"]}, f"lines of {KERNEL} that ran then do not run now"),
        (PAGE, "doctests", {"0": ["7"]}, "1 doctest examples that passed then do not pass now"),
    ],
)
def test_a_receipt_that_records_more(project, name, field, value, told):
    """Lines and examples that do not run now, although no file changed."""
    path = project.file(f"build/receipts/{name}")
    path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
    status, said = project.verify("--repeat", str(path))
    assert status == 1
    assert told in said


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"level": "ran on GPU", "machine": {"gpu": "H200"}}, "with H200, got no GPU"),
        ({"level": "ran under emulation"}, "nox -s emulate"),
        ({"unknown": 1}, "expected a receipt in"),
    ],
)
def test_what_cannot_be_repeated_here(project, change, told):
    """A run on a GPU, one under emulation, and a file that is not a receipt."""
    path = project.file("taken.json")
    given = json.loads(project.file(f"build/receipts/{RAN}").read_text())
    path.write_text(json.dumps(given | change))
    status, said = project.verify("--repeat", "taken.json")
    assert status == 1
    assert told in said


def test_a_name_that_no_receipt_has(project):
    """The message says where it was looked for."""
    status, said = project.verify("--repeat", "absent.json")
    assert status == 1
    assert "receipt: expected the name of a file in one of" in said
