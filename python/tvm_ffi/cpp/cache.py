# SPDX-License-Identifier: Apache-2.0
"""Records of earlier builds, and whether they are still up to date."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from .. import libinfo
from .ninja import Step

# State of a build's input file: its size, its modification time in ns, and its SHA-256.
State = list[Any]


def cache_folder() -> str:
    """Return the folder of all builds: ``$TVM_FFI_CACHE_DIR`` or ``~/.cache/tvm-ffi``."""
    given = os.environ.get("TVM_FFI_CACHE_DIR") or os.path.join("~", ".cache", "tvm-ffi")
    return os.path.abspath(os.path.expanduser(given))


def digest(*parts: object) -> str:
    """Return a short digest of the inputs of a build."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


@cache
def headers_digest() -> str:
    """Return a digest of the contents of the package's headers."""
    root = libinfo.find_include_path()
    names = [
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(root)
        for name in names
    ]
    return digest([(name, file_digest(os.path.join(root, name))) for name in sorted(names)])


def file_digest(path: str) -> str:
    """Return the SHA-256 of a file's content."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Record:
    """Inputs and outputs of the last build in a folder, if it ran the same commands.

    Parameters
    ----------
    folder
        Folder of the build.
    product
        Name of the product.
    made_of
        Digest of the build's inputs other than files: commands, compilers, headers.
    """

    def __init__(self, folder: str, product: str, made_of: str) -> None:
        self.folder = folder
        self.made_of = made_of
        self.path = os.path.join(folder, f"{product}.json")
        self.inputs: dict[str, dict[str, State]] = {}  # by output
        self.product = ""
        self.product_digest = ""
        try:
            with open(self.path, encoding="utf-8") as file:
                found = json.load(file)
            if found["made_of"] == made_of:
                self.product, self.product_digest = found["product"], found["digest"]
                self.inputs = found["inputs"]
        except (OSError, ValueError, KeyError, TypeError):
            pass  # never built, or not completed

    def valid_product(self) -> str | None:
        """Return the path of the built file, or None if it or one of its inputs has changed."""
        try:
            if not self.product or file_digest(self.product) != self.product_digest:
                return None
        except OSError:
            return None
        return None if self.outdated() else self.product

    def outdated(self) -> list[str]:
        """Return the outputs that must be rebuilt because one of their inputs has changed."""
        same: dict[str, bool] = {}
        for inputs in self.inputs.values():
            for path, state in inputs.items():
                if path not in same:
                    same[path] = _is(path, state)
        return [made for made, inputs in self.inputs.items() if not all(map(same.get, inputs))]

    def inputs_digest(self) -> str:
        """Return a digest of the contents of all files that were read."""
        contents = {
            path: state[2] for files in self.inputs.values() for path, state in files.items()
        }
        return digest(sorted(contents.items()))

    def begin(self, outdated: list[str]) -> None:
        """Record the start of a build, which may fail: drop the inputs of outdated outputs."""
        self.inputs = {made: read for made, read in self.inputs.items() if made not in outdated}
        self._write("", "")

    def note_inputs(self, steps: list[Step], files: Iterable[str], begun: int) -> None:
        """Record the files that each step has read, except those that the build's digest covers.

        Those are the caller's texts, which the build itself writes into ``files``, and the
        package's headers. Sources may be in the build folder itself.

        A file that changed after the build began (a time in ns) may have been read before or after
        the change: it counts as changed.
        """
        own = {os.path.join(self.folder, name) for name in (*files, *(s.output for s in steps))}
        headers = os.path.join(libinfo.find_include_path(), "")
        states: dict[str, State] = {}
        self.inputs = {}
        for step in steps:
            read = list(step.inputs)
            if step.depfile:
                with open(os.path.join(self.folder, step.depfile), "rb") as file:
                    read = parse_depfile(os.fsdecode(file.read()))
            paths = {os.path.normpath(os.path.join(self.folder, path)) for path in read}
            of_step = sorted(path for path in paths - own if not path.startswith(headers))
            for path in of_step:
                if path not in states:
                    states[path] = _state(path, begun)
            self.inputs[step.output] = {path: states[path] for path in of_step}

    def end(self, product: str) -> None:
        """Record that a build has completed."""
        self._write(product, file_digest(product))

    def _write(self, product: str, product_digest: str) -> None:
        content = {
            "made_of": self.made_of,
            "product": product,
            "digest": product_digest,
            "inputs": self.inputs,
        }
        new = f"{self.path}.new"
        with open(new, "w", encoding="utf-8") as file:
            json.dump(content, file)
        os.replace(new, self.path)


def _state(path: str, begun: int) -> State:
    status = os.stat(path)
    if status.st_mtime_ns >= begun:
        return [-1, 0, ""]
    return [status.st_size, status.st_mtime_ns, file_digest(path)]


def _is(path: str, state: State) -> bool:
    """Whether a file is unchanged; its content decides, its time only avoids reading it."""
    try:
        status = os.stat(path)
        if [status.st_size, status.st_mtime_ns] == state[:2]:
            return True
        return file_digest(path) == str(state[2])
    except (OSError, TypeError, IndexError):
        return False


def parse_depfile(text: str) -> list[str]:
    """Return the files that a compiler lists in its dependency file for ``make``."""
    _, _, files = text.replace("\\\n", " ").partition(": ")
    words = re.findall(r"(?:\\.|[^\s\\])+", files)
    return [re.sub(r"\\([ \t#:\\])", r"\1", word).replace("$$", "$") for word in words]
