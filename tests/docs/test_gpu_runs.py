# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A machine with a GPU adds its receipts to the repository. The GPU of these tests is simulated."""

import json
import shutil
import time
from pathlib import Path

import pytest
from _verify.doctest_digest import page_digest

VERIFY = Path(__file__).resolve().parents[2] / "docs" / "verify.py"
# Appended to a test, to wait until a file exists.
WAITS = """

def test_waits():
    import os, pathlib, time
    while not pathlib.Path(os.environ["GATE"]).exists():
        time.sleep(0.05)
"""
WITHOUT_SYBIL = """import importlib.metadata as metadata
version = metadata.version
def version_without_sybil(name):
    if name == "sybil":
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = version_without_sybil
"""
SOURCE = "examples/kernel_library/scale/scale_kernel.cu"


@pytest.fixture
def seen(project):
    """The project after a run on a GPU, followed by one without."""
    status, output = project.verify(TOY_GPU="GPU", REQUIRE_CUDA="1")
    assert status == 0, output
    assert "Toy GPU 0, " in output
    assert project.verify()[0] == 0
    return project


def receipts(project):
    """Return the receipts kept in the repository, by subject."""
    folder = project.file("docs/verification")
    read = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    return {receipt["subject"]: receipt for receipt in read}


def test_receipts_of_a_gpu_are_kept_and_those_of_a_cpu_are_not(seen):
    """Only receipts that a run without a GPU could not reproduce are written to the repository."""
    kept = receipts(seen)
    assert {receipt["level"] for receipt in kept.values()} == {"ran on GPU"}
    assert {receipt["machine"]["gpu"] for receipt in kept.values()} == {"Toy GPU 0"}
    assert {SOURCE, "docs/index.rst"} <= set(kept)


def test_doctests_that_use_no_gpu_get_no_mark(seen):
    """A page that does not use the device is not run, nor are examples before the first library."""
    kept = receipts(seen)
    assert not {"docs/notes.md", "python/toy/__init__.py"} & set(kept)
    assert sorted(kept["docs/index.rst"]["doctests"].values()) == [[""], ["25"]]


def test_runs_of_another_gpu_are_kept(seen):
    """Each GPU replaces only its own receipts, and the pages name both."""
    status, output = seen.verify("--device", "cuda", TOY_GPU="Other")
    assert status == 0, output
    names = [path.name for path in seen.file("docs/verification").glob("*scale_kernel.cu*")]
    assert sorted(name.split("--")[-1] for name in names) == ["Toy-GPU-0.json", "Toy-Other-0.json"]
    assert "Toy GPU 0, " in output
    assert "Toy Other 0, " in output


def test_snippet_tests_without_a_device_do_not_run_on_the_gpu(seen):
    """A script that uses no device proves nothing about one."""
    subjects = [subject for subject in receipts(seen) if " by " in subject]
    assert subjects == ["docs/numbers.py by tests/snippets/test_shown_files.py"]


def test_gpu_is_shown_on_the_pages(seen):
    """The line under the code names the GPU and the date, until the source is edited."""
    assert seen.site()[0] == 0
    page = seen.file("build/site/notes.html")
    assert "ran on GPU: Toy GPU 0, 2" in page.read_text()
    seen.append(SOURCE, "// A comment.\n")
    assert seen.build()[0] == 0
    assert "ran on GPU: Toy GPU 0, 2" in page.read_text()
    seen.append(SOURCE, "int changed;\n")
    assert seen.verify()[0] == 0
    assert seen.site("-E")[0] == 0
    assert "compiled by nvcc 0.1</a>" in page.read_text()
    assert "not yet" in seen.file("build/site/verification.html").read_text()


def test_marks_of_doctests_outlive_edits_of_the_text_around_them(seen):
    """Only editing the examples or their dependencies removes the GPU's mark."""
    page, marked = "docs/index.rst", "ran on GPU: Toy GPU 0, 2"

    def marks():
        assert seen.verify()[0] == 0
        assert seen.site("-E")[0] == 0
        return seen.file("build/site/index.html").read_text().count(marked)

    before = marks()
    assert before
    seen.replace(page, "\n.. toctree::", "\nMore words.\n\n.. toctree::")
    assert marks() == before
    seen.replace(page, "\n.. toctree::", "\n>>> 1 + 1\n2\n\n.. toctree::")
    assert marks() < before


def test_what_counts_of_a_page():
    """The digest covers the examples, their order and spaces, and skip directives."""
    page = "Words.\n\n>>> f()\n 1\n>>> g()\n"
    known = page_digest("a.rst", page)
    assert known == page_digest("a.rst", f"More.\n\n{page}\nEnd.\n")
    for other in (
        page.replace(" 1", "  1"),
        page.replace("f()", "f(0)"),
        page + ">>> f()\n",
        "Words.\n\n>>> g()\n>>> f()\n 1\n",
        page.replace(">>> g", '.. skip: next "why"\n\n>>> g'),
    ):
        assert page_digest("a.rst", other) not in ("", known), other
    assert page_digest("a.rst", ">>>x\n") == page_digest("a.md", page) == ""


