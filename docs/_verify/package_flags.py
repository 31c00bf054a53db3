# SPDX-License-Identifier: Apache-2.0
"""The flags of a compiler, as ``tvm-ffi-config`` of the running Python's package says them."""

import functools
import os
import subprocess
import sys


@functools.cache
def flags(*options: str) -> str:
    """Give the answers to some options, in one line.

    ``SYSTEM_HEADERS=1`` has compilers keep their warnings of the headers to themselves.
    """
    command = [sys.executable, "-m", "tvm_ffi.config", *options]
    told = " ".join(subprocess.check_output(command, text=True).split("\n")).strip()
    return told.replace("-I", "-isystem ") if os.environ.get("SYSTEM_HEADERS") else told


def rpath() -> str:
    """Let a program find libtvm_ffi, which a Python process has loaded."""
    return f"-Wl,-rpath,{flags('--libdir')}"
