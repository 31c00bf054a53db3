# SPDX-License-Identifier: Apache-2.0
"""A stand-in for PyTorch: the runner queries it for a GPU, which a test can simulate."""

import os


class version:
    """The part of PyTorch's module of that name that the runner reads."""

    cuda = "0.1"


class autograd:
    """The part of PyTorch's module of that name that the doctest runner calls."""

    multithreading = True

    @classmethod
    def set_multithreading_enabled(cls, mode):
        """Set whether other threads compute the gradients of GPU tensors."""
        cls.multithreading = mode


class cuda:
    """The part of PyTorch's module of that name that the runner calls."""

    @staticmethod
    def is_available():
        """Return whether the test requests a GPU."""
        return "TOY_GPU" in os.environ

    @staticmethod
    def get_device_name(index):
        """Return the GPU's name."""
        return f"Toy {os.environ['TOY_GPU']} {index}"
