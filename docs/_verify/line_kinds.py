# SPDX-License-Identifier: Apache-2.0
"""Count the lines that a page shows by what was done with them."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath

from .comments import C_LIKE
from .evidence import SCRIPTS, Evidence
from .receipts import COMPILED, EMULATED, RAN_ON_CPU, RAN_ON_GPU

DID_NOT_RUN = "did not run"
NO_STATEMENT = "no statement"  # a docstring, a brace, a closing bracket
TEXT = "text"  # output, settings and other files without statements
KINDS = (RAN_ON_GPU, RAN_ON_CPU, EMULATED, COMPILED, DID_NOT_RUN, NO_STATEMENT, TEXT)


def lines_of_file(evidence: Evidence, path: str, region: str) -> dict[str, int]:
    """Count the lines of a region, or of a whole file, without comments and blank lines."""
    suffix = PurePosixPath(path).suffix
    text = (evidence.layout.root / path).read_text().splitlines()
    lines = evidence.span(path, region).items()
    span = {place for place, line in lines if text[line - 1].strip()}
    if suffix not in SCRIPTS | C_LIKE:
        return {TEXT: len(span)}
    on_cpu, on_gpu = (evidence.places_ran(path, level) for level in (RAN_ON_CPU, RAN_ON_GPU))
    # Device code is not traced: a run on a GPU proves the whole source.
    receipts = evidence.proofs(path, region)
    whole = any(each.level == RAN_ON_GPU and path not in each.ran for each in receipts)
    idle = evidence.places_idle(path, region)
    emulated = evidence.places_emulated(path, region)[0]
    kinds: Counter[str] = Counter()
    for place in span:
        if place in on_gpu or (whole and place not in on_cpu):
            kinds[RAN_ON_GPU] += 1
        elif place in on_cpu:
            kinds[RAN_ON_CPU] += 1
        elif place in emulated:
            kinds[EMULATED] += 1
        elif place in idle:
            kinds[DID_NOT_RUN] += 1
        else:
            kinds[COMPILED if suffix in C_LIKE else NO_STATEMENT] += 1
    return dict(kinds)
