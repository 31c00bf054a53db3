# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle: tensors, dtypes and places."""

from __future__ import annotations

import sys
from typing import Any

from .. import _core

_paddle: Any = sys.modules["paddle"]


def recognize(cls: type) -> tuple[str, Any] | None:
    """Recognize tensors, dtypes and places."""
    if issubclass(cls, _paddle.Tensor):
        return ("exchange" if _framework.has_exchange else "dlpack"), _framework
    if cls is _paddle.dtype:
        return "dtype", _read_dtype
    if cls.__name__ in _READERS:
        return "device", _READERS[cls.__name__]
    return None


def _from_tensor(tensor: _core.Tensor) -> Any:
    """Convert a tensor for a PaddlePaddle without the exchange API."""
    return _paddle.utils.dlpack.from_dlpack(tensor)


def _has_dtype(dtype: Any) -> bool:
    """Return whether PaddlePaddle has the element type; its uint16 is bfloat16."""
    return dtype != "uint16" and isinstance(getattr(_paddle, str(dtype), None), _paddle.dtype)


def _read_dtype(value: Any) -> tuple[int, int, int]:
    try:
        return _core.parse_dtype(str(value).removeprefix("paddle."))
    except ValueError:
        raise TypeError(f"expected a dtype that DLPack supports, got {value!s}") from None


def _read_place(value: Any) -> tuple[int, int]:
    if value.is_cpu_place():
        return 1, 0
    if value.is_gpu_place():
        return (10 if _paddle.is_compiled_with_rocm() else 2), value.gpu_device_id()
    if value.is_cuda_pinned_place():
        return 3, 0
    raise ValueError(f"expected a place that DLPack supports, got {value}")


_READERS: dict[str, Any] = {
    "Place": _read_place,
    "CPUPlace": lambda place: (1, 0),
    "CUDAPlace": lambda place: (2, place.get_device_id()),
    "CUDAPinnedPlace": lambda place: (3, 0),
}
_framework = _core.Framework(
    "paddle",
    forward_only=True,
    exchange_type=_paddle.Tensor,
    from_tensor=_from_tensor,
    has_dtype=_has_dtype,
)
