# SPDX-License-Identifier: Apache-2.0
"""Sizes that are not multiples of four."""

from arrays import Output, random


def check(mod):
    """Each element is multiplied, and nothing outside x and the output is accessed."""
    for n in (4, 1024, 0, 1, 3, 1023, 10_001):
        x, y = random(n), Output(n)
        mod.times(x, y.array, 3.0)
        y.compare(f"times for x of shape ({n},)", 3.0 * x.astype("float64"), 2**-24)
