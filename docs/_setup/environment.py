# SPDX-License-Identifier: Apache-2.0
"""Run commands in an environment that another session made."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import nox


def together(
    session: nox.Session, python: str, commands: Iterable[list[str]], env: dict[str, str]
) -> None:
    """Run an interpreter several times at once; each shows what it printed when it has ended."""
    with contextlib.ExitStack() as stack:
        running = []
        for command in commands:
            session.log(f"together: {' '.join(command)}")
            output = stack.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            process = subprocess.Popen(
                [python, *command], env={**os.environ, **env}, stdout=output, stderr=output
            )
            stack.callback(process.kill)  # where the session is interrupted
            running.append((process, output, command))
        for process, output, _ in running:
            process.wait()
            output.seek(0)
            print(output.read(), flush=True)
    failed = [" ".join(command) for process, _, command in running if process.returncode != 0]
    if failed:
        session.error(f"failed: {'; '.join(failed)}")


class Environment:
    """The environment of the session ``name``, which the running session requires."""

    def __init__(self, session: nox.Session, name: str = "environment") -> None:
        self.session = session
        self.folder = Path(session.env_dir).with_name(name).absolute()
        self.python = str(self.folder / "bin" / "python")
        if not Path(self.python).exists():
            session.error(f"{self.folder} is missing. Type: nox -s {name}")

    def variables(self, more: dict[str, str] | None) -> dict[str, str]:
        """The variables of a command: this environment's scripts come first on the path."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {**(more or {}), "PATH": path}

    def run(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        """Run this environment's Python."""
        self.session.run(self.python, *arguments, external=True, env=self.variables(env))

    def run_together(self, *commands: list[str], env: dict[str, str]) -> None:
        """Run this environment's Python several times at once."""
        together(self.session, self.python, commands, self.variables(env))
