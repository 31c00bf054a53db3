# SPDX-License-Identifier: Apache-2.0
"""All supported dtypes, and some others."""

import ml_dtypes
import numpy as np
from arrays import Output, given, random, refuses


def check(mod):
    """Each dtype is squared in its own format; the others are rejected."""
    for dtype in ("float32", "float16", ml_dtypes.bfloat16):
        for x in (np.array([1.5]), np.array([]), random(1001) + 1):
            x = given(x.astype(dtype))
            y = Output(x.shape, dtype)
            mod.square(x, y.array)
            expected = np.square(x.astype("float64"))
            unit = float(ml_dtypes.finfo(dtype).eps)
            shown = f"x = {x}" if x.size < 2 else f"x of shape ({x.size},)"
            y.compare(f"square for {np.dtype(dtype)} {shown}", expected, unit)
    for dtype in ("int32", "int16", "uint16", "float64"):
        x = np.ones(3, dtype)
        refuses(f"square for {dtype} x", TypeError, "x", lambda: mod.square(x, np.ones_like(x)))  # noqa: B023
