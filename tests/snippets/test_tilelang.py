# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""A kernel that TileLang compiles, called by an exported function: over a fake driver, or a GPU."""

import importlib.metadata
import importlib.util
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import tvm_ffi
from test_cubin import FOLDER, SOURCES, address, cuda, launch_of, machine, refuses  # noqa: F401


@pytest.fixture
def proves(shows):
    """Say which files of the page a test runs, all with the help of each other."""

    def declare(*names):
        paths = {f"{FOLDER}/{name}" for name in names}
        for path in sorted(paths):
            shows(path, *paths - {path}, f"{FOLDER}/embed.sh")

    return declare


def test_tilelang(cuda, proves, tmp_path):  # noqa: F811
    """TileLang compiles for a GPU that is not here; the library needs only the CUBIN."""
    if not importlib.util.find_spec("tilelang"):
        pytest.skip("tilelang is not installed")
    assert "apache-tvm-ffi<0.1.13,>=0.1.11" in importlib.metadata.requires("tilelang")
    assert tvm_ffi.__version__ == importlib.metadata.version("tvm-ffi-kernel-library")
    proves("tilelang_axpy.py", "tilelang_axpy.cc", "launch_axpy.h")
    major, minor = torch.cuda.get_device_capability() if cuda.real else (9, 0)
    subprocess.run(
        [sys.executable, SOURCES / "tilelang_axpy.py", f"sm_{major}{minor}"],
        cwd=tmp_path,
        check=True,
        env={**os.environ, "CUDA_HOME": str(cuda.toolkit)},
    )
    # The page's commands, with this launcher and TileLang's CUBIN.
    commands = (SOURCES / "embed.sh").read_text().partition("# [build.begin]\n")[2]
    commands = commands.partition("# [build.end]")[0].partition("\n")[2]  # without nvcc's
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {"PATH": scripts, "SOURCES": str(SOURCES), "CUDA": str(cuda.toolkit)}
    subprocess.run(
        ["bash", "-euc", commands.replace("$SOURCES/axpy.cc", "$SOURCES/tilelang_axpy.cc")],
        cwd=tmp_path,
        check=True,
        env={**os.environ, **variables},
    )
    mod = tvm_ffi.load_module(tmp_path / "axpy.so")
    refuses(mod.axpy, cuda)
    x, y = cuda.vectors(1000)
    if cuda.real:
        expected = 2.0 * x.double() + y.double()
        mod.axpy(2.0, x, y)
        torch.testing.assert_close(y.double(), expected, rtol=1e-6, atol=1e-6)
        return
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 0), 7):
        mod.axpy(2.0, x, y)
    # The size of each argument is that of the kernel's parameter in the CUBIN.
    arguments = address(x), address(y), struct.pack("<f", 2.0), struct.pack("<i", 1000)
    last = cuda.log().splitlines()[-1]
    number = last.split()[4]
    assert last.replace(f"library {number}", "library 1") == launch_of(
        "axpy_kernel", 1000, *arguments, grid=4, stream=7
    )
