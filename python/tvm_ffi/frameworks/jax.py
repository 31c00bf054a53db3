# SPDX-License-Identifier: Apache-2.0
"""JAX: arrays and devices.

JAX arrays are immutable, which their DLPack export does not declare: they are inputs only.
"""

from __future__ import annotations

import sys
from typing import Any

from .. import _core

_jax: Any = sys.modules["jax"]

_DEVICE_TYPES = {"cpu": 1, "gpu": 2, "cuda": 2, "rocm": 10}
# JAX narrows these unless it is configured to support them.
_WIDE = frozenset({"int64", "uint64", "float64", "complex128"})


def recognize(cls: type) -> tuple[str, Any] | None:
    """Recognize arrays, dtypes and devices; refuse tracers and random keys."""
    if issubclass(cls, _jax.core.Tracer):
        return "refused", (
            "expected an array, got one that JAX traces; call the function outside of "
            "jax.jit, jax.grad and jax.vmap, or through jax.pure_callback"
        )
    if _is_key_array(cls):
        return (
            "refused",
            "expected an array of numbers, got random keys; pass jax.random.key_data(x)",
        )
    if issubclass(cls, _jax.Array):
        return "dlpack", _framework
    if cls.__name__ == "_ScalarMeta":  # the type of jax.numpy.float32 and the others
        return "dtype", _read_scalar_type
    if issubclass(cls, _jax.Device):
        return "device", _read_device
    return None


def _is_key_array(cls: type) -> bool:
    return issubclass(cls, _jax.Array) and cls.__name__ == "PRNGKeyArray"


def _prepare(array: Any) -> Any:
    if array.is_deleted():
        raise ValueError("expected an array with memory, got one that was deleted or donated")
    return array


def _from_tensor(tensor: _core.Tensor) -> Any:
    """Return an array, or the tensor itself if JAX cannot hold it.

    On a GPU, JAX uses its own streams, and nothing would make it wait for the kernel.
    """
    if tensor.device.type != "cpu":
        return tensor
    if tensor.dtype in _WIDE and not _jax.config.jax_enable_x64:
        return tensor
    try:
        return _jax.dlpack.from_dlpack(tensor)
    except (BufferError, TypeError, ValueError, RuntimeError):
        return tensor  # not compact, or an element type that JAX lacks


def _read_scalar_type(value: Any) -> tuple[int, int, int]:
    from .numpy import read_dtype

    return read_dtype(value.dtype)


def _read_device(value: Any) -> tuple[int, int]:
    if value.platform not in _DEVICE_TYPES:
        raise ValueError(f"expected a device that DLPack supports, got {value}")
    return _DEVICE_TYPES[value.platform], value.local_hardware_id or 0


_framework = _core.Framework("jax", from_tensor=_from_tensor, prepare=_prepare)
