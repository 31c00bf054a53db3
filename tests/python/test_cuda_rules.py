# SPDX-License-Identifier: Apache-2.0
# Rows: R4
"""CUDA rules stated in the documentation; all tests are skipped without a GPU."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from .conftest import torch

pytestmark = pytest.mark.skipif(
    torch is None or not torch.cuda.is_available(), reason="needs a GPU and PyTorch for it"
)

# Driver attributes: CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, and so on.
MOST_BLOCKS = {"x": 5, "y": 6, "z": 7}
# Runs in a separate process because an error spoils the capture.
SYNCHRONIZE = """
import os, torch
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    torch.cuda.CUDAGraph().capture_begin()
    try:
        stream.synchronize()
    except RuntimeError as error:
        print(error, flush=True)
os._exit(0)
"""


def test_blocks_of_a_grid() -> None:
    """Only the x dimension of a grid can be large."""
    driver = ctypes.CDLL("libcuda.so.1")
    assert driver.cuInit(0) == 0
    most = {}
    for name, attribute in MOST_BLOCKS.items():
        value = ctypes.c_int()
        assert driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0) == 0
        most[name] = value.value
    assert most == {"x": 2**31 - 1, "y": 65_535, "z": 65_535}


def test_a_captured_stream_cannot_be_waited_for() -> None:
    """Synchronizing a stream that is being captured is an error."""
    command = [sys.executable, "-c", SYNCHRONIZE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "not permitted when stream is capturing" in done.stdout, done.stderr
