# SPDX-License-Identifier: Apache-2.0
"""Note which files of the repository a test reads, or hands to the programs that it starts."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from .closure import Closure, closure_of

# These read what lies below a folder. A plain listing is left out: every import makes one.
WALKED = {"glob.glob", "os.walk", "pathlib.Path.glob", "pathlib.Path.rglob", "shutil.copytree"}
STARTED = "subprocess.Popen"
NO_INPUTS = {".git", ".nox", ".venv", "build"}  # what a run writes, and the environments it uses


class Reads:
    """The files that this process has read since it was made, relative to the root."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.inside = re.compile(re.escape(str(self.root)) + r"[^\s:;,='\"]*")
        self.paths: set[Path] = set()
        sys.addaudithook(self.hook)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take the paths out of an event; one that cannot be read is nobody's input."""
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and not flags & (os.O_WRONLY | os.O_RDWR):
                self.note(path)
        elif event in WALKED:
            self.note(arguments[0])
        elif event == STARTED:
            _, words, folder, _ = arguments
            for word in words if isinstance(words, list | tuple) else str(words).split():
                self.note(word, folder or ".")

    def note(self, value: Any, folder: Any = ".") -> None:
        """Note a path, or the paths in a word of a command line that is run in a folder."""
        try:
            text = os.fsdecode(value)
        except TypeError:
            return  # a file descriptor
        self.paths.update(Path(found) for found in self.inside.findall(text))
        if not text.startswith(("/", "-")):
            self.paths.add(Path.cwd() / os.fsdecode(folder) / text)

    def closure(self) -> Closure:
        """The files that are there, each with its hash; a folder counts as all files below it."""
        found: set[str] = set()
        for path in self.paths:
            try:
                relative = path.resolve().relative_to(self.root)
            except (OSError, ValueError):
                continue
            if not relative.parts or NO_INPUTS & set(relative.parts):
                continue  # of the root itself, what makes the package is in every task's key
            files = path.rglob("*") if path.is_dir() else [path]
            found.update(
                each.resolve().relative_to(self.root).as_posix()
                for each in files
                if each.is_file() and "__pycache__" not in each.parts
            )
        return closure_of(self.root, found)
