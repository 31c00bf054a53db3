# SPDX-License-Identifier: Apache-2.0
"""Shapes of tensors."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index


class Shape(tuple[int, ...]):
    """A tuple of integers that functions accept as a ``ShapeView`` or ``Shape``.

    Parameters
    ----------
    extents
        The integers.

    Raises
    ------
    TypeError
        One of them is not an integer.
    ValueError
        One of them does not fit in 64 bits.

    Examples
    --------
    >>> import tvm_ffi
    >>> tvm_ffi.Shape([2, 3]) == (2, 3)
    True
    """

    __slots__ = ()

    def __new__(cls, extents: Iterable[int] = ()) -> Shape:
        """Check each extent."""
        try:
            checked = tuple(map(index, extents))
        except TypeError as error:
            raise TypeError(
                f"Shape: extents: expected an iterable of integers, got {extents!r}"
            ) from error
        for extent in checked:
            if not -(2**63) <= extent < 2**63:
                raise ValueError(f"Shape: expected integers that fit in 64 bits, got {extent}")
        return super().__new__(cls, checked)

    def __repr__(self) -> str:
        return f"Shape({tuple(self)})"
