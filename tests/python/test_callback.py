# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Python callables called from C."""

from __future__ import annotations

import functools
import gc
import subprocess
import sys
import threading
import traceback
import weakref
from typing import Any

import numpy
import pytest
import tvm_ffi


def test_arguments_arrive_as_python_values(functions: Any) -> None:
    """A callback receives plain Python values, and tensors as tvm_ffi.Tensor."""
    seen: list[Any] = []
    marker = object()
    functions.call(
        lambda *values: seen.extend(values),
        *(None, True, 3, 1.5, "text", "a longer text", b"bytes", marker),
        *(tvm_ffi.Shape((1, 2)), tvm_ffi.dtype("int8"), tvm_ffi.device("cpu"), numpy.zeros(2)),
    )
    assert seen[:8] == [None, True, 3, 1.5, "text", "a longer text", b"bytes", marker]
    assert seen[8:11] == [(1, 2), tvm_ffi.dtype("int8"), tvm_ffi.device("cpu")]
    assert type(seen[11]) is tvm_ffi.Tensor
    assert seen[11].shape == (2,)


@pytest.mark.parametrize(
    ("type_index", "kind"), [(7, "a tensor"), (8, "a str"), (9, "bytes"), (10, "an object")]
)
def test_a_lent_null_is_refused(functions: Any, type_index: int, kind: str) -> None:
    """NULL in place of a borrowed value is an error that names the callback and the argument."""

    def callback(value: Any) -> None:
        raise AssertionError(value)

    with pytest.raises(ValueError, match=f"^callback: argument 0: expected {kind}, got NULL$"):
        functions.call_with_null(callback, type_index)


@pytest.mark.parametrize("value", [None, True, 3, 1.5, "text", "a longer text", b"bytes", (1, 2)])
def test_results_return_to_c(functions: Any, value: Any) -> None:
    """A callback's result passes through C."""
    given = tvm_ffi.Shape(value) if isinstance(value, tuple) else value
    assert functions.call(lambda: given) == value


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 12, 13, 100])
def test_any_number_of_arguments_arrives(count: int) -> None:
    """Each argument arrives once and is released, even with a bound method, which prepends self."""
    values = [object() for _ in range(count)]
    before = [sys.getrefcount(value) for value in values]

    class Taker:
        def take(self, *args: Any) -> Any:
            assert list(args) == values
            return len(args)

    for callable in [Taker().take, lambda *args: Taker().take(*args)]:
        assert tvm_ffi.Function(callable)(*values) == count
    del callable
    assert [sys.getrefcount(value) for value in values] == before


def test_returned_tensors_live(functions: Any, framework: Any) -> None:
    """A tensor created and returned by a callback lives as long as C holds it."""
    result = functions.call(lambda: framework.full((1000,), 3.0))
    assert type(result) is tvm_ffi.Tensor
    assert float(numpy.from_dlpack(result).sum()) == 3000


def test_results_that_cannot_cross_are_errors(functions: Any) -> None:
    """An error about a refused result names the callback."""

    def gives_set() -> set[int]:
        return {1}

    with pytest.raises(TypeError, match=r"gives_set: result \(set\): expected a single value"):
        functions.call(gives_set)


def test_the_same_exception_comes_back(functions: Any) -> None:
    """An exception crosses C and arrives as the same object, with its traceback."""

    class Special(Exception):
        """Not an error kind of the library."""

    error = Special("boom", 3)

    def raises() -> None:
        raise error

    with pytest.raises(Special) as caught:
        functions.call(functions.get_function("call"), raises)
    assert caught.value is error
    assert [entry.name for entry in caught.traceback][-1] == "raises"


def test_interrupts_cross(functions: Any) -> None:
    """KeyboardInterrupt, which is not an Exception, crosses too."""

    def interrupts() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        functions.call(interrupts)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("x"), "ValueError"),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "x"), "ValueError"),
        (FileNotFoundError("x"), "FileNotFoundError"),
        (tvm_ffi.InternalError("x"), "InternalError"),
        (Exception("x"), "Exception"),
    ],
)
def test_c_sees_the_kind(functions: Any, error: Exception, kind: str) -> None:
    """C receives the name of the nearest class that is a known kind."""

    def raises() -> None:
        raise error

    assert functions.kind_of_error(raises) == kind


def test_frames_of_c_are_added(functions: Any) -> None:
    """Frames that C adds to the backtrace appear between Python's frames."""

    def raises() -> None:
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom") as caught:
        functions.call_and_trace(raises)
    frames = traceback.extract_tb(caught.value.__traceback__)
    names = [frame.name for frame in frames]
    assert names[-2:] == ["middle", "raises"]
    assert (frames[-2].filename, frames[-2].lineno) == ("middle.c", 7)


