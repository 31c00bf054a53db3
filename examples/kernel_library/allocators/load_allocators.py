# SPDX-License-Identifier: Apache-2.0
"""Loads the allocators and looks at what they give: python load_allocators.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./allocators_{device}.so")
# [load.end]

# [call.begin]
tensor = mod.empty((2, 3), tvm_ffi.dtype("float32"), tvm_ffi.device(device))
assert mod.bytes_in_use() == 24
x = torch.from_dlpack(tensor)  # shares the memory
x.zero_()
assert x.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
# [call.end]

# [free.begin]
del tensor
assert mod.bytes_in_use() == 24  # x is an owner too
del x
assert mod.bytes_in_use() == 0
# [free.end]

# [strided.begin]
padded = mod.empty_strided((3, 2), (1, 4), tvm_ffi.dtype("int64"), tvm_ffi.device(device))
assert tuple(padded.strides) == (1, 4)
assert mod.bytes_in_use() == 8 * 7  # from the first element to the last, gaps included
# [strided.end]
print(f"allocators_{device}.so gives the right results")
