# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R5, R6
"""When memory runs out, a Python call raises an error and does not crash."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import compile_library

HERE = Path(__file__).resolve().parent
LINE = re.compile(r"^(\w+): (\d+) allocations: survived$")


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="the sanitizer has an allocator of its own")
def test_each_allocation_may_fail(tmp_path: Path) -> None:
    """For every n, the n-th allocation of an operation fails, alone or with all later ones.

    No process is killed by a signal, and the operation works afterwards.
    """
    compile_library(HERE / "failing_malloc.c", tmp_path / "malloc.so")
    compile_library(HERE.parent / "cpp" / "kernel_in_c.c", tmp_path / "kernel.so")
    environment = os.environ | {
        "LD_PRELOAD": str(tmp_path / "malloc.so"),
        "PYTHONMALLOC": "malloc",  # every object is a separate allocation
    }
    command = [sys.executable, HERE / "failing_operations.py", tmp_path / "malloc.so"]
    done = subprocess.run(
        [*command, tmp_path / "kernel.so"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-2000:]}"
    found = [LINE.match(line) for line in done.stdout.splitlines()]
    assert len(found) == 9
    assert all(line is not None and int(line[2]) > 2 for line in found)