def test_lent_views_work_during_the_call(functions: Any) -> None:
    """A callback may use a tensor lent to it."""
    source = numpy.arange(4.0)
    total = functions.call_with_view(lambda x: float(numpy.from_dlpack(x).sum()), source)
    assert total == 6


@pytest.mark.parametrize("skipped", [0, 10], ids=["whole", "part"])
@pytest.mark.parametrize("own", [False, True], ids=["framework", "own"])
@pytest.mark.parametrize("export", [False, True], ids=["tensor", "export"])
def test_views_of_arguments_may_be_kept(
    functions: Any, framework: Any, skipped: int, own: bool, export: bool
) -> None:
    """A view of a call's argument keeps the argument's memory alive, as do exports of the view."""
    kept: list[Any] = []
    source = framework.arange(40_000)
    total = int(source[skipped:].sum())
    address = tvm_ffi.from_dlpack(source).data_ptr() + 8 * skipped

    def keeps(x: tvm_ffi.Tensor) -> None:
        kept.append(framework.from_dlpack(x) if export else x)

    functions.call_with_view(keeps, tvm_ffi.from_dlpack(source) if own else source, skipped)
    del source
    gc.collect()
    # One of these would reuse memory that had been freed.
    others = [framework.full((40_000,), -1) for _ in range(4)]
    assert tvm_ffi.from_dlpack(kept[0]).data_ptr() == address
    assert int(numpy.from_dlpack(kept[0]).sum()) == total
    del others


def test_exports_survive_an_exception(functions: Any) -> None:
    """An export made before the callback raised keeps the memory alive too."""
    kept: list[Any] = []
    source = numpy.arange(40_000)
    gone = weakref.ref(source)

    def raises(x: tvm_ffi.Tensor) -> None:
        kept.append(numpy.from_dlpack(x))
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        functions.call_with_view(raises, source)
    del source
    gc.collect()
    assert gone() is not None
    assert int(kept.pop().sum()) == 40_000 * 39_999 // 2
    gc.collect()
    assert gone() is None


def test_views_of_other_memory_are_not_exported(functions: Any, framework: Any) -> None:
    """A view of memory owned by no argument cannot outlive the callback, so it is not exported."""
    seen = []

    def exports(x: tvm_ffi.Tensor) -> None:
        seen.append(x.shape)
        framework.from_dlpack(x)

    # NumPy and PyTorch propagate the error unchanged.
    with pytest.raises(
        BufferError, match="belongs to an argument of the call, got a view of other"
    ):
        functions.call_with_view_of_own_memory(exports, 4)
    assert seen == [(4,)]


def test_empty_views_of_other_memory_are_exported(functions: Any, framework: Any) -> None:
    """An empty view needs no memory, so it can be exported."""
    assert functions.call_with_view_of_own_memory(lambda x: len(framework.from_dlpack(x)), 0) == 0


def test_views_of_other_memory_must_not_be_kept(functions: Any) -> None:
    """A callback that keeps such a view gets an error, and the tensor loses its elements."""
    kept = []

    def keeps(x: Any) -> None:
        kept.append(x)

    with pytest.raises(ValueError, match=r"keeps: argument 0: .*borrowed"):
        functions.call_with_view_of_own_memory(keeps, 4)
    assert kept[0].shape == (0,)
    assert kept[0].data_ptr() == 0
    assert numpy.from_dlpack(kept[0]).size == 0


def test_callbacks_run_in_foreign_threads(functions: Any) -> None:
    """A thread unknown to Python can call back while the main thread waits."""
    main = threading.get_ident()
    assert functions.call_in_thread(lambda: threading.get_ident() != main) is True


def test_errors_cross_threads(functions: Any) -> None:
    """An exception in a foreign thread is an error there and does not crash."""

    def raises() -> None:
        raise ValueError("boom")

    with pytest.raises(RuntimeError, match="raised no error"):
        functions.call_in_thread(raises)


def test_callables_are_released(functions: Any) -> None:
    """A callable lives no longer than the call it was passed to."""

    class Callable:
        def __call__(self) -> int:
            return 1

    callback = Callable()
    gone = weakref.ref(callback)
    assert functions.call(callback) == 1
    del callback
    gc.collect()
    assert gone() is None


def test_recursion_ends(functions: Any) -> None:
    """Calls from Python to C to Python may nest; nesting too deep is Python's RecursionError."""

    def down(depth: int) -> int:
        return 0 if depth == 0 else 1 + functions.call(down, depth - 1)

    assert down(50) == 50

    def forever() -> None:
        functions.call(forever)

    with pytest.raises(RecursionError):
        forever()


