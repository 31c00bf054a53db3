# SPDX-License-Identifier: Apache-2.0
"""Calls the library without the optional argument."""

import numpy
import tvm_ffi

mod = tvm_ffi.load_module("./many_kernels.so")

x = numpy.array([2.0, 3.0], dtype="float32")
# [left_out.begin]
mod.shift(x, x)
assert x.tolist() == [3.0, 4.0]
# [left_out.end]
