# SPDX-License-Identifier: Apache-2.0
"""Calls the scale library on whatever runtime is installed and prints what happened, as JSON."""

import json
import sys
import traceback

import numpy as np
import torch
import tvm_ffi


def results(mod) -> dict[str, list]:
    """Compute products of random inputs; poisoned outputs show what was not written."""
    rng = np.random.default_rng(0)
    got = {}
    for dtype in ("float32", "float64", "float16"):
        for shape in ((), (0,), (1,), (257,), (33, 65)):
            x = np.asarray(rng.standard_normal(shape)).astype(dtype)
            y = np.full_like(x, np.nan)
            mod.scale(x, y, 1.1)
            wide = np.float64 if dtype == "float64" else np.float32
            want = (x.astype(wide) * wide(1.1)).astype(dtype)
            np.testing.assert_array_equal(y, want)
            got[f"numpy {dtype} {shape}"] = y.ravel()[:3].tolist()
    matrix = np.arange(12, dtype="float32").reshape(3, 4)
    y = np.full((4, 3), np.nan, dtype="float32")
    mod.scale(matrix.T, y, 2.0)
    np.testing.assert_array_equal(y, matrix.T * 2)
    for torch_dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x = torch.linspace(-3, 3, 1001).to(torch_dtype)[::2]
        y = mod.scaled(x, 2.5)
        assert type(y) is torch.Tensor
        torch.testing.assert_close(y, x * 2.5, rtol=0, atol=0)
        got[f"torch {torch_dtype}"] = y.double()[:3].tolist()
    return got


def errors(mod) -> dict[str, list]:
    """Collect the exceptions of wrong calls: type, message, and whether the source line is told."""
    a = np.zeros(4, dtype="float32")
    calls = {
        "shape": (a, np.zeros(5, dtype="float32"), 1.0),
        "dtype": (a.astype("int32"), a.astype("int32"), 1.0),
        "other dtype": (a, a.astype("float64"), 1.0),
        "strides": (a[:2], a[::2], 1.0),
        "overlap": (a[:3], a[1:], 1.0),
        "too few": (a, a),
        "too many": (a, a, 1.0, 2.0),
        "not a number": (a, a, "1"),
        "not a tensor": (1, a, 1.0),
    }
    got = {}
    for name, arguments in calls.items():
        try:
            mod.scale(*arguments)
        except Exception as error:
            told = "scale_kernel.cc" in "".join(traceback.format_exception(error))
            got[name] = [type(error).__module__, type(error).__name__, str(error), told]
        else:
            got[name] = ["no error"]
    return got


def allocated(mod) -> list:
    """Ask for a new tensor in a call without a framework that allocates."""
    try:
        y = mod.scaled(np.array([1, 2], dtype="float32"), 2.0)
    except RuntimeError as error:
        return [type(error).__name__, str(error)]
    return [type(y).__name__, y.tolist()]


if __name__ == "__main__":
    module = tvm_ffi.load_module(sys.argv[1])
    # First, before PyTorch tensors leave an allocator behind.
    fresh = allocated(module)
    seen = {"allocated": fresh, "results": results(module), "errors": errors(module)}
    print(json.dumps(seen))
