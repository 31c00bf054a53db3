# SPDX-License-Identifier: Apache-2.0
# Rows: R3
"""Importing the package."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import tvm_ffi


def run(code: str, *options: str, **kwargs: object) -> subprocess.CompletedProcess[str]:
    """Run code in a separate Python process."""
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, **kwargs)


def test_no_framework_is_imported() -> None:
    """Importing the package imports no framework or slow module."""
    code = "import sys, tvm_ffi; print(*sorted({n.partition('.')[0] for n in sys.modules}))"
    loaded = set(run(code, check=True).stdout.split())
    assert "tvm_ffi" in loaded
    assert not loaded & {"torch", "numpy", "ctypes", "pathlib", "ml_dtypes", "importlib.metadata"}


def test_public_names_are_there() -> None:
    """Every name of __all__ exists."""
    assert not [name for name in tvm_ffi.__all__ if not hasattr(tvm_ffi, name)]


def test_python_ends_quietly(library: Path) -> None:
    """Tensors, functions and callbacks that live until exit do no harm."""
    code = f"""
import numpy, tvm_ffi
module = tvm_ffi.load_module({str(library)!r})
kept = [tvm_ffi.from_dlpack(numpy.zeros(3)), tvm_ffi.Function(lambda x: x), module.nop]
module.keep(numpy.zeros(5))
tvm_ffi.register_global_func("tests.end", lambda: 1)
"""
    done = run(code)
    assert (done.returncode, done.stderr) == (0, "")


def test_signals_reach_a_long_function(library: Path) -> None:
    """A function that checks for signals is interrupted by Ctrl-C."""
    # A shell that runs this in the background makes its children ignore Ctrl-C.
    code = f"""
import signal, tvm_ffi
signal.signal(signal.SIGINT, signal.default_int_handler)
module = tvm_ffi.load_module({str(library)!r})
print("ready", flush=True)
try:
    module.wait_for_signal()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "interrupted\n"


def test_version_as_numbers() -> None:
    """The tuple and the text are the same version."""
    assert ".".join(map(str, tvm_ffi.__version_tuple__)) == tvm_ffi.__version__


def test_library_for_ctypes() -> None:
    """``LIB`` is the runtime used by the package itself, loaded on first use and cached."""
    code = """
import sys, tvm_ffi
assert "ctypes" not in sys.modules
import ctypes
tvm_ffi.register_global_func("tests.import.lib", lambda: 5)
class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]
name, handle = Text(b"tests.import.lib", 16), ctypes.c_void_p()
assert tvm_ffi.LIB.TVMFFIFunctionGetGlobal(ctypes.byref(name), ctypes.byref(handle)) == 0
assert handle.value and tvm_ffi.LIB is tvm_ffi.LIB
tvm_ffi.LIB.TVMFFIObjectDecRef(handle)
"""
    done = run(code)
    assert (done.returncode, done.stderr) == (0, "")
