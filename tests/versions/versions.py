# SPDX-License-Identifier: Apache-2.0
"""Find out which release runs what: versions.py RECORD PINNED.

Each example's CPU library, built with our headers and with those of the PINNED release, runs under
every release that the index offers and under ours; those built with each release's headers run
under ours. ``--ours``, ``--published`` and ``--reverse`` name the releases of these three matrices.
Builds and results are cached below build/versions, so an interrupted run resumes where it stopped.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from _verify.closure import tree_digest  # noqa: E402  (in a folder that was just named)
from _verify.examples import VARIANTS, Example, find_examples  # noqa: E402
from _verify.installed import why_not  # noqa: E402
from _verify.layout import Layout  # noqa: E402
from _verify.table import aligned  # noqa: E402
from _verify.tools import cpu_name, runtime_commit  # noqa: E402
from _verify.versions_record import (  # noqa: E402
    KINDS,
    OK,
    OURS,
    PARTS,
    gaps,
    made_now,
    summary_of,
)
from features import FEATURES, expression, preprocessed  # noqa: E402
from headers import Package, build  # noqa: E402
from releases import install, installable  # noqa: E402
from symbols import exported, imported  # noqa: E402

BUILD = ROOT / "build" / "versions"
AT_ONCE = 2
LONGEST = 200  # characters of an error in the record
CPU, _ = VARIANTS
NOT_BUILT = "not built: "


def package_of(name: str) -> Package:
    """Return a release in its folder below build/versions, or our package in this environment."""
    if name == OURS:
        return Package(name, Path(sysconfig.get_paths()["purelib"]), Path(sys.executable).parent)
    folder = BUILD / "releases" / name
    return Package(name, folder, folder / "bin")


def in_few_words(result: str) -> str:
    """Shorten an error: drop local paths, and keep only the symbol of a missing one."""
    if missing := re.search(r"undefined symbol: \w+", result):
        return missing[0]
    line = result.strip().partition("\n")[0]
    return line.replace(f"{ROOT}/", "").replace(sysconfig.get_paths()["purelib"] + "/", "")[
        :LONGEST
    ]


class Runs:
    """Run libraries of one package under another, or statements under a package."""

    def __init__(self, examples: list[Example]) -> None:
        self.examples = examples
        self.libraries = BUILD / "libraries"
        self.memory = BUILD / "results"
        self.memory.mkdir(parents=True, exist_ok=True)
        self.local = threading.local()

    def environment(self) -> dict[str, str]:
        """Return the variables for all runs.

        When imported, early releases compile an extension for PyTorch, to lend tensors faster,
        which takes a minute or more; if c++ fails they do without it. PyTorch's own
        compiler, which an example uses, is g++.
        """
        failing = BUILD / "failing" / "c++"
        failing.parent.mkdir(exist_ok=True)
        failing.write_text("#!/bin/sh\nexit 1\n")
        failing.chmod(0o755)
        own = {"PATH": f"{failing.parent}{os.pathsep}{os.environ['PATH']}"}
        own["TORCH_EXTENSIONS_DIR"] = str(BUILD / "extensions")
        own |= {"TVM_FFI_CACHE_DIR": str(BUILD / "cache"), "TVM_FFI_DISABLE_TORCH_C_DLPACK": "1"}
        others = {name: value for name, value in os.environ.items() if name != "CXX"}
        return {**others, **own, "PYTHONDONTWRITEBYTECODE": "1"}

    def ask(self, job: dict[str, Any]) -> dict[str, str]:
        """Have this thread's process, which has already imported PyTorch, run a job."""
        if not hasattr(self.local, "process"):
            examples = str(ROOT / "examples" / "kernel_library")
            command = [sys.executable, str(HERE / "run_in_forks.py"), examples]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            environment = self.environment()
            self.local.process = subprocess.Popen(command, env=environment, text=True, **pipes)
        process = self.local.process
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
        # It exits when this process exits and closes the pipe.
        found: dict[str, str] = json.loads(process.stdout.readline())
        return found

    def of(self, headers: str, runtime: str, built: dict[str, str]) -> dict[str, str]:
        """Return the result of each example, built with some headers and run under a runtime."""
        names = [name for name, result in built.items() if result == OK]
        here = self.libraries / headers
        job = {"package": str(package_of(runtime).folder), "libraries": str(here), "names": names}
        found = self.run(f"{headers} under {runtime}", job, self.made_of(here, names, runtime))
        return {
            name: in_few_words(found[name] if result == OK else f"{NOT_BUILT}{result}")
            for name, result in built.items()
        }

    def made_of(self, libraries: Path, names: list[str], runtime: str) -> str:
        """Return one hash of libraries, drivers, the runtime and the program that runs them."""
        total = hashlib.sha256((HERE / "run_in_forks.py").read_bytes())
        for name in names:
            total.update((libraries / f"{name}.json").read_bytes())
        total.update(tree_digest(package_of(runtime).folder / "tvm_ffi").encode())
        return total.hexdigest()

    def run(self, title: str, job: dict[str, Any], made_of: str) -> dict[str, str]:
        """Run the parts of a job that have no cached result."""
        memory = self.memory / f"{title}.json"
        kept = json.loads(memory.read_text()) if memory.exists() else {}
        found: dict[str, str] = kept["found"] if kept.get("made_of") == made_of else {}
        parts = "names" if "names" in job else "statements"
        if not (missing := [name for name in job[parts] if name not in found]):
            return found
        begun = time.monotonic()
        left = missing if parts == "names" else {name: job[parts][name] for name in missing}
        found |= self.ask({**job, parts: left})
        memory.write_text(json.dumps({"made_of": made_of, "found": found}))
        good = sum(result == OK for result in found.values())
        print(f"{title}: {good} of {len(found)}, {time.monotonic() - begun:.0f} s", flush=True)
        return found


