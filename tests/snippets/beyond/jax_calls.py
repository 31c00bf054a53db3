# SPDX-License-Identifier: Apache-2.0
"""Shows the calls that a kernel receives for a sharded array: python jax_calls.py."""

import threading
from pathlib import Path

import jax
import numpy as np
import tvm_ffi
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from jax_call import call, register

jax.config.update("jax_num_cpu_devices", 8)
register(Path("jax_call_cpu_adapter.so"))
mod = tvm_ffi.load_module("./torch_op_cpu.so")
mesh = jax.make_mesh((8,), ("rows",))

calls = []
all_here = threading.Barrier(8, timeout=60)


@tvm_ffi.register_global_func("beyond.spy")
def spy(x, y):
    """Wait until eight calls are in flight, record the arguments, and do the kernel's work."""
    all_here.wait()
    calls.append((tuple(x.shape), str(x.device), threading.get_ident()))
    mod.relu_squared(x, y)


def relu_squared(x):
    """Return max(x, 0) ** 2."""
    return call("beyond.spy", [jax.ShapeDtypeStruct(x.shape, x.dtype)], x)[0]


x = jax.device_put(np.ones((16, 33), "float32"), NamedSharding(mesh, P("rows")))

# [sharded.begin]
by_rows = jax.shard_map(relu_squared, mesh=mesh, in_specs=P("rows"), out_specs=P("rows"))
jax.block_until_ready(jax.jit(by_rows)(x))
shapes, devices, threads = map(set, zip(*calls, strict=True))
assert (len(calls), len(threads)) == (8, 8)  # concurrently, from eight threads
assert shapes == {(2, 33)}
assert devices == {"cpu:0"}  # how the library sees eight parts of a CPU
# [sharded.end]

# [gathered.begin]
calls.clear()
y = jax.block_until_ready(jax.jit(relu_squared)(x))
assert [shape for shape, _, _ in calls] == [(16, 33)] * 8  # the whole array, eight times
assert y.sharding.is_fully_replicated
# [gathered.end]

# [indivisible.begin]
message = ""
try:
    jax.jit(by_rows)(np.ones((7, 33), "float32"))
except ValueError as error:
    message = str(error)
assert "not evenly divisible" in message
# [indivisible.end]
print("jax_calls.py: sharded with it, gathered without")
