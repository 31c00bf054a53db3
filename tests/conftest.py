# SPDX-License-Identifier: Apache-2.0
"""Records what every test came to, for the table of rows on the Verification page.

Only where ``ROWS_RECORD`` names a folder: a session does that, which has installed this very tree.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from _verify import rows  # noqa: E402  (in a folder that was just named)


class Recorder:
    """Collects the outcomes of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = rows.made_of(ROOT)
        self.results: dict[str, rows.Results] = {}  # by the test file
        self.place: dict[str, tuple[str, str]] = {}  # by pytest's name for the test

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note every test, also those that the command line leaves out."""
        for item in items:
            file = item.path.relative_to(ROOT).as_posix()
            name = item.nodeid.partition("::")[2]
            self.place[item.nodeid] = (file, name)
            self.results.setdefault(file, {})[name] = ["not run", ""]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the worst of a test's phases."""
        file, name = self.place[report.nodeid]
        if report.failed:
            self.results[file][name] = ["failed", ""]
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "fails as known"
            self.results[file][name] = ["skipped", reason.removeprefix("Skipped: ")]
        elif report.when == "call":
            self.results[file][name] = ["passed", ""]

    def pytest_sessionfinish(self) -> None:
        """Write a record for each file, unless the tree is no longer the one that was tested."""
        if rows.made_of(ROOT) == self.tree:
            for file, results in self.results.items():
                rows.write_record(self.folder, file, self.tree, results)


def pytest_configure(config: pytest.Config) -> None:
    """Record where a session asks for it."""
    if folder := os.environ.get("ROWS_RECORD"):
        config.pluginmanager.register(Recorder(Path(folder)), "rows")
