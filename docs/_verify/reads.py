# SPDX-License-Identifier: Apache-2.0
"""Record the repository files that a test reads or passes to child processes."""

from __future__ import annotations

import os
import re
import sys
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

from .closure import Closure, code_digest

# These read files below a folder. Plain listing is excluded: every import does it.
WALKED = {"glob.glob", "os.walk", "pathlib.Path.glob", "pathlib.Path.rglob", "shutil.copytree"}
STARTED = "subprocess.Popen"
NO_INPUTS = {".git", ".nox", ".venv", "build"}  # outputs and environments of a run


class Reads:
    """The files that this process has read since construction, each hashed when first seen."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.inside = re.compile(re.escape(str(self.root)) + r"[^\s:;,='\"]*")
        self.seen: Closure = {}
        self.busy = False
        sys.addaudithook(self.hook)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Extract the paths from an audit event, except those caused by hashing a file."""
        if self.busy:
            return
        self.busy = True
        try:
            if event == "open":
                path, _, flags = arguments
                # A folder is opened to be listed, or removed by a name relative to another.
                reading = isinstance(flags, int) and not flags & (os.O_WRONLY | os.O_RDWR)
                if reading and not os.path.isdir(path):
                    self.note(path)
            elif event in WALKED:
                self.note(arguments[0])
            elif event == STARTED:
                _, words, folder, _ = arguments
                for word in words if isinstance(words, list | tuple) else str(words).split():
                    self.note(word, folder or ".")
        finally:
            self.busy = False

    def note(self, value: Any, folder: Any = ".") -> None:
        """Record a path, or the paths in one word of a command line that runs in a folder."""
        try:
            text = os.fsdecode(value)
            paths = [Path(found) for found in self.inside.findall(text)]
            if not text.startswith(("/", "-")):
                paths.append(Path.cwd() / os.fsdecode(folder) / text)
            for path in paths:
                self.add(path)
        except (OSError, TypeError, ValueError):
            return  # a file descriptor, or text that is not a path

    def add(self, path: Path) -> None:
        """Hash a file, or all files below a folder, if it can be an input."""
        for each in path.rglob("*") if path.is_dir() and self.is_input(path) else [path]:
            file = each.resolve()
            if file.parent.name == "__pycache__" and file.suffix == ".pyc":
                file = Path(source_from_cache(str(file)))
            if file.is_file() and self.is_input(file):
                name = file.relative_to(self.root).as_posix()
                if name not in self.seen:
                    self.seen[name] = code_digest(file)

    def is_input(self, path: Path) -> bool:
        """Whether a path is below the root, and not an output of a run.

        The root itself is not: the package's sources are in the key of every task.
        """
        resolved = path.resolve()
        if resolved == self.root or not resolved.is_relative_to(self.root):
            return False
        return not {"__pycache__", *NO_INPUTS} & set(resolved.relative_to(self.root).parts)

    def forget(self, path: Path) -> None:
        """Forget the contents of a file from before this process wrote it."""
        self.seen.pop(path.resolve().relative_to(self.root).as_posix(), None)

    def closure(self) -> Closure:
        """Return the files, each with its hash."""
        return dict(self.seen)
