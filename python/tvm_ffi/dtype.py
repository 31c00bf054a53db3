# SPDX-License-Identifier: Apache-2.0
"""Element types of tensors."""

from __future__ import annotations

import sys
from operator import index
from typing import Any

from . import _core, frameworks


class dtype(str):
    """The element type of a tensor, which is also a ``str``: its name.

    As a ``str``, it can be passed to every array library that accepts type names.

    Parameters
    ----------
    value
        Text such as ``"float32"``, ``"bfloat16"`` or ``"int8x4"``, a framework dtype, or a
        scalar type of NumPy, ml_dtypes or JAX.

    Raises
    ------
    ValueError
        The text does not name an element type.
    TypeError
        The value is neither text nor an element type.

    Examples
    --------
    >>> import tvm_ffi
    >>> tvm_ffi.dtype("float16x2").lanes
    2
    >>> tvm_ffi.dtype("bfloat16") == "bfloat16"
    True
    >>> import numpy
    >>> tvm_ffi.dtype(numpy.float64)
    dtype('float64')
    """

    __slots__ = ("bits", "code", "lanes")

    #: DLPack type code; 0 for signed integers, 1 for unsigned integers, 2 for floating point.
    code: int
    #: Bits per lane.
    bits: int
    #: Lanes per element; 1 unless the type is a vector.
    lanes: int

    def __new__(cls, value: Any) -> dtype:
        """Parse the text, or ask the adapter of the value's framework."""
        if isinstance(value, dtype):
            return value
        if isinstance(value, str):
            return cls._make(*_core.parse_dtype(value))
        answer = frameworks.recognize(type(value))
        if answer is not None and answer[0] == "dtype":
            return cls._make(*answer[1](value))
        if isinstance(value, type) and _is_scalar_type(value):
            from .frameworks.numpy import read_dtype

            return cls._make(*read_dtype(sys.modules["numpy"].dtype(value)))
        # User-defined classes may return the three numbers of a DLDataType.
        if hasattr(type(value), "__dlpack_data_type__"):
            return cls.from_dlpack_data_type(value.__dlpack_data_type__())
        name = value.__name__ if isinstance(value, type) else type(value).__name__
        raise TypeError(f"dtype: value: expected a str or an element type, got {name}")

    @classmethod
    def _make(cls, code: int, bits: int, lanes: int) -> dtype:
        self = super().__new__(cls, _core.format_dtype(code, bits, lanes))
        self.code, self.bits, self.lanes = code, bits, lanes
        return self

    @classmethod
    def _from_packed(cls, packed: int) -> dtype:
        return cls._make(packed & 0xFF, packed >> 8 & 0xFF, packed >> 16 & 0xFFFF)

    @property
    def _packed(self) -> int:
        return self.code | self.bits << 8 | self.lanes << 16

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes, rounded up."""
        return (self.bits * self.lanes + 7) // 8

    def with_lanes(self, lanes: int) -> dtype:
        """Return this element type with the given number of lanes.

        Parameters
        ----------
        lanes
            Number of lanes, 1 to 65535.

        Raises
        ------
        ValueError
            The number is out of range.

        Examples
        --------
        >>> import tvm_ffi
        >>> tvm_ffi.dtype("float32").with_lanes(4)
        dtype('float32x4')
        """
        if not 1 <= lanes <= 0xFFFF:
            raise ValueError(f"dtype.with_lanes: lanes: expected 1 to 65535, got {lanes}")
        return self._make(self.code, self.bits, lanes)

    @staticmethod
    def from_dlpack_data_type(dltype_data_type: tuple[int, int, int]) -> dtype:
        """Return the element type for the three numbers of a ``DLDataType``.

        Parameters
        ----------
        dltype_data_type
            Type code, bits and lanes.

        Raises
        ------
        ValueError
            There are not three numbers, or one does not fit in its field.

        Examples
        --------
        >>> import tvm_ffi
        >>> tvm_ffi.dtype.from_dlpack_data_type((2, 16, 1))
        dtype('float16')
        """
        numbers = tuple(map(index, dltype_data_type))
        limits = (0xFF, 0xFF, 0xFFFF)
        if len(numbers) != 3 or not all(
            0 <= n <= most for n, most in zip(numbers, limits, strict=True)
        ):
            raise ValueError(
                "dtype.from_dlpack_data_type: dltype_data_type: expected a code and bits up to 255 "
                f"and lanes up to 65535, got {numbers}"
            )
        return dtype._make(*numbers)

    @staticmethod
    def is_dtype(arg: Any) -> bool:
        """Return whether a string names an element type.

        Examples
        --------
        >>> import tvm_ffi
        >>> tvm_ffi.dtype.is_dtype("float8_e4m3fn"), tvm_ffi.dtype.is_dtype("real")
        (True, False)
        """
        if not isinstance(arg, str):
            return False
        try:
            _core.parse_dtype(arg)
        except ValueError:
            return False
        return True

    @property
    def type_code(self) -> int:
        """DLPack type code; the same as :attr:`code`."""
        return self.code

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type, including bfloat16 and 4-, 6- and 8-bit types."""
        return self.code in (2, 4) or 7 <= self.code <= 17

    @property
    def is_integer(self) -> bool:
        """Whether this is an integer type, signed or unsigned."""
        return self.code in (0, 1)

    @property
    def is_bool(self) -> bool:
        """Whether this is the Boolean type."""
        return self.code == 6

    @property
    def is_handle(self) -> bool:
        """Whether this is the pointer type, or ``void``."""
        return self.code == 3

    def __repr__(self) -> str:
        return f"dtype({str.__repr__(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype, (str(self),)


def _is_scalar_type(value: type) -> bool:
    """Return whether a class is a scalar type of NumPy or ml_dtypes."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(value, numpy.generic) and value is not numpy.generic
