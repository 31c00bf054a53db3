# SPDX-License-Identifier: Apache-2.0
"""The command ``tvm-ffi-config``: flags and paths for a compiler's command line."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence

from . import libinfo


def cflags() -> str:
    """Return the flags that compile C sources."""
    return _flag("-I", libinfo.find_include_path())


def cxxflags() -> str:
    """Return the flags that compile C++ and CUDA sources."""
    return f"{cflags()} -std=c++17"


def ldflags() -> str:
    """Return the flags that find the library.

    They set no run path: Python loads ``libtvm_ffi.so`` before it loads a kernel library.
    """
    return _flag("-L", libinfo.find_library_path())


def _flag(option: str, path: str) -> str:
    """Return a flag with a path, quoted for ``eval`` if ``$(tvm-ffi-config)`` would split it."""
    flag = option + path
    return shlex.quote(flag) if set(flag) & set(" \t\n*?[") else flag


_ANSWERS = {
    "includedir": (libinfo.find_include_path, "the folder of the headers"),
    "dlpack-includedir": (libinfo.find_dlpack_include_path, "the folder of DLPack's header"),
    "libdir": (libinfo.find_library_path, "the folder of libtvm_ffi.so"),
    "libfiles": (libinfo.find_libtvm_ffi, "the path of libtvm_ffi.so"),
    "cmakedir": (libinfo.find_cmake_path, "the folder for CMake's tvm_ffi_ROOT"),
    "cflags": (cflags, "flags that compile C sources"),
    "cxxflags": (cxxflags, "flags that compile C++ and CUDA sources"),
    "ldflags": (ldflags, "flags that find the library"),
    "libs": (lambda: "-ltvm_ffi", "the library to link"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the answer to each option, in the order given, on one line."""
    parser = argparse.ArgumentParser(
        prog="tvm-ffi-config", description="Print what a compiler needs to build a kernel library."
    )
    for name, (_, meaning) in _ANSWERS.items():
        parser.add_argument(
            f"--{name}", dest="wanted", action="append_const", const=name, help=f"print {meaning}"
        )
    wanted = parser.parse_args(arguments).wanted
    if not wanted:
        parser.error("expected at least one option")
    try:
        print(" ".join(_ANSWERS[name][0]() for name in wanted))
    except OSError as error:  # a folder is missing, or the output cannot be written
        sys.exit(f"tvm-ffi-config: {error}")


if __name__ == "__main__":
    main()
