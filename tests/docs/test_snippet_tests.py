# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Tests that say which files they ran, and what text they got."""

import json
from types import SimpleNamespace

from _verify.receipts import COMPILED, RAN_ON_CPU, RAN_ON_GPU, Receipt
from _verify.snippets import as_compiled

TEST = "tests/snippets/test_shown_files.py"


def test_receipt_of_a_shown_file_holds_its_test(pristine):
    """The script counts as verified while neither it nor its test changes."""
    (path,) = pristine.file("build/receipts").glob("docs.greet.sh*")
    receipt = json.loads(path.read_text())
    assert receipt["verifies"] == ["docs/greet.sh"]
    assert sorted(receipt["closure"]) == ["docs/greet.sh", TEST]


def test_failing_test_takes_its_files_off_the_pages(project):
    """The page that shows the script is named with the reason."""
    project.replace("docs/greet.sh", "echo hello", "exit 1")
    assert project.verify()[0] != 0
    status, output = project.site()
    assert status != 0
    assert f"docs/notes.md:8: docs/greet.sh: failed: {TEST}" in output


def test_captured_text_that_differs_fails(project):
    """Output on a page is what the run got; UPDATE_CAPTURES=1 writes it anew."""
    project.replace("docs/greet.sh", "echo hello", "echo good day")
    status, output = project.verify()
    assert status != 0
    assert "+good day" in output
    assert "UPDATE_CAPTURES=1" in output
    status, output = project.verify(UPDATE_CAPTURES="1")
    assert status == 0, output
    assert project.file("docs/greeting.txt").read_text() == "good day\n"
    assert project.verify()[0] == 0


def test_skipped_test_proves_nothing_and_is_listed(project):
    """The reason stands in the table."""
    project.replace(
        TEST, "    script =", '    import pytest\n    pytest.skip("no hall")\n    script ='
    )
    status, output = project.verify()
    assert status == 0, output
    assert "no hall" in output
    assert "docs/greet.sh: nothing ran it" in project.site()[1]


def test_file_that_is_not_there_cannot_be_shown(project):
    """A declaration names a file of the repository."""
    project.replace(TEST, '"docs/greet.sh"', '"docs/absent.sh"')
    status, output = project.verify()
    assert status != 0
    assert "shows: path: expected a file of the repository" in output


def test_cuda_source_without_a_gpu_was_compiled():
    """A test on the CPU proves of device code that nvcc took it, and nothing without nvcc."""
    tools = SimpleNamespace(compilers={"nvcc": "13.0"})
    ran = Receipt("a", RAN_ON_CPU, ["k.cc", "k.cu"], {"k.cc": "1", "k.cu": "2"})
    (found,) = as_compiled(ran, "k.cu", "cpu", tools)
    assert (found.level, found.verifies, found.tools) == (COMPILED, ["k.cu"], {"nvcc": "13.0"})
    assert as_compiled(ran, "k.cc", "cpu", tools) == [ran]
    assert as_compiled(ran, "k.cu", "cpu", SimpleNamespace(compilers={})) == []
    on_gpu = Receipt("a", RAN_ON_GPU, ["k.cu"], {"k.cu": "2"})
    assert as_compiled(on_gpu, "k.cu", "cuda", tools) == [on_gpu]
