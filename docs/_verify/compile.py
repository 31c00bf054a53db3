# SPDX-License-Identifier: Apache-2.0
"""Compile the examples, each with its own build script, and record the inputs of each."""

from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from . import closure as closures
from .examples import Example, Variant, example_files
from .executed import Trace
from .layout import Layout
from .process import run
from .receipts import COMPILED, Receipt
from .results import Results
from .survival import seen_lines
from .tools import Tools

COMPILER = re.compile(r"^(g\+\+|c\+\+|gcc|cc|clang|clang\+\+|nvcc)(-[\d.]+)?$")


SHORT_LIST = 5  # libraries few enough to name


@dataclass(frozen=True)
class Build:
    """A library that compiled, and its inputs."""

    library: str
    key: str  # the tools and runtime headers used
    closure: closures.Closure
    flags: list[str]
    targets: list[str]
    texts: str  # one hash for the full files of the closure
    lines: dict[str, list[str]] = field(default_factory=dict)  # which the preprocessor let through
    ran: dict[str, list[str]] = field(default_factory=dict)  # which lines of the script ran
    idle: dict[str, dict[str, str]] = field(default_factory=dict)
    kept: bool = False  # whether an earlier run compiled it


def compile_commands(commands: Iterable[str]) -> list[list[str]]:
    """Return the compiler's command lines among those that bash ran."""
    found = []
    for command in commands:
        try:
            words = shlex.split(command)
        except ValueError:
            continue
        if words and COMPILER.match(Path(words[0]).name):
            found.append(words)
    return found


def readable(words: list[str], layout: Layout, package: str) -> str:
    """Return a command line without this machine's folders."""
    text = shlex.join([Path(words[0]).name, *words[1:]])
    if package:
        text = text.replace(str(Path(package).parent), "<tvm_ffi>")
    text = re.sub(r"/[^ ']*/(?:site|dist)-packages(?=/)", "<site-packages>", text)
    return text.replace(f"{layout.root}/", "")


def device_targets(commands: list[list[str]]) -> list[str]:
    """Return the targets of the device code: real architectures, and PTX."""
    text = " ".join(word for words in commands for word in words)
    real = re.findall(r"\bsm_\d+[a-z]?", text)
    ptx = ["PTX"] if re.search(r"code=\[?[^ \]]*compute_\d+", text) else []
    return list(dict.fromkeys([*real, *ptx]))


def included_headers(dependencies: str, folder: Path, layout: Layout, package: str) -> list[str]:
    """Return the files of examples/ and include/ that the compiler read, relative to the root.

    It reads the runtime's headers from the installed package, where they have the same names.
    """
    words = dependencies.replace("\\\n", " ").split()
    paths = {(folder / word).resolve() for word in words if not word.endswith(":")}
    installed, headers = Path(package).resolve(), layout.root / "include"
    if package:
        paths = {
            headers / path.relative_to(installed) if path.is_relative_to(installed) else path
            for path in paths
        }
    return sorted(
        layout.relative(path)
        for path in paths
        if any(path.is_relative_to(each) for each in (layout.root / "examples", headers))
        and path.is_file()
    )


def proved(closure: Iterable[str]) -> list[str]:
    """Return the files that a compilation proves: the example's, not the runtime's headers."""
    return sorted(path for path in closure if path.startswith("examples/"))


def runtime_key(tools: Tools) -> str:
    """Return a build's inputs besides its closure: compilers, headers, and this code."""
    headers = closures.tree_digest(Path(tools.package)) if tools.package else ""
    return json.dumps(
        [tools.compilers, tools.nvcc, headers, closures.tree_digest(Path(__file__).parent)],
        sort_keys=True,
    )


def reusable(stamp: Path, layout: Layout, key: str) -> Build | None:
    """Return the build recorded in a stamp, if none of its inputs has changed."""
    if not stamp.exists():
        return None
    there = json.loads(stamp.read_text())
    if there.get("key") != key:  # another version of this program may have written it
        return None
    build = replace(Build(**there), kept=True)
    same_texts = build.texts == closures.texts_digest(layout.root, build.closure)
    current = same_texts and not closures.changed(layout.root, build.closure)
    return build if current and (layout.libraries / build.library).exists() else None


