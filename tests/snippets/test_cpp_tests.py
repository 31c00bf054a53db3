# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The C++ tests that pages show parts of."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Typed, not found: the interop session reads them here.
SOURCES = [
    "tests/cpp/test_shown_any.cc",
    "tests/cpp/test_shown_big_int.cc",
    "tests/cpp/test_shown_containers.cc",
    "tests/cpp/test_shown_errors.cc",
    "tests/cpp/test_shown_functions.cc",
    "tests/cpp/test_shown_stream.cc",
    "tests/cpp/test_shown_tensor.cc",
    "tests/cpp/test_shown_tensor_object.cc",
    "tests/cpp/test_kernel_utils.cc",
    "tests/cpp/test_storage.cc",
]


@pytest.mark.parametrize("source", SOURCES)
def test_shown_cpp_tests_pass(shows, source, tmp_path):
    """Every test of the file passes."""
    library = source.replace("test_", "").replace(".cc", "_library.cc")
    others = [library] if (ROOT / library).exists() else []
    others += ["tests/cpp/conftest.py", "tests/cpp/expect.h", "tests/snippets/test_cpp_tests.py"]
    shows(source, *others)
    shows("tests/cpp/expect.h", source, *others)
    if source == "tests/cpp/test_kernel_utils.cc":
        shows("examples/kernel_library/tvm_ffi_utils.h", source, *others)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", source],
        cwd=ROOT,
        env={**os.environ, "CPP_TESTS_BUILD": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
