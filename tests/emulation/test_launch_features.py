# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The launch features page's kernels run on the CPU, if no block waits for another."""

from pathlib import Path

import emulate
import pytest
import tvm_ffi
from example_calls import torch

FOLDER = Path(__file__).resolve().parents[1] / "snippets" / "launch"
NAN = float("nan")


@pytest.fixture(scope="module")
def built_snippet(tmp_path_factory):
    """A function that builds a source of the page and loads it."""

    def build(name):
        library = tmp_path_factory.mktemp(name) / f"{name}.so"
        return tvm_ffi.load_module(emulate.build_source(FOLDER / f"{name}.cu", library, ["-O0"]))

    return build


def test_reversed_rows(built_snippet):
    """Each row is reversed by threads that wait for each other."""
    mod = built_snippet("shared_memory")
    for shape in [(1, 1), (3, 7), (2, 256), (5, 255)]:
        x = torch.rand(shape)
        y = torch.full_like(x, NAN)
        mod.reverse_rows(x, y)
        assert torch.equal(y, x.flip(1))
        mod.reverse_rows(x, x)
        assert torch.equal(y, x)


def test_persistent_blocks(built_snippet):
    """Four blocks, all resident at once, square up to eleven tiles."""
    mod = built_snippet("persistent")
    for n in (1, 1023, 1025, 4096, 10_241):
        x = torch.rand(n)
        y = torch.full_like(x, NAN)
        mod.square(x, y)
        assert torch.equal(y, x * x)


@pytest.mark.parametrize("capability", [80, 90])
def test_early_kernel(built_snippet, capability):
    """The sum is the same with and without overlap; the emulation requires each thread to wait."""
    mod = built_snippet("dependent")
    mod.set_capability(capability)
    bias = torch.rand(1)
    for n in (1, 255, 257, 3000):
        x = torch.rand(n)
        y = torch.full_like(x, NAN)
        mod.multiply_add(x, 2.0, bias, y)
        torch.testing.assert_close(y.double(), 2 * x.double() + bias.double())
