# SPDX-License-Identifier: Apache-2.0
"""What came of pages, tests and C++ files under the published package, kept in the repository.

Such a result depends on pinned packages, on this machine's Python and compiler, and on files of the
repository, but never on this project's runtime. So ``nox -s interop`` runs again only what these
changed, and writes what it found.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from .closure import digest
from .helpers import helpers_of
from .layout import Layout
from .tools import answer

RECORD = "docs/compared/published.json"
# What takes part in any of them, with comments: those of tvm-ffi-stubgen are read.
FOLDERS = (
    *("docs/_verify", "examples", "tests/cpp", "tests/examples", "tests/machine_code"),
    "tests/snippets",
)
FILES = (
    *("docs/_setup/lock.txt", "docs/reference/command_line.rst", "pyproject.toml"),
    "tests/conftest.py",
    *(f"tests/interop/{name}.py" for name in ("conftest", "example_runtimes")),
    *(f"tests/interop/{name}.py" for name in ("test_pages", "test_snippets")),
)
OWN = {"tests/snippets/test_copy.py": ["README.md"]}  # what one test alone reads
BUILT = {".o", ".pyc", ".so"}  # what a build leaves there

Kept = dict[str, dict[str, Any]]  # by name, what a result is made of and the result


def shared_digest(root: Path) -> str:
    """One SHA-256 for what all results depend on: tools, examples, and what tests compile or run.

    The tests themselves are left out, which only their own results depend on.
    """
    found = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))]
    tests = {path for folder in FOLDERS for path in (root / folder).glob("test_*")}
    files = [
        path for path in found if path.is_file() and path.suffix not in BUILT and path not in tests
    ]
    compiler = answer("g++", "--version").partition("\n")[0]
    total = hashlib.sha256(f"{platform.python_version()}\0{compiler}\n".encode())
    for path in (*files, *(root / name for name in FILES)):
        total.update(f"{path.relative_to(root).as_posix()}\0{digest(path)}\n".encode())
    return total.hexdigest()


def made_of(layout: Layout, name: str, shared: str) -> str:
    """What a result depends on: the file, with comments, since a result may name lines."""
    helpers = helpers_of(layout, name) if name.endswith(".py") else []
    files = [name, *helpers, *OWN.get(name, [])]
    texts = [shared, *(f"{file}\0{digest(layout.root / file)}" for file in files)]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def read(root: Path) -> dict[str, Kept]:
    """All that is kept, by its kind; nothing if the file is absent."""
    path = root / RECORD
    found: dict[str, Kept] = json.loads(path.read_text()) if path.exists() else {}
    return found


def write(root: Path, kept: Mapping[str, Kept]) -> None:
    """Write it with a line for each result, and only if it differs."""
    kinds = []
    for kind, results in sorted(kept.items()):
        lines = [
            f"  {json.dumps(name)}: {json.dumps(each)}" for name, each in sorted(results.items())
        ]
        kinds.append(f" {json.dumps(kind)}: {{\n" + ",\n".join(lines) + "\n }")
    text = "{\n" + ",\n".join(kinds) + "\n}\n"
    path = root / RECORD
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run_changed(
    kind: str,
    names: Iterable[str],
    layout: Layout,
    prepare: Callable[[Executor], None],
    run: Callable[[str], Any],
    pool: Executor,
    *,
    again: bool = False,
) -> dict[str, Any]:
    """The result of each name, in their order: the one that is kept if its files are as they were.

    ``prepare`` is called before anything is run, and not if nothing has to be; ``again`` runs all.
    """
    names, shared = list(names), shared_digest(layout.root)
    keys = {name: made_of(layout, name, shared) for name in names}
    kept = read(layout.root)
    old = {} if again else kept.get(kind, {})
    todo = [name for name in names if old.get(name, {}).get("made_of") != keys[name]]
    if todo:
        prepare(pool)
    fresh = dict(zip(todo, pool.map(run, todo), strict=True))
    found = {name: fresh[name] if name in fresh else old[name]["found"] for name in names}
    results = {name: {"made_of": keys[name], "found": found[name]} for name in names}
    write(layout.root, {**kept, kind: results})
    print(f"{kind} under the published package: {len(todo)} run, {len(names) - len(todo)} kept")
    return found
