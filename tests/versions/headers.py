# SPDX-License-Identifier: Apache-2.0
"""Build the examples' CPU libraries with one release's headers, and cache the results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from _verify.closure import digest, tree_digest
from _verify.examples import VARIANTS, Example
from _verify.versions_record import OK

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 1800  # seconds for a build on a busy machine
LONGEST = 300  # characters of an error
CPU, _ = VARIANTS


@dataclass(frozen=True)
class Package:
    """A package ``tvm_ffi`` in a folder: a release's own, or the environment's site-packages."""

    name: str
    folder: Path
    scripts: Path  # the folder of its tvm-ffi-config

    @property
    def include(self) -> Path:
        """The folder of its headers."""
        return self.folder / "tvm_ffi" / "include"

    def environment(self) -> dict[str, str]:
        """Return variables with which scripts find this package before any other."""
        path = [str(self.scripts), str(Path(sys.executable).parent), os.environ["PATH"]]
        found = {"PATH": os.pathsep.join(path), "PYTHONPATH": str(self.folder)}
        return {**os.environ, **found, "PYTHONDONTWRITEBYTECODE": "1"}


def first_error(said: str) -> str:
    """Return the line with the error, without local paths."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    named = [line for line in lines if "rror" in line] or lines[-1:] or ["no word of why"]
    return named[0].replace(f"{ROOT}/", "")[:LONGEST]


def made_of(root: Path, example: Example, package: Package) -> list[str]:
    """Return digests of the build's inputs: the example, the utility header, the headers."""
    here = root / example.folder
    return [
        tree_digest(here),
        digest(here.parent / "tvm_ffi_utils.h"),
        tree_digest(package.include),
    ]


def build(root: Path, example: Example, package: Package, libraries: Path) -> str:
    """Build a library with the example's script, unless cached: "ok", or its first error."""
    folder = libraries / package.name
    folder.mkdir(parents=True, exist_ok=True)
    memory, now = folder / f"{example.name}.json", made_of(root, example, package)
    if memory.exists():
        then = json.loads(memory.read_text())
        if then["made_of"] == now:
            return str(then["result"])
    done = subprocess.run(
        ["bash", str(root / example.script(CPU))],
        cwd=folder,
        env=package.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    result = OK if done.returncode == 0 else first_error(done.stderr + done.stdout)
    memory.write_text(json.dumps({"made_of": now, "result": result}))
    return result
