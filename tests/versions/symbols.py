# SPDX-License-Identifier: Apache-2.0
"""The runtime's C functions that a library imports, and those that a release exports."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

C_FUNCTION = re.compile(r"TVMFFI\w+")


def listed(library: Path, which: str) -> dict[str, str]:
    """Return the C functions among a library's dynamic symbols, with nm's letter for each kind."""
    command = ["nm", "-D", "--format=posix", which, str(library)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in said.splitlines()]
    return {line[0]: line[1] for line in lines if C_FUNCTION.fullmatch(line[0])}


def imported(library: Path) -> set[str]:
    """Return the C functions that a library requires from the runtime; weak ones are optional."""
    return {name for name, kind in listed(library, "--undefined-only").items() if kind == "U"}


def exported(runtime: Path) -> set[str]:
    """Return the C functions that a runtime exports."""
    return {*listed(runtime, "--defined-only")}
