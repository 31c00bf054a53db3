# SPDX-License-Identifier: Apache-2.0
"""Imported by Dask workers: a plugin that loads the library, and a task that calls it."""

# [plugin.begin]
import os
from pathlib import Path

import numpy as np
import tvm_ffi
from distributed import WorkerPlugin, get_worker


class Kernels(WorkerPlugin):
    """Loads the library in each worker process, before any task runs there."""

    name = "kernels"

    def __init__(self, path: Path) -> None:
        """Keep the path, which is sent to the workers; the module is not."""
        self.path = str(path)

    def setup(self, worker) -> None:
        """Load the library once."""
        worker.kernels = tvm_ffi.load_module(self.path)


# [plugin.end]


# [task.begin]
def relu_squared(x: np.ndarray) -> tuple[np.ndarray, tuple[int, int]]:
    """Return max(x, 0) ** 2, and the process and the module that computed it."""
    if x.ctypes.data % x.itemsize:  # received at a misaligned address
        x = x.copy()
    y = np.empty_like(x)
    kernels = get_worker().kernels
    kernels.relu_squared(x, y)
    return y, (os.getpid(), id(kernels))


# [task.end]
