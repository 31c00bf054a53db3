# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Calling functions from Python."""

from __future__ import annotations

import gc
import sys
import threading
from typing import Any

import pytest
import tvm_ffi


@pytest.mark.parametrize("count", [0, 1, 12, 13, 500])
def test_any_number_of_arguments_arrives(functions: Any, count: int) -> None:
    """Arguments beyond what the stack holds are counted and summed like the first ones."""
    arguments = list(range(count))
    assert functions.count(*arguments) == count
    assert functions.sum(*arguments) == sum(arguments)


def test_keyword_arguments_are_refused(functions: Any) -> None:
    """A keyword is a TypeError that names the function and the keyword."""
    with pytest.raises(
        TypeError, match=r"nop: expected positional arguments only, got keyword 'x'"
    ):
        functions.nop(x=1)


def test_unpacked_calls_work(functions: Any) -> None:
    """The slow call protocol reaches the same function."""
    assert functions.sum(*(1, 2), **{}) == 3


def test_name_shows_in_repr(functions: Any) -> None:
    """A function of a module is shown by its name."""
    assert repr(functions.get_function("nop")) == "<tvm_ffi.Function nop>"


def test_name_must_be_text(functions: Any) -> None:
    """Anything but a str as a name is a TypeError."""
    with pytest.raises(TypeError, match="__name__: expected a str"):
        functions.get_function("nop").__name__ = 3


def test_error_leaves_nothing_behind(functions: Any) -> None:
    """A call that fails while it packs its arguments gives the earlier ones back."""
    value = object()
    before = sys.getrefcount(value)
    with pytest.raises(ValueError, match="argument 2"):
        functions.nop(value, "a text of some length", 1 << 64)
    assert sys.getrefcount(value) == before


@pytest.mark.parametrize("release_gil", [True, False])
def test_other_threads_run_during_a_call_by_default(functions: Any, release_gil: bool) -> None:
    """A function that waits for a Python thread ends only if it releases the lock."""
    if not release_gil:
        assert functions.get_function("nop").release_gil is True
        return
    done = threading.Event()
    threading.Timer(0.05, done.set).start()
    wait = functions.get_function("call")
    wait.release_gil = release_gil
    assert wait(lambda: done.wait(10)) is True


def test_the_lock_can_be_kept(functions: Any) -> None:
    """A function that keeps the lock works, and calls back into Python."""
    call = functions.get_function("call")
    call.release_gil = False
    assert call(lambda x: x + 1, 1) == 2


def test_function_without_an_error_is_reported(functions: Any) -> None:
    """A function that fails and raises nothing is a RuntimeError, not a crash."""
    with pytest.raises(RuntimeError, match="fail_without_error: the function returned -1"):
        functions.fail_without_error()


def test_callable_becomes_function(functions: Any) -> None:
    """A Function made of a callable calls it, from Python and from C."""
    twice = tvm_ffi.Function(lambda x: 2 * x)
    assert twice(21) == 42
    assert functions.call(twice, 21) == 42


def test_function_of_function_is_itself() -> None:
    """A Function made of a Function is the same object."""
    one = tvm_ffi.Function(len)
    assert tvm_ffi.Function(one) is one


def test_function_needs_a_callable() -> None:
    """Anything else is a TypeError that says so."""
    with pytest.raises(TypeError, match="Function: callable: expected a callable, got int"):
        tvm_ffi.Function(3)


def test_function_outlives_its_name(functions: Any) -> None:
    """A callback may drop the last reference to the function that is running."""
    holder = [functions.get_function("call")]

    def drop() -> int:
        holder.clear()
        gc.collect()
        return 5

    assert holder[0](drop) == 5
