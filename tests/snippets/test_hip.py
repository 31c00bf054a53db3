# SPDX-License-Identifier: Apache-2.0
# Rows: R4, R5
"""The kernel for AMD GPUs on the page on profiling, compiled by g++ over a stand-in for HIP."""

import shlex
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.package_flags import flags

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/hip"
SOURCE = f"{FOLDER}/scale_hip.cc"
STAND_IN = f"{FOLDER}/stand_in"
TEST = "tests/snippets/test_hip.py"
UTILITIES = "examples/kernel_library/tvm_ffi_utils.h"
WARNINGS = "-Wall -Wextra -Wconversion -Werror"
sys.path.append(str(ROOT / "tests/examples"))

from producer import FLOAT32, FLOAT64, Producer  # noqa: E402  (in a folder that was just named)

ROCM = 10  # kDLROCM of DLPack


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The library, whose kernel runs on the CPU."""
    library = tmp_path_factory.mktemp("hip") / "scale_hip.so"
    command = (
        f"g++ -shared -fPIC -O1 {WARNINGS} {flags('--cxxflags')} -I{(ROOT / UTILITIES).parent}"
        f" -I{ROOT / STAND_IN} {ROOT / SOURCE} {ROOT / STAND_IN}/runtime.cc"
        f" -o {library} {flags('--ldflags', '--libs')}"
    )
    subprocess.run(shlex.split(command), check=True)
    return library


@pytest.fixture
def mod(library, shows):
    """The library, as a test of its source."""
    shows(
        "tests/snippets/hip/scale_hip.cc",
        *(UTILITIES, TEST, f"{STAND_IN}/hip/hip_runtime.h", f"{STAND_IN}/runtime.cc"),
    )
    mod = tvm_ffi.load_module(library)
    mod.take_calls()
    return mod


def on_rocm(values, size=None, dtype=FLOAT32, index=0):
    """A tensor that claims to be on an AMD GPU."""
    return Producer(values, values.size if size is None else size, dtype, device=(ROCM, index))


@pytest.mark.parametrize(("n", "blocks"), [(1, 1), (256, 1), (257, 2), (65535 * 256 + 3, 65535)])
def test_results(mod, n, blocks):
    """Each element is written once, on the caller's stream, and the device is current again."""
    x = numpy.arange(n, dtype="float32")
    y = numpy.full_like(x, numpy.nan)
    with tvm_ffi.use_raw_stream(tvm_ffi.device("rocm", 1), 4096):
        mod.scale(on_rocm(x, index=1), on_rocm(y, index=1), 0.5)
    numpy.testing.assert_array_equal(y, x * numpy.float32(0.5))
    assert mod.take_calls() == f"launch on device 1: grid {blocks} block 256 stream 4096\n"
    assert mod.current_device() == 0


def test_empty(mod):
    """An empty tensor launches nothing."""
    x = numpy.zeros(1, "float32")
    mod.scale(on_rocm(x, 0), on_rocm(x, 0), 2.0)
    assert mod.take_calls() == ""


def test_errors_of_hip(mod):
    """An error of HIP's is raised, and the device is current again."""
    x = numpy.zeros(3, "float32")
    mod.fail_next_launch()
    with pytest.raises(RuntimeError, match=r"^scale: hipErrorLaunchFailure$"):
        mod.scale(on_rocm(x, index=1), on_rocm(x, index=1), 2.0)
    assert mod.current_device() == 0
    with pytest.raises(RuntimeError, match=r"^scale: hipErrorInvalidDevice$"):
        mod.scale(on_rocm(x, index=2), on_rocm(x, index=2), 2.0)


def test_refused(mod, captured):
    """A tensor on another device, of another dtype or length, launches nothing."""
    x, y = numpy.zeros(3, "float32"), numpy.zeros(4, "float32")
    with pytest.raises(ValueError, match=r"^scale: x must be on a ROCm device") as caught:
        mod.scale(x, x, 2.0)
    captured("tests/snippets/captured/hip_refused.txt", f"ValueError: {caught.value}")
    with pytest.raises(TypeError, match=r"^scale: x must be float32, got float64$"):
        mod.scale(on_rocm(numpy.zeros(3), dtype=FLOAT64), on_rocm(x), 2.0)
    with pytest.raises(ValueError, match=r"^scale: y must be of shape \(3,\) like x, got \(4,\)$"):
        mod.scale(on_rocm(x), on_rocm(y), 2.0)
    with pytest.raises(ValueError, match="y must be on device type 10:0 like x, got cpu:0"):
        mod.scale(on_rocm(x), x, 2.0)
    apart = on_rocm(x, 2)
    apart.strides = (type(apart.shape))(2)
    apart.managed.dl_tensor.strides = apart.strides
    with pytest.raises(ValueError, match="x must be contiguous"):
        mod.scale(apart, on_rocm(y, 2), 2.0)
    assert mod.take_calls() == ""
