# SPDX-License-Identifier: Apache-2.0
"""Matrices that are transposed, sliced, reversed and broadcast."""

import numpy as np
from arrays import Output, random


def numbers(*shape):
    """0, 1, 2 and so on, which are easy to read in a message; random ones where there are many."""
    few = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    return few if few.size < 100 else random(*shape)


LAYOUTS = {
    "contiguous": lambda rows, columns: numbers(rows, columns),
    "transposed": lambda rows, columns: numbers(columns, rows).T,
    "sliced": lambda rows, columns: numbers(2 * rows, 3 * columns)[1::2, ::3],
    "reversed": lambda rows, columns: numbers(rows, columns)[::-1, ::-1],
    "broadcast": lambda rows, columns: np.lib.stride_tricks.as_strided(
        numbers(columns), (rows, columns), (0, 4)
    ),
}


def check(mod):
    """The bias is added to each row, whatever the layout."""
    for layout, make in LAYOUTS.items():
        for rows, columns in ((3, 5), (0, 7), (1, 1), (33, 129)):
            x, bias, y = make(rows, columns), 100 * numbers(columns), Output((rows, columns))
            mod.add_bias(x, bias, y.array)
            expected = x.astype("float64") + bias.astype("float64")
            y.compare(f"add_bias for a {layout} x of shape ({rows}, {columns})", expected, 2**-24)
