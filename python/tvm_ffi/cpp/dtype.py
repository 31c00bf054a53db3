# SPDX-License-Identifier: Apache-2.0
"""C++ names of element types."""

from __future__ import annotations

from ..dtype import dtype

_NAMES = {
    "bool": "bool",
    "float32": "float",
    "float64": "double",
    # CUDA has types for these, C++17 does not; their headers are cuda_fp16.h and so on.
    "float16": "__half",
    "bfloat16": "__nv_bfloat16",
    "float8_e4m3fn": "__nv_fp8_e4m3",
    "float8_e5m2": "__nv_fp8_e5m2",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def to_cpp_dtype(dtype_str: object) -> str:
    """Return the C++ type of one element.

    Parameters
    ----------
    dtype_str
        A :class:`tvm_ffi.dtype`, its name, or a framework dtype.

    Returns
    -------
    str
        The type, such as ``float`` or ``int32_t``; for 16-bit floats and float8, the CUDA type.

    Raises
    ------
    ValueError
        Neither C++ nor CUDA has a type for it.

    Examples
    --------
    >>> from tvm_ffi.cpp import to_cpp_dtype
    >>> to_cpp_dtype("float32"), to_cpp_dtype("uint8"), to_cpp_dtype("float16")
    ('float', 'uint8_t', '__half')
    """
    try:
        name = str(dtype(dtype_str))
    except (TypeError, ValueError):
        name = ""
    if name not in _NAMES:
        raise ValueError(
            f"to_cpp_dtype: dtype_str: expected one of {', '.join(_NAMES)}, got {dtype_str!r}"
        )
    return _NAMES[name]
