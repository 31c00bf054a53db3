# SPDX-License-Identifier: Apache-2.0
"""A library is loaded of which only the first half was copied."""

import pathlib
import tempfile

import tvm_ffi

whole = pathlib.Path(tvm_ffi.libinfo.find_libtvm_ffi()).read_bytes()
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "half.so")
    path.write_bytes(whole[: len(whole) // 2])
    tvm_ffi.load_module(str(path))
