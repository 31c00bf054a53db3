# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""A forked child works whatever other threads were doing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import compile_cpp_library
from .test_module import move_program_headers


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library of forks.cc."""
    path = tmp_path_factory.mktemp("forks") / "forks.so"
    compile_cpp_library(Path(__file__).with_name("forks.cc"), path)
    return path


def run(code: str) -> None:
    """Run a script in a separate process."""
    # From 3.12 on, Python warns about forking a multithreaded process.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# Thousands where slow tests run.
FORKS = 100 if os.environ.get("RUN_SLOW", "0") in ("", "0") else 2000


def test_no_child_hangs(forks: Path) -> None:
    """A child works whatever locks other threads held and whatever values they were creating."""
    run(f"""
import os
import tvm_ffi
module = tvm_ffi.load_module({str(forks)!r})
module.start_threads()
assert module.fork_children({FORKS}) == {FORKS}
os._exit(0)  # at once: the threads still use what the end of the process destroys
""")


def test_first_uses(forks: Path) -> None:
    """A child may be the first to use a type or create a function that a thread was setting up."""
    run(f"""
import tvm_ffi
assert tvm_ffi.load_module({str(forks)!r}).hung_first_uses(600) == 0
""")


def test_fork_in_a_factory(forks: Path) -> None:
    """A thread that forks while creating a value finishes creating it in the child too."""
    run(f"""
import tvm_ffi
assert tvm_ffi.load_module({str(forks)!r}).fork_in_factory() == 0
""")


def test_a_child_loads_and_unloads(library: Path, tmp_path: Path) -> None:
    """A library that a child loads stays loaded while it is used, and no longer."""
    moved = [str(move_program_headers(library, tmp_path / f"moved_{i}.so")) for i in range(2)]
    run(f"""
import os
import tvm_ffi
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
else:
    paths = {[str(library), *moved]!r}
    modules = [tvm_ffi.load_module(path, keep_module_alive=False) for path in paths]
    counts = [module.count for module in modules]
    del modules
    assert [count(1, 2) for count in counts] == [2, 2, 2]
    del counts
    assert not [path for path in paths if path in open("/proc/self/maps").read()]
""")


def test_a_child_does_not_unload(forks: Path, library: Path) -> None:
    """A child ends normally, without the loader's lock for unloading the modules of its parent."""
    run(f"""
import os, signal
import tvm_ffi
functions = tvm_ffi.load_module({str(library)!r}, keep_module_alive=False)
threads = tvm_ffi.load_module({str(forks)!r})
count = functions.count
threads.start_threads()
for _ in range(10):
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        del functions, count
        os._exit({str(library)!r} not in open("/proc/self/maps").read())
    assert os.waitpid(child, 0)[1] == 0
os._exit(0)  # at once: the threads still use what the end of the process destroys
""")


MAKES = """
#include <tvm/ffi/tvm_ffi.h>
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make, [](int n) {
  return tvm::ffi::Function::FromTyped([n](int x) { return n + x; });
});
"""


@pytest.fixture(scope="module")
def makes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a library whose function creates a function from a lambda."""
    folder = tmp_path_factory.mktemp("makes")
    (folder / "makes.cc").write_text(MAKES)
    compile_cpp_library(folder / "makes.cc", folder / "makes.so")
    return folder / "makes.so"


def test_a_child_creates_the_first_function(makes: Path, library: Path) -> None:
    """It does so without the loader, which may be in any state if the parent was loading."""
    run(f"""
import os, signal, threading
import tvm_ffi
make = tvm_ffi.load_module({str(makes)!r}).make
def load():
    while True:
        tvm_ffi.load_module({str(library)!r}, keep_module_alive=False)
threading.Thread(target=load, daemon=True).start()
for _ in range({FORKS}):
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        os._exit(make(3)(4) != 7)
    assert os.waitpid(child, 0)[1] == 0
os._exit(0)  # at once: the thread still loads
""")


def test_a_function_keeps_a_library_of_a_child(makes: Path) -> None:
    """A library that a child loads stays loaded if it has created a function from a lambda."""
    run(f"""
import os
import tvm_ffi
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
else:
    module = tvm_ffi.load_module({str(makes)!r}, keep_module_alive=False)
    function = module.make(3)
    del module
    assert {str(makes)!r} in open("/proc/self/maps").read()
    assert function(4) == 7
""")


def test_calls_of_other_threads_are_forgotten(library: Path) -> None:
    """A call in another thread at the fork does not exist in the child, which reuses its stack."""
    run(f"""
