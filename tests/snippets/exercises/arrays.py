# SPDX-License-Identifier: Apache-2.0
"""Arrays for the checks of the exercises: random inputs, and outputs filled with wrong bytes.

No kernel may access the memory around them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import tvm_ffi

SOURCE = {"random": np.random.default_rng(0)}
LIBRARY: dict[str, Any] = {"memory": []}  # under check, and memory not to reuse for it
AROUND = 1024  # bytes on each side of an array
STREAM = 0x10  # the handle of a caller's stream
POISON = 0xFF  # NaN in each floating-point type, and -1 in each signed integer type


def restart(mod: Any) -> None:
    """Start to check a library: each check has the same random numbers in every run."""
    SOURCE["random"] = np.random.default_rng(0)
    mod.forget_surroundings()
    LIBRARY.update(mod=mod, memory=[])


def surrounded(size: int) -> np.ndarray:
    """Bytes for an array, filled with poison, between others that no kernel may access."""
    memory = np.full(size + 2 * AROUND, POISON, dtype="uint8")
    LIBRARY["memory"].append(memory)
    LIBRARY["mod"].surround(memory.ctypes.data + AROUND, size, AROUND)
    return memory


def given(array: np.ndarray) -> np.ndarray:
    """A contiguous copy of an array, for an input."""
    part = surrounded(array.nbytes)[AROUND : AROUND + array.nbytes]
    copy = part.view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def random(*shape: int) -> np.ndarray:
    """Numbers between 0 and 1."""
    return given(SOURCE["random"].random(shape, dtype="float32"))


def random_integers(low: int, high: int, *shape: int) -> np.ndarray:
    """Integers from low up to high, which is excluded."""
    return given(SOURCE["random"].integers(low, high, shape))


class OnGpu:
    """An array that claims to be memory of a GPU, given by its number."""

    def __init__(self, array: np.ndarray, gpu: int) -> None:
        self.array, self.gpu = array, gpu

    def __dlpack_device__(self) -> tuple[int, int]:
        """In the emulation, a GPU's memory is CPU memory."""
        return 1, self.gpu

    def __dlpack__(self, **_: Any) -> Any:
        """NumPy's capsule, with the GPU's number as the index of the device."""
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        ctypes.c_int32.from_address(pointer(capsule, b"dltensor") + 12).value = self.gpu
        return capsule


class Output:
    """An array of poison, in memory whose other bytes must not change."""

    def __init__(self, shape: int | tuple[int, ...], dtype: Any = "float32") -> None:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self.memory = surrounded(size)
        self.array = self.memory[AROUND : AROUND + size].view(dtype).reshape(shape)

    def compare(self, call: str, expected: np.ndarray, tolerance: float = 0.0) -> None:
        """Assert that a call wrote the expected values, up to a relative error."""
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
    """Capture a call on a caller's stream, change its input, and replay the capture.

    Assert that the outputs do not change before the replay: other streams are not captured.
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
    """Assert that a call raises an error of the given kind that names an argument."""
    expected = f"expected a {kind.__name__} that names {name}"
    try:
        function()
    except (TypeError, ValueError) as error:
        if isinstance(error, kind) and f": {name} must be " in str(error):
            return
        raise AssertionError(f"{call}: {expected}, got {type(error).__name__}: {error}") from None
    raise AssertionError(f"{call} was accepted: {expected}")
