# SPDX-License-Identifier: Apache-2.0
"""Compile everything in this repository with warnings as errors, by every compiler: compilers.py.

Nothing is linked or run. Arguments are substrings of the names of the files to compile.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _verify.tools import find_nvcc  # noqa: E402  (in the folder added above)

INCLUDE = ROOT / "include"
EXAMPLES = ROOT / "examples" / "kernel_library"
# Files in tests/snippets include it from their own folder or its parent, where a test copies it.
UTILITY_HEADER = f"-I{EXAMPLES} -I{EXAMPLES / 'scale'}"
WARNINGS = "-Wall -Wextra -Wconversion -Werror"
CPP = {"g++": "g++", "clang++": "clang++"}
C = {"gcc": "gcc", "clang": "clang"}
STANDARDS = ("17", "20")
# Folders of tests/snippets whose C++ files include CUDA headers.
WITH_CUDA = ("launch", "profiling")
C_HEADERS = ("dlpack/dlpack.h", "tvm/ffi/c_api.h", "tvm/ffi/extra/c_env_api.h")
# Combinations compiled elsewhere with the same warnings, or never with that standard.
LEFT_OUT = {
    ("C++ tests", "g++", "17"): "nox -s tests builds and runs them so",
    ("Python extension", "g++", "20"): "CMake builds it as C++17 alone",
    ("Python extension", "clang++", "20"): "CMake builds it as C++17 alone",
}
# These take two minutes with nvcc, so they are compiled only if arguments name them.
ON_REQUEST = {
    ("examples", "nvcc", "C++17"): "nox -s docs builds them so; their warnings are those of C++20",
    ("C++ tests", "nvcc", "C++17"): "they have no code for a GPU: nox -s compilers -- tests/cpp",
}
FILES_LEFT_OUT = {
    "tests/snippets/migrating/extension.cc": (
        "needs PyTorch's headers; tests/snippets/test_migrating.py builds it"
    ),
    "tests/snippets/cubin/axpy_array.cc": (
        "needs a header with a CUBIN; tests/snippets/test_cubin.py builds it"
    ),
    "tests/snippets/hip/scale_hip.cc": "needs HIP's header, or its stand-in of test_hip.py",
    "tests/snippets/hip/stand_in/runtime.cc": "tests/snippets/test_hip.py builds it",
    "tests/snippets/tile_config.cc": (
        "needs a header that gen_abi_cpp writes; tests/snippets/test_python_types.py builds it"
    ),
}
# nvcc 13.0 crashes on `auto [a, b] = x` if the elements are values with destructors, even in plain
# C++; it still compiles the headers themselves.
NVCC_LEFT_OUT = {
    "tests/cpp/test_shown_containers.cc": "nvcc 13.0 crashes on its structured bindings",
    "tests/cpp/test_tuple.cc": "nvcc 13.0 crashes on its structured bindings",
    "tests/cpp/test_kernel_utils.cc": "it tests storage types of CPU code; CUDA has its own",
    "examples/kernel_library/gemm/src/gemm_sm80.cu": (
        "CUTLASS takes half a minute; nox -s docs compiles it"
    ),
    "examples/kernel_library/gemm/src/gemm_sm90a.cu": (
        "CUTLASS takes a minute; nox -s docs compiles it"
    ),
    "examples/kernel_library/allocators/nvshmem_allocator.cu": (
        "needs NVSHMEM; tests/snippets/test_nvshmem.py builds it"
    ),
}
# Only whether the code compiles matters, so no machine code is generated.
NVCC_FLAGS = (
    "-x cu -gencode arch=compute_80,code=compute_80 -c -o /dev/null -Werror all-warnings"
    " -Xcompiler -fsyntax-only,-Wall,-Wextra,-Wconversion,-Werror"
)


@dataclass(frozen=True)
class Job:
    """One compilation; the source is a file or literal text."""

    compiler: str
    standard: str
    what: str  # its column in the table
    name: str
    command: str
    source: str | Path

    def run(self) -> str:
        """Compile; return the compiler's output if it failed, or an empty string."""
        command = shlex.split(self.command)
        with tempfile.TemporaryDirectory(prefix="compilers_") as folder:
            if isinstance(self.source, Path):
                path = self.source
            else:
                path = Path(folder) / "source.cc"
                path.write_text(self.source)
            done = subprocess.run(
                [*command, str(path)], capture_output=True, text=True, check=False, cwd=folder
            )
        # A compiler that prints anything has not passed, even with status 0.
        said = f"{done.stdout}{done.stderr}".strip()
        return said or ("" if done.returncode == 0 else f"status {done.returncode}")


