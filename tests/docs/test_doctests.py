# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""How doctests of pages and docstrings are run, skipped and judged."""

import json

import pytest
from _verify.closure import RUNTIME
from _verify.doctest_digest import block_digests

PAGE = "docs/index.rst"
SKIP = "\n.. skip: next{condition}\n\n>>> ctypes.c_int(3).value\n3\n"
GPU_RUN = {
    "level": "ran on GPU",
    "machine": {"gpu": "NVIDIA H200"},
    "runtime": {"commit": "0123", "modified": "no"},
}


def test_skip_with_a_reason_is_listed(project):
    """A skip appears in the table with its reason, and the rest of the page still runs."""
    project.append(PAGE, SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")'))
    status, output = project.verify()
    assert status == 0, output
    assert "1 doctest example(s): needs a GPU" in output


def test_doctest_that_is_skipped_everywhere_makes_the_site_partial(project):
    """A doctest that nothing verified is reported on its page and in the list."""
    project.append(PAGE, SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")'))
    status, output = project.build()
    assert status == 0, output
    line = "docs/index.rst:36: doctest: not run here: needs a GPU"
    assert project.file("build/partial.txt").read_text() == f"{line}\n"
    assert line in project.file("build/site/index.html").read_text()


@pytest.mark.parametrize("name", ["jax", "paddle"])
def test_missing_framework_is_a_skip_with_its_reason(project, name):
    """Only the example that imports the framework, and those that use its names, are skipped."""
    (project.file("tools") / f"{name}.py").write_text(
        f"raise ModuleNotFoundError(\"No module named '{name}'\")"
    )
    project.append(
        PAGE, f"\n>>> import {name}\n>>> x = {name}.ones(3)\n\n>>> 2 + 2\n4\n\n>>> len(x)\n3\n"
    )
    status, output = project.build()
    assert status == 0, output
    said = "not run here: JAX is not" if name == "jax" else "not run here: PaddlePaddle is not"
    lines = project.file("build/partial.txt").read_text().splitlines()
    assert [line.split(" installed")[0] for line in lines] == [
        f"docs/index.rst:34: doctest: {said}",
        f"docs/index.rst:40: doctest: {said}",
    ]


EXPECTED_MISSING = """
>>> import jax
Traceback (most recent call last):
ModuleNotFoundError: No module named 'jax'
"""


@pytest.mark.parametrize(
    "text", ["\n>>> import numpy.nope\n", "\n>>> import toy; toy.broken()\n", EXPECTED_MISSING]
)
def test_failure_is_not_taken_for_a_missing_framework(project, text):
    """A missing submodule, our own import, and an expected error are not skips."""
    project.append("python/toy/__init__.py", "\n\ndef broken():\n    import torch.utils.dlpak\n")
    (project.file("tools") / "jax.py").write_text("1 / 0\n")
    project.append(PAGE, text)
    status, output = project.verify()
    assert status != 0
    assert f"FAILED {PAGE} (ran on CPU): the doctest in line" in output


def test_what_depends_on_a_skipped_doctest_is_not_run(project):
    """A dependent doctest would otherwise run with a value bound by an earlier example."""
    skip = SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")')
    text = skip.replace(">>> ctypes.c_int(3).value\n3", ">>> x = 2")
    project.append(PAGE, f"\n>>> x = 1\n{text}\n>>> x\n1\n")
    status, output = project.verify()
    assert status == 0, output
    assert "2 doctest example(s): needs a GPU" in output


@pytest.mark.parametrize("status", [0, 5])
def test_page_that_ends_its_process_fails(project, status):
    """A page that ends its process fails, even with 5, pytest's status if it found no tests."""
    project.append(PAGE, f"\n>>> import os; os._exit({status})\n")
    assert f"FAILED {PAGE} (ran on CPU): doctests: " in project.verify()[1]


def test_failed_doctest_leaves_the_rest_of_its_page_to_be_judged(project):
    """The failed example and its dependents are named by line; the others are verified."""
    text = "\n>>> x = 1 / 0\n\n>>> 2 + 2\n4\n\n>>> y = x + 1\n>>> y\n2\n\n>>> 3 + 3\n7\n"
    project.append(PAGE, text)
    status, output = project.verify()
    assert status != 0
    # Each is printed when it happens, and again at the end.
    failed = list(dict.fromkeys(line for line in output.splitlines() if line[:6] == "FAILED"))
    head = f"FAILED {PAGE} (ran on CPU): the doctest in line"
    assert failed == [
        f"{head} 34: it failed",
        f"{head} 39: it depends on the doctest in line 34, which failed",
        f"{head} 40: it depends on the doctest in line 34, which failed",
        f"{head} 43: it failed",
    ]
    status, output = project.site()
    assert status != 0
    lines = project.file("build/unverified.txt").read_text().splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{PAGE}:{n}" for n in (34, 39, 43)]


def test_doctest_that_ran_on_a_gpu_alone_may_be_shown(project):
    """A receipt from another machine counts: results are merged by union."""
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


def test_doctest_that_ran_on_a_gpu_with_an_earlier_runtime_says_so(project):
    """To be shown as verified, a doctest must run with this runtime, on any machine."""
    project.append(PAGE, SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")'))
    project.verify()
    (path,) = project.file("build/receipts").glob("docs.index.rst*")
    receipt = json.loads(path.read_text()) | GPU_RUN
    receipt["doctests"] |= {key: ["40"] for key in receipt["skipped"]}
    receipt["closure"][RUNTIME] = "older"
    target = project.file("docs/verification/index.json")
    target.parent.mkdir()
    target.write_text(json.dumps(receipt))
    status, output = project.site()
    assert status == 0, output
    shown = project.file("build/site/index.html").read_text()
    assert "ran on CPU · ran on GPU with an earlier runtime: NVIDIA H200" in shown
    assert "docs/index.rst:36: doctest: not run here: needs a GPU" in shown


FRAMES = """
>>> 1 / 0
Traceback (most recent call last):
  File "typed.py", line 7, in typed
  ...
ZeroDivisionError: division by zero
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SKIP.format(condition=""), "skipped without a reason"),
        ("\n>>> 1 + 1  # doctest: +SKIP\n3\n", "expected no doctest option (skip by Sybil's"),
        (FRAMES, 'expected "..." for the frames of a traceback, got File "typed.py", line 7'),
    ],
)
def test_skip_without_a_reason_fails(project, text, message):
    """A silent skip or an ignored comparison would count as verified."""
    project.append(PAGE, text)
    status, output = project.verify()
    assert status != 0
    assert f"FAILED {PAGE}" in output
    assert message in output


def test_crash_names_its_page(project):
    """A page that kills its process fails by itself, by name, with the signal."""
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
    """An edited kernel invalidates the pages that called it, and no others."""
    closures = {
        name: json.loads(path.read_text())["closure"]
        for path in pristine.file("build/receipts").glob("docs.*")
        for name in [path.name.split("--")[0]]
    }
    assert "examples/kernel_library/scale/scale_kernel.cc" in closures["docs.index.rst"]
    assert sorted(closures["docs.notes.md"]) == ["docs/notes.md", "the runtime"]


def test_docstrings_are_read_without_importing_their_file(project):
    """The package under test is always the installed one, never the sources beside it."""
    text = '"""One.\n\n>>> 1\n1\n"""\nraise RuntimeError("imported from the sources")\n'
    project.file("python/toy/other.py").write_text(text)
    package = project.file("python/toy/inner/__init__.py")
    package.parent.mkdir()
    package.write_text(text)
    status, output = project.verify()
    assert status == 0, output


def test_equal_examples_are_told_apart_by_their_order(project):
    """A skipped example is not verified by an identical one that ran elsewhere."""
    project.append(PAGE, "\n>>> ctypes.c_int(3).value\n3\n")
    project.append(PAGE, SKIP.format(condition=' if(device == "cpu", reason="needs a GPU")'))
    assert project.build()[0] == 0
    found = project.file("build/partial.txt").read_text().splitlines()
    assert found == ["docs/index.rst:39: doctest: not run here: needs a GPU"]


def test_failure_outweighs_a_gpu_run_that_passed(project):
    """A doctest that failed in this run is not shown, even if it passed on a GPU before."""
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
    """A page's block matches the example that ran, regardless of indentation."""
    plain = block_digests(">>> f(\n...     1)\n2\n>>> g()\n")
    indented = block_digests("    >>> f(\n    ...     1)\n    2\n    >>> g()")
    assert plain == indented
    assert len(plain) == 2
    assert block_digests(">>> f(\n...     1)\n3\n")[0] != plain[0]
