# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""The c_abi example's host: a C++ program that calls the kernel in C, without Python."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "examples/kernel_library/c_abi"
FILES = [f"{FOLDER}/{name}" for name in ("host.cc", "c_abi_kernel.c", "arguments.h")]


@pytest.fixture
def host(shows, captured, tmp_path):
    """Build the library and the program, and run it; give the folder."""
    script = shows(f"{FOLDER}/build_host.sh", f"{FOLDER}/build_cpu.sh", *FILES)
    shows(f"{FOLDER}/host.cc", f"{FOLDER}/build_host.sh", f"{FOLDER}/build_cpu.sh", *FILES)
    # Nothing tells the loader where libtvm_ffi.so is but the program itself.
    outer = {name: text for name, text in os.environ.items() if name != "LD_LIBRARY_PATH"}
    subprocess.run(["bash", ROOT / FOLDER / "build_cpu.sh"], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["bash", script], cwd=tmp_path, env=outer, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    captured(
        "tests/snippets/captured/c_abi_host.txt", "$ ./c_abi_host ./c_abi_cpu.so\n" + done.stdout
    )
    return tmp_path


def test_calls_without_python(host):
    """The program finds libtvm_ffi.so by its run path, and has nothing of Python in it."""
    needed = subprocess.run(
        ["ldd", host / "c_abi_host"], capture_output=True, text=True, check=True
    ).stdout
    assert "libtvm_ffi.so =>" in needed
    assert "libpython" not in needed


def test_missing_library(host):
    """A library that is not there, or has no such function, and a missing argument are told."""
    command = ["./c_abi_host", "./missing.so"]
    done = subprocess.run(command, cwd=host, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("RuntimeError: ")
    assert "missing.so" in done.stderr
    done = subprocess.run(command[:1], cwd=host, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "usage: ./c_abi_host LIBRARY\n"
    empty = 'extern "C" int nothing() { return 0; }\n'
    build = ["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", "empty.so"]
    subprocess.run(build, cwd=host, input=empty, text=True, check=True)
    command = ["./c_abi_host", "./empty.so"]
    done = subprocess.run(command, cwd=host, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "./empty.so has no function scale\n"
