# SPDX-License-Identifier: Apache-2.0
"""The programs that builds use: compilers, nvcc with its libraries, and Ninja."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache

# Without a GPU or a setting: architectures that most current GPUs run, and PTX for future ones.
DEFAULT_ARCHITECTURES = ("8.0", "9.0+PTX")

# Environment variables that change a compiler's output for the same command.
VARIABLES = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "NVCC_APPEND_FLAGS",
    "NVCC_PREPEND_FLAGS",
)


def c_compiler() -> list[str]:
    """Return the command of the C compiler: ``$CC`` or ``cc``."""
    return _command("CC", "cc", "a C compiler")


def cpp_compiler() -> list[str]:
    """Return the command of the C++ compiler: ``$CXX`` or ``c++``."""
    return _command("CXX", "c++", "a C++ compiler")


def _command(variable: str, default: str, what: str) -> list[str]:
    command = shlex.split(os.environ.get(variable) or default)
    if not command or not shutil.which(command[0]):
        name = command[0] if command else ""
        raise RuntimeError(
            f"tvm_ffi.cpp: expected {what}, found no program {name!r}: install one, or name it "
            f"by {variable}"
        )
    # The command runs in another folder.
    program = os.path.abspath(command[0]) if os.sep in command[0] else command[0]
    return [program, *command[1:]]


def cuda_compiler() -> list[str]:
    """Return the command of ``nvcc``.

    It is ``$NVCC``, or the one in ``$CUDA_HOME`` or ``$CUDA_PATH``, or the first on the path or in
    the wheels ``nvidia-cuda-nvcc`` and so on, which install it next to the Python packages.
    """
    if os.environ.get("NVCC"):
        return _command("NVCC", "nvcc", "a CUDA compiler")
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if home := os.environ.get(variable):
            if found := shutil.which(os.path.join(home, "bin", "nvcc")):
                return [found]
            raise RuntimeError(f"tvm_ffi.cpp: expected a CUDA toolkit in {variable}, got {home!r}")
    wheels = (os.path.join(folder, "nvidia", "cu13", "bin", "nvcc") for folder in sys.path)
    for candidate in ("nvcc", *wheels):
        if found := shutil.which(candidate):
            return [found]
    raise RuntimeError(
        "tvm_ffi.cpp: expected a CUDA compiler, found no nvcc: install the CUDA toolkit, set "
        "CUDA_HOME, or pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt "
        "nvidia-cuda-runtime nvidia-cuda-cccl"
    )


def has_cuda() -> bool:
    """Whether ``nvcc`` is available, with its headers and libraries."""
    try:
        return bool(cuda_compiler())
    except RuntimeError:
        return False


def cuda_library_folders(nvcc: str) -> list[str]:
    """Return a toolkit's library folders."""
    return _toolkit_folders(nvcc, "LIBRARIES", "-L", ("lib64", "lib"))


def cuda_header_folders(nvcc: str) -> list[str]:
    """Return a toolkit's header folders."""
    return _toolkit_folders(nvcc, "INCLUDES", "-I", ("include",))


@cache
def _toolkit_folders(nvcc: str, variable: str, flag: str, names: tuple[str, ...]) -> list[str]:
    """Ask ``nvcc`` where its toolkit is, which its own path may not reveal."""
    done = subprocess.run(
        [nvcc, "--dryrun", "-x", "cu", os.devnull], capture_output=True, text=True, check=False
    )
    said = re.search(rf"^#\$ {variable}=(.*)$", done.stderr, re.MULTILINE)
    words = shlex.split(said.group(1)) if said else []
    folders = [word[2:] for word in words if word[:2] == flag]
    here = re.search(r"^#\$ _HERE_=(.*)$", done.stderr, re.MULTILINE)
    top = os.path.dirname(here.group(1) if here else os.path.dirname(os.path.realpath(nvcc)))
    folders += [os.path.join(top, name) for name in names]
    return list(dict.fromkeys(os.path.normpath(path) for path in folders if os.path.isdir(path)))


def architecture_flags() -> list[str]:
    """Return nvcc's flags for the GPUs to build for.

    These are ``$TVM_FFI_CUDA_ARCH_LIST``, such as ``"8.0 9.0+PTX"``, or this machine's GPUs, or a
    set that most GPUs can run.
    """
    given = os.environ.get("TVM_FFI_CUDA_ARCH_LIST", "")
    names = [name for name in re.split(r"[\s;,]+", given) if name] or gpu_architectures()
    flags = []
    for name in names or DEFAULT_ARCHITECTURES:
        found = re.fullmatch(r"(\d+)\.(\d+[af]?)(\+PTX)?", name)
        if not found:
            raise ValueError(
                "tvm_ffi.cpp: TVM_FFI_CUDA_ARCH_LIST: expected architectures such as "
                f'"8.0 9.0+PTX", got {name!r}'
            )
        number = found.group(1) + found.group(2)
        flags.append(f"-gencode=arch=compute_{number},code=sm_{number}")
        if found.group(3):
            flags.append(f"-gencode=arch=compute_{number},code=compute_{number}")
    return flags


@cache
def gpu_architectures() -> tuple[str, ...]:
    """Ask the driver for the architectures of this machine's GPUs."""
    command = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ()
    return tuple(sorted(set(re.findall(r"^\d+\.\d+$", done.stdout, re.MULTILINE))))


def version(command: list[str]) -> str:
    """Return a compiler's version text, which is cached until the program changes."""
    path = shutil.which(command[0]) or command[0]
    return _version(tuple(command), os.stat(path).st_mtime_ns)


@cache
def _version(command: tuple[str, ...], modified: int) -> str:
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return done.stdout


def find_ninja() -> str:
    """Find Ninja: on the path, next to this Python, or in the package of that name."""
    beside = os.path.join(os.path.dirname(sys.executable), "ninja")
    for candidate in ("ninja", beside):
        if found := shutil.which(candidate):
            return found
    try:
        import ninja  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise RuntimeError(
            "tvm_ffi.cpp: expected the build tool Ninja, found none: pip install ninja"
        ) from None
    return os.path.join(ninja.BIN_DIR, "ninja")
