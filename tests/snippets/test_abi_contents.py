# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""The inline functions of ``c_api.h`` read the contents of each kind of object."""

import shlex
import subprocess

import pytest
from _verify.package_flags import flags, rpath

SOURCE = "tests/snippets/abi_contents.c"
WARNINGS = "-pedantic -Wall -Wextra -Wconversion -Werror"
COMPILERS = {
    "c99": f"gcc -std=c99 {WARNINGS} {flags('--cflags')}",
    "cxx17": f"g++ {WARNINGS} {flags('--cxxflags')} -x c++",
}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_contents(shows, captured, tmp_path, compiler):
    """In C and in C++; the published header has them for C++ alone."""
    source = shows(SOURCE, "tests/snippets/test_abi_contents.py")
    program, libs = tmp_path / "abi_contents", f"{flags('--ldflags', '--libs')} {rpath()}"
    command = f"{COMPILERS[compiler]} {source} -x none -o {program} {libs}"
    subprocess.run(shlex.split(command), check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    captured("tests/snippets/captured/abi_contents.txt", "$ ./abi_contents\n" + printed)
