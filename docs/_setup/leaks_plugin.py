# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that gives a process its own exit status if memory leaked.

Its Python must have loaded LeakSanitizer first.

What Python's garbage collector follows is not found: the lists of the collector refer to it.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import os
import sys
from pathlib import Path

SUPPRESSIONS = Path(__file__).with_name("leaks.supp")
LEAKED = 23  # the exit status


STATUS = {"of the tests": 0}


def find_leaks() -> None:
    """Look for memory that nothing refers to, and end the process if there is any.

    No function of Python but this one runs: local variables are in memory that is not searched.
    """
    gc.collect()
    if ctypes.CDLL(None).__lsan_do_recoverable_leak_check():
        os._exit(LEAKED)
    if "paddle" in sys.modules:  # its destructors delete what new[] made
        os._exit(STATUS["of the tests"])


def watch() -> None:
    """Look for leaks after all else, when no other function of Python runs."""
    atexit.register(find_leaks)


def pytest_configure() -> None:
    """Watch the tests; what JAX loses when it is imported is its own affair."""
    sanitizer = ctypes.CDLL(None)
    sanitizer.__lsan_disable()
    with contextlib.suppress(ImportError):
        importlib.import_module("jax")
    sanitizer.__lsan_enable()
    watch()


def pytest_sessionfinish(exitstatus: int) -> None:
    """Keep the status, with which the process ends."""
    STATUS["of the tests"] = int(exitstatus)
