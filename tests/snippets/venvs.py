# SPDX-License-Identifier: Apache-2.0
"""Virtual environments that see the packages of this one."""

import shlex
import subprocess
import sys
from pathlib import Path


def environment(folder):
    """Make one, with a pip that installs into it and a pytest; return its Python."""
    make = [sys.executable, "-m", "venv", "--without-pip", folder]
    subprocess.run(make, check=True)
    python = folder / "bin" / "python"
    (packages,) = folder.glob("lib/*/site-packages")
    outer = [path for path in sys.path if Path(path).name == "site-packages"]
    (packages / "outer.pth").write_text("\n".join(outer))
    for name in ("pip", "pytest"):
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(str(python))} -m {name} "$@"\n')
        program.chmod(0o755)
    return python
