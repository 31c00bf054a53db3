# SPDX-License-Identifier: Apache-2.0
"""prelu against float64, on each device that is there: pytest prelu_test.py."""

# [fixtures.begin]
import math

import pytest
import torch
import tvm_ffi
from hypothesis import given, settings
from hypothesis import strategies as st

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
GUARD = 64  # elements around an output, which no kernel may write


@pytest.fixture(scope="module", params=["cpu", "cuda"])
def device(request):
    """Each device; a GPU that is not there is a skip with its reason."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    return request.param


@pytest.fixture(scope="module")
def prelu(device):
    """The function under test."""
    return tvm_ffi.load_module(f"./prelu_{device}.so").prelu


# [fixtures.end]


# [check.begin]
def check(prelu, x, slope):
    """Run on an output full of NaN, and compare with the formula in float64, rounded once."""
    size = x.numel() + 2 * GUARD
    whole = torch.full((size,), float("nan"), dtype=x.dtype, device=x.device)
    y = whole[GUARD : GUARD + x.numel()].view(x.shape)
    prelu(x, slope, y)
    exact = torch.where(x > 0, x.double(), slope.double() * x.double())
    eps = torch.finfo(x.dtype).eps
    torch.testing.assert_close(y, exact.to(x.dtype), rtol=eps, atol=1e-7)
    assert whole[:GUARD].isnan().all(), "written before the output"
    assert whole[-GUARD:].isnan().all(), "written behind the output"


# [check.end]


# [random.begin]
@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    dtype=st.sampled_from(DTYPES),
    shape=st.lists(st.sampled_from([0, 1, 2, 3, 17, 64, 257]), min_size=1, max_size=3),
    start=st.integers(0, 3),
)
def test_any_shape_and_start(prelu, device, dtype, shape, start):
    """Empty, odd and large shapes, from addresses that are not aligned to vectors."""
    torch.manual_seed(0)
    memory = torch.randn(start + math.prod(shape), device=device).to(dtype)
    slope = torch.randn(shape[-1], device=device).to(dtype)
    check(prelu, memory[start:].view(shape), slope)


# [random.end]


# [refusals.begin]
@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(3, 4), t(5), t(3, 4)),
            ValueError,
            "prelu: slope must be as long as a row of x, 4, got 5",
        ),
        (
            lambda t: (t(3, 4), t(4).half(), t(3, 4)),
            TypeError,
            "prelu: slope must be float32 like x, got float16",
        ),
        (
            lambda t: (t(4, 3).t(), t(4), t(3, 4)),
            ValueError,
            "prelu: x must be contiguous, got shape (3, 4) with strides (1, 3)",
        ),
    ],
)
def test_wrong_arguments_are_named(prelu, device, make, kind, message):
    """The whole message: a caller has nothing else to go by."""
    with pytest.raises(kind) as raised:
        prelu(*make(lambda *shape: torch.zeros(*shape, device=device)))
    assert str(raised.value) == message


# [refusals.end]
