# SPDX-License-Identifier: Apache-2.0
"""Runs the operator of torch_op in two processes: bash launch.sh dtensor.py."""

# [imports.begin]
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.experimental import register_sharding
from torch_op import relu_squared

# [imports.end]
mesh = init_device_mesh("cpu", (2,))  # gloo

# [no_rule.begin]
message = ""
try:
    relu_squared(distribute_tensor(torch.ones(4), mesh, [Shard(0)]))
except NotImplementedError as error:
    message = str(error)
assert "relu_squared.default does not have a sharding strategy registered" in message
# [no_rule.end]


# [rule.begin]
@register_sharding(torch.ops.kernel_library.relu_squared.default)
def elementwise(x):
    """Any dimension may be sharded; a pending sum, Partial, is reduced first."""
    placements = [Replicate(), *(Shard(dim) for dim in range(x.ndim))]
    return [([each], [each]) for each in placements]  # (outputs, inputs)


@register_sharding(torch.ops.kernel_library.relu_squared_backward.default)
def elementwise_gradient(dy, x):
    """Both inputs and the gradient are sharded alike."""
    placements = [Replicate(), *(Shard(dim) for dim in range(x.ndim))]
    return [([each], [each, each]) for each in placements]


# [rule.end]

rank = dist.get_rank()
random = torch.Generator().manual_seed(0)  # both processes have the same numbers

# [same_bits.begin]
for shape in [(7, 33), (1, 5), (0, 4), (1025, 257)]:
    x = torch.randn(shape, generator=random)
    one_process = x.clone().requires_grad_()
    result = relu_squared(one_process)
    result.sum().backward()
    for placement in (Shard(0), Shard(1), Replicate()):
        sharded = distribute_tensor(x, mesh, [placement]).requires_grad_()
        y = relu_squared(sharded)
        assert torch.equal(y.full_tensor(), result)
        y.sum().backward()
        assert torch.equal(sharded.grad.full_tensor(), one_process.grad)
        if min(shape) > 1:  # DTensor does not shard a dimension shorter than the mesh
            assert y.placements == sharded.grad.placements == (placement,)
# [same_bits.end]

# [partial.begin]
terms = torch.tensor([-1.0, 2.0, 3.0]) if rank == 0 else torch.tensor([3.0, -4.0, 1.0])
unfinished = DTensor.from_local(terms, mesh, [Partial()])
y = relu_squared(unfinished)
assert y.placements == (Shard(0),)  # the cheapest placement of the rule: a reduce-scatter
assert y.full_tensor().tolist() == [4.0, 0.0, 16.0]  # of the sums 2, -2 and 4
# [partial.end]
dist.destroy_process_group()
print(f"dtensor.py: process {rank} has the bits of a single one")
