# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R9
"""An input modified by another stream during a call makes no kernel write beyond its output."""

import os
import subprocess
import sys
from pathlib import Path

import emulate
import pytest
from _setup.sanitize_examples import sanitized

# An array of zeros except for one element; it is overwritten once nonzero has counted.
CALL = """
import sys, numpy, tvm_ffi
mod = tvm_ffi.load_module(sys.argv[1])
x = numpy.zeros(tuple(map(int, sys.argv[3].split(","))), dtype="uint8")
x.flat[x.size // 2] = 1
mod.while_waiting(lambda: x.fill(int(sys.argv[2])))
print(mod.nonzero(x).shape)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    """The nonzero example with AddressSanitizer, which detects a write beyond the result."""
    source = emulate.EXAMPLES / "nonzero" / "nonzero_kernel.cu"
    built = tmp_path_factory.mktemp("changed") / "nonzero.so"
    return emulate.build_source(source, built, emulate.SANITIZERS)


@pytest.mark.parametrize("value", [0, 1], ids=["fewer", "more"])
@pytest.mark.parametrize("shape", [(40_000,), (200, 200)], ids=str)
def test_nonzero_writes_no_more_than_it_counted(library, tmp_path, shape, value):
    """The result has as many rows as were counted, whether x has more or fewer by then."""
    command = [sys.executable, "-c", CALL, str(library), str(value), ",".join(map(str, shape))]
    variables = {**os.environ, **sanitized(tmp_path / "found")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    found = "".join(path.read_text() for path in tmp_path.glob("found.*"))
    assert done.returncode == 0, done.stderr + found
    assert done.stdout.strip() == str((1, len(shape)))
