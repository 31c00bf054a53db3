# SPDX-License-Identifier: Apache-2.0
"""NumPy: arrays, also of ml_dtypes' element types, dtypes and scalars."""

from __future__ import annotations

import sys
from typing import Any

from .. import _core
from ..device import DLDeviceType
from ..dtype import dtype

_np: Any = sys.modules["numpy"]

_CODE_OF_KIND = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
# Element types that come with ml_dtypes, by the name of their scalar type.
_ML_DTYPES = {
    "bfloat16": (4, 16),
    "float8_e3m4": (7, 8),
    "float8_e4m3": (8, 8),
    "float8_e4m3b11fnuz": (9, 8),
    "float8_e4m3fn": (10, 8),
    "float8_e4m3fnuz": (11, 8),
    "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8),
}
_ML_NAMES = {value: name for name, value in _ML_DTYPES.items()}
# DLPack types that NumPy reads by itself.
_NATIVE_CODES = frozenset(_CODE_OF_KIND.values())


def recognize(cls: type) -> tuple[str, Any] | None:
    """Tell arrays, dtypes and truth values; numbers need no telling."""
    if cls is _np.ndarray:
        return ("ndarray" if _layout_is_known else "dlpack"), _framework
    if issubclass(cls, _np.ndarray):
        return "dlpack", _framework
    if issubclass(cls, _np.dtype):
        return "dtype", _dtype
    if cls is _np.bool_:
        return "bool", None
    return None


def _dtype(value: Any) -> tuple[int, int, int]:
    """Give the code, the bits and the lanes of a ``numpy.dtype``."""
    if value.isnative:
        if value.type.__module__.partition(".")[0] == "ml_dtypes":
            if value.name in _ML_DTYPES:
                return (*_ML_DTYPES[value.name], 1)
        # A long double takes 16 bytes, of which 10 count: no kernel can know that.
        elif value.kind in _CODE_OF_KIND and value.char not in "gG":
            return _CODE_OF_KIND[value.kind], 8 * value.itemsize, 1
    raise TypeError(
        f"dtype: expected a dtype that DLPack knows, in native byte order, got {value!r}"
    )


def _from_tensor(tensor: Any) -> Any:
    """Give the array over a ``tvm_ffi.Tensor``; the tensor itself where NumPy has no such array."""
    kind: dtype = tensor.dtype
    if tensor.device.dlpack_device_type() != DLDeviceType.kDLCPU or kind.lanes != 1:
        return tensor
    if kind.code in _NATIVE_CODES:
        return _np.from_dlpack(tensor)
    name = _ML_NAMES.get((kind.code, kind.bits))
    if name is None:
        return tensor
    try:
        import ml_dtypes
    except ImportError:
        return tensor
    bits = _core.reinterpret(tensor, dtype(f"uint{kind.bits}"))
    return _np.from_dlpack(bits).view(getattr(ml_dtypes, name))


def _check_layout() -> bool:
    """Compare what the extension reads from arrays with what NumPy says of them."""
    plain = _np.arange(24, dtype="int16").reshape(2, 3, 4)
    frozen = _np.zeros((), "float64")
    frozen.flags.writeable = False
    for sample in (plain, plain[:, ::-2, 1:], plain.T, frozen, _np.zeros((0, 5), "int8")):
        if not _core.ndarray_layout_is_known(
            sample, sample.ctypes.data, sample.shape, sample.strides, sample.flags.writeable
        ):
            return False
    return True


_core.set_ndarray_dtype_reader(_dtype)
_layout_is_known = _check_layout()
_framework = _core.Framework("numpy", from_tensor=_from_tensor)
