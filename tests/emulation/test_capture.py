# SPDX-License-Identifier: Apache-2.0
# Rows: R4, R9
"""How each example, and each call a library may make, behaves while its stream is captured.

The emulation follows CUDA's documentation. The site shows the same rows in two tables.
"""

import contextlib

import pytest
import tvm_ffi
from _verify.captures import CALLS as OUTCOMES
from _verify.captures import EXAMPLES, INVALIDATED
from example_calls import CALLS, torch

CPU = tvm_ffi.device("cpu")  # in place of the GPU
STREAM = 0x10
DEFAULT = 0


def fill(tensors, seed):
    """Overwrite inputs, outputs and workspaces with new values."""
    random = torch.Generator().manual_seed(seed)
    for tensor in tensors:
        if tensor.dtype.is_floating_point:
            tensor.copy_((torch.rand(tensor.shape, generator=random) + 0.5).to(tensor.dtype))
        else:
            tensor.copy_(torch.randint(0, 4, tensor.shape, generator=random).to(tensor.dtype))


def bytes_of(tensors):
    """The current contents of the tensors."""
    return [tensor.contiguous().view(torch.uint8).tolist() for tensor in tensors]


def captured(mod, call, blocking=True):
    """Make a call in a capture: its error and recorded counts, None if the capture is invalid."""
    error = ""
    with tvm_ffi.use_raw_stream(CPU, STREAM):
        mod.begin_capture(STREAM, blocking)
        try:
            call()
        except RuntimeError as raised:
            error = str(raised)
    try:
        return error, tuple(mod.end_capture())
    except RuntimeError as raised:
        if not str(raised).endswith(INVALIDATED):
            raise
        return error, None


def recorded(outcome):
    """The counts that a row expects, or None."""
    return (outcome.launches, outcome.memsets, 0, outcome.tensors) if outcome.valid else None


def test_every_function_has_a_row():
    """A new example needs a row, and so does a new function in example_calls.py."""
    assert {(each, name) for each, calls in CALLS.items() for name, *_ in calls} == set(EXAMPLES)


@pytest.mark.parametrize("example", CALLS)
def test_an_example_in_a_capture(example, built):
    """Nothing runs before the replay, which reads the inputs' contents at that time.

    A rejected call records nothing, and a call that CUDA rejects invalidates the capture.
    """
    mod = built(example)
    for name, *arguments in CALLS[example]:
        outcome = EXAMPLES[example, name]
        tensors = [each for each in arguments if isinstance(each, torch.Tensor)]
        fill(tensors, seed=0)
        before = bytes_of(tensors)
        error, counts = captured(mod, lambda: mod[name](*arguments))  # noqa: B023
        assert bytes_of(tensors) == before
        assert counts == recorded(outcome)
        if outcome.error:
            assert error.endswith(outcome.error)
            continue
        assert error == ""
        for seed in (1, 2):
            fill(tensors, seed)
            before = bytes_of(tensors)
            mod.replay()
            replayed = bytes_of(tensors)
            assert replayed != before
            fill(tensors, seed)
            mod[name](*arguments)
            assert replayed == bytes_of(tensors)


def test_a_captured_call_leaves_nothing_in_the_store(built):
    """The workspace of the storage example belongs to the graph."""
    mod = built("storage")
    name, *arguments = CALLS["storage"][0]
    key = tvm_ffi.storage.key("storage_example.histogram", CPU, STREAM)
    captured(mod, lambda: mod[name](*arguments))
    assert tvm_ffi.storage.get(key) is None
    with tvm_ffi.use_raw_stream(CPU, STREAM):
        mod[name](*arguments)
    assert tvm_ffi.storage.get(key) is not None


def allocate(mod, name):
    """Allocate a tensor in CUDA memory."""
    return mod[name]((100,), tvm_ffi.dtype("int8"), CPU)


def use_what_is_invalid(mod):
    """Launch again after a call that invalidates the capture."""
    with contextlib.suppress(RuntimeError):
        mod.synchronize(STREAM)
    mod.launch_on(STREAM, Y)


def check_current_stream(mod):
    """The captured stream is the current one."""
    assert mod.current_stream() == STREAM


