# SPDX-License-Identifier: Apache-2.0
"""The commands of a package, with their options, and the functions of CMake that it has."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from .names import Names, add

OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
FUNCTION = re.compile(r"^\s*(?:function|macro)\s*\(\s*(\w+)", re.MULTILINE | re.IGNORECASE)
TARGET = re.compile(r"\badd_library\s*\(\s*(tvm_ffi::\w+)", re.IGNORECASE)
# Python's argparse adds it.
EVERYWHERE = {"--help"}
# CMake writes them into every package's file.
BY_CMAKE = {"check_required_components", "set_and_check"}


def commands(python: str, scripts: list[str]) -> Names:
    """Each command, and the options that its help names."""
    names: Names = {}
    for script in scripts:
        command = [str(Path(python).with_name(script)), "--help"]
        wide = {**os.environ, "COLUMNS": "1000"}  # no option is broken at the end of a line
        done = subprocess.run(command, env=wide, capture_output=True, text=True, check=False)
        add(names, script, "command", script)
        for option in {*OPTION.findall(done.stdout)} - EVERYWHERE:
            add(names, f"{script} {option}", "option", script)
    return names


def cmake(package: Path) -> Names:
    """The functions and targets in the files that ``find_package(tvm_ffi)`` may read."""
    names: Names = {}
    folder = package / "share" / "cmake" / "tvm_ffi"
    for path in sorted(folder.rglob("*.cmake")):
        place, text = path.relative_to(folder).as_posix(), path.read_text()
        for name in FUNCTION.findall(text):
            if not name.startswith("_") and name not in BY_CMAKE:
                add(names, name, "function", place)
        for name in TARGET.findall(text):
            add(names, name, "target", place)
    return names
