# SPDX-License-Identifier: Apache-2.0
"""A DLPack producer that says what it is told: any device, any byte offset, no strides."""

import ctypes

import numpy as np

CODES = {"i": 0, "u": 1, "f": 2}  # DLDataTypeCode by NumPy's kind


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
    """A one-dimensional NumPy array from `first` on, told by a byte offset; strides are NULL."""

    def __init__(self, array: np.ndarray, first: int = 0, device: tuple[int, int] = (1, 0)):
        self.array = array
        self.device = device
        self.shape = (ctypes.c_int64 * 1)(array.size - first)
        kind, item = CODES[array.dtype.kind], array.dtype.itemsize
        self.managed = DLManagedTensor(
            DLTensor(
                *(array.ctypes.data, *device, 1, kind, 8 * item, 1),
                *(self.shape, None, first * item),
            )
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
