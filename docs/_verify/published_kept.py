# SPDX-License-Identifier: Apache-2.0
"""Results of pages, tests and C++ files under the published package, kept in the repository.

Such a result depends on pinned packages, this machine's Python and compiler, and files of the
repository, but never on this project's runtime. So ``nox -s interop`` repeats only results whose
inputs changed, and writes the new ones.
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
# Inputs of all results, including comments: those of tvm-ffi-stubgen are parsed.
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
OWN = {"tests/snippets/test_copy.py": ["README.md"]}  # files read by only one test
BUILT = {".o", ".pyc", ".so"}  # build outputs there

Kept = dict[str, dict[str, Any]]  # by name, the digest of a result's inputs and the result


def shared_digest(root: Path) -> str:
    """Return one SHA-256 for all shared inputs: tools, examples, and code that tests use.

    It excludes the tests themselves, on which only their own results depend.
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
    """Return a digest of a result's inputs, including comments, since results may name lines."""
    helpers = helpers_of(layout, name) if name.endswith(".py") else []
    files = [name, *helpers, *OWN.get(name, [])]
    texts = [shared, *(f"{file}\0{digest(layout.root / file)}" for file in files)]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def read(root: Path) -> dict[str, Kept]:
    """Read all kept results, by kind; nothing if the file is absent."""
    path = root / RECORD
    found: dict[str, Kept] = json.loads(path.read_text()) if path.exists() else {}
    return found


def write(root: Path, kept: Mapping[str, Kept]) -> None:
    """Write them with a line for each result, and only if the file differs."""
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
    """Return the result of each name, in order: the kept one if its inputs are unchanged.

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
