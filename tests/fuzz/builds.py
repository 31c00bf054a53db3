# SPDX-License-Identifier: Apache-2.0
"""Build the fuzzers' libraries, once per version of their sources and the installed headers."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from tvm_ffi import config, libinfo

FOLDER = Path(__file__).resolve().parent
BUILT = FOLDER.parents[1] / "build" / "fuzz"


def build_native() -> Path:
    """Build native.c."""
    compiler = os.environ.get("CC", "cc")
    return build("native.c", [compiler, *config.cflags().split(), "-std=gnu99", "-O1"], [])


def build_harness() -> Path:
    """Build harness.cc."""
    compiler = os.environ.get("CXX", "g++")
    link = [*config.ldflags().split(), "-ltvm_ffi"]
    return build("harness.cc", [compiler, *config.cxxflags().split(), "-O1"], link)


def build_small() -> Path:
    """Build small.c, which needs no other library."""
    compiler = os.environ.get("CC", "cc")
    return build("small.c", [compiler, *config.cflags().split(), "-std=gnu99", "-O1"], [])


def build(source: str, command: list[str], link: list[str]) -> Path:
    """Build a library, unless it exists."""
    digest = hashlib.sha256((FOLDER / source).read_bytes())
    digest.update(Path(libinfo.find_libtvm_ffi()).read_bytes())
    for header in sorted(Path(libinfo.find_include_path()).rglob("*.h")):
        digest.update(header.read_bytes())
    path = BUILT / f"{source.partition('.')[0]}-{digest.hexdigest()[:12]}.so"
    if not path.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILT) as place:
            made = Path(place) / path.name
            flags = ["-shared", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Werror"]
            subprocess.run(
                [*command, *flags, str(FOLDER / source), "-o", str(made), *link], check=True
            )
            made.replace(path)  # another process may have been faster
    return path
