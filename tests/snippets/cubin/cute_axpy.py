# SPDX-License-Identifier: Apache-2.0
"""A CuTe DSL kernel in the library that otherwise launches the kernel of axpy.cu."""

import os
import tempfile
from pathlib import Path

import tvm_ffi

HERE = Path(__file__).resolve().parent

# [kernel.begin]
FOLDER = tempfile.TemporaryDirectory()  # temporary, so that nothing is left behind
os.environ |= {"CUTE_DSL_KEEP": "cubin", "CUTE_DSL_DUMP_DIR": FOLDER.name}
os.environ["CUTE_DSL_DISABLE_FILE_CACHING"] = "1"  # a cached kernel has no CUBIN
os.environ.setdefault("CUTE_DSL_ARCH", "sm_90a")  # before the import; no GPU is needed

import cutlass  # noqa: E402
from cutlass import cute  # noqa: E402


@cute.kernel
def axpy(a: cutlass.Float32, x: cute.Pointer, y: cute.Pointer, n: cutlass.Int64):
    """Add a * x to y."""
    layout = cute.make_layout((n,))
    xs, ys = cute.make_tensor(x, layout), cute.make_tensor(y, layout)
    i = cutlass.Int64(cute.arch.block_idx()[0]) * 256 + cute.arch.thread_idx()[0]
    step = cutlass.Int64(cute.arch.grid_dim()[0]) * 256
    while i < n:
        ys[i] = xs[i] * a + ys[i]
        i += step


@cute.jit
def host(a: cutlass.Float32, x: cute.Pointer, y: cute.Pointer, n: cutlass.Int64):
    """Launch the kernel somehow: this is compiled, too, but never called."""
    axpy(a, x, y, n).launch(grid=[1, 1, 1], block=[256, 1, 1])


# [kernel.end]


# [build.begin]
def build() -> tvm_ffi.Module:
    """Compile the kernel, and embed it in the library of axpy.cc under its mangled name."""
    vector = cute.runtime.make_ptr(cutlass.Float32, 0, cute.AddressSpace.gmem, assumed_align=4)
    compiled = cute.compile(host, cutlass.Float32(0), vector, vector, cutlass.Int64(0))
    (name,) = compiled.kernel_info  # the mangled name of the one kernel
    launcher = (HERE / "axpy.cc").read_text().replace('"axpy")', f'"{name}")')
    return tvm_ffi.cpp.load_inline(
        "cute_axpy",
        cpp_sources=launcher,
        embed_cubin={"axpy_cubin": compiled.artifacts.CUBIN},
        extra_include_paths=[HERE],
    )


# [build.end]
