# SPDX-License-Identifier: Apache-2.0
"""Matrices that are transposed, sliced, reversed and broadcast, or too large for 32-bit offsets."""

import mmap

import numpy as np
from arrays import Output, given, random

FAR = 2**31 + 8  # elements


def numbers(*shape):
    """0, 1, 2 and so on, which are easy to read in a message; random numbers if there are many."""
    few = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    return given(few) if few.size < 100 else random(*shape)


LAYOUTS = {
    "contiguous": lambda rows, columns: numbers(rows, columns),
    "transposed": lambda rows, columns: numbers(columns, rows).T,
    "sliced": lambda rows, columns: numbers(2 * rows, 3 * columns)[1::2, ::3],
    "reversed": lambda rows, columns: numbers(rows, columns)[::-1, ::-1],
    "broadcast": lambda rows, columns: np.lib.stride_tricks.as_strided(
        numbers(columns), (rows, columns), (0, 4)
    ),
}


def spread(rows, columns):
    """A matrix whose rows are so far apart that their offsets do not fit in 32 bits.

    Wrong offsets lead into the 32 GB of memory around it, so that they read zeros instead of
    crashing the process. It is only reserved: unwritten memory takes no space.
    """
    reserve = getattr(mmap, "MAP_NORESERVE", 0x4000)  # Python 3.13 has the name
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | reserve
    memory = mmap.mmap(-1, 4 * 2**33 + mmap.PAGESIZE, flags=flags)
    x = np.ndarray((rows, columns), "float32", memory, 4 * 2**32, (4 * FAR, 4))
    x[:] = numbers(rows, columns) + 1
    return x


def check(mod):
    """The bias is added to each row, whatever the layout."""
    for layout, make in LAYOUTS.items():
        for rows, columns in ((3, 5), (0, 7), (1, 1), (33, 129)):
            x, bias, y = make(rows, columns), 100 * numbers(columns), Output((rows, columns))
            mod.add_bias(x, bias, y.array)
            expected = x.astype("float64") + bias.astype("float64")
            y.compare(f"add_bias for a {layout} x of shape ({rows}, {columns})", expected, 2**-24)
    for x in (spread(3, 5), spread(3, 5).T):
        bias, y = 100 * numbers(x.shape[1]), Output(x.shape)
        mod.add_bias(x, bias, y.array)
        expected = x.astype("float64") + bias.astype("float64")
        strides = tuple(each // 4 for each in x.strides)
        y.compare(f"add_bias for x of shape {x.shape} with strides {strides}", expected, 2**-24)
