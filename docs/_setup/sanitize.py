# SPDX-License-Identifier: Apache-2.0
"""Run the C++ tests under sanitizers, without Python: sanitize.py [PART OF A NAME...].

libtvm_ffi, a small host program and each test file are built with AddressSanitizer and
UndefinedBehaviorSanitizer, and every test runs with leak detection. The files that start threads
are also built and run with ThreadSanitizer. One process runs one file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "cpp"
EXPORT = re.compile(r"^TVM_FFI_DLL_EXPORT_TYPED_FUNC\((test_\w+),", re.MULTILINE)
THREADS = re.compile(r"^#include <(?:thread|future)>", re.MULTILINE)

# Tests that cannot run under a sanitizer, as "file::test" or a file, and the reason.
SKIPPED: dict[str, dict[str, str]] = {
    "address,undefined": {
        "test_module.cc::test_marked_as_a_module": "UBSan reads the virtual table that it lacks",
        "test_sizes.cc::test_texts_beyond_memory": "asks for memory that the sanitizer never gives",
        "test_sizes.cc::test_impossible_objects": "asks for memory that the sanitizer never gives",
    },
    "thread": {
        "test_env.cc::test_large_device_id": "limits the address space, which the sanitizer needs",
    },
}
# Checks disabled for a file, with the reason.
UNCHECKED = {
    "test_ended_threads.cc": (
        "-fno-sanitize=null",
        "the exception that ends a thread has no object, which g++ takes for a null reference",
    ),
}
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1",
    "LSAN_OPTIONS": f"print_suppressions=0:suppressions={ROOT / 'docs' / '_setup' / 'leaks.supp'}",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


@dataclass(frozen=True)
class Build:
    """All build outputs for one kind of sanitizer, in their own folder."""

    sanitizer: str

    @property
    def folder(self) -> Path:
        """The build folder."""
        return ROOT / "build" / "sanitize" / self.sanitizer.replace(",", "-")

    def make_runtime(self) -> None:
        """Build libtvm_ffi with CMake, which knows its sources."""
        shutil.rmtree(self.folder, ignore_errors=True)
        configure = ["cmake", "-S", ROOT, "-B", self.folder, "-G", "Ninja"]
        kind = "-DCMAKE_BUILD_TYPE=Debug"
        checked([*configure, kind, f"-DTVM_FFI_SANITIZE={self.sanitizer}"])
        checked(["cmake", "--build", self.folder])

    def compile(self, source: Path, output: Path, *more: str) -> None:
        """Build one program or library against that runtime."""
        flags = f"-std=c++17 -O0 -g1 -fPIC -fno-omit-frame-pointer -fsanitize={self.sanitizer}"
        link = [f"-L{self.folder}", "-ltvm_ffi", f"-Wl,-rpath,{self.folder}", "-pthread"]
        include = f"-I{ROOT / 'include'}"
        recover = "-fno-sanitize-recover=all"
        checked(["g++", *flags.split(), recover, include, *more, source, "-o", output, *link])

    def run(self, source: Path) -> tuple[int, str, list[str]]:
        """Build a test file and run its tests; return how many ran, the failures and the skips."""
        subject = source.stem.removeprefix("test_")
        skipped = SKIPPED[self.sanitizer]
        if source.name in skipped:
            return 0, "", [f"{source.name}: {skipped[source.name]}"]
        unchecked = UNCHECKED.get(source.name, ())[:1]
        names = EXPORT.findall(source.read_text())
        left_out = [name for name in names if f"{source.name}::{name}" in skipped]
        wanted = [name for name in names if name not in left_out]
        try:
            for each in [*TESTS.glob(f"{subject}_library.cc"), source]:
                self.compile(each, self.folder / f"{each.stem}.so", "-shared", *unchecked)
        except subprocess.CalledProcessError as error:
            return 0, f"== {source.name}\n{error.stderr}", []
        # Disable address randomization: ThreadSanitizer supports only the usual addresses.
        command = ["setarch", "-R", self.folder / "run_tests", self.folder / f"{source.stem}.so"]
        done = subprocess.run(
            [str(word) for word in (*command, *wanted)],
            capture_output=True,
            text=True,
            check=False,
            errors="replace",
            env={**os.environ, **OPTIONS},
        )
        said = "" if done.returncode == 0 else f"== {source.name}\n{done.stdout}{done.stderr}"
        reasons = [
            f"{source.name}::{name}: {skipped[f'{source.name}::{name}']}" for name in left_out
        ]
        reasons += [f"{source.name}: {': '.join(UNCHECKED[source.name])}"] if unchecked else []
        return len(wanted), said, reasons


def checked(command: list[object]) -> None:
    """Run a command that must succeed."""
    subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)


def main() -> int:
    """Build and run; return 1 if anything was found."""
    wanted = sys.argv[1:]
    begun = time.monotonic()
    sources = [
        path
        for path in sorted(TESTS.glob("test_*.cc"))
        if not wanted or any(part in path.name for part in wanted)
    ]
    threaded = [path for path in sources if THREADS.search(path.read_text())]
    found = False
    for sanitizer, files in {"address,undefined": sources, "thread": threaded}.items():
        build = Build(sanitizer)
        try:
            build.make_runtime()
            build.compile(TESTS / "run_tests.cc", build.folder / "run_tests")
        except subprocess.CalledProcessError as error:
            print(f"{sanitizer}: {error}\n{error.stdout}{error.stderr}")
            return 1
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(build.run, files))
        for _, said, _ in results:
            if said:
                found = True
                print(said[:6000], end="\n\n")
        for _, _, left_out in results:
            for reason in left_out:
                print(f"left out: {reason}")
        ran = sum(count for count, _, _ in results)
        failed = sum(bool(said) for _, said, _ in results)
        print(f"{sanitizer}: {ran} tests of {len(files)} files ran; {failed} files failed")
    print(f"{time.monotonic() - begun:.0f} s")
    return found


if __name__ == "__main__":
    sys.exit(main())
