# SPDX-License-Identifier: Apache-2.0
"""Columns longer than a 16-bit sum can count."""

import numpy as np
from arrays import Output, given, random_integers


def check(mod):
    """The totals are rounded once, to float16.

    The numbers are multiples of 2^-11 and at most 1. A sum of up to 4096 of them fits in the 24
    bits of a float32, so it is exact in any order.
    """
    for rows, columns in ((3, 2), (0, 3), (5, 0), (4096, 3), (2049, 301)):
        shape = rows, columns
        for x in (np.ones(shape), random_integers(-(2**11), 2**11 + 1, *shape) / 2**11):
            x = given(x.astype("float16"))
            y = Output(columns, "float16")
            mod.column_total(x, y.array)
            expected = x.astype("float64").sum(axis=0).astype("float16")
            y.compare(f"column_total for x of shape ({rows}, {columns})", expected)
