# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R8
"""What the page on tvm-ffi-stubgen shows: from a library to typed calls, and to a check in CI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "snippets" / "stubgen"
TEST = "tests/snippets/test_stubgen.py"
EXAMPLE = ROOT / "examples" / "kernel_library" / "library"
WRAPPERS = "examples/kernel_library/library/python/vector_kernels/__init__.py"


def run_in(folder, path, status=0):
    """Run a script or program that finds the library and the package in a folder."""
    paths = [str(folder), str(folder / "python"), os.environ.get("PYTHONPATH", "")]
    outer = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    program = "bash" if path.suffix == ".sh" else sys.executable
    done = subprocess.run(
        [program, path],
        cwd=folder,
        env={**outer, "LD_LIBRARY_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def runs(shows, project):
    """Give a function that shows a script or program of the page and runs it in the project."""

    def run(name, status=0):
        path = shows(f"tests/snippets/stubgen/{name}", TEST, "tests/snippets/stubgen/my_kernels.cc")
        return run_in(project, path, status)

    return run


@pytest.fixture
def project(tmp_path):
    """A folder with the source of the library."""
    shutil.copy(HERE / "my_kernels.cc", tmp_path)
    return tmp_path


def mypy(folder, *arguments):
    """Check strictly; give what the type checker says."""
    pytest.importorskip("mypy", reason="the type checker is not installed")
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *arguments],
        cwd=folder,
        env={**os.environ, "MYPYPATH": "python", "COLUMNS": "100", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def test_from_a_library_to_typed_calls(shows, runs, captured, project):
    """The package is made, called and checked; a wrong call is found before it runs."""
    shows("tests/snippets/stubgen/my_kernels.cc", "tests/snippets/stubgen/start.sh", TEST)
    runs("start.sh")
    made = sorted(path.relative_to(project).as_posix() for path in project.rglob("*.py"))
    assert made == ["python/my_kernels/__init__.py", "python/my_kernels/_ffi_api.py"]
    module = (project / "python" / "my_kernels" / "_ffi_api.py").read_text()
    captured("tests/snippets/captured/stubgen/ffi_api.txt", module)
    shell = "$ LD_LIBRARY_PATH=. PYTHONPATH=python python use.py\n"
    captured("tests/snippets/captured/stubgen/use.txt", shell + runs("use.py"))
    shutil.copy(HERE / "use.py", project)
    assert mypy(project, "use.py") == "Success: no issues found in 1 source file\n"
    wrong = "".join((HERE / "wrong.py").read_text().partition("from ")[1:])
    (project / "wrong.py").write_text(wrong)
    shown = f"$ cat wrong.py\n{wrong}$ MYPYPATH=python mypy --strict wrong.py\n"
    said = shown + mypy(project, "wrong.py")
    captured("tests/snippets/captured/stubgen/wrong.txt", said)


def test_hand_written_parts_and_the_check(shows, runs, captured, project):
    """The check passes, fails after a change, and passes once the blocks are filled again."""
    runs("start.sh")
    file = project / "python" / "my_kernels" / "_ffi_api.py"
    shutil.copy(HERE / "by_hand.py", file)
    runs("check.sh")
    shows("tests/snippets/stubgen/by_hand.py", "tests/snippets/stubgen/check.sh", TEST)
    runs("by_hand.py")
    right = file.read_text()
    file.write_text(right.replace("_1: int, /) -> Seq", "_1: str, /) -> Seq"))
    stale = file.read_text()
    assert stale != right
    said = runs("check.sh", status=1)
    assert "[Stale]" in said
    assert file.read_text() == stale
    runs("update.sh")
    assert file.read_text() == right
    runs("check.sh")


def test_the_check_shows_what_would_change(captured, project):
    """Before the exit status 1 it prints the difference."""
    run_in(project, HERE / "start.sh")
    file = project / "python" / "my_kernels" / "_ffi_api.py"
    file.write_text(file.read_text().replace("_1: int, /) -> Seq", "_1: str, /) -> Seq"))
    said = run_in(project, HERE / "check.sh", status=1)
    command = "tvm-ffi-stubgen python --dlls ./libmy_kernels.so --check"
    captured("tests/snippets/captured/stubgen/stale.txt", f"$ {command}\n{said}$ echo $?\n1\n")


def test_the_example_library_is_up_to_date(shows, runs, libraries, project):
    """The committed wrappers are what the command writes, and it writes them anew."""
    shutil.copytree(EXAMPLE, project / "library")
    shutil.copy(libraries / "library_cpu.so", project)
    file = project / "library" / "python" / "vector_kernels" / "__init__.py"
    right = file.read_text()
    command = ["tvm-ffi-stubgen", "library/python", "--dlls", "./library_cpu.so", "--check"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    stale = right.replace("def axpy(a: float, x", "def axpy(a: int, x")
    assert stale != right
    file.write_text(stale)
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "\n+def axpy(a: float, x: Tensor, y: Tensor) -> None:\n" in done.stdout
    runs("library.sh")
    assert file.read_text() == right
