# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Functions, callbacks and errors in many Python and C++ threads at once."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi

from .conftest import compile_cpp_library


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run work(0) to work(count - 1) concurrently; re-raise an exception from any of them."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_callbacks_of_many_threads(described: Any) -> None:
    """C++ threads may call one callback concurrently; each gets its own result."""
    assert described.call_in_threads(lambda i: i, 8, 200) == 0


def test_errors_of_many_threads(described: Any) -> None:
    """C++ threads whose calls all fail each get their own error."""

    def raises(i: int) -> None:
        raise ValueError(i)

    assert described.call_in_threads(raises, 8, 100) == 800


def test_python_threads_call_and_fail(described: Any) -> None:
    """Each of many threads gets its own results, exceptions and callbacks."""

    def work(number: int) -> None:
        for i in range(200):
            function = tvm_ffi.Function(lambda x: x + number)
            assert function(i) == i + number
            assert described.affine(number, unit="m", factor=i) == f"{number} {i} none m"
            mine = KeyError(number, i)
            with pytest.raises(KeyError) as caught:
                described.raise_error(mine)
            assert caught.value is mine

    in_threads(8, work)


def test_what_threads_share_is_counted_right(described: Any, functions: Any) -> None:
    """An object, a function and a module shared by many threads keep their reference counts."""
    value, function = object(), tvm_ffi.Function(lambda x: x)
    gc.collect()
    before = [sys.getrefcount(each) for each in (value, function, described)]

    def work(number: int) -> None:
        for _ in range(300):
            assert functions.echo(value) is value
            assert function(value) is value
            assert functions.echo(function) == function
            described.get_function("affine")

    in_threads(8, work)
    gc.collect()
    assert [sys.getrefcount(each) for each in (value, function, described)] == before


def test_the_collector_runs_beside_calls(described: Any) -> None:
    """Cycles of functions are created, called and collected while other threads make calls."""

    class Owner:
        """Owns a function that refers back to it."""

        def __init__(self, number: int) -> None:
            self.number = number
            self.function = tvm_ffi.Function(self.method)

        def method(self) -> int:
            """Return the number."""
            return self.number

    def work(number: int) -> None:
        for i in range(100):
            owner = Owner(i)
            assert owner.function() == i
            assert described.call(owner.function) == i
            described.drop_in_thread(owner.function)
            if number == 0 and i % 10 == 0:
                gc.collect()
            assert owner.function() == i

    in_threads(6, work)


def test_global_functions_change_under_way() -> None:
    """Threads may replace, look up and remove the same name."""

    def work(number: int) -> None:
        for _ in range(200):
            tvm_ffi.register_global_func("tests.threads", lambda: number, override=True)
            found = tvm_ffi.get_global_func("tests.threads", allow_missing=True)
            assert found is None or 0 <= found() < 6
            tvm_ffi.remove_global_func("tests.threads")

    in_threads(6, work)


def test_python_ends_while_threads_call(described: Any) -> None:
    """C++ threads that keep calling neither prevent Python from exiting nor crash it."""
    code = f"""
import threading, tvm_ffi
module = tvm_ffi.load_module({str(described.path)!r})
called = threading.Event()
for _ in range(4):
    module.call_forever(called.set)
assert called.wait(60)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_functions_called_by_name_release_the_lock() -> None:
    """Functions of the runtime do too; their callers must prevent concurrent changes."""
    assert tvm_ffi.get_global_func("ffi.DeepCopy").release_gil
    assert tvm_ffi.structural_equal([1], [1])
    assert tvm_ffi.get_global_func("ffi.StructuralEqual").release_gil


@pytest.mark.parametrize(
    "read",
    [
        "tvm_ffi.structural_equal(box, box)",
        "tvm_ffi.structural_hash(box)",
        "tvm_ffi.StructuralKey(box)",
        "tvm_ffi.get_first_structural_mismatch(box, tvm_ffi.List([[], {}]))",
        "to_json_graph_str(box)",
        "copy.deepcopy(box)",
    ],
)
def test_containers_are_read_as_a_whole(read: str) -> None:
    """While one thread changes a List and a Dict, others compare, hash and serialize them."""
    code = f"""
