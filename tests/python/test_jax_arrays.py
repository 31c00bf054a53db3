# SPDX-License-Identifier: Apache-2.0
# Rows: R3
"""JAX arrays as arguments and results, and those that are refused."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import tvm_ffi

from .at_hand import framework


@pytest.fixture(scope="module")
def jax() -> Any:
    """Return JAX, or skip."""
    return framework("jax")


def kept(functions: Any, tensor: Any, argument: Any) -> Any:
    """Return the tensor as a function returns it from a call with the argument."""
    functions.keep(tensor)
    try:
        return functions.kept(argument)
    finally:
        functions.drop_kept()


def test_results_share_memory(functions: Any, jax: Any) -> None:
    """An aligned result becomes an array without a copy."""
    x = jax.numpy.arange(4.0)
    assert functions.echo(x).unsafe_buffer_pointer() == x.unsafe_buffer_pointer()


def test_results_that_jax_cannot_share_are_copied(functions: Any, jax: Any) -> None:
    """JAX needs memory aligned to 64 bytes and copies unaligned memory."""
    values = numpy.arange(64, dtype="float32")
    values = values[1 + -values.ctypes.data % 64 // 4 :]
    result = kept(functions, values, jax.numpy.zeros(1))
    assert isinstance(result, jax.Array)
    assert result.tolist() == values.tolist()
    values[:] = 0
    assert result[0] != 0


def test_what_jax_cannot_hold_stays_a_tensor(functions: Any, jax: Any) -> None:
    """A result is never narrowed or copied silently."""
    x = jax.numpy.zeros(1)
    for source in (
        numpy.arange(8, dtype="int64"),
        numpy.zeros((4, 4), "float32")[:, ::2],
    ):
        assert type(kept(functions, source, x)) is tvm_ffi.Tensor
    with jax.enable_x64():
        result = kept(functions, numpy.arange(8, dtype="int64"), x)
    assert isinstance(result, jax.Array)
    assert result.dtype == "int64"


def test_allocated_results_are_arrays(functions: Any, jax: Any) -> None:
    """A tensor from the environment's allocator is aligned, so JAX accepts it without a copy."""
    result = functions.allocate(jax.numpy.zeros(1), 2, 3)
    assert isinstance(result, jax.Array)
    assert result.shape == (2, 3)


@pytest.mark.parametrize("transform", ["jit", "vmap", "grad"])
def test_traced_arrays_are_refused(functions: Any, jax: Any, transform: str) -> None:
    """Inside a transformation an array has no memory yet; the message suggests a solution."""

    def call(x: Any) -> Any:
        functions.nop(x)
        return x.sum()

    x = jax.numpy.ones((2, 2))
    with pytest.raises(TypeError, match=r"nop: argument 0 \(\w+\): .*through jax.pure_callback"):
        getattr(jax, transform)(call)(x)


def test_pure_callback_reaches_a_function(functions: Any, jax: Any) -> None:
    """The suggested solution works, with NumPy arrays inside the callback."""

    def host(x: Any) -> Any:
        y = numpy.array(x)
        functions.increment(y)
        return y

    @jax.jit
    def plus_one(x: Any) -> Any:
        return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    assert plus_one(jax.numpy.arange(3, dtype="float32")).tolist() == [1, 2, 3]


def test_donated_arrays_are_refused(functions: Any, jax: Any) -> None:
    """An array whose memory was donated is a ValueError that says so."""
    x = jax.numpy.arange(3.0)
    x.delete()
    with pytest.raises(ValueError, match=r"nop: argument 0 .*that was deleted or donated"):
        functions.nop(x)


def test_dtypes_and_devices_are_read(functions: Any, jax: Any) -> None:
    """jax.numpy's scalar types are element types, and its devices are devices."""
    assert tvm_ffi.dtype(jax.numpy.bfloat16) == functions.echo(jax.numpy.bfloat16) == "bfloat16"
    assert tvm_ffi.device(jax.devices("cpu")[0]) == tvm_ffi.device("cpu")
