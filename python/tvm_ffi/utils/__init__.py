# SPDX-License-Identifier: Apache-2.0
"""Helpers for kernel packages."""

from . import kwargs_wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .lockfile import FileLock
else:

    def __getattr__(name):
        # Few programs lock files, so the imports for it are deferred.
        if name != "FileLock":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from .lockfile import FileLock

        return FileLock


__all__ = ["FileLock", "kwargs_wrapper"]
