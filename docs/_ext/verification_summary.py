# SPDX-License-Identifier: Apache-2.0
"""Count the pieces of code that the site shows, and how each was proved."""

from __future__ import annotations

from collections.abc import Iterable

from _verify.evidence import EARLIER
from _verify.receipts import COMPILED, EMULATED, RAN_ON_CPU, RAN_ON_GPU, Receipt

from .snippet_gate import Snippet

HEADINGS = ["Pieces of code", "What was done with them"]


def parts_of(snippet: Snippet) -> list[str]:
    """Return the parts of the line under a piece of code."""
    return snippet.state.split(" · ")


def on_gpus(snippets: Iterable[Snippet], said: str) -> tuple[int, str]:
    """Return how many snippets ran on a GPU, per their lines, and the GPUs with last dates."""
    count, last = 0, dict[str, str]()
    for snippet in snippets:
        runs = [part[len(said) :] for part in parts_of(snippet) if part.startswith(said)]
        count += bool(runs)
        for run in runs:
            gpu, _, date = run.rpartition(", ")
            last[gpu] = max(last.get(gpu, ""), date)
    return count, ", ".join(f"{gpu} ({date})" for gpu, date in sorted(last.items()))


def summary_rows(snippets: list[Snippet], receipts: Iterable[Receipt]) -> list[list[str]]:
    """Return the rows of a table: a number, and what it counts; zero counts are left out.

    The first row counts everything verified; the others are parts of it, and may overlap.
    """
    cpu = sum(RAN_ON_CPU in parts_of(each) for each in snippets)
    dates = [each.date for each in receipts if each.level == RAN_ON_CPU]
    gpu, gpus = on_gpus(snippets, f"{RAN_ON_GPU}: ")
    before, gpus_before = on_gpus(snippets, f"{RAN_ON_GPU}{EARLIER}: ")
    begins = [tuple(part.split(" by ")[0] for part in parts_of(each)) for each in snippets]
    emulated = sum(any(part.startswith(EMULATED) for part in each) for each in begins)
    compiled = sum(COMPILED in each and not any("ran on" in p for p in each) for each in begins)
    waiting = sum(bool(each.not_run) for each in snippets)
    pages = len({each.page for each in snippets})
    found = [
        (cpu, f"ran on a CPU, the latest on {max(dates, default='')}"),
        (gpu, f"ran on a GPU: {gpus}"),
        (before, f"ran on a GPU before the runtime was last edited: {gpus_before}"),
        (emulated, "contain CUDA code that ran on a CPU, under emulation"),
        (compiled, "were compiled, and did not run on a CPU or a GPU"),
        (waiting, "were not run, because this machine lacks a tool or a GPU"),
    ]
    verified = sum(each.verified for each in snippets)
    first = [f"{verified:,} of {len(snippets):,}", f"are verified, on {pages} pages"]
    return [first, *([f"{count:,}", text] for count, text in found if count)]
