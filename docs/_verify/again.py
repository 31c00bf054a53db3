# SPDX-License-Identifier: Apache-2.0
"""Repeat a receipt's compilation or run on this machine, and compare the results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .bounded_receipt import bounded_receipt
from .compile import Build, compile_variant, runtime_key
from .evidence import Evidence
from .examples import VARIANTS, Example, Variant, find_examples
from .execute import run_example
from .layout import Layout
from .pages import find_pages, run_page
from .receipts import COMPILED, EMULATED, RAN_ON_CPU, RAN_ON_GPU, Receipt
from .results import Results
from .snippets import find_snippet_tests, run_snippet_test
from .survival import from_ranges
from .tools import Tools

PASSED = re.compile(r"\b(\d+) passed\b")


def find_receipt(name: str, layout: Layout) -> Receipt:
    """Read a receipt: a file, or the name of one in the build folder or the repository.

    ValueError: it does not exist, or it is not a receipt.
    """
    folders = (Path(), layout.receipts, layout.committed, layout.emulated)
    for path in (folder / name for folder in folders):
        if path.is_file():
            try:
                return bounded_receipt(path)
            except ValueError as error:
                raise ValueError(f"receipt: expected a receipt in {path}: {error}") from error
    searched = ", ".join(str(folder.resolve()) for folder in folders)
    raise ValueError(f"receipt: expected the name of a file in one of {searched}, got {name!r}")


def libraries_for(receipt: Receipt, layout: Layout) -> list[tuple[Example, Variant]]:
    """Return the examples to compile: those that took part, or all if a test may load any."""
    every = [(e, v) for e in find_examples(layout) for v in VARIANTS]
    if " by " in receipt.subject:
        return every
    return [(e, v) for e, v in every if e.source(v) in {receipt.subject, *receipt.closure}]


def device_of(receipt: Receipt, layout: Layout, tools: Tools) -> str:
    """Return where to repeat a receipt; ValueError: this machine or tree cannot."""
    if receipt.level == EMULATED:
        raise ValueError(
            "receipt: expected a compilation or a run, got one under emulation: "
            "nox -s emulate repeats those"
        )
    if receipt.level not in (COMPILED, RAN_ON_CPU, RAN_ON_GPU):
        raise ValueError(f"receipt: expected a known level, got {receipt.level!r}")
    if receipt.level == RAN_ON_GPU and not tools.gpu:
        gpu = receipt.machine.get("gpu", "a GPU")
        raise ValueError(f"receipt: expected a machine with {gpu}, found no GPU")
    subject, by, test = receipt.subject.partition(" by ")
    sources = [e.source(v) for e in find_examples(layout) for v in VARIANTS]
    known = find_snippet_tests(layout) if by else [*sources, *find_pages(layout)]
    if (test if by else subject) not in known:
        raise ValueError(
            f"receipt: expected an example, a page or a test of this tree, got {receipt.subject!r}"
        )
    return "cuda" if receipt.level == RAN_ON_GPU else "cpu"


def repeat(receipt: Receipt, layout: Layout, tools: Tools) -> Results:
    """Compile and run again; ValueError: this machine or tree cannot."""
    device = device_of(receipt, layout, tools)
    layout.libraries.mkdir(parents=True, exist_ok=True)
    results, key = Results(), runtime_key(tools)
    builds: dict[str, tuple[Example, Variant, Build]] = {}
    for example, variant in libraries_for(receipt, layout):
        if example.source(variant) == receipt.subject:  # a kept library would prove nothing
            (layout.libraries / example.library(variant)).unlink(missing_ok=True)
        build, found = compile_variant(example, variant, layout, tools, key)
        results.add(found)
        if build:
            builds[example.source(variant)] = example, variant, build
    subject, by, test = receipt.subject.partition(" by ")
    if by:
        results.add(run_snippet_test(test, device, layout, tools))
    elif subject in find_pages(layout):
        known = {build.library: build.closure for _, _, build in builds.values()}
        results.add(run_page(subject, device, layout, tools, known))
    elif subject in builds and receipt.level != COMPILED:
        results.add(run_example(*builds[subject], layout, tools))
    return results


def passed(receipt: Receipt) -> int:
    """Return how many tests passed, from the programs' last lines of output."""
    return sum(int(number) for line in receipt.said.values() for number in PASSED.findall(line))


def differences(then: Receipt, now: Receipt, layout: Layout) -> Iterator[str]:
    """Yield what differs in a repetition: files, lines, and examples that no longer run."""
    edited = Evidence(layout, []).edited(then)
    if edited:
        yield f"edited since: {', '.join(edited)}"
    if missing := sorted({*then.closure} - {*now.closure}):
        yield f"took part then, but not now: {', '.join(missing)}"
    for file in sorted({*then.ran, *then.lines} - {*edited}):
        if from_ranges(then.ran.get(file, [])) - from_ranges(now.ran.get(file, [])):
            yield f"lines of {file} that ran then did not run now"
        if then.lines.get(file) != now.lines.get(file):
            yield f"the compiler saw other lines of {file} then"
    if then.targets != now.targets:
        yield f"device code was for {', '.join(then.targets)}, now for {', '.join(now.targets)}"
    if passed(now) < passed(then):
        yield f"{passed(then)} tests passed then, {passed(now)} now"
    ran = (digest for digest, lines in then.doctests.items() if any(lines))
    gone = sum(not any(now.doctests.get(digest, [])) for digest in ran)
    if gone:
        yield f"{gone} doctest examples that passed then did not pass now"


def compare(then: Receipt, results: Results, layout: Layout) -> int:
    """Print both sides; return 0 if the same files produced the same result."""
    same = (r for r in results.receipts if (r.subject, r.level) == (then.subject, then.level))
    now = next(same, None)
    print(f"{then.level}: {then.subject}")
    for reason in sorted({skip.reason for skip in results.skips}):
        print(f"  left out: {reason}")
    if now is None:
        for failure in results.failures:
            print(f"FAILED {failure.subject}: {failure.reason}", failure.tail, sep="\n")
        print("did not pass now" if results.failures else "not repeated: nothing ran it")
        return 1
    for title, before, after in (
        ("machine", then.machine, now.machine),
        ("tools", then.tools, now.tools),
        ("said", then.said, now.said),
    ):
        for name in {**before, **after}:
            pair = before.get(name, "nothing"), after.get(name, "nothing")
            print(f"  {title}, {name}: {' -> '.join(dict.fromkeys(pair))}")
    told = [*differences(then, now, layout)]
    print(*(told or [f"passed again; the {len(then.closure)} files are the same"]), sep="\n")
    return 1 if told else 0
