# SPDX-License-Identifier: Apache-2.0
# Rows: R2
"""The allocator over NVSHMEM: built and linked with the real one, and run where a GPU is."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = "examples/kernel_library/allocators"
FILES = [
    *(f"{EXAMPLE}/{name}" for name in ("nvshmem_allocator.cu", "build_nvshmem.sh", "allocators.h")),
    "examples/kernel_library/tvm_ffi_utils.h",
    "tests/snippets/test_nvshmem.py",
]
DRIVER = f"{EXAMPLE}/load_nvshmem.py"
FAKE = ROOT / "tests/examples/fake_cuda"
LOADS = "import tvm_ffi; print(len(tvm_ffi.load_module('./nvshmem_allocator.so').released()))"


def run(command, folder, **environment):
    """Run a command, and give what it printed."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def installed():
    """Tell whether the wheel, or a folder that NVSHMEM_HOME names, is there."""
    if "NVSHMEM_HOME" in os.environ:
        return True
    try:
        return importlib.util.find_spec("nvidia.nvshmem") is not None
    except ModuleNotFoundError:
        return False


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
    run(["bash", ROOT / EXAMPLE / "build_nvshmem.sh"], tmp_path, PATH=scripts, **nvcc)
    needed = run(["readelf", "-d", "nvshmem_allocator.so"], tmp_path)
    assert "[libnvshmem_host.so.3]" in needed
    if device == "cuda":
        shows(DRIVER, *FILES)
        assert "right results" in run([sys.executable, ROOT / DRIVER], tmp_path)
    else:
        # It loads without a GPU; nothing of NVSHMEM can start there.
        assert run([sys.executable, "-c", LOADS], tmp_path) == "0\n"


def test_driver_without_a_gpu(shows, tmp_path):
    """The driver runs over an NVSHMEM made of malloc."""
    fakes = sorted(path.relative_to(ROOT).as_posix() for path in FAKE.iterdir())
    shows(DRIVER, *FILES, *fakes)
    config = [sys.executable, "-m", "tvm_ffi.config", "--cxxflags", "--ldflags", "--libs"]
    sources = ["-x", "c++", ROOT / FILES[0], FAKE / "fake.cc", "-x", "none"]
    output = ["-o", "nvshmem_allocator.so", *run(config, tmp_path).split()]
    run(["g++", "-shared", "-fPIC", f"-I{FAKE}", *sources, *output], tmp_path)
    assert "right results" in run([sys.executable, ROOT / DRIVER], tmp_path)
