# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""With each tool hidden in turn, the site lists what was not run, or a command names the fix."""

import os
import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = "docs/index.rst"

# A test of the script with one program, and one that needs only bash.
WITH_A_PROGRAM = """
import shutil
import subprocess

import pytest


@pytest.mark.parametrize("program", ["bash", "{program}"])
def test_{name}(shows, program):
    subprocess.run(["bash", shows("docs/tools.sh")], check=True)
    if not shutil.which(program):
        pytest.skip(f"{{program}} is not installed")
"""
# The same if no other program can replace it.
NEEDS_A_PROGRAM = """
import shutil

import pytest


@pytest.mark.skipif(not shutil.which("{program}"), reason="{program} is not installed")
def test_{name}(shows):
    shows("docs/tools.sh")
"""
# The same for a module of the environment that runs the tests.
NEEDS_A_MODULE = """
import pytest


def test_{name}(shows):
    pytest.importorskip("{program}", reason="{program} is not installed")
    shows("docs/tools.sh")
"""
MISSING = "raise ModuleNotFoundError(\"No module named '{name}'\")\n"


def path_without(folder: Path, program: str) -> str:
    """Return a search path with every available program except one."""
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(os.pathsep)):
        for found in Path(place).glob("*") if Path(place).is_dir() else []:
            link = folder / found.name
            link.unlink(missing_ok=True)
            link.symlink_to(found)
    (folder / program).unlink(missing_ok=True)
    assert not shutil.which(program, path=str(folder))
    return str(folder)


def show_tools(project, test: str, program: str) -> None:
    """Make a page show a script that a new test runs."""
    project.file("docs/tools.sh").write_text("# SPDX-License-Identifier: Apache-2.0\ntrue\n")
    project.append("docs/notes.md", "\n```{literalinclude} tools.sh\n```\n")
    name = program.replace(".", "_")
    text = test.format(program=program, name=name)
    project.file(f"tests/snippets/test_{name}.py").write_text(text)


def test_compiler_that_is_hidden_leaves_the_other_one_s_proof(project, tmp_path):
    """Clang is one of two compilers for a file: the site is complete, and the skip is listed."""
    show_tools(project, WITH_A_PROGRAM, "clang")
    path = path_without(tmp_path / "bin", "clang")
    status, output = project.verify(PATH=path)
    assert status == 0, output
    assert "clang is not installed" in output
    status, output = project.site()
    assert status == 0, output
    assert not project.file("build/partial.txt").exists()


@pytest.mark.parametrize(
    ("program", "test"),
    [
        ("cuobjdump", NEEDS_A_PROGRAM),
        ("python3.12", NEEDS_A_PROGRAM),
        ("auditwheel", NEEDS_A_MODULE),
    ],
)
def test_program_that_nothing_replaces_leaves_a_partial_site(project, tmp_path, program, test):
    """The file's state names the missing cuobjdump, second Python or auditwheel."""
    show_tools(project, test, program)
    project.file(f"tools/{program}.py").write_text(MISSING.format(name=program))
    path = path_without(tmp_path / "bin", program)
    status, output = project.verify(PATH=path)
    assert status == 0, output
    status, output = project.site()
    assert status == 0, output
    said = f"docs/tools.sh: not run here: {program} is not installed"
    assert said in project.file("build/partial.txt").read_text()
    assert f"not run here: {program}" in project.file("build/site/notes.html").read_text()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("cupy", "CuPy"),
        ("jax", "JAX"),
        ("numpy", "NumPy"),
        ("paddle", "PaddlePaddle"),
        ("torch", "PyTorch"),
    ],
)
def test_framework_that_is_hidden_leaves_a_partial_site(project, module, name):
    """Only the doctest that imports the framework and those that use it are not run."""
    project.file(f"tools/{module}.py").write_text(MISSING.format(name=module))
    text = f"\n>>> import {module}\n\n>>> 2 + 2\n4\n\n>>> {module}.__name__\n'{module}'\n"
    project.append(PAGE, text)
    status, output = project.build()
    assert status == 0, output
    assert f"2 doctest example(s): {name} is not installed" in output
    lines = project.file("build/partial.txt").read_text().splitlines()
    said = f"doctest: not run here: {name} is not installed"
    assert lines == [f"{PAGE}:34: {said}", f"{PAGE}:39: {said}"]


def test_hidden_nvcc_stops_with_the_line_to_type(project, tmp_path):
    """Every machine compiles the CUDA sources, so a compiler for them is required."""
    (project.file("tools") / "nvcc").unlink()
    path = path_without(tmp_path / "bin", "nvcc")
    variables = {"PATH": path, "NVCC": "", "CUDA_HOME": "", "CUDA_PATH": ""}
    # The environment may have NVIDIA's wheels, which are found without a path.
    code = f"""import sys; sys.path.insert(0, {str(DOCS)!r})
from _verify import main, tools
tools.sysconfig.get_path = lambda _: "/nowhere"
sys.exit(main.main(["--root", "."]))"""
    status, output = project.run("-c", code, **variables)
    assert status != 0
    assert "nvcc was not found. Type: pip install nvidia-cuda-nvcc" in output
    assert "done: " not in output


def test_hidden_doxygen_stops_with_the_line_to_type(project, tmp_path):
    """The reference is generated from the headers, so the site needs it."""
    path = path_without(tmp_path / "bin", "doxygen")
    options = ["-q", "-W", "-n", "-c", ".", "docs", "build/site"]
    status, output = project.run("-m", "sphinx", *options, PATH=path)
    assert status != 0
    assert "doxygen was not found. Type: sudo apt-get install -y doxygen" in output
