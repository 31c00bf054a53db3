# SPDX-License-Identifier: Apache-2.0
"""Calls that together execute each launch in an example's source once.

Without PyTorch, tests that use them are skipped.
"""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

# One element longer than a whole number of vectors.
X, Y, Z, W = (torch.ones(65) for _ in range(4))
ROWS, WIDE = torch.ones(4, 16), torch.ones(4, 16)
FP8 = torch.ones(4, 16).to(torch.float8_e4m3fn)
BINS = torch.ones(64, dtype=torch.int64)
COUNTS = torch.zeros(4, dtype=torch.int64)
KEEP = torch.ones(4, dtype=torch.bool)
PARTS = torch.zeros(1024)
BYTES = torch.zeros(1 << 16, dtype=torch.uint8)
QUERY, RESULT, PAGES = torch.ones(1, 2, 64), torch.ones(1, 2, 64), torch.ones(4, 16, 1, 64)
TABLE, LENGTHS = torch.zeros(1, 2, dtype=torch.int32), torch.ones(1, dtype=torch.int32)

# The functions of each example and their arguments.
CALLS = {
    "add_one": [("add_one", X, Y)],
    "c_abi": [("scale", X, Y, 2.0), ("scale", X[::2], Y[:33], 2.0)],
    "column_sum": [("column_sum", ROWS, None, Y[:16], BYTES)],
    "decode_attention": [
        ("decode_attention", QUERY, PAGES, PAGES, TABLE, LENGTHS, 1.0, RESULT, BYTES)
    ],
    "dispatch": [("add", X, X, Y), ("add", X[1:], X[1:], Y[1:])],
    "errors": [("launch", 0, 32), ("first_column", ROWS, KEEP, Y[:4])],
    "fused_add_rms_norm": [("fused_add_rms_norm", X, W, Y, 1e-5)],
    "jax_call": [("rotate", X, Y, Z, W, 1.0)],
    "library": [("axpy", 2.0, X, Y), ("vecdot", ROWS, ROWS, Y[:4])],
    "nonzero": [("nonzero", X)],
    "quantize_fp8": [("quantize_fp8", ROWS, FP8, Z[:4]), ("dequantize_fp8", FP8, Z[:4], WIDE)],
    "rms_norm": [("rms_norm", X, Y, 1e-5)],
    "scale": [("scale", X, Y, 2.0), ("scale", X[::2], Y[:33], 2.0)],
    "silu_and_mul": [("silu_and_mul", X[:64], Y[:32])],
    "softmax": [("softmax", X, Y)],
    "storage": [("histogram", BINS, COUNTS)],
    "streams_and_graphs": [("normalize", X, PARTS, Y)],
    "torch_op": [("relu_squared", X, Y)],
    "workspace": [("histogram", BINS, COUNTS, BYTES)],
}
