# SPDX-License-Identifier: Apache-2.0
# Rows: R2
"""The allocator over NVSHMEM: built and linked with the real one, and run where a GPU is."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from _verify.tools import find_gpu, find_nvcc
from commands import run

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = "examples/kernel_library/allocators"
FILES = [
    *(f"{EXAMPLE}/{name}" for name in ("nvshmem_allocator.cu", "build_nvshmem.sh", "allocators.h")),
    "examples/kernel_library/tvm_ffi_utils.h",
    "tests/snippets/test_nvshmem.py",
]
STARTS = "tests/snippets/nvshmem_starts.cu"
DRIVER = f"{EXAMPLE}/load_nvshmem.py"
FAKE = ROOT / "tests/examples/fake_cuda"
LOADS = "import tvm_ffi; print(len(tvm_ffi.load_module('./nvshmem_allocator.so').released()))"


def installed():
    """Tell whether the wheel, or a folder that NVSHMEM_HOME names, is there."""
    if "NVSHMEM_HOME" in os.environ:
        return True
    try:
        return importlib.util.find_spec("nvidia.nvshmem") is not None
    except ModuleNotFoundError:
        return False


def cannot_start(folder, nvcc):
    """Why a plain NVSHMEM program cannot allocate on this machine, or nothing if it can."""
    home = os.environ.get("NVSHMEM_HOME")
    home = home or next(iter(importlib.import_module("nvidia.nvshmem").__path__))
    link = [f"-L{home}/lib", "-l:libnvshmem_host.so.3", "-Xlinker", "-rpath", "-Xlinker"]
    flags = ["-DNVSHMEM_HOSTLIB_ONLY", f"-I{home}/include", *link, f"{home}/lib"]
    run(nvcc["NVCC"], ROOT / STARTS, "-o", "starts", *flags, folder=folder, **nvcc)
    command = ["timeout", "60", folder / "starts"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = f"{done.stderr}\nexit status {done.returncode}".split("\n")
    first = next(line for line in said if line.strip())
    return first.rpartition(": ")[2].strip() if done.returncode else ""


def test_builds_links_and_runs(shows, device, tmp_path):
    """The library finds the wheel's NVSHMEM; a job of one allocates where there is a GPU."""
    if not installed():
        pytest.skip("NVSHMEM is not installed: pip install nvidia-nvshmem-cu13")
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    for path in FILES[:3]:
        shows(path, *(other for other in FILES if other != path))
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run("bash", ROOT / EXAMPLE / "build_nvshmem.sh", folder=tmp_path, PATH=scripts, **nvcc)
    needed = run("readelf", "-d", "nvshmem_allocator.so", folder=tmp_path)
    assert "[libnvshmem_host.so.3]" in needed
    reason = cannot_start(tmp_path, nvcc)
    if device == "cuda":
        if reason:
            pytest.skip(f"NVSHMEM does not start on this machine: {reason}")
        shows(DRIVER, *FILES)
        assert "right results" in run(sys.executable, ROOT / DRIVER, folder=tmp_path, timeout=200)
    else:
        # The library loads without a GPU, where NVSHMEM itself cannot start.
        assert reason or find_gpu()
        assert run(sys.executable, "-c", LOADS, folder=tmp_path) == "0\n"


def test_driver_without_a_gpu(shows, tmp_path):
    """The driver runs over an NVSHMEM made of malloc."""
    fakes = sorted(path.relative_to(ROOT).as_posix() for path in FAKE.iterdir())
    shows(DRIVER, *FILES, *fakes)
    config = [sys.executable, "-m", "tvm_ffi.config", "--cxxflags", "--ldflags", "--libs"]
    sources = ["-x", "c++", ROOT / FILES[0], FAKE / "fake.cc", "-x", "none"]
    output = ["-o", "nvshmem_allocator.so", *run(*config, folder=tmp_path).split()]
    run("g++", "-shared", "-fPIC", f"-I{FAKE}", *sources, *output, folder=tmp_path)
    assert "right results" in run(sys.executable, ROOT / DRIVER, folder=tmp_path, timeout=200)
