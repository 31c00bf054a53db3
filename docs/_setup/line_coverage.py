# SPDX-License-Identifier: Apache-2.0
"""Count which lines of the runtime the tests execute: line_coverage.py [--report] [TEST...].

The package, and every library that a test compiles, is built so that gcov counts how often each
C++ line runs; coverage.py follows each Python process. A line of a header has run if it has run in
any of them. --report does not rerun the tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _verify import gcov  # noqa: E402  (in a folder added above)
from _verify.cpp_reasons import AT_COMPILE_TIME, cpp_reasons  # noqa: E402
from _verify.cpp_statements import statement_lines, tree, unread  # noqa: E402
from _verify.executed import HERE as TRACE  # noqa: E402
from _verify.survival import as_ranges  # noqa: E402

FOLDER = ROOT / "build" / "coverage"
PACKAGE = FOLDER / "package"
CPP, PYTHON = FOLDER / "cpp", FOLDER / "python"
REASONS = ROOT / "tests" / "coverage" / "not_covered.toml"
FLOOR = 95.0  # percent of the lines in each folder
FOLDERS = ("include", "src", "python/tvm_ffi")
CPP_SUFFIXES = (".c", ".cc", ".h")
# Projects created by "tvm-ffi new" have their own tests.
OTHERS = ("python/tvm_ffi/new/template/",)
# Not one pytest run: each folder has modules named conftest, and tests import from theirs.
SHARES = (["tests/cubin"], ["tests/cpp"], ["tests/python"])
# Tests that cannot run this way, with the reason.
LEFT_OUT = {
    "tests/cpp/test_failing_allocations.py": "gcov crashes when its own allocations fail",
    "tests/cpp/test_slim.py::test_runtime_is_small": "measures the library",
    "tests/cpp/test_symbols.py": "unoptimized code exports functions that are otherwise inlined",
    "tests/python/test_cpp_cache.py::test_changed_header_is_seen": (
        "an unoptimized library has symbols that keep it loaded"
    ),
    "tests/python/test_cpp_toolchain.py::test_import_leaves_the_builder_out": (
        "coverage.py imports modules, too"
    ),
    "tests/python/test_declared_class.py::test_fork_while_classes_are_defined": (
        "forks while another thread may hold the lock of coverage.py"
    ),
    "tests/python/test_fork.py::test_a_child_creates_the_first_function": (
        "forks while another thread may hold the lock of coverage.py"
    ),
    "tests/python/test_import.py::test_no_framework_is_imported": (
        "coverage.py imports modules, too"
    ),
    "tests/python/test_instructions.py": "counts instructions",
    "tests/python/test_interpreters.py::test_sub_interpreters_are_refused": (
        "coverage.py cannot start in a second interpreter"
    ),
    "tests/python/test_leaks.py": "counts bytes that malloc gave",
    "tests/python/test_soak.py": "measures the memory of the process",
    "tests/python/test_stubgen.py::test_file_that_cannot_be_written": (
        "limits the size of files, so coverage.py cannot write its own"
    ),
}
# Outside functions it may be a declaration.
MACRO_AT_START = re.compile(r"[A-Z][A-Z0-9_]+\(")
SETTINGS = f"""\
[run]
parallel = true
data_file = {PYTHON}/lines
source_dirs = {PACKAGE}/tvm_ffi
patch = _exit
disable_warnings = couldnt-parse, module-not-measured, no-data-collected, process-startup
"""


@dataclass
class Lines:
    """A file's lines: how many there are, which never ran, and why, if known."""

    total: int = 0
    never: set[int] = field(default_factory=set)
    why: dict[int, str] = field(default_factory=dict)

    @property
    def ran(self) -> int:
        """How many ran."""
        return self.total - len(self.never)


def build() -> None:
    """Build the package from scratch: counts belong to the output of one compilation."""
    for folder in (FOLDER / "cmake", PACKAGE, CPP, PYTHON):
        shutil.rmtree(folder, ignore_errors=True)
    CPP.mkdir(parents=True)
    PYTHON.mkdir()
    (FOLDER / "settings").write_text(SETTINGS)
    path = gcov.path_with_script(CPP, os.environ["PATH"])
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
    command += ["--no-deps", "--upgrade", "--target", str(PACKAGE)]
    command += ["-C", f"build-dir={FOLDER / 'cmake'}", "-C", "cmake.build-type=Debug", str(ROOT)]
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})


