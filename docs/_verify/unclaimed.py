# SPDX-License-Identifier: Apache-2.0
"""Find files under examples/ that no receipt covers: examples that nothing ran."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from .examples import HEADERS, example_files
from .layout import Layout
from .receipts import COMPILED, Receipt
from .results import Results


def find_unclaimed(layout: Layout, receipts: Iterable[Receipt], known: Iterable[str]) -> Results:
    """Fail each file that belongs to no receipt; the known ones have failed already."""
    claimed = {path for receipt in receipts for path in receipt.verifies}
    results = Results()
    for path in sorted(set(example_files(layout.root)) - claimed - set(known)):
        header = PurePosixPath(path).suffix in HEADERS
        reason = "a header that nothing includes" if header else "an example that nothing ran"
        results.fail(path, COMPILED, [path], reason)
    return results
