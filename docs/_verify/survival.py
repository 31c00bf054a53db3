# SPDX-License-Identifier: Apache-2.0
"""Determine which lines of a C++ file a compilation saw, and which its conditionals left out."""

from __future__ import annotations

import functools
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from .comments import positions, without_comments
from .layout import Layout
from .process import run

SOURCES = {".c", ".cc", ".cpp", ".cu", ".cxx"}
CONDITIONAL = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
FOR_CUDA = re.compile(r"#\s*(?:ifdef\s+__CUDACC__|(?:el)?if\s+defined\(__CUDACC__\))")
LINE_MARKER = re.compile(r'# (\d+) "((?:\\.|[^"\\])*)"')


class Branch(NamedTuple):
    """A branch of a conditional: its number in the file, and its directive."""

    number: int
    directive: str


@functools.cache  # a site asks once per region of a file
def conditionals(text: str) -> Mapping[int, tuple[Branch, ...]]:
    """Map each line of code, counted from 1, to its enclosing branches, outermost first."""
    found: dict[int, tuple[Branch, ...]] = {}
    stack: tuple[Branch, ...] = ()
    last, continued = 0, False
    for number, line in enumerate(without_comments(text).splitlines(), start=1):
        match = CONDITIONAL.match(line)
        if match and match[1] == "endif":
            stack = stack[:-1]
        elif match:
            last += 1
            outer = stack if match[1].startswith("if") else stack[:-1]
            stack = (*outer, Branch(last, line.strip()))
        elif line.strip() and not continued:
            found[number] = stack
        continued = line.rstrip().endswith("\\") and bool(match or continued)
    return MappingProxyType(found)


def branches(text: str) -> dict[int, int]:
    """Map each line of code to the number of its innermost enclosing branch, or 0."""
    return {line: stack[-1].number if stack else 0 for line, stack in conditionals(text).items()}


def cuda_lines(text: str) -> set[int]:
    """Return the lines of code that only a CUDA compiler sees."""
    return {
        line
        for line, stack in conditionals(text).items()
        if any(FOR_CUDA.fullmatch(branch.directive) for branch in stack)
    }


def code_lines(text: str) -> set[int]:
    """Return the lines that contain more than comments or a conditional, counted from 1."""
    return set(branches(text))


def survivors(text: str, emitted: Iterable[int]) -> set[int]:
    """Return the lines of code in branches from which the preprocessor let any line through.

    Single lines would not do: a construct that spans several lines is emitted as one.
    """
    branch = branches(text)
    taken = {branch[number] for number in emitted if number in branch}
    return {number for number, where in branch.items() if where in taken}


def emitted_lines(output: str, folder: Path) -> dict[Path, set[int]]:
    """Return, for each file, the lines that left anything in the preprocessor's output."""
    found: dict[Path, set[int]] = defaultdict(set)
    current, number = "", 0
    for line in output.splitlines():
        if marker := LINE_MARKER.match(line):
            current, number = marker[2], int(marker[1])
            continue
        if line.strip():
            found[folder / current].add(number)
        number += 1
    return found


def as_ranges(numbers: Iterable[int]) -> list[str]:
    """Format numbers as ranges, for example 3-9."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return [f"{first}-{last}" for first, last in ranges]


def from_ranges(ranges: Iterable[str]) -> set[int]:
    """Return the numbers in such ranges."""
    pairs = [[int(end) for end in each.split("-")] for each in ranges]
    return {number for first, last in pairs for number in range(first, last + 1)}


def preprocess(words: list[str], output: str) -> list[str]:
    """Return the compiler's command line, changed to write the preprocessor's output instead."""
    kept, skip = [], False
    for word in words:
        if not skip and word not in ("-o", "-c"):
            kept.append(word)
        skip = word == "-o"
    # Definitions and includes stay in the output: a branch may contain nothing else.
    nvcc = Path(words[0]).name.startswith("nvcc")
    return [*kept, "-E", *(["-Xcompiler=-dD,-dI"] if nvcc else ["-dD", "-dI"]), "-o", output]


def by_source(words: list[str]) -> list[list[str]]:
    """Return the command line once per named source: a preprocessor writes one file."""
    sources = [i for i, word in enumerate(words) if Path(word).suffix in SOURCES]
    return [
        [word for i, word in enumerate(words) if i == chosen or i not in sources]
        for chosen in sources
    ]


def by_target(words: list[str], folder: Path) -> list[list[str]]:
    """Return the command line once per named architecture, if the source tests the architecture.

    The preprocessor would see the lines of only one architecture.
    """
    chosen = [i for i, word in enumerate(words) if word == "-gencode"]
    source = next(word for word in words if Path(word).suffix in SOURCES)
    if len(chosen) < 2 or "__CUDA_ARCH__" not in (folder / source).read_text():
        return [words]
    options = {i for first in chosen for i in (first, first + 1)}
    return [
        [word for i, word in enumerate(words) if i not in options or i in (first, first + 1)]
        for first in chosen
    ]


def seen_lines(
    commands: list[list[str]], files: list[str], layout: Layout, environment: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the lines of each compiled C++ file that the commands saw, as ranges of positions.

    ValueError: a command that compiled cannot be preprocessed.
    """
    emitted: dict[Path, set[int]] = defaultdict(set)
    sources = (one for command in commands for one in by_source(command))
    for words in (each for one in sources for each in by_target(one, layout.libraries)):
        with tempfile.NamedTemporaryFile("r", suffix=".ii", errors="replace") as output:
            command = preprocess(words, output.name)
            outcome = run(command, cwd=layout.libraries, env=environment)
            if not outcome.ok:
                raise ValueError(f"{' '.join(command)}: {outcome.reason}: {outcome.tail}")
            for path, numbers in emitted_lines(output.read(), layout.libraries).items():
                emitted[path.resolve()] |= numbers
    texts = {file: (layout.root / file).read_text() for file in files if not file.endswith(".sh")}
    return {
        file: as_ranges(positions(file, text, survivors(text, emitted[layout.root / file])))
        for file, text in texts.items()
    }
