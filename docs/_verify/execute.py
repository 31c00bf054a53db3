# SPDX-License-Identifier: Apache-2.0
"""Run an example: its driver, then its thorough test, each in a process of its own."""

from __future__ import annotations

import re
import sys

from . import closure as closures
from .compile import Build, proved
from .examples import Example, Variant
from .executed import Trace
from .helpers import helpers_of
from .layout import Layout
from .process import run
from .receipts import LEVEL_OF_DEVICE, Receipt
from .results import Results
from .tools import Tools

# What pytest says at its end.
SKIPPED = re.compile(r"^SKIPPED \[\d+\] [^ ]+: (.+)$", re.MULTILINE)
PASSED = re.compile(r"^(?:=+ )?(?:\d+ \w+, )*\d+ passed", re.MULTILINE)


def run_example(
    example: Example, variant: Variant, build: Build, layout: Layout, tools: Tools
) -> Results:
    """Run the driver and the test on one device; a receipt when both pass, else a failure."""
    results = Results()
    level = LEVEL_OF_DEVICE[variant.device]
    source, compiler = example.source(variant), example.compiler(variant)
    ours = [example.driver, example.test]
    helpers = [each for path in ours for each in helpers_of(layout, path)]
    beside = [each for each in helpers if each.startswith(f"{example.folder}/")]
    files = sorted({*proved(build.closure), *ours, *beside})
    # The library is what its own files were when it was compiled; the others are hashed now.
    seen = closures.closure_of(layout.root, [*ours, *helpers, closures.RUNTIME])
    closure = {**seen, **build.closure}
    for needed in (example.driver, example.test):
        if not (layout.root / needed).exists():
            results.fail(source, level, files, f"{needed} does not exist, so nothing ran {source}")
            return results
    commands = {
        example.driver: [str(layout.root / example.driver), variant.device],
        example.test: [
            *("-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", str(layout.root)),
            *("-p", "_verify.skips_plugin"),
            *(str(layout.root / example.test), "--device", variant.device),
            *("--libraries", str(layout.libraries)),
        ],
    }
    with Trace() as trace:
        environment = trace.environment(tools.environment, files)
        for subject, arguments in commands.items():
            outcome = run([sys.executable, *arguments], cwd=layout.libraries, env=environment)
            if not outcome.ok:
                reason = f"{subject} on {variant.device}: {outcome.reason}"
                results.fail(source, level, files, reason, outcome.tail)
            elif subject == example.test:
                for reason in SKIPPED.findall(outcome.output):
                    results.skip(subject, level, reason)
                if not PASSED.search(outcome.output):
                    results.fail(source, level, files, f"no test of {subject} ran", outcome.tail)
        executed = trace.fields(layout.root, files)
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
                tools={**tools.versions, compiler: tools.compilers[compiler]},
                machine=tools.machine_of(variant.device),
            )
        )
    return results
