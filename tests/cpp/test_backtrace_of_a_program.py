# SPDX-License-Identifier: Apache-2.0
# Rows: R6
"""Backtraces in a C++ program without Python."""

import os
import shlex
import subprocess

from tvm_ffi import config, libinfo

PROGRAM = """
#include <tvm/ffi/function.h>
#include <cstdio>
namespace ffi = tvm::ffi;
namespace {
__attribute__((noinline)) int fail(int n) { TVM_FFI_THROW(ValueError) << "got " << n; }
__attribute__((noinline)) int twice(int n) { return fail(n) + fail(n); }
}
int main() {
  try {
    twice(3);
  } catch (const ffi::Error& error) {
    std::fputs(error.FullMessage().c_str(), stdout);
  }
  ffi::Function f = ffi::Function::FromTyped([](int n) { return twice(n); }, "f");
  try {
    f(4);
  } catch (const ffi::Error& error) {
    std::fputs(error.FullMessage().c_str(), stdout);
  }
}
"""

# Shows an error while it is loaded, when another thread of the program is showing one.
SHOWS_WHEN_LOADED = """
#include <tvm/ffi/error.h>
#include <unistd.h>
#include <atomic>
extern std::atomic<bool> is_loading;
namespace {
void fail() { TVM_FFI_THROW(ValueError) << "while loading"; }
const bool shown = [] {
  is_loading = true;
  usleep(100000);  // without it the threads rarely meet
  try {
    fail();
  } catch (const tvm::ffi::Error& error) {
    return !error.backtrace().empty();
  }
  return false;
}();
}
"""
LOADS_AND_SHOWS = """
#include <dlfcn.h>
#include <tvm/ffi/error.h>
#include <unistd.h>
#include <atomic>
#include <thread>
extern std::atomic<bool> is_loading;
std::atomic<bool> is_loading{false}, is_ready{false};
namespace {
__attribute__((noinline)) void fail() { TVM_FFI_THROW(ValueError) << "in the program"; }
template <typename F>
void show(F f) {
  try {
    f();
  } catch (const tvm::ffi::Error& error) {
    error.backtrace();
  }
}
}
int main() {
  alarm(20);
  std::thread other([] {
    show(fail);  // a thread's first error makes what it keeps for the next ones
    is_ready = true;
    while (!is_loading) std::this_thread::yield();
    show([] { fail(); });
  });
  while (!is_ready) std::this_thread::yield();
  const bool loaded = dlopen("./shows_when_loaded.so", RTLD_NOW) != nullptr;
  other.join();
  return loaded ? 0 : 1;
}
"""


def build(folder, more: str = "") -> None:
    """Build the program as `backtrace_program` in a folder."""
    (folder / "program.cc").write_text(PROGRAM)
    command = (
        f"g++ -O1 {config.cxxflags()} program.cc -o backtrace_program"
        f" {config.ldflags()} -ltvm_ffi -Wl,-rpath,{libinfo.find_library_path()} {more}"
    )
    subprocess.run(shlex.split(command), cwd=folder, check=True)


def lines_of(folder) -> list[list[str]]:
    """The functions in the two tracebacks that the program prints, found on the PATH."""
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["backtrace_program"],
        env={**os.environ, "PATH": path},
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    tracebacks = done.stdout.split("Traceback (most recent call last):\n")[1:]
    return [
        [line.rpartition(", in ")[2] for line in text.splitlines() if ", in " in line]
        for text in tracebacks
    ]


def test_the_programs_own_functions_are_named(tmp_path):
    """Functions of the program have names, though it exports none and is called by a bare name."""
    build(tmp_path)
    direct, by_function = lines_of(tmp_path)
    assert direct[-3:] == ["main", "(anonymous namespace)::twice(int)", "fail"]
    assert by_function[-2:] == ["(anonymous namespace)::twice(int)", "fail"]


def test_a_stripped_program_has_addresses(tmp_path):
    """Without a symbol table the calls are shown as places in the file; the throwing line stays."""
    build(tmp_path, "-s")
    direct, _ = lines_of(tmp_path)
    assert direct[-1] == "fail"
    assert all(name.startswith("0x") for name in direct[-3:-1])


def test_a_library_shows_an_error_while_it_is_loaded(tmp_path):
    """The loader runs a library's code under its lock; no thread waits for that with ours held."""
    flags = f"-O1 {config.cxxflags()} {config.ldflags()} -Wl,-rpath,{libinfo.find_library_path()}"
    for source, text, more in [
        ("loads_and_shows", LOADS_AND_SHOWS, "-rdynamic -pthread"),
        ("shows_when_loaded.so", SHOWS_WHEN_LOADED, "-shared -fPIC"),
    ]:
        (tmp_path / f"{source}.cc").write_text(text)
        command = f"g++ {source}.cc -o {source} {more} {flags} -ltvm_ffi"
        subprocess.run(shlex.split(command), cwd=tmp_path, check=True)
    subprocess.run(["./loads_and_shows"], cwd=tmp_path, check=True)
