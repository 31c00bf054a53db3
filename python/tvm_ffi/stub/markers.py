# SPDX-License-Identifier: Apache-2.0
"""Comments that mark the generated lines of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The published tool recognizes the first form and treats the second as an ordinary comment.
_MARKER = re.compile(r"([ \t]*)# tvm-ffi-stubgen(-library)?\(([^)]*)\)(?::[ \t]*(.*?))?[ \t]*")

_BLOCKS = ("global", "object", "import-section", "export", "__all__")
_WITH_ARGUMENT = ("global", "object", "export")
_DIRECTIVES = ("ty-map", "import-object", "prefix", "skip")
_LIBRARY_DIRECTIVES = ("names", "skip")


class StubError(ValueError):
    """An error in a line of a file."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")


@dataclass(frozen=True)
class Block:
    """Lines between a begin and an end; line numbers start at 1."""

    kind: str
    argument: str
    begin: int
    end: int
    indent: str


@dataclass(frozen=True)
class Directive:
    """A one-line marker, such as ``ty-map``; those of libraries begin with ``library-``."""

    name: str
    argument: str
    line: int


class AnnotatedFile:
    """A Python file and its markers.

    Raises
    ------
    StubError
        A marker is unknown, or a block does not end where it should.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        # In a file with mixed line endings, some lines keep their carriage return.
        self.newline = "\r\n" if 0 < text.count("\n") == text.count("\r\n") else "\n"
        self.lines = text.split(self.newline)
        self.blocks: list[Block] = []
        self.directives: list[Directive] = []
        found = list(self._markers())
        self.is_skipped = any(name == "skip-file" for _, _, name, _, _ in found)
        if not self.is_skipped:
            self._read(found)

    @property
    def has_markers(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.blocks or self.directives)

    def error(self, line: int, message: str) -> StubError:
        """Return an error that names this file and a line of it."""
        return StubError(self.path, line, message)

    def named(self, name: str) -> Iterator[Directive]:
        """Return the directives with the given name."""
        return (each for each in self.directives if each.name == name)

    def hand_written(self) -> str:
        """Return the text outside the blocks."""
        inside = {line for block in self.blocks for line in range(block.begin, block.end + 1)}
        return "\n".join(line for number, line in enumerate(self.lines, 1) if number not in inside)

    def with_contents(self, contents: dict[Block, list[str]]) -> str:
        """Return the file's text with new lines in its blocks."""
        lines = list(self.lines)
        for block in reversed(self.blocks):
            if block in contents:
                new = [block.indent + line if line else "" for line in contents[block]]
                lines[block.begin : block.end - 1] = new
        return self.newline.join(lines)

    def _markers(self) -> Iterator[tuple[int, str, str, str, str]]:
        for number, line in enumerate(self.lines, 1):
            match = _MARKER.fullmatch(line.rstrip("\r"))
            if match:
                indent, library, name, argument = match.groups()
                yield number, indent, name, library or "", argument or ""

    def _read(self, found: list[tuple[int, str, str, str, str]]) -> None:
        opened: tuple[int, str, str, str] | None = None
        for line, indent, name, library, argument in found:
            if name == "begin":
                if opened is not None:
                    raise self.error(
                        line, f"expected the end of the block of line {opened[0]}, got a begin"
                    )
                kind = "library" if library else argument.partition("/")[0]
                value = argument if library else argument.partition("/")[2]
                self._check_block(line, kind, value, argument)
                opened = line, indent, kind, value
            elif name == "end":
                if opened is None:
                    raise self.error(line, "expected a begin before this end")
                begin, indent, kind, value = opened
                if (kind == "library") != bool(library):
                    raise self.error(
                        line,
                        f"expected the end of the block of line {begin}, which is "
                        f"{_marker('end', kind == 'library')}, got {_marker('end', bool(library))}",
                    )
                self.blocks.append(Block(kind, value, begin, line, indent))
                opened = None
            else:
                self._check_directive(line, name, bool(library))
                prefix = "library-" if library else ""
                self.directives.append(Directive(prefix + name, argument, line))
        if opened is not None:
            raise self.error(opened[0], "expected an end of this block, got the end of the file")

    def _check_block(self, line: int, kind: str, value: str, argument: str) -> None:
        if kind == "library":
            if not re.fullmatch(r"[^\W\d]\w*(?:@[\w.+-]+)?", value):
                raise self.error(
                    line,
                    "library: expected the name of the variable that holds the library, such as "
                    f"LIB or LIB@my_kernels, got {value!r}",
                )
        elif kind not in _BLOCKS:
            known = ", ".join(each + "/..." * (each in _WITH_ARGUMENT) for each in _BLOCKS)
            raise self.error(line, f"unknown block {argument!r}: expected one of {known}")
        elif bool(value) != (kind in _WITH_ARGUMENT):
            expected = f"{kind}/..." if kind in _WITH_ARGUMENT else kind
            raise self.error(line, f"expected {expected}, got {argument!r}")

    def _check_directive(self, line: int, name: str, library: bool) -> None:
        known = _LIBRARY_DIRECTIVES if library else _DIRECTIVES
        if name not in known:
            others = ("begin", "end", *known, *(() if library else ("skip-file",)))
            raise self.error(line, f"unknown marker {name!r}: expected one of {', '.join(others)}")


def _marker(name: str, library: bool) -> str:
    return f"tvm-ffi-stubgen{'-library' * library}({name})"


def read_files(paths: list[Path]) -> tuple[list[AnnotatedFile], list[str]]:
    """Read files, and ``.py`` and ``.pyi`` files below folders; return them and the errors."""
    files, errors = [], []
    for path in paths:
        if path.is_dir():
            found = sorted(each for each in path.rglob("*.py*") if each.suffix in (".py", ".pyi"))
        else:
            found = [path]
        for each in found:
            try:
                with open(each, encoding="utf-8", newline="") as file:
                    read = AnnotatedFile(each, file.read())
            except StubError as error:
                errors.append(str(error))
            except OSError as error:
                errors.append(f"{each}: cannot be read: {error.strerror}")
            except UnicodeDecodeError as error:
                errors.append(f"{each}: cannot be read: expected UTF-8, got {error.reason}")
            else:
                if read.has_markers:
                    files.append(read)
    return files, errors
