# SPDX-License-Identifier: Apache-2.0
"""Run an example: its driver, then its thorough test, each in its own process."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

from . import closure as closures
from .compile import Build, proved
from .examples import Example, Variant
from .executed import Trace
from .gcov import COUNTED
from .helpers import helpers_of
from .layout import Layout
from .process import run
from .receipts import LEVEL_OF_DEVICE, Receipt
from .results import Results
from .tools import Tools

# The end of pytest's output.
SKIPPED = re.compile(r"^SKIPPED \[\d+\] [^ ]+: (.+)$", re.MULTILINE)
PASSED = re.compile(r"^(?:=+ )?(?:\d+ \w+, )*\d+ passed", re.MULTILINE)


def commands_of(
    example: Example, variant: Variant, layout: Layout, libraries: Path
) -> dict[str, list[str]]:
    """Return the commands that run an example, with the libraries of a folder."""
    return {
        example.driver: [str(layout.root / example.driver), variant.device],
        example.test: [
            *("-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", str(layout.root)),
            *("-p", "_verify.skips_plugin"),
            *(str(layout.root / example.test), "--device", variant.device),
            *("--libraries", str(libraries)),
        ],
    }


def count_lines(
    example: Example, variant: Variant, layout: Layout, tools: Tools, build: Build
) -> dict[str, Any]:
    """Rebuild an example for gcov and run it; return the receipt's fields for its C++ files.

    The proof is the run of the library as a reader builds it, so a failure here, for example of a
    test that inspects the machine code, only leaves lines without a count.
    """
    files = proved(build.closure)
    with Trace() as trace, tempfile.TemporaryDirectory(prefix="counted_") as folder:
        environment = trace.environment(tools.environment, [], compiles=True)
        script = ["bash", str(layout.root / example.script(variant))]
        test = commands_of(example, variant, layout, Path(folder))[example.test]
        for command in (script, [sys.executable, *test]):
            run(command, cwd=Path(folder), env=environment)
        cpp = [file for file in files if PurePosixPath(file).suffix in COUNTED]
        return trace.fields(layout.root, cpp, build.lines)


def run_example(
    example: Example, variant: Variant, build: Build, layout: Layout, tools: Tools
) -> Results:
    """Run the driver and the test on one device; a receipt if both pass, otherwise a failure."""
    results = Results()
    level = LEVEL_OF_DEVICE[variant.device]
    source, compiler = example.source(variant), example.compiler(variant)
    ours = [example.driver, example.test]
    helpers = [each for path in ours for each in helpers_of(layout, path)]
    beside = [each for each in helpers if each.startswith(f"{example.folder}/")]
    files = sorted({*proved(build.closure), *ours, *beside})
    # The library's own files were hashed when it was compiled; the others are hashed now.
    seen = closures.closure_of(layout.root, [*ours, *helpers, closures.RUNTIME])
    closure = {**seen, **build.closure}
    for needed in (example.driver, example.test):
        if not (layout.root / needed).exists():
            results.fail(source, level, files, f"{needed} does not exist, so nothing ran {source}")
            return results
    commands = commands_of(example, variant, layout, layout.libraries)
    said: dict[str, str] = {}
    with Trace() as trace:
        environment = trace.environment(tools.environment, files)
        for subject, arguments in commands.items():
            outcome = run([sys.executable, *arguments], cwd=layout.libraries, env=environment)
            said[subject] = outcome.last
            if not outcome.ok:
                reason = f"{subject} on {variant.device}: {outcome.reason}"
                results.fail(source, level, files, reason, outcome.tail)
            elif subject == example.test:
                for reason in SKIPPED.findall(outcome.output):
                    results.skip(subject, level, reason)
                if not PASSED.search(outcome.output):
                    results.fail(source, level, files, f"no test of {subject} ran", outcome.tail)
        executed = trace.fields(layout.root, files)
    if variant.device == "cpu" and not results.failures:
        counted = count_lines(example, variant, layout, tools, build)
        executed = {name: found | counted[name] for name, found in executed.items()}
    if edited := closures.changed(layout.root, closure):
        reason = f"edited while its tests ran: {', '.join(edited)}"
        results.fail(source, level, files, reason)
    if not results.failures:
        results.receipts.append(
            Receipt(
                subject=source,
                level=level,
                verifies=files,
                closure=closure,
                flags=build.flags,
                targets=build.targets,
                lines=build.lines,
                **executed,
                said=said,
                tools={**tools.versions, compiler: tools.compilers[compiler]},
                machine=tools.machine_of(variant.device),
            )
        )
    return results