def compile_variant(
    example: Example, variant: Variant, layout: Layout, tools: Tools, key: str
) -> tuple[Build | None, Results]:
    """Compile one variant of an example; return the build, and a receipt or failure."""
    results = Results()
    sources = example.sources(variant)
    source, script, library = sources[0], example.script(variant), example.library(variant)
    compiler = example.compiler(variant)
    for needed in (source, script):
        if not (layout.root / needed).exists():
            results.fail(source, COMPILED, [source, script], f"{needed} does not exist")
            return None, results
    if compiler not in tools.compilers:
        reason = f"no {compiler} was found"
        results.fail(source, COMPILED, [source, script], reason)
        return None, results

    stamp = layout.libraries / ".stamps" / f"{library}.json"
    build = reusable(stamp, layout, key)
    if build is None:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        # Hash first: which files it reads is known only after it has been compiled.
        before = closures.closure_of(layout.root, [*sources, script, *example_files(layout.root)])
        before |= closures.runtime_of_run(layout.root)
        stamp.unlink(missing_ok=True)
        (layout.libraries / library).unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile("r", suffix=".d") as dependencies, Trace() as trace:
            # GCC-family compilers, also as nvcc's host compiler, write the files they read, except
            # system headers, to this file while compiling: no second run or other flags are needed.
            environment = trace.environment(tools.environment, [])
            environment["DEPENDENCIES_OUTPUT"] = dependencies.name
            words = ["bash", str(layout.root / script)]
            outcome = run(words, cwd=layout.libraries, env=environment)
            commands = compile_commands(trace.commands())
            executed = trace.fields(layout.root, [script])
            read = included_headers(dependencies.read(), layout.libraries, layout, tools.package)
        files = sorted({*sources, script, *read})
        if not outcome.ok:
            results.fail(source, COMPILED, files, f"{script}: {outcome.reason}", outcome.tail)
            return None, results
        if not (layout.libraries / library).exists():
            reason = f"{script} succeeded but wrote no {library} into the current folder"
            results.fail(source, COMPILED, files, reason, outcome.tail)
            return None, results
        if left_out := [path for path in sources if path not in read]:
            reason = f"{script} did not compile {', '.join(left_out)}"
            results.fail(source, COMPILED, files, reason)
            return None, results
        closure = {path: before.get(path, "") for path in files}
        if edited := closures.changed(layout.root, closure):
            reason = f"edited while it was compiled: {', '.join(edited)}"
            results.fail(source, COMPILED, files, reason)
            return None, results
        try:
            lines = seen_lines(commands, proved(files), layout, tools.environment)
        except ValueError as error:
            results.fail(source, COMPILED, files, f"{script}: cannot be preprocessed", str(error))
            return None, results
        build = Build(
            library=library,
            key=key,
            closure=closure,
            texts=closures.texts_digest(layout.root, closure),
            flags=[readable(words, layout, tools.package) for words in commands],
            targets=device_targets(commands) if variant.device == "cuda" else [],
            lines=lines,
            **executed,
        )
        stamp.write_text(json.dumps(asdict(build)))
    results.receipts.append(
        Receipt(
            subject=source,
            level=COMPILED,
            verifies=proved(build.closure),
            closure=build.closure,
            flags=build.flags,
            targets=build.targets,
            lines=build.lines,
            ran=build.ran,
            idle=build.idle,
            tools={compiler: tools.compilers[compiler]},
            machine=tools.machine_of("cpu"),
        )
    )
    return build, results


def compiled_and_kept(builds: Collection[Build]) -> str:
    """Return which libraries were compiled, and how many were up to date."""
    fresh = sorted(build.library for build in builds if not build.kept)
    names = f" ({', '.join(fresh)})" if 0 < len(fresh) <= SHORT_LIST else ""
    kept = sum(build.kept for build in builds)
    return f"libraries: {len(fresh)} compiled{names}, {kept} unchanged"


def empty_libraries(layout: Layout, wanted: set[str]) -> None:
    """Remove the libraries of deleted examples, so that nothing can load them.

    The script of NAME_cpu.so may also write other libraries beside it: NAME_cpu_OTHER.so.
    """
    layout.libraries.mkdir(parents=True, exist_ok=True)
    begin = tuple(f"{Path(name).stem}_" for name in wanted)
    for path in layout.libraries.glob("*.so"):
        if path.name not in wanted and not path.name.startswith(begin):
            os.unlink(path)