import os, threading
import numpy, tvm_ffi
functions = tvm_ffi.load_module({str(library)!r})
inside, over = threading.Event(), threading.Event()
def wait(x):
    inside.set()
    over.wait()
def work():
    functions.call_with_view(wait, numpy.zeros(3))
thread = threading.Thread(target=work)
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    def recurse(depth):
        return sorted([depth], key=lambda _: recurse(depth - 1)) if depth else None
    other = threading.Thread(target=recurse, args=(30,))
    other.start()
    other.join()
    kept = []
    try:
        functions.call_with_view_of_own_memory(kept.append, 4)
    except ValueError as error:
        os._exit("keep a copy" not in str(error))
    os._exit(1)
over.set()
assert os.waitpid(child, 0)[1] == 0
""")


def test_classes_are_made_in_the_child() -> None:
    """A thread that creates type classes during a fork does not block the child from doing so."""
    run("""
import os, threading
import tvm_ffi
from tvm_ffi import object as classes
inside, over = threading.Event(), threading.Event()
def work():
    with classes._making:
        inside.set()
        over.wait()
thread = threading.Thread(target=work)
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    os._exit(not classes._making.acquire(timeout=5))
over.set()
assert os.waitpid(child, 0)[1] == 0
""")


NAMED = """
#include <tvm/ffi/tvm_ffi.h>
__attribute__((noinline)) void NAME(int x) {
  if (x) TVM_FFI_THROW(ValueError) << "on purpose";
  asm volatile("");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, [](int x) {
  NAME(x);
  asm volatile("");
});
"""


@pytest.mark.parametrize("is_child", [False, True])
def test_names_after_a_library_was_replaced(tmp_path: Path, is_child: bool) -> None:
    """Errors of a library loaded in another's place show its own functions, in a child too."""
    for name in ("first", "other"):
        source = tmp_path / f"{name}.cc"
        source.write_text(NAMED.replace("NAME", name))
        compile_cpp_library(source, tmp_path / f"{name}.so")
    run(f"""
import os, traceback
import tvm_ffi
def shown(name):
    path = {str(tmp_path)!r} + "/" + name + ".so"
    module = tvm_ffi.load_module(path, keep_module_alive=False)
    place = next(line.split("-")[0] for line in open("/proc/self/maps") if path in line)
    try:
        module.fail(1)
    except ValueError as error:
        text = "".join(traceback.format_exception(error))
    assert name in text and text.count(path) >= 1, text
    return place, text
child = os.fork() if {is_child} else 0
if child:
    assert os.waitpid(child, 0)[1] == 0
else:
    first, other = shown("first"), shown("other")
    assert first[0] == other[0], "the second is not in the first one's place"
    assert "first" not in other[1], other[1]
""")


PLUGIN = """
#include <tvm/ffi/tvm_ffi.h>
__attribute__((noinline)) void fail() { TVM_FFI_THROW(ValueError) << "on purpose"; }
extern "C" void NAME() {
  fail();
  asm volatile("");
}
"""
CALLER = """
#include <tvm/ffi/tvm_ffi.h>
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call, [](void* code) {
  reinterpret_cast<void (*)()>(code)();
  asm volatile("");
});
"""


@pytest.mark.parametrize("is_child", [False, True])
def test_names_after_other_code_replaced_a_library(tmp_path: Path, is_child: bool) -> None:
    """The same holds for libraries that a program loads and unloads without this package."""
    sources = {"caller": CALLER, **{n: PLUGIN.replace("NAME", n) for n in ("first", "other")}}
    for name, text in sources.items():
        source = tmp_path / f"{name}.cc"
        source.write_text(text)
        compile_cpp_library(source, tmp_path / f"{name}.so")
    run(f"""
import _ctypes, ctypes, os, traceback
import tvm_ffi
call = tvm_ffi.load_module({str(tmp_path / "caller.so")!r}).call
def shown(name):
    path = {str(tmp_path)!r} + "/" + name + ".so"
    plugin = ctypes.CDLL(path)
    place = next(line.split("-")[0] for line in open("/proc/self/maps") if path in line)
    try:
        call(ctypes.cast(plugin[name], ctypes.c_void_p))
    except ValueError as error:
        text = "".join(traceback.format_exception(error))
    _ctypes.dlclose(plugin._handle)
    assert path not in open("/proc/self/maps").read()
    assert f"in {{name}}" in text, text
    return place, text
child = os.fork() if {is_child} else 0
if child:
    assert os.waitpid(child, 0)[1] == 0
else:
    first, other = shown("first"), shown("other")
    assert first[0] == other[0], "the second is not in the first one's place"
    assert "in first" not in other[1], other[1]
""")
