# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that records each test's outcome, and which shown files it ran.

The record is for a run under another package, where a failure is a difference, not an error.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

# In an assertion's message, pytest indents all lines but the first.
RAISED = re.compile(r"^ {0,2}([A-Za-z_][\w.]*(?:Error|Exception)\b.*)$", re.M)
OUTCOMES = pytest.StashKey[dict[str, dict[str, Any]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options for the record's path and the full names of the tests to leave out."""
    group = parser.getgroup("snippets")
    group.addoption("--outcomes-record", required=True)
    group.addoption("--left-out", action="append", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Create one record for the run."""
    config.stash[OUTCOMES] = {}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove the tests left out; pytest's own option would remove any test with that prefix."""
    items[:] = [item for item in items if item.nodeid not in config.getoption("--left-out")]


def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Record which test started last: it may crash the process."""
    path = Path(item.config.getoption("--outcomes-record"))
    path.write_text(json.dumps({"begun": item.nodeid}))


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Keep the worst outcome of a test's phases, with the error's first line."""
    test = item.config.stash[OUTCOMES].setdefault(item.nodeid, {"outcome": "passed", "got": ""})
    shown = [value for kind, value in item.user_properties if kind == "shows"]
    test["files"] = sorted({record["path"] for record in shown if isinstance(record, dict)})
    if call.excinfo is None:
        return
    if call.excinfo.errisinstance(pytest.skip.Exception):
        test["outcome"] = "skipped"
    elif test["outcome"] != "failed":
        line = first_line(str(call.excinfo.value))
        test |= {"outcome": "failed", "got": f"{call.excinfo.typename}: {line}".rstrip(": ")}


def first_line(text: str) -> str:
    """Return the first line of the error: in a program's traceback, the exception's."""
    first = text.partition("\n")[0]
    # The last: an exception may have been raised while handling another one.
    raised = RAISED.findall(text) if first.startswith("Traceback (") else []
    return raised[-1] if raised else first


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the record; after a crash, it names the test that started last."""
    path = Path(session.config.getoption("--outcomes-record"))
    path.write_text(json.dumps({"outcomes": session.config.stash[OUTCOMES]}))
