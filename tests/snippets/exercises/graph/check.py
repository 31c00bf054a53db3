# SPDX-License-Identifier: Apache-2.0
"""A capture of the call, and replays of the graph with other inputs."""

import tvm_ffi
from arrays import Output, given, random

STREAM = 0x10


def check(mod):
    """A replay computes what the call does, from the current contents of the input."""
    for n in (1, 1001):
        x, total, y = given(random(n) + 0.5), Output(1), Output(n)
        mod.to_shares(x, total.array, y.array)
        compare(y, x, f"to_shares for x of shape ({n},)")
        mod.begin_capture(STREAM, True)
        try:
            with tvm_ffi.use_raw_stream(tvm_ffi.device("cpu"), STREAM):
                mod.to_shares(x, total.array, y.array)
        except RuntimeError as error:
            raise AssertionError(f"to_shares in a capture: {error}") from None
        finally:
            try:
                copies = mod.end_capture()[2]
            except RuntimeError:
                copies = 0
        assert copies == 0, "the graph copies a result to the host, where no replay reads it"
        for _ in range(2):
            x[:] = random(n) + 0.5
            mod.replay()
            compare(y, x, f"replay of the graph for x of shape ({n},), with other numbers in x")


def compare(y, x, call):
    """Assert that y holds the shares of x."""
    x = x.astype("float64")
    y.compare(call, x / x.sum(), 40 * 2**-24)
