# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The CMake build that the guide shows."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import tvm_ffi
from _verify.package_flags import flags

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/kernel_library/scale"


def test_builds_by_cmake(shows, tmp_path):
    """find_package(tvm_ffi) gives a library that loads and computes."""
    shows(
        "examples/kernel_library/scale/CMakeLists.txt",
        "examples/kernel_library/scale/scale_kernel.cc",
        "examples/kernel_library/tvm_ffi_utils.h",
        "tests/snippets/test_cmake.py",
    )
    script = shows("tests/snippets/cmake.sh", "tests/snippets/test_cmake.py")
    shutil.copytree(EXAMPLE, tmp_path / "scale")
    shutil.copy(EXAMPLE.parent / "tvm_ffi_utils.h", tmp_path)
    done = subprocess.run(
        ["bash", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    library = tmp_path / "build" / "scale_cpu.so"
    # As the page on troubles says; what is installed has none: test_library.py.
    entries = subprocess.check_output(["readelf", "-d", library], text=True)
    assert f"Library runpath: [{flags('--libdir')}]" in entries
    mod = tvm_ffi.load_module(library)
    x = np.linspace(-1, 1, 7, dtype="float32")
    y = np.full_like(x, np.nan)
    mod.scale(x, y, 3.0)
    np.testing.assert_array_equal(y, x * np.float32(3.0))
