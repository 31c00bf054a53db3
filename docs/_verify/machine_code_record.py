# SPDX-License-Identifier: Apache-2.0
"""The record of ``nox -s machine_code`` on the examples' kernels: build/machine_code.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .closure import trees_digest
from .machine_code_model import GPUS, Step, limits, tightest
from .tree_record import read_tree_record, write_tree_record

FOLDERS = ("include", "examples", "tests/machine_code")
LISTED = "sm_90"  # the architecture with an unfolded table, also used for planted changes
# The columns of a kernel's table: the heading, and the fact.
COLUMNS = {
    "Registers": "registers",
    "Spilled bytes": "spilled",
    "Threads of a block": "threads",
    "Occupancy": "occupancy",
    "Widest load": "load",
    "Widest store": "store",
    "Narrower stores": "narrow_stores",
    "Loads in flight": "in_flight",
    "Instructions per 16 bytes": "per_16_bytes",
}
# The columns of the model's table, after the kernel.
MODEL_COLUMNS = ["Bytes loaded", "Bytes stored", "Instructions", "Waits", "Once a row", *GPUS]


def made_of(root: Path) -> str:
    """Return one SHA-256 for the inputs of the facts, and for the code that finds them."""
    return trees_digest(root, FOLDERS)


def write_record(
    root: Path, build: Path, tools: str, examples: dict[str, Any], planted: dict[str, Any]
) -> None:
    """Save the facts of each example, also with planted changes, and the hash of their inputs."""
    fields = {"tools": tools, "examples": examples, "planted": planted}
    write_tree_record(build / "machine_code.json", made_of(root), fields)


def record_of(root: Path, build: Path) -> dict[str, Any] | None:
    """Return the facts for this tree, if they were recorded."""
    return read_tree_record(build / "machine_code.json", made_of(root))


def listing_path(build: Path, example: str, architecture: str) -> Path:
    """Return where the session writes the disassembly of an example."""
    return build / "machine_code" / f"{example}_{architecture}.txt"


def shown(fact: str, value: float) -> str:
    """Format a fact for a table."""
    if fact == "occupancy":
        return f"{value:.0%}".replace("%", " %")
    if fact == "per_16_bytes" and not value:
        return "-"
    return f"{value:g}" if value else ("none" if fact in ("load", "store") else "0")


def rows_of(facts: list[dict[str, Any]], architecture: str) -> list[list[str]]:
    """Return the rows of one architecture's table: each kernel, and its facts."""
    return [
        [each["kernel"], *(shown(fact, each[fact]) for fact in COLUMNS.values())]
        for each in facts
        if each["architecture"] == architecture
    ]


def expected_of(fact: dict[str, Any], gpu: str) -> str:
    """Return the share of a copy's speed expected on a GPU, and the tightest limit."""
    step = Step(**fact["step"])
    if step.unknown:
        return f"not known: {step.unknown}"
    name, allowed = tightest(limits(GPUS[gpu], step, fact["resident"]))
    said = f"{allowed:.0%}".replace("%", " %")
    return f"{said} ({name})" if allowed < 1 else f"100 % ({name}: {said})"


def model_rows(facts: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the model's table: what a kernel's step takes, and each GPU's speed.

    The step is that of the listed architecture.
    """
    of = {(each["kernel"], each["architecture"]): each for each in facts}
    rows = []
    for (kernel, architecture), fact in of.items():
        if architecture != LISTED:
            continue
        step = fact["step"]
        taken = [step["loaded"], step["stored"], step["instructions"], step["waits"]]
        rows.append(
            [
                *(kernel, *map(str, taken), str(fact["around"] or "-")),
                *(expected_of(of[kernel, gpu.architecture], name) for name, gpu in GPUS.items()),
            ]
        )
    return rows
