# SPDX-License-Identifier: Apache-2.0
"""The work that a call enqueues on the caller's stream: captures record it, replays run it."""

import numpy as np
from arrays import Output, given, replayed


def check(mod):
    """The count is right, and all of the work is on the stream."""
    for n in (1, 0, 10_001):
        x, count = given((np.arange(n) % 3).astype("float32")), Output(1, "int32")
        mod.count_nonzero(x, count.array)
        count.compare(f"count_nonzero for x of shape ({n},)", np.array([np.count_nonzero(x)]))
        replayed(mod, "count_nonzero", x, {"count": count.array})
        expected = np.array([np.count_nonzero(x)])
        count.compare(f"count_nonzero, replayed for x of shape ({n},)", expected)
