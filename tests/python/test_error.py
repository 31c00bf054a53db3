# SPDX-License-Identifier: Apache-2.0
# Rows: R6
"""Errors raised by C, as Python exceptions."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import traceback
import weakref
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import error as error_module

KINDS = [
    AssertionError,
    AttributeError,
    BufferError,
    FileNotFoundError,
    ImportError,
    IndexError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
    ZeroDivisionError,
    tvm_ffi.InternalError,
]


@pytest.fixture
def kinds() -> Any:
    """Restore the registered kinds after the test."""
    saved = dict(error_module._class_of_kind), dict(error_module._kind_of_class)
    yield
    for table, before in zip(
        (error_module._class_of_kind, error_module._kind_of_class), saved, strict=True
    ):
        table.clear()
        table.update(before)


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_become_exceptions(functions: Any, kind: type[Exception]) -> None:
    """Each kind becomes the exception of that name, with the message as its argument."""
    with pytest.raises(kind) as caught:
        functions.fail(kind.__name__, "the message", "")
    assert type(caught.value) is kind
    assert caught.value.args == ("the message",)


def test_unknown_kinds_keep_their_name(functions: Any) -> None:
    """A kind without a class is a RuntimeError whose message starts with the kind."""
    with pytest.raises(RuntimeError, match=r"^TileError: too small$"):
        functions.fail("TileError", "too small", "")


def test_text_that_is_not_utf8_is_shown(functions: Any) -> None:
    """A message with non-ASCII characters arrives."""
    with pytest.raises(ValueError, match="grüße 🙂"):
        functions.fail("ValueError", "grüße 🙂", "")


@pytest.mark.usefixtures("kinds")
def test_registered_kinds(functions: Any) -> None:
    """A class can be registered by a decorator, by name or by a call."""

    @tvm_ffi.register_error
    class TileError(ValueError):
        """Registered under its own name."""

    @tvm_ffi.register_error("my.Kind")
    class Named(ValueError):
        """Registered under another name."""

    class Called(ValueError):
        """Registered by a call."""

    assert tvm_ffi.register_error("Third", Called) is Called
    for kind, cls in [("TileError", TileError), ("my.Kind", Named), ("Third", Called)]:
        with pytest.raises(cls, match="message"):
            functions.fail(kind, "message", "")


@pytest.mark.usefixtures("kinds")
def test_registered_classes_that_cannot_be_made(functions: Any) -> None:
    """A class whose constructor needs other arguments does not hide the error."""

    @tvm_ffi.register_error
    class Demanding(ValueError):
        """Requires two arguments."""

        def __init__(self, message: str, more: int) -> None:
            super().__init__(message, more)

    with pytest.raises(RuntimeError, match="Demanding: message"):
        functions.fail("Demanding", "message", "")


@pytest.mark.parametrize("value", [3, int, "Name"])
def test_only_exception_classes_are_registered(value: Any) -> None:
    """Anything but an exception class is a TypeError."""
    with pytest.raises(TypeError, match="register_error: cls: expected an exception class"):
        tvm_ffi.register_error("Kind", value)


def test_frames_of_c_stand_in_the_traceback(functions: Any) -> None:
    """The file, line and function of each C frame are shown, most recent last."""
    backtrace = '  File "kernel.cc", line 12, in void f(int)\n  File "launch.cc", line 5, in g\n'
    with pytest.raises(ValueError, match="boom") as caught:
        functions.fail("ValueError", "boom", backtrace)
    frames = [
        (frame.filename, frame.lineno, frame.name)
        for frame in traceback.extract_tb(caught.value.__traceback__)
    ]
    assert frames[-2:] == [("launch.cc", 5, "g"), ("kernel.cc", 12, "void f(int)")]


@pytest.mark.parametrize(
    "backtrace", ["", "\n\n", "no frame at all", '  File "x', '  File "x", line 3', "\x00"]
)
def test_backtraces_that_are_no_frames_are_passed_over(functions: Any, backtrace: str) -> None:
    """Lines in any other form are ignored."""
    with pytest.raises(ValueError, match="boom") as caught:
        functions.fail("ValueError", "boom", backtrace)
    assert len(traceback.extract_tb(caught.value.__traceback__)) == 1


def test_exceptions_are_errors_as_values(described: Any) -> None:
    """An exception passed as a value is an error in C++; thrown there, it is the same exception."""
    exception = KeyError("mine")
    assert described.kind_of(exception) == "KeyError"
    with pytest.raises(KeyError) as caught:
        described.raise_error(exception)
    assert caught.value is exception
    described.keep(exception)
    kept = described.give_back()
    described.keep(None)
    assert type(kept) is tvm_ffi.core.Error
    assert (kept.kind, kept.message) == ("KeyError", "mine")
    assert kept.py_error() is exception
    assert kept.extra_context is exception


def test_errors_as_values_show_what_they_hold(described: Any) -> None:
    """An error returned by a function has its kind, message, backtrace, cause and context."""
    error = described.error_with_context()
    assert (error.kind, error.message, error.backtrace) == ("KeyError", "third", "")
    assert error.extra_context == (1, 2)
    assert (error.cause.kind, error.cause.cause) == ("OSError", None)
    assert repr(error) == "<tvm_ffi.core.Error KeyError: third>"
    exception = error.py_error()
    assert type(exception) is KeyError
    assert type(exception.__cause__) is OSError


def test_a_class_may_give_one_exception_again_and_again(
    described: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error and its cause may become the same exception, and no reference to it leaks."""
    only = ValueError("only")
    for kind in ("KeyError", "OSError"):
        monkeypatch.setitem(error_module._class_of_kind, kind, lambda message: only)
    error = described.error_with_context()
    before = sys.getrefcount(only)
    for _ in range(10):
        assert error.py_error() is only
        only.__traceback__ = None
    assert sys.getrefcount(only) == before