def headers(cuda: bool) -> list[str]:
    """Return the public headers; those below ``cuda`` need CUDA's own."""
    found = (path.relative_to(INCLUDE) for path in sorted(INCLUDE.rglob("*.h")))
    return [path.as_posix() for path in found if cuda or "cuda" not in path.parts]


def sources(*globs: str) -> list[Path]:
    """Return the files that match the patterns, except those of the toy project."""
    found = [path for glob in globs for path in sorted(ROOT.glob(glob))]
    # Files in refused must not compile: see tests/snippets/test_refused.py.
    return [path for path in found if not {"toy", "refused"} & set(path.parts)]


def kept(found: list[Path]) -> list[Path]:
    """Return the files that are not left out."""
    return [path for path in found if path.relative_to(ROOT).as_posix() not in FILES_LEFT_OUT]


def extension_flags() -> str:
    """Return the flags that CMake adds for the Python extension; others' headers are unchecked."""
    import nanobind

    folders = [sysconfig.get_path("include"), nanobind.include_dir()]
    own = ROOT / "python" / "tvm_ffi" / "_core"
    outside = (f"-isystem {folder}" for folder in folders)
    return " ".join(["-fvisibility=hidden", f"-I{own}", *outside])


def example_flags() -> str:
    """Return the flag for XLA's headers, which an example's adapter includes and JAX ships."""
    import jax

    return f"-isystem {jax.ffi.include_dir()}"


def host_jobs(nvcc: str) -> Iterator[Job]:
    """Yield jobs for headers, library, extension, tests and examples, with g++ and clang++."""
    found = sources(
        "tests/cpp/*.cc", "tests/fuzz/*.cc", "tests/snippets/**/*.cc", "tests/benchmarks/*.cc"
    )
    tested = [path for path in kept(found) if path.parent.name not in ("cubin", *WITH_CUDA)]
    with_cuda = sources(*(f"tests/snippets/{name}/*.cc" for name in WITH_CUDA))
    groups = {
        "sources of libtvm_ffi": (sources("src/*.cc"), ""),
        "Python extension": (sources("python/tvm_ffi/_core/**/*.cc"), extension_flags()),
        "library of tvm_ffi.testing": (sources("python/tvm_ffi/testing/*.cc"), ""),
        "C++ tests": (tested, f"{UTILITY_HEADER} -isystem {sysconfig.get_path('include')}"),
        "with CUDA's headers": (with_cuda, f"{UTILITY_HEADER} {toolkit_flags(nvcc)}"),
        "examples": (sources("examples/**/*.cc"), example_flags()),
    }
    for compiler, program in CPP.items():
        for standard in STANDARDS:
            base = f"{program} -std=c++{standard} -fsyntax-only {WARNINGS} -I{INCLUDE}"
            for header in headers(cuda=False):
                text = f"#include <{header}>\n"
                yield Job(compiler, f"C++{standard}", "headers", header, base, text)
            for what, (files, more) in groups.items():
                if (what, compiler, standard) in LEFT_OUT:
                    continue
                for path in files:
                    name = path.relative_to(ROOT).as_posix()
                    yield Job(compiler, f"C++{standard}", what, name, f"{base} {more}", path)
    for compiler, program in C.items():
        base = f"{program} -std=c99 -xc -pedantic -fsyntax-only {WARNINGS} -I{INCLUDE}"
        for header in C_HEADERS:
            yield Job(compiler, "C99", "headers", header, base, f"#include <{header}>\n")
        in_c = {
            "C++ tests": sources("tests/cpp/*.c", "tests/fuzz/*.c", "tests/snippets/**/*.c"),
            "examples": sources("examples/**/*.c"),
        }
        for what, files in in_c.items():
            for path in files:
                yield Job(compiler, "C99", what, path.relative_to(ROOT).as_posix(), base, path)


@functools.cache
def toolkit_flags(nvcc: str) -> str:
    """Return flags that make CUDA's headers system headers: g++ warns about some in nvcc 13.5."""
    done = subprocess.run([nvcc, "--dryrun", "any.cu"], capture_output=True, text=True, check=False)
    included = re.findall(r'^#\$ INCLUDES="(.*?)"', done.stderr, re.MULTILINE)
    folders = [word.removeprefix("-I") for text in included for word in text.split()]
    return " ".join(f"-isystem {folder}" for folder in folders)


