# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""What the page about GPU architectures says of nvcc and of the examples' libraries."""

import re
import runpy
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from _verify.tools import answer, find_nvcc

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "kernel_library"
CODE = {"sm_80", "sm_89", "sm_90", "sm_100", "sm_120"}
PTX = {"sm_100"}  # as cuobjdump names it
# What an example is built for besides: gemm's kernels for tensor cores.
MORE = {"gemm": ({"sm_90a"}, {"sm_80"})}


@pytest.fixture
def nvcc(monkeypatch):
    """The environment has an nvcc of CUDA 13, in which sm_110 has this name."""
    found = find_nvcc()
    if not found:
        pytest.skip("no nvcc is installed")
    release = re.search(r"release (\d+)", answer(found["NVCC"], "--version"))
    if int(release[1]) < 13:
        pytest.skip("sm_110 has another name before CUDA 13")
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    return found["NVCC"]


def test_what_nvcc_accepts(nvcc, shows):
    """PTX is for later architectures too; that of a suffix is for one of them, or for a family."""
    script = "tests/snippets/architectures.py"
    runpy.run_path(str(shows(script, "tests/snippets/test_architectures.py")))


def test_unknown_architecture(nvcc, tmp_path):
    """An architecture that the toolkit lacks is named by its error."""
    (tmp_path / "one.cu").write_text("__global__ void one(float* y) { *y = 1; }\n")
    command = [nvcc, "-cubin", "-gencode=arch=compute_52,code=sm_52", "one.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Unsupported gpu architecture 'compute_52'" in done.stderr


def targets_of(script):
    """The architectures that a build script makes machine code for, and those of its PTX."""
    targets = re.findall(r"code=\[?(\S+?)\]?(?=[\s\\]|$)", script)
    names = {name for target in targets for name in target.split(",")}
    ptx = {name.replace("compute_", "sm_") for name in names if name.startswith("compute_")}
    return {name for name in names if name.startswith("sm_")}, ptx


@pytest.mark.parametrize(
    "script", sorted(EXAMPLES.glob("*/build_cuda.sh")), ids=lambda path: path.parent.name
)
def test_scripts(script):
    """Every example is built for the same architectures, and for no others without need."""
    code, ptx = MORE.get(script.parent.name, (set(), set()))
    assert targets_of(script.read_text()) == (CODE | code, PTX | ptx)


def test_cmake():
    """The CMake file of the example project names the same."""
    text = (EXAMPLES / "library" / "CMakeLists.txt").read_text()
    [names] = re.findall(r"set\(CMAKE_CUDA_ARCHITECTURES ([^)]*)\)", text)
    words = names.split()
    assert {f"sm_{word.removesuffix('-real')}" for word in words} == CODE
    assert {f"sm_{word}" for word in words if word.isdigit()} == PTX


@pytest.fixture
def cuobjdump():
    """The program of that name: that of the PyPI wheel, or a toolkit's."""
    wheel = Path(sysconfig.get_path("platlib")) / "nvidia" / "cu13" / "bin" / "cuobjdump"
    found = shutil.which(wheel) or shutil.which("cuobjdump")
    if not found:
        pytest.skip("cuobjdump is not installed")
    return found


def test_finished_library(libraries, cuobjdump):
    """The program cuobjdump lists the architectures of a library's machine code and of its PTX."""
    library = libraries / "scale_cuda.so"
    if not library.exists():
        pytest.skip("the libraries for CUDA are not built")

    def listed(kind):
        command = [cuobjdump, f"--list-{kind}", library]
        lines = subprocess.check_output(command, text=True).splitlines()
        return {line.split(".")[-2] for line in lines if line.strip()}

    assert (listed("elf"), listed("ptx")) == (CODE, PTX)
