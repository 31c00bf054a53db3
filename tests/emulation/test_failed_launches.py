# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R9
"""A launch or a call that CUDA refuses raises one error, from the function that made it.

This goes for every example, and afterwards it works again: nothing is left of the error.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import emulate
import pytest
import tvm_ffi
from _verify.examples import find_examples
from _verify.layout import Layout

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

# Longer by one than what begins at a boundary of vectors.
X, Y, Z = (torch.ones(65) for _ in range(3))
ROWS = torch.ones(4, 16)
FP8 = torch.ones(4, 16).to(torch.float8_e4m3fn)
BINS = torch.ones(64, dtype=torch.int64)
COUNTS = torch.zeros(4, dtype=torch.int64)
QUERY, PAGES = torch.ones(1, 2, 64), torch.ones(3, 16, 1, 64)
TABLE, LENGTHS = torch.zeros(1, 2, dtype=torch.int32), torch.ones(1, dtype=torch.int32)

# Calls that together make each launch of the example's source once.
CALLS = {
    "add_one": [lambda mod: mod.add_one(X, Y)],
    "c_abi": [lambda mod: mod.scale(X, Y, 2.0), lambda mod: mod.scale(X[::2], Y[:33], 2.0)],
    "decode_attention": [
        lambda mod: mod.decode_attention(
            *(QUERY, PAGES, PAGES, TABLE, LENGTHS, 1.0),
            torch.empty_like(QUERY),
            torch.empty(1 << 12, dtype=torch.uint8),
        )
    ],
    "dispatch": [lambda mod: mod.add(X, X, Y), lambda mod: mod.add(X[1:], X[1:], Y[1:])],
    "errors": [
        lambda mod: mod.launch(0, 32),
        lambda mod: mod.first_column(ROWS, torch.ones(4, dtype=torch.bool), Y[:4]),
    ],
    "jax_call": [lambda mod: mod.rotate(X, Y, torch.empty(65), torch.empty(65), 1.0)],
    "library": [
        lambda mod: mod.axpy(2.0, X, Y),
        lambda mod: mod.vecdot(ROWS, ROWS, Y[:4]),
    ],
    "nonzero": [lambda mod: mod.nonzero(X)],
    "quantize_fp8": [
        lambda mod: mod.quantize_fp8(ROWS, FP8, Z[:4]),
        lambda mod: mod.dequantize_fp8(FP8, Z[:4], torch.empty(4, 16)),
    ],
    "rms_norm": [lambda mod: mod.rms_norm(X, Y, 1e-5)],
    "scale": [lambda mod: mod.scale(X, Y, 2.0), lambda mod: mod.scale(X[::2], Y[:33], 2.0)],
    "softmax": [lambda mod: mod.softmax(X, Y)],
    "storage": [lambda mod: mod.histogram(BINS, COUNTS)],
    "streams_and_graphs": [lambda mod: mod.normalize(X, torch.empty(mod.workspace_size()), Y)],
    "torch_op": [lambda mod: mod.relu_squared(X, Y)],
    "workspace": [lambda mod: mod.histogram(BINS, COUNTS, torch.empty(1 << 16, dtype=torch.uint8))],
}


def launches_in(example) -> int:
    """Count the launches that stand in an example's source."""
    folder = emulate.EXAMPLES / example
    return sum(path.read_text().count("<<<") for path in folder.rglob("*.cu*"))


def test_every_example_with_a_launch_is_here():
    """A new example adds its calls above."""
    names = [example.name for example in find_examples(Layout.of(emulate.ROOT))]
    assert sorted(CALLS) == sorted(name for name in names if launches_in(name))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Builds an example once, and loads it."""
    loaded = {}

    def build(example):
        if example not in loaded:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(emulate, "OUTPUT", tmp_path_factory.mktemp(example))
                loaded[example] = tvm_ffi.load_module(emulate.build(example, ["-O0"]))
        mod = loaded[example]
        mod.refuse_launch(-1)
        mod.fail_call(-1)
        return mod

    return build


@pytest.mark.parametrize("example", CALLS)
def test_a_launch_that_fails_raises(example, built):
    """Each launch is checked by its own function; the next call, which succeeds, raises nothing."""
    mod = built(example)
    seen = 0
    for call in CALLS[example]:
        mod.refuse_launch(-1)
        call(mod)
        made = mod.launches()
        for number in range(made):
            mod.refuse_launch(number)
            with pytest.raises(RuntimeError, match="too many resources requested for launch"):
                call(mod)
            call(mod)
        seen += made
    assert seen == launches_in(example)


@pytest.mark.parametrize("example", CALLS)
def test_a_call_of_cuda_that_fails_raises(example, built):
    """Each call is checked; the next launch, which succeeds, is not blamed for it."""
    mod = built(example)
    for call in CALLS[example]:
        call(mod)
        mod.fail_call(-1)
        call(mod)
        made = mod.calls()
        assert made > 0
        for number in range(made):
            mod.fail_call(number)
            with pytest.raises(RuntimeError, match="unknown error"):
                call(mod)
            call(mod)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """The planted functions, loaded."""
    source = Path(__file__).with_name("planted.cu")
    library = tmp_path_factory.mktemp("planted") / "planted.so"
    return tvm_ffi.load_module(emulate.build_source(source, library, ["-O0"]))


def launch(mod):
    """Launch what succeeds, and check it as examples do."""
    mod.launch(torch.zeros(1), (1, 1, 1), (1, 1, 1), 0)


def test_cuda_remembers_the_last_error(planted):
    """A success leaves it; it is peeked at as often as asked, and gone once it was got."""
    planted.fail_call(0)
    assert planted.set_device(0) == 999
    assert planted.set_device(2) == 101  # the last error is the later one
    assert planted.set_device(0) == 0
    with pytest.raises(RuntimeError, match="cudaErrorInvalidDevice"):
        launch(planted)
    assert planted.set_device(2) == 101
    assert [planted.peek_at_last_error() for _ in range(2)] == [101, 101]
    assert [planted.get_last_error() for _ in range(2)] == [101, 0]
    launch(planted)


def test_each_thread_has_its_own_last_error(planted):
    """A thread is not blamed for the calls of another."""
    with ThreadPoolExecutor(1) as other:
        assert other.submit(planted.set_device, 2).result() == 101
        launch(planted)
        assert other.submit(planted.get_last_error).result() == 101


def test_a_checked_call_leaves_no_error(planted):
    """What TVM_FFI_CHECK_CUDA_ERROR threw is not thrown again after the next launch."""
    with pytest.raises(RuntimeError, match="cudaErrorInvalidDevice: invalid device ordinal"):
        planted.check_set_device(2)
    launch(planted)


@pytest.mark.parametrize("number", [0, 1])
def test_a_guard_that_throws_leaves_no_error(planted, number):
    """Neither the current device is asked for, nor another one set, with a trace of the failure."""
    planted.fail_call(number)
    with pytest.raises(RuntimeError, match="cudaErrorUnknown: unknown error"):
        planted.guard(1)
    launch(planted)


def test_a_guard_that_cannot_go_back_leaves_no_error(planted, capfd):
    """Its destructor says so, and the next launch is not blamed for it."""
    planted.fail_call(2)
    planted.guard(1)
    assert capfd.readouterr().err == "CUDADeviceGuard: cudaSetDevice(0): unknown error\n"
    assert planted.set_device(0) == 0
    launch(planted)
