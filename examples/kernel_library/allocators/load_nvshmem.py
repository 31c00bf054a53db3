# SPDX-License-Identifier: Apache-2.0
"""Allocates and frees through NVSHMEM in a job of one process: python load_nvshmem.py."""

# [start.begin]
import tvm_ffi

mod = tvm_ffi.load_module("./nvshmem_allocator.so")
# A job of one. In a larger one, one process makes the id and all start with it, each on its GPU.
mod.start(0, 1, mod.unique_id(), tvm_ffi.device("cuda", 0))
# [start.end]

# [free.begin]
weights = mod.empty((1000,), tvm_ffi.dtype("float32"))
scratch = mod.empty((10,), tvm_ffi.dtype("int8"))
assert list(mod.released()) == []
del scratch
assert list(mod.released()) == [1]  # marked; nothing is freed yet
# In a larger job: the numbers that all processes have released, after they exchanged them.
mod.free_released([1])
assert list(mod.released()) == []
# [free.end]

# [stop.begin]
del weights
mod.free_released(mod.released())
mod.stop()
# [stop.end]
print("nvshmem_allocator.so gives the right results")
