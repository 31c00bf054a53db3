# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The ways to build a library that the page on tooling shows."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi
from _verify.tools import find_nvcc

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/kernel_library"


def run(script, folder, *arguments, **variables):
    """Run a Python script of a page, with a cache of its own."""
    environment = {**os.environ, "TVM_FFI_CACHE_DIR": str(folder / "cache"), **variables}
    return subprocess.run(
        [sys.executable, script, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_package_in_a_folder_with_a_space(shows, tmp_path):
    """What tvm-ffi-config prints then is quoted, and eval reads it."""
    script = shows(
        "tests/snippets/spaces.sh",
        "tests/snippets/test_cpp_tooling.py",
        "examples/kernel_library/add_one/add_one_kernel.cc",
        "examples/kernel_library/tvm_ffi_utils.h",
    )
    package = tmp_path / "a folder" / "tvm_ffi"
    shutil.copytree(Path(tvm_ffi.__file__).parent, package)
    command = tmp_path / "bin" / "tvm-ffi-config"
    command.parent.mkdir()
    command.write_text(
        f"#!/bin/sh\nPYTHONPATH='{package.parent}' exec {sys.executable} -m tvm_ffi.config \"$@\"\n"
    )
    command.chmod(0o755)
    shutil.copytree(EXAMPLES / "add_one", tmp_path / "add_one")
    shutil.copy(EXAMPLES / "tvm_ffi_utils.h", tmp_path)
    environment = {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    x = np.arange(3, dtype="float32")
    y = np.empty_like(x)
    tvm_ffi.load_module(tmp_path / "add_one_cpu.so").add_one(x, y)
    np.testing.assert_array_equal(y, x + 1)


def test_compile_error(shows, captured, tmp_path):
    """The compiler's message stands in the exception, with the lines of the text."""
    script = shows("tests/snippets/compile_error.py", "tests/snippets/test_cpp_tooling.py")
    done = run(script, tmp_path, CXX="g++")
    assert done.returncode == 0, done.stderr
    text = "$ python compile_error.py\n" + done.stdout
    captured("tests/snippets/captured/compile_error.txt", text)


def test_cuda_from_text(shows, device, tmp_path):
    """It compiles and loads everywhere, and computes where there is a GPU."""
    compiler = find_nvcc()
    if not compiler:
        pytest.skip("no CUDA compiler is installed")
    script = shows("tests/snippets/inline_cuda.py", "tests/snippets/test_cpp_tooling.py")
    done = run(script, tmp_path, device, **compiler)
    assert done.returncode == 0, done.stderr
