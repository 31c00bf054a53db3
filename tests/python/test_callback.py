# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Python callables that C calls."""

from __future__ import annotations

import gc
import threading
import traceback
import weakref
from typing import Any

import numpy
import pytest
import tvm_ffi


def test_arguments_arrive_as_python_values(functions: Any) -> None:
    """A callback gets plain Python values, and tensors as tvm_ffi.Tensor."""
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


@pytest.mark.parametrize("value", [None, True, 3, 1.5, "text", "a longer text", b"bytes", (1, 2)])
def test_results_return_to_c(functions: Any, value: Any) -> None:
    """What a callback returns goes through C."""
    given = tvm_ffi.Shape(value) if isinstance(value, tuple) else value
    assert functions.call(lambda: given) == value


def test_returned_tensors_live(functions: Any, framework: Any) -> None:
    """A tensor that a callback makes and returns lives as long as C holds it."""
    result = functions.call(lambda: framework.full((1000,), 3.0))
    assert type(result) is tvm_ffi.Tensor
    assert float(numpy.from_dlpack(result).sum()) == 3000


def test_results_that_cannot_cross_are_errors(functions: Any) -> None:
    """A result that is refused names the callback."""

    def gives_list() -> list[int]:
        return [1]

    with pytest.raises(TypeError, match=r"gives_list: result \(list\): expected a single value"):
        functions.call(gives_list)


def test_the_same_exception_comes_back(functions: Any) -> None:
    """An exception crosses C and arrives as the same object, with its traceback."""

    class Special(Exception):
        """No kind of error of the library."""

    error = Special("boom", 3)

    def raises() -> None:
        raise error

    with pytest.raises(Special) as caught:
        functions.call(functions.get_function("call"), raises)
    assert caught.value is error
    assert [entry.name for entry in caught.traceback][-1] == "raises"


def test_interrupts_cross(functions: Any) -> None:
    """KeyboardInterrupt, which is no Exception, crosses as well."""

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
    """C gets the name of the nearest class that is a known kind."""

    def raises() -> None:
        raise error

    assert functions.kind_of_error(raises) == kind


def test_frames_of_c_are_added(functions: Any) -> None:
    """What C adds to the backtrace on the way stands between Python's frames."""

    def raises() -> None:
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom") as caught:
        functions.call_and_trace(raises)
    frames = traceback.extract_tb(caught.value.__traceback__)
    names = [frame.name for frame in frames]
    assert names[-2:] == ["middle", "raises"]
    assert (frames[-2].filename, frames[-2].lineno) == ("middle.c", 7)


def test_lent_views_work_during_the_call(functions: Any) -> None:
    """A callback may use a tensor that is lent to it."""
    source = numpy.arange(4.0)
    total = functions.call_with_view(lambda x: float(numpy.from_dlpack(x).sum()), source)
    assert total == 6


@pytest.mark.parametrize("skipped", [0, 10], ids=["whole", "part"])
@pytest.mark.parametrize("own", [False, True], ids=["framework", "own"])
@pytest.mark.parametrize("export", [False, True], ids=["tensor", "export"])
def test_views_of_arguments_may_be_kept(
    functions: Any, framework: Any, skipped: int, own: bool, export: bool
) -> None:
    """A view of a call's argument, and what is exported of it, keeps the argument's memory."""
    kept: list[Any] = []
    source = framework.arange(40_000)
    total = int(source[skipped:].sum())
    address = tvm_ffi.from_dlpack(source).data_ptr() + 8 * skipped

    def keeps(x: tvm_ffi.Tensor) -> None:
        kept.append(framework.from_dlpack(x) if export else x)

    functions.call_with_view(keeps, tvm_ffi.from_dlpack(source) if own else source, skipped)
    del source
    gc.collect()
    # Memory that is free by now would be taken by one of these.
    others = [framework.full((40_000,), -1) for _ in range(4)]
    assert tvm_ffi.from_dlpack(kept[0]).data_ptr() == address
    assert int(numpy.from_dlpack(kept[0]).sum()) == total
    del others


def test_exports_survive_an_exception(functions: Any) -> None:
    """What a callback exported before it raised keeps the memory too."""
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
    """A view of memory that no argument owns cannot outlive the callback: an export is refused."""
    seen = []

    def exports(x: tvm_ffi.Tensor) -> None:
        seen.append(x.shape)
        framework.from_dlpack(x)

    # NumPy and PyTorch pass the refusal on as it is.
    with pytest.raises(
        BufferError, match="belongs to an argument of the call, got a view of other"
    ):
        functions.call_with_view_of_own_memory(exports, 4)
    assert seen == [(4,)]


def test_empty_views_of_other_memory_are_exported(functions: Any, framework: Any) -> None:
    """An empty view needs no memory."""
    assert functions.call_with_view_of_own_memory(lambda x: len(framework.from_dlpack(x)), 0) == 0


def test_views_of_other_memory_must_not_be_kept(functions: Any) -> None:
    """A callback that keeps one gets an error, and the tensor loses its elements."""
    kept = []

    def keeps(x: Any) -> None:
        kept.append(x)

    with pytest.raises(ValueError, match=r"keeps: argument 0: .*lent"):
        functions.call_with_view_of_own_memory(keeps, 4)
    assert kept[0].shape == (0,)
    assert kept[0].data_ptr() == 0
    assert numpy.from_dlpack(kept[0]).size == 0


def test_callbacks_run_in_foreign_threads(functions: Any) -> None:
    """A thread that Python knows nothing of can call, while the main one waits."""
    main = threading.get_ident()
    assert functions.call_in_thread(lambda: threading.get_ident() != main) is True


def test_errors_cross_threads(functions: Any) -> None:
    """An exception in a foreign thread is an error there; nothing crashes."""

    def raises() -> None:
        raise ValueError("boom")

    with pytest.raises(RuntimeError, match="raised no error"):
        functions.call_in_thread(raises)


def test_callables_are_released(functions: Any) -> None:
    """A callable lives no longer than the call that it was passed to."""

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
    """Calls from Python to C to Python may nest; too deep is Python's RecursionError."""

    def down(depth: int) -> int:
        return 0 if depth == 0 else 1 + functions.call(down, depth - 1)

    assert down(50) == 50

    def forever() -> None:
        functions.call(forever)

    with pytest.raises(RecursionError):
        forever()
