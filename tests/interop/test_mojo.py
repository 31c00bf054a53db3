# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""One library written in Mojo, built beside our package, under both packages."""

import json
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "snippets" / "other_compilers"
CALLS = """
import json, sys
import numpy, tvm_ffi
mod = tvm_ffi.load_module(sys.argv[1])
x = numpy.linspace(-1, 1, 1001, dtype="float32")
for n in (0, 1, 9, 1001):
    y = numpy.full_like(x, numpy.nan)
    mod.scale(x[:n], y[:n], 2.5)
    numpy.testing.assert_array_equal(y[:n], x[:n] * numpy.float32(2.5))
    assert numpy.isnan(y[n:]).all()
said = []
wrong = (x,), (x, 1, 2), (x, x.astype("float64"), 2), (x[::2], x, 2), (x[1:], x, 2), (x, x, "2")
for arguments in wrong:
    try:
        mod.scale(*arguments)
    except Exception as error:
        said.append([type(error).__name__, str(error)])
print(json.dumps(said))
"""
SAID = [
    ["TypeError", "scale: expected 3 arguments"],
    ["TypeError", "scale: y: expected a tensor"],
    ["TypeError", "scale: y: expected float32"],
    ["ValueError", "scale: x: expected no gaps"],
    ["ValueError", "scale: expected vectors of one length"],
    ["TypeError", "scale: factor: expected a number"],
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library of the page."""
    if not shutil.which("mojo"):
        pytest.skip("Mojo is not installed")
    if platform.machine() != "x86_64":
        pytest.skip("the script names an x86-64 CPU")
    folder = tmp_path_factory.mktemp("mojo")
    shutil.copy(FOLDER / "scale.mojo", folder)
    subprocess.run(["bash", FOLDER / "mojo.sh"], cwd=folder, check=True)
    return folder / "scale.so"


@pytest.mark.parametrize("runtime", ["ours", "published"])
def test_calls(pythons, library, runtime):
    """The same results and messages under both."""
    command = [pythons[runtime], "-c", CALLS, library]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == SAID