@pytest.mark.parametrize("kilobytes", [256, 1024, 2048, 8192])
def test_recursion_ends_in_a_thread(kilobytes: int) -> None:
    """Unbounded callback recursion raises an error; a child process runs it, in case of a crash."""
    code = f"""if True:
    import threading, tvm_ffi
    threading.stack_size({kilobytes} << 10)
    f = tvm_ffi.convert(lambda g: g(g))
    def run():
        try:
            f(f)
        except RecursionError:
            print("ended")
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "ended\n"), ran.stderr


def test_system_exit_crosses(functions: Any) -> None:
    """SystemExit also crosses as the same object."""
    leaving = SystemExit(3)

    def leaves() -> None:
        raise leaving

    with pytest.raises(SystemExit) as caught:
        functions.call(leaves)
    assert caught.value is leaving


def test_both_tracebacks(functions: Any) -> None:
    """A traceback shows the outer Python frames, the C frames, and the inner Python frames."""

    def inner() -> None:
        raise ValueError("boom")

    def outer() -> None:
        functions.call_and_trace(inner)

    with pytest.raises(ValueError, match="boom") as caught:
        functions.call_and_trace(outer)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names == ["test_both_tracebacks", "middle", "outer", "middle", "inner"]


def test_causes_and_notes_stay(functions: Any) -> None:
    """The exception is the same object, with its cause, context and notes."""

    def raises() -> None:
        try:
            raise KeyError("first")
        except KeyError as error:
            second = ValueError("second")
            second.__notes__ = ["a note"]  # type: ignore[attr-defined]  # add_note of Python 3.11
            raise second from error

    with pytest.raises(ValueError, match="second") as caught:
        functions.call(functions.get_function("call"), raises)
    assert type(caught.value.__cause__) is KeyError
    assert caught.value.__notes__ == ["a note"]  # type: ignore[attr-defined]


def test_exceptions_that_cannot_be_shown_cross(functions: Any) -> None:
    """A message that cannot be formatted does not hide the exception."""

    class Silent(Exception):
        """Raises when converted to text."""

        def __str__(self) -> str:
            raise RuntimeError("no text")

    error = Silent()

    def raises() -> None:
        raise error

    with pytest.raises(Silent) as caught:
        functions.call(raises)
    assert caught.value is error


def generator() -> Any:
    """Yield a number."""
    yield 1


async def coroutine() -> None:
    """Do nothing."""


class Plain:
    """Nothing in particular."""


@pytest.mark.parametrize(
    "make",
    [generator, Plain, lambda: gc, object, lambda: memoryview(b"x"), lambda: frozenset({1})],
)
def test_any_object_is_carried(functions: Any, make: Any) -> None:
    """An object unknown to C comes back as itself, and is freed after C's last use."""
    value = make()
    before = sys.getrefcount(value)
    assert functions.echo(value) is value
    assert functions.call(lambda x: x, value) is value
    assert sys.getrefcount(value) == before


def test_coroutines_are_carried(functions: Any) -> None:
    """A coroutine is carried without being awaited."""
    value = coroutine()
    assert functions.echo(value) is value
    value.close()


@pytest.mark.parametrize("value", [int, Plain, len, functools.partial(len)])
def test_callables_become_functions(functions: Any, value: Any) -> None:
    """A class, like any other callable, arrives as a function."""
    assert type(functions.echo(value)) is tvm_ffi.Function
    assert functions.echo(value) != functions.echo(value)  # each call wraps it anew
    converted = tvm_ffi.convert(value)
    assert functions.echo(converted) == functions.echo(converted) == converted


def test_objects_are_freed_in_foreign_threads(described: Any) -> None:
    """The last reference to a Python object may be dropped in a thread unknown to Python."""
    value = Plain()
    gone = weakref.ref(value)
    described.keep(value)
    del value
    assert gone() is not None
    described.drop_kept_in_thread()
    assert gone() is None


def test_functions_are_freed_in_foreign_threads(described: Any) -> None:
    """The last reference to a callable may be dropped there too."""
    owner = Plain()
    gone = weakref.ref(owner)
    described.keep(lambda kept=owner: kept)
    del owner
    described.drop_kept_in_thread()
    assert gone() is None


def test_callbacks_that_are_weird(functions: Any) -> None:
    """A callable whose attributes raise can still be called."""

    class Weird:
        """Raises on every attribute access."""

        def __call__(self, *args: Any) -> int:
            return len(args)

        def __getattribute__(self, name: str) -> Any:
            raise RuntimeError(name)

    assert functions.call(Weird(), 1, 2) == 2
    assert tvm_ffi.Function(Weird())(1) == 1
    with pytest.raises(TypeError, match="expected positional arguments only"):
        tvm_ffi.Function(Weird())(x=1)
