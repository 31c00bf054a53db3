# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""How the doctests of pages and docstrings are run, skipped and judged."""

import json

import pytest
from _verify.doctest_digest import block_digests

PAGE = "docs/index.rst"
SKIP = "\n.. skip: next{condition}\n\n>>> ctypes.c_int(3).value\n3\n"
GPU_RUN = {
    "level": "ran on GPU",
    "machine": {"gpu": "NVIDIA H200"},
    "runtime": {"commit": "0123", "modified": "no"},
}


def test_skip_with_a_reason_is_listed(project):
    """A skip shows in the table with its reason, and the rest of the page still runs."""
    project.append(PAGE, SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")'))
    status, output = project.verify()
    assert status == 0, output
    assert "1 doctest example(s): needs a GPU" in output


def test_doctest_that_is_skipped_everywhere_may_not_be_shown(project):
    """Nothing verified it, whatever the reason."""
    project.append(PAGE, SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")'))
    project.verify()
    status, output = project.site()
    assert status != 0
    assert "skipped wherever it could run: needs a GPU" in output


def test_doctest_that_ran_on_a_gpu_alone_may_be_shown(project):
    """A receipt of another machine counts: results merge by union."""
    project.append(PAGE, SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")'))
    project.verify()
    (path,) = project.file("build/receipts").glob("docs.index.rst*")
    receipt = json.loads(path.read_text())
    receipt |= GPU_RUN
    receipt["doctests"] |= {key: ["40"] for key in receipt["skipped"]}
    target = project.file("docs/verification/index.json")
    target.parent.mkdir()
    target.write_text(json.dumps(receipt))
    status, output = project.site()
    assert status == 0, output
    assert "ran on GPU: NVIDIA H200" in project.file("build/site/index.html").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SKIP.format(condition=""), "skipped without a reason"),
        ("\n>>> 1 + 1  # doctest: +SKIP\n3\n", "expected no doctest option (skip by Sybil's"),
    ],
)
def test_skip_without_a_reason_fails(project, text, message):
    """What is left out silently would count as verified."""
    project.append(PAGE, text)
    status, output = project.verify()
    assert status != 0
    assert f"FAILED {PAGE}" in output
    assert message in output


def test_crash_names_its_page(project):
    """A page that kills its process fails alone, by name, with the signal."""
    project.append(PAGE, "\n>>> ctypes.string_at(0)\nb''\n")
    status, output = project.verify()
    assert status != 0
    assert f"FAILED {PAGE} (ran on CPU): doctests: crashed: SIGSEGV" in output
    assert "FAILED docs/notes.md" not in output


def test_missing_gpu_fails_where_one_is_required(project):
    """REQUIRE_CUDA=1 turns the skip into a failure."""
    status, output = project.verify(REQUIRE_CUDA="1")
    assert status != 0
    assert "a GPU was required, but PyTorch found none to use" in output


def test_page_receipt_holds_the_sources_of_the_libraries_it_loaded(pristine):
    """An edited kernel takes away the proof of the pages that called it, and of no others."""
    closures = {
        name: json.loads(path.read_text())["closure"]
        for path in pristine.file("build/receipts").glob("docs.*")
        for name in [path.name.split("--")[0]]
    }
    assert "examples/kernel_library/scale/scale_kernel.cc" in closures["docs.index.rst"]
    assert list(closures["docs.notes.md"]) == ["docs/notes.md"]


def test_docstrings_are_read_without_importing_their_file(project):
    """The package under test is the one installed, never the sources beside it."""
    text = '"""One.\n\n>>> 1\n1\n"""\nraise RuntimeError("imported from the sources")\n'
    project.file("python/toy/other.py").write_text(text)
    package = project.file("python/toy/inner/__init__.py")
    package.parent.mkdir()
    package.write_text(text)
    status, output = project.verify()
    assert status == 0, output


def test_equal_examples_are_told_apart_by_their_order(project):
    """One that was skipped is not shown because the same text ran in another place."""
    project.append(PAGE, "\n>>> ctypes.c_int(3).value\n3\n")
    project.append(PAGE, SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")'))
    assert project.verify()[0] == 0
    for _ in range(2):
        status, output = project.site()
        assert status != 0
        assert output.count("skipped wherever it could run: needs a GPU") == 1
        assert "docs/index.rst:39: doctest" in output


def test_failure_outweighs_a_gpu_run_that_passed(project):
    """A doctest that failed in this run is not shown, whatever passed on a GPU before."""
    (path,) = project.file("build/receipts").glob("docs.notes.md*")
    receipt = json.loads(path.read_text())
    receipt |= GPU_RUN
    project.file("docs/verification").mkdir()
    project.file("docs/verification/notes.json").write_text(json.dumps(receipt))
    failure = {"subject": "docs/notes.md", "level": "ran on CPU", "files": ["docs/notes.md"]}
    project.file("build/failures.json").write_text(json.dumps([failure | {"reason": "2 is not 3"}]))
    status, output = project.site()
    assert status != 0
    assert "doctest: a doctest that no run passed: 2 is not 3" in output


def test_digest_ignores_indentation():
    """A page's block is found among what was run, however it was indented."""
    plain = block_digests(">>> f(\n...     1)\n2\n>>> g()\n")
    indented = block_digests("    >>> f(\n    ...     1)\n    2\n    >>> g()")
    assert plain == indented
    assert len(plain) == 2
    assert block_digests(">>> f(\n...     1)\n3\n")[0] != plain[0]
