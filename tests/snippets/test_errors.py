# SPDX-License-Identifier: Apache-2.0
# Rows: R6
"""Errors between C++ and Python, as the page on exceptions shows them."""

import builtins
import os
import shlex
import signal
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import pytest
import tvm_ffi
from _verify.package_flags import flags

HERE = Path(__file__).resolve().parent
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the library; its source is named as the compiler was given it."""
    folder = tmp_path_factory.mktemp("errors")
    command = (
        f"g++ {FLAGS} {flags('--cxxflags')} errors.cc -o {folder}/errors.so"
        f" {flags('--ldflags', '--libs')}"
    )
    subprocess.run(shlex.split(command), cwd=HERE, check=True)
    return folder


@pytest.fixture
def mod(folder, shows):
    """The library; the test proves what it calls of it, and itself."""
    shows("tests/snippets/errors.cc", "tests/snippets/test_errors.py")
    shows("tests/snippets/test_errors.py", "tests/snippets/errors.cc")
    return tvm_ffi.load_module(folder / "errors.so")


def frames_of(error):
    """The functions in the traceback of an exception, the most recent last."""
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_traceback(folder, captured, shows):
    """A traceback goes from Python into C++, down to the line that threw."""
    script = shows("tests/snippets/catch_error.py", "tests/snippets/errors.cc")
    done = subprocess.run(
        [sys.executable, script], cwd=folder, capture_output=True, text=True, check=True
    )
    text = done.stderr.replace(f"{script.parent}/", "").replace(f"{folder}/", "./")
    captured("tests/snippets/captured/catch_error.txt", "$ python catch_error.py\n" + text)


@pytest.mark.parametrize(
    "kind",
    [
        *("TypeError", "ValueError", "IndexError", "KeyError", "RuntimeError", "AttributeError"),
        *("NotImplementedError", "AssertionError", "MemoryError", "OSError", "StopIteration"),
        "InternalError",
    ],
)
def test_kinds(mod, kind):
    """A kind becomes the exception class of that name, and the class becomes the kind."""
    cls = tvm_ffi.InternalError if kind == "InternalError" else getattr(builtins, kind)
    with pytest.raises(cls) as caught:
        mod.fail(kind, "the message")
    assert type(caught.value) is cls
    assert caught.value.args == ("the message",)

    def raise_it():
        raise cls("the message")

    if cls is not KeyError:  # which try_to_call lets pass
        assert mod.try_to_call(raise_it) == f"{kind}: the message"


def test_registered_kind(mod):
    """A kind that is not known is a RuntimeError that names it, until a class is registered."""
    # [register.begin]
    with pytest.raises(RuntimeError, match="TileError: 16 rows, expected 32"):
        mod.fail("TileError", "16 rows, expected 32")

    @tvm_ffi.register_error
    class TileError(ValueError):
        """The tensor does not fill its tiles."""

    with pytest.raises(TileError, match="16 rows, expected 32"):
        mod.fail("TileError", "16 rows, expected 32")
    # [register.end]


def test_round_trip(mod):
    """A Python exception goes through C++ and back, and is the same object."""
    # [round_trip.begin]
    error = KeyError("weights")

    def callback():
        raise error

    with pytest.raises(KeyError) as caught:
        mod.try_to_call(callback)
    assert caught.value is error
    # [round_trip.end]
    assert frames_of(error)[-1] == "callback"


def test_cpp_sees_python_errors(mod):
    """C++ reads the kind and the message of a Python exception."""

    def callback():
        raise ValueError("no such tile")

    assert mod.try_to_call(callback) == "ValueError: no such tile"
    assert mod.try_to_call(lambda: None) == "no error"


def test_cause_from_cpp(mod):
    """What C++ names as the cause is the exception's cause in Python, the same object."""
    # [cause.begin]
    missing = FileNotFoundError("weights.bin")

    def read(path):
        raise missing

    with pytest.raises(ValueError, match="the weights cannot be read") as caught:
        mod.load_model(read)
    assert caught.value.__cause__ is missing
    # [cause.end]
    assert missing.__cause__ is None


