# SPDX-License-Identifier: Apache-2.0
"""Runs one kernel on eight JAX devices, here eight parts of a CPU: python jax_mesh.py."""

# [devices.begin]
from pathlib import Path

import jax
import numpy as np
import tvm_ffi
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from jax_call import call, register

jax.config.update("jax_num_cpu_devices", 8)  # before JAX first looks for devices
register(Path("jax_call_cpu_adapter.so"))
mod = tvm_ffi.load_module("./torch_op_cpu.so")
tvm_ffi.register_global_func("beyond.relu_squared", mod.relu_squared)
# [devices.end]


# [shard_map.begin]
def relu_squared(x: jax.Array) -> jax.Array:
    """Return max(x, 0) ** 2, for one shard or for a whole array."""
    (y,) = call("beyond.relu_squared", [jax.ShapeDtypeStruct(x.shape, x.dtype)], x)
    return y


mesh = jax.make_mesh((8,), ("rows",))
by_rows = P("rows")
on_mesh = jax.jit(jax.shard_map(relu_squared, mesh=mesh, in_specs=by_rows, out_specs=by_rows))
# [shard_map.end]

# [same_bits.begin]
random = np.random.default_rng()
for shape, dtype in [((16, 33), "float32"), ((8, 1), "bfloat16"), ((4096, 257), "float32")]:
    x = jax.numpy.asarray(random.standard_normal(shape), dtype)
    y = on_mesh(jax.device_put(x, NamedSharding(mesh, by_rows)))
    assert len(y.addressable_shards) == 8
    assert y.addressable_shards[3].data.shape == (shape[0] // 8, shape[1])
    one_device = jax.jit(relu_squared)(jax.device_put(x, jax.devices()[0]))
    assert np.asarray(y).tobytes() == np.asarray(one_device).tobytes()
# [same_bits.end]
assert np.allclose(np.asarray(y), np.maximum(np.asarray(x), 0.0) ** 2)
print("jax_mesh.py: eight devices give the bits of one")
