# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R6
"""The add_one example: exact results, and refusals that say what is wrong."""

import cases
import pytest
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(scope="module")
def add_one(load):
    """The exported function."""
    return load("add_one").add_one


@pytest.mark.parametrize("n", [0, 1, 31, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 1_000_003])
def test_adds_one_to_every_element(add_one, device, n):
    """Every element is written, with x + 1, and nothing around them is."""
    x = torch.randn(n, device=device)
    y = cases.Poisoned((n,), torch.float32, device)
    add_one(x, y.tensor)
    y.check_guards()
    torch.testing.assert_close(y.tensor, x + 1, rtol=0, atol=0)
    cases.assert_rounds_to(y.tensor, x.double() + 1)


@given(st.integers(0, 3000), st.integers(0, 5), st.integers(0, 2**31))
def test_any_size_and_start(add_one, device, n, start, seed):
    """Random sizes, from the middle of a buffer on."""
    x = torch.randn(start + n, generator=torch.Generator().manual_seed(seed)).to(device)[start:]
    y = cases.Poisoned((n,), torch.float32, device)
    add_one(x, y.tensor)
    y.check_guards()
    cases.assert_rounds_to(y.tensor, x.double() + 1)


@pytest.mark.parametrize("n", [100, 1000, 5003])
def test_works_in_place(add_one, device, n):
    """The very same tensor may be input and output: each element is computed once."""
    x = torch.arange(n, dtype=torch.float32, device=device)
    add_one(x, x)
    torch.testing.assert_close(x, torch.arange(1.0, n + 1, device=device), rtol=0, atol=0)


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
        (
            lambda t: (lambda m: (m[:4], m[2:6]))(t(8)),
            ValueError,
            "add_one: y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(add_one, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        add_one(*make(lambda *shape: torch.zeros(*shape, device=device)))
    assert str(raised.value) == message


def test_a_tensor_on_another_kind_of_device_is_refused(add_one, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    y = torch.zeros(4, device=device)
    if device == "cpu":  # Only the reported device counts, so no GPU is needed.
        x, message = Producer(y, 4, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(y, 4, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^add_one: x must be {message}$"):
        add_one(x, y)


def test_views_with_a_pending_sign_are_refused(add_one, device):
    """PyTorch's negative-bit views hold the other sign in memory."""
    x = torch.ones(4, dtype=torch.complex64, device=device).conj().imag
    with pytest.raises(ValueError, match=r"resolve_neg"):
        add_one(x, torch.empty_like(x))


@cases.slow
def test_more_than_two_billion_elements(add_one, device):
    """Indices are 64-bit: the elements beyond 2**31 are computed too."""
    n = 2**31 + 3
    x = torch.zeros(n, device=device)
    x[-5:] = torch.arange(5.0, device=device)
    add_one(x, x)
    assert x[-5:].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    for part in x[:-5].split(1 << 26):
        assert bool((part == 1.0).all())
