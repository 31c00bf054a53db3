# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The page "From Idea to Wheel": the example silu_and_mul becomes a wheel, which is used."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/idea_to_wheel"
PROJECT = [
    f"{FOLDER}/{name}" for name in ("pyproject.toml", "CMakeLists.txt", "gated_kernels/__init__.py")
]
SCRIPTS = [f"{FOLDER}/{name}" for name in ("lay_out.sh", "wheel.sh", "use.py")]
MADE_OF = [
    *(
        f"examples/kernel_library/{name}"
        for name in ("tvm_ffi_utils.h", "silu_and_mul/silu_and_mul_checks.h")
    ),
    "examples/kernel_library/silu_and_mul/silu_and_mul_kernel.cc",
    "tests/snippets/test_idea_to_wheel.py",
]


@pytest.fixture
def runs(tmp_path):
    """Give a function that runs a script of the page in one folder, and says how it ended."""
    outer = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    outer["TRACE_COMPILED"] = "no"  # a reader's build, in which no lines are counted
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(script, **variables):
        return subprocess.run(
            ["bash", ROOT / FOLDER / script],
            cwd=tmp_path,
            env={**outer, "CLONE": str(ROOT), "PATH": path, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def lay_out(runs, folder):
    """Make the project of the page."""
    assert runs("lay_out.sh").returncode == 0
    for name in PROJECT:
        shutil.copy(ROOT / name, folder / "gated" / Path(name).relative_to(FOLDER))
    shutil.copy(ROOT / FOLDER / "use.py", folder)


def test_wheel(shows, device, runs, tmp_path):
    """One wheel has a library for each kind of device, and each gives the right results."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    for path in (*PROJECT, *SCRIPTS):
        shows(path, *PROJECT, *SCRIPTS, *MADE_OF)
    lay_out(runs, tmp_path)
    # One architecture: that is all that this test needs.
    architecture = "native" if device == "cuda" else "80-real"
    done = runs("wheel.sh", CUDACXX=nvcc["NVCC"], CUDAARCHS=architecture, **nvcc)
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith("the wheel")]
    right = "the wheel gives the right results on"
    assert said == [*([f"{right} cuda"] if device == "cuda" else []), f"{right} cpu"]
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.name.startswith("gated_kernels-0.1.0-py3-none-")
    files = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert files == {
        f"gated_kernels/{name}" for name in ("__init__.py", "libgated_cpu.so", "libgated_cuda.so")
    }


def test_without_a_cuda_compiler(runs, tmp_path):
    """The same project builds for the CPU alone, and its errors say what is missing or wrong."""
    lay_out(runs, tmp_path)
    (tmp_path / "use.py").write_text(
        "from gated_kernels import library, silu_and_mul\nlibrary('cpu')\n"
        "try:\n    silu_and_mul([1.0], None)\nexcept TypeError as error:\n    print(error)\n"
        "try:\n    library('cuda')\nexcept RuntimeError as error:\n    print(error)\n"
    )
    done = runs("wheel.sh", CUDACXX="/nonexistent/nvcc")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "silu_and_mul(" in done.stdout
    assert ": argument 0: expected Tensor, got list" in done.stdout
    assert "expected a library libgated_cuda.so of the distribution 'gated-kernels'" in done.stdout
    (wheel,) = (tmp_path / "dist").iterdir()
    library = zipfile.ZipFile(wheel).extract("gated_kernels/libgated_cpu.so", tmp_path)
    listed = subprocess.check_output(["nm", "-D", "--defined-only", library], text=True)
    names = [line.split()[-1] for line in listed.splitlines()]
    assert names
    assert all(name.startswith("__tvm_ffi_") for name in names), names
