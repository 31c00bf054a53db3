# SPDX-License-Identifier: Apache-2.0
"""Columns that are longer than a 16-bit sum can count."""

import numpy as np
from arrays import Output, random


def check(mod):
    """The totals are right up to one rounding to float16, and the errors of a sum in float32."""
    for rows, columns in ((3, 2), (0, 3), (5, 0), (4096, 3), (2049, 300)):
        for x in (np.ones((rows, columns), "float16"), random(rows, columns).astype("float16")):
            y = Output(columns, "float16")
            mod.column_total(x, y.array)
            expected = x.astype("float64").sum(axis=0)
            call = f"column_total for x of shape ({rows}, {columns})"
            y.compare(call, expected, 2**-11 + rows * 2**-24)