Y = torch.zeros(4)
# The rows' calls: to the planted functions, and to the allocators example, which also receive
# tensors from before the capture.
PLANTED = {
    "TVMFFIEnvGetStream: the stream that is captured": check_current_stream,
    "CUDADeviceGuard: cudaGetDevice and cudaSetDevice": lambda mod: mod.guard(1),
    "A launch, then TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError())": (
        lambda mod: mod.launch_on(STREAM, Y)
    ),
    "cudaMemsetAsync on the captured stream": lambda mod: mod.memset_on(STREAM, Y),
    "FromEnvAlloc: memory of the framework": lambda mod: mod.allocate(),
    "storage::GetOrCreate with host memory": lambda mod: mod.table_size(),
    "cudaStreamIsCapturing of the captured stream": lambda mod: mod.capture_status(STREAM),
    "cudaStreamIsCapturing of the default stream, if the captured one is blocking": (
        lambda mod: mod.capture_status(DEFAULT)
    ),
    "A launch on the default stream, if the captured one is blocking": (
        lambda mod: mod.launch_on(DEFAULT, Y)
    ),
    "cudaMemset, if the captured stream is blocking": lambda mod: mod.memset_at_once(Y),
    "cudaStreamSynchronize of the captured stream": lambda mod: mod.synchronize(STREAM),
    "cudaDeviceSynchronize": lambda mod: mod.synchronize_device(),
    "Any use of the stream after the capture was invalidated": use_what_is_invalid,
}
NOT_BLOCKING = {
    "A launch on the default stream, if the captured one is non-blocking: it runs at once": (
        lambda mod: mod.launch_on(DEFAULT, Y)
    ),
}
ALLOCATORS = {
    "FromNDAlloc over cudaMalloc": lambda mod, made: allocate(mod, "empty"),
    "The last owner of that tensor goes: cudaFree": lambda mod, made: made.pop("empty"),
    "FromNDAlloc over cudaMallocAsync, as in the allocators example": (
        lambda mod, made: allocate(mod, "empty_async")
    ),
    "The last owner of that tensor goes, as in the allocators example": (
        lambda mod, made: made.pop("empty_async")
    ),
}


def test_every_row_has_a_call():
    """A new row needs a call, and a new call needs a row."""
    assert {**PLANTED, **NOT_BLOCKING, **ALLOCATORS}.keys() == OUTCOMES.keys()


@pytest.mark.parametrize("row", [*PLANTED, *NOT_BLOCKING])
def test_a_call_in_a_capture(planted, row):
    """It records, or fails, as its row says, and leaves the capture valid or invalid."""
    outcome = OUTCOMES[row][0]
    call = {**PLANTED, **NOT_BLOCKING}[row]
    Y.fill_(5)
    error, counts = captured(planted, lambda: call(planted), row not in NOT_BLOCKING)
    assert counts == recorded(outcome)
    assert error.endswith(outcome.error) if outcome.error else error == ""
    assert Y[0] == (1 if row in NOT_BLOCKING else 5)
    planted.launch_on(STREAM, Y)  # no error is left over


@pytest.mark.parametrize("row", ALLOCATORS)
def test_an_allocator_in_a_capture(built, capfd, row):
    """The same; a failed free is reported, as it cannot be caught."""
    mod = built("allocators")
    outcome = OUTCOMES[row][0]
    with tvm_ffi.use_raw_stream(CPU, STREAM):
        made = {name: allocate(mod, name) for name in ("empty", "empty_async")}
    error, counts = captured(mod, lambda: ALLOCATORS[row](mod, made))
    assert counts == recorded(outcome)
    said = capfd.readouterr().err
    if "owner" in row:
        assert (error, said) == ("", f"{outcome.error}: the memory is lost\n")
    else:
        assert (error.endswith(outcome.error), said) == (True, "")


def test_the_status_of_a_stream(planted):
    """A stream is captured or not; an error invalidates its capture."""
    planted.begin_capture(STREAM, False)
    assert [planted.capture_status(each) for each in (STREAM, 0x20, DEFAULT)] == [1, 0, 0]
    with pytest.raises(RuntimeError):
        planted.synchronize(STREAM)
    assert planted.capture_status(STREAM) == 2
    with pytest.raises(RuntimeError):
        planted.end_capture()
    assert planted.capture_status(STREAM) == 0


def test_another_stream_is_not_captured(planted):
    """Launches on it run, and the host may wait for them."""
    Y.fill_(5)
    planted.begin_capture(STREAM, True)
    planted.launch_on(0x20, Y)
    planted.synchronize(0x20)
    assert Y[0] == 1
    assert tuple(planted.end_capture()) == (0, 0, 0, 0)


def test_a_memset_without_a_stream(planted):
    """It runs at once, even while a non-blocking stream is captured."""
    for capturing in (False, True):
        Y.fill_(5)
        if capturing:
            planted.begin_capture(STREAM, False)
        planted.memset_at_once(Y)
        assert Y.tolist() == [0, 5, 5, 5]
    assert tuple(planted.end_capture()) == (0, 0, 0, 0)


def test_arguments_are_copied_at_the_launch(planted):
    """A replay uses the values at the launch, even if the variables have changed since."""
    y = torch.zeros(1)
    error, counts = captured(planted, lambda: planted.add_one_and_ten(y))
    assert (error, counts[0], y[0]) == ("", 2, 0)
    planted.replay()
    assert y[0] == 11
    planted.replay()
    assert y[0] == 22


def test_a_refused_launch_is_reported_in_a_capture(planted):
    """Exceeding the launch bounds is an error at the launch, not at the replay."""
    error, counts = captured(planted, lambda: planted.launch_bounded(Y, 129))
    assert error.endswith("cudaErrorInvalidValue: invalid argument")
    assert counts[0] == 0
