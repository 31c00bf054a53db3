# SPDX-License-Identifier: Apache-2.0
"""Discover the examples: each folder under examples/kernel_library is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .layout import Layout

IGNORED = {"__pycache__", ".pytest_cache"}
HEADERS = {".h", ".hpp", ".cuh"}


@dataclass(frozen=True)
class Variant:
    """One way to build and run an example."""

    device: str  # as the driver and the tests spell it
    suffixes: tuple[str, ...]  # of its sources
    script: str


VARIANTS = (
    Variant("cpu", (".cc", ".c"), "build_cpu.sh"),
    Variant("cuda", (".cu",), "build_cuda.sh"),
)
COMPILERS = {".cc": "g++", ".c": "gcc", ".cu": "nvcc"}


@dataclass(frozen=True)
class Example:
    """One example, with the names that its files must have. All paths are relative to the root."""

    name: str
    folder: str
    files: tuple[str, ...] = ()  # contents of the folder and of its src subfolder

    def sources(self, variant: Variant) -> list[str]:
        """Return the kernel's only source, or all sources in src if the example has several."""
        one = [f"{self.folder}/{self.name}_kernel{suffix}" for suffix in variant.suffixes]
        there = [path for path in one if path in self.files]
        inside = f"{self.folder}/src/"
        many = [
            path
            for path in self.files
            if path.startswith(inside) and PurePosixPath(path).suffix in variant.suffixes
        ]
        return there or many or one[:1]

    def source(self, variant: Variant) -> str:
        """Return the source that identifies the example in receipts."""
        return self.sources(variant)[0]

    def compiler(self, variant: Variant) -> str:
        """Return the compiler of its sources."""
        return COMPILERS[PurePosixPath(self.source(variant)).suffix]

    def script(self, variant: Variant) -> str:
        """Return the script that builds it."""
        return f"{self.folder}/{variant.script}"

    def library(self, variant: Variant) -> str:
        """Return the file that the script writes into the current folder."""
        return f"{self.name}_{variant.device}.so"

    @property
    def driver(self) -> str:
        """The Python program that loads the library, calls it and asserts."""
        return f"{self.folder}/load_{self.name}.py"

    @property
    def test(self) -> str:
        """The thorough test."""
        return f"tests/examples/test_{self.name}.py"


def find_examples(layout: Layout) -> list[Example]:
    """Return all examples, by name."""
    if not layout.examples.is_dir():
        return []
    folders = [path for path in sorted(layout.examples.iterdir()) if path.is_dir()]
    return [
        Example(path.name, layout.relative(path), files_of(path, layout))
        for path in folders
        if path.name not in IGNORED
    ]


def files_of(folder: Path, layout: Layout) -> tuple[str, ...]:
    """Return the files in an example's folder and its src subfolder, relative to the root."""
    found = [*folder.glob("*"), *folder.glob("src/*")]
    return tuple(sorted(layout.relative(path) for path in found if path.is_file()))


def example_files(root: Path) -> list[str]:
    """Return every file under examples/ except tools' settings, relative to the root."""
    return sorted(
        path.relative_to(root).as_posix()
        for path in (root / "examples").rglob("*")
        if path.is_file()
        and not IGNORED & set(path.parts)
        and path.suffix != ".so"
        and not path.name.startswith(".")
    )
