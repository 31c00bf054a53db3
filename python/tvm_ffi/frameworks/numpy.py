# SPDX-License-Identifier: Apache-2.0
"""NumPy: arrays, including those of ml_dtypes' element types, dtypes and scalars."""

from __future__ import annotations

import sys
from typing import Any

from .. import _core

_np: Any = sys.modules["numpy"]

_CODE_OF_KIND = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KIND_OF_CODE = {code: kind for kind, code in _CODE_OF_KIND.items()}
# DLPack type codes of the element types in ml_dtypes, by name.
_ML_DTYPES = {
    "bfloat16": 4,
    "complex32": 5,
    "float8_e3m4": 7,
    "float8_e4m3": 8,
    "float8_e4m3b11fnuz": 9,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
}
_ML_NAMES = {code: name for name, code in _ML_DTYPES.items()}


def recognize(cls: Any) -> tuple[str, Any] | None:
    """Recognize arrays, dtypes and scalars that are not plain numbers."""
    if issubclass(cls, _np.ma.MaskedArray):
        return "refused", "expected an array without a mask; pass x.filled(value)"
    if issubclass(cls, _np.ndarray):
        # A subclass has its base's layout, and is read the same way unless it exports differently.
        exports_itself = cls.__dlpack__ is not _np.ndarray.__dlpack__
        return ("ndarray" if _layout_is_known and not exports_itself else "dlpack"), _framework
    if issubclass(cls, _np.dtype):
        return "dtype", read_dtype
    if cls is _np.bool_:
        return "bool", None
    if issubclass(cls, (_np.complexfloating, _np.datetime64, _np.timedelta64, _np.void)):
        return "refused", "expected a real number; no function takes such a scalar"
    return None


def as_array(tensor: _core.Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    """Return an array that shares the tensor's memory, or a copy, for ``numpy.asarray``."""
    array = _core.ndarray_from_tensor(tensor)
    if array is tensor:
        if tensor.device.type != "cpu":
            problem = f"expected a tensor on the CPU, got one on {tensor.device}"
        else:
            problem = f"expected an element type that NumPy or ml_dtypes has, got {tensor.dtype}"
        raise TypeError(f"Tensor.__array__: {problem}")
    if dtype is not None and array.dtype != dtype:
        if copy is not None and not copy:
            raise ValueError(f"Tensor.__array__: copy: expected True to get {dtype}, got False")
        return array.astype(dtype)
    return array.copy() if copy else array


def read_dtype(value: Any) -> tuple[int, int, int]:
    """Return the code, bits and lanes of a ``numpy.dtype``."""
    if value.isnative:
        if value.type.__module__.partition(".")[0] == "ml_dtypes":
            if value.name in _ML_DTYPES:
                return _ML_DTYPES[value.name], 8 * value.itemsize, 1
        # A long double occupies 16 bytes but uses only 10, which a kernel cannot know.
        elif value.kind in _CODE_OF_KIND and value.char not in "gG":
            return _CODE_OF_KIND[value.kind], 8 * value.itemsize, 1
    raise TypeError(f"expected a dtype that DLPack supports, in native byte order, got {value!r}")


def _find_dtype(code: int, bits: int, lanes: int) -> Any:
    """Return the ``numpy.dtype``; ``None`` if neither NumPy nor an installed ml_dtypes has it."""
    if lanes != 1:
        return None
    try:
        if code in _KIND_OF_CODE and (code, bits) != (5, 32):
            found = _np.dtype(f"{_KIND_OF_CODE[code]}{bits // 8}")
        else:
            import ml_dtypes

            found = _np.dtype(getattr(ml_dtypes, _ML_NAMES[code]))
    except (TypeError, ImportError, AttributeError, KeyError):
        return None
    return found if 8 * found.itemsize == bits else None


def _check_layout() -> bool:
    """Compare the array fields that the extension reads with NumPy's own values."""
    plain = _np.arange(24, dtype="int16").reshape(2, 3, 4)
    frozen = _np.zeros((), "float64")
    frozen.flags.writeable = False
    for sample in (plain, plain[:, ::-2, 1:], plain.T, frozen, _np.zeros((0, 5), "int8")):
        if not _core.ndarray_layout_is_known(
            sample, sample.ctypes.data, sample.shape, sample.strides, sample.flags.writeable
        ):
            return False
    return True


def _c_table() -> Any:
    """Return NumPy's C API table, which moved in NumPy 2."""
    core = _np._core if hasattr(_np, "_core") else _np.core
    return core._multiarray_umath._ARRAY_API


_core.set_ndarray_dtype_reader(read_dtype)
_core.set_numpy_table(_c_table(), _find_dtype)
_layout_is_known = _check_layout()
_framework = _core.Framework("numpy", from_tensor=_core.ndarray_from_tensor)
