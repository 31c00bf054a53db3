# SPDX-License-Identifier: Apache-2.0
"""Embed a CUBIN in an object file, where C++ finds it by name.

``python -m tvm_ffi.utils.embed_cubin --cubin a.cubin --input-obj a.o --output-obj b.o --name a``
does the same as :func:`embed_cubin`.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["embed_cubin"]

_PREFIX = "__tvm_ffi__cubin_"


def embed_cubin(
    cubin_path: str | os.PathLike[str],
    input_obj_path: str | os.PathLike[str],
    output_obj_path: str | os.PathLike[str],
    name: str,
    verbose: bool = False,
) -> None:
    """Embed a CUBIN, a fatbin or PTX in an object file that has ``TVM_FFI_EMBED_CUBIN(name)``.

    This runs ``as``, ``nm``, ``ld`` and ``objcopy`` from GNU Binutils, which g++ needs too.
    The image's symbols are local to the object file, so that two object files of one library
    may have images of the same name.

    Parameters
    ----------
    cubin_path
        The image.
    input_obj_path
        An object file for Linux, compiled from a source that has ``TVM_FFI_EMBED_CUBIN(name)``.
    output_obj_path
        The object file to write; it may be the input.
    name
        The name that the source uses.
    verbose
        Whether to print the commands to stderr.

    Raises
    ------
    FileNotFoundError
        There is no such image, no such object file, or no such folder for the output.
    OSError
        The output cannot be written.
    ValueError, TypeError
        ``name`` has characters other than letters, digits and underscores, the object file's source
        has no ``TVM_FFI_EMBED_CUBIN`` of this name, the image is empty, or an argument is invalid.
    RuntimeError
        A program is missing, or it failed; its message is part of the error.
    """
    check_name("embed_cubin: name", name)
    cubin, source = (
        _existing(argument, path)
        for argument, path in (("cubin_path", cubin_path), ("input_obj_path", input_obj_path))
    )
    output = _path("output_obj_path", output_obj_path)
    if os.path.getsize(cubin) == 0:
        raise ValueError(f"embed_cubin: cubin_path: expected an image, got no bytes in {cubin!r}")
    with tempfile.TemporaryDirectory() as folder:
        text, image, joined = (os.path.join(folder, end) for end in ("image.s", "image.o", "all.o"))
        # The bytes of a path need not be UTF-8.
        Path(text).write_bytes(os.fsencode(assembly(name, cubin)))
        _run(["as", "-o", image, text], verbose)
        _check_use(
            name, source, _run(["nm", "--undefined-only", "--format=posix", source], verbose)
        )
        _run(["ld", "-r", "-o", joined, source, image], verbose)
        local = [f"--localize-symbol={symbol}" for symbol in (f"{_PREFIX}{name}", _end(name))]
        _run(["objcopy", *local, joined], verbose)
        # The output is complete or does not exist.
        new = ""
        try:
            handle, new = tempfile.mkstemp(dir=os.path.dirname(output), suffix=".o.new")
            os.close(handle)
            shutil.copy(joined, new)
            os.replace(new, output)
            new = ""
        except OSError as error:
            message = f"embed_cubin: output_obj_path: expected a file to write: {error.strerror}"
            raise OSError(error.errno, message, output) from error
        finally:
            if new:
                os.unlink(new)


def assembly(name: str, image: str) -> str:
    """Return the assembler source of an object file with an image between its two symbols.

    Hidden symbols are visible to all objects of one library, and not outside it.
    """
    symbols = f"{_PREFIX}{name}", _end(name)
    quoted = image.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(
        [
            '.section .rodata, "a"',
            ".balign 64",
            *(line for symbol in symbols for line in (f".globl {symbol}", f".hidden {symbol}")),
            f"{symbols[0]}:",
            f'.incbin "{quoted}"',
            f"{symbols[1]}:",
            ".byte 0",  # terminates PTX, which is text
            f".type {symbols[0]}, @object",
            f".size {symbols[0]}, {symbols[1]} - {symbols[0]}",
            '.section .note.GNU-stack, "", @progbits',
            "",
        ]
    )


def check_name(argument: str, name: Any) -> None:
    """Refuse a name that cannot be part of a C identifier."""
    if not isinstance(name, str):
        raise TypeError(f"{argument}: expected a str, got {type(name).__name__}")
    if not re.fullmatch(r"\w+", name, re.ASCII):
        raise ValueError(
            f"{argument}: expected the name in TVM_FFI_EMBED_CUBIN(name), of letters, digits and "
            f"underscores, got {name!r}"
        )


def _end(name: str) -> str:
    return f"{_PREFIX}{name}_end"


def _path(argument: str, given: Any) -> str:
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(
            f"embed_cubin: {argument}: expected a str or a path, got {type(given).__name__}"
        )
    path = os.path.abspath(os.fsdecode(given))
    if "\n" in path or "\0" in path:
        raise ValueError(f"embed_cubin: {argument}: expected one line of text, got {path!r}")
    return path


def _existing(argument: str, given: Any) -> str:
    path = _path(argument, given)
    if not os.path.isfile(path):
        raise FileNotFoundError(errno.ENOENT, f"embed_cubin: {argument}: there is no file", path)
    return path


def _check_use(name: str, source: str, undefined: str) -> None:
    """Refuse a name that the object file, with these undefined symbols, does not refer to."""
    symbols = {line.split(" ")[0] for line in undefined.splitlines()}
    if f"{_PREFIX}{name}" in symbols:
        return
    used = [symbol[len(_PREFIX) :] for symbol in sorted(symbols) if symbol.startswith(_PREFIX)]
    names = ", ".join(repr(each) for each in used if not each.endswith("_end"))
    raise ValueError(
        f"embed_cubin: name: expected one in a TVM_FFI_EMBED_CUBIN of {source!r}"
        f" ({names or 'it has none'}), got {name!r}"
    )


def _run(command: list[str], verbose: bool) -> str:
    """Run a program; return what it printed."""
    if verbose:
        print(" ".join(command), file=sys.stderr)
    if not shutil.which(command[0]):
        raise RuntimeError(
            f"embed_cubin: expected the program {command[0]!r} of GNU Binutils, found none"
        )
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"embed_cubin: {command[0]} failed with status {done.returncode}:\n"
            f"{done.stderr.strip()}"
        )
    return done.stdout


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    import argparse  # the function above does not need it

    parser = argparse.ArgumentParser(
        prog="python -m tvm_ffi.utils.embed_cubin",
        description="Put a CUBIN, a fatbin or PTX into an object file.",
    )
    for option, told in (
        ("--cubin", "the image"),
        ("--input-obj", "an object file whose source has TVM_FFI_EMBED_CUBIN(NAME)"),
        ("--output-obj", "the object file to write"),
        ("--name", "the name in TVM_FFI_EMBED_CUBIN"),
    ):
        parser.add_argument(option, required=True, help=told)
    parser.add_argument("-v", "--verbose", action="store_true", help="print the commands")
    given = parser.parse_args(arguments)
    try:
        embed_cubin(given.cubin, given.input_obj, given.output_obj, given.name, given.verbose)
    except (OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
