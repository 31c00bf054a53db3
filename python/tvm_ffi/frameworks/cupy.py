# SPDX-License-Identifier: Apache-2.0
"""CuPy: arrays, devices, the current stream and the memory pool."""

from __future__ import annotations

import sys
from typing import Any

from .. import _core

_cupy: Any = sys.modules["cupy"]

# Device types of CuPy's arrays.
_DEVICES = frozenset({"cuda", "cuda_managed", "rocm"})


def recognize(cls: type) -> tuple[str, Any] | None:
    """Recognize arrays and devices; dtypes are NumPy's."""
    if issubclass(cls, _cupy.ndarray):
        return ("exchange" if _framework.has_exchange else "dlpack"), _framework
    if issubclass(cls, _cupy.cuda.Device):
        return "device", _read_device
    return None


def _from_tensor(tensor: _core.Tensor) -> Any:
    """Return an array, or the tensor itself if CuPy cannot hold it: host memory, bfloat16."""
    if tensor.device.type not in _DEVICES:
        return tensor
    try:
        return _cupy.from_dlpack(tensor)
    except (BufferError, TypeError, ValueError, RuntimeError):
        return tensor


def _current_stream(device_id: int) -> int:
    """Return the address of CuPy's current stream in this thread."""
    with _cupy.cuda.Device(device_id):
        return int(_cupy.cuda.get_current_stream().ptr)


def _allocate(shape: tuple[int, ...], dtype: Any, device_id: int) -> Any:
    """Allocate from CuPy's memory pool."""
    with _cupy.cuda.Device(device_id):
        return _cupy.empty(shape, dtype=str(dtype))


def _read_device(value: Any) -> tuple[int, int]:
    return (10 if _cupy.cuda.runtime.is_hip else 2), value.id


_framework = _core.Framework(
    "cupy",
    exchange_type=_cupy.ndarray,
    from_tensor=_from_tensor,
    current_stream=_current_stream,
    allocate=_allocate,
)
