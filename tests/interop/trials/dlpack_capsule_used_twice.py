# SPDX-License-Identifier: Apache-2.0
"""A DLPack producer gives the same capsule twice."""

import numpy
import tvm_ffi


class Producer:
    capsule = numpy.zeros(4).__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        return self.capsule


producer = Producer()
first = tvm_ffi.from_dlpack(producer)
second = tvm_ffi.from_dlpack(producer)
print("two tensors")
