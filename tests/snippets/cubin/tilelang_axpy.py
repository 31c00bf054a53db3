# SPDX-License-Identifier: Apache-2.0
"""Compiles a TileLang kernel for an architecture, without a GPU, and writes axpy.cubin."""

import sys
from pathlib import Path

# [kernel.begin]
import tilelang
import tilelang.language as T
from tilelang.contrib.nvcc import compile_cuda, default_compile_options
from tvm.target import Target

n = T.dynamic("n")


@T.prim_func
def axpy(a: T.float32, x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
    """Add a * x to y."""
    with T.Kernel(T.ceildiv(n, 256), threads=256) as block:
        for i in T.Parallel(256):
            y[block * 256 + i] += a * x[block * 256 + i]


# [kernel.end]


# [build.begin]
def build(architecture: str) -> bytes:
    """Compile the kernel for a GPU that need not be here."""
    target = Target({"kind": "cuda", "arch": architecture})
    with target:
        source = tilelang.lower(axpy, target=target).kernel_source
    return compile_cuda(source, "cubin", architecture, default_compile_options())


# [build.end]

if __name__ == "__main__":
    Path("axpy.cubin").write_bytes(build(sys.argv[1]))
