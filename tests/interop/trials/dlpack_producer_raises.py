# SPDX-License-Identifier: Apache-2.0
"""A DLPack producer, passed to a function, raises a LookupError."""

import tvm_ffi


class Producer:
    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        raise LookupError("no tensor today")


function = tvm_ffi.convert(lambda x: x)
print(function(Producer()))
