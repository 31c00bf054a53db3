# SPDX-License-Identifier: Apache-2.0
"""Repeat what a receipt records on this machine, and compare."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from . import closure as closures
from .compile import Build, compile_variant, runtime_key
from .examples import VARIANTS, Example, Variant, find_examples
from .execute import run_example
from .layout import Layout
from .pages import run_page
from .receipts import COMPILED, EMULATED, RAN_ON_GPU, Receipt
from .results import Results
from .snippets import find_snippet_tests, run_snippet_test
from .survival import from_ranges
from .tools import Tools


def find_receipt(name: str, layout: Layout) -> Receipt:
    """Read a receipt: a file, or the name of one in the build folder or in the repository.

    ValueError: there is none, or it is not a receipt.
    """
    folders = (Path(), layout.receipts, layout.committed)
    for path in (folder / name for folder in folders):
        if path.is_file():
            try:
                return Receipt(**json.loads(path.read_text()))
            except (TypeError, ValueError) as error:
                raise ValueError(f"receipt: expected a receipt in {path}, got {error}") from error
    searched = ", ".join(str(folder.resolve()) for folder in folders)
    raise ValueError(f"receipt: expected the name of a file in one of {searched}, got {name!r}")


def libraries_for(receipt: Receipt, layout: Layout) -> list[tuple[Example, Variant]]:
    """The examples to compile: those that took part; all of them if a test may load any."""
    every = [(e, v) for e in find_examples(layout) for v in VARIANTS]
    if " by " in receipt.subject:
        return every
    return [(e, v) for e, v in every if e.source(v) in {receipt.subject, *receipt.closure}]


def repeat(receipt: Receipt, layout: Layout, tools: Tools) -> Results:
    """Compile and run again; ValueError: this cannot be done here."""
    if receipt.level == EMULATED:
        raise ValueError("receipt: expected a compilation or a run; for this: nox -s emulate")
    device = "cuda" if receipt.level == RAN_ON_GPU else "cpu"
    if device == "cuda" and not tools.gpu:
        gpu = receipt.machine.get("gpu", "a GPU")
        raise ValueError(f"receipt: expected a machine like its own with {gpu}, got no GPU")
    layout.libraries.mkdir(parents=True, exist_ok=True)
    results, key = Results(), runtime_key(tools)
    builds: dict[str, tuple[Example, Variant, Build]] = {}
    for example, variant in libraries_for(receipt, layout):
        build, found = compile_variant(example, variant, layout, tools, key)
        results.add(found)
        if build:
            builds[example.source(variant)] = example, variant, build
    subject, _, test = receipt.subject.partition(" by ")
    if test in find_snippet_tests(layout):
        results.add(run_snippet_test(test, device, layout, tools))
    elif receipt.doctests:
        known = {build.library: build.closure for _, _, build in builds.values()}
        results.add(run_page(subject, device, layout, tools, known))
    elif subject in builds and receipt.level != COMPILED:
        results.add(run_example(*builds[subject], layout, tools))
    return results


def differences(then: Receipt, now: Receipt, root: Path) -> Iterator[str]:
    """What a repetition shows to be otherwise: files, lines and examples that do not run now."""
    edited = closures.changed(root, then.closure)
    if edited:
        yield f"edited since: {', '.join(edited)}"
    for file in sorted({*then.ran} - {*edited}):
        if from_ranges(then.ran[file]) - from_ranges(now.ran.get(file, [])):
            yield f"lines of {file} that ran then do not run now"
    passed = (digest for digest, lines in then.doctests.items() if any(lines))
    gone = sum(not any(now.doctests.get(digest, [])) for digest in passed)
    if gone:
        yield f"{gone} doctest examples that passed then do not pass now"


def compare(then: Receipt, results: Results, layout: Layout) -> int:
    """Print both sides; the status is 0 if the same files gave the same result."""
    same = (r for r in results.receipts if (r.subject, r.level) == (then.subject, then.level))
    now = next(same, None)
    print(f"{then.level}: {then.subject}")
    if now is None or results.failures:
        for failure in results.failures:
            print(f"FAILED {failure.subject}: {failure.reason}", failure.tail, sep="\n")
        print(f"{then.date} passed; now it does not")
        return 1
    for title, before, after in (
        ("machine", then.machine, now.machine),
        ("tools", then.tools, now.tools),
        ("said", then.said, now.said),
    ):
        for name in {**before, **after}:
            pair = before.get(name, "nothing"), after.get(name, "nothing")
            print(f"  {title}, {name}: {' -> '.join(dict.fromkeys(pair))}")
    told = [*differences(then, now, layout.root)]
    print(*(told or [f"passed again; the {len(then.closure)} files are the same"]), sep="\n")
    return 1 if told else 0
