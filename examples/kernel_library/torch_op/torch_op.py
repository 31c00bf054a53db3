# SPDX-License-Identifier: Apache-2.0
"""The squared ReLU as a PyTorch operator: with gradients, and no break in a compiled graph."""

# [load.begin]
from functools import cache
from pathlib import Path

import torch
import tvm_ffi
from torch import Tensor

FOLDER = Path()  # Where the libraries are; in a package: Path(__file__).parent


@cache
def library(device: str) -> tvm_ffi.Module:
    """The library for a type of device, loaded when the first tensor of that type comes."""
    return tvm_ffi.load_module(str(FOLDER.resolve() / f"torch_op_{device}.so"))


# [load.end]


# [forward.begin]
def like(x: Tensor) -> Tensor:
    """A contiguous tensor for a result of the shape, dtype and device of x."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@torch.library.custom_op(
    "kernel_library::relu_squared", mutates_args=(), device_types=("cpu", "cuda")
)
def relu_squared(x: Tensor) -> Tensor:
    """Return max(x, 0) ** 2."""
    y = like(x)
    library(x.device.type).relu_squared(x.contiguous(), y)
    return y


# [forward.end]


# [backward.begin]
@torch.library.custom_op(
    "kernel_library::relu_squared_backward", mutates_args=(), device_types=("cpu", "cuda")
)
def relu_squared_backward(dy: Tensor, x: Tensor) -> Tensor:
    """Return the gradient by x, given the gradient by the result."""
    dx = like(x)
    library(x.device.type).relu_squared_backward(dy.contiguous(), x.contiguous(), dx)
    return dx


# [backward.end]


# [fake.begin]
@relu_squared.register_fake
def _(x: Tensor) -> Tensor:
    return like(x)


@relu_squared_backward.register_fake
def _(dy: Tensor, x: Tensor) -> Tensor:
    return like(x)


# [fake.end]


# [autograd.begin]
def save(ctx, inputs, output) -> None:
    """Keep what the gradient needs."""
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy: Tensor) -> Tensor:
    """Return the gradients by each input: there is one."""
    (x,) = ctx.saved_tensors
    return relu_squared_backward(dy, x)


relu_squared.register_autograd(gradient, setup_context=save)
# [autograd.end]


# [out.begin]
@torch.library.custom_op(
    "kernel_library::relu_squared_out", mutates_args=("out",), device_types=("cpu", "cuda")
)
def relu_squared_out(x: Tensor, out: Tensor) -> None:
    """Write max(x, 0) ** 2 into a tensor that the caller has."""
    library(x.device.type).relu_squared(x.contiguous(), out)


# [out.end]
