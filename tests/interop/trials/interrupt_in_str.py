# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C comes in the __str__ of an exception that passes through C++."""

import tvm_ffi


class Interrupted(ValueError):
    def __str__(self):
        raise KeyboardInterrupt


def callback():
    raise Interrupted


try:
    tvm_ffi.convert(callback)()
except KeyboardInterrupt:
    print("KeyboardInterrupt")