def test_errors_are_made_in_python(described: Any) -> None:
    """An Error created in Python and thrown by C++ keeps its frames."""
    error = tvm_ffi.core.Error("ValueError", "boom", '  File "a.cc", line 3, in f\n')
    with pytest.raises(ValueError, match="boom") as caught:
        described.raise_error(error)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "f" in names
    error.update_backtrace('  File "b.cc", line 4, in g\n')
    assert error.backtrace.startswith('  File "b.cc", line 4, in g\n')
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.kind, copied.message) == ("ValueError", "boom")


@pytest.mark.parametrize(
    ("args", "argument"),
    [((3, "x"), "kind"), (("K", None), "message"), (("K", "m", 3), "backtrace")],
)
def test_errors_are_made_of_text(args: Any, argument: str) -> None:
    """An argument that is not a str is a TypeError that names it."""
    with pytest.raises(TypeError, match=f"Error: {argument}: expected a str, got"):
        tvm_ffi.core.Error(*args)


def test_check_for_bugs_keeps_its_kind(described: Any) -> None:
    """A failed TVM_FFI_ICHECK is an InternalError, not just a RuntimeError."""
    with pytest.raises(tvm_ffi.InternalError, match=r"x > 0 \(0 vs\. 0\)"):
        described.check_positive(0)


@pytest.mark.parametrize("name", [3, b"Kind", Ellipsis])
def test_kinds_have_names(name: Any) -> None:
    """A kind whose name is not text is a TypeError."""
    with pytest.raises(TypeError, match="register_error: name_or_cls: expected a str or an"):
        tvm_ffi.register_error(name, ValueError)


def test_kinds_are_utf8() -> None:
    """A name that is not valid UTF-8 is a ValueError at once, not an abort at the first raise."""
    with pytest.raises(ValueError, match="register_error: name_or_cls: expected UTF-8 text"):
        tvm_ffi.register_error("\ud800", ValueError)


def test_errors_that_were_never_made_are_refused() -> None:
    """Using an instance that skipped the constructor is an error that says so."""

    class Unmade(tvm_ffi.core.Error):
        def __init__(self) -> None: ...

    unmade = tvm_ffi.Object.__new__(Unmade)
    for ask in (lambda: unmade.kind, unmade.py_error, lambda: unmade.update_backtrace("")):
        with pytest.raises(TypeError, match=r"expected a .*Error, got Unmade that holds no object"):
            ask()


def test_exceptions_of_no_kind_keep_identity(described: Any) -> None:
    """An exception of an unregistered class also crosses as the same object."""

    class Own(Exception):
        """Private to this test."""

    own = Own("text", {"more": 1})

    def raises() -> None:
        raise own

    with pytest.raises(Own) as caught:
        described.call(raises)
    assert caught.value is own


@pytest.mark.parametrize("name", ["ffi.ErrorFrames", "ffi.ErrorBacktrace", "ffi.ErrorArgument"])
def test_functions_of_the_runtime_that_are_overridden(name: str) -> None:
    """Error conversion does not rely on functions that a user can override."""
    code = f"""
import tvm_ffi
tvm_ffi.register_global_func({name!r}, lambda *args: 7, override=True)
try:
    tvm_ffi.get_global_func("ffi.json.Parse")([1])
except TypeError as error:
    assert "got list" in str(error), error
assert tvm_ffi.core.Error("Kind", "message", "").backtrace == ""
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_exceptions_are_freed(described: Any) -> None:
    """Nothing keeps a crossed exception alive once it has been handled."""

    class Own(Exception):
        """Private to this test."""

    def raises() -> None:
        raise Own

    gone = None
    try:
        described.call(raises)
    except Own as error:
        gone = weakref.ref(error)
    gc.collect()
    assert gone is not None
    assert gone() is None
