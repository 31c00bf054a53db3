# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The decode_attention example: any sizes against float64, hostile tables, and its refusals."""

from dataclasses import dataclass
from typing import Any

import cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
INT32, UINT8 = (0, 32), (1, 8)
PART = 256  # tokens that one GPU block reads
NAN = float("nan")


@pytest.fixture(scope="module")
def mod(load):
    """The library."""
    return load("decode_attention")


@pytest.fixture(scope="module")
def reads_numbers(device, libraries):
    """Whether the library reads lengths and page numbers before it works: the CPU's does."""
    return device == "cpu" and "emulation" not in libraries.parts


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def randn(shape, dtype, device):
    """Random numbers of a dtype."""
    return torch.randn(shape, device=device).to(dtype)


@dataclass
class Case:
    """The inputs of one call."""

    q: Any
    k: Any
    v: Any
    table: Any
    lengths: Any
    scale: float

    def tokens(self, cache, b):
        """Give the rows of a cache that a sequence uses: (tokens, heads of the cache, dim)."""
        size = cache.shape[1]
        length = int(self.lengths[b])
        used = self.table[b, : -(-length // size)].long()
        return cache[used].flatten(0, 1)[:length]

    def call(self, mod, out, workspace):
        """Run the kernel."""
        mod.decode_attention(
            self.q, self.k, self.v, self.table, self.lengths, self.scale, out, workspace
        )

    def size(self, mod):
        """Ask for the size of the workspace."""
        return mod.decode_attention_workspace_size(self.q, self.k, self.table)

    def workspace(self, mod):
        """Allocate the workspace."""
        return torch.empty(self.size(mod), dtype=torch.uint8, device=self.q.device)


def make(device, dtype, lengths, heads=(4, 2), dim=64, page_size=16, spare=0, scale=None):
    """Random queries and caches; the pages are shuffled, and what no sequence uses is NaN.

    `heads` are those of the queries and of the cache; a sequence has `spare` pages more than the
    longest needs.
    """
    query_heads, kv_heads = heads
    used = [-(-length // page_size) for length in lengths]
    pages = sum(used) + 3
    shape = (pages, page_size, kv_heads, dim)
    table = torch.full((len(lengths), max(used, default=0) + spare), -1, dtype=torch.int32)
    k, v = (torch.full(shape, NAN, dtype=dtype, device=device) for _ in range(2))
    free = iter(torch.randperm(pages).tolist())
    for b, length in enumerate(lengths):
        for i in range(used[b]):
            page = next(free)
            table[b, i] = page
            filled = min(length - i * page_size, page_size)
            for cache in (k, v):
                cache[page, :filled] = randn((filled, kv_heads, dim), dtype, device)
    return Case(
        randn((len(lengths), query_heads, dim), dtype, device),
        k,
        v,
        table.to(device),
        torch.tensor(lengths, dtype=torch.int32, device=device),
        dim**-0.5 if scale is None else scale,
    )


def reference(case):
    """Compute in float64; also bound what float32 may be off before the result is rounded.

    u is the error of one rounding. A score is a sum of products whose magnitudes add up to `size`:
    the scale, the product with it, and 25 roundings of each term on the way to the sum, which a CPU
    needs for 16 sums of 8 products. It is the exponent of a power: one rounding of its difference
    to the largest, at most twice the size, and the differences by which the power is scaled later,
    which add up to as much at most. So the power is off by 31 u of the size.
    A power itself is off by 4 u. A team of a GPU's threads scales its sums at most 32 times for two
    tokens, or 16 times for four: a power, a product and the additions, 7 u or 9 u. It is one of 4
    teams then; 16 teams make at most 8 turns. To merge two of them takes a power, a product and an
    addition, 6 u. So does each part of a sequence, of which a thread takes every fourth, and each
    of four threads. All in all: 4 + 1 + 32 * 7 + 4 * 6 + (parts / 4 + 1 + 4) * 6 and a division.
    The numerator and the denominator are both off. Powers below the smallest normal number may be
    lost. 1% covers products of roundings.
    """
    u = 2.0**-24
    wants, errors = [], []
    for b, length in enumerate(case.lengths.tolist()):
        heads = case.q.shape[1]
        k, v = (case.tokens(cache, b).double() for cache in (case.k, case.v))
        group = heads // k.shape[1]
        k, v = (rows.repeat_interleave(group, 1).transpose(0, 1) for rows in (k, v))
        q = case.q[b].double().unsqueeze(1)
        weights = torch.softmax((q * k).sum(-1) * case.scale, -1).unsqueeze(-1)
        wants.append((weights * v).sum(1))
        sizes = (q * k).abs().sum(-1) * abs(case.scale)
        size = sizes.amax(-1, keepdim=True) if length else sizes.sum(-1, keepdim=True)
        parts = -(-length // PART)
        off = 31 * size + 284 + 1.5 * parts
        lost = 2.0**-120 * v.abs().sum(1)
        errors.append(2.02 * off * u * (weights * v.abs()).sum(1) + lost)
    if not wants:
        return case.q.double(), case.q.double()
    return torch.stack(wants), torch.stack(errors)


def check(mod, case):
    """Call into poisoned memory, in a workspace that is poisoned and just large enough."""
    out = cases.Poisoned(tuple(case.q.shape), case.q.dtype, case.q.device)
    workspace = cases.Poisoned((case.size(mod),), torch.uint8, case.q.device)
    inputs = (case.q, case.k, case.v, case.table, case.lengths)
    before = [each.clone() for each in inputs]
    case.call(mod, out.tensor, workspace.tensor)
    cases.assert_rounds_to(out.tensor, *reference(case))
    out.check_guards()
    workspace.check_guards()
    for now, then in zip(inputs, before, strict=True):
        torch.testing.assert_close(now, then, rtol=0, atol=0, equal_nan=True)
    return out.tensor


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("dim", [64, 128])
@pytest.mark.parametrize("heads", [(1, 1), (3, 3), (4, 2), (4, 1), (10, 2), (8, 1)], ids=str)
def test_any_heads(mod, device, dtype, dim, heads):
    """Groups of one and of several heads, whether they fill a block's share or not."""
    check(mod, make(device, dtype, [21, 0, 300], heads, dim))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("page_size", [1, 2, 16, 512])
@pytest.mark.parametrize("length", [1, 15, 16, 17, 255, 256, 257, 511, 513, 1300])
def test_any_length(mod, device, dtype, page_size, length):
    """Lengths around the ends of pages and of parts; a page may hold several parts."""
    check(mod, make(device, dtype, [length], page_size=page_size))


@given(
    dtype=st.sampled_from(DTYPES),
    lengths=st.lists(st.integers(0, 600), max_size=4),
    kv_heads=st.integers(1, 3),
    group=st.integers(1, 6),
    dim=st.sampled_from([64, 128]),
    page_size=st.sampled_from([1, 4, 16, 32, 64]),
    spare=st.integers(0, 9),
    seed=st.integers(0, 1000),
)
def test_random(mod, device, dtype, lengths, kv_heads, group, dim, page_size, spare, seed):
    """Random sequences, in page tables that are wider than they need."""
    torch.manual_seed(seed)
    check(mod, make(device, dtype, lengths, (kv_heads * group, kv_heads), dim, page_size, spare))


def test_many_parts(mod, device):
    """A long sequence is merged of more parts than a block's threads take at once."""
    check(mod, make(device, torch.float16, [20 * PART + 5, 3], (2, 1), page_size=64))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("heads", [(1, 1), (4, 1)], ids=str)
def test_equal_tokens(mod, device, dtype, heads):
    """The mean of many equal values is that value, over any number of parts."""
    case = make(device, dtype, [3000], heads, page_size=64)
    case.k.fill_(0)
    case.v.fill_(1.5)
    out = check(mod, case)
    torch.testing.assert_close(out, torch.full_like(out, 1.5), rtol=2.0**-15, atol=0)


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize("heads", [(1, 1), (4, 1)], ids=str)
def test_a_sum_that_is_scaled_again_and_again(mod, device, rising, heads):
    """Rising scores make each token the largest so far; falling ones only the first."""
    case = make(device, torch.float32, [1024], heads, page_size=64, scale=1.0)
    case.q.fill_(1 / 8)
    steps = torch.linspace(-12, 12, 1024, device=device)
    rows = (steps if rising else steps.flip(0)).view(-1, 1, 1).expand(-1, 1, 64)
    case.k[case.table[0].long()] = rows.reshape(-1, 64, 1, 64)
    check(mod, case)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_large_scores(mod, device, dtype):
    """Scores far beyond the range of exp() neither overflow nor vanish."""
    case = make(device, dtype, [600], (4, 2), scale=1.0)
    case.q.fill_(16)
    case.k.mul_(0).sub_(16)  # scores of -16384, except for one token
    case.k[case.table[0, 20].long(), 3] = 16
    out = check(mod, case)
    want = case.v[case.table[0, 20].long(), 3].repeat_interleave(2, 0)
    torch.testing.assert_close(out[0], want, rtol=0, atol=0)


def test_numbers_that_are_none_stay_in_their_sequence(mod, device):
    """A NaN of a key spoils the heads that share it, and a NaN of a value one element."""
    case = make(device, torch.float16, [40, 40, 40], (4, 2))
    clean = check(mod, case)
    case.k[case.table[0, 2].long(), 5, 1, 7] = NAN
    case.v[case.table[2, 0].long(), 5, 0, 9] = NAN
    out = torch.empty_like(case.q)
    case.call(mod, out, case.workspace(mod))
    spoiled = torch.zeros_like(out, dtype=torch.bool)
    spoiled[0, 2:] = True
    spoiled[2, :2, 9] = True
    assert torch.equal(out.isnan(), spoiled)
    assert torch.equal(out[~spoiled], clean[~spoiled])


@pytest.mark.parametrize("length", [1, 5, 16])
def test_an_infinite_value(mod, device, length):
    """It stays infinite, although a GPU's threads read the last token again."""
    case = make(device, torch.float16, [length])
    case.v[case.table[0, 0].long(), length - 1] = float("inf")
    out = torch.empty_like(case.q)
    case.call(mod, out, case.workspace(mod))
    assert bool((out == float("inf")).all())


@pytest.mark.parametrize("page_size", [16, 64])
@pytest.mark.parametrize("spare", [0, 5])
def test_empty_sequences_give_zeros(mod, device, page_size, spare):
    """A sequence without tokens is 0, whatever is in its row of the page table."""
    case = make(device, torch.float16, [0, 0], (4, 2), page_size=page_size, spare=spare)
    out = check(mod, case)
    assert torch.equal(out, torch.zeros_like(out))


def test_no_sequences(mod, device):
    """A batch of nothing is legal."""
    check(mod, make(device, torch.float16, []))


def test_a_sequence_is_computed_alike_in_every_batch(mod, device):
    """The bits of a result depend neither on the other sequences nor on the table's width."""
    case = make(device, torch.bfloat16, [700, 20, 513], (8, 2))
    together = check(mod, case)
    for b in range(3):
        used = -(-int(case.lengths[b]) // 16)
        row = slice(b, b + 1)
        table = case.table[row, :used].contiguous()
        alone = Case(case.q[row], case.k, case.v, table, case.lengths[row], case.scale)
        assert torch.equal(check(mod, alone), together[row])


def test_lengths_may_change_between_calls(mod, device):
    """The workspace depends on shapes only: any lengths that fit the table use the same one."""
    case = make(device, torch.float16, [600, 600], page_size=32)
    workspace, out = case.workspace(mod), torch.empty_like(case.q)
    for lengths in ([1, 600], [0, 33], [257, 256], [600, 0]):
        case.lengths.copy_(torch.tensor(lengths))
        assert case.size(mod) == workspace.numel()
        workspace.fill_(0xFF)
        case.call(mod, out, workspace)
        cases.assert_rounds_to(out, *reference(case))


# [graph.begin]
def test_a_cuda_graph_follows_the_lengths(mod, device):
    """A captured call runs again on the lengths, pages and numbers that are there then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    case = make(device, torch.float16, [600, 600], page_size=32)
    workspace, out = case.workspace(mod), torch.empty_like(case.q)
    case.call(mod, out, workspace)  # Loads the kernels, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        case.call(mod, out, workspace)
    for lengths in ([1, 600], [0, 33], [257, 256], [600, 0]):
        case.lengths.copy_(torch.tensor(lengths))
        case.table.copy_(case.table.flip(0))
        case.q.copy_(case.q.roll(1))
        graph.replay()
        cases.assert_rounds_to(out, *reference(case))
    # [graph.end]


FAR_PAGES = (-1, -(2**31), 2**31 - 1, 1 << 20)


@pytest.mark.parametrize("page", FAR_PAGES)
@pytest.mark.parametrize("heads", [(2, 2), (4, 1)], ids=str)
@pytest.mark.parametrize("place", [0, 17, 37])
def test_a_page_that_is_not_there(mod, device, reads_numbers, page, heads, place):
    """A GPU gives NaN for its sequence and reads nothing outside; a CPU refuses the call."""
    case = make(device, torch.float16, [50, 600, 50], heads)
    clean = check(mod, case)
    case.table[1, place] = page
    out = torch.full_like(case.q, 7)
    if reads_numbers:
        text = rf"page_table\[1, {place}\] must be one of the {case.k.shape[0]} pages, got {page}"
        with pytest.raises(ValueError, match=f"^decode_attention: {text}$"):
            case.call(mod, out, case.workspace(mod))
        assert bool((out == 7).all())
        return
    case.call(mod, out, case.workspace(mod))
    assert bool(out[1].isnan().all())
    assert torch.equal(out[::2], clean[::2])


def test_the_first_page_beyond_the_cache(mod, device, reads_numbers):
    """The last page is read, and the one after it is not."""
    case = make(device, torch.float16, [16])
    pages = case.k.shape[0]
    for cache in (case.k, case.v):
        cache.copy_(randn(cache.shape, cache.dtype, device))
    case.table.fill_(pages - 1)
    check(mod, case)
    case.table.fill_(pages)
    out = torch.empty_like(case.q)
    if reads_numbers:
        with pytest.raises(ValueError, match=f"one of the {pages} pages, got {pages}$"):
            case.call(mod, out, case.workspace(mod))
    else:
        case.call(mod, out, case.workspace(mod))
        assert bool(out.isnan().all())


def test_a_cache_of_no_pages(mod, device, reads_numbers):
    """Every page is outside; a sequence without tokens needs none."""
    case = make(device, torch.float16, [0, 0], spare=2)
    case.k, case.v = case.k[:0], case.v[:0]
    check(mod, case)
    case.table.zero_()
    case.lengths.fill_(20)
    out = torch.empty_like(case.q)
    if reads_numbers:
        with pytest.raises(ValueError, match=r"lengths\[0\] must be between 0 and 0, got 20"):
            case.call(mod, out, case.workspace(mod))
    else:
        case.call(mod, out, case.workspace(mod))
        assert bool(out.isnan().all())


@pytest.mark.parametrize("length", [-1, -(2**31), 65, 2**31 - 1])
def test_a_length_that_the_table_has_no_room_for(mod, device, reads_numbers, length):
    """A GPU gives NaN for its sequence and reads nothing outside; a CPU refuses the call."""
    case = make(device, torch.bfloat16, [50, 64, 50])
    clean = check(mod, case)
    case.lengths[1] = length
    out = torch.full_like(case.q, 7)
    if reads_numbers:
        text = rf"lengths\[1\] must be between 0 and 64, got {length}"
        with pytest.raises(ValueError, match=f"^decode_attention: {text}$"):
            case.call(mod, out, case.workspace(mod))
        assert bool((out == 7).all())
        return
    case.call(mod, out, case.workspace(mod))
    assert bool(out[1].isnan().all())
    assert torch.equal(out[::2], clean[::2])


def heads_first(cache):
    """Memory of (pages, heads, page_size, dim), seen as the kernel wants it."""
    return cache.transpose(1, 2).contiguous().transpose(1, 2)


def among_others(cache):
    """Pages and heads between others, in one buffer."""
    pages, size, heads, dim = cache.shape
    buffer = torch.full((pages, 2, size, heads + 1, dim), NAN, dtype=cache.dtype)
    view = buffer.to(cache.device)[:, 1, :, 1:]
    return view.copy_(cache)


def backwards(cache):
    """Pages in memory the other way round would need negative strides; rows with gaps do not."""
    pages, size, heads, dim = cache.shape
    buffer = torch.full((size, pages, heads, dim + 8), NAN, dtype=cache.dtype).to(cache.device)
    return buffer[..., 8:].transpose(0, 1).copy_(cache)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("of_k", [heads_first, among_others, backwards])
@pytest.mark.parametrize("of_v", [heads_first, among_others])
def test_any_layout_of_the_caches(mod, device, dtype, of_k, of_v):
    """Pages, tokens and heads may be in any order, with gaps; both caches differ."""
    case = make(device, dtype, [70, 33], (6, 3))
    case.k, case.v = of_k(case.k), of_v(case.v)
    check(mod, case)


def test_pages_far_apart(mod, device):
    """Offsets are 64-bit: pages 8 GiB apart are read."""
    case = make(device, torch.float16, [20], (2, 1))
    shape = (3, 16, 1, 64)
    far = cases.far_apart(shape, (2**32 + 8, 64, 64, 1), torch.float16, device)
    far.copy_(randn(shape, torch.float16, device))
    case.k = case.v = far
    case.table.copy_(torch.tensor([[2, 1]]))
    out = torch.empty_like(case.q)
    case.call(mod, out, case.workspace(mod))
    cases.assert_rounds_to(out, *reference(case))


NAMES = ["q", "k_cache", "v_cache", "page_table", "lengths", "scale", "out", "workspace"]


def arguments(device, **changed):
    """Good arguments by name, some of them changed."""
    zeros = lambda *shape: torch.zeros(shape, device=device, dtype=torch.float16)  # noqa: E731
    numbers = lambda *shape: torch.zeros(shape, device=device, dtype=torch.int32)  # noqa: E731
    good = {
        "q": zeros(2, 4, 64),
        "k_cache": zeros(5, 16, 2, 64),
        "v_cache": zeros(5, 16, 2, 64),
        "page_table": numbers(2, 3),
        "lengths": numbers(2),
        "scale": 1.0,
        "out": zeros(2, 4, 64),
        "workspace": torch.zeros(8192, device=device, dtype=torch.uint8),
    }
    return list((good | changed).values())


MOST = 65535 * PART


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (
            lambda t: {"q": t(2, 4, 64).double()},
            TypeError,
            "q must be float32, float16 or bfloat16, got float64",
        ),
        (lambda t: {"q": t(2, 64)}, ValueError, "q must be 3-dimensional, got 2"),
        (
            lambda t: {"q": t(2, 4, 96)},
            ValueError,
            "q must be of 64 or 128 elements for each head, got 96",
        ),
        (
            lambda t: {"q": t(65536, 1, 64)},
            ValueError,
            "q must be of at most 65535 sequences and heads, got (65536, 1, 64)",
        ),
        (
            lambda t: {"q": t(0, 65536, 64)},
            ValueError,
            "q must be of at most 65535 sequences and heads, got (0, 65536, 64)",
        ),
        (
            lambda t: {"q": t(4, 2, 64).transpose(0, 1)},
            ValueError,
            "q must be contiguous, got shape (2, 4, 64) with strides (64, 128, 1)",
        ),
        (
            lambda t: {"q": t(520)[4:516].view(2, 4, 64)},
            ValueError,
            "q must be made of rows at multiples of 16 bytes, "
            "got an address or strides (256, 64, 1) that are not",
        ),
        (
            lambda t: {"k_cache": t(5, 16, 2, 64).bfloat16()},
            TypeError,
            "k_cache must be float16 like q, got bfloat16",
        ),
        (lambda t: {"k_cache": t(5, 16, 64)}, ValueError, "k_cache must be 4-dimensional, got 3"),
        (
            lambda t: {"k_cache": t(5, 16, 2, 128)},
            ValueError,
            "k_cache must be of 64 elements for each head like q, got 128",
        ),
        (
            lambda t: {"k_cache": t(5, 16, 3, 64)},
            ValueError,
            "k_cache must be of a number of heads that divides the 4 of q, got 3",
        ),
        (
            lambda t: {"k_cache": t(5, 16, 0, 64)},
            ValueError,
            "k_cache must be of a number of heads that divides the 4 of q, got 0",
        ),
        (
            lambda t: {"k_cache": t(5, 24, 2, 64)},
            ValueError,
            f"k_cache must be of a power of two of at most {MOST} tokens for each page, got 24",
        ),
        (
            lambda t: {"k_cache": t(5, 0, 2, 64)},
            ValueError,
            f"k_cache must be of a power of two of at most {MOST} tokens for each page, got 0",
        ),
        (
            lambda t: {"k_cache": t(0, 1 << 24, 2, 64)},
            ValueError,
            f"k_cache must be of a power of two of at most {MOST} tokens for each page, "
            f"got {1 << 24}",
        ),
        (
            lambda t: {"k_cache": t(5, 16, 64, 2).transpose(2, 3)},
            ValueError,
            "k_cache must be dense in its last dimension, "
            "got shape (5, 16, 2, 64) with strides (2048, 128, 1, 2)",
        ),
        (
            lambda t: {"k_cache": t(5, 16, 2, 68)[..., :64]},
            ValueError,
            "k_cache must be made of rows at multiples of 16 bytes, "
            "got an address or strides (2176, 136, 68, 1) that are not",
        ),
        (
            lambda t: {"v_cache": t(5, 16, 2, 68)[..., 4:]},
            ValueError,
            "v_cache must be made of rows at multiples of 16 bytes, "
            "got an address or strides (2176, 136, 68, 1) that are not",
        ),
        (
            lambda t: {"v_cache": t(5, 16, 2, 64).float()},
            TypeError,
            "v_cache must be float16 like q, got float32",
        ),
        (
            lambda t: {"v_cache": t(4, 16, 2, 64)},
            ValueError,
            "v_cache must be of shape (5, 16, 2, 64) like k_cache, got (4, 16, 2, 64)",
        ),
        (
            lambda t: {"page_table": t(2, 3).long()},
            TypeError,
            "page_table must be int32, got int64",
        ),
        (
            lambda t: {"page_table": t(6).int()},
            ValueError,
            "page_table must be 2-dimensional, got 1",
        ),
        (
            lambda t: {"page_table": t(3, 3).int()},
            ValueError,
            "page_table must be of 2 sequences like q, got 3",
        ),
        (
            lambda t: {"page_table": t(3, 2).int().t()},
            ValueError,
            "page_table must be contiguous, got shape (2, 3) with strides (1, 2)",
        ),
        (
            lambda t: {"page_table": t(2, 3).int(), "k_cache": t(0, 1 << 23, 2, 64)},
            ValueError,
            f"page_table must be of at most {MOST} tokens for each sequence, "
            f"got 3 pages of {1 << 23}",
        ),
        (lambda t: {"lengths": t(2).long()}, TypeError, "lengths must be int32, got int64"),
        (lambda t: {"lengths": t(2, 1).int()}, ValueError, "lengths must be 1-dimensional, got 2"),
        (
            lambda t: {"lengths": t(3).int()},
            ValueError,
            "lengths must be of 2 sequences like q, got 3",
        ),
        (
            lambda t: {"lengths": t(4).int()[::2]},
            ValueError,
            "lengths must be contiguous, got shape (2,) with strides (2,)",
        ),
        (
            lambda t: {"out": t(2, 4, 64).float()},
            TypeError,
            "out must be float16 like q, got float32",
        ),
        (
            lambda t: {"out": t(2, 4, 128)},
            ValueError,
            "out must be of shape (2, 4, 64) like q, got (2, 4, 128)",
        ),
        (
            lambda t: {"out": t(2, 4, 128)[..., :64]},
            ValueError,
            "out must be contiguous, got shape (2, 4, 64) with strides (512, 128, 1)",
        ),
        (lambda t: {"workspace": t(9000)}, TypeError, "workspace must be uint8, got float16"),
        (
            lambda t: {"workspace": t(18000).byte()[::2]},
            ValueError,
            "workspace must be contiguous, got shape (9000,) with strides (2,)",
        ),
        (
            lambda t: {"workspace": t(9000).byte()[4:]},
            ValueError,
            "workspace must be aligned to 16 bytes, got an address that is not",
        ),
    ],
)
def test_wrong_arguments_are_named(mod, device, change, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    zeros = lambda *shape: torch.zeros(shape, dtype=torch.float16, device=device)  # noqa: E731
    with pytest.raises(kind) as raised:
        mod.decode_attention(*arguments(device, **change(zeros)))
    assert str(raised.value) == f"decode_attention: {message}"


@pytest.mark.parametrize("written", ["out", "workspace"])
@pytest.mark.parametrize("read", ["q", "k_cache", "v_cache", "page_table", "lengths"])
def test_what_is_written_is_apart_from_what_is_read(mod, device, written, read):
    """Neither the output nor the workspace may overlap an input."""
    given = dict(zip(NAMES, arguments(device), strict=True))
    size = max(given[each].nbytes for each in (written, read)) // 16 * 16 + 16
    memory = torch.zeros(size, dtype=torch.uint8, device=device)
    for name in (written, read):
        like = given[name]
        given[name] = memory[: like.nbytes].view(like.dtype).view(like.shape)
    text = f"{written} must be apart from {read}, got overlapping ranges"
    with pytest.raises(ValueError, match=f"^decode_attention: {text}$"):
        mod.decode_attention(*given.values())


def test_the_workspace_is_apart_from_the_output(mod, device):
    """The output may not overlap the workspace either."""
    given = dict(zip(NAMES, arguments(device), strict=True))
    given["out"] = given["workspace"][:1024].view(torch.float16).view(2, 4, 64)
    with pytest.raises(ValueError, match="workspace must be apart from out, got overlapping"):
        mod.decode_attention(*given.values())


def test_a_workspace_that_is_too_small(mod, device):
    """One byte less than was asked for is refused, before anything is written."""
    case = make(device, torch.float16, [40])
    size = case.size(mod)
    workspace = torch.full((size - 1,), 0xA5, dtype=torch.uint8, device=device)
    out = torch.full_like(case.q, 7)
    message = f"^decode_attention: workspace must be of at least {size} bytes, got {size - 1}$"
    with pytest.raises(ValueError, match=message):
        case.call(mod, out, workspace)
    assert bool((out == 7).all())
    assert bool((workspace == 0xA5).all())


def test_the_size_is_checked_alike(mod, device):
    """What decode_attention would refuse has no size, and the function that was called is named."""
    q, k, _, table, *_ = arguments(device)
    with pytest.raises(TypeError) as raised:
        mod.decode_attention_workspace_size(q.double(), k, table)
    assert str(raised.value) == (
        "decode_attention_workspace_size: q must be float32, float16 or bfloat16, got float64"
    )


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("q", "scale")])
def test_tensors_on_two_devices_are_refused(mod, device, name):
    """All tensors must be where the queries are."""
    given = dict(zip(NAMES, arguments(device), strict=True))
    where = "cpu:0" if device == "cpu" else f"cuda:{given['q'].device.index}"
    given[name] = Producer(given[name], 8, UINT8, device=(3, 0))
    message = f"^decode_attention: {name} must be on {where} like q, got device type 3:0$"
    with pytest.raises(ValueError, match=message):
        mod.decode_attention(*given.values())


def test_a_tensor_on_another_kind_of_device_is_refused(mod, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    memory = np.zeros(8, dtype="float32")
    if device == "cpu":
        q, message = Producer(memory, 8, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        q, message = Producer(memory, 8, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^decode_attention: q must be {message}$"):
        mod.decode_attention(*arguments(device, q=q))


def place(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_a_byte_offset_is_honoured(mod, device):
    """The lengths and the workspace may begin at a byte offset."""
    case = make(device, torch.float16, [40, 7])
    size = case.size(mod)
    memory = torch.full((size + 32,), 0xA5, dtype=torch.uint8, device=device)
    lengths = torch.tensor([-1, 40, 7, -1], dtype=torch.int32, device=device)
    out = torch.empty_like(case.q)
    where = {"device": place(memory)}
    mod.decode_attention(
        *(case.q, case.k, case.v, case.table),
        Producer(lengths, 2, INT32, offset=4, told=4, **where),
        *(case.scale, out),
        Producer(memory, size, UINT8, offset=16, told=16, **where),
    )
    cases.assert_rounds_to(out, *reference(case))
    assert bool((memory[:16] == 0xA5).all() and (memory[-16:] == 0xA5).all())


@pytest.mark.parametrize("name", ["lengths"])
def test_misaligned_numbers_are_refused(mod, device, name):
    """Numbers that cross their boundaries are refused."""
    memory = torch.zeros(16, dtype=torch.int32, device=device)
    crooked = Producer(memory, 2, INT32, offset=1, device=place(memory))
    message = f"{name} must be aligned to its 4 byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^decode_attention: {message}$"):
        mod.decode_attention(*arguments(device, **{name: crooked}))


def test_runs_on_the_current_stream(mod, device):
    """The kernels wait for what PyTorch queued before them on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    case = make(device, torch.float16, [600])
    length, workspace, out = case.lengths.clone(), case.workspace(mod), torch.empty_like(case.q)
    case.lengths.zero_()
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        case.lengths.copy_(length)
        case.call(mod, out, workspace)
    stream.synchronize()
    cases.assert_rounds_to(out, *reference(case))


def test_runs_on_the_tensors_gpu(mod, device):
    """The kernels run on the GPU of their tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    check(mod, make("cuda:1", torch.float16, [40, 300]))
    assert torch.cuda.current_device() == 0
