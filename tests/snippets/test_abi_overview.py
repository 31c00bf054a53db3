# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""What the ABI overview shows: layouts, values, texts and functions in C, a kernel and a host."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi
from _verify.package_flags import flags, rpath

ROOT = Path(__file__).resolve().parents[2]
FLAGS = "-std=c99 -pedantic -Wall -Wextra -Werror"


def build_and_run(source: Path, program: Path) -> str:
    """Build a C program with warnings as errors and give what it prints."""
    libs = f"{flags('--ldflags', '--libs')} {rpath()}"
    command = f"gcc {FLAGS} {flags('--cflags')} {source} -o {program} {libs}"
    subprocess.run(shlex.split(command), check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def test_layout(shows, captured, tmp_path):
    """The offsets on the page are those that the compiler gives the structs of the header."""
    source = shows("tests/snippets/abi_layout.c", "tests/snippets/test_abi_overview.py")
    printed = build_and_run(source, tmp_path / "abi_layout")
    captured("tests/snippets/captured/abi_layout.txt", "$ ./abi_layout\n" + printed)


def test_tour(shows, tmp_path):
    """Values, texts of all three forms, functions and the version work from plain C."""
    source = shows("tests/snippets/abi_tour.c", "tests/snippets/test_abi_overview.py")
    printed = build_and_run(source, tmp_path / "abi_tour")
    assert printed == "6 * 7 = 42\nABI 0.1.16\ncompiled for ABI 0.1.16\n"


def test_build_lines(shows, tmp_path):
    """The shown lines build the kernel and the host, and the host finds the library by itself."""
    sources = ["tests/cpp/kernel_in_c.c", "tests/cpp/host_program.cc"]
    script = shows("tests/snippets/build_in_c.sh", "tests/snippets/test_abi_overview.py", *sources)
    for source in sources:
        shutil.copy(ROOT / source, tmp_path)
    outer = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run(
        ["bash", script], cwd=tmp_path, env=outer, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # The published headers have warnings of their own.
    assert not re.search(r"^(kernel_in_c\.c|host_program\.cc):.* warning: ", done.stderr, re.M)
    assert done.stdout.startswith("wrote 3: 1 2 3\n")
    assert tvm_ffi.load_module(tmp_path / "kernel.so").call_back(lambda a, b: a + b) == 42


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("tests/cpp/kernel_in_c.c", "tests/cpp/test_kernel_in_c.py"),
        ("tests/cpp/host_program.cc", "tests/cpp/test_host_program.py"),
        ("tests/cpp/map_layout.cc", "tests/cpp/test_map_layout.py"),
    ],
)
def test_shown_programs_pass(shows, source, test):
    """The tests of a shown program pass."""
    shows(source, test, "tests/cpp/kernel_in_c.c")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "not only_here", test],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
