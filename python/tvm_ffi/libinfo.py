# SPDX-License-Identifier: Apache-2.0
"""Where the package keeps what a compiler needs."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def find_include_path() -> str:
    """Give the folder of the headers, ``tvm/ffi/`` and ``dlpack/``."""
    return _find("include")


def find_library_path() -> str:
    """Give the folder of ``libtvm_ffi.so``."""
    return _find("lib")


def find_cmake_path() -> str:
    """Give the folder for CMake's ``tvm_ffi_ROOT``."""
    return _find("share", "cmake", "tvm_ffi")


def _find(*parts: str) -> str:
    folder = os.path.join(_PACKAGE, *parts)
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f"libinfo: expected the folder {folder}, got none; reinstall tvm_ffi"
        )
    return folder
