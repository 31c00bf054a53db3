# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that gives a process a distinct exit status if memory leaked.

Its Python must have loaded LeakSanitizer first.

Objects tracked by Python's garbage collector are not found: the collector's lists refer to them.
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

    No other Python function may be running: local variables are in memory that is not searched.
    """
    gc.collect()
    if ctypes.CDLL(None).__lsan_do_recoverable_leak_check():
        os._exit(LEAKED)
    if "paddle" in sys.modules:  # its destructors delete memory from new[]
        os._exit(STATUS["of the tests"])


def watch() -> None:
    """Look for leaks last of all, when no other Python function is running."""
    atexit.register(find_leaks)


def pytest_configure() -> None:
    """Watch the tests; exclude memory that JAX loses during its import."""
    sanitizer = ctypes.CDLL(None)
    sanitizer.__lsan_disable()
    with contextlib.suppress(ImportError):
        importlib.import_module("jax")
    sanitizer.__lsan_enable()
    watch()


def pytest_sessionfinish(exitstatus: int) -> None:
    """Save the status with which the process ends."""
    STATUS["of the tests"] = int(exitstatus)
