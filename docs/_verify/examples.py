# SPDX-License-Identifier: Apache-2.0
"""Discover the examples: each folder under examples/kernel_library is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .layout import Layout

IGNORED = {"__pycache__", ".pytest_cache"}
HEADERS = {".h", ".hpp", ".cuh"}


@dataclass(frozen=True)
class Variant:
    """One way in which an example is built and run."""

    device: str  # as the driver and the tests spell it
    source: str  # suffix of the source file
    script: str
    compiler: str


VARIANTS = (
    Variant("cpu", "_kernel.cc", "build_cpu.sh", "g++"),
    Variant("cuda", "_kernel.cu", "build_cuda.sh", "nvcc"),
)


@dataclass(frozen=True)
class Example:
    """One example, by the names that its files must have. All paths are relative to the root."""

    name: str
    folder: str

    def source(self, variant: Variant) -> str:
        """The kernel's source."""
        return f"{self.folder}/{self.name}{variant.source}"

    def script(self, variant: Variant) -> str:
        """The script that builds it."""
        return f"{self.folder}/{variant.script}"

    def library(self, variant: Variant) -> str:
        """The file that the script writes into the current folder."""
        return f"{self.name}_{variant.device}.so"

    @property
    def driver(self) -> str:
        """The Python program that loads, calls and asserts."""
        return f"{self.folder}/load_{self.name}.py"

    @property
    def test(self) -> str:
        """The thorough test."""
        return f"tests/examples/test_{self.name}.py"


def find_examples(layout: Layout) -> list[Example]:
    """All examples, by name."""
    if not layout.examples.is_dir():
        return []
    folders = [path for path in sorted(layout.examples.iterdir()) if path.is_dir()]
    return [
        Example(path.name, layout.relative(path)) for path in folders if path.name not in IGNORED
    ]


def example_files(root: Path) -> list[str]:
    """Every file under examples/ but the settings of tools, relative to the root."""
    return sorted(
        path.relative_to(root).as_posix()
        for path in (root / "examples").rglob("*")
        if path.is_file()
        and not IGNORED & set(path.parts)
        and path.suffix != ".so"
        and not path.name.startswith(".")
    )