def test_a_doctest_that_fails_on_the_gpu_gets_no_mark(project):
    """A doctest with a line that did not run gets no mark either; other doctests keep theirs."""
    example = "\n>>> def unused():\n...     return 1\n>>> device[:1]\n'c'\n"
    project.replace("docs/index.rst", "\n.. toctree::", f"{example}\n.. toctree::")
    status, _ = project.verify(TOY_GPU="GPU")
    assert status != 0
    kept = receipts(project)["docs/index.rst"]["doctests"]
    assert sorted(kept.values()) == [[""], [""], ["25"], ["30"]]


def test_lines_of_gradients_are_followed_on_a_gpu(project):
    """PyTorch must compute gradients in the doctest's thread, the only one that is traced."""
    example = "\n>>> import torch\n>>> torch.autograd.multithreading == (device == 'cpu')\nTrue\n"
    project.replace("docs/index.rst", "\n.. toctree::", f"{example}\n.. toctree::")
    status, output = project.verify(TOY_GPU="GPU", REQUIRE_CUDA="1")
    assert status == 0, output


def test_wrong_result_on_the_gpu_alone_fails(project):
    """Each device is judged separately: passing on the CPU is no excuse."""
    project.replace(SOURCE, "factor * x[i]", "factor + x[i]")
    status, output = project.verify(TOY_GPU="GPU")
    assert status != 0
    assert f"FAILED {SOURCE} (ran on GPU)" in output
    assert "docs/notes.md:5" in project.site()[1]


def test_only_the_gpu_when_asked_for(project):
    """--device cuda runs nothing on the CPU; --device cpu lists the GPU as left out."""
    project.file("examples/kernel_library/scale/notes.txt").write_text("for the CPU")
    status, output = project.verify("--device", "cuda", TOY_GPU="GPU")
    assert status == 0, output
    assert list(project.file("build/receipts").glob("*ran-on-CPU*")) == []
    project.file("examples/kernel_library/scale/notes.txt").unlink()
    status, output = project.verify("--device", "cpu", TOY_GPU="GPU")
    assert status == 0, output
    assert "only the CPU was asked for" in output


def test_a_killed_run_keeps_what_it_has(project):
    """Each GPU receipt is written when its task ends, and none is partial."""
    project.append("tests/examples/test_scale.py", WAITS)
    options = ("--root", ".", "--device", "cuda", "--jobs", "4")
    with project.start(str(VERIFY), *options, TOY_GPU="GPU", GATE=str(project.file("gate"))) as run:
        while run.poll() is None and len(receipts(project)) < 2:
            time.sleep(0.05)
        run.kill()
        project.file("gate").touch()
        run.communicate()
    assert {"docs/index.rst", "docs/numbers.py by tests/snippets/test_shown_files.py"} == set(
        receipts(project)
    )


def test_a_commit_is_named_where_there_is_no_repository(project):
    """A copy of the tree has no repository, but its receipts must name a commit."""
    shutil.rmtree(project.file(".git"))
    for named, expected in (
        ("", {}),
        ("0123", {"commit": "0123", "modified": "no"}),
        ("0123-modified", {"commit": "0123", "modified": "yes"}),
    ):
        options = ["--all", "--device", "cuda"]
        status, output = project.verify(*options, TOY_GPU="GPU", RUNTIME_COMMIT=named)
        assert status == 0, output
        assert all(each["runtime"] == expected for each in receipts(project).values())


def test_doctests_are_left_out_without_sybil(project):
    """The examples and the snippet tests still run, and the reason is printed."""
    project.file("tools/sitecustomize.py").write_text(WITHOUT_SYBIL)
    status, output = project.verify("--device", "cuda", TOY_GPU="GPU")
    assert status == 0, output
    assert "left out: every doctest (ran on GPU): Sybil is not installed\n" in output
    assert SOURCE in receipts(project)
    assert "docs/index.rst" not in receipts(project)


def test_an_error_of_the_runner_stops_no_other_task(project):
    """The affected task fails; the others' receipts are written."""
    project.file("tests/snippets/test_latin.py").write_bytes(b"# \xe9\n")
    status, output = project.verify("--device", "cuda", TOY_GPU="GPU")
    assert status == 1
    failed = "FAILED tests/snippets/test_latin.py on cuda (ran on GPU): the runner failed: Unicode"
    assert failed in output
    assert SOURCE in receipts(project)


def test_compile_only(project):
    """The libraries are built, failures are printed, and no record changes."""
    before = {path: path.read_text() for path in project.file("build").glob("**/*.json")}
    project.file("build/examples/scale_cuda.so").unlink()
    status, output = project.verify("--compile-only")
    assert status == 0, output
    assert project.file("build/examples/scale_cuda.so").exists()
    project.append(SOURCE, "#error broken\n")
    status, output = project.verify("--compile-only")
    assert status == 1
    assert f"FAILED {SOURCE} (compiled)" in output
    after = {path: path.read_text() for path in project.file("build").glob("*.json")}
    assert after == {path: before[path] for path in after}
