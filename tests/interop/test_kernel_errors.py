# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Which errors of a kernel are the same under both runtimes, and which are not."""

import json
import subprocess
from pathlib import Path

import pytest
from table import build

SCALE = Path(__file__).parents[2] / "examples/kernel_library/scale/scale_kernel.cc"
KINDS = ("ours", "published")
PAIRS = [(headers, runtime) for headers in KINDS for runtime in KINDS]
START = """
import json, sys
import numpy as np
import tvm_ffi
mod = tvm_ffi.load_module(sys.argv[1])
x, y = np.ones(3, "float32"), np.ones(3, "float32")
frozen = np.ones(3, "float32")
frozen.flags.writeable = False
try:
    result = eval(sys.argv[2])
except Exception as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""
OF_THE_KERNEL = {
    "mod.scale(x, np.ones(4, 'f4'), 2.0)": (
        "ValueError",
        "scale: y must be of shape (3,) like x, got (4,)",
    ),
    "mod.scale(x, np.ones(3, 'f8'), 2.0)": (
        "TypeError",
        "scale: y must be float32 like x, got float64",
    ),
    "mod.scale(x, np.ones(6, 'f4')[::2], 2.0)": (
        "ValueError",
        "scale: y must be contiguous, got shape (3,) with strides (2,)",
    ),
}
COMPLEX = "mod.scale(x.astype('c8'), y.astype('c8'), 2.0)"


@pytest.fixture(scope="module")
def libraries(pythons, tmp_path_factory) -> dict[str, Path]:
    """The library of ``scale``, built with the headers of each package."""
    folders = {kind: tmp_path_factory.mktemp(kind) for kind in KINDS}
    for kind, folder in folders.items():
        assert build(SCALE, pythons[kind], folder) == ""
    return {kind: folder / "scale_kernel.so" for kind, folder in folders.items()}


def ended(python: str, library: Path, call: str) -> subprocess.CompletedProcess[str]:
    """Make a call in a process of its own."""
    command = [python, "-c", START, str(library), call]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def error_of(python: str, library: Path, call: str) -> tuple[str, str]:
    """Give the kind and the words of the error that a call raises."""
    done = ended(python, library, call)
    assert done.returncode == 0, done.stderr
    kind, words = json.loads(done.stdout)
    return kind, words.strip()


@pytest.mark.parametrize("call", OF_THE_KERNEL)
@pytest.mark.parametrize(("headers", "runtime"), PAIRS)
def test_the_checks_of_a_kernel(pythons, libraries, headers, runtime, call):
    """They raise the same errors, whatever built and loaded the library."""
    assert error_of(pythons[runtime], libraries[headers], call) == OF_THE_KERNEL[call]


@pytest.mark.parametrize("runtime", KINDS)
@pytest.mark.parametrize("call", ["mod.scale(x, y)", "mod.scale(x, y, 'two')"])
def test_wrong_arguments(pythons, libraries, runtime, call):
    """A wrong number or type is a TypeError, in the words of the headers."""
    told = {kind: error_of(pythons[runtime], libraries[kind], call) for kind in KINDS}
    assert [kind for kind, _ in told.values()] == ["TypeError", "TypeError"]
    ours, published = (words for _, words in told.values())
    assert ours.startswith("scale(Tensor, Tensor, float) -> None: ")
    assert published.startswith("Mismatched ")


@pytest.mark.parametrize(
    ("call", "ours", "published"),
    [
        ("tvm_ffi.load_module('missing.so')", "FileNotFoundError", "RuntimeError"),
        ("mod.scale(frozen, y, 2.0)", "ValueError", "BufferError"),
    ],
)
def test_errors_of_the_runtime(pythons, libraries, call, ours, published):
    """What a runtime cannot load or pass on has an error of another kind."""
    kinds = [error_of(pythons[kind], libraries[kind], call)[0] for kind in KINDS]
    assert kinds == [ours, published]


@pytest.mark.parametrize(("headers", "runtime"), PAIRS)
def test_a_complex_dtype_in_a_message(pythons, libraries, headers, runtime):
    """The kernel names it, which the published runtime cannot."""
    kind, words = error_of(pythons[runtime], libraries[headers], COMPLEX)
    assert (kind, words.rpartition(", got ")[2]) == ("TypeError", "complex64")
