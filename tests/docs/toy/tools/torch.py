# SPDX-License-Identifier: Apache-2.0
"""Stand in for PyTorch: the runner asks it for a GPU, and a test can pretend that there is one."""

import os


class version:
    """The part of PyTorch's module of that name that the runner reads."""

    cuda = "0.1"


class cuda:
    """The part of PyTorch's module of that name that the runner calls."""

    @staticmethod
    def is_available():
        """Tell whether the test wants a GPU."""
        return "TOY_GPU" in os.environ

    @staticmethod
    def get_device_name(index):
        """Name the GPU."""
        return f"Toy {os.environ['TOY_GPU']} {index}"
