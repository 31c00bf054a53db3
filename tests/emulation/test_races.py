# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The emulation finds races even if they do not collide, and none in correct kernels."""

import re
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi
from emulate import WATCHING, build_source

PLANTED = Path(__file__).with_name("planted.cu")
X = np.arange(256, dtype="float32")
OTHER_LANES = X[:32].reshape(16, 2)[:, ::-1].ravel()


@pytest.fixture(scope="module")
def mod(tmp_path_factory):
    """The planted kernels, which report their accesses."""
    library = tmp_path_factory.mktemp("races") / "planted.so"
    return tvm_ffi.load_module(build_source(PLANTED, library, WATCHING))


def neighbours(x):
    """The result of one pass over a shared buffer."""
    return x + np.roll(x, -1)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("total_of_blocks", [X[:8].sum()]),
        ("total_of_threads", [X[:8].sum()]),
        ("sum", [X.sum()]),
        ("twice", neighbours(neighbours(X[:64]))),
        ("lanes", 2 * OTHER_LANES),
        ("last_block", [8, X.sum()]),
        ("last_thread", [40, X[:40].sum()]),
        ("own", [64] * 16),
        ("in_place", [1] * 40),
        ("bytes", np.frombuffer(b"\x01" * 108, dtype="float32")),
    ],
)
def test_what_is_ordered_is_no_race(mod, name, expected):
    """Atomic operations, barriers, and a fence before taking a ticket order accesses.

    So does the end of a launch. Neighbouring bytes are separate memory, and values read beyond
    the end by a vector loop are discarded.
    """
    for _ in range(10):
        y = np.zeros(256, dtype="float32")
        mod[name](X, y)
        assert y[: len(expected)].tolist() == list(expected)


OTHER_BLOCK = "expected atomic operations, since no barrier orders two blocks"
SAME_BLOCK = "expected a barrier between them"
BOTH_CHANGE = f"{SAME_BLOCK}, or atomic operations"


@pytest.mark.parametrize(
    ("name", "kernel", "lines", "advice"),
    [
        ("total_of_blocks_without_atomic", "total", {"    *y += value;"}, OTHER_BLOCK),
        ("total_of_threads_without_atomic", "total", {"    *y += value;"}, BOTH_CHANGE),
        (
            "sum_without_barrier",
            "sum",
            {
                "  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;",
                "    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f);",
            },
            SAME_BLOCK,
        ),
        (
            "twice_without_barrier",
            "twice",
            {"    row[threadIdx.x] = value;", "    value += row[(threadIdx.x + 1) % 64];"},
            SAME_BLOCK,
        ),
        (
            "lanes_without_barrier",
            "lanes",
            {
                "  row[threadIdx.x] = x[threadIdx.x];",
                "  y[threadIdx.x] = other + row[threadIdx.x ^ 1];",
            },
            SAME_BLOCK,
        ),
        (
            "last_block_without_fence",
            "last_block",
            {
                "  if (threadIdx.x == 0) y[1 + blockIdx.x] = sum;",
                "  const float part = threadIdx.x < gridDim.x ? y[1 + threadIdx.x] : 0.0f;",
            },
            OTHER_BLOCK,
        ),
        (
            "last_thread_without_fence",
            "last_thread",
            {
                "  y[2 + i] = x[i];",
                "  for (unsigned k = 0; k < n; ++k) all += y[2 + k];",
            },
            SAME_BLOCK,
        ),
        (
            "last_thread_of_blocks",
            "last_thread",
            {
                "  y[2 + i] = x[i];",
                "  for (unsigned k = 0; k < n; ++k) all += y[2 + k];",
            },
            OTHER_BLOCK,
        ),
        (
            "chain",
            "chain",
            {"  y[blockIdx.x] = blockIdx.x == 0 ? 1.0f : y[blockIdx.x - 1] + 1.0f;"},
            OTHER_BLOCK,
        ),
    ],
)
def test_a_race_is_found_in_every_run(mod, name, kernel, lines, advice):
    """The error names the kernel, both threads and both lines, whatever the execution order."""
    did = "reads 4 bytes|writes 4 bytes|changes atomically 4 bytes|read|wrote|changed atomically"
    place = rf"block \(\d+, 0, 0\), thread \d+ ({did})"
    at = r" at planted\.cu:(\d+)"
    message = f"emulation: race in {kernel}_kernel: {place}{at} that {place}{at}; {advice}"
    rows = ["", *PLANTED.read_text().splitlines()]
    for _ in range(20):
        with pytest.raises(RuntimeError) as caught:
            mod[name](X, np.zeros(256, dtype="float32"))
        found = re.fullmatch(message, str(caught.value))
        assert found, str(caught.value)
        assert {rows[int(found[2])], rows[int(found[4])]} == lines


AROUND = 32


@pytest.mark.parametrize(
    ("name", "where"),
    [("before_first", "before the beginning of"), ("after_last", "beyond the end of")],
)
def test_a_read_outside_of_a_tensor_is_found(mod, name, where):
    """The error names the kernel and the line, once the test has registered the tensor."""
    memory, y = np.zeros(24, dtype="float32"), np.zeros(1, dtype="float32")
    x = memory[8:16]
    mod.surround(x.ctypes.data, x.nbytes, AROUND)
    line = PLANTED.read_text().splitlines().index("  const float value = x[i];") + 1
    with pytest.raises(RuntimeError) as caught:
        mod[name](x, y)
    assert str(caught.value) == (
        "emulation: stray access in stray_kernel: block (0, 0, 0), thread 0 reads 4 bytes "
        f"at planted.cu:{line}, {where} a tensor"
    )
    mod.forget_surroundings()
    mod[name](x, y)
    assert y[0] == 2
