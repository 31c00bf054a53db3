# SPDX-License-Identifier: Apache-2.0
"""Devices from strings, numbers and pairs."""

from __future__ import annotations

from typing import Any

import tvm_ffi
from hypothesis import strategies as st
from ledger import Ledger
from target import expect
from tvm_ffi import testing

KINDS = [
    "cpu",
    "cuda",
    "cuda_host",
    "opencl",
    "vulkan",
    "metal",
    "rocm",
    "webgpu",
    "wgpu",
    "mps",
    "trn",
    "gpu",
    "CPU",
]
TEXTS = st.lists(
    st.sampled_from(
        [*KINDS, ":", ":0", ":1", "-1", "2147483647", "2147483648", "9" * 30, " ", "\0", "\u0661"]
    ),
    max_size=4,
).map("".join)
NUMBERS = st.integers(-2, 20) | st.integers()

INPUTS = st.tuples(
    st.one_of(TEXTS, st.text(max_size=8), NUMBERS, st.none(), st.floats(), st.booleans()),
    st.none() | NUMBERS | st.floats() | st.text(max_size=3),
    st.booleans(),
).map(list)


def run(given: Any, ledger: Ledger) -> None:
    """Create a device, pass it through C++, and parse its string again."""
    kind, index, passed = given
    device = tvm_ffi.device(kind) if index is None else tvm_ffi.device(kind, index)
    expect(0 <= device.index < 2**31, f"number {device.index}")
    if isinstance(kind, str) and kind.rpartition(":")[2].isascii() and ":" in kind:
        number = kind.rpartition(":")[2]
        expect(int(number) == device.index, f"{kind} is number {device.index}")
    if passed:
        same = testing.echo(device)
        expect(same == device, f"C++ makes {same} of {device}")
        expect(tvm_ffi.device(str(device)) == device, f"{device} does not read its own text")
