# SPDX-License-Identifier: Apache-2.0
"""Call a library's function by its C symbol, as a C program does: tensors arrive as they are.

The Python package adds a byte offset to the address before a kernel sees the tensor.
"""

import ctypes


class Any(ctypes.Structure):
    """The struct TVMFFIAny, with room for a number or a pointer."""

    _fields_ = (
        ("type_index", ctypes.c_int32),
        ("padding", ctypes.c_uint32),
        ("value", ctypes.c_uint64),
    )


NONE, INT, FLOAT, DLTENSOR = 0, 1, 3, 7  # type indices


def packed(value):
    """Pack an int, a float, None or a Producer."""
    if value is None:
        return Any(NONE, 0, 0)
    if isinstance(value, int):
        return Any(INT, 0, value)
    if isinstance(value, float):
        return Any(FLOAT, 0, int.from_bytes(ctypes.c_double(value), "little"))
    return Any(DLTENSOR, 0, ctypes.addressof(value.managed.dl_tensor))


def function(library, name):
    """Give a function that calls the symbol, for one that returns nothing."""
    symbol = ctypes.CDLL(str(library))[f"__tvm_ffi_{name}"]
    symbol.argtypes = (ctypes.c_void_p, ctypes.POINTER(Any), ctypes.c_int32, ctypes.POINTER(Any))

    def call(*values):
        result = Any()
        arguments = (Any * len(values))(*map(packed, values))
        assert symbol(None, arguments, len(values), ctypes.byref(result)) == 0, name
        assert result.type_index == NONE

    return call
