# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that records which test functions were skipped, their locations, and why."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Append a line to the file named by TRACE_SKIPS: path, line of the function, reason."""
    report = yield
    target = os.environ.get("TRACE_SKIPS")
    if target and report.skipped and not hasattr(report, "wasxfail") and call.excinfo:
        line = inspect.getsourcelines(item.function)[1]
        skip = [str(item.path), line, str(call.excinfo.value)]
        with Path(target).open("a") as file:
            file.write(json.dumps(skip) + "\n")
    return report
