# SPDX-License-Identifier: Apache-2.0
"""The command ``tvm-ffi-stubgen``: fill the marked blocks of Python files, or check them."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .blocks import Options, filled
from .library import Registry, load
from .markers import AnnotatedFile, StubError, read_files
from .skeleton import Package, new_files, rolled_out

_STALE, _FAILED = 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status.

    It is 0 on success, 1 if ``--check`` found a file that is out of date, and 2 after an
    error, in which case no file has been written.
    """
    options = _parse(arguments)
    errors: list[str] = []
    try:
        for name in filter(None, options.imports.split(";")):
            importlib.import_module(name)
    except (Exception, SystemExit) as error:  # a module may raise anything
        return _fail([f"--imports: {name}: {type(error).__name__}: {error}"])
    try:
        registry = load([path for path in options.dlls.split(";") if path])
    except OSError as error:
        return _fail([str(error)])
    except Exception as error:  # a library's initialisers may, too
        return _fail([f"--dlls: {type(error).__name__}: {error}"])
    new = _new_files(options, registry)
    missing = [path for path in options.path if not path.exists() and not new]
    errors += [f"{path}: there is no such file or folder" for path in missing]
    files, wrong = read_files([path for path in options.path if path.exists()])
    errors += wrong
    files += [AnnotatedFile(path, text) for path, text in new.items()]
    mapping = _type_map(files, errors)
    known = {block.argument for file in files for block in file.blocks if block.kind == "object"}
    changes = []
    for original in files:
        try:
            file = rolled_out(original, known, registry)
            made = filled(file, registry, mapping, Options(options.indent, options.docs))
        except StubError as error:
            errors.append(str(error))
            continue
        except (RecursionError, TypeError, ValueError) as error:  # malformed metadata of a library
            errors.append(f"{original.path}: {type(error).__name__}: {error}")
            continue
        before = "" if file.path in new else original.text
        if made != before:
            changes.append((file, before, made))
        elif options.verbose:
            print(f"[Unchanged] {file.path}")
    if errors:
        return _fail(errors)
    for file, before, made in changes:
        if options.check:
            print(f"[Stale] {file.path}")
        elif options.verbose or options.dry_run:
            print(f"[File] {file.path}")
        if options.check or options.verbose or options.dry_run:
            print(_difference(file.path, before, made), end="")
    if options.check:
        return _STALE if changes else 0
    return 0 if options.dry_run else _write_all([(file, made) for file, _, made in changes])


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tvm-ffi-stubgen",
        description="Write typed Python for what libraries register and export: fill the blocks "
        "between markers in Python files, or make the files of a package.",
    )
    parser.add_argument(
        "path",
        metavar="PATH",
        nargs="+",
        type=Path,
        help="a file, or a folder to search for .py and .pyi files, at any depth",
    )
    parser.add_argument("--imports", default="", help="modules to import first, split by ';'")
    parser.add_argument(
        "--dlls", default="", metavar="LIBS", help="libraries to load, split by ';'"
    )
    parser.add_argument("--init-pypkg", default="", help="make a package: its distribution")
    parser.add_argument("--init-lib", default="", help="make a package: the name of its library")
    parser.add_argument(
        "--init-prefix", default="", help="make a package: the prefix of its registry names"
    )
    parser.add_argument("--indent", type=int, default=4, help="spaces per level of indentation (4)")
    parser.add_argument(
        "--target", choices=["python"], default="python", help="the language (python)"
    )
    parser.add_argument(
        "--docs",
        action="store_true",
        help="add docstrings and names of parameters, where a library has them",
    )
    parser.add_argument("--verbose", action="store_true", help="print what changes")
    parser.add_argument("--dry-run", action="store_true", help="print what would change")
    parser.add_argument(
        "--check",
        action="store_true",
        help="print what would change, and exit with status 1 if anything would",
    )
    options = parser.parse_args(arguments)
    made = [options.init_pypkg, options.init_lib, options.init_prefix]
    if any(made) and not all(made):
        parser.error("expected --init-pypkg, --init-lib and --init-prefix together")
    if any(made) and options.check:
        parser.error("--check: expected no --init-pypkg, --init-lib or --init-prefix with it")
    for option, name in (("pypkg", options.init_pypkg), ("lib", options.init_lib)):
        if name and not re.fullmatch(r"[\w.+-]+", name):
            parser.error(f"--init-{option}: expected a name, not a path, got {name!r}")
    if not 1 <= options.indent <= 16:
        parser.error(f"--indent: expected 1 to 16, got {options.indent}")
    return options


def _new_files(options: argparse.Namespace, registry: Registry) -> dict[Path, str]:
    if not options.init_prefix:
        return {}
    package = Package(options.init_pypkg, options.init_lib, options.init_prefix)
    made = new_files(options.path[0], package, registry)
    if not made:
        # Not an error: the build of a library that registers nothing yet goes on.
        tops = {name.partition(".")[0] for name in (*registry.functions, *registry.objects)}
        print(
            "tvm-ffi-stubgen: --init-prefix: expected the prefix of a registered name, "
            f"{', '.join(sorted(tops - {'ffi'})) or 'but none is registered'}, "
            f"got {options.init_prefix!r}: no file is created",
            file=sys.stderr,
        )
    return {path: text for path, text in made.items() if not path.exists()}


def _type_map(files: list[AnnotatedFile], errors: list[str]) -> dict[str, str]:
    """Return the ``ty-map`` entries of all files, each of which applies to every file."""
    mapping = {}
    for file in files:
        for directive in file.named("ty-map"):
            key, arrow, name = (part.strip() for part in directive.argument.partition("->"))
            if arrow and key and name:
                mapping[key] = name
            else:
                message = f"ty-map: expected type -> module.name, got {directive.argument!r}"
                errors.append(str(file.error(directive.line, message)))
    return mapping


def _difference(path: Path, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(path), str(path), lineterm=""
    )
    return "".join(f"{line}\n" for line in lines)


def _write_all(files: list[tuple[AnnotatedFile, str]]) -> int:
    """Replace all files by complete new ones, or none; readers see the old text or the new text."""
    ready: list[tuple[str, Path]] = []
    try:
        for file, text in files:
            try:
                ready.append(_ready(file.path, text))
            except OSError as error:
                line = file.blocks[0].begin if file.blocks else 1
                return _fail([f"{file.path}:{line}: cannot be written: {error.strerror}"])
        while ready:
            os.replace(*ready[0])
            del ready[0]
    finally:
        for name, _ in ready:
            os.unlink(name)
    return 0


def _ready(path: Path, text: str) -> tuple[str, Path]:
    """Write a file's new text next to it, and return the paths of both."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    # os.replace would also replace a file that is not writable.
    if path.exists():
        with open(path, "a"):
            pass
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if path.exists():
            shutil.copymode(path, name)
        else:
            os.chmod(name, 0o666 & ~_umask())
    except BaseException:
        os.unlink(name)
        raise
    return name, path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _fail(errors: list[str]) -> int:
    for error in errors:
        print(f"tvm-ffi-stubgen: {error}", file=sys.stderr)
    return _FAILED


if __name__ == "__main__":
    sys.exit(main())
