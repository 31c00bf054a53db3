# SPDX-License-Identifier: Apache-2.0
"""A DLPack producer gives a capsule that is not named as DLPack says."""

import ctypes

import numpy
import tvm_ffi

RENAME = ctypes.pythonapi.PyCapsule_SetName
RENAME.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Producer:
    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        capsule = numpy.zeros(4).__dlpack__()
        RENAME(capsule, b"my_tensor")
        return capsule


print("a tensor of shape", tvm_ffi.from_dlpack(Producer()).shape)
