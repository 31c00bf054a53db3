# SPDX-License-Identifier: Apache-2.0
"""elu against float64, on each available device: pytest elu_test.py."""

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
    """Each device; a missing GPU is a skip with its reason."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    return request.param


@pytest.fixture(scope="module")
def elu(device):
    """The function under test."""
    return tvm_ffi.load_module(f"./elu_{device}.so").elu


# [fixtures.end]


# [tolerance.begin]
# In eps of the dtype that the kernel computes in: expm1 is off by up to 1, the product by 1/2,
# and in float64 `exact` is off by as much again.
ROUNDINGS = 3
LARGEST = 0  # of the terms of the formula that nearly cancel: there are none


def tolerance(dtype):
    """The largest error allowed in a result of this dtype, relative to `exact` and absolute."""
    info = torch.finfo(dtype)
    computed = torch.finfo(torch.promote_types(dtype, torch.float32))  # float32 for 16 bits
    least = info.smallest_normal * info.eps  # the smallest number above 0
    return {
        # y and `exact` are each rounded to the dtype, by up to eps / 2.
        "rtol": info.eps + ROUNDINGS * computed.eps,
        "atol": least + LARGEST * computed.eps,
    }


# [tolerance.end]


# [check.begin]
def check(elu, x, alpha):
    """Run on an output filled with NaN, and compare with the formula in float64, rounded once."""
    size = x.numel() + 2 * GUARD
    whole = torch.full((size,), float("nan"), dtype=x.dtype, device=x.device)
    y = whole[GUARD : GUARD + x.numel()].view(x.shape)
    elu(x, alpha, y)
    exact = torch.where(x > 0, x.double(), alpha.double() * x.double().expm1())
    torch.testing.assert_close(y, exact.to(x.dtype), **tolerance(x.dtype))
    assert whole[:GUARD].isnan().all(), "written before the output"
    assert whole[-GUARD:].isnan().all(), "written after the output"


# [check.end]


# [random.begin]
@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    dtype=st.sampled_from(DTYPES),
    shape=st.lists(st.sampled_from([0, 1, 2, 3, 17, 64, 257]), min_size=1, max_size=3),
    start=st.integers(0, 3),
)
def test_any_shape_and_start(elu, device, dtype, shape, start):
    """Empty, odd and large shapes, from addresses that are not aligned to vectors."""
    torch.manual_seed(0)
    memory = torch.randn(start + math.prod(shape), device=device).to(dtype)
    alpha = torch.randn(shape[-1], device=device).to(dtype)
    check(elu, memory[start:].view(shape), alpha)


# [random.end]


# [refusals.begin]
@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(3, 4), t(5), t(3, 4)),
            ValueError,
            "elu: alpha must be as long as a row of x, 4, got 5",
        ),
        (
            lambda t: (t(3, 4), t(4).half(), t(3, 4)),
            TypeError,
            "elu: alpha must be float32 like x, got float16",
        ),
        (
            lambda t: (t(4, 3).t(), t(4), t(3, 4)),
            ValueError,
            "elu: x must be contiguous, got shape (3, 4) with strides (1, 3)",
        ),
    ],
)
def test_wrong_arguments_are_named(elu, device, make, kind, message):
    """The whole message is checked: it is all that a caller sees."""
    with pytest.raises(kind) as raised:
        elu(*make(lambda *shape: torch.zeros(*shape, device=device)))
    assert str(raised.value) == message


# [refusals.end]
