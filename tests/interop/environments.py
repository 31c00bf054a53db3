# SPDX-License-Identifier: Apache-2.0
"""Small virtual environments, installed from wheels without a network."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

# What pip itself adds to a distribution that it installs.
ADDED = {"INSTALLER", "REQUESTED", "direct_url.json"}
FILES_OF = """
import importlib.metadata, json, sys
distribution = importlib.metadata.distribution(sys.argv[1])
files = {str(file): str(file.locate()) for file in distribution.files or ()}
print(json.dumps([distribution.version, distribution.read_text("WHEEL"), files]))
"""


def pack(python: str, name: str, folder: Path) -> Path:
    """Make a wheel of a distribution that an interpreter has installed."""
    told = subprocess.check_output([python, "-c", FILES_OF, name], text=True)
    version, described, files = json.loads(told)
    tags = [line[5:] for line in described.splitlines() if line.startswith("Tag: ")]
    wheel = folder / f"{name.replace('-', '_')}-{version}-{tags[0]}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, path in files.items():
            parts = Path(file).parts
            # Scripts, which are outside, are made again when the wheel is installed.
            if not {"..", "__pycache__"} & set(parts) and parts[-1] not in ADDED:
                archive.write(path, file)
    return wheel


class Environment:
    """A virtual environment whose pip installs from one folder of wheels and fetches nothing."""

    def __init__(self, folder: Path, wheels: Path) -> None:
        self.folder = folder
        self.wheels = wheels
        self.python = folder / "bin" / "python"
        make = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
        subprocess.run(make, check=True)
        # Copying pip itself into each environment would take seconds.
        pip = folder / "bin" / "pip"
        words = [sys.executable, "-m", "pip", "--python", str(self.python)]
        pip.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        pip.chmod(0o755)

    def shell(self, commands: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run commands as typed into a terminal in which the environment is active."""
        inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        settings = {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_NO_COMPILE": "1",
            "PIP_NO_INDEX": "1",
        }
        return subprocess.run(
            ["bash", "-e", "-c", commands],
            env={**inherited, **settings},
            cwd=folder or self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def do(self, commands: str, folder: Path | None = None) -> str:
        """Run commands that must succeed; return what they print."""
        done = self.shell(commands, folder)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
