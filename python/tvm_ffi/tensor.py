# SPDX-License-Identifier: Apache-2.0
"""Tensors that are counted by reference."""

from __future__ import annotations

from typing import Any

from . import _core
from ._core import Tensor


def from_dlpack(
    ext_tensor: Any,
    *,
    require_alignment: int = 0,
    require_contiguous: bool = False,
    allow_read_only: bool = False,
) -> Tensor:
    """Take a framework's tensor as a :class:`tvm_ffi.Tensor` that shares its memory.

    Calls take framework tensors as they are; this is for a tensor that is to be kept, or that needs
    one of the options. Calls with the result follow the framework's stream, as with the tensor
    itself.

    Parameters
    ----------
    ext_tensor
        Any object with ``__dlpack_c_exchange_api__`` or ``__dlpack__``, or what a ``__dlpack__``
        gave, which is used up.
    require_alignment
        The first element's address must be a multiple of that many bytes; 0 for any.
    require_contiguous
        Refuse a tensor that is not compact and row-major.
    allow_read_only
        Accept a tensor that its producer forbids to write. The result, too, may then be passed to
        a function; that the function only reads it is your promise.

    Raises
    ------
    ValueError
        The tensor does not meet a requirement, or is a view that is negated or conjugated when
        read.
    TypeError
        The object is not a tensor.

    Notes
    -----
    What shares a PyTorch tensor keeps the tensor, not its memory, and so does whatever a function
    keeps: ``x.set_()`` frees memory that is still shown, unless ``x.detach()`` was shared.
    ``x.resize_()`` may free it in any case.

    Examples
    --------
    >>> import numpy, tvm_ffi
    >>> tvm_ffi.from_dlpack(numpy.zeros((2, 3), "int8"))
    tvm_ffi.Tensor(shape=(2, 3), dtype='int8', device='cpu:0')
    """
    return _core.from_dlpack(ext_tensor, require_alignment, require_contiguous, allow_read_only)
