# SPDX-License-Identifier: Apache-2.0
"""Builds of the tests of CUBINs: the fake CUDA, kernels, and libraries that launch them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from _verify.package_flags import flags
from _verify.tools import find_nvcc
from tvm_ffi.cpp import toolchain

HERE = Path(__file__).resolve().parent
CALLER = HERE / "call.py"
MODES = {"runtime": 0, "driver": 1}


def nvcc() -> str:
    """The compiler's path, or an empty string; its variables are set."""
    found = find_nvcc()
    os.environ.update(found)
    return found.get("NVCC", "")


def run(command: str, **options: object) -> None:
    """Run a command of a shell's words."""
    subprocess.run(shlex.split(command), check=True, **options)  # type: ignore[call-overload]


def cuda_headers() -> str:
    """The flags with which g++ finds cuda.h and keeps quiet about it."""
    return " ".join(f"-isystem {path}" for path in toolchain.cuda_header_folders(nvcc()))


def build_fake(folder: Path, *more: str) -> Path:
    """Build the libcuda and the libcudart without a GPU; the folder is for -L."""
    options = " ".join(["-O1 -Wall -Wextra -Werror", *more])
    common = f"g++ -std=c++17 {options} -shared -fPIC {cuda_headers()}"
    driver, runtime = folder / "libcuda.so.1", folder / "libcudart.so"
    run(f"{common} {HERE}/fake/driver.cc -Wl,-soname,libcuda.so.1 -o {driver}")
    # A library linked with it finds it by its full path.
    run(
        f"{common} {HERE}/fake/runtime.cc -Wl,-soname,{runtime} {driver} -o {runtime}"
        f" -Wl,-rpath,{folder}"
    )
    (folder / "libcuda.so").symlink_to(driver)
    return folder


def build_cubin(source: Path, output: Path, architecture: str = "sm_90") -> bytes:
    """Compile kernels for one architecture."""
    run(f"{shlex.quote(nvcc())} -cubin -arch={architecture} {source} -o {output}")
    return output.read_bytes()


def build_library(source: Path, output: Path, mode: str, fake: Path, *more: str) -> Path:
    """Build a library that calls CUDA by one of its APIs."""
    warnings = "-Wall -Wextra -Wconversion -Werror"
    build_by(flags, source, output, mode, fake, warnings, *more)
    return output


def build_by(
    ask: Callable[..., str], source: Path, output: Path, mode: str, fake: Path, *more: str
) -> None:
    """Build a library by the flags of a package, which `ask` asks for."""
    define = f"-DTVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API={MODES[mode]}"
    links = f"-L{fake} -lcudart" if mode == "runtime" else ""
    run(
        f"g++ -O1 -shared -fPIC {define} {cuda_headers()} {ask('--cxxflags')} {source}"
        f" {' '.join(more)} -o {output} {ask('--ldflags', '--libs')} {links}"
    )


def call(fake: Path | None, library: Path, *lines: str, python: str = sys.executable) -> list[str]:
    """Run lines of Python with `mod`, `log()` and `fail()` in a process; what each gave."""
    command = [python, str(CALLER), str(fake or ""), str(library), *lines]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: list[str] = json.loads(done.stdout)
    return told


def toolkit_over(fake: Path, folder: Path) -> Path:
    """Lay out a toolkit whose nvcc is the real one, and whose library is the fake runtime.

    What the package and the scripts link is then over the fake driver; give the folder.
    """
    real = nvcc()
    (headers, *_) = [
        path for path in toolchain.cuda_header_folders(real) if (Path(path) / "cuda.h").exists()
    ]
    (folder / "include").symlink_to(headers)
    (folder / "lib64").mkdir()
    # A linker script makes the static library refer to the shared one.
    for name in ("libcudart.so", "libcudart_static.a"):
        (folder / "lib64" / name).write_text(f"INPUT({fake / 'libcudart.so'})\n")
    (folder / "bin").mkdir()
    wrapper = folder / "bin" / "nvcc"
    library = shlex.quote(f's|^#\\$ LIBRARIES=|#$ LIBRARIES="-L{folder / "lib64"}" |')
    wrapper.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        f'  *--dryrun*) {real} "$@" 2>&1 | sed {library} >&2 ;;\n'
        f'  *) exec {real} "$@" ;;\n'
        "esac\n"
    )
    wrapper.chmod(0o755)
    return folder
