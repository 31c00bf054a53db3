# SPDX-License-Identifier: Apache-2.0
"""Run commands in the environment of another session."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nox

AT_ONCE = 2  # CI has two cores


def together(
    session: nox.Session, python: str, commands: Iterable[list[str]], env: dict[str, str]
) -> None:
    """Run an interpreter several times, two at once; print the output of each run in order."""
    running: set[subprocess.Popen[bytes]] = set()

    def run(command: list[str]) -> tuple[int, str]:
        """Run one command, and return its status and output."""
        session.log(f"together: {' '.join(command)}")
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(
                [python, *command], env={**os.environ, **env}, stdout=output, stderr=output
            )
            running.add(process)
            process.wait()
            output.seek(0)
            return process.returncode, output.read()

    failed = []
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        for command, done in [(command, pool.submit(run, command)) for command in commands]:
            status, said = done.result()
            print(said, flush=True)
            if status != 0:
                failed.append(" ".join(command))
    finally:  # if the session is interrupted, some are still running
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.kill()
    if failed:
        session.error(f"failed: {'; '.join(failed)}")


class Environment:
    """The environment of the session ``name``, which the current session requires."""

    def __init__(self, session: nox.Session, name: str = "environment") -> None:
        self.session = session
        self.folder = Path(session.env_dir).with_name(name).absolute()
        self.python = str(self.folder / "bin" / "python")
        if not Path(self.python).exists():
            session.error(f"{self.folder} is missing. Type: nox -s {name}")

    def variables(self, more: dict[str, str] | None) -> dict[str, str]:
        """Return a command's variables: this environment's scripts come first on the path."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {**(more or {}), "PATH": path}

    def run(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        """Run this environment's Python."""
        self.session.run(self.python, *arguments, external=True, env=self.variables(env))

    def run_together(self, *commands: list[str], env: dict[str, str]) -> None:
        """Run this environment's Python several times at once."""
        together(self.session, self.python, commands, self.variables(env))
