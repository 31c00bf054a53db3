# SPDX-License-Identifier: Apache-2.0
"""The CUBIN of axpy.cu, compiled by NVRTC, in a library that is built from Python."""

from pathlib import Path

import tvm_ffi
from tvm_ffi.cpp.nvrtc import nvrtc_compile

HERE = Path(__file__).resolve().parent


def build(architecture: str | None = None) -> tvm_ffi.Module:
    """Compile for one architecture; without a name, for the first GPU."""
    # [inline.begin]
    cubin = nvrtc_compile((HERE / "axpy.cu").read_text(), arch=architecture)
    return tvm_ffi.cpp.load_inline(
        "axpy",
        cpp_sources=(HERE / "axpy.cc").read_text(),
        embed_cubin={"axpy_cubin": cubin},
        extra_include_paths=[HERE],
    )
    # [inline.end]