import copy, sys, threading, time, tvm_ffi
from tvm_ffi.serialization import to_json_graph_str
sys.setswitchinterval(1e-5)
changed, table = tvm_ffi.List(), tvm_ffi.Dict()
box = tvm_ffi.List([changed, table])
end = time.monotonic() + 1.5
def change():
    while time.monotonic() < end:
        for i in range(200):
            changed.append(f"a text that is too long for the value itself {{i}}")
            table[f"a key that is too long for the value itself {{i}}"] = i
        changed.clear()
        table.clear()
changing = threading.Thread(target=change)
changing.start()
while time.monotonic() < end:
    {read}
changing.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_functions_may_be_called_after_python_ended(described: Any) -> None:
    """A callback that C++ calls at that point is an error and does not crash."""
    code = f"""
import ctypes, tvm_ffi
module = tvm_ffi.load_module({str(described.path)!r})
module.keep(lambda: 1)
module.call_kept_at_exit()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "RuntimeError: a Python callback was called after Python ended\n"


@pytest.mark.parametrize("work", ["pass", "time.sleep(0)", "[object() for _ in range(999)]"])
def test_daemon_threads_end_quietly(described: Any, work: str) -> None:
    """Python may exit while daemon threads are in callbacks or in functions that call them."""
    code = f"""
import threading, time
import numpy, tvm_ffi
module = tvm_ffi.load_module({str(described.path)!r})
calls = threading.Semaphore(0)
def callback(*arguments):
    calls.release()
    {work}
    return list(arguments)
function = tvm_ffi.Function(callback)
def run():
    while True:
        module.call(callback)
        function("text", [1, 2], numpy.zeros(3))
for _ in range(4):
    threading.Thread(target=run, daemon=True).start()
for _ in range(100):
    calls.acquire()
"""
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


ENDING = """
#include <pthread.h>
#include <tvm/ffi/tvm_ffi.h>
namespace ffi = tvm::ffi;
static void exit_thread(ffi::TensorView) { pthread_exit(nullptr); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(exit_thread, exit_thread);
static void cancel_thread(ffi::TensorView) {
  pthread_cancel(pthread_self());
  pthread_testcancel();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(cancel_thread, cancel_thread);
static void call(const ffi::Function& f) {
  static float memory[3];
  int64_t shape[] = {3};
  DLTensor view{memory, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  f(ffi::TensorView(&view));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call, call);
"""
ENDS = """
import os, sys, threading, time
import numpy, tvm_ffi
module = tvm_ffi.load_module(sys.argv[1])
function, array = module[sys.argv[2]], numpy.zeros(3)
function.release_gil = sys.argv[3] == "released"
for _ in range(20):
    thread = threading.Thread(target=lambda: function(array), daemon=True)
    thread.start()
    while os.path.exists(f"/proc/self/task/{thread.native_id}"):
        time.sleep(0.001)
# A view that is exported looks for its owner among the arguments of all calls in progress.
try:
    module.call(lambda view: view.__dlpack__())
except BufferError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def ending(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of functions that terminate their thread."""
    folder = tmp_path_factory.mktemp("ending")
    (folder / "ending.cc").write_text(ENDING)
    compile_cpp_library(folder / "ending.cc", folder / "ending.so")
    return folder / "ending.so"


@pytest.mark.parametrize("lock", ["released", "kept"])
@pytest.mark.parametrize("function", ["exit_thread", "cancel_thread"])
def test_functions_may_end_threads_of_python(ending: Path, function: str, lock: str) -> None:
    """The thread terminates, the call releases what it holds, and other threads continue."""
    command = [sys.executable, "-c", ENDS, str(ending), function, lock]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "a view of other memory" in done.stdout
