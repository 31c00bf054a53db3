# SPDX-License-Identifier: Apache-2.0
"""Tensors of NumPy."""

import gc

import numpy as np
import tvm_ffi

from .case import case


@case
def numpy_tensors(makers, checkers):
    """NumPy arrays of many dtypes and shapes as arguments; the data is the same memory."""
    for dtype in [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
    ]:
        for shape in ((), (0,), (1,), (3, 5), (2, 0, 4)):
            array = np.zeros(shape, dtype)
            told = makers.tensors.describe(array).split()
            assert told[0] == dtype
            assert [int(each.split("/")[0]) for each in told[1:]] == list(shape)
            kept = checkers.tensors.keep_tensor(tvm_ffi.from_dlpack(array))
            assert np.shares_memory(np.from_dlpack(kept), array) or array.size == 0


@case
def numpy_views(makers, checkers):
    """Views of NumPy arrays: offset, transposed, with gaps, reversed."""
    base = np.arange(24, dtype="float32").reshape(4, 6)
    for view in (base[1:, 2:], base.T, base[::2, ::3], base[:, 5], base[::-1]):
        told = makers.tensors.describe(view).split()[1:]
        steps = [step // 4 for step in view.strides]
        assert told == [f"{n}/{s}" for n, s in zip(view.shape, steps, strict=True)]
    for view in (base[1, 2:], base[:, 3], base[::-1, 0]):
        out = np.zeros(view.shape, "float32")
        checkers.tensors.twice(view, out)
        np.testing.assert_array_equal(out, 2 * view)


@case
def tensor_read_by_python(makers, checkers):
    """A tensor that a library made, read by NumPy and freed once."""
    before = makers.tensors.freed_count()
    tensor = checkers.tensors.keep_tensor(makers.tensors.make_NewDlpack(0))
    array = np.from_dlpack(tensor)
    assert array.shape == (2, 3)
    assert array.view("uint8").ravel()[:3].tolist() == [1, 8, 15]
    del tensor
    gc.collect()
    assert array.view("uint8").ravel()[3] == 22
    assert makers.tensors.freed_count() == before
    del array
    gc.collect()
    assert makers.tensors.freed_count() == before + 1
