# SPDX-License-Identifier: Apache-2.0
"""Compiler flags, as reported by ``tvm-ffi-config`` of the running Python's package."""

import functools
import os
import subprocess
import sys


@functools.cache
def flags(*options: str) -> str:
    """Return the answers to some options, on one line.

    ``SYSTEM_HEADERS=1`` suppresses compiler warnings in the headers.
    """
    command = [sys.executable, "-m", "tvm_ffi.config", *options]
    told = " ".join(subprocess.check_output(command, text=True).split("\n")).strip()
    return told.replace("-I", "-isystem ") if os.environ.get("SYSTEM_HEADERS") else told


def rpath() -> str:
    """Return the flag that lets a program find libtvm_ffi, which a Python process has loaded."""
    return f"-Wl,-rpath,{flags('--libdir')}"
