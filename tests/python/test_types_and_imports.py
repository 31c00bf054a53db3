# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""A type whose definition imports a module that another thread is importing.

The module defines a type too. If one thread held a lock while waiting for the other's import,
both would wait forever.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

MEETING = """
import threading

begun, reached = threading.Event(), threading.Event()
"""
# The module imported by the thread.
MODULE = """
import meeting
from tvm_ffi import Object
from tvm_ffi.dataclasses import py_class

meeting.begun.set()
meeting.reached.wait(10)

@py_class("types_and_imports.Made")
class Made(Object):
    a: int
"""
START = """
import importlib
import threading
import time

import meeting
from tvm_ffi import Object, dataclasses
from tvm_ffi.dataclasses import Enum, auto, fields, py_class

def made():
    meeting.reached.set()
    time.sleep(0.2)  # the thread gets to the class meanwhile
    return importlib.import_module("module").Made

thread = threading.Thread(target=importlib.import_module, args=["module"])
thread.start()
meeting.begun.wait(10)
"""


def finish(folder: Path, define: str) -> None:
    """Run a program that defines a type while the thread imports the module; it must finish."""
    (folder / "meeting.py").write_text(MEETING)
    (folder / "module.py").write_text(MODULE)
    program = f"{START}{textwrap.dedent(define)}thread.join()\n"
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, timeout=60)


def test_annotation(tmp_path: Path) -> None:
    """Evaluating the text of an annotation imports the module."""
    finish(
        tmp_path,
        """
        @py_class("types_and_imports.Importer")
        class Importer(Object):
            field: "made()"

        assert fields(Importer)[0].type.__name__ == "Made"
        """,
    )


def test_default_factory(tmp_path: Path) -> None:
    """A default factory imports the module, for an instance of an enumeration."""
    finish(
        tmp_path,
        """
        class Importer(Enum, type_key="types_and_imports.Importer"):
            field: int = dataclasses.field(default_factory=lambda: made()(3).a)
            first = auto()

        assert Importer.first.field == 3
        """,
    )
