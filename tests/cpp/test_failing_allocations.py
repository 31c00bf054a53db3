# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R5, R7
"""When memory runs out in the runtime, an operation ends in an error and loses nothing."""

import re
import shlex
import subprocess
from pathlib import Path

from _verify.package_flags import flags, rpath

HERE = Path(__file__).resolve().parent
LINE = re.compile(r"^(\w+): (\d+) allocations, (\d+) of (\d+) trials refused$")


def test_each_allocation_may_fail(tmp_path):
    """The n-th allocation of an operation fails, for every n, alone or with all that follow.

    The program checks that an exception or a result comes of it, that nothing stays allocated, and
    that the operation works afterwards.
    """
    libs = f"{flags('--ldflags', '--libs')} {rpath()}"
    for command in (
        f"gcc -std=c99 -shared -fPIC {flags('--cflags')} {HERE}/kernel_in_c.c"
        f" -o {tmp_path}/kernel.so",
        f"g++ -O1 -Wall -Wextra -Wconversion -Werror {flags('--cxxflags')}"
        f" {HERE}/failing_allocations.cc -o {tmp_path}/program {libs}",
    ):
        subprocess.run(shlex.split(command), check=True)
    command = [tmp_path / "program", tmp_path / "kernel.so"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    found = [LINE.match(line) for line in done.stdout.splitlines()]
    assert len(found) == 13
    for line in found:
        assert line is not None
        # Allocations fail in each operation, and are not all survived unnoticed.
        assert int(line[2]) > 5
        assert int(line[3]) > int(line[4]) // 2, line[0]
