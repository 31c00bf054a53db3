# SPDX-License-Identifier: Apache-2.0
"""A Python exception with a cause passes through C++."""

import tvm_ffi

error = ValueError("shown")


def callback():
    raise error from KeyError("cause")


try:
    tvm_ffi.convert(callback)()
except ValueError as caught:
    print("the same object" if caught is error else "another object", repr(caught.__cause__))
