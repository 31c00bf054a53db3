# SPDX-License-Identifier: Apache-2.0
"""The calls of the page "Break It": ``calls.py LIBRARY NAME`` makes one and prints its result.

The library is an example built for the emulation of CUDA on the CPU, whose tensors are on the
CPU.
"""

import mmap
import sys
from pathlib import Path

import numpy
import tvm_ffi
from numpy import float16, float32, float64, int32, int64, nan, uint8

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

from producer import FLOAT32, Producer  # in the folder that was just named

CPU = 1  # the kind of device, in DLPack
NO_RESERVE = 0x4000  # Linux's MAP_NORESERVE, which Python names from 3.13 on
mod = tvm_ffi.load_module(sys.argv[1])


def shape():
    """The output is shorter than the input."""
    # [shape.begin]
    x, whole = numpy.ones(8, float32), numpy.zeros(8, float32)
    mod.scale(x, whole[:4], 2.5)
    print(whole.tolist())
    # [shape.end]


def dtype():
    """The output has narrower elements than the input."""
    # [dtype.begin]
    x, halves = numpy.array([1, 2, 3, 4], float32), numpy.zeros(8, float16)
    mod.scale(x, halves[:4], 2.5)
    print(halves.tolist())
    # [dtype.end]


def contiguity():
    """The output has gaps."""
    # [contiguity.begin]
    x, whole = numpy.array([1, 2, 3], float32), numpy.full(6, nan, float32)
    mod.scale(x, whole[::2], 2.5)
    print(whole.tolist())
    # [contiguity.end]


def overlap():
    """The output begins at the second element of the input."""
    # [overlap.begin]
    whole = numpy.ones(3, float32)
    mod.scale(whole[:2], whole[1:], 2.5)
    # [overlap.end]


def guard():
    """The tensors are on the second GPU, and the first one is current."""
    # [guard.begin]
    numbers = numpy.array([1, 2, 3], float32)
    x = Producer(numbers, 3, FLOAT32, device=(CPU, 1))  # representing GPU 1
    mod.scale(x, x, 2.5)
    print("launched on GPU", mod.launched_on())
    # [guard.end]


def stream():
    """The caller's stream is being captured."""
    # [stream.begin]
    x, y = numpy.array([1, 2, 3], float32), numpy.zeros(3, float32)
    stream = 0x10  # the handle of the caller's stream
    mod.begin_capture(stream, False)  # a stream that waits for no other
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cpu"), stream):
        mod.scale(x, y, 2.5)
    launches, *_ = mod.end_capture()
    print("launches in the graph:", launches)
    x[:] = 10
    mod.replay()
    print("after the replay:", y.tolist())
    # [stream.end]


def empty():
    """There is nothing to do."""
    # [empty.begin]
    nothing = numpy.empty(0, float32)
    mod.scale(nothing, nothing, 2.5)
    print("launches:", mod.launches())
    # [empty.end]


def tail():
    """The input has as many elements as two vectors."""
    # [tail.begin]
    x, y = numpy.ones(8, float32), numpy.zeros(8, float32)
    mod.scale(x, y, 2.5)
    print(y.tolist())
    # [tail.end]


def alignment():
    """The input begins at the second element of a vector."""
    # [alignment.begin]
    x, y = numpy.ones(9, float32)[1:], numpy.zeros(8, float32)
    mod.scale(x, y, 2.5)
    print(y.tolist())
    # [alignment.end]


def index():
    """The elements of the input are 8 GiB apart."""
    # [index.begin]
    step = 2**32
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
    memory = mmap.mmap(-1, 2 * (2 * step + 1), flags=flags)
    x, y = numpy.frombuffer(memory, float16)[::step], numpy.zeros(3, float16)
    x[:] = [1, 2, 3]
    mod.scale(x, y, 2.5)
    print(y.tolist())
    # [index.end]


def launch():
    """The GPU rejects the launch."""
    # [launch.begin]
    x, y = numpy.array([1, 2, 3], float32), numpy.full(3, nan, float32)
    mod.refuse_launch(0)  # the next one
    mod.scale(x, y, 2.5)
    print(y.tolist())
    # [launch.end]


def strides():
    """The rows of the input are part of longer rows."""
    # [strides.begin]
    whole = numpy.array([[1, 1, 5], [1, 1, 5]], float32)
    x, y = whole[:, :2], numpy.zeros((2, 2), float32)
    mod.softmax(x, y)
    print(y.tolist())
    # [strides.end]


def optional():
    """The weight and the bias are omitted."""
    # [optional.begin]
    x, y = numpy.ones((1, 4), float32), numpy.zeros((1, 4), float32)
    mod.rms_norm(x, y, 0.0, None, None)  # without weight and bias
    print(y[0].tolist())
    # [optional.end]


def sum():
    """The squares of the elements are too large for float16."""
    # [sum.begin]
    x, y = numpy.array([[300, 400]], float16), numpy.zeros((1, 2), float16)
    mod.rms_norm(x, y, 0.0, None, None)
    print("float16:", y[0].tolist())
    wide = x.astype(float64)
    wide /= numpy.sqrt(numpy.mean(wide**2))
    print("float64:", wide[0].round(4).tolist())
    # [sum.end]


def barrier():
    """Eight warps share the row."""
    # [barrier.begin]
    x, y = numpy.ones((1, 2048), float32), numpy.zeros((1, 2048), float32)
    mod.rms_norm(x, y, 0.0, None, None)
    print(y[0, :4].tolist())
    # [barrier.end]


def atomic():
    """Two threads count the same value."""
    # [atomic.begin]
    x, counts = numpy.zeros(8, int32), numpy.zeros(2, int64)
    size = mod.histogram_workspace_size(x, counts)
    mod.histogram(x, counts, numpy.empty(size, uint8))
    print(counts.tolist())
    # [atomic.end]


try:
    globals()[sys.argv[2]]()
except Exception as error:
    print(f"{type(error).__name__}: {error}")
