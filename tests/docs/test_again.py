# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A receipt can be repeated: its recorded runs are run again, and differences are printed."""

import json

import pytest
from _verify.again import find_receipt
from _verify.layout import Layout

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
RAN = "examples.kernel_library.scale.scale_kernel.cc--ran-on-CPU--cpu.json"
PAGE = "docs.index.rst--ran-on-CPU--cpu.json"
SHOWN = "docs.greet.sh-by-tests.snippets.test_shown_files.py--ran-on-CPU--cpu.json"
COMPILED = "examples.kernel_library.scale.scale_kernel.cc--compiled--cpu.json"
ALL = [RAN, PAGE, SHOWN, COMPILED]


def receipts(project):
    """Return all receipts with their text."""
    return {path: path.read_text() for path in project.file("build/receipts").iterdir()}


@pytest.mark.parametrize("name", ALL)
def test_the_same_files_give_the_same(project, name):
    """Kernels, pages, tested scripts and compilations can be repeated; nothing is recorded."""
    before = receipts(project)
    status, said = project.verify("--repeat", name)
    assert status == 0, said
    assert "passed again; the " in said
    assert receipts(project) == before


def test_a_file_that_was_edited(project):
    """An edited file may pass, but is not a repetition: the receipt describes another text."""
    project.replace(KERNEL, "x[i] * factor", "factor * x[i]")
    status, said = project.verify("--repeat", RAN)
    assert status == 1
    assert f"edited since: {KERNEL}" in said


def test_a_run_that_fails_now(project):
    """The end of a failing run's output is printed."""
    project.replace(KERNEL, "x[i] * factor", "x[i] + factor")
    status, said = project.verify("--repeat", RAN)
    assert status == 1
    assert "did not pass now" in said
    assert "AssertionError" in said


def test_a_library_that_is_kept(project):
    """A cached library is compiled again: the contents of the build folder prove nothing."""
    library = project.file("build/examples/scale_cpu.so")
    library.write_text("no library")
    status, said = project.verify("--repeat", COMPILED)
    assert status == 0, said
    assert library.read_bytes().startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("name", "field", "value", "told"),
    [
        (RAN, "ran", {KERNEL: ["0-99"]}, f"lines of {KERNEL} that ran then did not run now"),
        (RAN, "said", {"a test": "45 passed in 1.0s"}, "45 tests passed then, 1 now"),
        (RAN, "lines", {KERNEL: ["1-2"]}, f"the compiler saw other lines of {KERNEL} then"),
        (RAN, "targets", ["sm_80"], "device code was for sm_80, now for "),
        (PAGE, "doctests", {"0": ["7"]}, "1 doctest examples that passed then did not pass now"),
    ],
)
def test_a_receipt_that_records_more(project, name, field, value, told):
    """Recorded results that no longer occur are reported, even if no file has changed."""
    path = project.file(f"build/receipts/{name}")
    path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
    status, said = project.verify("--repeat", str(path))
    assert status == 1
    assert told in said


def test_a_test_that_is_left_out(project):
    """A skipped test's reason is printed, and nothing is reported as failed."""
    test = "tests/snippets/test_shown_files.py"
    project.replace(test, "    done =", '    import pytest\n    pytest.skip("no hall")\n    done =')
    status, said = project.verify("--repeat", SHOWN)
    assert status == 1
    assert "left out: no hall" in said
    assert "not repeated: nothing ran it" in said


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"level": "ran on GPU", "machine": {"gpu": "H200"}}, "a machine with H200, found no GPU"),
        ({"level": "ran under emulation"}, "nox -s emulate"),
        ({"level": "ran"}, "expected a known level, got 'ran'"),
        ({"subject": "etc/passwd"}, "a page or a test of this tree, got 'etc/passwd'"),
        ({"subject": "../../etc/passwd"}, "files below the root, got '../../etc/passwd'"),
        ({"ran": {KERNEL: ["0-999999999"]}}, "ranges of at most 1000000 lines, got 1"),
        ({"said": {"a test": "x" * (1 << 24)}}, "expected at most 16777216 bytes, got more"),
        ({"subject": "a by tests/gone.py"}, "of this tree, got 'a by tests/gone.py'"),
        ({"subject": None}, "subject: expected str, got NoneType"),
        ({"machine": {"gpu": 1}}, "expected strings, got int"),
        ({"ran": {KERNEL: ["x"]}}, "expected ranges such as 3-7, got 'x'"),
        ({"closure": {}}, "closure: expected "),
        ({"unknown": 1}, "expected no field 'unknown'"),
    ],
)
def test_what_cannot_be_repeated_here(project, change, told):
    """Unknown levels or subjects, and malformed receipts, cannot be repeated."""
    path = project.file("taken.json")
    given = json.loads(project.file(f"build/receipts/{RAN}").read_text())
    path.write_text(json.dumps(given | change))
    status, said = project.verify("--repeat", "taken.json")
    assert status == 1
    assert told in said
    assert "Traceback" not in said


@pytest.mark.parametrize("text", ["[]", "{}", "no JSON", "[" * 100_000])
def test_a_file_that_is_no_receipt(text, tmp_path):
    """A file that is not a receipt is refused with a clear message."""
    (tmp_path / "taken.json").write_text(text)
    with pytest.raises(ValueError, match=r"^receipt: expected a receipt in "):
        find_receipt(str(tmp_path / "taken.json"), Layout.of(tmp_path))


@pytest.mark.parametrize("name", ["absent.json", ""])
def test_a_name_that_no_receipt_has(project, name):
    """The message lists the searched folders, and nothing else is run."""
    status, said = project.verify("--repeat", name)
    assert status == 1
    assert "receipt: expected the name of a file in one of" in said