def cuda_jobs(nvcc: str) -> Iterator[Job]:
    """Yield jobs for all headers at once, tests and examples, with nvcc and its host g++."""
    own = f"{NVCC_FLAGS} {toolkit_flags(nvcc)} -I{INCLUDE}"
    for standard in STANDARDS:
        base = f"{nvcc} -std=c++{standard} {own}"
        text = "".join(f"#include <{header}>\n" for header in headers(cuda=True))
        yield Job("nvcc", f"C++{standard}", "headers", "all headers", base, text)
        for path in sources("examples/**/*.cu", "tests/benchmarks/*.cu"):
            name = path.relative_to(ROOT).as_posix()
            if name not in NVCC_LEFT_OUT:
                yield Job("nvcc", f"C++{standard}", "examples", name, base, path)
    # 177: nvcc reports as unused what a macro defined for a class in an unnamed namespace.
    base = f"{nvcc} -std=c++17 -diag-suppress 177 {own}"
    for path in sources("tests/cpp/*.cc"):
        name = path.relative_to(ROOT).as_posix()
        if name not in NVCC_LEFT_OUT:
            yield Job("nvcc", "C++17", "C++ tests", name, base, path)


def launcher_jobs(nvcc: str) -> Iterator[Job]:
    """Yield jobs for the CUBIN launchers, with each CUDA API, and for their tests' fake driver."""
    found = kept(sources("tests/cubin/**/*.cc", "tests/snippets/cubin/*.cc"))
    for compiler, program in CPP.items():
        for standard in STANDARDS:
            for path in found:
                for api in (0, 1):
                    define = f"-DTVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API={api}"
                    command = f"{program} -std=c++{standard} -fsyntax-only {WARNINGS} {define}"
                    command += f" {toolkit_flags(nvcc)} -I{INCLUDE}"
                    name = path.relative_to(ROOT).as_posix()
                    yield Job(compiler, f"C++{standard}", "CUBIN launchers", name, command, path)


def table(jobs: list[Job]) -> str:
    """Tabulate how many files each compiler compiled, by standard and kind of file."""
    kinds = list(dict.fromkeys(job.what for job in jobs))
    lines = [["compiler", "standard", *kinds]]
    for compiler, standard in dict.fromkeys((job.compiler, job.standard) for job in jobs):
        of = [job.what for job in jobs if (job.compiler, job.standard) == (compiler, standard)]
        lines.append([compiler, standard, *[str(of.count(kind) or "") for kind in kinds]])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    return "\n".join(rows)


def main() -> int:
    """Run every job whose name contains one of the arguments; return 1 if any failed."""
    wanted = sys.argv[1:]
    nvcc = find_nvcc()
    os.environ.update(nvcc)
    # The slowest first.
    jobs = [*cuda_jobs(nvcc["NVCC"]), *launcher_jobs(nvcc["NVCC"]), *host_jobs(nvcc["NVCC"])]
    if wanted:
        jobs = [job for job in jobs if any(part in job.name for part in wanted)]
    else:
        jobs = [job for job in jobs if (job.what, job.compiler, job.standard) not in ON_REQUEST]
    if not jobs:
        print(f"expected names of files, got {' '.join(wanted)}")
        return 1
    begun = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(Job.run, jobs))
    failed = [(job, words) for job, words in zip(jobs, said, strict=True) if words]
    for job, words in failed:
        print(f"== {job.compiler} {job.standard}: {job.name}\n{words[:2000]}\n")
    print(table(jobs))
    for (what, compiler, standard), reason in LEFT_OUT.items():
        print(f"left out: {what} by {compiler} as C++{standard}: {reason}")
    if not wanted:
        for (what, compiler, standard), reason in ON_REQUEST.items():
            print(f"left out: {what} by {compiler} as {standard}: {reason}")
    for name, reason in FILES_LEFT_OUT.items():
        print(f"left out: {name}: {reason}")
    for name, reason in NVCC_LEFT_OUT.items():
        print(f"left out: {name} by nvcc: {reason}")
    print(f"{len(jobs) - len(failed)} of {len(jobs)} compiled", end=" ")
    print(f"without a warning, in {time.monotonic() - begun:.0f} s")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
