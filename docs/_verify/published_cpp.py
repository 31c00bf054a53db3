# SPDX-License-Identifier: Apache-2.0
"""The C++ tests that pages show parts of, compiled with the published headers and run there.

A file may use a feature that those headers lack. The function that uses it then does not compile
and is removed, with the compiler's message; the rest of the file is compiled and run.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
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
# With C++17, those headers accept no lambda as an exported function; a note says so.
STANDARD = "-std=c++20"
HOLDERS = {"declaration_list", "linkage_specification", "namespace_definition"}
NAMES = {"field_identifier", "identifier", "operator_name", "type_identifier"}
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
PLACE = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? +(?P<said>.*)")
EXPORTED = re.compile(
    r"^TVM_FFI_DLL_EXPORT_TYPED_FUNC\((test_\w+), (?:\w+::)*(\w+)\)", re.MULTILINE
)
CONTEXT = re.compile(r"^\S+: (?:In|At) ")
Taken = list[tuple[int, int, str]]  # first and last line, counted from 1, and the message


@dataclass(frozen=True)
class Definition:
    """A definition, or a macro: its first and last line, counted from 1, and its names."""

    first: int
    last: int
    names: tuple[str, ...]


def definitions(node: Node) -> Iterator[Definition]:
    """Yield the definitions of a file, without macros; those in a namespace separately."""
    for child in node.named_children:
        if child.type in HOLDERS or child.type.startswith("preproc_if"):
            yield from definitions(child)
        elif child.type.endswith(("_definition", "declaration", "_specifier", "_statement")):
            lines = all_lines(child)
            yield Definition(lines.start, lines.stop - 1, tuple(declared(child)))


def macros(text: str) -> Iterator[Definition]:
    """Yield the macros that a file defines."""
    for found in MACRO.finditer(text):
        first = text.count("\n", 0, found.start()) + 1
        yield Definition(first, first + found[0].count("\n"), (found["name"],))


def declared(node: Node) -> Iterator[str]:
    """Yield the names that a definition declares."""
    if node.type in NAMES:
        yield (node.text or b"").decode()
    elif node.type == "template_declaration":
        yield from (name for child in node.named_children for name in declared(child))
    else:
        for field in ("name", "declarator"):
            for child in node.children_by_field_name(field):
                yield from declared(child)
        if (of_type := node.child_by_field_name("type")) and of_type.child_by_field_name("body"):
            yield from declared(of_type)


def errors_of(output: str, source: Path) -> Iterator[tuple[int, str]]:
    """Yield the source line behind each error: its own, or one that instantiates a template.

    RuntimeError: an error is not about any line of the source.
    """
    asked = 0
    held: tuple[int, str, str] | None = None  # an error, until the notes that belong to it
    for text in [*output.splitlines(), "end: In "]:
        found = PLACE.match(text)
        said = found["said"] if found else ""
        ours = found is not None and found["file"] == str(source)
        is_error = said.startswith(("error: ", "fatal error: "))
        if held and (is_error or CONTEXT.match(text)):
            line, what, whole = held
            if not line:
                raise RuntimeError(f"{source}: expected errors of its own lines, got: {whole}")
            yield line, what
            held = None
        if CONTEXT.match(text):
            asked = 0
        elif found and ours and said.startswith("required "):
            asked = int(found["line"])
        elif found and is_error:
            line = asked or (int(found["line"]) if ours else 0)
            held = line, said.partition("error: ")[2], text
        elif found and ours and held and not asked and "in expansion of macro" in said:
            held = int(found["line"]), *held[1:]  # the use of the macro, not its definition


def compile_rest(source: Path, command: list[str], environment: Mapping[str, str]) -> Taken:
    """Blank the definitions of a file that do not compile, until it does; return them.

    A file that includes a missing header is removed entirely.
    """
    taken: Taken = []
    whole = list(definitions(tree(source.read_text())))
    while True:
        text = source.read_text().splitlines()
        done = run([*command, str(source)], cwd=source.parent, env={**environment, "LC_ALL": "C"})
        if done.ok:
            return sorted(taken)
        wrong: dict[Definition, str] = {}
        for line, said in errors_of(done.output, source):
            item = next((each for each in whole if each.first <= line <= each.last), None)
            if item is None:  # an include: nothing in the file can be used
                source.write_text("")
                return [(1, len(text), said)]
            wrong.setdefault(item, said)
        if not wrong:
            raise RuntimeError(f"{source}: {done.reason}: {done.tail}")
        for item, said in wrong.items():
            text[item.first - 1 : item.last] = [""] * (item.last - item.first + 1)
            taken.append((item.first, item.last, said))
            whole.remove(item)
        source.write_text("\n".join(text) + "\n")


def shown_cpp_tests(root: Path) -> list[str]:
    """Return the files that a snippet test runs because pages show parts of them."""
    return SHOWN.findall((root / "tests/snippets/test_cpp_tests.py").read_text())


def run_cpp_tests(
    file: str, python: str, root: Path, flags: str, environment: Mapping[str, str]
) -> dict[str, Any]:
    """Return the results for a file of C++ tests: the removed parts, and each test's outcome.

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

        text = (root / file).read_text()
        facts = {
            "tests": dict(EXPORTED.findall(text)),
            "definitions": [asdict(each) for each in (*definitions(tree(text)), *macros(text))],
            "taken": taken,
        }
        if not EXPORTED.search(source.read_text()):
            return {**facts, "outcomes": {}}

        def command_of(crashed: list[str]) -> list[str]:
            return [
                *(python, "-m", "pytest", "-q", "--tb=short", "--rootdir", made),
                *("-c", str(DOCS / "_verify/pytest.ini"), "-p", "no:cacheprovider"),
                *("-p", "_verify.outcomes_plugin", "--outcomes-record", str(record)),
                *(f"--left-out={each}" for each in crashed),
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
    return {**facts, "outcomes": outcomes}
