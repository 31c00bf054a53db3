# SPDX-License-Identifier: Apache-2.0
"""Which runtimes the examples claim to work under, and what happens under each."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from _verify.compile import compile_variant, runtime_key
from _verify.examples import VARIANTS, Example, find_examples
from _verify.layout import Layout
from _verify.runtimes_record import write_record
from _verify.tools import Tools

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class OnlyHere:
    """Why an example works under this runtime alone, and what one gets under the published one."""

    reason: str
    says: str  # part of the error's words


# Every other example works under both runtimes, with a library built with either's headers.
ONLY_HERE: dict[str, OnlyHere] = {}

CPU, CUDA = VARIANTS
OK = "ok"
# The headers that a library is built with, and the runtime that it is loaded by. The examples' own
# tests run the fourth, ours under ours.
PAIRS = (("ours", "published"), ("published", "ours"), ("published", "published"))
# Whether it compiles is asked, not for what: one architecture, and no code of the host.
NVCC = "-std=c++17 -arch=sm_80 -c -o /dev/null -Xcompiler -fsyntax-only"


def flags(python: str, *options: str) -> list[str]:
    """What a package's tvm-ffi-config tells."""
    command = [python, "-m", "tvm_ffi.config", *options]
    return shlex.split(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def environment(python: str, tools: Tools) -> dict[str, str]:
    """An environment in which a build script finds the package of an interpreter."""
    path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **tools.nvcc, "PATH": path}


def told(command: list[str], **options) -> str:
    """Run a command: "ok", or its first error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode == 0:
        return OK
    lines = (done.stdout + done.stderr).splitlines()
    return next((line for line in lines if "error" in line), "\n".join(lines[-5:]))


class Builder:
    """Builds the examples with either package's headers."""

    def __init__(self, pythons: dict[str, str], folder: Path) -> None:
        self.published = pythons["published"]
        # Ours lie where docs/verify.py builds them, and will find them.
        self.layout, self.tools = Layout.of(ROOT), Tools.find()
        self.key = runtime_key(self.tools)
        self.folders = {"ours": self.layout.libraries, "published": folder / "published"}
        for each in self.folders.values():
            each.mkdir(parents=True, exist_ok=True)

    def ours(self, example: Example) -> str:
        """Build the CPU library with our headers."""
        build, results = compile_variant(example, CPU, self.layout, self.tools, self.key)
        return OK if build else results.failures[0].reason

    def theirs(self, example: Example) -> str:
        """Build the CPU library with the published headers."""
        return told(
            ["bash", str(ROOT / example.script(CPU))],
            cwd=self.folders["published"],
            env=environment(self.published, self.tools),
        )

    def theirs_for_cuda(self, example: Example) -> str:
        """Compile the CUDA sources with the published headers."""
        if not self.tools.nvcc:
            return "no nvcc is installed"
        command = [self.tools.nvcc["NVCC"], *NVCC.split(), *flags(self.published, "--cxxflags")]
        results = [told([*command, str(ROOT / path)]) for path in example.sources(CUDA)]
        return next((result for result in results if result != OK), OK)


def run_drivers(python: str, folder: Path, names: list[str]) -> dict[str, str]:
    """Run drivers in one process; after a crash, the rest in another."""
    results: dict[str, str] = {}
    path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
    while rest := [name for name in names if name not in results]:
        done = subprocess.run(
            [python, str(HERE / "run_drivers.py"), str(folder), *rest],
            env={**os.environ, "PATH": path},
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
            raise RuntimeError(f"{python}: {done.stdout}{done.stderr}")
    return results


def find_out(pythons: dict[str, str], folder: Path) -> dict[str, dict[str, str]]:
    """What happens to each example: by what was tried, "ok" or what one gets."""
    builder = Builder(pythons, folder)
    examples = find_examples(builder.layout)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = {
            "CUDA source, published headers": pool.map(builder.theirs_for_cuda, examples),
            "CPU library, published headers": pool.map(builder.theirs, examples),
            "CPU library, our headers": pool.map(builder.ours, examples),
        }
        seen: dict[str, dict[str, str]] = {example.name: {} for example in examples}
        for what, results in made.items():
            for example, result in zip(examples, results, strict=True):
                seen[example.name][what] = result

        def run(pair: tuple[str, str]) -> dict[str, str]:
            headers, runtime = pair
            what = f"CPU library, {'our' if headers == 'ours' else headers} headers"
            names = [name for name, told in seen.items() if told[what] == OK]
            return run_drivers(pythons[runtime], builder.folders[headers], names)

        for (headers, runtime), results in zip(PAIRS, pool.map(run, PAIRS), strict=True):
            for name, result in results.items():
                seen[name][f"{headers} under {runtime}"] = result
    return seen


def wrong(name: str, told: dict[str, str]) -> str:
    """What contradicts the claim of an example, or an empty string."""
    failures = {what: result for what, result in told.items() if result != OK}
    claim = ONLY_HERE.get(name)
    if claim is None:
        return "; ".join(f"{what}: {result}" for what, result in failures.items())
    if "CPU library, our headers" in failures:
        return f"CPU library, our headers: {failures['CPU library, our headers']}"
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
