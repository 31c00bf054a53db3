# SPDX-License-Identifier: Apache-2.0
"""Read an untrusted receipt: it can neither crash its reader nor occupy it forever."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path, PurePosixPath

from .receipts import EMULATED, RAN_ON_GPU, Receipt, checked_receipt

RANGE = re.compile(r"(\d{1,9})-(\d{1,9})")
# Limits on the lines of one receipt and the characters of a name: more would take too long.
MOST_LINES, LONGEST_NAME = 1_000_000, 1000
MOST_BYTES = 1 << 24  # of the file; the largest from a run has a hundredth of that


@cache  # many receipts name the same files
def odd_name(name: str) -> str:
    """Return why no file of the tree can have a name; empty if one can."""
    if len(name) > LONGEST_NAME or max(len(part.encode()) for part in name.split("/")) > 255:
        return f"a name of {len(name)} characters"
    path = PurePosixPath(name)
    return repr(name) if path.is_absolute() or ".." in path.parts else ""


def check_receipt(receipt: Receipt) -> None:
    """Check for content that would crash or hang its reader; ValueError: what was found."""
    for name in (receipt.subject, *receipt.verifies, *receipt.closure):
        if odd := odd_name(name) if name.isprintable() else ascii(name[:40]):
            raise ValueError(f"expected files below the root, got {odd}")
    texts = [*receipt.runtime.values(), *receipt.skipped.values()]
    for reasons in receipt.idle.values():
        texts += reasons.values() if isinstance(reasons, dict) else [reasons]
    lists = [*receipt.ran.values(), *receipt.lines.values(), *receipt.doctests.values()]
    if not all(isinstance(each, str) for each in texts) or not all(
        isinstance(each, list) for each in lists
    ):
        raise ValueError("expected strings in runtime, skipped and idle, and lists of ranges")
    if receipt.level == RAN_ON_GPU and "gpu" not in receipt.machine:
        raise ValueError("machine: expected gpu")
    if receipt.level == EMULATED and {*receipt.ran} - {*receipt.idle}:
        raise ValueError("idle: expected the files of ran")
    ranges = [
        part for each in (receipt.ran, receipt.lines) for some in each.values() for part in some
    ]
    lines = 0
    for part in ranges + [part for reasons in receipt.idle.values() for part in reasons]:
        if not (found := RANGE.fullmatch(part if "-" in part else f"{part}-{part}")):
            raise ValueError(f"expected ranges such as 3-7, got {part[:40]!r}")
        lines += max(0, int(found[2]) - int(found[1]) + 1)
    if lines > MOST_LINES:
        raise ValueError(f"expected ranges of at most {MOST_LINES} lines, got {lines}")


def bounded_receipt(path: Path) -> Receipt:
    """Read a receipt from a file; ValueError: it contains none, or too much."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"expected at most {MOST_BYTES} bytes, got more")
    try:
        receipt = checked_receipt(json.loads(data))
    except RecursionError as error:
        raise ValueError(str(error)) from error
    check_receipt(receipt)
    return receipt
