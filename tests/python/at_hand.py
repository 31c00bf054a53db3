# SPDX-License-Identifier: Apache-2.0
"""Tensor frameworks, imported only by the tests that need them: some take seconds to import."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import pytest

PRODUCTS = {"torch": "PyTorch", "jax": "JAX", "paddle": "PaddlePaddle", "cupy": "CuPy"}


def framework(name: str) -> Any:
    """Import a framework, or skip the test if it is unavailable."""
    try:
        with warnings.catch_warnings():
            # PaddlePaddle warns when it finds no compiler cache.
            warnings.simplefilter("ignore")
            module = import_module(name)
            if name == "jax":
                module.numpy.zeros(1)  # initializes the devices, which may warn
    except ImportError:
        pytest.skip(f"{PRODUCTS[name]} is not installed")
    if name == "cupy" and not has_gpu(module):
        pytest.skip("CuPy needs a GPU")
    return module


def has_gpu(cupy: Any) -> bool:
    """Return whether CuPy finds a GPU."""
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False
