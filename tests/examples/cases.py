# SPDX-License-Identifier: Apache-2.0
"""What the examples' tests share: random shapes and layouts, poisoned outputs, tolerances."""

import math
import mmap
import os
from dataclasses import dataclass

import pytest
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

slow = pytest.mark.skipif(
    os.environ.get("RUN_SLOW", "0") in ("", "0"),
    reason="takes gigabytes and minutes: RUN_SLOW=1 nox -s docs",
)

GUARD = 64  # bytes before and after an output, which no kernel may write


# Truncated to 32 bits, the index of element 1 is 7: inside the tensor, at an element that is zero.
FAR = 2**32 + 7
NO_RESERVE = 0x4000  # Linux's MAP_NORESERVE, available in Python from 3.13


def far_apart(shape, strides, dtype, device):
    """Give a tensor of zeros with strides of gigabytes; only pages that are written take memory.

    On a GPU it takes all of its memory.
    """
    count = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if device == "cuda":
        try:
            memory = torch.zeros(count, dtype=dtype, device=device)
        except torch.cuda.OutOfMemoryError as error:
            pytest.skip(f"the GPU has no room for {count} elements: {error}")
    else:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
        try:
            mapped = mmap.mmap(-1, count * dtype.itemsize, flags=flags)
        except OSError as error:  # vm.overcommit_memory = 2, or an address-space limit
            pytest.skip(f"the system does not reserve {count * dtype.itemsize} bytes: {error}")
        memory = torch.frombuffer(mapped, dtype=dtype)
    return memory.as_strided(shape, strides)


def shapes(min_dims=0, max_dims=4, most=20_000):
    """Shapes of 0-dim, empty, one-element, prime and round extents; at most `most` elements."""
    extents = st.sampled_from([0, 1, 2, 3, 4, 7, 8, 16, 17, 31, 64, 97, 128, 257])
    lists = st.lists(extents, min_size=min_dims, max_size=max_dims)
    return lists.filter(lambda shape: math.prod(max(n, 1) for n in shape) <= most).map(tuple)


@dataclass(frozen=True)
class Layout:
    """How a tensor lies in a larger buffer: order of dimensions, steps, what is left out before."""

    order: tuple[int, ...]
    steps: tuple[int, ...]
    starts: tuple[int, ...]

    def of(self, values):
        """Give a tensor with these values that lies like that."""
        extents = [0] * values.dim()
        for place, dim in enumerate(self.order):
            extents[place] = self.starts[dim] + self.steps[dim] * values.shape[dim]
        buffer = torch.zeros(extents, dtype=values.dtype, device=values.device)
        back = [self.order.index(dim) for dim in range(values.dim())]
        view = buffer.permute(back)
        for dim in range(values.dim()):
            view = view.narrow(dim, self.starts[dim], view.shape[dim] - self.starts[dim])
            # PyTorch's slices of an empty dimension stay empty.
            view = view[(slice(None),) * dim + (slice(None, None, self.steps[dim]),)]
        view.copy_(values)
        return view


@st.composite
def layouts(draw, dims, last_is_dense=False):
    """Layouts of tensors of `dims` dimensions; the last one of step 1 and innermost if asked."""
    order = draw(st.permutations(range(dims)))
    steps = draw(st.lists(st.integers(1, 3), min_size=dims, max_size=dims))
    starts = draw(st.lists(st.integers(0, 3), min_size=dims, max_size=dims))
    if last_is_dense and dims > 0:
        order = [*(dim for dim in order if dim != dims - 1), dims - 1]
        steps[-1] = 1
    return Layout(tuple(order), tuple(steps), tuple(starts))


class Poisoned:
    """An output whose every byte is wrong before the kernel runs, between two guards.

    Floating-point elements are NaN: what is not written shows.
    """

    def __init__(self, shape, dtype, device):
        size = math.prod(shape) * dtype.itemsize
        self.byte = 0xFF if dtype.is_floating_point or dtype.is_complex else 0xA5
        self.memory = torch.full((size + 2 * GUARD,), self.byte, dtype=torch.uint8, device=device)
        self.tensor = self.memory[GUARD : GUARD + size].view(dtype).view(shape)

    def check_guards(self):
        """Fail if something before or behind the tensor was written."""
        assert bool((self.memory[:GUARD] == self.byte).all()), "written before the output"
        assert bool((self.memory[-GUARD:] == self.byte).all()), "written behind the output"


def assert_rounds_to(got, reference, error=0.0):
    """Fail unless `got` is the float64 `reference`, off by `error`, rounded once to got's dtype.

    `error` bounds what the computation itself may be off before it is rounded: a number, or a
    float64 tensor of the shape of the reference. Rounding adds half a unit in the last place.
    """
    info = torch.finfo(got.dtype)
    got64 = got.double()
    size = reference.abs() + error
    inside = size < info.max
    # Values that are too large, infinite or NaN must convert as the reference does; at the limit
    # itself, the error decides which.
    beyond = ~(size <= info.max * (1 + info.eps)) & ~(reference.abs() - error <= info.max)
    rounded = reference.to(got.dtype).double()
    torch.testing.assert_close(got64[beyond], rounded[beyond], rtol=0, atol=0, equal_nan=True)
    bound = error + info.eps / 2 * size + info.eps / 2 * info.smallest_normal
    wrong = inside & ~((got64 - reference).abs() <= bound)
    if bool(wrong.any()):
        first = int(wrong.flatten().nonzero()[0])
        bounds = torch.broadcast_to(bound, wrong.shape).flatten()
        raise AssertionError(
            f"{int(wrong.sum())} of {wrong.numel()} elements are wrong; element {first}: "
            f"got {got64.flatten()[first]}, expected {reference.flatten()[first]} "
            f"within {bounds[first]}"
        )
