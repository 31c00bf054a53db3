# SPDX-License-Identifier: Apache-2.0
"""Arrays for the checks of the exercises: random inputs, and outputs full of wrong bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tvm_ffi

SOURCE = {"random": np.random.default_rng(0)}
AROUND = 64  # bytes on each side of an output
STREAM = 0x10  # the handle of a caller's stream
POISON = 0xFF  # NaN in each floating-point type, and -1 in each signed integer type


def restart() -> None:
    """Begin the random numbers anew, so that each check has the same ones in every run."""
    SOURCE["random"] = np.random.default_rng(0)


def random(*shape: int) -> np.ndarray:
    """Numbers between 0 and 1."""
    return SOURCE["random"].random(shape, dtype="float32")


def random_integers(low: int, high: int, size: int) -> np.ndarray:
    """Integers from low on, and below high."""
    return SOURCE["random"].integers(low, high, size)


class Output:
    """An array of poison, in memory of which the rest must not change."""

    def __init__(self, shape: int | tuple[int, ...], dtype: Any = "float32") -> None:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self.memory = np.full(size + 2 * AROUND, POISON, dtype="uint8")
        self.array = self.memory[AROUND : AROUND + size].view(dtype).reshape(shape)

    def compare(self, call: str, expected: np.ndarray, tolerance: float = 0.0) -> None:
        """Assert that a call wrote what is expected of it, up to a relative error."""
        around = [self.memory[:AROUND], self.memory[len(self.memory) - AROUND :]]
        assert all((part == POISON).all() for part in around), f"{call} wrote outside of its output"
        got, expected = self.array.astype("float64"), expected.astype("float64")
        right = np.isclose(got, expected, rtol=tolerance, atol=0, equal_nan=True)
        for place in np.argwhere(~right)[:1]:
            index = tuple(int(each) for each in place)
            where = f"element {index[0] if len(index) == 1 else index} of the output"
            size = self.array.itemsize
            bytes_there = np.ascontiguousarray(self.array).view("uint8").reshape(-1, size)
            if (bytes_there[np.ravel_multi_index(index, self.array.shape)] == POISON).all():
                raise AssertionError(f"{call}: {where} was never written")
            raise AssertionError(
                f"{call}: {where} is {got[index]:.6g}, expected {expected[index]:.6g}"
            )


def replayed(mod: Any, name: str, x: np.ndarray, outputs: dict[str, np.ndarray]) -> None:
    """Capture a call on a stream of the caller, change its input, and replay what was captured.

    Assert that the outputs do not change before: work on another stream is not captured.
    """
    before = {each: array.copy() for each, array in outputs.items()}
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cpu"), STREAM):
        mod.begin_capture(STREAM, False)
        mod[name](x, *outputs.values())
    mod.end_capture()
    for each, array in outputs.items():
        assert array.tobytes() == before[each].tobytes(), (
            f"{name} is called while the caller's stream is captured: {each} changes at once, so "
            "some of the work is on another stream"
        )
    x[:] = 1 - x
    mod.replay()


def refuses(call: str, kind: type[Exception], name: str, function: Callable[..., Any]) -> None:
    """Assert that a call raises an error of a kind that names an argument."""
    expected = f"expected a {kind.__name__} that names {name}"
    try:
        function()
    except (TypeError, ValueError) as error:
        if isinstance(error, kind) and f": {name} must be " in str(error):
            return
        raise AssertionError(f"{call}: {expected}, got {type(error).__name__}: {error}") from None
    raise AssertionError(f"{call} was accepted: {expected}")
