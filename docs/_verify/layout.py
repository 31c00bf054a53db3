# SPDX-License-Identifier: Apache-2.0
"""Where the runner reads its inputs and writes its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The folders of one project, all absolute."""

    root: Path
    build: Path
    committed: Path  # receipts from machines with a GPU, kept in the repository

    @classmethod
    def of(cls, root: Path, build: Path | None = None, committed: Path | None = None) -> Layout:
        """Resolve the folders; those not given have their default location below root."""
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
        """The folder in which every example is built and run."""
        return self.build / "examples"

    @property
    def receipts(self) -> Path:
        """Receipts of this machine's latest run, except those from a GPU."""
        return self.build / "receipts"

    @property
    def emulated(self) -> Path:
        """Receipts of the CUDA sources that ran under emulation."""
        return self.build / "emulation" / "receipts"

    @property
    def failures(self) -> Path:
        """The failures of the latest run."""
        return self.build / "failures.json"

    @property
    def skips(self) -> Path:
        """The skips of the latest run, each with its reason."""
        return self.build / "skips.json"

    @property
    def tasks(self) -> Path:
        """The results of each example, page and snippet test when it last passed."""
        return self.build / "tasks.json"

    @property
    def snippets(self) -> Path:
        """Every snippet of the latest successful site, written by the Sphinx extension."""
        return self.build / "snippets.json"

    def relative(self, path: Path | str) -> str:
        """Return a path as receipts spell it: relative to the root, with forward slashes."""
        return Path(path).resolve().relative_to(self.root).as_posix()

    def holds(self, path: Path | str) -> bool:
        """Whether a path is inside the repository and outside its build folder."""
        resolved = Path(path).resolve()
        return resolved.is_relative_to(self.root) and not resolved.is_relative_to(self.build)

    @property
    def unverified(self) -> Path:
        """The latest site's snippets that must not be shown, one per line, if there are any."""
        return self.build / "unverified.txt"

    @property
    def partial(self) -> Path:
        """The snippets a partial site shows without proof, one per line; absent for a full site."""
        return self.build / "partial.txt"
