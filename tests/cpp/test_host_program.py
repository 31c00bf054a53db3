# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R7
"""A C++ program without Python loads a kernel library written in C, calls it and meets errors."""

import shlex
import subprocess
from pathlib import Path

import pytest
from _verify.package_flags import flags, rpath

HERE = Path(__file__).resolve().parent
OUTPUT = """\
wrote 3: 1 2 3
ValueError: add_one: y: expected the length of x, got another
called back: 2
no_such: not there
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the program and the library."""
    folder = tmp_path_factory.mktemp("host_program")
    libs = f"{flags('--ldflags', '--libs')} {rpath()}"
    for command in (
        f"gcc -std=c99 -shared -fPIC {flags('--cflags')} {HERE}/kernel_in_c.c"
        f" -o {folder}/kernel.so",
        f"g++ -Wall -Wextra -Wconversion -Werror {flags('--cxxflags')} {HERE}/host_program.cc"
        f" -o {folder}/host {libs}",
    ):
        subprocess.run(shlex.split(command), check=True)
    return folder


def call(folder, library):
    """Run the program; it must not end by a signal."""
    command = [folder / "host", library]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_calls_and_errors(folder):
    """Results, errors of the kernel and callbacks all arrive; no process of Python is in it."""
    done = call(folder, folder / "kernel.so")
    assert done.stdout == OUTPUT, done.stderr
    assert done.returncode == 0
    needed = subprocess.run(["ldd", folder / "host"], capture_output=True, text=True, check=True)
    assert "libtvm_ffi.so" in needed.stdout
    assert "libpython" not in needed.stdout


@pytest.mark.only_here
def test_kind_of_a_missing_library(folder):
    """It is a RuntimeError."""
    assert call(folder, folder / "missing.so").stdout.startswith("RuntimeError: ")


def test_missing_library(folder):
    """A library that is not there is an error to catch, with the path in it."""
    done = call(folder, folder / "missing.so")
    assert done.returncode == 1
    assert "missing.so" in done.stdout
