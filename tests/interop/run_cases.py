# SPDX-License-Identifier: Apache-2.0
"""Runs the cases on whatever runtime is installed and prints a line of JSON for each.

``run_cases.py MAKERS CHECKERS CASE...``: the folders of the libraries that make the values and of
those that look at them, and the cases, ``cpp:THEME:NAME`` or ``python:THEME:NAME``. A line that
says which case begins comes before each result, so that a crash has a name.
"""

import importlib
import json
import sys
from functools import cache
from pathlib import Path

import tvm_ffi


class Libraries:
    """The modules of one folder, loaded when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cache  # noqa: B019  (the modules stay loaded anyway)
    def __getattr__(self, theme: str) -> tvm_ffi.Module:
        return tvm_ffi.load_module(str(self.folder / f"{theme}.so"))


def run_cpp_case(theme: str, name: str, makers: Libraries, checkers: Libraries) -> None:
    """Hand each value from its maker to its checker, directly and through Python."""
    maker, checker = getattr(makers, theme), getattr(checkers, theme)
    count, make = maker[f"count_{name}"], maker[f"make_{name}"]
    check = checker[f"check_{name}"]
    assert count() > 0
    checkers.values.hand_over(count, make, check)
    for i in range(count()):
        check(i, make(i))


def run_case(case: str, makers: Libraries, checkers: Libraries) -> str:
    """Run one case and tell how it went: "ok", or the error."""
    language, theme, name = case.split(":")
    try:
        if language == "cpp":
            run_cpp_case(theme, name, makers, checkers)
        else:
            getattr(importlib.import_module(f"python_cases.{theme}"), name)(makers, checkers)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "ok"


def main(makers: str, checkers: str, *cases: str) -> None:
    """Run the cases in one process, since that is how libraries of both kinds meet."""
    libraries = {folder: Libraries(Path(folder)) for folder in (makers, checkers)}
    for case in cases:
        print(json.dumps({"begins": case}), flush=True)
        result = run_case(case, libraries[makers], libraries[checkers])
        print(json.dumps({"case": case, "result": result}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
