# SPDX-License-Identifier: Apache-2.0
"""A DLPack producer that says what it is told: any device, any byte offset, no strides."""

import ctypes

FLOAT32 = (2, 32)
FLOAT64 = (2, 64)
FLOAT16 = (2, 16)
BFLOAT16 = (4, 16)


class DLTensor(ctypes.Structure):
    """The struct of DLPack."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class DLManagedTensor(ctypes.Structure):
    """The struct from before DLPack 1.0; without a deleter, as the array outlives the call."""

    _fields_ = (
        ("dl_tensor", DLTensor),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class Producer:
    """A one-dimensional tensor that lies in somebody's memory, told as the caller wants it.

    `owner` is a PyTorch tensor or a NumPy array: its memory is lent. The tensor has `size` elements
    of the type (code, bits) from byte `offset` on; `told` of these bytes are told by DLPack's byte
    offset, the others by the address.
    """

    def __init__(self, owner, size, dtype, *, offset=0, told=0, device=(1, 0)):
        self.owner = owner
        self.device = device
        self.shape = (ctypes.c_int64 * 1)(size)
        start = owner.data_ptr() if hasattr(owner, "data_ptr") else owner.ctypes.data
        code, bits = dtype
        self.managed = DLManagedTensor(
            DLTensor(start + offset - told, *device, 1, code, bits, 1, self.shape, None, told)
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        """Tell the device."""
        return self.device

    def __dlpack__(self, stream=None):
        """Hand the struct out."""
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.managed), b"dltensor", None)
