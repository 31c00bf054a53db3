# SPDX-License-Identifier: Apache-2.0
# Rows: R2
"""Tensors that are still there when the process ends."""

import shlex
import subprocess
import sys
from pathlib import Path

from tvm_ffi import config

SOURCE = Path(__file__).with_name("allocation_library.cc")
KEEP = """
import gc, sys, tvm_ffi
module = tvm_ffi.load_module(sys.argv[1], keep_module_alive=False)
module.keep()
del module
gc.collect()
print("loaded" if sys.argv[1] in open("/proc/self/maps").read() else "unloaded")
"""


def test_static_tensor_keeps_its_library(tmp_path):
    """A tensor in a static variable of its own library keeps that loaded until the process ends.

    Then it is freed by code that is still there.
    """
    library = tmp_path / "allocation_library.so"
    flags = f"{config.cxxflags()} {SOURCE} -o {library} {config.ldflags()} -ltvm_ffi"
    subprocess.run(shlex.split(f"g++ -shared -fPIC {flags}"), check=True)
    command = [sys.executable, "-c", KEEP, str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "loaded\n", "freed by its library\n")
