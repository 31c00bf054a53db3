# SPDX-License-Identifier: Apache-2.0
"""Stand in for PyTorch: the runner asks it for a GPU, and a test can pretend that there is one."""

import os


class version:
    """The part of PyTorch's module of that name that the runner reads."""

    cuda = "0.1"


class autograd:
    """The part of PyTorch's module of that name that the doctests' runner calls."""

    multithreading = True

    @classmethod
    def set_multithreading_enabled(cls, mode):
        """Tell whether other threads compute the gradients of a GPU's tensors."""
        cls.multithreading = mode


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
