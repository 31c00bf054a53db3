# SPDX-License-Identifier: Apache-2.0
"""Rows of many lengths; the emulation finds the race."""

from arrays import Output, random


def check(mod):
    """Each row is added up, whatever the order of the threads."""
    for rows, columns in ((1, 1), (3, 0), (0, 3), (7, 255), (5, 1001)):
        x, y = random(rows, columns), Output(rows)
        mod.row_total(x, y.array)
        expected = x.astype("float64").sum(axis=1)
        y.compare(f"row_total for x of shape ({rows}, {columns})", expected, 20 * 2**-24)
