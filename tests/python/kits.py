# SPDX-License-Identifier: Apache-2.0
"""How each framework creates a tensor from given bytes, and where it stores them."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

import numpy

from .at_hand import framework


class Lacks(Exception):
    """The framework has no such element type."""


class Kit:
    """One framework, as the matrix uses it."""

    name: str

    def __init__(self) -> None:
        self.module = framework(self.name)

    def wide(self) -> Any:
        """Enable 64-bit numbers in the framework."""
        return contextlib.nullcontext()

    def make(self, dtype: str, raw: bytes) -> Any:
        """Create a vector of this element type from its bytes; raise Lacks if there is none."""
        raise NotImplementedError

    def address(self, tensor: Any) -> int:
        """Return the address of the first element."""
        return tensor.data_ptr()

    def bytes_of(self, tensor: Any, size: int) -> bytes:
        """Read ``size`` bytes from a compact tensor in host memory."""
        return ctypes.string_at(self.address(tensor), size)

    def is_tensor(self, value: Any) -> bool:
        """Return whether the value belongs to the framework."""
        return type(value).__module__.partition(".")[0] == self.name


class Torch(Kit):
    """PyTorch."""

    name = "torch"

    def make(self, dtype: str, raw: bytes) -> Any:
        """Create it from the bytes."""
        torch = self.module
        found = getattr(torch, dtype.replace("x2", "_x2"), None)
        if found is None or dtype in ("int4", "uint4"):  # those two exist only as names
            raise Lacks
        return torch.tensor(list(raw), dtype=torch.uint8).view(found)


class NumPy(Kit):
    """NumPy, with the element types of ml_dtypes."""

    name = "numpy"

    def make(self, dtype: str, raw: bytes) -> Any:
        """Create it from the bytes."""
        return numpy.frombuffer(bytearray(raw), dtype=numpy_dtype(dtype))

    def address(self, tensor: Any) -> int:
        """Return the array's address."""
        return tensor.ctypes.data


class Jax(Kit):
    """JAX on the CPU, even where it would prefer a GPU."""

    name = "jax"

    def __init__(self) -> None:
        super().__init__()
        self.module.config.update("jax_default_device", self.module.devices("cpu")[0])

    def wide(self) -> Any:
        """Enable 64-bit numbers in this thread."""
        return self.module.enable_x64()

    def make(self, dtype: str, raw: bytes) -> Any:
        """Create it from the bytes."""
        try:
            return self.module.numpy.asarray(NumPy().make(dtype, raw))
        except TypeError:
            raise Lacks from None

    def address(self, tensor: Any) -> int:
        """Return the array's address."""
        return tensor.unsafe_buffer_pointer()

    def is_tensor(self, value: Any) -> bool:
        """Return whether the value is an array of any JAX class."""
        return isinstance(value, self.module.Array)


class CuPy(Kit):
    """CuPy, whose arrays are on a GPU."""

    name = "cupy"

    def make(self, dtype: str, raw: bytes) -> Any:
        """Create it from the bytes."""
        try:
            return self.module.asarray(NumPy().make(dtype, raw))
        except (TypeError, ValueError):
            raise Lacks from None

    def address(self, tensor: Any) -> int:
        """Return the array's address."""
        return tensor.data.ptr

    def bytes_of(self, tensor: Any, size: int) -> bytes:
        """Copy the bytes to the host."""
        return tensor.get().tobytes()


class Paddle(Kit):
    """PaddlePaddle on the CPU."""

    name = "paddle"

    def make(self, dtype: str, raw: bytes) -> Any:
        """Create it from the bytes."""
        # Its uint16 is an alias of bfloat16, and it cannot create tensors of the other two types.
        if dtype in ("uint16", "uint32", "uint64") or not hasattr(self.module, dtype):
            raise Lacks
        return self.module.to_tensor(NumPy().make("uint8", raw)).view(dtype)


def numpy_dtype(name: str) -> numpy.dtype[Any]:
    """Return the dtype from NumPy or ml_dtypes; raise Lacks if there is none."""
    import ml_dtypes

    found = getattr(ml_dtypes, name, None) or getattr(numpy, "bool_" if name == "bool" else name, 0)
    if not found:
        raise Lacks
    return numpy.dtype(found)


KITS: dict[str, type[Kit]] = {kit.name: kit for kit in (Torch, NumPy, Jax, CuPy, Paddle)}
