# SPDX-License-Identifier: Apache-2.0
"""Check the English of pages, comments and docstrings with proselint and the page Writing Style."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from proselint.checks import __register__
from proselint.config import DEFAULT, Config
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _setup.prose_lines import (  # noqa: E402  (in the folder added above)
    prose_of_cpp,
    prose_of_page,
    prose_of_python,
    rules_of,
    without_literals,
    words_to_avoid,
)

KINDS = (
    (prose_of_page, ("*.md", ".github/**/*.md", "docs/**/*.rst")),
    (prose_of_cpp, ("include/tvm/**/*.h", "src/*.*", "python/**/*.cc", "python/**/*.h")),
    (prose_of_cpp, tuple(f"examples/**/*.{end}" for end in ("h", "cc", "cu", "cuh"))),
    (prose_of_python, ("*.py", "python/**/*.py", "docs/**/*.py", "examples/**/*.py")),
)
# Straight quotes, three dots and x can be copied and searched; NE is a comparison, not né.
OFF = (
    "misc.preferred_forms",
    "typography.symbols.curly_quotes",
    "typography.symbols.ellipsis",
    "typography.symbols.multiplication",
    "typography.symbols.trademark",
)
CONFIG = Config(
    max_errors=DEFAULT["max_errors"],
    checks={**dict.fromkeys(OFF, False), **DEFAULT["checks"]},
)


def findings(prose: str, rules: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the line and message of each finding."""
    yield from words_to_avoid(prose, rules)
    for result in LintFile("", prose).lint(CONFIG):
        message = " ".join(result.check_result.message.split())
        yield result.pos[0], f"{result.check_result.check_path}: {message}"


def main() -> int:
    """Print each finding with its file and line; return 1 if there are any."""
    CheckRegistry().register_many(__register__)
    rules = rules_of((ROOT / "docs" / "writing_style.rst").read_text())
    files = found = 0
    for prose_of, globs in KINDS:
        for path in sorted({path for glob in globs for path in ROOT.glob(glob)}):
            if "_outside" in path.parts:  # lists of names
                continue
            files += 1
            for line, message in findings(without_literals(prose_of(path.read_text())), rules):
                found += 1
                print(f"{path.relative_to(ROOT)}:{line}: {message}")
    print(f"prose of {files} files, {found} findings")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
