# SPDX-License-Identifier: Apache-2.0
"""Where the runner finds its inputs and leaves its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The folders of one project, all absolute."""

    root: Path
    build: Path
    committed: Path  # receipts of machines with a GPU, kept in the repository

    @classmethod
    def of(cls, root: Path, build: Path | None = None, committed: Path | None = None) -> Layout:
        """Resolve the folders; what is not given is at its usual place below root."""
        root = root.resolve()
        return cls(
            root=root,
            build=(root / (build or "build")).resolve(),
            committed=(root / (committed or "docs/verification")).resolve(),
        )

    @property
    def examples(self) -> Path:
        """The folder whose subfolders are the examples."""
        return self.root / "examples" / "kernel_library"

    @property
    def libraries(self) -> Path:
        """The folder into which every example is built, and in which it is run."""
        return self.build / "examples"

    @property
    def receipts(self) -> Path:
        """Receipts of this machine's latest run, except those made on a GPU."""
        return self.build / "receipts"

    @property
    def emulated(self) -> Path:
        """Receipts of the CUDA sources that ran under emulation."""
        return self.build / "emulation" / "receipts"

    @property
    def failures(self) -> Path:
        """What failed in the latest run."""
        return self.build / "failures.json"

    @property
    def skips(self) -> Path:
        """What the latest run skipped, each with its reason."""
        return self.build / "skips.json"

    @property
    def tasks(self) -> Path:
        """What each example, page and snippet test found when it last passed."""
        return self.build / "tasks.json"

    @property
    def snippets(self) -> Path:
        """Every snippet of the latest good site, written by the Sphinx extension."""
        return self.build / "snippets.json"

    def relative(self, path: Path | str) -> str:
        """The path as receipts spell it: relative to the root, with forward slashes."""
        return Path(path).resolve().relative_to(self.root).as_posix()

    def holds(self, path: Path | str) -> bool:
        """Whether the path lies inside the repository and outside its build folder."""
        resolved = Path(path).resolve()
        return resolved.is_relative_to(self.root) and not resolved.is_relative_to(self.build)

    @property
    def unverified(self) -> Path:
        """The latest site's snippets that may not be shown, one to a line, if there are any."""
        return self.build / "unverified.txt"

    @property
    def partial(self) -> Path:
        """What a partial site shows without proof, one to a line; absent if the site is whole."""
        return self.build / "partial.txt"
