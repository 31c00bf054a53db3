# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""The five C functions between tensors and values, as C99 and as C++17."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from _verify.package_flags import flags, rpath

SOURCE = Path(__file__).with_name("tensor_conversions_check.c")
C99 = "-x c -std=c99 -pedantic"
CXX17 = "-x c++ -std=c++17"
WARNINGS = "-Wall -Wextra -Wconversion -Werror"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("language", [C99, CXX17])
def test_each_conversion(shows, tmp_path, compiler, language):
    """They compile without a warning, convert, count references, and refuse what is no tensor."""
    shows("tests/snippets/tensor_conversions.h", "tests/snippets/tensor_conversions_check.c")
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} is installed")
    program = tmp_path / "check"
    command = (
        f"{compiler} {language} {WARNINGS} {flags('--cflags')} {SOURCE} -o {program}"
        f" {flags('--ldflags', '--libs')} {rpath()}"
    )
    if language == CXX17:  # gcc and clang link it only by their other names
        command += " -lstdc++"
    subprocess.run(shlex.split(command), check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "every conversion is right\n"