def test_causes_made_in_cpp(mod):
    """A chain made in C++ alone becomes a chain of new exceptions."""
    with pytest.raises(TypeError, match="third") as caught:
        mod.fail_with_causes()
    second = caught.value.__cause__
    assert type(second) is KeyError
    assert second.args == ("second",)
    assert type(second.__cause__) is OSError
    assert second.__cause__.__cause__ is None


def test_cause_from_python(mod):
    """Causes of a Python exception are a chain in C++."""

    # [chain.begin]
    def callback():
        try:
            raise OSError("disk")
        except OSError as error:
            raise ValueError("model") from error

    assert mod.chain_of(callback) == "ValueError OSError "
    # [chain.end]


def test_chain_through_both_languages(mod):
    """A chain goes from C++ through Python to C++ with every link."""

    def callback():
        try:
            mod.fail_with_causes()
        except TypeError as error:
            raise ValueError("fourth") from error

    assert mod.chain_of(callback) == "ValueError TypeError KeyError OSError "
    assert mod.chain_of(mod.fail_with_causes) == "TypeError KeyError OSError "


def test_exceptions_that_cause_each_other(mod):
    """Python allows a circle of causes; the chain in C++ ends."""

    def callback():
        first, second = ValueError("first"), TypeError("second")
        first.__cause__, second.__cause__ = second, first
        raise first

    assert mod.chain_of(callback) == "ValueError TypeError "


def test_long_chains(mod):
    """A chain of any length goes through; causes beyond the 64th link stay in Python."""

    def callback():
        error = ValueError("0")
        for n in range(1, 1000):
            outer = ValueError(str(n))
            outer.__cause__ = error
            error = outer
        raise error

    assert mod.chain_of(callback) == "ValueError " * 64


def test_frames_of_both_languages(mod):
    """Frames of Python and C++ stand in the order of the calls."""

    def callback():
        mod.quarter_of(3)

    with pytest.raises(ValueError, match="cannot be read") as caught:
        mod.load_model(lambda path: callback())
    cause = caught.value.__cause__
    names = [name.split("(")[0] for name in frames_of(cause)]
    assert names == ["<lambda>", "callback", "__tvm_ffi_quarter_of", "quarter_of", "half_of"]


@pytest.fixture
def in_c(tmp_path, shows):
    """The library of the C functions that the page shows."""
    source = shows("tests/snippets/errors_in_c.c", "tests/snippets/test_errors.py")
    command = (
        f"gcc -std=c99 -pedantic -Wall -Wextra -Werror -shared -fPIC {flags('--cflags')} {source}"
        f" -o {tmp_path}/errors_in_c.so {flags('--ldflags', '--libs')}"
    )
    subprocess.run(shlex.split(command), check=True)
    return tvm_ffi.load_module(tmp_path / "errors_in_c.so")


def test_errors_in_c(in_c):
    """They raise, pass on and take errors."""
    with pytest.raises(TypeError, match="double_of: n: expected an int"):
        in_c.double_of("3")
    assert in_c.double_of(3) == 6

    def fail(_):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        in_c.call_with_one(fail)
    assert in_c.call_with_one(lambda n: n + 4) == 5
    assert in_c.call_or_zero(fail) == 0
    assert in_c.call_or_zero(lambda n: n + 4) == 5


def test_same_exception_through_c(in_c):
    """What a callback raises comes back itself."""
    error = ValueError("mine")

    def fail(_):
        raise error

    with pytest.raises(ValueError, match="mine") as caught:
        in_c.call_with_one(fail)
    assert caught.value is error


@pytest.fixture
def interrupts():
    """Let SIGINT raise KeyboardInterrupt, also where a shell has it ignored in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_interrupts(mod):
    """A long function that asks for signals ends with the exception of their handler."""
    # [interrupt.begin]
    threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        mod.work_until_interrupted()
    # [interrupt.end]


def test_no_signal_handlers(folder):
    """Loading the package and a library, and catching an error, leaves the signal handlers be."""
    code = """
import re
def caught(): return re.search(r"SigCgt:\\s*(\\w+)", open("/proc/self/status").read())[1]
before = caught()
import tvm_ffi
try: tvm_ffi.load_module("./errors.so").quarter_of(3)
except ValueError: print(caught() == before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"
