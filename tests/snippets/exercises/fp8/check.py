# SPDX-License-Identifier: Apache-2.0
"""Numbers within the range of float8_e4m3fn, and beyond it."""

import ml_dtypes
import numpy as np
from arrays import Output, given, random


def check(mod):
    """Each number is rounded once, to nearest; numbers that are too large become 448."""
    tens = 10.0 ** np.arange(-4, 5, dtype="float32")
    odd = np.array([np.inf, np.nan, 0.0, 17.0, 19.0, 448.0, 464.0, 465.0], "float32")
    for x in map(given, (*tens.reshape(-1, 1), odd, -odd, random(0), random(1001) * 400)):
        for scale in (1.0, 0.25):
            y = Output(x.shape, ml_dtypes.float8_e4m3fn)
            mod.to_fp8(x, y.array, scale)
            expected = np.clip(x / np.float32(scale), -448, 448).astype(ml_dtypes.float8_e4m3fn)
            shown = f"x = {x}" if x.size < 20 else f"x of shape ({x.size},)"
            y.compare(f"to_fp8 for {shown} and the scale {scale:g}", expected)
