# SPDX-License-Identifier: Apache-2.0
"""Calls a C++ function that throws, and prints the traceback."""

# [call.begin]
import traceback

import tvm_ffi

mod = tvm_ffi.load_module("./errors.so")
try:
    mod.quarter_of(6)
except ValueError:
    traceback.print_exc()
# [call.end]
