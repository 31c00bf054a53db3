# SPDX-License-Identifier: Apache-2.0
"""Record how many lines of the runtime the tests run: covered_lines.py RECORD REPORT.

REPORT is what docs/_setup/line_coverage.py has written.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

from record import answer, circumstances, finish


def main(record: Path, report: Path) -> int:
    """Write the figures of each folder and of all, with their date and the files they are from."""
    versions = {"Python": platform.python_version(), "gcc": answer("g++", "-dumpfullversion")}
    figures = json.loads(report.read_text())["totals"]
    what = "Lines of the runtime that the tests run"
    return finish(
        record, {"what": what, **circumstances("coverage", versions), "folders": figures}, [], []
    )


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
