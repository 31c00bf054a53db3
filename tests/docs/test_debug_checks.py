# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R9
"""Which builds of the pages leave out ``TVM_FFI_DCHECK``, as the page on exceptions says."""

import re
import subprocess
from pathlib import Path

from _verify.package_flags import flags

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(
    path for folder in ("examples", "tests/snippets") for path in (ROOT / folder).rglob("*.sh")
)
PROJECTS = sorted((ROOT / "examples").rglob("CMakeLists.txt"))


def test_commands_that_define_ndebug():
    """Of the build scripts, only the one of gemm defines it; the package's flags do not."""
    assert any("nvcc" in path.read_text() for path in SCRIPTS)
    defining = [path for path in SCRIPTS if "NDEBUG" in path.read_text()]
    assert [path.relative_to(ROOT / "examples/kernel_library").as_posix() for path in defining] == [
        "gemm/build_cuda.sh"
    ]
    page = (ROOT / "docs/concepts/exception_handling.rst").read_text()
    assert "only the nvcc commands of :doc:`/guides/kernels/gemm` do" in page
    assert "NDEBUG" not in flags("--cxxflags", "--ldflags", "--libs")


def test_release_builds_of_cmake_define_ndebug(tmp_path):
    """The examples' CMake files choose Release, for which CMake defines it."""
    assert PROJECTS
    for path in PROJECTS:
        assert re.search(r"set\(CMAKE_BUILD_TYPE Release\)", path.read_text()), path
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(one CXX)\n"
        'message("<${CMAKE_CXX_FLAGS_RELEASE}>")\n'
    )
    command = ["cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.search("<.*-DNDEBUG.*>", done.stderr)
