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
