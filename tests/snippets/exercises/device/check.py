# SPDX-License-Identifier: Apache-2.0
"""Two GPUs: the input is on GPU 0, and the caller works with GPU 1."""

from arrays import Output, random


def check(mod):
    """The kernel runs on the input's GPU, and the caller's GPU is the current one afterwards."""
    for n in (1, 0, 1001):
        x, y = random(n), Output(n)
        for current in (0, 1):
            mod.use_device(current)
            mod.plus_one(x, y.array)
            y.compare(f"plus_one for x of shape ({n},)", x.astype("float64") + 1, 2**-24)
            on, after = mod.launched_on(), mod.current_device()
            assert on == 0, f"x is on GPU 0; the kernel was launched on GPU {on}"
            assert after == current, restored(current, after, "plus_one")
        mod.refuse_launch(0)
        try:
            mod.plus_one(x, y.array)
        except RuntimeError:
            after = mod.current_device()
        else:
            raise AssertionError("plus_one does not report a launch that fails")
        assert after == 1, restored(1, after, "plus_one that raises an error")


def restored(before, after, call):
    """What is wrong if another GPU is current."""
    return f"the current GPU was {before} before {call} and {after} after it"
