# SPDX-License-Identifier: Apache-2.0
"""Load the library from the current folder, call it, and check the result."""

import ctypes
import sys

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
library = ctypes.CDLL(f"./scale_{device}.so")


def scale(numbers, factor):
    """Multiply numbers by a factor."""
    array = ctypes.c_float * len(numbers)
    x, y = array(*numbers), array()
    library.scale(x, y, ctypes.c_long(len(numbers)), ctypes.c_float(factor))
    return list(y)


assert scale([1.0, 2.0], 3.0) == [3.0, 6.0]
