# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Running the Python tests under sanitizers fails on leaks and wild reads."""

import os
import subprocess
import sys

import pytest
from _setup import leaks_plugin, sanitize_python

ROOT = sanitize_python.ROOT
PROGRAM = """
import ctypes, sys
from _setup import leaks_plugin
leaks_plugin.watch()
memory = ctypes.CDLL(None)
memory.malloc.restype = ctypes.c_void_p
kept = memory.malloc(ctypes.c_size_t(333))
if sys.argv[1] == "wild":
    ctypes.string_at(kept, 999)
if sys.argv[1] != "leaked":
    memory.free(ctypes.c_void_p(kept))
del kept
"""


@pytest.mark.parametrize(
    ("trial", "said"), [("well", ""), ("leaked", "LeakSanitizer"), ("wild", "heap-buffer-overflow")]
)
def test_what_ends_the_run(tmp_path, trial, said):
    """A leak has its own exit status, and the log reports it like any other error."""
    variables = sanitize_python.variables(tmp_path / "found")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, trial],
        env={**os.environ, **variables, "PYTHONPATH": str(ROOT / "docs")},
        capture_output=True,
        text=True,
        check=False,
    )
    log = "".join(path.read_text() for path in tmp_path.glob("found.*"))
    assert said in log
    assert bool(log) == bool(said)
    assert (done.returncode == 0) == (trial == "well"), done.stderr
    assert (done.returncode == leaks_plugin.LEAKED) == (trial == "leaked")


def test_left_out_tests_exist():
    """Each test file and test that is left out exists."""
    for name in sanitize_python.LEFT_OUT:
        file, _, test = name.partition("::")
        assert f"def {test}" in (ROOT / file).read_text()
