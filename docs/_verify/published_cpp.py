# SPDX-License-Identifier: Apache-2.0
"""The C++ tests that pages show parts of, compiled with the published headers and run there.

A file may use one feature that those headers lack. Its function then does not compile, and is
taken out, with the compiler's message; the rest of the file is compiled and run.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cpp_statements import all_lines, tree
from .pages import DOCS
from .process import run
from .published_pages import run_past_crashes, shortened

if TYPE_CHECKING:
    from tree_sitter import Node

SHOWN = re.compile(r'^    "(tests/cpp/\S+\.cc)",$', re.MULTILINE)
FOLDER = Path("tests/cpp")
# With C++17, those headers take no lambda as an exported function; a note says so.
STANDARD = "-std=c++20"
HOLDERS = {"declaration_list", "linkage_specification", "namespace_definition"}
PLACE = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? +(?P<said>.*)")
EXPORTED = re.compile(
    r"^TVM_FFI_DLL_EXPORT_TYPED_FUNC\((test_\w+), (?:\w+::)*(\w+)\)", re.MULTILINE
)
CONTEXT = re.compile(r"^\S+: (?:In|At) ")
Taken = list[tuple[int, int, str]]  # first and last line, counted from 1, and the message


def items(node: Node) -> Iterator[range]:
    """The lines of each definition of a file, those in a namespace one by one."""
    for child in node.named_children:
        if child.type in HOLDERS or child.type.startswith("preproc_if"):
            yield from items(child)
        elif child.type != "comment" and not child.type.startswith("preproc_"):
            yield all_lines(child)


def lines_of_tests(text: str) -> dict[str, tuple[int, int]]:
    """The first and last line of the function that each test calls, counted from 1."""
    lines = text.splitlines()
    heads = {lines[item.start - 1]: (item.start, item.stop - 1) for item in items(tree(text))}
    return {
        test: place
        for test, function in EXPORTED.findall(text)
        for head, place in heads.items()
        if re.search(rf" {function}\(", head)
    }


def errors_of(output: str, source: Path) -> Iterator[tuple[int, str]]:
    """The line of a source that each error is about, or that asked for a template with an error.

    RuntimeError: an error is about no line of it.
    """
    asked = 0
    for text in output.splitlines():
        if CONTEXT.match(text):
            asked = 0
        found = PLACE.match(text)
        if found is None:
            continue
        ours, said = found["file"] == str(source), found["said"]
        if ours and said.startswith("required "):
            asked = int(found["line"])
        elif said.startswith(("error: ", "fatal error: ")):
            line = asked or (int(found["line"]) if ours else 0)
            if not line:
                raise RuntimeError(f"{source}: expected errors of its own lines, got: {text}")
            yield line, said.partition("error: ")[2]


def compile_rest(source: Path, command: list[str], environment: Mapping[str, str]) -> Taken:
    """Blank the definitions of a file that do not compile, until it does; say which they were.

    A file that includes what is not there is taken out as a whole.
    """
    taken: Taken = []
    whole = list(items(tree(source.read_text())))
    while True:
        text = source.read_text().splitlines()
        done = run([*command, str(source)], cwd=source.parent, env={**environment, "LC_ALL": "C"})
        if done.ok:
            return sorted(taken)
        wrong: dict[range, str] = {}
        for line, said in errors_of(done.output, source):
            item = next((each for each in whole if line in each), None)
            if item is None:  # an include: nothing of the file can be used
                source.write_text("")
                return [(1, len(text), said)]
            wrong.setdefault(item, said)
        if not wrong:
            raise RuntimeError(f"{source}: {done.reason}: {done.tail}")
        for item, said in wrong.items():
            text[item.start - 1 : item.stop - 1] = [""] * len(item)
            taken.append((item.start, item.stop - 1, said))
            whole.remove(item)
        source.write_text("\n".join(text) + "\n")


def shown_cpp_tests(root: Path) -> list[str]:
    """The files that a snippet test runs, because pages show parts of them."""
    return SHOWN.findall((root / "tests/snippets/test_cpp_tests.py").read_text())


def run_cpp_tests(
    file: str, python: str, root: Path, flags: str, environment: Mapping[str, str]
) -> dict[str, Any]:
    """What came of a file of C++ tests: what was taken out, and how each test ended.

    ``flags`` are the compiler's, for the published headers.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / FOLDER
        shutil.copytree(root / FOLDER, folder)
        shutil.copytree(root / "examples", Path(made) / "examples")
        source = Path(made) / file
        library = source.with_name(source.name.replace("test_", "").replace(".cc", "_library.cc"))
        command = ["g++", "-fsyntax-only", *flags.split(), STANDARD]
        if library.exists():
            compile_rest(library, command, environment)
        taken = compile_rest(source, command, environment)
        record = Path(made) / "record.json"

        lines = lines_of_tests((root / file).read_text())
        if not EXPORTED.search(source.read_text()):
            return {"taken": taken, "lines": lines, "outcomes": {}}

        def command_of(crashed: list[str]) -> list[str]:
            return [
                *(python, "-m", "pytest", "-q", "--tb=short", "--rootdir", made),
                *("-c", str(DOCS / "_verify/pytest.ini"), "-p", "no:cacheprovider"),
                *("-p", "_verify.outcomes_plugin", "--outcomes-record", str(record)),
                *(f"--deselect={each}" for each in crashed),
                str(source),
            ]

        settings = {**environment, "CPP_TESTS_FLAGS": f"{STANDARD} -w", "CPP_TESTS_BUILD": made}
        seen, crashed = run_past_crashes(file, command_of, record, folder, settings)
        outcomes = {
            each.partition("::")[2]: {key: result[key] for key in ("outcome", "got")}
            for each, result in seen["outcomes"].items()
        }
        for each, reason in crashed.items():
            outcomes[each.partition("::")[2]] = {"outcome": "failed", "got": reason}
        for result in outcomes.values():
            result["got"] = shortened(result["got"], folder)
    return {"taken": taken, "lines": lines, "outcomes": outcomes}
