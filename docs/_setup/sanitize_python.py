# SPDX-License-Identifier: Apache-2.0
"""Run the Python tests with a package built with sanitizers: sanitize_python.py [FILE...].

libtvm_ffi and the Python extension are built with AddressSanitizer and
UndefinedBehaviorSanitizer, and the tests run in a Python that has loaded these first and gets its
memory from malloc, so that both track each object. At exit, the test process counts memory that
nothing refers to. Before that, a program that leaks on purpose shows that the count works.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _setup import leaks_plugin  # noqa: E402  (in a folder added above)
from _setup.sanitize_examples import sanitized  # noqa: E402

FOLDER = ROOT / "build" / "sanitize" / "python"
PACKAGE = FOLDER / "package"
PROGRAMS = FOLDER / "programs"
TESTS = "tests/python"
# Tests that cannot run this way, with the reason.
LEFT_OUT = {
    f"{TESTS}/test_fuzz_corpus.py": "limits the address space, of which the sanitizers need more",
    f"{TESTS}/test_fuzz_runner.py": "the same",
    f"{TESTS}/test_instructions.py": "counts instructions",
    f"{TESTS}/test_leaks.py": "counts bytes that malloc gave, and leaks on purpose",
    f"{TESTS}/test_soak.py": "measures the memory of the process",
    # GCC 12's AddressSanitizer does not lock its allocator before a fork.
    f"{TESTS}/test_fork.py::test_no_child_hangs": "the sanitizer's own locks hang a child",
    f"{TESTS}/test_paddle_tensors.py::test_tensors_that_live_until_exit": (
        "PaddlePaddle frees with another operator than it allocates with when the process ends"
    ),
}
# Creates a function, and then loses the runtime object behind it.
LEAKY = """
import ctypes, sys, tvm_ffi
from _setup import leaks_plugin
function = tvm_ffi.get_global_func("ffi.FunctionListGlobalNamesFunctor")()
if len(sys.argv) > 1:
    tvm_ffi.LIB.TVMFFIObjectIncRef(ctypes.c_void_p(function.__chandle__()))
del function
leaks_plugin.watch()
"""
# Programs started by the tests: the sanitizers slow them down, and make nvcc crash.
NOT_SANITIZED = ("c++", "cc", "clang", "clang++", "cmake", "g++", "gcc", "ninja", "nvcc")


def build() -> None:
    """Build the package with the sanitizers; keep previous compilation results."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
    command += ["--no-deps", "--upgrade", "--target", str(PACKAGE)]
    command += ["-C", f"build-dir={FOLDER / 'cmake'}", "-C", "cmake.build-type=RelWithDebInfo"]
    command += ["-C", "cmake.define.TVM_FFI_SANITIZE=address,undefined", str(ROOT)]
    shutil.rmtree(PACKAGE, ignore_errors=True)
    subprocess.run(command, check=True)


def make_programs() -> None:
    """Write wrappers that run compilers without the sanitizers."""
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    for name in NOT_SANITIZED:
        if program := shutil.which(name):
            (PROGRAMS / name).write_text(f'#!/bin/sh\nunset LD_PRELOAD\nexec {program} "$@"\n')
            (PROGRAMS / name).chmod(0o755)


def variables(log: Path) -> dict[str, str]:
    """Return the variables Python needs to import the package; findings go to ``log.PID``."""
    found = sanitized(log)
    library = ["g++", "-print-file-name=libstdc++.so"]
    # Preload libstdc++: the sanitizers look up its throw function, but Python does not load it.
    cpp = subprocess.run(library, capture_output=True, text=True, check=True).stdout.strip()
    options = found["ASAN_OPTIONS"].replace("detect_leaks=0", "detect_leaks=1:leak_check_at_exit=0")
    return {
        **found,
        "LD_PRELOAD": f"{found['LD_PRELOAD']} {cpp}",
        "ASAN_OPTIONS": options,
        "LSAN_OPTIONS": f"print_suppressions=0:suppressions={leaks_plugin.SUPPRESSIONS}",
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": f"{PACKAGE}{os.pathsep}{ROOT / 'docs'}",
    }


def run(arguments: list[str], name: str) -> tuple[int, str]:
    """Run Python; return its status and the sanitizers' findings."""
    for old in FOLDER.glob(f"{name}.*"):
        old.unlink()
    environment = {**os.environ, **variables(FOLDER / name)}
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=False)
    return done.returncode, "\n\n".join(path.read_text() for path in FOLDER.glob(f"{name}.*"))


def main() -> int:
    """Build and run; return 1 if a test failed or anything was found."""
    begun = time.monotonic()
    build()
    make_programs()
    for arguments, expected in ((["kept"], leaks_plugin.LEAKED), ([], 0)):
        status, found = run(["-c", LEAKY, *arguments], "planted")
        if status != expected or bool(found) != bool(expected):
            print(f"a program that leaks {arguments}: exit status {status}\n{found}")
            return 1
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "_setup.leaks_plugin"]
    chosen = sys.argv[1:] or [TESTS]
    left_out = [word for test in LEFT_OUT for word in ("--deselect", test)]
    status, found = run([*pytest, *left_out, *chosen], "found")
    print(found[:10000])
    for test, reason in LEFT_OUT.items():
        print(f"left out: {test}: {reason}")
    told = "something was found" if found or status else "nothing was found, and nothing leaked"
    print(f"address,undefined: the tests of Python: {told}")
    print(f"{time.monotonic() - begun:.0f} s")
    return bool(found or status)


if __name__ == "__main__":
    sys.exit(main())
