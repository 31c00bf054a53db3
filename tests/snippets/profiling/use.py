# SPDX-License-Identifier: Apache-2.0
"""Calls standardize.so of the current folder."""

# [use.begin]
import numpy
import tvm_ffi

mod = tvm_ffi.load_module("./standardize.so")
x = numpy.arange(1_000_000, dtype="float32")
y = numpy.empty_like(x)
for _ in range(10):
    mod.standardize(x, y)
# [use.end]
