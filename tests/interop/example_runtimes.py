# SPDX-License-Identifier: Apache-2.0
"""Which runtimes the examples claim to work under, and what happens under each.

Everything is built and run in a copy of the examples: a folder and the utility header are enough.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from _verify.examples import VARIANTS, Example, Variant, find_examples
from _verify.layout import Layout
from _verify.runtimes_record import write_record
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class OnlyHere:
    """Why an example works under this runtime alone, and what one gets under the published one."""

    reason: str
    says: str  # part of the error's words


# Every other example works under both runtimes, with a library built with either's headers.
ONLY_HERE: dict[str, OnlyHere] = {
    "storage": OnlyHere(
        "the published runtime has no store", "storage: expected a runtime that has a store"
    ),
}

CPU, CUDA = VARIANTS
OK = "ok"
CUDA_BUILD = "CUDA source, published headers"
CPU_BUILD = {"ours": "CPU library, our headers", "published": "CPU library, published headers"}
KINDS = ("ours", "published")
# The headers that a library is built with, and the runtime that it is loaded by.
PAIRS = [(headers, runtime) for headers in KINDS for runtime in KINDS]
# Whether it compiles is asked, not for what; the host's code is read too.
NVCC = "-std=c++17 -arch=compute_80 --ptx -o /dev/null"


def flags(python: str, *options: str) -> list[str]:
    """What a package's tvm-ffi-config tells."""
    command = [python, "-m", "tvm_ffi.config", *options]
    return shlex.split(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def includes_cutlass(source: Path) -> bool:
    """Whether a source includes CUTLASS: it takes long, and has none of the runtime's headers."""
    text = source.read_text()
    cutlass = "#include <cutlass/" in text
    if cutlass and ("tvm" in text or "_checks.h" in text):
        raise ValueError(f"{source}: expected CUTLASS or the runtime's headers, got both")
    return cutlass


def told(command: list[str], **options: Any) -> str:
    """Run a command: "ok", or its first error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode == 0:
        return OK
    lines = (done.stdout + done.stderr).splitlines()
    return next((line for line in lines if "error" in line), "\n".join(lines[-5:]))


class Copies:
    """The examples, copied out of the repository, and built with either package's headers."""

    def __init__(self, pythons: dict[str, str], folder: Path) -> None:
        self.pythons, self.nvcc = pythons, find_nvcc()
        self.examples = find_examples(Layout.of(ROOT))
        self.folder = folder / "copied"
        self.libraries = {kind: folder / kind for kind in KINDS}
        self.built: dict[tuple[str, str], str] = {}  # by library and kind, what came of it
        for each in (self.folder, *self.libraries.values()):
            each.mkdir()
        here = ROOT / "examples" / "kernel_library"
        shutil.copy(here / "tvm_ffi_utils.h", self.folder)
        for example in self.examples:
            ignored = shutil.ignore_patterns("*.so", "build", "__pycache__")
            shutil.copytree(here / example.name, self.folder / example.name, ignore=ignored)

    def copy_of(self, path: str) -> str:
        """Give the copy of a file of the examples."""
        return str(self.folder / Path(path).relative_to("examples/kernel_library"))

    def environment(self, kind: str) -> dict[str, str]:
        """An environment in which scripts and drivers find a package."""
        path = f"{Path(self.pythons[kind]).parent}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, **self.nvcc, "PATH": path}

    def build(self, example: Example, kind: str, variant: Variant = CPU) -> str:
        """Build a library, the one for the CPU, with a package's headers, if it is not there."""
        key = example.library(variant), kind
        if key not in self.built:
            self.built[key] = told(
                ["bash", self.copy_of(example.script(variant))],
                cwd=self.libraries[kind],
                env=self.environment(kind),
            )
        return self.built[key]

    def compile_for_cuda(self, example: Example) -> str:
        """Compile the CUDA sources with the published headers; docs/verify.py does with ours."""
        if not self.nvcc:
            return "no nvcc is installed"
        options = flags(self.pythons["published"], "--cxxflags")
        command = [self.nvcc["NVCC"], *NVCC.split(), *options]
        sources = [path for path in example.sources(CUDA) if not includes_cutlass(ROOT / path)]
        results = [told([*command, self.copy_of(path)]) for path in sources]
        return next((result for result in results if result != OK), OK)

    def run_drivers(self, headers: str, runtime: str, names: list[str]) -> dict[str, str]:
        """Run drivers in one process; after a crash, the rest in another."""
        results: dict[str, str] = {}
        command = [self.pythons[runtime], str(HERE / "run_drivers.py"), str(self.folder)]
        while rest := [name for name in names if name not in results]:
            done = subprocess.run(
                [*command, str(self.libraries[headers]), *rest],
                env=self.environment(runtime),
                capture_output=True,
                text=True,
                check=False,
            )
            lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            ended = {line["name"]: line["result"] for line in lines if "name" in line}
            begun = [line["begins"] for line in lines if "begins" in line]
            results |= ended
            if crashed := [name for name in begun if name not in ended]:
                results[crashed[0]] = f"ended the process with status {done.returncode}"
            elif not ended:
                raise RuntimeError(f"{runtime}: {done.stdout}{done.stderr}")
        return results


def find_out(copies: Copies) -> dict[str, dict[str, str]]:
    """What happens to each example: by what was tried, "ok" or what one gets."""
    examples = copies.examples
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = {
            CUDA_BUILD: pool.map(copies.compile_for_cuda, examples),
            **{
                CPU_BUILD[kind]: pool.map(partial(copies.build, kind=kind), examples)
                for kind in KINDS
            },
        }
        seen: dict[str, dict[str, str]] = {example.name: {} for example in examples}
        for what, results in made.items():
            for example, result in zip(examples, results, strict=True):
                seen[example.name][what] = result

        def run(pair: tuple[str, str]) -> dict[str, str]:
            built = [name for name, told in seen.items() if told[CPU_BUILD[pair[0]]] == OK]
            return copies.run_drivers(*pair, built)

        for (headers, runtime), of_pair in zip(PAIRS, pool.map(run, PAIRS), strict=True):
            for name, result in of_pair.items():
                seen[name][f"{headers} under {runtime}"] = result
    return seen


def wrong(name: str, told: dict[str, str]) -> str:
    """What contradicts the claim of an example, or an empty string."""
    failures = {what: result for what, result in told.items() if result != OK}
    claim = ONLY_HERE.get(name)
    if claim is None:
        return "; ".join(f"{what}: {result}" for what, result in failures.items())
    for what in (CPU_BUILD["ours"], "ours under ours"):
        if what in failures:
            return f"{what}: {failures[what]}"
    under_theirs = told["ours under published"]
    if under_theirs == OK:
        return "it works under the published runtime too"
    if claim.says not in under_theirs:
        return f"expected {claim.says!r} under the published runtime, got {under_theirs}"
    return ""


def keep(root: Path, seen: dict[str, dict[str, str]]) -> None:
    """Write the record from which the pages take their labels."""
    labels = {}
    for name, told in seen.items():
        claim = ONLY_HERE.get(name)
        labels[name] = {"wrong": wrong(name, told), "only here": claim.reason if claim else ""}
    write_record(root, root / "build", labels)
