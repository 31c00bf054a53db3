# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Tests that declare which files they run, and which output they capture."""

import json
from types import SimpleNamespace

import pytest
from _verify.receipts import COMPILED, RAN_ON_CPU, RAN_ON_GPU, Receipt
from _verify.snippets import as_compiled, proved_files

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
TEST = "tests/snippets/test_shown_files.py"


def test_receipt_of_a_shown_file_holds_its_test(pristine):
    """The script stays verified until it or a file that its test read changes."""
    (path,) = pristine.file("build/receipts").glob("docs.greet.sh*")
    receipt = json.loads(path.read_text())
    assert receipt["verifies"] == ["docs/greet.sh"]
    read = ["docs/greet.sh", "docs/greeting.txt", "docs/numbers.py"]
    assert sorted(receipt["closure"]) == [*read, TEST, "the runtime"]


def test_failing_test_takes_its_files_off_the_pages(project):
    """The page that shows the script is named with the reason."""
    project.replace("docs/greet.sh", "echo hello", "exit 1")
    assert project.verify()[0] != 0
    status, output = project.site()
    assert status != 0
    assert f"docs/notes.md:8: docs/greet.sh: failed: {TEST}" in output


def test_captured_text_that_differs_fails(project):
    """A page's output must match the run; UPDATE_CAPTURES=1 rewrites it."""
    project.replace("docs/greet.sh", "echo hello", "echo good day")
    status, output = project.verify()
    assert status != 0
    assert "+good day" in output
    assert "UPDATE_CAPTURES=1" in output
    status, output = project.verify(UPDATE_CAPTURES="1")
    assert status == 0, output
    assert project.file("docs/greeting.txt").read_text() == "good day\n"
    assert project.verify()[0] == 0


def test_skipped_case_takes_nothing_from_the_cases_that_ran(project):
    """The script is verified by the case that ran; the other is listed with its reason."""
    project.replace(TEST, "import subprocess", "import pytest\nimport subprocess")
    project.replace(
        TEST, "def test_greeting", '@pytest.mark.parametrize("hall", [0, 1])\ndef test_greeting'
    )
    project.replace(TEST, "(shows, captured)", "(shows, captured, hall)")
    project.replace(TEST, "    done =", '    if hall:\n        pytest.skip("no hall")\n    done =')
    status, output = project.build()
    assert status == 0, output
    assert "no hall" in output
    assert not project.file("build/partial.txt").exists()


@pytest.mark.parametrize("before", ["    script =", "    done ="])
def test_test_that_was_skipped_whole_makes_the_site_partial(project, before):
    """The file is shown as not run, with the reason, whether declared before the skip or not."""
    skip = f'    import pytest\n    pytest.skip("no hall")\n{before}'
    project.replace(TEST, before, skip)
    status, output = project.build()
    assert status == 0, output
    line = "docs/notes.md:8: docs/greet.sh: not run here: no hall"
    assert line in project.file("build/partial.txt").read_text().splitlines()
    page = project.file("build/site/notes.html").read_text()
    assert "Not run on the machine that built this site" in page
    assert line in page
    status, output = project.verify("--table")
    assert "snippets verified = 9 of 11 shown" in output
    assert line in output


NEVER = """
#ifdef NEVER
// [never.begin]
int n;
// [never.end]
#endif
"""
SHOWN_NEVER = f"""
.. literalinclude:: ../{KERNEL}
   :region: never
"""
SKIPPED = f"""

def test_skipped(shows):
    import pytest

    shows("{KERNEL}")
    pytest.skip("no hall")
"""


def test_skip_does_not_hide_another_problem(project):
    """A region that no compiler saw remains a problem, even if a test of its file is skipped."""
    project.append(KERNEL, NEVER)
    project.append("docs/index.rst", SHOWN_NEVER)
    project.append(TEST, SKIPPED)
    status, output = project.build()
    assert status != 0
    assert "its conditionals hide it" in output


