# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R3
"""PaddlePaddle tensors: results, allocation, dtypes and places."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy
import pytest
import tvm_ffi

from .at_hand import framework


@pytest.fixture(scope="module")
def paddle() -> Any:
    """Return PaddlePaddle, or skip."""
    return framework("paddle")


def test_the_allocator_is_paddles(functions: Any, paddle: Any) -> None:
    """A call with its tensors uses PaddlePaddle's allocator."""
    x = paddle.zeros([1])
    assert functions.has_allocator(x) is True
    assert functions.has_allocator() is False
    result = functions.allocate(x, 2, 3)
    assert isinstance(result, paddle.Tensor)
    assert result.shape == [2, 3]


def test_uint16_is_not_taken_for_bfloat16(functions: Any, paddle: Any) -> None:
    """PaddlePaddle reads DLPack's uint16 as bfloat16, so such a result stays a tensor."""
    functions.keep(numpy.arange(3, dtype="uint16"))
    result = functions.kept(paddle.zeros([1]))
    functions.drop_kept()
    assert type(result) is tvm_ffi.Tensor
    assert result.dtype == "uint16"


def test_dtypes_and_places_are_read(functions: Any, paddle: Any) -> None:
    """paddle.dtype is an element type, and a place is a device."""
    assert tvm_ffi.dtype(paddle.bfloat16) == functions.echo(paddle.bfloat16) == "bfloat16"
    for place in (paddle.CPUPlace(), paddle.zeros([1]).place):
        assert tvm_ffi.device(place) == functions.echo(place) == tvm_ffi.device("cpu")


def test_other_dtypes_are_refused(paddle: Any) -> None:
    """A dtype without a DLPack code is a TypeError."""
    with pytest.raises(
        TypeError, match=r"expected a dtype that DLPack supports, got .*(?i:pstring)"
    ):
        tvm_ffi.dtype(paddle.pstring)


# All of it lives until interpreter exit, and some of it longer.
KEPT = """
import builtins, numpy, paddle, tvm_ffi

builtins.kept = kept = []
for _ in range(100):
    array = numpy.arange(6, dtype="float32")
    there = paddle.utils.dlpack.from_dlpack(tvm_ffi.from_dlpack(array))
    back = numpy.from_dlpack(tvm_ffi.from_dlpack(there))
    again = paddle.utils.dlpack.from_dlpack(back)
    assert again.numpy().tolist() == array.tolist()
    kept += [there, back, again, tvm_ffi.from_dlpack(again)]
tvm_ffi.register_global_func("paddle_test.kept", lambda _kept=kept: len(_kept))
print("ends")
"""


def test_tensors_that_live_until_exit(paddle: Any) -> None:
    """A program that keeps tensors passed from NumPy to PaddlePaddle and back exits normally."""
    command = [sys.executable, "-W", "ignore", "-c", KEPT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "ends\n"), done.stderr
