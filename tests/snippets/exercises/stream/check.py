# SPDX-License-Identifier: Apache-2.0
"""What a call puts on the caller's stream, as a capture of that stream shows it."""

import numpy as np
import tvm_ffi
from arrays import Output

STREAM = 0x10


def check(mod):
    """The count is right, and both operations are on the stream."""
    for n in (1, 0, 10_001):
        x, count = (np.arange(n) % 3).astype("float32"), Output(1, "int32")
        mod.count_nonzero(x, count.array)
        count.compare(f"count_nonzero for x of shape ({n},)", np.array([np.count_nonzero(x)]))
        with tvm_ffi.use_raw_stream(tvm_ffi.device("cpu"), STREAM):
            mod.begin_capture(STREAM, False)
            mod.count_nonzero(x, count.array)
        launches, memsets, *_ = mod.end_capture()
        assert (launches, memsets) == (1, 1), (
            "count_nonzero is called on a stream of the caller: expected 1 launch and 1 memset on "
            f"this stream, got {launches} and {memsets}; the rest is on another stream, and may "
            "run before or after them"
        )
