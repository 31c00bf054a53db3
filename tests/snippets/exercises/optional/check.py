# SPDX-License-Identifier: Apache-2.0
"""No weight, a weight that fits, and some that do not."""

import numpy as np
from arrays import OnGpu, Output, given, random, refuses


def check(mod):
    """A weight that does not fit is an error that names it."""
    for rows, columns in ((3, 5), (1, 0), (33, 129)):
        x, weight = random(rows, columns), random(columns)
        for factors in (None, weight):
            y = Output((rows, columns))
            mod.scale_columns(x, factors, y.array)
            expected = x.astype("float64") * (1.0 if factors is None else factors.astype("float64"))
            with_it = "without" if factors is None else "with"
            call = f"scale_columns for x of shape ({rows}, {columns}) {with_it} a weight"
            y.compare(call, expected, 2**-24)
    x, y, enough = random(3, 5), random(3, 5), random(64)
    for words, weight, kind in (
        ("of shape (3,)", enough[:3], ValueError),
        ("of shape (6,)", enough[:6], ValueError),
        ("of shape (1, 5)", enough[:5].reshape(1, 5), ValueError),
        ("that is not contiguous", enough[:10:2], ValueError),
        ("of float64", given(enough[:5].astype("float64")), TypeError),
        ("of float16", given(np.ones(64, "float16"))[:5], TypeError),
        ("on another GPU", OnGpu(enough[:5], 1), ValueError),
    ):
        call = f"scale_columns for x of shape (3, 5) with a weight {words}"
        refuses(call, kind, "weight", lambda: mod.scale_columns(x, weight, y))  # noqa: B023
    both = random(20)
    call = "scale_columns for x of shape (3, 5) with a weight that overlaps y"
    inside = both[5:].reshape(3, 5)
    refuses(call, ValueError, "y", lambda: mod.scale_columns(x, both[3:8], inside))
