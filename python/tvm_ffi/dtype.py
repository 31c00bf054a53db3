# SPDX-License-Identifier: Apache-2.0
"""Element types of tensors."""

from __future__ import annotations

from typing import Any

from . import _core, frameworks


class dtype(str):
    """An element type, which is also its text.

    As a ``str`` it can be handed to every array library that takes names of types.

    Parameters
    ----------
    value
        Text such as ``"float32"``, ``"bfloat16"`` or ``"int8x4"``, or a dtype of a framework.

    Raises
    ------
    ValueError
        The text is not that of an element type.
    TypeError
        The value is neither text nor an element type.

    Examples
    --------
    >>> import tvm_ffi
    >>> tvm_ffi.dtype("float16x2").lanes
    2
    >>> tvm_ffi.dtype("bfloat16") == "bfloat16"
    True
    """

    __slots__ = ("bits", "code", "lanes")

    #: Kind of number, as a DLPack type code; 0 for signed integers, 1 unsigned, 2 floating point.
    code: int
    #: Bits of one number.
    bits: int
    #: Numbers in one element; 1 unless the type is a vector.
    lanes: int

    def __new__(cls, value: Any) -> dtype:
        """Read the text, or ask the adapter of the value's framework."""
        if isinstance(value, dtype):
            return value
        if isinstance(value, str):
            return cls._make(*_core.parse_dtype(value))
        answer = frameworks.recognize(type(value))
        if answer is None or answer[0] != "dtype":
            raise TypeError(
                f"dtype: value: expected a str or an element type, got {type(value).__name__}"
            )
        return cls._make(*answer[1](value))

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
        """Bytes of one element, rounded up."""
        return (self.bits * self.lanes + 7) // 8

    def with_lanes(self, lanes: int) -> dtype:
        """Give the vector type of so many numbers of this kind.

        Examples
        --------
        >>> import tvm_ffi
        >>> tvm_ffi.dtype("float32").with_lanes(4)
        dtype('float32x4')
        """
        if not 1 <= lanes <= 0xFFFF:
            raise ValueError(f"dtype.with_lanes: lanes: expected 1 to 65535, got {lanes}")
        return self._make(self.code, self.bits, lanes)

    def __repr__(self) -> str:
        return f"dtype({str.__repr__(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype, (str(self),)