def variables() -> dict[str, str]:
    """Return the variables a test run needs to leave its counts."""
    import coverage

    found = [str(TRACE), str(PACKAGE), str(ROOT / "docs"), os.environ.get("PYTHONPATH", "")]
    return {
        "COVERAGE_PROCESS_START": str(FOLDER / "settings"),
        "CPP_TESTS_BUILD": str(FOLDER / "cpp_tests"),
        "PATH": os.pathsep.join([str(CPP / "bin"), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(filter(None, found)),
        "TRACE_PACKAGES": str(Path(coverage.__file__).resolve().parents[1]),
    }


def run_tests(arguments: Iterable[str]) -> bool:
    """Run the tests, each share in its own process; return whether all passed."""
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    left_out = [word for test in LEFT_OUT for word in ("--deselect", test)]
    given = [*arguments]
    shares = [given] if given else SHARES
    environment = {**os.environ, **variables()}
    # A library kept from an earlier run would refer to deleted counts.
    shutil.rmtree(FOLDER / "cpp_tests", ignore_errors=True)
    logs = [FOLDER / f"tests.{number}.log" for number in range(len(shares))]
    running = []
    for share, log in zip(shares, logs, strict=True):
        with log.open("w") as output:
            command = [*pytest, *left_out, *share]
            running.append(
                subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
            )
    statuses = [process.wait() for process in running]
    for log in logs:
        print(log.read_text(errors="replace"))
    return not any(statuses)


def measured(path: Path, root: Path = ROOT, package: Path = PACKAGE) -> str:
    """Return the source that a path is, or is the installed copy of; empty for other files."""
    places = (
        (package / "tvm_ffi" / "include", "include"),
        (package / "tvm_ffi", "python/tvm_ffi"),
        (root, ""),
    )
    path = Path(os.path.normpath(path))
    for place, name in places:
        if path.is_relative_to(place):
            file = (Path(name) / path.relative_to(place)).as_posix()
            return file if file.startswith(tuple(f"{each}/" for each in FOLDERS)) else ""
    return ""


def report(folder: Path, name: str) -> Iterator[tuple[Path, dict[int, int]]]:
    """Yield what gcov reports for one object file: per source, how often each line ran.

    gcov also knows the lines of an object that no process has run.
    """
    program = subprocess.check_output(["g++", "-print-prog-name=gcov"], text=True).strip()
    command = [program, "--json-format", "--stdout", name]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    for part in (json.loads(line) for line in done.stdout.splitlines() if line.strip()):
        for file in part["files"]:
            counts: dict[int, int] = defaultdict(int)
            for each in file["lines"]:
                counts[each["line_number"]] += each["count"]
            for each in file["functions"]:  # may be gcov's only entry for the head of a lambda
                if (line := each["start_line"]) in counts:
                    counts[line] = max(counts[line], each["execution_count"])
            yield Path(part["current_working_directory"], file["file"]), dict(counts)


def cpp_counts(
    folder: Path, root: Path = ROOT, package: Path = PACKAGE
) -> dict[str, dict[int, int]]:
    """Return how often each line of each C++ file ran, across all libraries and programs."""
    found: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    names = sorted(path.name for path in folder.glob("*.gcno"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for files in pool.map(lambda name: [*report(folder, name)], names):
            for path, counts in files:
                if name := measured(path, root, package):
                    for line, count in counts.items():
                        found[name][line] += count
    return {name: dict(counts) for name, counts in found.items()}


def cpp_lines(text: str, counts: Mapping[int, int]) -> Lines:
    """Return the lines of a C++ text: those gcov knows, and statements that no compiler kept.

    The latter are in uninstantiated templates and functions never called. ``constexpr`` code that
    left no machine code was evaluated at compile time, and does not count.
    """
    statements = statement_lines(text, counts)
    constant = cpp_reasons(text, statements, refused=False)
    idle = {line for line in statements.idle if constant.get(line) != AT_COMPILE_TIME}
    rows = text.split("\n")
    declarations = {line for line in idle if MACRO_AT_START.match(rows[line - 1])}
    idle -= declarations | unread(tree(text), text)
    never = {line for line, count in counts.items() if not count} | (idle - {*counts})
    # A lone bracket may have code only for cleanup after an exception.
    words = {line for line in {*counts} | never if re.search(r"\w", rows[line - 1])}
    return Lines(len(words), never & words)


def python_lines() -> dict[str, Lines]:
    """Return the lines of each Python file of the package."""
    import coverage

    merged = FOLDER / "merged"
    measuring = coverage.Coverage(data_file=str(merged), config_file=str(FOLDER / "settings"))
    measuring.combine([str(path) for path in PYTHON.iterdir()], keep=True)
    found = {}
    for path in sorted((PACKAGE / "tvm_ffi").rglob("*.py")):
        if (name := measured(path)) and (ROOT / name).exists():
            _, statements, _, missing, _ = measuring.analysis2(str(path))
            found[name] = Lines(len(statements), {*missing})
    return found


def all_lines() -> dict[str, Lines]:
    """Return the lines of every file in the three folders."""
    found = python_lines()
    counts = cpp_counts(CPP)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in CPP_SUFFIXES:
                found[name] = cpp_lines(path.read_text(), counts.get(name, {}))
    return {
        name: lines
        for name, lines in sorted(found.items())
        if lines.total and not name.startswith(OTHERS)
    }


def explain(
    files: Mapping[str, Lines], entries: Iterable[Mapping[str, str]], root: Path = ROOT
) -> list[str]:
    """Attach to lines the reason of the entry that quotes them; return the entries' errors."""
    wrong = []
    for entry in entries:
        name, quoted = entry["file"], entry.get("lines", "")
        if name not in files:
            wrong.append(f"{name}: no such file was measured")
            continue
        text = (root / name).read_text()
        places = spans(text, quoted) if quoted else [{*range(1, text.count("\n") + 2)}]
        about = f"{name}: {quoted.strip().partition(chr(10))[0]!r}" if quoted else name
        if len(places) != 1:
            wrong.append(f"{about}: expected these lines once, found {len(places)}")
        elif not (missing := places[0] & files[name].never):
            wrong.append(f"{about}: all of these lines ran: delete the entry")
        else:
            files[name].why.update(dict.fromkeys(missing, entry["why"]))
    return wrong


def spans(text: str, quoted: str) -> list[set[int]]:
    """Find the quoted lines in a text, ignoring indentation; a line ``...`` skips to the next."""
    rows = [row.strip() for row in text.split("\n")]
    first, *rest = [row.strip() for row in quoted.strip().split("\n")]
    found = []
    for begin in (number for number, row in enumerate(rows) if row == first):
        at, skips = begin + 1, False
        for row in rest:
            if row == "...":
                skips = True
                continue
            while skips and at < len(rows) and rows[at] != row:
                at += 1
            if at == len(rows) or rows[at] != row:
                break
            at, skips = at + 1, False
        else:
            found.append({*range(begin + 1, at + 1)})
    return found


def totals(files: Mapping[str, Lines]) -> dict[str, dict[str, Any]]:
    """Return the figures of each folder, and of all."""
    found = {}
    for folder in (*FOLDERS, ""):
        some = [lines for name, lines in files.items() if name.startswith(folder)]
        total, ran = sum(each.total for each in some), sum(each.ran for each in some)
        found[folder or "all"] = {
            "lines": total,
            "ran": ran,
            "percent": percent(ran, total),
            "explained": sum(len(each.why) for each in some),
        }
    return found


def below_floor(figures: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a message for each folder where too few lines ran."""
    return [
        f"{folder}: expected {FLOOR:g} % of the lines to run, got {figures[folder]['percent']} %"
        for folder in FOLDERS
        if figures[folder]["percent"] < FLOOR
    ]


def ranges(numbers: Iterable[int]) -> str:
    """Format line numbers for a reader, for example 3-9, 12."""
    pairs = (each.split("-") for each in as_ranges(sorted(numbers)))
    return ", ".join(first if first == last else f"{first}-{last}" for first, last in pairs)


def percent(ran: int, total: int) -> float:
    """Return the percentage, rounded down so that only complete coverage is 100 %."""
    return int(1000 * ran / total) / 10 if total else 100.0


def show(files: Mapping[str, Lines]) -> None:
    """Print the lines that never ran, those without a reason first, and the figures."""
    for name, lines in files.items():
        if unexplained := lines.never - {*lines.why}:
            print(f"{name}: {percent(lines.ran, lines.total)} %; never ran: {ranges(unexplained)}")
    print(f"{'folder':16}{'lines':>8}{'ran':>8}{'percent':>9}{'with a reason':>15}")
    for folder, figures in totals(files).items():
        print(f"{folder:16}", end="")
        print("{lines:8}{ran:8}{percent:9}{explained:15}".format(**figures))


def main() -> int:
    """Build, run and report; return 1 for a failed test, low coverage or a stale entry."""
    begun = time.monotonic()
    arguments = sys.argv[1:]
    passed = True
    if "--report" not in arguments:
        build()
        passed = run_tests(arguments)
    files = all_lines()
    wrong = explain(files, tomllib.loads(REASONS.read_text())["not_covered"])
    show(files)
    as_json = {
        "totals": totals(files),
        "files": {
            name: {
                "lines": lines.total,
                "ran": lines.ran,
                "percent": percent(lines.ran, lines.total),
                "never": ranges(lines.never),
            }
            for name, lines in files.items()
        },
    }
    (FOLDER / "report.json").write_text(json.dumps(as_json, indent=1) + "\n")
    for test, reason in LEFT_OUT.items():
        print(f"left out: {test}: {reason}")
    if not {*arguments} - {"--report"}:  # a selection of tests runs only some lines
        wrong += below_floor(totals(files))
        for each in wrong:
            print(each)
    print(f"{time.monotonic() - begun:.0f} s")
    return not passed or bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