def features_of(runs: Runs, release: str) -> dict[str, str]:
    """Return, for each feature, "ok" or a release's error."""
    package = package_of(release)
    has = exported(package.folder / "tvm_ffi" / "lib" / "libtvm_ffi.so")
    python = {f.name: expression(f) for f in FEATURES if f.kind == "python"}
    job = {"package": str(package.folder), "libraries": str(BUILD), "statements": python}
    made_of = hashlib.sha256(repr(job).encode()).hexdigest()
    told = runs.run(f"features of {release}", job, made_of)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for feature in FEATURES:
            if feature.kind == "python":
                found[feature.title] = in_few_words(told[feature.name])
            elif feature.kind == "C function":
                lacks = f"undefined symbol: {feature.name}"
                found[feature.title] = OK if feature.name in has else lacks
            else:
                found[feature.title] = in_few_words(preprocessed(package, feature, Path(folder)))
    return found


def chosen(releases: list[str], named: list[str] | None) -> list[str]:
    """Return the named releases, oldest first, or all of them if none is named.

    Raises ValueError if the index has no such release.
    """
    if unknown := {*(named or [])} - {*releases}:
        raise ValueError(f"versions: expected releases of the index, got {', '.join(unknown)}")
    return [release for release in releases if named is None or release in named]


def find_out(pinned: str, named: dict[str, list[str] | None], features: bool) -> dict[str, Any]:
    """Return the whole record."""
    begun = time.monotonic()
    examples = find_examples(Layout.of(ROOT))
    releases = installable()
    tried = {part: chosen(releases, named[part]) for part in PARTS}
    headers = tried["reverse"]
    for release in {*releases, pinned}:
        install(release, BUILD / "releases" / release)
    runs = Runs(examples)
    with ThreadPoolExecutor(AT_ONCE) as pool:

        def built_with(name: str) -> dict[str, str]:
            made = pool.map(lambda e: build(ROOT, e, package_of(name), runs.libraries), examples)
            return {e.name: result for e, result in zip(examples, made, strict=True)}

        built = {name: built_with(name) for name in dict.fromkeys([OURS, pinned, *headers])}

        def under(kind: str) -> dict[str, dict[str, str]]:
            name = {"ours": OURS, "published": pinned}[kind]
            some = [*tried[kind], OURS] if tried[kind] else []
            done = pool.map(lambda r: runs.of(name, r, built[name]), some)
            return dict(zip(some, done, strict=True))

        record: dict[str, Any] = {"under": {kind: under(kind) for kind in KINDS}}
        done = pool.map(lambda name: runs.of(name, OURS, built[name]), headers)
        record["under ours"] = dict(zip(headers, done, strict=True))
        looked = releases if features else []
        told = dict(zip(looked, pool.map(lambda r: features_of(runs, r), looked), strict=True))
    wanted_features = FEATURES if features else ()
    record["features"] = {f.title: {r: told[r][f.title] for r in releases} for f in wanted_features}
    imports = {
        kind: imports_of(examples, runs.libraries / name, built[name])
        for kind, name in zip(KINDS, (OURS, pinned), strict=True)
    }
    wanted = {symbol for of_kind in imports.values() for symbol in of_kind}
    exports = {r: exported(package_of(r).folder / "tvm_ffi/lib/libtvm_ffi.so") for r in releases}
    return {
        **circumstances(begun),
        "releases": releases,
        "tried": tried,
        "pinned": pinned,
        "examples": [example.name for example in examples],
        "imports": imports,
        "missing": {r: sorted(wanted - exports[r]) for r in releases},
        **record,
    }


def imports_of(
    examples: list[Example], libraries: Path, built: dict[str, str]
) -> dict[str, list[str]]:
    """Return the C functions that libraries import, each with the examples that use it."""
    found: dict[str, list[str]] = {}
    for example in examples:
        if built[example.name] == OK:
            for symbol in sorted(imported(libraries / example.library(CPU))):
                found.setdefault(symbol, []).append(example.name)
    return found


def circumstances(begun: float) -> dict[str, Any]:
    """Return when, where and from what a record was made, and how long it took."""
    compiler = subprocess.check_output(["g++", "-dumpfullversion"], text=True).strip()
    tools = {"Python": platform.python_version(), "g++": compiler}
    tools |= {name: version(name) for name in ("torch", "numpy", "jax")}
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{cpu_name()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": {**tools, **runtime_commit(ROOT)},
        "seconds": round(time.monotonic() - begun),
        "made_of": made_now(ROOT),
    }


def main() -> None:
    """Make the record, unless part of it is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    parser.add_argument("pinned")
    for part in PARTS:
        parser.add_argument(f"--{part}", nargs="*", metavar="RELEASE", help="these only")
    parser.add_argument("--no-features", action="store_true", help="do not look for features")
    given = parser.parse_args()
    if reason := why_not(ROOT, str(package_of(OURS).include)):
        raise SystemExit(reason)
    found = find_out(
        given.pinned, {part: getattr(given, part) for part in PARTS}, not given.no_features
    )
    if missing := gaps(found):
        raise SystemExit(f"versions: no result of {'; '.join(missing)}")
    given.record.parent.mkdir(parents=True, exist_ok=True)
    given.record.write_text(json.dumps(found, indent=1) + "\n")
    headings, rows = summary_of(found)
    print(aligned([headings, *rows]))


if __name__ == "__main__":
    main()
