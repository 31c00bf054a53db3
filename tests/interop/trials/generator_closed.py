# SPDX-License-Identifier: Apache-2.0
"""A callback closes a generator that reads an Array."""

import tvm_ffi


def read():
    yield from tvm_ffi.Array(["first", "second"])


generator = read()
next(generator)
tvm_ffi.convert(lambda: generator.close())()
print(next(generator, "closed"))
