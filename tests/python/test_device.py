# SPDX-License-Identifier: Apache-2.0
# Rows: R1
"""Devices."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi import DLDeviceType

from .conftest import needs_torch, torch


@pytest.mark.parametrize(
    ("arguments", "kind", "index"),
    [
        (("cpu",), DLDeviceType.kDLCPU, 0),
        (("cuda:1",), DLDeviceType.kDLCUDA, 1),
        (("cuda", 2), DLDeviceType.kDLCUDA, 2),
        ((DLDeviceType.kDLROCM, 3), DLDeviceType.kDLROCM, 3),
        ((2,), DLDeviceType.kDLCUDA, 0),
        (("mps",), DLDeviceType.kDLMetal, 0),
        (("wgpu:1",), DLDeviceType.kDLWebGPU, 1),
        (("cuda_host",), DLDeviceType.kDLCUDAHost, 0),
        ((tvm_ffi.device("cuda:1"),), DLDeviceType.kDLCUDA, 1),
        ((tvm_ffi.device("cuda:1"), 4), DLDeviceType.kDLCUDA, 4),
    ],
)
def test_devices_are_read(arguments: tuple[Any, ...], kind: DLDeviceType, index: int) -> None:
    """Each way to specify a device gives its type and index."""
    device = tvm_ffi.device(*arguments)
    assert device.dlpack_device_type() == kind
    assert device.index == index
    assert tvm_ffi.Device(*arguments) == device


def test_printed_forms() -> None:
    """The text parses back to the device; the repr shows both parts."""
    device = tvm_ffi.device("cuda", 1)
    assert str(device) == "cuda:1"
    assert repr(device) == "device(type='cuda', index=1)"
    assert (device.type, device.index) == ("cuda", 1)
    assert tvm_ffi.device(str(device)) == device


def test_equality() -> None:
    """Devices are equal by type and index, and equal nothing else."""
    assert tvm_ffi.device("cuda:0") == tvm_ffi.device("cuda", 0)
    assert tvm_ffi.device("cuda:0") != tvm_ffi.device("cuda:1")
    assert tvm_ffi.device("cpu") != "cpu"
    assert len({tvm_ffi.device("cuda:0"), tvm_ffi.device("cuda"), tvm_ffi.device("cpu")}) == 2


@pytest.mark.parametrize(
    "remake", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_devices_can_be_copied(remake: Any) -> None:
    """Copies and pickles are equal."""
    device = tvm_ffi.device("cuda:3")
    assert remake(device) == device


@needs_torch
def test_torch_devices_are_read() -> None:
    """PyTorch's devices become tvm_ffi's."""
    assert tvm_ffi.device(torch.device("cuda:1")) == tvm_ffi.device("cuda:1")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("gpu",), ValueError, "device_type: expected one of cpu, cuda, .*got 'gpu'"),
        (("cuda:",), ValueError, "expected a number after the colon, got 'cuda:'"),
        (("cuda:-1",), ValueError, "expected a number after the colon"),
        (("cuda:1:2",), ValueError, "expected a number after the colon"),
        (("cuda:1", 1), ValueError, "index: expected it once"),
        (("cuda", -1), ValueError, "index: expected 0 to 2147483647, got -1"),
        (("cuda", 2**31), ValueError, "index: expected 0 to 2147483647"),
        (("cuda", "1"), TypeError, "index: expected an int, got str"),
        ((999,), ValueError, "expected one of DLDeviceType, got 999"),
        ((None,), TypeError, "expected a str, a DLDeviceType or a device, got NoneType"),
        ((True,), TypeError, "got bool"),
    ],
)
def test_what_is_no_device(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    """The error says what was expected and what was passed."""
    with pytest.raises(error, match=message):
        tvm_ffi.device(*arguments)


@given(st.text())
def test_other_text_is_a_value_error(text: str) -> None:
    """Any text is either a device or a ValueError."""
    try:
        device = tvm_ffi.device(text)
    except ValueError:
        return
    assert tvm_ffi.device(str(device)) == device


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_every_value_survives_the_crossing(functions: Any, kind: int, index: int) -> None:
    """Both numbers come back unchanged, even for unknown device types."""
    packed = (kind & 0xFFFFFFFF) | (index & 0xFFFFFFFF) << 32
    back = functions.echo(tvm_ffi.Device._from_packed(packed))
    assert (back.dlpack_device_type(), back.index) == (kind, index)
