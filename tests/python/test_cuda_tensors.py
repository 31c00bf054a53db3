# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R3, R4
"""PyTorch tensors on a GPU, as arguments and results; all tests are skipped without a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
import tvm_ffi

from .conftest import torch

CUDA = int(tvm_ffi.DLDeviceType.kDLCUDA)

pytestmark = pytest.mark.skipif(
    torch is None or not torch.cuda.is_available(), reason="needs a GPU and PyTorch for it"
)

LAYOUTS: dict[str, Callable[[], Any]] = {
    "compact": lambda: torch.randn(5, 7, device="cuda"),
    "view": lambda: torch.randn(5, 7, device="cuda")[1:4],
    "offset view": lambda: torch.randn(64, device="cuda")[3:],
    "strided": lambda: torch.randn(8, 6, device="cuda").T[::2],
    "no dimension": lambda: torch.randn((), device="cuda"),
    "empty": lambda: torch.randn(0, 3, device="cuda"),
}
DTYPES = [
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"),
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(functions: Any, layout: str) -> None:
    """A tensor arrives at its own address and comes back as the same memory."""
    x = LAYOUTS[layout]()
    assert functions.address(x) == x.data_ptr()
    assert [functions.shape_at(x, i) for i in range(x.ndim)] == list(x.shape)
    assert [functions.stride_at(x, i) for i in range(x.ndim)] == list(x.stride())
    back = functions.echo(x)
    assert type(back) is torch.Tensor
    assert (back.data_ptr(), back.device, back.shape) == (x.data_ptr(), x.device, x.shape)
    assert torch.equal(back, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_element_types(functions: Any, dtype: str) -> None:
    """Each element type crosses in both directions."""
    x = torch.zeros(3, device="cuda").to(getattr(torch, dtype))
    assert str(tvm_ffi.from_dlpack(x).dtype) == dtype
    assert functions.echo(x).dtype == x.dtype


def test_the_current_stream_is_followed(functions: Any) -> None:
    """PyTorch's current stream is the call's, even for imported tensors and in containers."""
    stream = torch.cuda.Stream()
    x = torch.zeros(2, device="cuda")
    index = x.device.index
    imported = tvm_ffi.from_dlpack(x)
    with torch.cuda.stream(stream):
        for argument in (x, imported, [1, x], {"a": [x]}):
            assert functions.stream_of(CUDA, index, argument) == stream.cuda_stream
    assert functions.stream_of(CUDA, index, x) == torch.cuda.current_stream().cuda_stream
    assert tvm_ffi.get_raw_stream(tvm_ffi.device("cuda", index)) == 0


def test_lazy_views_are_refused(functions: Any) -> None:
    """Views that are negated or conjugated on read do not reach the function."""
    x = torch.ones(3, dtype=torch.complex64, device="cuda").conj()
    with pytest.raises(ValueError, match="resolve_conj"):
        functions.nop(x)
    with pytest.raises(ValueError, match="resolve_neg"):
        functions.nop(x.imag)


def test_pytorchs_allocator_is_used(elements: Any) -> None:
    """Memory that a function allocates for a PyTorch tensor argument comes from PyTorch."""
    x = torch.zeros(1000, 3, device="cuda")
    before = torch.cuda.memory_allocated()
    made = elements.allocate_like(x)
    assert type(made) is torch.Tensor
    assert (made.device, made.shape) == (x.device, x.shape)
    assert torch.cuda.memory_allocated() > before


def test_memory_of_a_gpu_is_no_array(functions: Any) -> None:
    """NumPy cannot convert a GPU tensor."""
    with pytest.raises((TypeError, ValueError, BufferError), match=r"cuda|GPU|device"):
        numpy.asarray(tvm_ffi.from_dlpack(torch.zeros(2, device="cuda")))
