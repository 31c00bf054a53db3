# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R6
"""The add_one example: exact results, and refusals that say what is wrong."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(scope="module")
def add_one(load):
    """The exported function."""
    return load("add_one").add_one


@pytest.mark.parametrize("n", [0, 1, 31, 256, 257, 1_000_003])
def test_adds_one_to_every_element(add_one, device, n):
    """Every element is written, with x + 1, and nothing behind the end is."""
    x = torch.randn(n, device=device)
    padded = torch.full((n + 8,), float("nan"), device=device)
    add_one(x, padded[:n])
    torch.testing.assert_close(padded[:n], x + 1, rtol=0, atol=0)
    assert torch.isnan(padded[n:]).all()


def test_works_in_place(add_one, device):
    """The very same tensor may be input and output."""
    x = torch.arange(100, dtype=torch.float32, device=device)
    add_one(x, x)
    torch.testing.assert_close(x, torch.arange(1, 101, dtype=torch.float32, device=device))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda t: (t(4, 4), t(4, 4)), ValueError, "add_one: x must be 1-dimensional, got 2"),
        (lambda t: (t(4).double(), t(4)), TypeError, "add_one: x must be float32, got float64"),
        (
            lambda t: (t(8)[::2], t(4)),
            ValueError,
            "add_one: x must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda t: (t(4), t(4).half()),
            TypeError,
            "add_one: y must be float32 like x, got float16",
        ),
        (lambda t: (t(4), t(5)), ValueError, "add_one: y must be of shape (4,) like x, got (5,)"),
    ],
)
def test_wrong_arguments_are_named(add_one, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        add_one(*make(lambda *shape: torch.zeros(*shape, device=device)))
    assert str(raised.value) == message
