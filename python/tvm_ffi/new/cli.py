# SPDX-License-Identifier: Apache-2.0
"""The command ``tvm-ffi``: make a project for a kernel library."""

from __future__ import annotations

import argparse
import keyword
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

TEMPLATE = Path(__file__).with_name("template")
RUNTIMES = ("tvm-ffi-kernel-library", "apache-tvm-ffi")

_FAILED = 2
# The documentation shows parts of these sources; in a project the marks would be noise.
_MARK = re.compile(r"^ *// \[\w+\.(?:begin|end)\]\n", re.MULTILINE)
# Every such name is also that of a distribution, with hyphens, and of a target of CMake.
_NAME = re.compile(r"[a-z](_?[a-z0-9])*")
# The package test of Python is not in sys.stdlib_module_names; the next two are the runtimes'
# distributions, which would require themselves; the rest are targets that CMake has already.
_TAKEN = {
    "tvm_ffi",
    "test",
    *(runtime.replace("-", "_") for runtime in RUNTIMES),
    *("all", "clean", "help", "install", "package", "edit_cache", "rebuild_cache"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and give its exit status: 0, or 2 after an error."""
    options = _parse(arguments)
    try:
        folder = new_project(options.name, Path.cwd(), options.runtime)
    except (ImportError, OSError, ValueError) as error:
        print(f"tvm-ffi new: {error}", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:  # at the question
        return _FAILED
    print(f"{folder.name}: README.md says how to build it, test it and make it your own")
    return 0


def new_project(name: str, parent: Path, runtime: str | None = None) -> Path:
    """Make the project ``name`` in the folder ``parent``, and give its path.

    If ``runtime`` is None, a terminal is asked for it, and otherwise it is the first of
    ``RUNTIMES``. A wrong name is a ValueError, a folder that contains files is a FileExistsError,
    and without Copier it is an ImportError.
    """
    check_name(name)
    folder = parent / name
    if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(
            f"NAME: expected a name for a new or empty folder, got {name!r}, which exists"
        )
    if runtime not in (None, *RUNTIMES):
        raise ValueError(f"--runtime: expected {' or '.join(RUNTIMES)}, got {runtime!r}")
    try:
        import copier
    except ModuleNotFoundError as error:
        if error.name != "copier":
            raise
        raise ImportError(
            f"expected the package copier, which is not installed: {sys.executable} -m pip install "
            "'copier>=9.4,<10'"
        ) from None
    answers = {"name": name} if runtime is None else {"name": name, "runtime": runtime}
    asks = sys.stdin is not None and sys.stdin.isatty()  # It is None where it is closed.
    copier.run_copy(str(TEMPLATE), folder, data=answers, defaults=not asks, quiet=True)
    for source in (folder / "src").iterdir():
        text = source.read_text(encoding="utf-8")
        source.write_text(_MARK.sub("", text), encoding="utf-8")
    return folder


def check_name(name: str) -> None:
    """Raise a ValueError if a name does not suit a package, a distribution and a library."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(
            "NAME: expected the name of a Python package, such as row_scale, of lower-case "
            f"letters, digits and single underscores, got {name!r}"
        )
    if name in sys.stdlib_module_names or name in _TAKEN:
        raise ValueError(
            f"NAME: expected a name that no other package or CMake target uses, got {name!r}"
        )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tvm-ffi", description="Make a project for a kernel library."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    new = commands.add_parser(
        "new",
        help="make a project from a template",
        description="Make the folder NAME, a project with a kernel for CPU and GPU, its tests and "
        "the files that build it as a wheel.",
    )
    new.add_argument("name", metavar="NAME", help="the Python package, such as row_scale")
    new.add_argument(
        "--runtime",
        choices=RUNTIMES,
        help="the runtime that the wheel requires; asked for on a terminal, otherwise "
        f"{RUNTIMES[0]}",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
