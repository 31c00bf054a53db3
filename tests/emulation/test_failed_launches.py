# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R9
"""A failed launch or CUDA call raises one error, from the function that made it.

This is tested for every example, which then works again: no error is left over.
"""

from concurrent.futures import ThreadPoolExecutor

import emulate
import pytest
from _verify.examples import find_examples
from _verify.layout import Layout
from example_calls import CALLS, torch


def launches_in(example) -> int:
    """Count the launches in an example's source."""
    folder = emulate.EXAMPLES / example
    texts = [path.read_text() for path in folder.rglob("*.cu*")]
    return sum(text.count(word) for text in texts for word in ("<<<", "cudaLaunchKernelEx("))


def test_every_example_with_a_launch_is_here():
    """A new example must add its calls to example_calls.py."""
    names = [example.name for example in find_examples(Layout.of(emulate.ROOT))]
    here = [name for name in names if launches_in(name) and name not in emulate.LEFT_OUT]
    assert sorted(CALLS) == sorted(here)


@pytest.mark.parametrize("example", CALLS)
def test_a_launch_that_fails_raises(example, built):
    """Each launch is checked by its own function; the next, successful call raises nothing."""
    mod = built(example)
    seen = 0
    for name, *arguments in CALLS[example]:
        mod.refuse_launch(-1)
        mod[name](*arguments)
        made = mod.launches()
        for number in range(made):
            mod.refuse_launch(number)
            with pytest.raises(RuntimeError, match="too many resources requested for launch"):
                mod[name](*arguments)
            mod[name](*arguments)
        seen += made
    assert seen == launches_in(example)


@pytest.mark.parametrize("example", CALLS)
def test_a_call_of_cuda_that_fails_raises(example, built):
    """Each call is checked; the next, successful launch is not blamed for it."""
    mod = built(example)
    for name, *arguments in CALLS[example]:
        mod[name](*arguments)
        mod.fail_call(-1)
        mod[name](*arguments)
        made = mod.calls()
        assert made > 0
        for number in range(made):
            mod.fail_call(number)
            with pytest.raises(RuntimeError, match="unknown error"):
                mod[name](*arguments)
            mod[name](*arguments)


def launch(mod):
    """Make a successful launch, and check it as the examples do."""
    mod.launch(torch.zeros(1), (1, 1, 1), (1, 1, 1), 0)


def test_cuda_remembers_the_last_error(planted):
    """A success does not reset it; peeking keeps it, and getting it clears it."""
    planted.fail_call(0)
    assert planted.set_device(0) == 999
    assert planted.set_device(2) == 101  # the last error is the most recent one
    assert planted.set_device(0) == 0
    with pytest.raises(RuntimeError, match="cudaErrorInvalidDevice"):
        launch(planted)
    assert planted.set_device(2) == 101
    assert [planted.peek_at_last_error() for _ in range(2)] == [101, 101]
    assert [planted.get_last_error() for _ in range(2)] == [101, 0]
    launch(planted)


def test_each_thread_has_its_own_last_error(planted):
    """A thread is not blamed for another thread's calls."""
    with ThreadPoolExecutor(1) as other:
        assert other.submit(planted.set_device, 2).result() == 101
        launch(planted)
        assert other.submit(planted.get_last_error).result() == 101


def test_a_checked_call_leaves_no_error(planted):
    """An error thrown by TVM_FFI_CHECK_CUDA_ERROR is not thrown again after the next launch."""
    with pytest.raises(RuntimeError, match="cudaErrorInvalidDevice: invalid device ordinal"):
        planted.check_set_device(2)
    launch(planted)


@pytest.mark.parametrize("number", [0, 1])
def test_a_guard_that_throws_leaves_no_error(planted, number):
    """A failure to query or to set the device leaves no trace."""
    planted.fail_call(number)
    with pytest.raises(RuntimeError, match="cudaErrorUnknown: unknown error"):
        planted.guard(1)
    launch(planted)


def test_a_guard_without_a_device_calls_nothing(planted):
    """The first call is made by its scope, whose device is unchanged."""
    planted.fail_call(0)
    assert planted.guard_of_none(1) == 999
    assert planted.guard_of_none(1) == 0
    planted.fail_call(2)
    planted.guard(1)  # queries the current device, which is 1, and calls nothing else
    assert planted.guard_of_none(0) == 0
    assert planted.set_device(0) == 999
    assert planted.get_last_error() == 999


def test_a_guard_that_cannot_go_back_leaves_no_error(planted, capfd):
    """Its destructor reports the failure, and the next launch is not blamed for it."""
    planted.fail_call(2)
    planted.guard(1)
    assert capfd.readouterr().err == "CUDADeviceGuard: cudaSetDevice(0): unknown error\n"
    assert planted.set_device(0) == 0
    launch(planted)
