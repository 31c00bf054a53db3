# SPDX-License-Identifier: Apache-2.0
"""Compile C and C++ so that gcov counts how often each line runs, and ask it.

A script replaces the compilers that a run starts by name and adds the flags; see
``trace/compile.sh``. Without optimization each line keeps machine code of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from .comments import C_LIKE, DEVICE_CODE
from .tools import answer

SCRIPT = Path(__file__).resolve().parent / "trace" / "compile.sh"
COUNTED = C_LIKE - DEVICE_CODE


def compilers(path: str | None = None) -> set[str]:
    """The names of compilers that a run may start and that are found on a path, or on this one's.

    scikit-build-core prefers those of Python's configuration. Debian's has x86_64-linux-gnu-g++.
    """
    commands = [sysconfig.get_config_var(name) or "" for name in ("CC", "CXX")]
    configured = (word for command in commands for word in command.split()[:1])
    names = {"c++", "cc", "g++", "gcc", *configured}
    return {name for name in names if "/" not in name and shutil.which(name, path=path)}


def path_with_script(folder: Path, path: str) -> str:
    """The search path with the script in the place of the compilers; it writes into the folder."""
    programs = folder / "bin"
    programs.mkdir()
    for name in compilers(path):
        (programs / name).symlink_to(SCRIPT)
    return os.pathsep.join([str(programs), path])


def counts(folder: Path) -> Iterator[tuple[Path, str, dict[int, int]]]:
    """How often the lines of each file ran, for each library and program that ended.

    With a source comes its SHA-256 when it was compiled: a test may write it anew after that.
    """
    written = sorted(folder.glob("*.gcda"))
    if not written:
        return
    # The one that belongs to the compiler; another version cannot read what it wrote.
    program = answer("g++", "-print-prog-name=gcov") or "gcov"
    command = [program, "--json-format", "--stdout", *(path.name for path in written)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    for report in (json.loads(line) for line in done.stdout.splitlines() if line.strip()):
        process = report["data_file"].partition("-")[0]
        compiled = hashes(folder / f"{process}.sources")
        for file in report["files"]:
            lines: dict[int, int] = defaultdict(int)
            for line in file["lines"]:
                lines[line["line_number"]] += line["count"]
            path = Path(report["current_working_directory"], file["file"])
            yield path, compiled.get(path.name, ""), dict(lines)


def hashes(record: Path) -> dict[str, str]:
    """The SHA-256 of each source that a command compiled, by the file's name."""
    lines = record.read_text(errors="replace").splitlines() if record.exists() else []
    return {Path(line[66:]).name: line[:64] for line in lines}


def refused(folder: Path) -> set[Path]:
    """The sources of the commands that a compiler refused."""
    found = set()
    for path in folder.glob("*.refused"):
        where, *words = path.read_text(errors="replace").splitlines()
        found |= {Path(where, word) for word in words if Path(word).suffix in COUNTED}
    return found
