# SPDX-License-Identifier: Apache-2.0
"""Two GPUs: the input is on either, and the caller works with either."""

from arrays import OnGpu, Output, random


def check(mod):
    """The kernel runs on the input's GPU, and the caller's GPU is the current one afterwards."""
    for n in (1, 0, 1001):
        x, y = random(n), Output(n)
        for gpu, current in ((0, 0), (0, 1), (1, 0), (1, 1)):
            given = OnGpu(x, gpu), OnGpu(y.array, gpu)
            mod.use_device(current)
            mod.plus_one(*given)
            y.compare(f"plus_one for x of shape ({n},)", x.astype("float64") + 1, 2**-24)
            on, after = mod.launched_on(), mod.current_device()
            assert on == gpu, f"x is on GPU {gpu}; the kernel was launched on GPU {on}"
            assert after == current, restored(current, after, "plus_one")
            mod.refuse_launch(0)
            try:
                mod.plus_one(*given)
            except RuntimeError:
                after = mod.current_device()
            else:
                raise AssertionError("plus_one does not report a launch that fails")
            assert after == current, restored(current, after, "plus_one that raises an error")


def restored(before, after, call):
    """What is wrong if another GPU is current."""
    return f"the current GPU was {before} before {call} and {after} after it"
