# SPDX-License-Identifier: Apache-2.0
"""A CuTe DSL function for the CPU, compiled for TVM FFI and exported to a library."""

import os
import subprocess

# [compile.begin]
os.environ.setdefault("CUTE_DSL_ARCH", "sm_90")  # before the import; no GPU is needed

import cutlass
import torch
from cutlass import cute
from cutlass.cute.runtime import from_dlpack


@cute.jit
def scale(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32 = 2.0):
    """Write x * factor to y."""
    for i in range(cute.size(x)):
        y[i] = x[i] * factor


x, y = torch.arange(4.0), torch.zeros(4)
vector = from_dlpack(x, enable_tvm_ffi=True).mark_layout_dynamic()  # of any length
compiled = cute.compile(scale, vector, vector, options="--enable-tvm-ffi")
# [compile.end]

# [call.begin]
compiled(x, y)
assert y.tolist() == [0, 2, 4, 6]
compiled(y=y, x=x, factor=0.5)
assert y.tolist() == [0, 0.5, 1, 1.5]
compiled(torch.ones(7), z := torch.zeros(7))
assert z.tolist() == [2] * 7

for arguments in (x, 3), (x, y.double()), (x[::2], y), (x,):
    try:
        compiled(*arguments)
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
# [call.end]

# [export.begin]
import tvm_ffi  # noqa: E402

compiled.export_to_c("scale.o", function_name="scale")
subprocess.run(["g++", "-shared", "scale.o", "-o", "scale.so"], check=True)
mod = tvm_ffi.load_module("./scale.so")
mod.scale(x, y, 3)
assert y.tolist() == [0, 3, 6, 9]
# [export.end]
