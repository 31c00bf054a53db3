# SPDX-License-Identifier: Apache-2.0
"""Alternative names for files whose own names libtvm_ffi or the loader cannot read."""

from __future__ import annotations

import fcntl
import os
import re

# The dynamic loader substitutes its own folders for these.
_TOKENS = re.compile(r"\$\{?(?:ORIGIN|PLATFORM|LIB)")

# Descriptors that name files or folders, by path. They stay open, and no number is reused: to the
# loader, equal names are the same library.
_descriptors: dict[str, int] = {}
_FIRST = 64
_next = _FIRST


def is_unicode(path: str) -> bool:
    """Return whether the path can be passed to libtvm_ffi, whose strings are UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def loader_name(path: str) -> str:
    """Return a name for the file at an absolute path that the loader takes literally.

    That is the path itself, unless it is not UTF-8 or has ``$ORIGIN``, ``$PLATFORM`` or ``$LIB``.
    Then an open descriptor names the folder, or the file if its own name is not literal.
    """
    if _is_literal(path):
        return path
    folder, name = os.path.split(path)
    if _is_literal(name):
        return f"{_by_descriptor(folder)}/{name}"
    return _by_descriptor(path)


def _is_literal(path: str) -> bool:
    if path.isascii() and "$" not in path:
        return True
    return is_unicode(path) and not _TOKENS.search(path)


def _by_descriptor(path: str) -> str:
    global _next
    known = _descriptors.get(path)
    if known is None or not _is_open_on(known, path):
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            known = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, _next)
        finally:
            os.close(opened)
        _next = known + 1
        _descriptors[path] = known
    return f"/proc/self/fd/{known}"


def _is_open_on(descriptor: int, path: str) -> bool:
    """Return whether the descriptor refers to the file that the path now names."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False
