# SPDX-License-Identifier: Apache-2.0
"""Helpers that packages of kernels have in common."""

from . import kwargs_wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .lockfile import FileLock
else:

    def __getattr__(name):
        # Few programs lock files, and what that needs is not imported for the others.
        if name != "FileLock":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from .lockfile import FileLock

        return FileLock


__all__ = ["FileLock", "kwargs_wrapper"]
