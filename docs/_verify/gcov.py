# SPDX-License-Identifier: Apache-2.0
"""Compile C and C++ so that gcov counts how often each line runs, and read the counts.

A script replaces the compilers that a run starts by name and adds the flags; see
``trace/compile.sh``. Without optimization, each line keeps its own machine code.
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
    """Return the names of compilers that a run may start and that are found on the path.

    scikit-build-core prefers those of Python's configuration. Debian's has x86_64-linux-gnu-g++.
    """
    commands = [sysconfig.get_config_var(name) or "" for name in ("CC", "CXX")]
    configured = (word for command in commands for word in command.split()[:1])
    names = {"c++", "cc", "g++", "gcc", *configured}
    return {name for name in names if "/" not in name and shutil.which(name, path=path)}


def path_with_script(folder: Path, path: str) -> str:
    """Return a search path with the script in place of the compilers; it writes to the folder."""
    programs = folder / "bin"
    programs.mkdir()
    for name in compilers(path):
        (programs / name).symlink_to(SCRIPT)
    return os.pathsep.join([str(programs), path])


def counts(folder: Path) -> Iterator[tuple[Path, str, dict[int, int]]]:
    """Yield how often the lines of each file ran, for each library and program that ended.

    Each source has its SHA-256 from when it was compiled: a test may rewrite it later.
    """
    written = sorted(folder.glob("*.gcda"))
    if not written:
        return
    # Use the compiler's own gcov; another version cannot read its output.
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
    """Return the SHA-256 of each source that a command compiled, by file name."""
    lines = record.read_text(errors="replace").splitlines() if record.exists() else []
    return {Path(line[66:]).name: line[:64] for line in lines}


def refused(folder: Path) -> set[Path]:
    """Return the sources in commands that a compiler refused."""
    found = set()
    for path in folder.glob("*.refused"):
        where, *words = path.read_text(errors="replace").splitlines()
        found |= {Path(where, word) for word in words if Path(word).suffix in COUNTED}
    return found
