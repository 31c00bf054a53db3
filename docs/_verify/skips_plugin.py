# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that writes down which test functions were skipped, where they stand, and why."""

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
    """Add a line to the file that TRACE_SKIPS names: path, line of the function, reason."""
    report = yield
    target = os.environ.get("TRACE_SKIPS")
    if target and report.skipped and not hasattr(report, "wasxfail") and call.excinfo:
        line = inspect.getsourcelines(item.function)[1]
        skip = [str(item.path), line, str(call.excinfo.value)]
        with Path(target).open("a") as file:
            file.write(json.dumps(skip) + "\n")
    return report
