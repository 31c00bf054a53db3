# SPDX-License-Identifier: Apache-2.0
"""Run build steps with Ninja; report progress and failures."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass

from ..utils import FileLock
from .toolchain import find_ninja

# Seconds before a build, or a wait for another process's build, is reported, and between reports.
PROGRESS_AFTER = 3.0
PROGRESS_EVERY = 10.0

# Name of Ninja's build file, which lists the steps.
FILE = "build.ninja"


class CompileError(RuntimeError):
    """A compiler rejected a source, or the linker the objects; its message is part of the error.

    .. note:: This runtime only: the published package raises a plain ``RuntimeError``.
    """

    __module__ = "tvm_ffi.cpp"

    command: list[str]
    """The command that failed."""
    stderr: str
    """The output of the command."""

    def __init__(self, message: str, command: Iterable[str] = (), stderr: str = "") -> None:
        super().__init__(message)
        self.command = list(command)
        self.stderr = stderr


@dataclass(frozen=True)
class Step:
    """One command; paths are relative to the build folder, or absolute."""

    command: list[str]
    inputs: list[str]
    output: str
    depfile: str | None = None  # where a compiler lists the files it has read

    @property
    def log(self) -> str:
        """The file for the command's output."""
        return f"{self.output}.log"

    @property
    def files(self) -> list[str]:
        """All files that the step may write."""
        return [self.output, self.log, self.failed, *([self.depfile] if self.depfile else [])]

    @property
    def failed(self) -> str:
        """The file for the command's exit status if it fails."""
        return f"{self.output}.failed"

    def text(self) -> str:
        """Return the command as a shell line."""
        return shlex.join(self.command)

    def rule(self) -> str:
        """Return the step as Ninja's ``build`` lines.

        The command's output goes to a file, so that it cannot be mistaken for Ninja's own.
        """
        log, failed = shlex.quote(self.log), shlex.quote(self.failed)
        command = f"{self.text()} > {log} 2>&1 || {{ s=$?; echo $s > {failed}; exit $s; }}"
        lines = [
            f"build {_path(self.output)}: run {' '.join(map(_path, self.inputs))}",
            f"  text = {command.replace('$', '$$')}",
        ]
        if self.depfile:
            lines.append(f"  depfile = {self.depfile.replace('$', '$$')}")
        return "\n".join(lines)


def run(title: str, folder: str, steps: list[Step], lock: FileLock) -> None:
    """Run the steps that are due.

    Ninja and the compilers inherit the lock: if this process is killed, no other process builds
    in the folder before the last of them has exited.
    """
    rules = ["bar = |", "rule run", "  command = $text", *(step.rule() for step in steps), ""]
    with open(os.path.join(folder, FILE), "wb") as file:
        file.write(os.fsencode("\n".join(rules)))
    for step in steps:
        if os.path.exists(os.path.join(folder, step.failed)):
            os.unlink(os.path.join(folder, step.failed))
    with subprocess.Popen(
        [find_ninja(), "-f", FILE],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        pass_fds=(lock.fileno(),),
    ) as ninja:
        try:
            said = _wait(title, ninja, len(steps))
        except BaseException:
            ninja.terminate()  # it terminates the compilers too
            raise
    if ninja.returncode == 0:
        _check_outputs(title, folder, steps)
        return
    for step in steps:
        if os.path.exists(os.path.join(folder, step.failed)):
            raise _error(title, folder, step)
    raise RuntimeError(f"{title}: Ninja failed in {folder}:\n{said.strip()}")


def is_of_published(path: str) -> bool:
    """Whether the published package wrote a build file, judging by its headers and rules."""
    text = _read(path)
    return all(
        part in text
        for part in ("ninja_required_version", "/tvm_ffi/include", "\nrule compile", "\nrule link")
    )


def _wait(title: str, ninja: subprocess.Popen[str], steps: int) -> str:
    begun = time.monotonic()
    pause = PROGRESS_AFTER
    while True:
        try:
            return ninja.communicate(timeout=pause)[0]
        except subprocess.TimeoutExpired:
            passed = time.monotonic() - begun
            tell(f"{title}: compiling and linking in {steps} steps, {passed:.0f} s so far")
            pause = PROGRESS_EVERY


def tell(message: str) -> None:
    """Print a progress message to stderr."""
    if sys.stderr is not None:
        print(f"tvm_ffi.cpp: {message}", file=sys.stderr, flush=True)


def _check_outputs(title: str, folder: str, steps: list[Step]) -> None:
    """Raise an error if a step that succeeded lacks an output, which Ninja does not check."""
    for step in steps:
        for name in filter(None, (step.output, step.depfile)):
            if not os.path.isfile(os.path.join(folder, name)):
                raise CompileError(
                    f"{title}: {os.path.basename(step.command[0])} ended with status 0, but did "
                    f"not write {name}\n\nThe command, in {folder}:\n{step.text()}",
                    step.command,
                    _read(os.path.join(folder, step.log)),
                )


def _error(title: str, folder: str, step: Step) -> CompileError:
    """Return the error for the step that failed.

    If its message did not reach the disk, which may be full, the command runs once more.
    """
    status = _read(os.path.join(folder, step.failed)).strip()
    said = _read(os.path.join(folder, step.log))
    if not status or not said.strip():
        again = subprocess.run(
            step.command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            check=False,
        )
        said = again.stdout
        if not again.returncode:
            return CompileError(
                f"{title}: {os.path.basename(step.command[0])} failed"
                f"{f' with status {status}' if status else ''} without a message; when run "
                "again, the command succeeded, so build again, and check whether the disk was full "
                f"or memory ran out\n\nThe command, in {folder}:\n{step.text()}",
                step.command,
                said,
            )
        status = status or str(again.returncode)
    message = (
        f"{title}: {os.path.basename(step.command[0])} failed with status {status}:\n"
        f"{said.rstrip()}\n\nThe command, in {folder}:\n{step.text()}"
    )
    return CompileError(message, step.command, said)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _path(path: str) -> str:
    """Escape a path for Ninja's ``build`` lines, where a bare ``|`` ends the inputs."""
    return path.replace("$", "$$").replace(" ", "$ ").replace(":", "$:").replace("|", "${bar}")
