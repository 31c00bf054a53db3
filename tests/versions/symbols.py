# SPDX-License-Identifier: Apache-2.0
"""Which C functions of the runtime a library imports, and which a release exports."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

C_FUNCTION = re.compile(r"TVMFFI\w+")


def listed(library: Path, which: str) -> set[str]:
    """The names of C functions among a library's dynamic symbols."""
    command = ["nm", "-D", "--format=just-symbols", which, str(library)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name for name in said.split() if C_FUNCTION.fullmatch(name)}


def imported(library: Path) -> set[str]:
    """The C functions that a library leaves to the runtime."""
    return listed(library, "--undefined-only")


def exported(runtime: Path) -> set[str]:
    """The C functions that a runtime has."""
    return listed(runtime, "--defined-only")
