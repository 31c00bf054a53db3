# SPDX-License-Identifier: Apache-2.0
"""Compile everything in this repository with warnings as errors, by every compiler: compilers.py.

Nothing is linked or run. Arguments are parts of the names of the files to compile.
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

from _verify.tools import find_nvcc  # noqa: E402  (below the folder that was just named)

INCLUDE = ROOT / "include"
EXAMPLES = ROOT / "examples" / "kernel_library"
# Those of tests/snippets include it from their own folder or its parent, where a test puts it.
UTILITY_HEADER = f"-I{EXAMPLES} -I{EXAMPLES / 'scale'}"
WARNINGS = "-Wall -Wextra -Wconversion -Werror"
CPP = {"g++": "g++", "clang++": "clang++"}
C = {"gcc": "gcc", "clang": "clang"}
STANDARDS = ("17", "20")
# Folders of tests/snippets whose C++ files include CUDA's headers.
WITH_CUDA = ("launch", "profiling")
C_HEADERS = ("dlpack/dlpack.h", "tvm/ffi/c_api.h", "tvm/ffi/extra/c_env_api.h")
# What others compile with the same warnings, or never as that standard.
LEFT_OUT = {
    ("C++ tests", "g++", "17"): "nox -s tests builds and runs them so",
    ("Python extension", "g++", "20"): "CMake builds it as C++17 alone",
    ("Python extension", "clang++", "20"): "CMake builds it as C++17 alone",
}
# By nvcc they take two minutes: compiled where arguments name them.
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
    "tests/snippets/tile_config.cc": (
        "needs a header that gen_abi_cpp writes; tests/snippets/test_python_types.py builds it"
    ),
}
# nvcc 13.0 ends itself over `auto [a, b] = x` where the parts are values with destructors, in plain
# C++ too; the headers themselves are compiled by it.
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
# What is asked here is whether the code compiles, not for what: no machine code is made.
NVCC_FLAGS = (
    "-x cu -gencode arch=compute_80,code=compute_80 -c -o /dev/null -Werror all-warnings"
    " -Xcompiler -fsyntax-only,-Wall,-Wextra,-Wconversion,-Werror"
)


@dataclass(frozen=True)
class Job:
    """One compilation; the source comes from a file, or is the text given."""

    compiler: str
    standard: str
    what: str  # the column of the table that it counts in
    name: str
    command: str
    source: str | Path

    def run(self) -> str:
        """Compile; the compiler's words if it failed, else an empty string."""
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
        # A compiler that grumbles and still says 0 has not passed either.
        said = f"{done.stdout}{done.stderr}".strip()
        return said or ("" if done.returncode == 0 else f"status {done.returncode}")


def headers(cuda: bool) -> list[str]:
    """The public headers; those below ``cuda`` need CUDA's own."""
    found = (path.relative_to(INCLUDE) for path in sorted(INCLUDE.rglob("*.h")))
    return [path.as_posix() for path in found if cuda or "cuda" not in path.parts]


def sources(*globs: str) -> list[Path]:
    """The files that the patterns match, but not those of the toy project."""
    found = [path for glob in globs for path in sorted(ROOT.glob(glob))]
    # The last are there to be refused: tests/snippets/test_refused.py.
    return [path for path in found if not {"toy", "refused"} & set(path.parts)]


def kept(found: list[Path]) -> list[Path]:
    """The files that are not left out."""
    return [path for path in found if path.relative_to(ROOT).as_posix() not in FILES_LEFT_OUT]


def extension_flags() -> str:
    """What CMake adds for the Python extension; others' headers are no matter of ours."""
    import nanobind

    folders = [sysconfig.get_path("include"), nanobind.include_dir()]
    own = ROOT / "python" / "tvm_ffi" / "_core"
    outside = (f"-isystem {folder}" for folder in folders)
    return " ".join(["-fvisibility=hidden", f"-I{own}", *outside])


def example_flags() -> str:
    """Where an example's adapter finds XLA's headers, which come with JAX."""
    import jax

    return f"-isystem {jax.ffi.include_dir()}"


def host_jobs(nvcc: str) -> Iterator[Job]:
    """Headers, the library, the extension, tests and examples, by g++ and clang++."""
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
    """Make CUDA's own headers system headers: g++ warns of some in nvcc 13.5."""
    done = subprocess.run([nvcc, "--dryrun", "any.cu"], capture_output=True, text=True, check=False)
    included = re.findall(r'^#\$ INCLUDES="(.*?)"', done.stderr, re.MULTILINE)
    folders = [word.removeprefix("-I") for text in included for word in text.split()]
    return " ".join(f"-isystem {folder}" for folder in folders)


def cuda_jobs(nvcc: str) -> Iterator[Job]:
    """All headers at once, tests and examples, by nvcc and by g++ behind it."""
    own = f"{NVCC_FLAGS} {toolkit_flags(nvcc)} -I{INCLUDE}"
    for standard in STANDARDS:
        base = f"{nvcc} -std=c++{standard} {own}"
        text = "".join(f"#include <{header}>\n" for header in headers(cuda=True))
        yield Job("nvcc", f"C++{standard}", "headers", "all headers", base, text)
        for path in sources("examples/**/*.cu", "tests/benchmarks/*.cu"):
            name = path.relative_to(ROOT).as_posix()
            if name not in NVCC_LEFT_OUT:
                yield Job("nvcc", f"C++{standard}", "examples", name, base, path)
    # 177: nvcc calls unused what a macro defined for a class in an unnamed namespace.
    base = f"{nvcc} -std=c++17 -diag-suppress 177 {own}"
    for path in sources("tests/cpp/*.cc"):
        name = path.relative_to(ROOT).as_posix()
        if name not in NVCC_LEFT_OUT:
            yield Job("nvcc", "C++17", "C++ tests", name, base, path)


def launcher_jobs(nvcc: str) -> Iterator[Job]:
    """What launches CUBINs, by each of CUDA's APIs, and the fake driver of its tests."""
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
    """How many files each compiler took, by its standard and what they are."""
    kinds = list(dict.fromkeys(job.what for job in jobs))
    lines = [["compiler", "standard", *kinds]]
    for compiler, standard in dict.fromkeys((job.compiler, job.standard) for job in jobs):
        of = [job.what for job in jobs if (job.compiler, job.standard) == (compiler, standard)]
        lines.append([compiler, standard, *[str(of.count(kind) or "") for kind in kinds]])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    return "\n".join(rows)


def main() -> int:
    """Run every job whose name holds one of the arguments; 1 if one of them failed."""
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