def test_expected_failure_proves_nothing(project):
    """An expected failure is not a skip either, so the site cannot be built."""
    project.replace(TEST, "def test_page_of", "@__import__('pytest').mark.xfail\ndef test_page_of")
    project.append(TEST, "    assert 1 == 2\n")
    assert project.verify()[0] == 0
    assert "docs/numbers.py: nothing ran it" in project.site()[1]


def test_list_of_a_partial_site_is_gone_when_the_next_build_begins(project):
    """The list is deleted even if the next build fails."""
    project.replace(TEST, "    script =", '    import pytest\n    pytest.skip("no")\n    script =')
    assert project.build()[0] == 0
    assert project.file("build/partial.txt").exists()
    project.append("docs/index.rst", "\n>>> 1 + 1\n3\n")
    assert project.build()[0] != 0
    assert not project.file("build/partial.txt").exists()


def test_file_that_is_not_there_cannot_be_shown(project):
    """A declaration must name a file of the repository."""
    project.replace(TEST, '"docs/greet.sh"', '"docs/absent.sh"')
    status, output = project.verify()
    assert status != 0
    assert "shows: path: expected a file of the repository" in output


def test_cuda_source_without_a_gpu_was_compiled():
    """A CPU test proves that nvcc compiled device code, and nothing without nvcc."""
    tools = SimpleNamespace(compilers={"nvcc": "13.0"})
    ran = Receipt("a", RAN_ON_CPU, ["k.cc", "k.cu"], {"k.cc": "1", "k.cu": "2"})
    (found,) = as_compiled(ran, "k.cu", "cpu", tools)
    assert (found.level, found.verifies, found.tools) == (COMPILED, ["k.cu"], {"nvcc": "13.0"})
    assert as_compiled(ran, "k.cc", "cpu", tools) == [ran]
    assert as_compiled(ran, "k.cu", "cpu", SimpleNamespace(compilers={})) == []
    on_gpu = Receipt("a", RAN_ON_GPU, ["k.cu"], {"k.cu": "2"})
    assert as_compiled(on_gpu, "k.cu", "cuda", tools) == [on_gpu]


CHILDREN = """

@pytest.mark.parametrize("program", ["docs/child.py", "docs/child.sh"])
def test_child(shows, program):
    shows("docs/child.py"), shows("docs/child.sh")
    command = [sys.executable] if program.endswith("py") else ["bash"]
    subprocess.run([*command, program], check=True)
"""


@pytest.mark.parametrize("name", ["docs/beside.py", "tests/snippets/called.sh"])
def test_edit_of_what_a_child_process_ran(project, name):
    """A program's imports and the scripts it calls are dependencies, even if no test names them."""
    project.file("docs/beside.py").write_text("VALUE = 1\n")
    project.file("docs/child.py").write_text("import beside\n\nprint(beside.VALUE)\n")
    project.file("tests/snippets/called.sh").write_text("echo 1\n")
    project.file("docs/child.sh").write_text("cd tests/snippets\nbash called.sh\n")
    project.replace(TEST, "import subprocess\n", "import subprocess\nimport sys\n\nimport pytest\n")
    project.append(TEST, CHILDREN)
    for program in ("child.py", "child.sh"):
        project.replace(
            "docs/index.rst", "Its check", f".. literalinclude:: {program}\n\nIts check"
        )
    status, output = project.build()
    assert status == 0, output
    project.replace(name, "1", "2")
    status, output = project.site()
    assert status != 0, output
    assert f"edited since its run ({name} changed)" in output, output


def test_cuda_source_beside_what_ran_on_the_cpu():
    """A script that builds CUDA code proves that it compiles, not that a CPU ran it."""
    records = [{"closure": {"a.sh": "", "b.cc": "", "c.cu": ""}}]
    assert proved_files("a.sh", records, "cpu") == ["a.sh", "b.cc"]
    assert proved_files("c.cu", records, "cpu") == ["a.sh", "b.cc", "c.cu"]
    assert proved_files("a.sh", records, "cuda") == ["a.sh", "b.cc", "c.cu"]
