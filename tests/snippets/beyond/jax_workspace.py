# SPDX-License-Identifier: Apache-2.0
"""Counts values on eight JAX devices, with a workspace on each: python jax_workspace.py."""

from pathlib import Path

import jax
import numpy as np
import tvm_ffi
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from jax_call import call, register

jax.config.update("jax_num_cpu_devices", 8)
jax.config.update("jax_enable_x64", True)  # the counts are int64
register(Path("jax_call_cpu_adapter.so"))
mod = tvm_ffi.load_module("./workspace_cpu.so")
tvm_ffi.register_global_func("beyond.histogram", mod.histogram)
mesh = jax.make_mesh((8,), ("parts",))

# [workspace.begin]
BINS = 100
size = mod.histogram_workspace_size(np.empty(0, "int32"), np.empty(BINS, "int64"))
outputs = [jax.ShapeDtypeStruct((BINS,), "int64"), jax.ShapeDtypeStruct((size,), "uint8")]


def histogram(x: jax.Array) -> jax.Array:
    """Count on this device, then add the counts of all devices."""
    counts, _ = call("beyond.histogram", outputs, x)  # the second output is the workspace
    return jax.lax.psum(counts, "parts")


count = jax.shard_map(histogram, mesh=mesh, in_specs=P("parts"), out_specs=P())
for n in (0, 8, 80_000):
    x = np.random.default_rng().integers(BINS, size=n, dtype="int32")
    on_mesh = jax.device_put(x, NamedSharding(mesh, P("parts")))
    assert np.array_equal(jax.jit(count)(on_mesh), np.bincount(x, minlength=BINS))
# [workspace.end]
print("jax_workspace.py: eight workspaces, one result")
