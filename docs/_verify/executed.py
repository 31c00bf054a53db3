# SPDX-License-Identifier: Apache-2.0
"""Record which lines of files run, in every process that a command starts.

A machine without coverage.py or tree-sitter, which a GPU machine may lack, records none.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from . import gcov
from .closure import digest
from .comments import places
from .cpp_reasons import cpp_reasons
from .cpp_statements import cpp_lines
from .regions import MARKER, without_markers
from .statements import Lines, held_against, python_statements, reasons, shell_commands
from .survival import as_ranges, cuda_lines, from_ranges

HERE = Path(__file__).resolve().parent / "trace"
SETTINGS = """\
[run]
parallel = true
data_file = {data}
include = {include}
disable_warnings = couldnt-parse, module-not-measured, no-data-collected, process-startup
"""
TRACED = re.compile(
    r"^(?P<depth>\++)\v(?P<file>[^\v\n]*)\v(?P<call>[^\v\n]*)\v(?P<line>\d+)\v(?P<command>.*)$",
    re.MULTILINE,
)
# Other packages have Python files with these names too, so the folder's name must also match.
COMMON = {"__init__.py", "conftest.py", "utils.py"}


class Trace(AbstractContextManager["Trace"]):
    """A temporary folder to which the processes of a run write their lines."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="trace_")
        folder = Path(self.folder.name)
        self.settings, self.skips = folder / "coveragerc", folder / "skips"
        self.python, self.shell, self.cpp = folder / "python", folder / "shell", folder / "cpp"
        self.tests = folder / "tests"
        for each in (self.python, self.shell, self.cpp, self.tests):
            each.mkdir()

    def __exit__(self, *_: object) -> None:
        """Remove the folder."""
        self.folder.cleanup()

    def environment(
        self, given: Mapping[str, str], files: Iterable[str], *, compiles: bool = False
    ) -> dict[str, str]:
        """Return variables that make a run record the lines of some files and of their copies.

        Python also finds the plugins below ``docs/_verify``. With ``compiles``, gcov counts C++.
        coverage.py is enabled only if a Python file is traced: it slows down every process.
        """
        python = (PurePosixPath(each) for each in files if each.endswith(".py"))
        names = {f"{p.parent.name}/{p.name}" if p.name in COMMON else p.name for p in python}
        include = ",".join(f"*/{name}" for name in sorted(names)) or "/nothing"
        self.settings.write_text(SETTINGS.format(data=self.python / "lines", include=include))
        paths = [str(HERE), str(HERE.parents[1]), given.get("PYTHONPATH", "")]
        traced = {
            **given,
            "BASH_ENV": str(HERE / "bash_env.sh"),
            # Another pytest would remove the copies that this run's tests leave.
            "PYTEST_DEBUG_TEMPROOT": str(self.tests),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "TRACE_SHELL": str(self.shell),
            "TRACE_SKIPS": str(self.skips),
        }
        if compiles:
            traced["PATH"] = gcov.path_with_script(self.cpp, given["PATH"])
        found = find_spec("coverage")
        if names and found and found.origin:
            traced["COVERAGE_PROCESS_START"] = str(self.settings)
            traced["TRACE_PACKAGES"] = str(Path(found.origin).resolve().parents[1])
        return traced

    def commands(self) -> list[str]:
        """Return the commands that bash ran."""
        texts = (path.read_text(errors="replace") for path in sorted(self.shell.iterdir()))
        return [found["command"] for text in texts for found in TRACED.finditer(text)]

    def fields(
        self, root: Path, files: Iterable[str], seen: Mapping[str, list[str]] | None = None
    ) -> dict[str, Any]:
        """Return a receipt's fields ``ran`` and ``idle`` for these files.

        For files in ``seen``, only the positions that the preprocessor let through count.
        """
        ran: dict[str, list[str]] = {}
        idle: dict[str, dict[str, str]] = {}
        files = [*files]
        skips: dict[Path, list[tuple[int, str]]] = defaultdict(list)
        for each in self.skips.read_text().splitlines() if self.skips.exists() else []:
            path, line, reason = json.loads(each)
            skips[Path(path)].append((line, reason))
        refused = {file for path in gcov.refused(self.cpp) for file in copied(path, root, files)}
        for file, lines in self.lines(root, files).items():
            text = (root / file).read_text()
            place = places(file, text)
            if file in refused and not lines.ran:
                lines.idle = {*place}  # not even its declarations were compiled
            if PurePosixPath(file).suffix in gcov.COUNTED:
                why = cpp_reasons(text, lines, refused=file in refused)
            elif file.endswith(".py") and lines.idle:
                why = reasons(text, lines.ran, skips[root / file])
            else:
                why = {}
            if seen and file in seen:
                through, cuda = from_ranges(seen[file]), cuda_lines(text)
                place = {n: each for n, each in place.items() if each in through or n in cuda}
            by_reason: dict[str, set[int]] = defaultdict(set)
            for line in lines.idle & {*place}:
                by_reason[why.get(line, "")].add(place[line])
            ran[file] = as_ranges(place[line] for line in lines.ran & {*place})
            idle[file] = {part: why for why, some in by_reason.items() for part in as_ranges(some)}
        return {"ran": ran, "idle": idle}

    def lines(self, root: Path, files: list[str]) -> dict[str, Lines]:
        """Return the lines of each of these files, or of a copy of it, that ran at all.

        Content that later overwrote a copy is never parsed: it need not be valid.
        """
        found: dict[str, Lines] = {}
        for path, numbers in [*self.python_lines(), *self.shell_lines()]:
            for file in copied(path, root, files):
                text = (root / file).read_text()
                statements = python_statements if file.endswith(".py") else shell_commands
                ran = {*in_original(path, root / file, numbers).values()}
                found.setdefault(file, Lines()).add(held_against(statements(text), ran))
        return found | self.cpp_lines(root, files)

    def cpp_lines(self, root: Path, files: list[str]) -> dict[str, Lines]:
        """Return the lines of C and C++ files, which all count if the run compiled for gcov."""
        if not any(self.cpp.iterdir()) or not find_spec("tree_sitter_cpp"):
            return {}
        counted = [file for file in files if PurePosixPath(file).suffix in gcov.COUNTED]
        counts: dict[str, Counter[int]] = {file: Counter() for file in counted}
        for path, compiled, numbers in gcov.counts(self.cpp):
            for file in copied(path, root, counted):
                if compiled in ("", digest(path)):
                    lines = in_original(path, root / file, numbers)
                    counts[file].update({line: numbers[n] for n, line in lines.items()})
        texts = {file: (root / file).read_text() for file in counted}
        return cpp_lines(texts, counts)

    def python_lines(self) -> Iterator[tuple[Path, set[int]]]:
        """Yield the measurements of coverage.py."""
        if not any(self.python.iterdir()):
            return
        import coverage

        data = coverage.CoverageData(str(self.python / "all"))
        for path in self.python.iterdir():
            part = coverage.CoverageData(str(path))
            part.read()
            data.update(part)
        for file in data.measured_files():
            yield Path(file), {*(data.lines(file) or ())}

    def shell_lines(self) -> Iterator[tuple[Path, set[int]]]:
        """Yield the lines bash traced, if there is a parser to check them against."""
        if not find_spec("tree_sitter_bash"):
            return
        traced: dict[Path, set[int]] = defaultdict(set)
        for log in self.shell.iterdir():
            text = log.read_text(errors="replace")
            folder = Path(text.partition("\n")[0].removeprefix("in\v"))
            for file, numbers in lines_of_log(text).items():
                traced[folder / file] |= numbers
        yield from traced.items()


