# SPDX-License-Identifier: Apache-2.0
"""Helpers that packages of kernels have in common."""

from . import kwargs_wrapper

__all__ = ["kwargs_wrapper"]
