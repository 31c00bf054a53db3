# SPDX-License-Identifier: Apache-2.0
# Rows: R4, R6, R9
"""The page "Break It": what a call of a kernel gives with each safeguard, and without it.

The CUDA source runs over the emulation of CUDA on the CPU. An edit of the source, of the emulation
or of a patch makes the captured outcomes stale: this process reads all of them.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.tools import find_nvcc

if not find_nvcc():
    pytest.skip("no nvcc is installed", allow_module_level=True)
if platform.machine() != "x86_64":
    pytest.skip("the emulation is for x86-64 processors", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
HERE = "tests/snippets/break_it"
CAPTURED = "tests/snippets/captured/break_it"
sys.path[:0] = [str(ROOT / HERE), str(ROOT / "tests" / "examples")]

import break_it  # noqa: E402  (in a folder that was just named)
from producer import FLOAT32, Producer  # noqa: E402

SCALED = "[2.5, 5.0, 7.5]\n"
EIGHT = f"{[2.5] * 8}\n"
# What each call gives with its safeguard, and words of what it gives without.
OUTCOMES = {
    "shape": ("ValueError: scale: y must be of shape (8,) like x, got (4,)\n", EIGHT),
    "dtype": ("TypeError: scale: y must be float32 like x, got float16\n", "[0.0, 2."),
    "contiguity": (
        "ValueError: scale: y must be contiguous, got shape (3,) with strides (2,)\n",
        "[2.5, 5.0, 7.5, nan, nan, nan]",
    ),
    "overlap": (
        "ValueError: scale: y must be the same tensor as x or apart from it, got overlapping "
        "ranges\n",
        "race in scale_vectors",
    ),
    "guard": ("launched on GPU 1\n", "launched on GPU 0"),
    "stream": (
        "launches in the graph: 1\nafter the replay: [25.0, 25.0, 25.0]\n",
        "launches in the graph: 0\nafter the replay: [2.5, 5.0, 7.5]",
    ),
    "empty": ("launches: 0\n", "cudaErrorInvalidConfiguration"),
    "tail": (EIGHT, "heap-buffer-overflow"),
    "alignment": (EIGHT, "misaligned address"),
    "index": (SCALED, "[2.5, 2.5, 2.5]"),
    "launch": (
        "RuntimeError: cudaGetLastError(): cudaErrorLaunchOutOfResources: too many resources "
        "requested for launch\n",
        "[nan, nan, nan]",
    ),
    "strides": ("[[0.5, 0.5], [0.5, 0.5]]\n", "[[0.5, 0.5], [0.98"),
    "optional": ("[1.0, 1.0, 1.0, 1.0]\n", "null pointer"),
    "sum": (
        "float16: [0.8486328125, 1.1318359375]\nfloat64: [0.8485, 1.1314]\n",
        "float16: [0.0, 0.0]",
    ),
    "barrier": ("[1.0, 1.0, 1.0, 1.0]\n", "race in rms_norm_kernel"),
    "atomic": ("[8, 0]\n", "race in partial_kernel"),
}
DEVICE = """\
--- a/examples/kernel_library/scale/scale_kernel.cu
+++ b/examples/kernel_library/scale/scale_kernel.cu
@@ -70,8 +70,6 @@ void scale(ffi::TensorView x, ffi::TensorView y, double factor) {
   // 1. Validate: device, dtype, shape, memory layout.
-  CHECK_CUDA(x);
   CHECK_DTYPE_IN(x, FloatingTypes);
   CHECK_ALIGNED(x);
-  CHECK_SAME_DEVICE(y, x);
   CHECK_SAME_DTYPE(y, x);
   CHECK_SAME_SHAPE(y, x);
   CHECK_CONTIGUOUS(y);
"""


@pytest.fixture(autouse=True)
def uncounted(monkeypatch):
    """Compile as a reader does: no lines are counted."""
    monkeypatch.setenv("TRACE_COMPILED", "no")


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_safeguard(shows, captured, name):
    """The call gives what it must with the safeguard, and something else without it."""
    shows(f"{HERE}/{name}.patch", f"{HERE}/calls.py", f"{HERE}/break_it.py")
    expected, words = OUTCOMES[name]
    kept, broken = break_it.outcomes(name)
    assert kept == expected
    assert words in broken != kept
    captured(f"{CAPTURED}/{name}.txt", break_it.text_of(name))


def test_every_patch_is_here():
    """A new one adds its call and its outcomes."""
    patches = {path.stem for path in (ROOT / HERE).glob("*.patch")}
    assert patches == {*break_it.PATCHES} == {*OUTCOMES}


def test_the_command(shows):
    """It prints what the page shows of the name that it is given."""
    shows(f"{HERE}/run.sh", f"{HERE}/break_it.py")
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "CLONE": str(ROOT), "PATH": scripts}
    command = ["bash", ROOT / HERE / "run.sh"]
    said = subprocess.check_output(command, env=variables, text=True)
    assert said == (ROOT / CAPTURED / "contiguity.txt").read_text()


def test_a_name_that_is_no_patch():
    """It is refused, with the names that there are."""
    with pytest.raises(SystemExit, match=r"^expected names of shape, dtype, .*, got tails$"):
        break_it.main(["tails"])


def test_checks_of_the_device_change_nothing_here(tmp_path):
    """Without them, the emulation takes tensors of another kind of device, and scales them."""
    (tmp_path / "device.patch").write_text(DEVICE)
    mod = tvm_ffi.load_module(break_it.built("scale", str(tmp_path / "device"), break_it.PLAIN))
    x, y = numpy.array([1, 2, 3], "float32"), numpy.full(3, numpy.nan, "float32")
    on_gpus = [Producer(each, 3, FLOAT32, device=(2, gpu)) for gpu, each in enumerate((x, y))]
    mod.scale(*on_gpus, 2.5)
    assert f"{y.tolist()}\n" == SCALED
