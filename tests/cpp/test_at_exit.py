# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R5
"""What is still there when the process ends."""

import shlex
import subprocess
import sys
from pathlib import Path

from tvm_ffi import config

HERE = Path(__file__).resolve().parent
# Calls a function of a library and drops the module.
CALL = """
import gc, sys, tvm_ffi
library, function, *arguments = sys.argv[1:]
module = tvm_ffi.load_module(library, keep_module_alive=False)
module[function](*arguments)
del module
gc.collect()
print("loaded" if library in open("/proc/self/maps").read() else "unloaded")
"""


def call(folder: Path, name: str, *arguments: str) -> tuple[int, str, str]:
    """Build a library and call a function of it in a process of its own."""
    library = folder / f"{name}.so"
    flags = f"{config.cxxflags()} {HERE / name}.cc -o {library} {config.ldflags()} -ltvm_ffi"
    subprocess.run(shlex.split(f"g++ -shared -fPIC {flags}"), check=True)
    command = [sys.executable, "-c", CALL, str(library), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_static_tensor_keeps_its_library(tmp_path):
    """A tensor in a static variable of its own library keeps that loaded until the process ends.

    Then it is freed by code that is still there.
    """
    told = call(tmp_path, "allocation_library", "keep")
    assert told == (0, "loaded\n", "freed by its library\n")


def test_stored_values_are_not_freed(tmp_path):
    """What is in the store when the process ends is left as it is."""
    assert call(tmp_path, "storage_library", "store_tensor", "key") == (0, "loaded\n", "")