def copied(path: Path, root: Path, files: Iterable[str]) -> Iterator[str]:
    """Yield the files that a path is, or is a copy of, with or without the marker lines."""
    for file in (each for each in files if PurePosixPath(each).name == path.name):
        original = root / file
        if path == original or digest(path) in texts_of(original):
            yield file


def texts_of(file: Path) -> set[str]:
    """Return the SHA-256 of a file with and without marker lines; none if it does not exist."""
    if not file.is_file():
        return set()
    text = file.read_bytes().decode(errors="replace")
    return {digest(file), sha256(without_markers(text).encode()).hexdigest()}


def in_original(path: Path, original: Path, numbers: Iterable[int]) -> dict[int, int]:
    """Map lines of a copy to those of its original, which may also have marker lines."""
    if digest(path) == digest(original):
        return {number: number for number in numbers}
    lines = original.read_text().splitlines()
    kept = [number for number, line in enumerate(lines, start=1) if not MARKER.match(line)]
    # A longer text may have run before the copy was changed to this one.
    return {number: kept[number - 1] for number in numbers if 0 < number <= len(kept)}


def lines_of_log(text: str) -> dict[str, set[int]]:
    """Return the lines of each file that one bash process traced.

    In ``eval`` and in a command substitution, bash restarts the line count, so lines deeper than
    the rest of a call of its function or file are meaningless.
    """
    depths: dict[tuple[str, str], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for found in TRACED.finditer(text):
        key = found["file"], found["call"]
        depths[key][len(found["depth"])].add(int(found["line"]))
    lines: dict[str, set[int]] = defaultdict(set)
    for (file, _), by_depth in depths.items():
        lines[file] |= by_depth[min(by_depth)]
    return lines
