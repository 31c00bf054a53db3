# SPDX-License-Identifier: Apache-2.0
"""Two exceptions, each the cause of the other, pass through C++."""

import tvm_ffi

one, other = ValueError("one"), ValueError("other")
one.__cause__, other.__cause__ = other, one


def callback():
    raise one


tvm_ffi.convert(callback)()
